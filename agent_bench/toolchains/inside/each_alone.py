"""A program: runs each test of compiled test programs in a process of its own, and tells each result at once.

It runs in the grading sandbox, by the Python that runs agent-bench; only the standard library is there. What is said
on its output cannot be taken back: each line of ours begins with a word that the tests cannot read. A test passed if
its process ended with 0, after its ``main`` had returned (see return_guard.c), and said what the runner in it says at
the end. So ``exit(0)`` in the code under test is no way to pass.

Descriptor 5 holds a ``Plan`` as JSON. Exit code: 0, or the plan's ``failed_code`` if a test did not pass; 3: no tests.
"""

import asyncio
import ctypes
import json
import os
import random
import re
import secrets
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple, Self
from xml.etree import ElementTree

_NOTHING_RUN = 3
_KEPT_BYTES = 16 << 10
_LIST_BYTES = 4 << 20
_MESSAGE_CHARS = 2000
_NOT_DUMPABLE = (4, 0)


class Test(NamedTuple):
    """A test to run."""

    suite: str
    name: str
    argv: Sequence[str]
    cwd: str
    shows: str = ""
    """Pattern of what its output must hold if it passed."""
    skips: str = ""
    """Pattern that says that it skipped itself; empty: it cannot."""
    env: Mapping[str, str] = {}
    seconds: float = 0.0
    """Its limit; 0: the plan's."""
    ignored: bool = False


class Plan(NamedTuple):
    """What to run."""

    word: str
    report: str
    guard: str
    """The library to preload; empty: there is none."""
    seconds: float
    """For one test."""
    workers: int
    failed_code: int
    seed: int
    only: str
    tests: Sequence[Sequence[object]] = ()
    """``Test``s."""
    rust: Sequence[tuple[str, str, str]] = ()
    """Names, programs and folders of Rust's test programs, which name their tests themselves."""


class Result(NamedTuple):
    """What became of a test."""

    test: Test
    outcome: str
    message: str
    seconds: float = 0.0
    is_forged: bool = False
    """It was made to look as if the test had passed."""


class Ended(NamedTuple):
    """What became of a process."""

    code: int | None
    """None: it was ended by its limit."""
    returned: bool
    """Its ``main`` did."""
    output: str


async def main() -> int:
    """Runs the plan's tests."""
    with os.fdopen(5, encoding="utf-8") as reader:
        plan = Plan(**json.load(reader))
    _hide()
    tests = [Test(*values) for values in plan.tests]  # type: ignore[arg-type]
    for suite, program, folder in plan.rust:
        tests += await _tests_of_rust(suite, program, folder, plan)
    tests = [test for test in tests if plan.only in ("", test.name)]
    if plan.seed:
        # A place hangs on the name alone: canaries, named by chance, leave the order of the others as it is.
        tests.sort(key=lambda test: random.Random(f"{plan.seed} {test.suite} {test.name}").random())  # noqa: S311
    turn = asyncio.Semaphore(plan.workers)
    results = await asyncio.gather(*(_told(test, plan, turn) for test in tests))
    _write_report(plan.report, results)
    if not results:
        return _NOTHING_RUN
    return plan.failed_code if any(result.outcome == "failed" for result in results) else 0


