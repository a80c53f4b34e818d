"""The signal ``pytest``: which share of the tests passes."""

from anyio.to_thread import run_sync

from agent_bench.evidence import read_regular
from agent_bench.graders.interface import Grading
from agent_bench.model import Check, Signal
from agent_bench.readers.junit import MAX_BYTES, Report, ReportError, TestCase, read_junit
from agent_bench.toolchains.interface import ToolchainError
from agent_bench.toolchains.python_language import PythonLanguage, TestRun
from agent_bench.workspace import shown

SECONDS = 60.0
_PASSED, _FAILED, _NO_TESTS = 0, 1, 5
"""pytest's exit codes; all others are an interruption, a crash or a wrong use."""
_MAX_NAMES = 20


class TestsGrader:
    """Passed / collected, from the runner's JUnit report.

    Errors and failed collections count as failures. A skipped test, and an expected failure, is collected and did
    not pass. Not observed: nothing produced; no test collected; the environment could not be made; the report cannot
    be read as JUnit XML. What the project does to its own tests is 0.0: they do not end within the cap
    (``timeout_sec``, default 60 s), the runner crashes or leaves no report, or exit code, report and count disagree
    (``tampered`` in the facts).
    """

    __test__ = False

    async def observe(self, check: Check, grading: Grading) -> Signal:
        """The signal."""
        if grading.unchanged:
            return Signal(name=check.name, reason="nothing was produced")
        seconds = float(check.options.get("timeout_sec", SECONDS))
        try:
            run = await PythonLanguage().run_tests(check.name, seconds, grading)
        except ToolchainError as error:
            return Signal(name=check.name, reason=str(error))
        signal = await run_sync(_judge, check.name, run)
        reason = f"{signal.reason} ({run.note})" if run.note else signal.reason
        return signal.model_copy(update={"reason": reason})


def _judge(name: str, run: TestRun) -> Signal:
    code = run.finished.exit_code
    if run.finished.fault:
        return Signal(name=name, reason=run.finished.fault)
    if run.stopped_by:
        return Signal(name=name, value=0.0, reason=f"the tests were stopped: {run.stopped_by}")
    content = read_regular(run.report, MAX_BYTES + 1) if run.report.is_file() else None
    if content is None:
        return Signal(name=name, value=0.0, reason=f"no report (exit code {code}): {run.last_words}")
    try:
        report = read_junit(content)
    except ReportError as error:
        return Signal(name=name, reason=shown(str(error)))
    if code == _NO_TESTS and not report.cases:
        return Signal(name=name, reason="no tests")
    return _count(name, report, code, run.last_words)


def _count(name: str, report: Report, code: int | None, last_words: str) -> Signal:
    cases = report.cases
    passed = sum(case.outcome == "passed" for case in cases)
    bad = [case for case in cases if case.outcome in ("failed", "error")]
    facts = {
        "collected": len(cases),
        "passed": passed,
        "skipped": len(cases) - passed - len(bad),
        "failed": [_shown(case) for case in bad[:_MAX_NAMES]],
        "exit_code": code,
    }
    if code not in (_PASSED, _FAILED):
        reason = f"the runner ended with exit code {code}: {last_words}"
        return Signal(name=name, value=0.0, reason=reason, facts=facts)
    contradiction = _contradiction(report, code, len(bad))
    if contradiction:
        return Signal(name=name, value=0.0, reason=contradiction, facts={**facts, "tampered": True})
    reason = f"{passed} of {len(cases)} tests passed"
    return Signal(name=name, value=passed / len(cases), reason=reason, facts=facts)


def _contradiction(report: Report, code: int, bad: int) -> str:
    """What in a report cannot be, in words."""
    if not report.cases:
        return f"exit code {code}, but no test in the report"
    if (code == _PASSED) == bool(bad):
        return f"exit code {code}, but {bad} failures in the report"
    # A test that fails and whose teardown fails too has two entries, and counts once.
    if report.declared is not None and not 0 <= len(report.cases) - report.declared <= bad:
        return f"the report says {report.declared} tests, and holds {len(report.cases)}"
    return ""


def _shown(case: TestCase) -> str:
    return shown(f"{case.classname}::{case.name}"[:200])
