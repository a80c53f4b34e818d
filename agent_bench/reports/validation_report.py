"""What validation came to, as JSON and as Markdown."""

import json
from collections.abc import Sequence

from agent_bench.reports.untrusted import markdown_cell
from agent_bench.validation.findings import CHECKS, Validation


def mark(validation: Validation, check: str) -> str:
    """✓, ✗ or − (not made) for a check."""
    found = next((one for one in validation.checks if one.name == check), None)
    if found is None or found.skipped:
        return "−"
    return "✓" if found.passed else "✗"


def validation_json(validations: Sequence[Validation], not_run: dict[str, str]) -> str:
    """A list of tasks with their checks, keys sorted; tasks whose toolchain is missing say why."""
    rows = [{**one.model_dump(mode="json"), "valid": one.is_valid} for one in validations]
    rows += [{"task_id": task_id, "not_run": reason} for task_id, reason in not_run.items()]
    return json.dumps(rows, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def validation_markdown(validations: Sequence[Validation], not_run: dict[str, str]) -> str:
    """A table of all tasks, then each check of each task with its reason."""
    valid = sum(one.is_valid for one in validations)
    lines = ["# Validation", "", f"{valid} of {len(validations)} tasks are valid.", ""]
    lines += [f"| task | language | digest | {' | '.join(CHECKS)} |", f"|{'---|' * (3 + len(CHECKS))}"]
    for one in validations:
        cells = (one.task_id, one.language, one.digest[:12], *(mark(one, name) for name in CHECKS))
        lines.append(f"| {' | '.join(map(markdown_cell, cells))} |")
    for one in validations:
        versions = f" ({one.toolchain}, {one.sandbox})" if one.toolchain else ""
        lines += ["", f"## {one.task_id}: {'valid' if one.is_valid else 'NOT VALID'}{versions}", ""]
        lines += [f"- {_word(one, check.name)} {check.name}: {markdown_cell(check.detail)}" for check in one.checks]
    if not_run:
        lines += ["", "## Not run", "", *(f"- {task_id}: {markdown_cell(why)}" for task_id, why in not_run.items())]
    return "\n".join(lines) + "\n"


def _word(validation: Validation, check: str) -> str:
    return {"✓": "PASS", "✗": "FAIL", "−": "SKIP"}[mark(validation, check)]
