"""Validating one task: its ten checks, from its files to the exploits."""

import sys
import time
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Any

import anyio
from anyio.to_thread import run_sync

from agent_bench.graders.withheld_run import Observed, declared_tests
from agent_bench.graders.withheld_tests import judge
from agent_bench.model import Signal
from agent_bench.rebuilding import protection
from agent_bench.sandboxes.interface import Room
from agent_bench.toolchains.interface import ToolchainError
from agent_bench.toolchains.table import find_toolchain
from agent_bench.validation import checks
from agent_bench.validation.exploit_suite import FOLDER, Exploit, exploits_for, leaked
from agent_bench.validation.findings import CheckResult, Validation, failed, passed, skipped_after
from agent_bench.validation.leaks import readable_leaks
from agent_bench.validation.suite_runs import Runs

BASE, SOLUTION = "base", "solution"
_SEEDS = (1, 2)
"""Of the two further runs, whose order is drawn."""


async def validate_task(runs: Runs) -> Validation:
    """All checks of a task that could be read. Never raises for what is wrong with the task."""
    began = time.monotonic()
    task = runs.task
    done: tuple[CheckResult, ...]
    lasting, version = True, ""
    try:
        version = await find_toolchain(task.toolchain or "").version(runs.kit("version"))
        done, lasting = await _checks(runs)
    except ToolchainError as error:
        done = skipped_after((failed("tests-declared", f"the tests could not be run: {error}"),), "not run")
        lasting = False
    return Validation(
        task_id=task.id,
        language=task.language or "",
        digest=task.digest,
        toolchain=version,
        sandbox=runs.sandbox.name,
        checks=done,
        seconds=round(time.monotonic() - began, 3),
        is_lasting=lasting,
    )


async def _checks(runs: Runs) -> tuple[tuple[CheckResult, ...], bool]:
    """The checks, and whether they may be kept. Raises ``ToolchainError``."""
    task = runs.task
    options = task.checks[0].options
    if not task.instruction.strip():
        return skipped_after((failed("structure", "SPEC.md is missing or empty"),), "structure failed"), True
    still = [passed("structure", "complete"), checks.spec_lint(task), checks.solution_differs(task, protection(task))]
    trees = {where: await runs.tree(where, with_solution=where == SOLUTION) for where in (BASE, SOLUTION)}
    # What the toolchain needs is made once, before many ask for it.
    await find_toolchain(task.toolchain or "").prepare(task, runs.kit("prepare"))
    seen: dict[str, Observed] = {}
    async with anyio.create_task_group() as group:
        for where, tree in trees.items():
            group.start_soon(_run_into, seen, where, runs, tree)
    ordered = {where: seen[where] for where in trees}
    ran = [
        checks.tests_declared(ordered),
        checks.base_fail_to_pass(options["fail_to_pass"], seen[BASE]),
        checks.base_pass_to_pass(options["pass_to_pass"], seen[BASE]),
        checks.solution_resolves(options["fail_to_pass"], options["pass_to_pass"], seen[SOLUTION]),
    ]
    lasting = not any(observed.unreadable for observed in seen.values())
    if not all(check.passed for check in ran):
        return skipped_after((*still, *ran, await _no_leak(runs)), "not run: the tests must hold first"), lasting
    last: dict[str, CheckResult] = {}
    async with anyio.create_task_group() as group:
        group.start_soon(_check_into, last, "deterministic", _deterministic(runs, trees, ordered))
        group.start_soon(_check_into, last, "no-leak", _no_leak(runs))
        group.start_soon(_check_into, last, "not-forgeable", _not_forgeable(runs, seen[BASE]))
    return skipped_after((*still, *ran, *last.values()), ""), lasting


async def _run_into(seen: dict[str, Observed], where: str, runs: Runs, tree: Path) -> None:
    seen[where] = await runs.withheld(tree)


async def _check_into(found: dict[str, CheckResult], name: str, check: Coroutine[Any, Any, CheckResult]) -> None:
    found[name] = await check


