"""The signal ``pytest``: which share of the tests passes."""

from agent_bench.evidence import read_regular
from agent_bench.graders.interface import Grading
from agent_bench.model import Check, Finished, Signal
from agent_bench.readers.junit import MAX_BYTES, ReportError, TestCase, read_junit
from agent_bench.toolchains.interface import TestRun
from agent_bench.toolchains.table import find_toolchain

SECONDS = 60.0
_NO_TESTS = 5
"""pytest's exit code when it collected no test."""


class TestsGrader:
    """Passed / collected, from JUnit XML.

    Errors and failed collections count as failures; skipped tests are collected and did not pass. No tests, nothing
    produced, or an environment that could not be made: not observed. Tests that do not end within the cap
    (``timeout_sec``, default 60 s), or whose runner crashes, are 0: that is the project's doing. So is a report that
    contradicts the runner's exit code. A report that cannot be read is not observed.
    """

    __test__ = False

    async def observe(self, check: Check, grading: Grading) -> Signal:
        """The signal."""
        if grading.unchanged:
            return Signal(name=check.name, reason="nothing was produced")
        seconds = float(check.options.get("timeout_sec", SECONDS))
        run = await find_toolchain("pytest").run_tests(check.name, seconds, grading)
        signal = _judge(check.name, run, seconds)
        reason = f"{signal.reason} ({run.note})" if run.note else signal.reason
        return signal.model_copy(update={"reason": reason})


def _judge(name: str, run: TestRun, seconds: float) -> Signal:
    finished = run.finished
    if finished is None:
        return Signal(name=name, reason=run.problem)
    if finished.fault:
        return Signal(name=name, reason=finished.fault)
    if finished.timed_out:
        return Signal(name=name, value=0.0, reason=f"the tests did not end within {seconds:g} s")
    content = read_regular(run.report, MAX_BYTES + 1) if run.report else None
    if content is None:
        reason = f"no report; exit code {finished.exit_code}: {run.last_words}"
        return Signal(name=name, value=0.0, reason=reason)
    try:
        cases = read_junit(content)
    except ReportError as error:
        return Signal(name=name, reason=str(error))
    if finished.exit_code == _NO_TESTS and not cases:
        return Signal(name=name, reason="no tests")
    return _count(name, cases, finished, run.last_words)


def _count(name: str, cases: list[TestCase], finished: Finished, last_words: str) -> Signal:
    passed = sum(case.outcome == "passed" for case in cases)
    bad = [case for case in cases if case.outcome in ("failed", "error")]
    facts = {
        "collected": len(cases),
        "passed": passed,
        "skipped": sum(case.outcome == "skipped" for case in cases),
        "failed": [f"{case.classname}::{case.name}"[:200] for case in bad[:20]],
        "exit_code": finished.exit_code,
    }
    # Exit code 0: all passed; 1: some failed. Everything else is an interruption or a wrong use.
    if finished.exit_code not in (0, 1):
        reason = f"the runner ended with exit code {finished.exit_code}: {last_words}"
        return Signal(name=name, value=0.0, reason=reason, facts=facts)
    if (finished.exit_code == 0) == bool(bad) or not cases:
        reason = f"exit code {finished.exit_code} and a report with {len(bad)} failures disagree"
        return Signal(name=name, value=0.0, reason=reason, facts={**facts, "tampered": True})
    reason = f"{passed} of {len(cases)} tests passed"
    return Signal(name=name, value=passed / len(cases), reason=reason, facts=facts)
