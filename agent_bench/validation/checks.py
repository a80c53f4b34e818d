"""The checks of a task that look at its files, and at what became of its tests on the base and on the solution."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from agent_bench import workspace
from agent_bench.graders.withheld_run import Observed
from agent_bench.model import Task
from agent_bench.validation.findings import CheckResult, failed, passed
from agent_bench.validation.lint import lint_spec
from agent_bench.workspace import shown

_MOST_NAMES = 5
_FAILED = ("failed", "error")


def spec_lint(task: Task) -> CheckResult:
    """No error in the specification; warnings are counted."""
    options = task.checks[0].options
    findings = lint_spec(
        task.instruction or None,
        fail_to_pass=options["fail_to_pass"],
        entrypoints=options["entrypoint_files"],
        disabled=options["lint"],
    )
    counted = [finding for finding in findings if not finding.disabled]
    errors = [finding for finding in counted if finding.severity == "error"]
    if errors:
        return failed("spec-lint", "; ".join(f"{finding.rule}: {finding.message}" for finding in errors[:_MOST_NAMES]))
    return passed("spec-lint", f"no errors, {len(counted)} warnings")


def solution_differs(task: Task, is_protected: Callable[[str], bool]) -> CheckResult:
    """The solution changes files, and none whose changes are undone before grading."""
    name, solution, base = "solution-differs", task.solution or Path(), task.workspace or Path()
    files = workspace.scan(solution).files
    changed = [path for path in files if not _is_same(solution / path, base / path)]
    if not changed:
        return failed(name, "the solution is the same as the workspace")
    lost = [path for path in changed if is_protected(path)]
    if lost:
        return failed(name, f"protected, so that the change does not count: {_some(lost)}")
    return passed(name, f"changes {_some(changed)}")


def _is_same(first: Path, second: Path) -> bool:
    return second.is_file() and first.read_bytes() == second.read_bytes()


def tests_declared(runs: Mapping[str, Observed]) -> CheckResult:
    """Every declared test was collected once, on the base and on the solution."""
    name, problems = "tests-declared", []
    for where, seen in runs.items():
        if cause := _why_unseen(seen):
            problems.append(f"on the {where}: {cause}")
            continue
        if seen.matched.missing:
            problems.append(f"on the {where}: not collected: {_some(seen.matched.missing)}")
        if seen.matched.duplicates:
            problems.append(f"on the {where}: several tests have the name: {_some(seen.matched.duplicates)}")
    if problems:
        return failed(name, "; ".join(problems))
    count = len(next(iter(runs.values())).matched.outcomes)
    return passed(name, f"{count} tests, each collected once")


def _why_unseen(seen: Observed) -> str:
    """Why the results of a run cannot be used; "" if they can."""
    return seen.unreadable or "; ".join(seen.tampered) or seen.problem


def base_fail_to_pass(tests: Sequence[str], base: Observed) -> CheckResult:
    """Each really fails: a test that is missing or skipped does not."""
    name = "base-fail-to-pass-fails"
    wrong = {test: base.matched.outcomes.get(test, "missing") for test in tests}
    wrong = {test: outcome for test, outcome in wrong.items() if outcome not in _FAILED}
    if wrong or _why_unseen(base):
        return failed(name, _why_unseen(base) or f"before the fix: {_some(_pairs(wrong))}")
    return passed(name, f"{len(tests)} of {len(tests)} fail before the fix")


def base_pass_to_pass(tests: Sequence[str], base: Observed) -> CheckResult:
    """Each passes before the fix."""
    name = "base-pass-to-pass-passes"
    wrong = _not_passed(tests, base)
    if wrong or _why_unseen(base):
        return failed(name, _why_unseen(base) or f"before the fix: {_some(_pairs(wrong))}")
    return passed(name, f"{len(tests)} of {len(tests)} pass before the fix")


def solution_resolves(fail_to_pass: Sequence[str], pass_to_pass: Sequence[str], solution: Observed) -> CheckResult:
    """Every declared test passes on the solution."""
    name = "solution-resolves"
    if cause := _why_unseen(solution):
        return failed(name, cause)
    unfixed, broken = _not_passed(fail_to_pass, solution), _not_passed(pass_to_pass, solution)
    parts = [f"still not passing: {_some(_pairs(unfixed))}"] if unfixed else []
    parts += [f"regressed: {_some(_pairs(broken))}"] if broken else []
    if parts:
        return failed(name, "; ".join(parts))
    return passed(name, f"all {len(fail_to_pass) + len(pass_to_pass)} tests pass")


def deterministic(first: Mapping[str, Observed], again: Iterable[tuple[str, str, Observed]], alone: int) -> CheckResult:
    """Further runs agree with the first: (where, how, what was seen); ``alone`` tests were run by themselves."""
    differing = []
    count = 0
    for where, how, seen in again:
        count += 1
        if cause := seen.unreadable or seen.problem:
            differing.append(f"{where} {how}: {cause}")
        for test, outcome in seen.matched.outcomes.items():
            before = first[where].matched.outcomes.get(test)
            if (outcome == "passed") != (before == "passed"):
                differing.append(f"{shown(test)} on the {where}: {before}, {how}: {outcome}")
    if differing:
        return failed("deterministic", _some(differing))
    words = f"; {alone} tests alone" if alone else ""
    return passed("deterministic", f"the same in {count - alone + len(first)} runs, in random order{words}")


def _not_passed(tests: Sequence[str], seen: Observed) -> dict[str, str]:
    outcomes = {test: seen.matched.outcomes.get(test, "missing") for test in tests}
    return {test: outcome for test, outcome in outcomes.items() if outcome != "passed"}


def _pairs(outcomes: Mapping[str, str]) -> list[str]:
    return [f"{shown(test)} {outcome}" for test, outcome in outcomes.items()]


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(map(shown, names[:_MOST_NAMES])) + more
