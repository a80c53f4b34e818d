import json
from collections.abc import Iterator
from itertools import count
from typing import Any

from agent_bench.history.attempts import Attempt
from agent_bench.model import Outcome, TrialKey
from agent_bench.reports.calibration import HEADERS, Calibration, calibrate, markdown_of
from agent_bench.statistics.calibration import Band

BAND = Band(0.1, 0.7)
_NUMBERS = count()


def attempts(
    solved: int, of: int, *, task: str = "t", agent: str = "a", model: str | None = None, **changes: Any
) -> Iterator[Attempt]:
    for number in range(of):
        base: dict[str, Any] = {
            "key": TrialKey(run=f"r{next(_NUMBERS)}", task=task, agent=agent, model=model),
            "model": model,
            "task_digest": "d" * 64,
            "settings_digest": "s",
            "agent_version": "1.0",
            "sandbox": "bubblewrap/open",
            "outcome": Outcome.COMPLETED,
            "resolved": number < solved,
            "dry_run": False,
            "trial": "",
        }
        yield Attempt(**{**base, **changes})


def verdicts(found: Calibration) -> list[tuple[str, str, int, str]]:
    return [(row.task, row.entrant, row.found.attempts, row.found.verdict) for row in found.rows]


def test_a_row_for_each_task_agent_model_and_digest() -> None:
    found = calibrate(
        [
            *attempts(10, 10),
            *attempts(3, 10, model="m"),
            *attempts(0, 40, agent="b"),
            *attempts(3, 5, task="s"),
            *attempts(2, 5, task_digest="e" * 64),
        ],
        BAND,
    )
    assert verdicts(found) == [
        ("s", "a", 5, "too_few"),
        ("t", "a", 10, "too_easy"),
        ("t", "a", 5, "in_band"),
        ("t", "a [m]", 10, "in_band"),
        ("t", "b", 40, "too_hard"),
    ]
    assert found.runs == 70
    assert [row.entrant for row in found.outside] == ["a", "b"]
    assert len(found.judged) == 4
    assert found.rework() == [
        "a on t (dddddddddddd): too easy, solved 10 of 10",
        "b on t (dddddddddddd): too hard, solved 0 of 40",
    ]


def test_controls_are_shown_and_never_judged() -> None:
    found = calibrate([*attempts(20, 20, agent="reference"), *attempts(0, 50, agent="noop")], BAND)
    assert [verdict for *_, verdict in verdicts(found)] == ["control", "control"]
    assert (found.outside, found.judged) == ([], [])
    assert [row.found.rate for row in found.rows] == [0, 1]


def test_what_is_not_counted_is_said() -> None:
    found = calibrate(
        [
            *attempts(3, 10),
            *attempts(0, 2, outcome=Outcome.PROVIDER_FAILED, resolved=None),
            *attempts(1, 1, dry_run=True),
            *attempts(0, 3, task="prompt", resolved=None),
            *attempts(0, 2, task="broken", outcome=Outcome.GRADING_FAILED, resolved=None),
            *attempts(0, 1, task="later", outcome=None, resolved=None),
        ],
        BAND,
    )
    (row,) = found.rows
    assert (row.found.attempts, row.not_counted) == (10, {"provider_failed": 2, "dry_run": 1})
    assert [unseen.task for unseen in found.unseen] == ["broken", "later"]
    assert "not counted: 1 dry run, 2 grading failed, 3 no verdict, 1 not started, 2 provider failed" in found.remarks()
    assert any(line.startswith("no attempt counted: a on broken") for line in found.remarks())


def test_what_is_mixed_is_said() -> None:
    found = calibrate(
        [
            *attempts(1, 2),
            *attempts(1, 2, agent_version="1.1", settings_digest="t"),
            *attempts(1, 1, sandbox="local/open"),
            *attempts(1, 1, agent_version="9", outcome=Outcome.PROVIDER_FAILED),
        ],
        BAND,
    )
    (row,) = found.rows
    assert row.mixed == (
        "2 versions: 1.0, 1.1",
        "several settings or limits",
        "2 sandboxes: bubblewrap/open, local/open",
    )
    assert any("2 versions" in line for line in found.remarks())


def test_as_json() -> None:
    found = calibrate([*attempts(9, 9), *attempts(3, 5, task="s", task_digest="")], BAND)
    told = json.loads(json.dumps(found.as_json()))
    assert (told["band_low"], told["band_high"], told["n_runs"]) == (0.1, 0.7, 14)
    assert told["needs_rework"] == ["t"]
    few, easy = told["rows"]
    assert (few["task_id"], few["task_digest"], few["verdict"], few["solve_rate"]) == ("s", None, "too_few", 0.6)
    assert few["more_attempts"] == 11
    assert (easy["attempts"], easy["solved"], easy["verdict"], easy["more_attempts"]) == (9, 9, "too_easy", 0)
    assert 0.7 < easy["low"] < easy["high"] == 1


def test_as_cells() -> None:
    found = calibrate([*attempts(5, 5), *attempts(701, 1000, task="u", task_digest="")], BAND)
    first, second = (dict(zip(HEADERS, row.cells(), strict=True)) for row in found.rows)
    assert first["digest"] == "d" * 12
    assert first["95 %"] == "0.57–1.00"
    assert first["verdict"] == "too few attempts to say"
    assert first["more"] == "+4"
    assert second["digest"] == "−"
    assert second["more"] == ">10000"
    assert any("which version" in line for line in found.remarks())


def test_as_markdown() -> None:
    text = markdown_of(calibrate([*attempts(9, 9, agent="a|b\x1b[0m")], BAND))
    assert "| task | agent | digest |" in text
    assert "a\\|b\\\\x1b\\[0m" in text
    assert "\x1b" not in text
    assert "## Needs rework\n\n- a\\|b" in text
    nothing = markdown_of(calibrate([], BAND))
    assert "No attempt counted." in nothing
    assert "## Needs rework\n\nNothing." in nothing
