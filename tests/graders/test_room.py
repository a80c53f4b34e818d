import json
import os
import sys
from pathlib import Path

import anyio
import pytest
from grading_bed import GradingBed
from process_bed import needs_bubblewrap

from agent_bench.graders.room import Ran
from agent_bench.process import open_launcher

PYTHON = sys._base_executable  # type: ignore[attr-defined]
READABLE = [Path(sys.base_prefix)]


def run(bed: GradingBed, kind: str, *argv: str, seconds: float = 20, files: dict[str, str] | None = None) -> Ran:
    async def main() -> Ran:
        async with open_launcher() as launcher:
            grading = bed.grading([], files or {"a.txt": "a"}, {}, launcher)
            room = await (grading.fresh_room("x") if kind == "fresh" else grading.reading_room("x"))
            filled = [word.replace("TREE", str(room.tree)) for word in argv]
            return await room.run(filled, seconds=seconds, readable=READABLE)

    return anyio.run(main)


def test_a_fresh_room_has_a_copy_that_can_be_changed(bed: GradingBed) -> None:
    ran = run(bed, "fresh", "/bin/sh", "-c", "cat a.txt && rm a.txt && echo b > b.txt && echo left > $HOME/left")
    assert ran.finished.exit_code == 0
    assert ran.stdout == b"a"
    tree = bed.folder / "grading-1" / "tree"
    assert [path.name for path in tree.iterdir()] == ["a.txt"]


def test_each_room_has_a_copy_of_its_own(bed: GradingBed) -> None:
    async def main() -> list[bytes]:
        async with open_launcher() as launcher:
            grading = bed.grading([], {"a.txt": "a"}, {}, launcher)
            rooms = [await grading.fresh_room(name) for name in ("one", "two")]
            return [
                (await room.run(("/bin/sh", "-c", "ls -A . $HOME; touch trace $HOME/trace"), seconds=20)).stdout
                for room in rooms
            ]

    for listing in anyio.run(main):
        assert b"trace" not in listing


def test_a_reading_room_shows_the_tree(bed: GradingBed) -> None:
    ran = run(bed, "reading", "/bin/sh", "-c", "cat TREE/a.txt; ls -A")
    assert ran.stdout == b"a"


@needs_bubblewrap
def test_the_tree_of_a_reading_room_cannot_be_changed(local_bed: GradingBed) -> None:
    local_bed.sandbox = "bubblewrap"
    ran = run(local_bed, "reading", "/bin/sh", "-c", "echo x > TREE/a.txt; rm -f TREE/a.txt; touch TREE/b")
    assert ran.finished.exit_code != 0
    tree = local_bed.folder / "grading-1" / "tree"
    assert {path.name: path.read_text() for path in tree.iterdir()} == {"a.txt": "a"}


@needs_bubblewrap
def test_there_is_no_network_and_nothing_of_the_hosts(local_bed: GradingBed) -> None:
    local_bed.sandbox = "bubblewrap"
    program = """
import json, os, socket
try:
    socket.create_connection(("127.0.0.1", 22), 2)
except OSError as error:
    print(json.dumps([error.errno, os.listdir("/sys/class/net") if os.path.exists("/sys/class/net") else [],
        os.path.exists("/etc/shadow"), os.listdir(os.environ["HOME"])]))
"""
    ran = run(local_bed, "fresh", PYTHON, "-c", program)
    _, interfaces, shadow, home = json.loads(ran.stdout)
    assert interfaces in ([], ["lo"])
    assert not shadow
    assert home == ["tmp"]


def test_the_environment_is_ours(bed: GradingBed) -> None:
    bed.environ = {
        **os.environ,
        "SECRET_TOKEN": "s3cret",
        "PYTHONPATH": "/x",
        "LD_PRELOAD": "/x.so",
        "TZ": "Asia/Tokyo",
    }
    ran = run(bed, "fresh", PYTHON, "-c", "import json, os; print(json.dumps(dict(os.environ)))")
    env = json.loads(ran.stdout)
    assert not {"SECRET_TOKEN", "PYTHONPATH", "LD_PRELOAD", "ANTHROPIC_API_KEY"} & env.keys()
    assert env["PATH"] == "/usr/local/bin:/usr/bin:/bin"
    assert env["TZ"] == "UTC"


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("echo one; echo two >&2; echo three >&2", "three"),
        ("echo one; echo; printf '  two  \\n\\n'", "two"),
        ("printf '\\033[31mred\\377\\n'", "\\x1b[31mred\ufffd"),
        ("true", ""),
    ],
)
def test_last_words(local_bed: GradingBed, script: str, words: str) -> None:
    assert run(local_bed, "fresh", "/bin/sh", "-c", script).last_words == words


def test_last_words_are_cut(local_bed: GradingBed) -> None:
    assert len(run(local_bed, "fresh", "/bin/sh", "-c", "head -c 100000 /dev/zero | tr '\\0' x").last_words) == 200


def test_a_limit_is_said(local_bed: GradingBed) -> None:
    ran = run(local_bed, "fresh", "sleep", "60", seconds=0.5)
    assert ran.stopped_by == "no end within 0.5 s"
    assert run(local_bed, "fresh", "true").stopped_by is None


def test_a_flood_of_output_is_stopped(local_bed: GradingBed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agent_bench.graders.room.OUTPUT_BYTES", 1 << 20)
    assert run(local_bed, "fresh", "yes").stopped_by == "more than 1 MiB of output"


def test_a_home_that_was_locked_can_be_read_afterwards(bed: GradingBed) -> None:
    script = "mkdir $HOME/d; echo x > $HOME/d/f; chmod 0 $HOME/d/f $HOME/d"
    run(bed, "fresh", "/bin/sh", "-c", script)
    kept = bed.folder / "grading-1" / "scratch" / "x" / "home" / "d" / "f"
    assert kept.stat().st_mode & 0o400
