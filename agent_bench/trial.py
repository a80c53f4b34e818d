"""One trial: workspace -> agent -> stop -> collect -> rebuild -> grade -> record."""

import secrets
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import anyio
from anyio.to_thread import run_sync

from agent_bench import evidence, workspace
from agent_bench.agents.interface import Agent, Assignment, Evidence, Host, Reading
from agent_bench.costs.pricing import PriceTable
from agent_bench.environment import base_environment, network_environment
from agent_bench.errors import AgentBenchError, UsageError
from agent_bench.graders.interface import Grading, JudgeSettings
from agent_bench.grading import grade
from agent_bench.history.files import new_trial_folder
from agent_bench.model import (
    Finished,
    Invocation,
    Outcome,
    ProcessLimits,
    Produced,
    Score,
    Signal,
    Task,
    Trial,
    TrialRecord,
    Usage,
)
from agent_bench.outcome import decide
from agent_bench.process import Launcher
from agent_bench.rebuilding import rebuild, starting_layers
from agent_bench.sandboxes.interface import Network, Room, Sandbox
from agent_bench.toolchains.interface import Kit, Provision, ToolchainError
from agent_bench.toolchains.table import find_toolchain

MAX_MESSAGE_CHARS = 4_000
_SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"


@dataclass(frozen=True)
class Bench:
    """Everything that the trials of a run share."""

    launcher: Launcher
    sandbox: Sandbox
    network: Network
    """What agents can reach; graders never reach anything."""
    runs: Path
    cache: Path
    prices: PriceTable
    judge: JudgeSettings
    host: Host
    grade_repeats: int = 1
    """How often each output is graded; disagreement is marked as flaky."""


@dataclass(frozen=True)
class Place:
    """The folders of one try."""

    folder: Path
    """Kept: output, traces, logs, trial.json."""
    stage: Path
    """Thrown away: HOME, the rebuilt tree, and the workspace where the sandbox does not hide the host."""
    workspace: Path

    @property
    def output(self) -> Path:
        """The workspace as the agent left it."""
        return self.folder / "output"

    @property
    def logs(self) -> Path:
        """Logs of the agent and the graders."""
        return self.folder / "logs"

    @property
    def home(self) -> Path:
        """The throw-away HOME."""
        return self.stage / "home"


@dataclass(frozen=True)
class Left:
    """What a try came to before grading."""

    outcome: Outcome
    reason: str
    finished: Finished | None = None
    reading: Reading = Reading()


async def run_trial(trial: Trial, task: Task, agent: Agent, bench: Bench, phase: Callable[[str], None]) -> TrialRecord:
    """Runs a trial once and returns what came of it; never raises for anything the agent does.

    ``phase`` is told the name of each step. If cancelled, every process is ended, the trial's record says
    ``interrupted``, and the record is returned all the same: the caller finds out from its own scope.
    """
    started = datetime.now(UTC)
    key = trial.key
    folder = await run_sync(new_trial_folder, bench.runs, key.agent, key.task, key.attempt, started)
    draft = _Draft(trial, task, started, folder, bench)
    with _stage(folder, bench.sandbox) as place:
        try:
            phase("preparing")
            stray = None if bench.sandbox.hides_host else workspace.instructions_above(place.workspace)
            if stray:
                return draft.record(Left(Outcome.SETUP_FAILED, f"agents would read {stray}: move it, or set TMPDIR"))
            await run_sync(_prepare, place, task)
            provision = await _provide(task, bench, place)
            phase("agent")
            left = await _drive(trial, task, agent, bench, place, provision)
            if not left.outcome.is_counted:
                return draft.record(left)
            phase("grading")
            return await _grade(draft, left, task, bench, place)
        except anyio.get_cancelled_exc_class():
            return draft.record(Left(Outcome.INTERRUPTED, "interrupted"))
        except ToolchainError as error:
            return draft.record(Left(Outcome.SETUP_FAILED, str(error)))
        except OSError as error:
            return draft.record(Left(Outcome.SANDBOX_FAILED, f"{type(error).__name__}: {error}"))
        finally:
            with anyio.CancelScope(shield=True):
                await run_sync(workspace.remove, place.stage)


@contextmanager
def _stage(folder: Path, sandbox: Sandbox) -> Iterator[Place]:
    """The folders of a try. Where the sandbox shows the host, the agent works under a clean parent."""
    stage = Path(tempfile.mkdtemp(prefix="agent-bench-")).resolve()
    hidden = sandbox.hides_host
    yield Place(folder, stage, folder / "output" if hidden else stage / "workspace")


