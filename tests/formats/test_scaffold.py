"""A new task is valid as it stands, and measures something."""

import subprocess
import sys
from pathlib import Path

import pytest

from agent_bench.catalog import discover
from agent_bench.errors import UsageError
from agent_bench.formats.scaffold import write_scaffold


@pytest.mark.parametrize("task_id", ["my_task", "on", "null", "12", "1e3", "web/api-2", "json", "a" * 120])
def test_it_is_valid(tmp_path: Path, task_id: str) -> None:
    written = write_scaffold(tmp_path, task_id)
    catalog = discover([tmp_path])
    assert catalog.problems == ()
    (task,) = catalog.tasks
    assert task.id == task_id
    assert task.source in written
    assert {check.name for check in task.checks} >= {"files", "pytest", "behaviour"}
    assert task.solution is not None


def test_the_solution_passes_its_check_and_nothing_does_not(tmp_path: Path) -> None:
    write_scaffold(tmp_path, "mine")
    check = [sys.executable, tmp_path / "checks" / "mine" / "check.py"]
    solution = tmp_path / "solutions" / "mine"
    assert subprocess.run(check, cwd=solution).returncode == 0
    assert subprocess.run(check, cwd=tmp_path, capture_output=True).returncode != 0
    (solution / "answer.py").write_text("def answer() -> int:\n    return 41\n")
    wrong = subprocess.run(check, cwd=solution, capture_output=True, text=True)
    assert (wrong.returncode, wrong.stderr) == (1, "answer() returned 41, expected 42\n")


@pytest.mark.parametrize("task_id", ["", "My_task", "../x", "/x", "a/", "a b", "a" * 121, "-x"])
def test_ids_that_none_may_have(tmp_path: Path, task_id: str) -> None:
    with pytest.raises(UsageError, match="cannot be a task's id"):
        write_scaffold(tmp_path / "tasks", task_id)
    assert not (tmp_path / "tasks").exists()


@pytest.mark.parametrize("existing", ["a_b.yaml", "solutions/a_b/answer.py", "checks/a_b/check.py"])
def test_nothing_is_overwritten(tmp_path: Path, existing: str) -> None:
    path = tmp_path / existing
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("mine")
    with pytest.raises(UsageError, match="exists already"):
        write_scaffold(tmp_path, "a/b")
    assert [found for found in tmp_path.rglob("*") if found.is_file()] == [path]
    assert path.read_text() == "mine"
