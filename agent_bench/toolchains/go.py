"""Go: ``go test`` on the packages of the author's tests; gotestsum makes the report of what it said."""

import json
import random
import re
import secrets
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

from anyio.to_thread import run_sync

from agent_bench.graders.room import GradingRoom, Ran
from agent_bench.model import Task
from agent_bench.toolchains.go_cache import (
    MODULE_FILES,
    PINNED,
    find_go,
    link_cache,
    make_provision,
    root_and_version,
)
from agent_bench.toolchains.go_canaries import go_canaries
from agent_bench.toolchains.interface import Canaries, Kit, Provision, Suite, SuiteRun
from agent_bench.workspace import shown

_CONVERT_SECONDS = 60.0
_STREAM = 5
"""Descriptor that the converter reads; the sandbox takes lower ones."""
_MAX_WORDS_CHARS = 200

_OFFLINE = {"GOENV": "off", "GOPROXY": "off", "GOSUMDB": "off"}
# What tests print is left out, but for messages of failures (indented), panics and the words at the end: the log has
# room for 2 MiB, and it must hold every result. A pipe, and no file: what was written cannot be taken back.
_SCRIPT = r"""
exec 4>&1
code=$( { { go test "$@" 3>&- 4>&-; echo $? >&3; } |
    sed -E '/"Action":"output"/{/"Output":"(    |panic: |PASS\\n"|ok  )/!d;}' >&4 3>&-; } 3>&1 )
exit "$code"
"""
_CONVERT = ("gotestsum", "--format", "testname", "--raw-command")

_Event = Mapping[str, object]


class GoToolchain:
    """Go and its own test runner. Tests lie in packages of their own below tests/, apart from the code."""

    name = "go"
    language = "go"
    isolates_tests = False
    failed_code = 1

    def unavailable(self, environ: Mapping[str, str]) -> str | None:
        """Go itself; the rest is made by it."""
        if find_go(environ):
            return None
        return "go is not installed (https://go.dev/dl)"

    async def version(self, kit: Kit) -> str:
        """Of Go."""
        return (await root_and_version(kit))[1]

    async def prepare(self, task: Task, kit: Kit) -> Provision:
        """The standard library compiled, the converter, and the modules that the task requires."""
        return await make_provision(task.workspace, kit)

    def is_test_file(self, path: str) -> bool:
        """As Go itself has it."""
        name = PurePosixPath(path).name
        return name.endswith("_test.go") and not name.startswith((".", "_"))

    def is_protected(self, path: str) -> bool:
        """Modules and their sums, copies of foreign modules, and object code. The agent's own tests may stay: what is
        compiled for the author's packages are no ``_test.go`` files but theirs."""
        parts = PurePosixPath(path).parts
        return parts[-1] in MODULE_FILES or "vendor" in parts or path.endswith(".syso")

    def canaries(self, draw: random.Random, tests: Mapping[str, str]) -> Canaries:
        """In the package of one of the graded tests."""
        return go_canaries(draw, tests)

    async def run_suite(self, suite: Suite, room: GradingRoom, provision: Provision) -> SuiteRun:
        """Builds and runs the packages; the report is made afterwards, of what ``go`` wrote, with no code of the
        agent's running. Code under test can write into the same stream: what it adds there is one result too many."""
        await run_sync(link_cache, Path(provision.env["GOCACHE"]), room.host_home / "go-build")
        work = "" if (room.host_tree / "go.work").is_file() else "off"
        env = {
            **provision.env,
            **PINNED,
            **_OFFLINE,
            "GOWORK": work,
            "GOCACHE": str(room.inside.home / "go-build"),
            "GOPATH": str(room.inside.home / "go"),
        }
        packages = sorted({f"./{PurePosixPath(path).parent}" for path in suite.files})
        options = ("-json", "-count=1", "-vet=off", "-timeout=0", f"-shuffle={suite.seed or 'off'}")
        chosen = ("-run", _pattern(suite.only)) if suite.only else ()
        ran = await room.run(
            ("/bin/sh", "-c", _SCRIPT, "go-test", *options, *chosen, *packages),
            seconds=suite.seconds,
            readable=provision.readable,
            path_before=provision.path,
            env=env,
        )
        events = list(_events(ran))
        tampered: tuple[str, ...] = ()
        reports: tuple[Path, ...] = ()
        words = _last_words(events) or ("" if ran.last_words.startswith("{") else ran.last_words)
        if ran.finished.bytes_cut:
            words = "the tests wrote more than 2 MiB"
        elif any("Test" in event for event in events):
            tampered, reports = _forged(events), await _report(ran, room, provision)
        return SuiteRun(
            finished=ran.finished, reports=reports, stopped_by=ran.stopped_by, last_words=words, tampered=tampered
        )


def _pattern(name: str) -> str:
    """For ``-run``: this test alone; sub-tests are named by their path."""
    return "/".join(f"^{re.escape(part)}$" for part in name.split("/"))


def _events(ran: Ran) -> Iterator[_Event]:
    """What go told; what is no event is left out."""
    for line in ran.stdout.decode("utf-8", "replace").split("\n"):
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(event, dict):
            yield event


def _forged(events: Sequence[_Event]) -> tuple[str, ...]:
    """Signs of forging: a test with several results, and a package whose process ended well, yet not by itself (go
    takes the test that ran then for passed)."""
    results = Counter(
        (event.get("Package"), event["Test"])
        for event in events
        if "Test" in event and event.get("Action") in ("pass", "fail", "skip")
    )
    twice = [str(name) for (_, name), count in results.items() if count > 1]
    ended = {package for event in events if _text(event).startswith(f"ok  \t{(package := event.get('Package'))}\t")}
    early = ended - {event.get("Package") for event in events if _text(event) == "PASS\n" and "Test" not in event}
    signs = (
        *(f"a test with several results: {name}" for name in twice[:1]),
        *(f"a package whose tests were ended from within: {package}" for package in sorted(map(str, early))[:1]),
    )
    return tuple(shown(sign)[:_MAX_WORDS_CHARS] for sign in signs)


def _text(event: _Event) -> str:
    return str(event.get("Output", ""))


def _last_words(events: Sequence[_Event]) -> str:
    """The compiler's first error, or what a panic said."""
    said = [_text(event).strip() for event in events if event.get("Action") == "build-output"]
    errors = [line for line in said if line and not line.startswith("#")]
    panics = [_text(event).strip() for event in events if event.get("Action") == "output"]
    found = errors or [line for line in panics if line.startswith("panic: ")]
    return shown(found[0])[:_MAX_WORDS_CHARS] if found else ""


async def _report(ran: Ran, room: GradingRoom, provision: Provision) -> tuple[Path, ...]:
    """JUnit, under a name that nothing that ran before could know; what our log holds then can be read, too."""
    name = f"report-{secrets.token_hex(8)}.xml"
    await room.run(
        (*_CONVERT, "--junitfile", str(room.inside.home / name), "--", "cat", f"/dev/fd/{_STREAM}"),
        seconds=_CONVERT_SECONDS,
        path_before=provision.path,
        readable=provision.readable,
        descriptors={_STREAM: ran.stdout.decode("utf-8", "replace")},
    )
    return (room.host_home / name,)
