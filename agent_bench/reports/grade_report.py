"""The run report of seed 001 (``run.json``, ``run.md``): one line per task, for its readers and its ``calibrate``."""

import json
from collections.abc import Sequence
from datetime import datetime

from agent_bench import __version__
from agent_bench.model import TrialRecord
from agent_bench.reports.untrusted import markdown_cell, one_line

_SHOWN_FILES = 5
_WORDS = {True: "yes", False: "no", None: "not observed"}


def grade_json(solver: str, command: str | None, ended: datetime, records: Sequence[TrialRecord]) -> str:
    """``run.json``, with seed 001's keys, the digest and the id of the trial besides."""
    data = {
        "solver": solver,
        "created_at": ended.isoformat(timespec="seconds"),
        "harness_version": __version__,
        "command": command,
        "tasks": [_task(record) for record in records],
    }
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def _task(record: TrialRecord) -> dict[str, object]:
    facts = record.signals[0].facts if record.signals else {}
    (f2p, f2p_total), (p2p, p2p_total) = facts.get("f2p", (0, 0)), facts.get("p2p", (0, 0))
    return {
        "task_id": record.key.task,
        "language": record.task_language,
        "resolved": record.score.resolved,
        "f2p_passed": f2p,
        "f2p_total": f2p_total,
        "p2p_passed": p2p,
        "p2p_total": p2p_total,
        "duration_s": round(record.wall_sec + record.grading_sec, 3),
        "missing_tests": list(facts.get("missing", ())),
        "note": _note(record),
        "digest": record.task_digest,
        "trial": record.id,
        "outcome": record.outcome.value,
    }


def _note(record: TrialRecord) -> str:
    files = record.produced.files
    shown = ", ".join(files[:_SHOWN_FILES])
    changed = f"changed {len(files)} file(s): {shown}" if files else "changed no files"
    missing = record.signals[0].facts.get("missing") if record.signals else None
    uncollected = f"tests not collected: {', '.join(missing)}" if missing else ""
    tampered = f"tampered: {record.tampered[0]}" if record.tampered else ""
    return one_line("; ".join(filter(None, (record.reason, tampered, uncollected, changed))), 500)


def grade_markdown(text: str) -> str:
    """``run.md`` of the text of a ``run.json``."""
    data = json.loads(text)
    tasks = data["tasks"]
    solved = sum(task["resolved"] is True for task in tasks)
    lines = [
        f"# Run: {data['solver']}",
        f"Ended {data['created_at']}, agent-bench {data['harness_version']}. Resolved {solved} of {len(tasks)}.",
        "| Task | Language | Resolved | Fail-to-pass | Pass-to-pass | Seconds | Notes |\n|---|---|---|---|---|---|---|",
    ]
    rows = [
        (
            *(task["task_id"], task["language"] or "", _WORDS[task["resolved"]]),
            *(f"{task['f2p_passed']}/{task['f2p_total']}", f"{task['p2p_passed']}/{task['p2p_total']}"),
            *(f"{task['duration_s']:.1f}", task["note"]),
        )
        for task in tasks
    ]
    table = "\n".join(f"| {' | '.join(map(markdown_cell, row))} |" for row in rows)
    return "\n\n".join(lines) + f"\n{table}\n"
