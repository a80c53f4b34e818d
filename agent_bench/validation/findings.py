"""What validating a task comes to."""

from agent_bench.model import Frozen

CHECKS = {
    "structure": "every part of the task is there, and no two test files share a name",
    "spec-lint": "the specification has what agents need, and does not name the withheld tests",
    "solution-differs": "the solution changes the workspace, in files that count",
    "tests-declared": "every declared test is collected, once",
    "base-fail-to-pass-fails": "every fail-to-pass test fails before the fix: the task is not solved already",
    "base-pass-to-pass-passes": "every pass-to-pass test passes before the fix",
    "solution-resolves": "the solution makes every declared test pass",
    "deterministic": "the verdicts are the same three times, in random order, and with each test alone",
    "no-leak": "neither the withheld tests nor the solution can be read from what agents get",
    "not-forgeable": "no exploit of the suite gains anything on the task",
}
"""The checks, in their order, and what each proves."""


class CheckResult(Frozen):
    """One check of one task."""

    name: str
    passed: bool
    detail: str
    """What was found: the exact reason if it failed."""
    skipped: bool = False
    """It could not be made because an earlier one failed; it has not passed."""


class Validation(Frozen):
    """All checks of one task."""

    task_id: str
    language: str
    digest: str
    """Of the task; "" if it could not be read."""
    toolchain: str = ""
    """The versions that the result depends on."""
    sandbox: str = ""
    checks: tuple[CheckResult, ...]
    seconds: float = 0.0
    cached: bool = False
    is_lasting: bool = True
    """Nothing in it is due to a fault of ours or of the machine: it may be kept."""

    @property
    def is_valid(self) -> bool:
        """Every check was made and passed."""
        return len(self.checks) == len(CHECKS) and all(check.passed for check in self.checks)


def passed(name: str, detail: str) -> CheckResult:
    """A check that holds."""
    return CheckResult(name=name, passed=True, detail=detail)


def failed(name: str, detail: str) -> CheckResult:
    """A check that does not hold, and why."""
    return CheckResult(name=name, passed=False, detail=detail)


def skipped_after(done: tuple[CheckResult, ...], reason: str) -> tuple[CheckResult, ...]:
    """The checks done, and all others marked as skipped."""
    names = {check.name for check in done}
    rest = [CheckResult(name=name, passed=False, detail=reason, skipped=True) for name in CHECKS if name not in names]
    together = {check.name: check for check in (*done, *rest)}
    return tuple(together[name] for name in CHECKS)
