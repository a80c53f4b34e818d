"""The only module that starts a process.

Commands that are not trusted (agents, their code under test) run through a ``Launcher``: their output goes to
files that cannot grow without bound, their limits are held to the moment, and when ``run`` returns, or is
cancelled, or this program dies, **no process of theirs is alive**, whatever they did to stay. A child program
(``supervision.supervisor``) does this: it alone is the parent of all, and outlives us if need be.
"""

import asyncio
import itertools
import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import IO, Any, NamedTuple, Self

import anyio

from agent_bench.model import Finished, Invocation, LimitFired
from agent_bench.supervision.processes import kill_marked

MARKER = "AGENT_BENCH_TRIAL"
"""Environment variable that each command is given, with a value of its own: by it escapees are found."""

_PROGRAM = "import sys; sys.path.append(sys.argv[1]); from agent_bench.supervision.supervisor import main; main()"
_KILL_SEC = 5.0
"""How long killed processes may take to vanish."""
_SLACK_SEC = 20.0
"""After its wall time and grace a command without a report for so long shows that the supervisor hangs."""


@asynccontextmanager
async def open_launcher() -> AsyncIterator["Launcher"]:
    """A launcher for the time of the ``with`` block; whatever still runs at its end is killed."""
    launcher = Launcher()
    try:
        await launcher.warm_up()
        yield launcher
    finally:
        with anyio.CancelScope(shield=True):
            await launcher.close()


class Launcher:
    """Starts commands and proves their end. Many may run at once; asyncio only."""

    def __init__(self) -> None:
        self._token = secrets.token_hex(4)
        self._numbers = itertools.count(1)
        self._supervisor: _Supervisor | None = None
        self._starting = anyio.Lock()

    async def warm_up(self) -> None:
        """Start the supervisor now; should that fail, each ``run`` says so."""
        with suppress(OSError):
            await self._running_supervisor()

    async def run(self, invocation: Invocation, logs: Path) -> Finished:
        """Run a command to its end.

        Its stdout and stderr are in ``<logs>.stdout.log`` and ``<logs>.stderr.log``, of each the first and
        the last MiB; the parent of ``logs`` must exist. Never raises for anything that the command does;
        ``fault`` says if it could not be started (no such program, say) or supervised. When cancelled, it
        ends the command (SIGTERM, grace, SIGKILL) and waits for the proof before the cancellation goes on.
        """
        number = next(self._numbers)
        outputs = (Path(f"{logs}.stdout.log"), Path(f"{logs}.stderr.log"))
        request = _request(invocation, number, f"{self._token}-{number}", outputs)
        try:
            supervisor = await self._running_supervisor()
        except OSError as error:
            report: Mapping[str, Any] = {"seconds": 0.0, "fault": f"cannot start the supervisor: {error}"}
        else:
            report = await supervisor.command(request)
        return _finished(report, outputs)

    async def run_captured(self, invocation: Invocation, max_bytes: int = 1 << 20) -> tuple[Finished, bytes, bytes]:
        """Run a short command of our own; also the first ``max_bytes`` of its stdout and of its stderr.

        The log files that the result names are gone.
        """
        with tempfile.TemporaryDirectory(prefix="agent-bench-") as folder:
            finished = await self.run(invocation, Path(folder, "command"))
            return (
                finished,
                _first_bytes(finished.stdout, max_bytes),
                _first_bytes(finished.stderr, max_bytes),
            )

    async def close(self) -> None:
        """Kill what still runs, and end the supervisor."""
        if self._supervisor:
            await self._supervisor.close()

    async def _running_supervisor(self) -> "_Supervisor":
        """The supervisor; a new one if it died (a hostile command may kill it where no sandbox forbids)."""
        async with self._starting:
            if self._supervisor is None or self._supervisor.is_dead:
                self._supervisor = await _Supervisor.start()
            return self._supervisor


class _Pending:
    """A command whose report is to come."""

    def __init__(self, request: Mapping[str, Any]) -> None:
        self.marker = str(request["marker"]).encode()
        self.reported = anyio.Event()
        self.report: Mapping[str, Any] = {}

    def settle(self, report: Mapping[str, Any]) -> None:
        self.report = report
        self.reported.set()