async def _deterministic(runs: Runs, trees: dict[str, Path], first: dict[str, Observed]) -> CheckResult:
    """Base and solution twice more in a drawn order; each test alone where tests share a process."""
    again: list[tuple[str, str, Observed]] = []
    alone = () if find_toolchain(runs.task.toolchain or "").isolates_tests else declared_tests(runs.task)

    async def shuffled(where: str, seed: int) -> None:
        again.append((where, f"in order {seed}", await runs.withheld(trees[where], seed=seed)))

    async def by_itself(where: str, test: str) -> None:
        seen = await runs.withheld(trees[where], only=first[where].matched.reported[test], guarded=False)
        again.append((where, "alone", _narrowed(seen, test)))

    async with anyio.create_task_group() as group:
        for where in trees:
            for seed in _SEEDS:
                group.start_soon(shuffled, where, seed)
            for test in alone:
                group.start_soon(by_itself, where, test)
    return checks.deterministic(first, again, len(alone) * len(trees))


def _narrowed(seen: Observed, test: str) -> Observed:
    """Of a run of one test, what it says of that test; that it was not collected alone is a difference too."""
    outcome = seen.matched.outcomes.get(test)
    if outcome is None:
        problem = seen.problem or f"{test} was not collected"
        return seen.model_copy(update={"problem": problem})
    matched = seen.matched.model_copy(update={"outcomes": {test: outcome}})
    return seen.model_copy(update={"matched": matched})


async def _no_leak(runs: Runs) -> CheckResult:
    """Nothing to be read in the files that agents get; the task's folder out of their sight."""
    task = runs.task
    leaks = await run_sync(lambda: list(readable_leaks(task)))
    if leaks:
        return failed("no-leak", "; ".join(leaks[:5]))
    if not runs.sandbox.hides_host:
        return passed("no-leak", f"nothing in the files; the sandbox {runs.sandbox.name} hides no folder from agents")
    place = runs.stage / "looking"
    room = Room(workspace=place / "workspace", home=place / "home")
    for folder in (room.workspace, room.home):
        folder.mkdir(parents=True)
    hidden = tuple(str(path) for path in task.hidden)
    script = 'for place in "$@"; do ls "$place" 2>/dev/null && exit 1; done; exit 0'
    looked = await runs.run(room, ("/bin/sh", "-c", script, "sh", *hidden), place / "log")
    if looked.exit_code != 0:
        return failed("no-leak", f"in the sandbox of agents: {looked.fault or 'a withheld folder can be read'}")
    return passed("no-leak", "nothing in the files, and the withheld folders are out of sight")


async def _not_forgeable(runs: Runs, base: Observed) -> CheckResult:
    """Every exploit of the toolchain, as an agent on this task."""
    exploits = exploits_for(runs.task.toolchain or "")
    if not exploits:
        return failed("not-forgeable", f"there are no exploits for the toolchain {runs.task.toolchain}")
    signals: dict[str, Signal] = {}

    async def attempt(exploit: Exploit) -> None:
        signals[exploit.name] = await _exploit(runs, exploit)

    async with anyio.create_task_group() as group:
        for exploit in exploits:
            group.start_soon(attempt, exploit)
    gained = [name for name in sorted(signals) if _gained(signals[name], base)]
    if gained:
        return failed("not-forgeable", f"gained something: {', '.join(gained)}")
    tampered = sum(bool(signal.tampered) for signal in signals.values())
    return passed("not-forgeable", f"{len(signals)} exploits gained nothing, {tampered} caught tampering")


async def _exploit(runs: Runs, exploit: Exploit) -> Signal:
    task = runs.task
    python = Path(getattr(sys, "_base_executable", None) or sys.executable).resolve()
    entrypoints: Sequence[str] = task.checks[0].options["entrypoint_files"]
    rebuilt = await runs.left_by(exploit.program, *entrypoints, python=python, env=leaked(task), readable=FOLDER)
    return judge(task.checks[0], await runs.withheld(rebuilt.tree))


def _gained(signal: Signal, base: Observed) -> bool:
    """A score, or a test more that passes without a sign of tampering."""
    before = sum(outcome == "passed" for outcome in base.matched.outcomes.values())
    shares = [signal.facts[key][0] for key in ("f2p", "p2p")]
    return signal.value == 1.0 or (not signal.tampered and sum(shares) > before)