def _hide() -> None:
    """Our memory and our descriptors are closed to the processes that we start (as far as the system knows how)."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(*_NOT_DUMPABLE, 0, 0, 0)


async def _tests_of_rust(suite: str, program: str, folder: str, plan: Plan) -> list[Test]:
    names, ignored = (
        [line.removesuffix(": test") for line in said.output.splitlines() if line.endswith(": test")]
        for said in [
            await _run([program, "--list", "--format", "terse", *more], folder, {}, plan.seconds, "", _LIST_BYTES)
            for more in ([], ["--ignored"])
        ]
    )
    return [
        Test(
            suite=suite,
            name=name,
            argv=(program, "--exact", name, "--test-threads=1"),
            cwd=folder,
            shows=r"(?m)^test result: ok\. 1 passed; 0 failed;",
            ignored=name in ignored,
        )
        for name in names
    ]


async def _told(test: Test, plan: Plan, turn: asyncio.Semaphore) -> Result:
    async with turn:
        began = time.monotonic()
        result = Result(test, "skipped", "ignored") if test.ignored else await _tried(test, plan)
        result = result._replace(seconds=time.monotonic() - began)
    name = test.name if test.suite in ("", test.name) else f"{test.suite}::{test.name}"
    said = json.dumps({"test": name, "outcome": result.outcome, "forged": result.is_forged})
    os.write(1, f"{plan.word} {said}\n".encode())
    return result


async def _tried(test: Test, plan: Plan) -> Result:
    limit = test.seconds or plan.seconds
    ended = await _run(test.argv, test.cwd, test.env, limit, plan.guard, _KEPT_BYTES)
    said = ended.output[-_MESSAGE_CHARS:]
    if ended.code is None:
        return Result(test, "failed", f"no end within {limit:g} s\n{said}")
    if ended.code != 0:
        return Result(test, "failed", said or f"exit code {ended.code}")
    if test.skips and re.search(test.skips, ended.output):
        return Result(test, "skipped", said)
    shown = bool(re.search(test.shows, ended.output))
    if not (shown and ended.returned):
        forged = bool(test.shows) and shown
        return Result(test, "failed", f"left in the middle of the test, with exit code 0\n{said}", is_forged=forged)
    return Result(test, "passed", "")


async def _run(argv: Sequence[str], cwd: str, env: Mapping[str, str], seconds: float, guard: str, kept: int) -> Ended:
    """Runs a program to its end; of its output the last part is kept."""
    word = secrets.token_hex(16).encode()
    with _Pipe() as given, _Pipe() as taken, _Pipe() as said:
        given.fill(word)
        preload = {"LD_PRELOAD": guard, "AGENT_BENCH_GUARD": f"{given.reader} {taken.writer}"} if guard else {}
        tail = _Tail(said.reader, kept)
        process = await asyncio.create_subprocess_exec(
            *argv, cwd=cwd, env={**os.environ, **env, **preload}, pass_fds=(given.reader, taken.writer),
            start_new_session=True, stdin=asyncio.subprocess.DEVNULL, stdout=said.writer, stderr=said.writer,
        )  # fmt: skip
        code: int | None = None
        with suppress(TimeoutError):
            code = await asyncio.wait_for(process.wait(), seconds)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
        returned = not guard or _available(taken.reader, len(word) + 1) == word
        return Ended(code, returned, tail.end())


class _Pipe:
    """A pipe for the time of a ``with`` block; nobody waits at its reading end."""

    def __enter__(self) -> Self:
        self.reader, self.writer = os.pipe()
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.reader)
        if self.writer >= 0:
            os.close(self.writer)

    def fill(self, content: bytes) -> None:
        """With this, and then nothing more comes."""
        os.write(self.writer, content)
        os.close(self.writer)
        self.writer = -1


class _Tail:
    """The last part of what comes from a pipe, whoever may go on to hold it open."""

    def __init__(self, reader: int, kept: int) -> None:
        self._reader, self._kept, self._text = reader, kept, b""
        asyncio.get_running_loop().add_reader(reader, self._take)

    def _take(self) -> None:
        self._text = (self._text + os.read(self._reader, 1 << 16))[-self._kept :]

    def end(self) -> str:
        """What there is now."""
        asyncio.get_running_loop().remove_reader(self._reader)
        self._text = (self._text + _available(self._reader, 1 << 20))[-self._kept :]
        return self._text.decode("utf-8", "replace")


def _available(reader: int, limit: int) -> bytes:
    """What can be read without waiting."""
    os.set_blocking(reader, False)
    with suppress(BlockingIOError):
        return os.read(reader, limit)
    return b""


def _write_report(place: str, results: Sequence[Result]) -> None:
    failed, skipped = (sum(result.outcome == outcome for result in results) for outcome in ("failed", "skipped"))
    counts = {"name": "tests", "tests": str(len(results)), "failures": str(failed), "skipped": str(skipped)}
    root = ElementTree.Element("testsuites")
    suite = ElementTree.SubElement(root, "testsuite", counts)
    for result in results:
        attributes = {"classname": result.test.suite, "name": result.test.name, "time": f"{result.seconds:.3f}"}
        case = ElementTree.SubElement(suite, "testcase", attributes)
        if result.outcome == "failed":
            ElementTree.SubElement(case, "failure", message=_printable(result.message))
        if result.outcome == "skipped":
            ElementTree.SubElement(case, "skipped", message=_printable(result.message))
    ElementTree.ElementTree(root).write(place, encoding="utf-8", xml_declaration=True)


def _printable(text: str) -> str:
    """Without the characters that XML has no place for."""
    return re.sub("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "?", text)


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
