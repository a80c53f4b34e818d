"""One task broken in exactly one way for each check of ``validate``, and what it says."""

import json
from typing import Any

import pytest
from command_line import Bench
from verified_tasks import ADDER, DEFECT, HIDDEN, HIDDEN_TEXT, PUBLIC, SOLUTION, adder

from agent_bench.validation.findings import CHECKS

SPEC = (ADDER / "SPEC.md").read_text()
PUBLIC_TEXT = (ADDER / PUBLIC).read_text()
COUNTER = """
import pathlib

def test_total_counts_the_last_value():
    from sums import total
    assert total([1, 2, 3]) == 6
    assert not SEEN
    SEEN.append(1)

def test_other():
    from sums import total
    assert total([1, 2, 3]) == 6
    assert not SEEN
    SEEN.append(1)

SEEN = []
"""

BROKEN: dict[str, tuple[dict[str, str | None], dict[str, Any], str]] = {
    "structure": ({"SPEC.md": None}, {}, "SPEC.md is missing or empty"),
    "spec-lint": ({"SPEC.md": SPEC.replace("# Sums that", "# TODO: sums that")}, {}, "spec-placeholder"),
    "solution-differs": ({"solution/sums.py": DEFECT}, {}, "the solution is the same as the workspace"),
    "tests-declared": ({}, {"pass_to_pass": ["test_doubled"]}, "not collected: test_doubled"),
    "base-fail-to-pass-fails": (
        {HIDDEN: HIDDEN_TEXT.replace("total([1, 2, 3]) == 6", "total([]) == 0")},
        {},
        "before the fix: test_total_counts_the_last_value passed",
    ),
    "base-pass-to-pass-passes": (
        {PUBLIC: PUBLIC_TEXT.replace("total([]) == 0", "total([1]) == 1")},
        {},
        "before the fix: test_total_of_nothing_is_zero failed",
    ),
    "solution-resolves": (
        {"solution/sums.py": SOLUTION.replace("value + value", "value * 3")},
        {},
        "regressed: test_double[2-4] failed",
    ),
    "deterministic": (
        {HIDDEN: COUNTER},
        {"fail_to_pass": ["test_total_counts_the_last_value"], "pass_to_pass": ["test_total_of_nothing_is_zero"]},
        "test_total_counts_the_last_value on the solution: passed, in order",
    ),
    "no-leak": (
        {"workspace/notes.txt": "the graders run test_total_counts_the_last_value\n"},
        {},
        "notes.txt names test_total_counts_the_last_value",
    ),
}


FOLLOW = {
    # A test that is never collected passes neither before the fix nor after it.
    "tests-declared": ["base-pass-to-pass-passes", "solution-resolves"],
    # A solution that is the workspace resolves nothing.
    "solution-differs": ["solution-resolves"],
}


def results(bench: Bench) -> dict[str, dict[str, Any]]:
    (task,) = json.loads((bench.folder / "validation.json").read_text())
    return {check["name"]: check for check in task["checks"]}


def validate(bench: Bench, code: int) -> dict[str, dict[str, Any]]:
    bench.env["AGENT_BENCH_CACHE_DIR"] = bench.env.get("AGENT_BENCH_TEST_CACHE", str(bench.folder.parent / "cache"))
    bench("validate", "--tasks", "tasks", code=code)
    return results(bench)


def test_a_sound_task_passes_all_ten(bench: Bench) -> None:
    adder(bench.folder / "tasks")
    found = validate(bench, 0)
    assert list(found) == list(CHECKS)
    assert all(check["passed"] for check in found.values())
    assert "10/10" in bench("validate", "--tasks", "tasks").stdout
    assert "cached" in bench("validate", "--tasks", "tasks").stderr
    assert "PASS not-forgeable" in (bench.folder / "validation.md").read_text()


@pytest.mark.parametrize("check", BROKEN)
def test_a_task_broken_in_one_way(bench: Bench, check: str) -> None:
    files, keys, words = BROKEN[check]
    adder(bench.folder / "tasks", files, **keys)
    found = validate(bench, 1)
    assert not found[check]["passed"]
    assert words in found[check]["detail"]
    others = [name for name, one in found.items() if not one["passed"] and not one["skipped"] and name != check]
    assert others == FOLLOW.get(check, [])


def test_a_missing_base_test_does_not_count_as_failing(bench: Bench) -> None:
    skips = HIDDEN_TEXT.replace("    values = [4, 5]", "    pytest.skip('later')\n    values = [4, 5]")
    adder(bench.folder / "tasks", {HIDDEN: skips})
    found = validate(bench, 1)
    assert "test_total_keeps_its_argument skipped" in found["base-fail-to-pass-fails"]["detail"]


def test_a_base_that_does_not_even_load(bench: Bench) -> None:
    adder(bench.folder / "tasks", {"workspace/sums.py": "def total(:\n"})
    found = validate(bench, 1)
    assert "on the base" in found["tests-declared"]["detail"]
    assert not found["base-fail-to-pass-fails"]["passed"]


def test_a_file_that_cannot_be_read_is_a_row(bench: Bench) -> None:
    folder = adder(bench.folder / "tasks")
    (folder / "task.json").write_text('{"id": "adder", "langauge": "python"}')
    found = validate(bench, 1)
    assert "langauge" in found["structure"]["detail"]
    assert sum(check["skipped"] for check in found.values()) == len(CHECKS) - 1


def test_no_task_is_an_error_and_no_vacuous_pass(bench: Bench) -> None:
    bench.task()
    assert "no verified task" in bench("validate", "--tasks", "tasks", code=2).stderr
    assert "not a verified task: trivial" in bench("validate", "trivial", "--tasks", "tasks", code=2).stderr
