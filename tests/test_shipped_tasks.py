"""The shipped tasks measure something: noop scores 0 on each, the reference solution 1 on every signal."""

from pathlib import Path

import pytest
from command_line import Bench

from agent_bench.catalog import Catalog, discover

FOLDER = Path(__file__).parent.parent / "tasks"


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return discover([FOLDER])


def test_every_file_is_a_task(catalog: Catalog) -> None:
    assert [problem.message for problem in catalog.problems] == []
    assert len(catalog.tasks) >= 8
    assert {"hello_cli", "todo_api"} <= {task.id for task in catalog.tasks}
    assert sum(bool(task.environment.requirements) for task in catalog.tasks) >= 2
    assert any(task.workspace for task in catalog.tasks)
    assert any(task.language not in (None, "python") for task in catalog.tasks)
    assert all(task.solution for task in catalog.tasks)


def test_no_task_shows_its_answer(catalog: Catalog) -> None:
    """Nothing of the solution or the checks lies in what an agent is given."""
    for task in catalog.tasks:
        for hidden in task.hidden:
            assert task.workspace is None or not hidden.is_relative_to(task.workspace)
            assert task.workspace is None or not task.workspace.is_relative_to(hidden)


def test_digests_are_stable(catalog: Catalog) -> None:
    digests = {task.id: task.digest for task in discover([FOLDER]).tasks}
    assert digests == {task.id: task.digest for task in catalog.tasks}
    assert len(set(digests.values())) == len(digests)


def test_each_prompt_task_has_a_check_of_behaviour_with_weight(catalog: Catalog) -> None:
    for task in catalog.tasks:
        if task.format == "verified":
            continue
        weights = {check.name: check.weight for check in task.checks}
        assert weights["behaviour"] >= 0.3, task.id
        # Without a key for the judge there must still be enough to see.
        assert 1 - weights["judge"] / sum(weights.values()) >= 0.75, task.id


@pytest.mark.timeout(600)
def test_the_controls_hold_on_each(bench: Bench, catalog: Catalog) -> None:
    bench("run-all", "--tasks", str(FOLDER), "-a", "noop", "-a", "reference", "--max-concurrent", "2", timeout=580)
    records = bench.results()
    assert len(records) == 2 * len(catalog.tasks)
    for record in records:
        name = f"{record['key']['agent']} on {record['key']['task']}"
        if record["key"]["agent"] == "noop":
            assert record["score"]["value"] == 0.0, name
            continue
        assert record["score"]["value"] == 1.0, (name, record["signals"])
        values = {signal["name"]: signal["value"] for signal in record["signals"] if signal["name"] != "judge"}
        # What a task has no use for (Python's signals in a shell script) is not observed, never below 1.
        assert {value for value in values.values() if value is not None} == {1.0}, (name, record["signals"])
        formats = {task.id: task.format for task in catalog.tasks}
        needed = ("tests",) if formats[record["key"]["task"]] == "verified" else ("files", "behaviour")
        assert all(values[check] == 1.0 for check in needed), name
