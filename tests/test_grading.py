"""The loop of grading, with real graders and some that misbehave."""

import asyncio
from pathlib import Path

import pytest
from grading_bed import GradingBed

from agent_bench import grading as loop
from agent_bench.graders.interface import Grading
from agent_bench.graders.table import find_grader
from agent_bench.model import Check, Signal

FILES = Check(name="files", grader="files", weight=0.3)
IMPORTS = Check(name="imports", grader="imports", weight=0.15)
RUFF = Check(name="ruff", grader="ruff", weight=0.1)
JUDGE = Check(name="judge", grader="judge", weight=0.25)


@pytest.fixture
def bed(tmp_path: Path) -> GradingBed:
    return GradingBed(tmp_path, tmp_path)


class Raising:
    async def observe(self, check: Check, grading: Grading) -> Signal:
        raise ZeroDivisionError("a defect")


class Hanging:
    async def observe(self, check: Check, grading: Grading) -> Signal:
        await asyncio.sleep(60)
        raise AssertionError


class Misnaming:
    async def observe(self, check: Check, grading: Grading) -> Signal:
        return Signal(name="another", value=1.0, reason="-")


class Answering:
    async def observe(self, check: Check, grading: Grading) -> Signal:
        return None  # type: ignore[return-value]


@pytest.fixture(autouse=True)
def misbehaving(monkeypatch: pytest.MonkeyPatch) -> None:
    graders = {"raising": Raising, "hanging": Hanging, "misnaming": Misnaming, "answering": Answering}
    monkeypatch.setattr(loop, "find_grader", lambda name: graders[name]() if name in graders else find_grader(name))


def test_the_signals_are_those_of_the_checks_in_their_order(bed: GradingBed) -> None:
    signals, score = bed.grade([RUFF, FILES, IMPORTS], {"a.py": "import os\n"})
    assert list(signals) == ["ruff", "files", "imports"]
    assert [signal.value for signal in signals.values()] == [0.0, 1.0, 1.0]
    assert score.value == pytest.approx(0.45 / 0.55)
    assert score.observed_weight == 1.0
    assert all(signal.seconds >= 0 for signal in signals.values())
    assert signals["ruff"].seconds > 0


def test_the_score_is_of_what_was_observed(bed: GradingBed) -> None:
    signals, score = bed.grade([FILES, IMPORTS, RUFF, JUDGE], {"a.py": "x = 1\n"})
    assert signals["judge"].value is None
    assert score.value == 1.0
    assert score.observed_weight == pytest.approx(0.55 / 0.80)


@pytest.mark.parametrize(
    ("grader", "reason"),
    [
        ("raising", "the grader failed: ZeroDivisionError: a defect"),
        ("answering", "the grader failed: AttributeError"),
        ("nosuch", "the grader failed: UsageError: unknown grader 'nosuch'"),
        ("hanging", "the grader did not end within 0.5 s"),
    ],
)
def test_a_grader_that_misbehaves_costs_its_signal_and_nothing_else(bed: GradingBed, grader: str, reason: str) -> None:
    checks = [Check(name="bad", grader=grader, weight=0.1), FILES]
    signals, score = bed.grade(checks, {"a.txt": "x"}, grader_seconds=0.5)
    assert signals["bad"].value is None
    assert signals["bad"].reason.startswith(reason)
    assert signals["files"].value == 1.0
    assert score.value == 1.0
    assert score.observed_weight == pytest.approx(0.75)


def test_a_checks_own_time_comes_on_top(bed: GradingBed) -> None:
    check = Check(name="slow", grader="command", options={"command": "sleep 0.6", "timeout_sec": 30}, weight=1)
    signals, _ = bed.grade([check], {"a.txt": "x"}, grader_seconds=0.1)
    assert signals["slow"].value == 1.0


def test_a_signal_has_its_checks_name(bed: GradingBed) -> None:
    signals, _ = bed.grade([Check(name="mine", grader="misnaming", weight=1)], {"a.txt": "x"})
    assert list(signals) == ["mine"]


@pytest.mark.parametrize(
    ("files", "starting"),
    [
        ({}, {}),
        ({}, {"app.py": "x = 1\n", "test_app.py": "def test_a(): pass\n"}),
        ({"app.py": "", "b.py": "\n \n"}, {}),
    ],
    ids=["empty", "unchanged", "blank"],
)
def test_nothing_earns_points(bed: GradingBed, files: dict[str, str], starting: dict[str, str]) -> None:
    command = Check(name="command", grader="command", options={"command": "true"}, weight=0.5)
    tests = Check(name="pytest", grader="pytest", weight=0.2)
    signals, score = bed.grade([FILES, IMPORTS, RUFF, tests, JUDGE, command], files, starting)
    assert score.value == 0.0
    assert {name: signal.value for name, signal in signals.items()} == {
        "files": 0.0,
        "imports": None,
        "ruff": None,
        "pytest": None,
        "judge": None,
        "command": 0.0,
    }


def test_deleting_earns_nothing(bed: GradingBed) -> None:
    """The same as unchanged: the tests that are left would pass as before."""
    starting = {"app.py": "x = 1\n", "README.md": "text"}
    original = bed.grading

    def without_readme(*arguments: object) -> Grading:
        grading = original(*arguments)  # type: ignore[arg-type]
        (grading.tree / "README.md").unlink()
        return grading

    bed.grading = without_readme  # type: ignore[method-assign,assignment]
    _, score = bed.grade([FILES, IMPORTS, RUFF], {}, starting)
    assert score.value == 0.0


def test_no_grader_sees_what_another_left(bed: GradingBed) -> None:
    first = Check(name="first", grader="command", options={"command": "rm a.py; echo 'def (' > b.py"}, weight=1)
    second = Check(name="second", grader="command", options={"command": "test -f a.py -a ! -e b.py"}, weight=1)
    signals, score = bed.grade([first, second, IMPORTS], {"a.py": "x = 1\n"})
    assert score.value == 1.0
    assert signals["imports"].facts["count"] == 1


def test_a_task_without_checks_has_no_score(bed: GradingBed) -> None:
    signals, score = bed.grade([], {"a.py": "x = 1\n"})
    assert signals == {}
    assert score.value is None