def _prepare(place: Place, task: Task) -> None:
    workspace.fill(place.workspace, starting_layers(task))
    place.home.mkdir()
    # Exactly: no newline translation, whatever the platform.
    (place.home / "prompt.txt").write_bytes(task.instruction.encode("utf-8"))


async def _provide(task: Task, bench: Bench, place: Place) -> Provision:
    """What the task's language needs, made ready if it is not: the agent may use it too. Raises ``ToolchainError``."""
    if task.toolchain is None:
        return Provision()
    scratch = place.stage / "toolchain"
    scratch.mkdir()
    host = bench.host.environ
    kit = Kit(bench.launcher, bench.sandbox, bench.cache, host, scratch, place.logs)
    return await find_toolchain(task.toolchain).prepare(task, kit)


async def _drive(trial: Trial, task: Task, agent: Agent, bench: Bench, place: Place, provision: Provision) -> Left:
    """Runs the agent and collects what it left; afterwards none of its processes is alive."""
    room = Room(workspace=place.workspace, home=place.home, network=bench.network, beside=provision.beside)
    try:
        invocation = _invocation(trial, task, agent, bench, place, provision)
    except UsageError as error:
        # It cannot be asked this at all (a prompt too long for its command line): no further try will help.
        return Left(Outcome.UNSUPPORTED, error.message)
    except AgentBenchError as error:
        return Left(Outcome.SETUP_FAILED, error.message)
    hidden = evidence.secrets_of(invocation.env)
    try:
        finished = await bench.launcher.run(bench.sandbox.enter(invocation, room), place.logs / "agent")
    finally:
        with anyio.CancelScope(shield=True):
            await run_sync(_collect, place, hidden)
    reading = await run_sync(_read, trial, agent, finished, place, hidden)
    outcome, reason = decide(finished, reading)
    return Left(outcome, reason, finished, reading)


def _invocation(trial: Trial, task: Task, agent: Agent, bench: Bench, place: Place, provision: Provision) -> Invocation:
    room = Room(workspace=place.workspace, home=place.home, network=bench.network)
    inside = bench.sandbox.inside(room)
    visible = {name: bench.host.environ[name] for name in (*agent.env, *trial.agent.env) if name in bench.host.environ}
    python = Path(sys.base_prefix)
    path = _SYSTEM_PATH if bench.sandbox.hides_host else bench.host.environ.get("PATH", _SYSTEM_PATH)
    environ = {
        **base_environment(bench.host.environ),
        **(network_environment(bench.host.environ) if bench.network is Network.OPEN else {}),
        **provision.env,
        "PATH": ":".join(map(str, (*provision.path, path, python / "bin"))),
        "HOME": str(inside.home),
        "TMPDIR": str(inside.tmp),
        "AGENT_BENCH_TRIAL": place.folder.name,
        **visible,
    }
    assignment = Assignment(
        prompt=task.instruction,
        prompt_file=place.home / "prompt.txt",
        prompt_file_inside=inside.home / "prompt.txt",
        workspace=inside.workspace,
        home=inside.home,
        solution=task.solution,
        environ=environ,
        timeout_sec=trial.limits.agent_sec,
    )
    invocation = agent.invocation(trial.agent, assignment, bench.host)
    limits = trial.limits
    update = {
        "readable": (*invocation.readable, *provision.readable, python),
        "limits": ProcessLimits(
            wall_sec=limits.agent_sec,
            startup_sec=limits.startup_sec,
            idle_sec=limits.idle_sec,
            output_bytes=limits.output_bytes,
        ),
    }
    return invocation.model_copy(update=update)


def _collect(place: Place, secrets_: tuple[bytes, ...]) -> None:
    """Brings what the agent left to its final place, readable by us."""
    workspace.open_up(place.workspace)
    workspace.open_up(place.home)
    if place.workspace != place.output:
        workspace.move(place.workspace, place.output)
    for stream in ("stdout", "stderr"):
        evidence.mask_file(place.logs / f"agent.{stream}.log", secrets_)