class _Supervisor:
    """Our end of the child program."""

    def __init__(self, process: asyncio.subprocess.Process, words: IO[bytes]) -> None:
        self._process = process
        self._words = words
        """What it says on stderr: nothing, but for defects."""
        self._pending: dict[int, _Pending] = {}
        self._listener = asyncio.create_task(self._listen())

    @classmethod
    async def start(cls) -> Self:
        """Raises OSError if it cannot be started."""
        words = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the program
        # Isolated and without site: nothing of the user's changes it, and it starts in 25 ms. Its environment
        # is bare, for the commands can read it; the session its own, for Ctrl-C is ours to handle.
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-I", "-S", "-X", "utf8", "-c", _PROGRAM, str(Path(__file__).parents[1]),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=words, start_new_session=True, cwd="/",
            env={name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ},
        )  # fmt: skip
        return cls(process, words)

    @property
    def is_dead(self) -> bool:
        return self._listener.done()

    async def command(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        """Have a command run; the report."""
        pending = self._pending[request["id"]] = _Pending(request)
        limits = request["limits"]
        self._send(request)
        try:
            await self._report_on(pending, limits["wall_sec"] + limits["grace_sec"] + _SLACK_SEC)
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True):
                self._send({"id": request["id"], "cancel": True})
                await self._report_on(pending, limits["grace_sec"] + _SLACK_SEC)
            raise
        return pending.report

    async def close(self) -> None:
        """End it and all commands, by force if it does not by itself."""
        if self._process.stdin:
            self._process.stdin.close()
        with anyio.move_on_after(_SLACK_SEC):
            await self._process.wait()
        self._kill()
        await self._listener

    def _send(self, message: Mapping[str, Any]) -> None:
        if self._process.stdin:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")

    async def _report_on(self, pending: _Pending, seconds: float) -> None:
        with anyio.move_on_after(seconds):
            await pending.reported.wait()
            return
        self._kill()  # it hangs (stopped, perhaps, by a hostile command): its commands end with it
        await pending.reported.wait()

    def _kill(self) -> None:
        with suppress(ProcessLookupError):
            self._process.kill()

    async def _listen(self) -> None:
        """Hand out reports as they come; when there are no more to come, say so to all who wait."""
        try:
            while self._process.stdout and (line := await self._process.stdout.readline()):
                report = json.loads(line)
                self._pending.pop(report["id"]).settle(report)
        except (ValueError, KeyError):  # a command without a sandbox can write into the pipe
            self._kill()
        await self._process.wait()
        reason = f"the supervisor ended (exit code {self._process.returncode}) {self._last_words()}".strip()
        self._words.close()
        while self._pending:
            pending = self._pending.popitem()[1]
            # Their own supervisors have ended them; but they may have been killed together.
            survivors = await anyio.to_thread.run_sync(kill_marked, pending.marker, _KILL_SEC)
            pending.settle({"seconds": 0.0, "fault": reason, "survivors": survivors})

    def _last_words(self) -> str:
        self._words.seek(0)
        return self._words.read(2000).decode("utf-8", "replace")


def _request(invocation: Invocation, number: int, token: str, outputs: tuple[Path, Path]) -> dict[str, Any]:
    given = invocation.env.get(MARKER)
    value = f"{given}/{token}" if given else token
    stdout, stderr = (str(path.absolute()) for path in outputs)
    return {
        "id": number,
        "argv": invocation.argv,
        "cwd": str(invocation.cwd),
        "env": {**invocation.env, MARKER: value},
        "marker": f"{MARKER}={value}",
        "stdin": str(invocation.stdin.absolute()) if invocation.stdin else None,
        "stdout": stdout,
        "stderr": stderr,
        "limits": invocation.limits.model_dump(),
        "descriptors": dict(invocation.descriptors),
        "status_fd": invocation.status_fd,
    }


def _finished(report: Mapping[str, Any], outputs: tuple[Path, Path]) -> Finished:
    fired = report.get("limit")
    values = {name: value for name, value in report.items() if name not in ("id", "limit")}
    return Finished(
        **{"exit_code": None, **values},
        limit=LimitFired(name=fired[0], value=fired[1]) if fired else None,
        stdout=outputs[0],
        stderr=outputs[1],
    )


def _first_bytes(path: Path, count: int) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(count)
    except OSError:
        return b""


class Brief(NamedTuple):
    """What a short program of the system said."""

    exit_code: int | None
    """None: it could not be started, or did not end in time."""
    output: str
    """stdout and stderr in the order written, or why there is none."""


def run_briefly(argv: Sequence[str], timeout_sec: float, env: Mapping[str, str] | None = None) -> Brief:
    """Run a trusted program outside any event loop; its process group is killed afterwards."""
    with tempfile.TemporaryFile() as output:
        try:
            process = subprocess.Popen(  # noqa: S603
                argv, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True, env=env
            )
        except OSError as error:
            return Brief(None, f"{argv[0]}: {error.strerror}")
        try:
            process.wait(timeout_sec)
        except subprocess.TimeoutExpired:
            return Brief(None, f"{argv[0]}: no end within {timeout_sec:g} s")
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        output.seek(0)
        return Brief(process.returncode, output.read(1 << 16).decode("utf-8", "replace"))
