"""CMake, CTest and GoogleTest: CTest says which tests there are, and each runs in a process of its own."""

import json
import random
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from agent_bench.environment import base_environment
from agent_bench.evidence import read_regular
from agent_bench.graders.room import SYSTEM_PATH, GradingRoom, Ran
from agent_bench.model import Invocation, ProcessLimits, Task
from agent_bench.toolchains.compiled_tests import make_guard, not_built, run_each_alone
from agent_bench.toolchains.ctest_canaries import cpp_canaries
from agent_bench.toolchains.interface import Canaries, Kit, Provision, Suite, SuiteRun, ToolchainError
from agent_bench.workspace import shown

_INSTALL = "apt-get install cmake g++ libgtest-dev"
_ASK_SECONDS = 20.0
_OLDEST = (3, 21)
_MAX_WORDS_CHARS = 200
_LOG_BYTES = 4 << 20
_SOURCES = (".cpp", ".cc", ".cxx")
_PROTECTED = frozenset(
    {
        *("CMakeLists.txt", "CMakePresets.json", "CMakeUserPresets.json", "CMakeCache.txt"),
        *("CTestConfig.cmake", "CTestCustom.cmake", "CTestTestfile.cmake", "DartConfiguration.tcl"),
    }
)
_SUFFIXES = (".cmake", ".o", ".obj", ".a", ".so", ".lib", ".gch", ".pch")
_LIBRARIES = frozenset({"gtest", "gmock"})
_STANDARD_HEADER = re.compile(r"[a-z_0-9]+")
# Nothing of the agent's runs while it builds: GoogleTest's programs are asked for their tests afterwards.
_SETTINGS = ("-DCMAKE_GTEST_DISCOVER_TESTS_DISCOVERY_MODE=PRE_TEST", "-DCMAKE_EXPORT_COMPILE_COMMANDS=OFF")
_BUILD = 'cmake -S "$1" -B "$2" "$3" "$4" "$5" >&2 && cmake --build "$2" --parallel 2'
_ERROR = re.compile(r"^(?:.*: (?:fatal )?error: .*|CMake Error.*|.*: undefined reference to .*)$", re.MULTILINE)
_PASSED = r"(?m)^\[  PASSED  \] 1 test\."


class CtestToolchain:
    """C++. The author's CMakeLists.txt takes in the hidden tests by a pattern, and tells CTest of them."""

    name = "ctest"
    language = "cpp"
    isolates_tests = True
    failed_code = 8

    def unavailable(self, environ: Mapping[str, str]) -> str | None:
        """What is missing of CMake, a compiler and GoogleTest."""
        programs = [name for name in ("cmake", "ctest", "c++", "cc") if not _program(name)]
        missing = [*programs, *([] if _has_googletest() else ["GoogleTest"])]
        return f"not installed: {', '.join(missing)} ({_INSTALL})" if missing else None

    async def version(self, kit: Kit) -> str:
        """Of CMake and the compiler."""
        cmake = await _first_line(kit, "cmake", "--version")
        found = re.search(r"(\d+)\.(\d+)", cmake)
        if found is None or (int(found[1]), int(found[2])) < _OLDEST:
            raise ToolchainError(f"{cmake}: CMake {'.'.join(map(str, _OLDEST))} or newer is needed ({_INSTALL})")
        return f"{cmake.removesuffix(' version')}, {await _first_line(kit, 'c++', '--version')}"

    async def prepare(self, task: Task, kit: Kit) -> Provision:
        """All of it is the system's, but for our guard."""
        if missing := self.unavailable(kit.environ):
            raise ToolchainError(missing)
        return Provision(readable=await make_guard(kit, "cc"))

    def is_test_file(self, path: str) -> bool:
        """Any C++ source."""
        return path.endswith(_SOURCES)

    def is_protected(self, path: str) -> bool:
        """What CMake and CTest read, compiled code, and headers in the place of those that the tests stand on."""
        parts = PurePosixPath(path).parts
        is_shadow = bool(_STANDARD_HEADER.fullmatch(parts[-1])) or not _LIBRARIES.isdisjoint(parts[:-1])
        return parts[-1] in _PROTECTED or parts[0] == "build" or path.endswith(_SUFFIXES) or is_shadow

    def canaries(self, draw: random.Random, tests: Mapping[str, str]) -> Canaries:
        """In the program of the graded tests."""
        return cpp_canaries(draw, tests)

    async def run_suite(self, suite: Suite, room: GradingRoom, provision: Provision) -> SuiteRun:
        """Builds outside the tree, asks CTest for the tests, and runs each."""
        folder = str(room.inside.home / "build")
        generator = "-GNinja" if _program("ninja") else "-GUnix Makefiles"
        argv = ("/bin/sh", "-c", _BUILD, "build", str(room.tree), folder, *_SETTINGS, generator)
        built = await room.run(argv, seconds=suite.seconds, readable=provision.readable)
        if built.finished.exit_code != 0:
            return not_built(built, _first_error(built))
        seconds = suite.seconds - built.finished.seconds
        listed = await room.run(
            ("ctest", "--test-dir", folder, "--show-only=json-v1"), seconds=seconds, readable=provision.readable
        )
        tests = list(_tests(listed))
        if listed.finished.exit_code != 0 or not tests:
            return not_built(listed, "CTest was told of no tests")
        return await run_each_alone(
            suite, room, provision, self.failed_code, seconds - listed.finished.seconds, tests=tests
        )


def _program(name: str) -> str | None:
    return shutil.which(name, path=":".join(SYSTEM_PATH))


def _has_googletest() -> bool:
    places = [Path("/usr"), Path("/usr/local")]
    has_library = any(place.glob(pattern) for place in places for pattern in ("lib/libgtest*", "lib/*/libgtest*"))
    return has_library and any((place / "include/gtest/gtest.h").is_file() for place in places)


async def _first_line(kit: Kit, *argv: str) -> str:
    invocation = Invocation(
        argv=argv, cwd=kit.scratch, env=base_environment({}), limits=ProcessLimits(wall_sec=_ASK_SECONDS)
    )
    finished, stdout, _ = await kit.launcher.run_captured(invocation)
    if finished.exit_code != 0:
        raise ToolchainError(f"{argv[0]} does not run ({_INSTALL})")
    return stdout.decode("utf-8", "replace").split("\n")[0]


def _first_error(built: Ran) -> str:
    """Of the compiler, or of CMake."""
    for path in (built.finished.stdout, built.finished.stderr):
        found = _ERROR.search((read_regular(path, _LOG_BYTES) or b"").decode("utf-8", "replace"))
        if found:
            return shown(found[0])[:_MAX_WORDS_CHARS]
    return ""


def _tests(listed: Ran) -> Iterator[tuple[Any, ...]]:
    """The tests as the driver takes them; hostile, for GoogleTest's programs have told their names themselves."""
    try:
        found = json.loads(listed.stdout)["tests"]
        for test in found:
            values = {each["name"]: each["value"] for each in test.get("properties", [])}
            argv = test.get("command") or ["/bin/false"]
            shows = _PASSED if any(part.startswith("--gtest_filter=") for part in argv) else ""
            env = dict(each.split("=", 1) for each in values.get("ENVIRONMENT", []))
            yield (
                *(test["name"], test["name"], argv, values.get("WORKING_DIRECTORY") or ".", shows),
                *("|".join(values.get("SKIP_REGULAR_EXPRESSION", [])), env, float(values.get("TIMEOUT") or 0)),
                bool(values.get("DISABLED")),
            )
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return
