import json
from pathlib import Path
from typing import Any

import anyio
from grading_bed import Content, GradingBed

from agent_bench.graders.exhibit import MAX_FILE_BYTES, Exhibit, exhibit
from agent_bench.graders.interface import JudgeSettings
from agent_bench.process import open_launcher


def shown(
    bed: GradingBed, files: dict[str, Content], starting: dict[str, Content] | None = None, tokens: int = 60_000
) -> tuple[Exhibit, dict[str, Any]]:
    bed.judge = JudgeSettings(max_input_tokens=tokens)

    async def main() -> Exhibit:
        async with open_launcher() as launcher:
            return exhibit(bed.grading([], files, starting or {}, launcher))

    made = anyio.run(main)
    return made, json.loads(made.files)


def test_everything_is_shown_where_there_is_room(local_bed: GradingBed) -> None:
    made, data = shown(local_bed, {"b.py": "b", "a/c.py": "c\n"})
    assert data == {
        "files": [{"path": "a/c.py", "content": "c\n"}, {"path": "b.py", "content": "b"}],
        "not_shown": [],
    }
    assert made.cut == ()
    assert made.instruction == "Write it."


def test_the_agents_own_files_come_first(local_bed: GradingBed) -> None:
    _, data = shown(local_bed, {"z.py": "new", "m.py": "changed"}, {"a.py": "old", "m.py": "old"})
    assert [entry["path"] for entry in data["files"]] == ["m.py", "z.py", "a.py"]


def test_a_long_file_is_cut_and_that_is_said(local_bed: GradingBed) -> None:
    made, data = shown(local_bed, {"a.py": "é" * MAX_FILE_BYTES, "b.py": "b"})
    assert len(data["files"][0]["content"].encode()) == MAX_FILE_BYTES
    assert made.cut == (f"a.py: cut after {MAX_FILE_BYTES} of {2 * MAX_FILE_BYTES} bytes",)
    assert data["not_shown"] == list(made.cut)
    assert data["files"][1]["content"] == "b"


def test_what_does_not_fit_is_named_up_to_a_number(local_bed: GradingBed) -> None:
    made, data = shown(local_bed, {f"{number:04}.txt": "x" * 500 for number in range(400)}, tokens=3_000)
    assert len(made.files.encode()) < 3_000 * 3.5 + 51 * 40
    assert 0 < len(data["files"]) < 25
    assert made.cut[-1] == f"{400 - len(data['files']) - 50} more files: left out"


def test_hostile_floods_stay_within_the_limit(local_bed: GradingBed) -> None:
    files: dict[str, Content] = {f"{'n' * 200}{number}": b"\0" for number in range(3_000)}
    files |= {f"q{number}": '"\\' * 5_000 for number in range(50)}
    made, _ = shown(local_bed, files, tokens=5_000)
    assert len(made.files.encode()) < 5_000 * 3.5 + 51 * 250


def test_bytes_and_names_that_are_no_text(local_bed: GradingBed, tmp_path: Path) -> None:
    _, data = shown(local_bed, {"bin": b"ab\0cd", "latin": b"caf\xe9", "n\x1b\n.txt": "x", "lone\udcff": "y"})
    assert {"path": "bin", "binary": True, "bytes": 5} in data["files"]
    assert {"path": "latin", "content": "caf\ufffd"} in data["files"]
    assert {"path": "n\\x1b\\n.txt", "content": "x"} in data["files"]
    assert {"path": "lone\\xff", "content": "y"} in data["files"]


def test_a_long_task_is_cut_too(local_bed: GradingBed) -> None:
    made, data = shown(local_bed, {"a.py": "a"}, tokens=3)
    assert made.instruction == "Write"
    assert made.cut[0] == "the task: cut after 5 characters"
    assert data["files"] == []