def _read(trial: Trial, agent: Agent, finished: Finished, place: Place, secrets_: tuple[bytes, ...]) -> Reading:
    found = Evidence(
        stdout=finished.stdout.read_bytes() if finished.stdout.exists() else b"",
        stderr=finished.stderr.read_bytes() if finished.stderr.exists() else b"",
        files=evidence.collect(place.home, agent.keeps(trial.agent), place.folder / "traces", secrets_),
    )
    return agent.read(trial.agent, finished, found)


async def _grade(draft: "_Draft", left: Left, task: Task, bench: Bench, place: Place) -> TrialRecord:
    """Grades a rebuilt copy of what the agent left, as often as asked."""
    began = time.monotonic()
    try:
        rebuilt = await run_sync(rebuild, task, place.output, place.stage, place.logs / "changes.diff")
        gradings = [
            _grading(task, rebuilt.tree, rebuilt.produced, bench, place, number)
            for number in range(1, bench.grade_repeats + 1)
        ]
        signals, score = await grade(gradings[0])
        repeats = [(await grade(again))[1] for again in gradings[1:]]
        produced = rebuilt.produced.model_copy(update={"is_empty": gradings[0].unchanged})
    except Exception as error:
        failed = Left(Outcome.GRADING_FAILED, f"{type(error).__name__}: {error}", left.finished, left.reading)
        return draft.record(failed)
    record = draft.record(left, produced, signals, score, time.monotonic() - began)
    return record.model_copy(update={"repeats": tuple(repeats)})


def _grading(task: Task, tree: Path, produced: Produced, bench: Bench, place: Place, number: int) -> Grading:
    """The means of one grading, in places of its own."""
    logs = place.logs if number == 1 else place.logs / f"grading-{number}"
    scratch = place.stage / f"grading-{number}"
    for folder in (logs, scratch):
        folder.mkdir(exist_ok=True)
    return Grading(
        task,
        tree,
        produced,
        launcher=bench.launcher,
        sandbox=bench.sandbox,
        scratch=scratch,
        logs=logs,
        cache=bench.cache,
        judge=bench.judge,
        prices=bench.prices,
        environ=bench.host.environ,
    )


@dataclass(frozen=True)
class _Draft:
    """What is known of a record from the start."""

    trial: Trial
    task: Task
    started: datetime
    folder: Path
    bench: Bench

    def record(
        self,
        left: Left,
        produced: Produced = Produced(),  # noqa: B008 - frozen
        signals: tuple[Signal, ...] = (),
        score: Score | None = None,
        grading_sec: float = 0.0,
    ) -> TrialRecord:
        """The finished record."""
        finished, reading = left.finished, left.reading
        model = reading.model or self.trial.key.model
        cost, note = _price(reading, model, self.bench.prices)
        judge = next((signal for signal in signals if signal.usage is not None), None)
        return TrialRecord(
            id=secrets.token_hex(4),
            key=self.trial.key,
            task_digest=self.trial.task_digest,
            task_format=self.task.format,
            task_language=self.task.language,
            agent_version=self.trial.agent.version,
            settings_digest=self.trial.settings_digest,
            outcome=left.outcome,
            reason=left.reason,
            started_at=self.started,
            ended_at=datetime.now(UTC),
            wall_sec=finished.seconds if finished else 0.0,
            grading_sec=grading_sec,
            exit_code=finished.exit_code if finished else None,
            limit=finished.limit if finished else None,
            signals=signals,
            score=score or Score(reason=left.reason or "not graded"),
            produced=produced,
            model=model,
            usage=reading.usage,
            cost_usd=cost,
            cost_note=note,
            judge_usage=judge.usage if judge else None,
            judge_cost_usd=judge.cost_usd if judge else None,
            final_message=workspace.shown(reading.final_message[:MAX_MESSAGE_CHARS]),
            sandbox=f"{self.bench.sandbox.name}/{self.bench.network}",
            leftovers=finished.leftovers if finished else 0,
            survivors=finished.survivors if finished else 0,
            workdir=str(self.folder),
        )


def _price(reading: Reading, model: str | None, prices: PriceTable) -> tuple[float | None, str]:
    """What the agent's tokens cost, by our prices; by its own reckoning only where ours cannot tell."""
    if reading.usage == Usage():
        return reading.cost_usd, reading.note
    if reading.usage.total_tokens == 0:
        return 0.0, reading.note
    cost = prices.cost(model, reading.usage)
    if cost.usd is None and reading.cost_usd is not None:
        return reading.cost_usd, "as the agent reckoned it"
    return cost.usd, "; ".join(filter(None, (reading.note, cost.note)))
