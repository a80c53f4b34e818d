"""Compiled test programs, of whatever language: each test runs in a process of its own, under our own driver."""

import hashlib
import json
import secrets
import sys
from pathlib import Path
from typing import Any

from anyio.to_thread import run_sync

from agent_bench.graders.room import GradingRoom, Ran
from agent_bench.model import Invocation, ProcessLimits
from agent_bench.toolchains.interface import Kit, Provision, Suite, SuiteRun, ToolchainError
from agent_bench.toolchains.made_once import made_once
from agent_bench.workspace import shown

TEST_SECONDS = 30
"""For one test."""
_DRIVER = Path(__file__).parent / "inside" / "each_alone.py"
_GUARD = Path(__file__).parent / "inside" / "return_guard.c"
_LIBRARY = "return_guard.so"
_MAX_SHOWN_CHARS = 200
_WORKERS = 2
_PLAN = 5
"""Descriptor that the driver reads; the sandbox takes lower ones."""
_COMPILE_SECONDS = 60.0


async def make_guard(kit: Kit, compiler: str) -> tuple[Path, ...]:
    """The guard of test programs, compiled once; none where programs are started in another way than Linux has."""
    if sys.platform != "linux":
        return ()
    text = await run_sync(_GUARD.read_bytes)

    async def fill(making: Path) -> None:
        argv = (compiler, "-O1", "-shared", "-fPIC", "-o", str(making / _LIBRARY), str(_GUARD), "-ldl")
        env = {"PATH": kit.environ.get("PATH", "/usr/bin:/bin")}
        limits = ProcessLimits(wall_sec=_COMPILE_SECONDS)
        finished, _, stderr = await kit.launcher.run_captured(Invocation(argv=argv, cwd=making, env=env, limits=limits))
        if finished.exit_code != 0:
            raise ToolchainError(f"{compiler}: {finished.fault or stderr.decode('utf-8', 'replace')[:400]}")

    place = kit.cache / "return-guard" / hashlib.sha256(text + compiler.encode()).hexdigest()[:24]
    return (await made_once(place, fill),)


async def run_each_alone(
    suite: Suite, room: GradingRoom, provision: Provision, failed_code: int, seconds: float, **found: Any
) -> SuiteRun:
    """Runs the tests that are ``found``, or those of the programs that are: see ``inside/each_alone.py``."""
    name, word = f"report-{secrets.token_hex(8)}.xml", secrets.token_hex(16)
    guard = next((str(path / _LIBRARY) for path in provision.readable if (path / _LIBRARY).is_file()), "")
    plan = {
        "word": word,
        "report": str(room.inside.home / name),
        "guard": guard,
        "seconds": TEST_SECONDS,
        "workers": _WORKERS,
        "failed_code": failed_code,
        "seed": suite.seed,
        "only": suite.only or "",
        **found,
    }
    program = Path(getattr(sys, "_base_executable", None) or sys.executable).resolve()
    ran = await room.run(
        (str(program), "-I", str(_DRIVER)),
        seconds=seconds,
        readable=(*provision.readable, _DRIVER, program.parent.parent, Path(sys.base_prefix).resolve()),
        path_before=provision.path,
        env=provision.env,
        descriptors={_PLAN: json.dumps(plan)},
    )
    told, forged = _told(ran, word)
    return SuiteRun(
        finished=ran.finished,
        reports=(room.host_home / name,),
        stopped_by=ran.stopped_by,
        last_words="" if ran.last_words.startswith(word) else ran.last_words,
        said=told,
        tampered=(f"left with a forged result: {shown(', '.join(forged))[:_MAX_SHOWN_CHARS]}",) if forged else (),
    )


def not_built(ran: Ran, error: str) -> SuiteRun:
    """What is told where the building failed."""
    return SuiteRun(finished=ran.finished, reports=(), stopped_by=ran.stopped_by, last_words=error or ran.last_words)


def _told(ran: Ran, word: str) -> tuple[dict[str, str], list[str]]:
    """What the driver said: test to outcome, the worst of several, and the tests that were made to look passed."""
    outcomes: dict[str, str] = {}
    forged: list[str] = []
    for line in ran.stdout.decode("utf-8", "replace").split("\n"):
        if line.startswith(f"{word} "):
            facts = json.loads(line.removeprefix(f"{word} "))
            if outcomes.get(facts["test"], "passed") == "passed":
                outcomes[facts["test"]] = facts["outcome"]
            forged += [facts["test"]] if facts["forged"] else []
    return outcomes, forged
