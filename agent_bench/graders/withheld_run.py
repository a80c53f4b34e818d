"""Runs a task's withheld tests on a tree, and says what can be believed of the result.

What is believed: every declared test was collected once; of the two canaries the one passed and the other failed;
the runner ended as a runner does that saw a failure; its report holds as many tests as it says, and agrees with what
the runner told while tests ran. Everything else is a problem (nothing forged is needed to explain it) or tampering.
"""

import random
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from anyio.to_thread import run_sync

from agent_bench import workspace
from agent_bench.evidence import read_regular
from agent_bench.model import Frozen, Task
from agent_bench.readers.identity import Matched, match, names_of
from agent_bench.readers.junit import MAX_BYTES, CaseOutcome, Report, ReportError, TestCase, read_junit
from agent_bench.toolchains.interface import Canaries, Kit, Suite, SuiteRun, Toolchain
from agent_bench.toolchains.table import find_toolchain
from agent_bench.workspace import shown

_MAX_REPORTS = 500
_NO_MATCH = Matched(outcomes={}, messages={}, reported={}, missing=(), duplicates=(), others=())


class Observed(Frozen):
    """What became of the withheld tests."""

    matched: Matched = _NO_MATCH
    """The declared tests in the report."""
    problem: str = ""
    """Why the results do not count although nothing is wrong with the harness: not built, crashed, stopped."""
    tampered: tuple[str, ...] = ()
    """Signs of forging."""
    unreadable: str = ""
    """Why nothing at all can be said: the report is malformed, or a fault of ours."""
    seconds: float = 0.0
    """Of the runner."""


def declared_tests(task: Task) -> tuple[str, ...]:
    """All declared tests of a verified task."""
    options = task.checks[0].options
    return (*options["fail_to_pass"], *options["pass_to_pass"])


async def run_withheld(
    task: Task,
    tree: Path,
    kit: Kit,
    name: str,
    *,
    draw: random.Random,
    seed: int = 0,
    only: str | None = None,
    guarded: bool = True,
) -> Observed:
    """Lays the withheld tests and canaries into a fresh copy of the tree and runs them. Raises ``ToolchainError``.

    ``seed`` draws the order of the tests, ``only`` runs one alone. ``guarded=False`` leaves the canaries out and
    believes the report as it stands: for ``only``, and to show what a naive harness would believe.
    """
    toolchain = find_toolchain(task.toolchain or "")
    provision = await toolchain.prepare(task, kit)
    room = await kit.room(name, tree, provision)
    layers = {**task.visible, **task.withheld}
    files = await run_sync(workspace.lay_over, room.host_tree, {k: v for k, v in layers.items() if v.is_dir()})
    canaries = await run_sync(_write_canaries, toolchain, task, room.host_tree, draw) if guarded else None
    paths = [path for path in (*files, *(canaries.files if canaries else ())) if toolchain.is_test_file(path)]
    seconds = float(task.checks[0].options["timeout_sec"])
    suite = Suite(task=task, files=tuple(sorted(paths)), seconds=seconds, seed=seed, only=only)
    run = await toolchain.run_suite(suite, room, provision)
    observed = await run_sync(_observe, run, declared_tests(task), canaries, toolchain.failed_code)
    return observed.model_copy(update={"seconds": run.finished.seconds})


def _write_canaries(toolchain: Toolchain, task: Task, tree: Path, draw: random.Random) -> Canaries:
    texts = {
        path: source.read_text(encoding="utf-8", errors="replace")
        for path, source in workspace.files_of(task.withheld).items()
        if toolchain.is_test_file(path)
    }
    canaries = toolchain.canaries(draw, texts)
    for path, text in canaries.files.items():
        target = tree / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    return canaries


def _observe(run: SuiteRun, declared: Sequence[str], canaries: Canaries | None, failed_code: int) -> Observed:
    if run.finished.fault:
        return Observed(unreadable=run.finished.fault)
    if run.stopped_by:
        return Observed(problem=f"the tests were stopped: {run.stopped_by}", tampered=run.tampered)
    code = run.finished.exit_code
    try:
        reports = [read_junit(content) for content in _contents(run.reports)]
    except ReportError as error:
        # A runner that came to its end wrote a whole report: who spoiled it would rather be graded not at all.
        spoiled = ("the report was spoiled after the tests had run",) if code == failed_code else ()
        return Observed(unreadable=shown(str(error)), tampered=(*run.tampered, *spoiled))
    if not reports:
        return Observed(problem=f"no report (exit code {code}): {run.last_words}", tampered=run.tampered)
    cases = [case for report in reports for case in report.cases]
    matched = match(declared, cases)
    if canaries is None:
        return Observed(matched=matched)
    signs = (*run.tampered, *_signs(reports, cases, run, canaries))
    problem = "" if signs else _problem(cases, code, canaries, failed_code, run.last_words)
    return Observed(matched=matched, problem=problem, tampered=signs)


def _contents(reports: Iterable[Path]) -> list[bytes]:
    found = [read_regular(path, MAX_BYTES + 1) for path in sorted(reports)[:_MAX_REPORTS] if path.is_file()]
    return [content for content in found if content is not None]


def _signs(reports: Sequence[Report], cases: Sequence[TestCase], run: SuiteRun, canaries: Canaries) -> list[str]:
    """What no honest run looks like."""
    signs = []
    if _outcome(cases, canaries.failing) == "passed":
        signs.append("a test that must fail is reported as passed")
    if run.finished.exit_code == 0 and cases:
        signs.append("exit code 0, although a test that must fail was among them")
    for report in reports:
        bad = sum(case.outcome in ("failed", "error") for case in report.cases)
        if report.declared is not None and not 0 <= len(report.cases) - report.declared <= bad:
            signs.append(f"a report says {report.declared} tests and holds {len(report.cases)}")
    return signs + ([] if run.said is None else _contradictions(cases, run.said))


def _contradictions(cases: Sequence[TestCase], said: Mapping[str, str]) -> list[str]:
    """Tests that the report calls passed, and that the runner did not call so when they ended."""
    unsaid = [case for case in cases if case.outcome == "passed" and not _was_said(case, said)]
    if not unsaid:
        return []
    return [f"reported as passed, but not so when they ran: {', '.join(shown(case.name)[:80] for case in unsaid[:5])}"]


def _was_said(case: TestCase, said: Mapping[str, str]) -> bool:
    return any(said.get(name) == "passed" for name in names_of(case))


def _problem(cases: Sequence[TestCase], code: int | None, canaries: Canaries, failed_code: int, words: str) -> str:
    """What keeps the results from counting, though nobody need have forged anything; "" if nothing does."""
    if code != failed_code:
        return f"the runner ended with exit code {code}, not {failed_code}: {words}"
    if _outcome(cases, canaries.failing) is None:
        return f"not every test file could be run: {words}"
    if _outcome(cases, canaries.passing) != "passed":
        return f"a test that must pass did not: {words}"
    return ""


def _outcome(cases: Iterable[TestCase], name: str) -> CaseOutcome | None:
    """What became of a canary; its name is nobody else's. The best of several: a forger may add one."""
    found = {case.outcome for case in cases if name in names_of(case)}
    return next((outcome for outcome in ("passed", "skipped", "failed", "error") if outcome in found), None)
