import json
from pathlib import Path

import pytest
from verified_tasks import ADDER, adder

from agent_bench.catalog import discover
from agent_bench.errors import FileError
from agent_bench.formats.verified import VerifiedFormat
from agent_bench.model import Task


def load(folder: Path) -> Task:
    return VerifiedFormat().load(folder / "task.json", folder.parents[2])


def refused(folder: Path) -> str:
    with pytest.raises(FileError) as caught:
        load(folder)
    return caught.value.message


def test_a_task_in_the_layout_of_seed_001(tmp_path: Path) -> None:
    task = load(adder(tmp_path))
    assert (task.id, task.format, task.language, task.kind) == ("adder", "verified", "python", "bug_fix")
    assert task.instruction == (ADDER / "SPEC.md").read_text()
    assert set(task.visible) == {"tests/public", "SPEC.md"}
    assert set(task.withheld) == {"tests/hidden"}
    assert task.toolchain == "pytest"
    assert task.policy.name == "all_of"
    assert task.limits.agent_sec == 60
    assert {path.name for path in task.hidden} == {"hidden", "solution", "task.json"}


def test_yaml_is_read_as_well(tmp_path: Path) -> None:
    folder = adder(tmp_path)
    data = json.loads((folder / "task.json").read_text())
    (folder / "task.json").unlink()
    (folder / "task.yaml").write_text(json.dumps(data))
    (task,) = discover([tmp_path]).tasks
    assert task.source.name == "task.yaml"


def test_tasks_are_found_at_any_depth_and_not_inside_another(tmp_path: Path) -> None:
    adder(tmp_path, {"workspace/task.json": "{}", "workspace/deep/task.json": "{}"})
    assert len(VerifiedFormat().find(tmp_path)) == 1
    (tmp_path / "workspaces" / "w").mkdir(parents=True)
    (tmp_path / "workspaces" / "w" / "task.json").write_text("{}")
    assert len(VerifiedFormat().find(tmp_path)) == 1


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"id": "other"}, ["id", "'other'", "'adder'"]),
        ({"extra": 1}, ["extra"]),
        ({"language": "cobol"}, ["language", "cobol"]),
        ({"kind": "chore"}, ["kind", "chore", "bug_fix"]),
        ({"difficulty": "mild"}, ["difficulty", "mild"]),
        ({"fail_to_pass": []}, ["fail_to_pass"]),
        ({"fail_to_pass": ["a", " "]}, ["fail_to_pass"]),
        ({"fail_to_pass": ["a", "x > a"]}, ["fail_to_pass", "'a'", "twice"]),
        ({"pass_to_pass": ["test_total_counts_the_last_value"]}, ["in both"]),
        ({"entrypoint_files": ["gone.py"]}, ["gone.py"]),
        ({"entrypoint_files": []}, ["entrypoint_files"]),
        ({"timeout_s": 0}, ["timeout_s"]),
        ({"timeout_s": "60"}, ["timeout_s"]),
        ({"title": None}, ["title", "missing"]),
        ({"environment": {"python": "3"}}, ["environment.python"]),
    ],
)
def test_bad_keys_are_named(tmp_path: Path, keys: dict[str, object], words: list[str]) -> None:
    message = refused(adder(tmp_path, **keys))
    assert "task.json" in message
    for word in words:
        assert word in message


def test_all_that_is_missing_is_said_at_once(tmp_path: Path) -> None:
    files = {
        "solution/sums.py": None,
        "tests/hidden/test_hidden_sums.py": None,
        "tests/hidden/test_public_sums.py": "def test_x(): pass\n",
        "workspace/tests/a.py": "",
    }
    message = refused(adder(tmp_path, files))
    assert "solution/ is missing or empty" in message
    assert "have the same name" in message
    assert "workspace/ holds tests/" in message


def test_the_digest_is_of_everything_that_counts_and_not_of_caches(tmp_path: Path) -> None:
    folder = adder(tmp_path)
    before = load(folder).digest
    (folder / "tests" / "hidden" / "__pycache__").mkdir()
    (folder / "tests" / "hidden" / "__pycache__" / "x.pyc").write_text("x")
    assert load(folder).digest == before
    for part in (
        "SPEC.md",
        "workspace/sums.py",
        "tests/public/test_public_sums.py",
        "tests/hidden/test_hidden_sums.py",
    ):
        text = (folder / part).read_text()
        (folder / part).write_text(text + "\n")
        assert load(folder).digest != before, part
        (folder / part).write_text(text)
    assert load(folder).digest == before


def test_without_a_specification_there_is_no_instruction(tmp_path: Path) -> None:
    assert load(adder(tmp_path, {"SPEC.md": None})).instruction == ""
