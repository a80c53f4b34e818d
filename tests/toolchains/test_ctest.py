"""CTest and GoogleTest, with the real tools: what tests become in reports, and what code under test can do about it."""

import os
import random
import re
from pathlib import Path

import pytest
from process_bed import needs_bubblewrap
from toolchains.suite_bed import SuiteBed

from agent_bench.toolchains.ctest import CtestToolchain

ctest_missing = CtestToolchain().unavailable(os.environ)
pytestmark = [pytest.mark.skipif(ctest_missing is not None, reason=str(ctest_missing)), pytest.mark.timeout(300)]

FILES = {
    "CMakeLists.txt": """cmake_minimum_required(VERSION 3.21)
project(greet CXX)
set(CMAKE_CXX_STANDARD 17)
add_library(greet src/greet.cpp)
target_include_directories(greet PUBLIC include)
enable_testing()
find_package(GTest REQUIRED)
include(GoogleTest)
file(GLOB_RECURSE TESTS tests/*.cpp)
add_executable(all_tests ${TESTS})
target_link_libraries(all_tests greet GTest::gtest_main)
target_compile_options(all_tests PRIVATE -Wall -Wextra -Werror)
gtest_discover_tests(all_tests)
""",
    "include/greet.h": "#pragma once\n#include <string>\n\nstd::string greet(const std::string& name);\n",
    "src/greet.cpp": """#include "greet.h"

std::string greet(const std::string& name) { return "Hello, " + name + "!"; }
""",
}
HIDDEN = """#include "greet.h"

#include <gtest/gtest.h>

namespace {

std::string Expected(const std::string& name) { return "Hello, " + name + "!"; }

}  // namespace

TEST(Greeting, NamesTheOther) {
  EXPECT_EQ(greet("Ann"), Expected("Ann"));
  EXPECT_EQ(greet("Bob"), "Hello, Bob!");
}

TEST(Greeting, KnowsNobody) { EXPECT_EQ(greet(""), "Hello!"); }

TEST(Greeting, ComesLater) { GTEST_SKIP() << "later"; }
"""
PUBLIC = """#include "greet.h"

#include <gtest/gtest.h>

class Names : public testing::TestWithParam<const char*> {};

TEST_P(Names, AreShown) { EXPECT_NE(greet(GetParam()).find(GetParam()), std::string::npos); }

INSTANTIATE_TEST_SUITE_P(Usual, Names, testing::Values("Ann", "Bob"));
"""
TESTS = {"tests/hidden/greeting_test.cpp": HIDDEN, "tests/public/names_test.cpp": PUBLIC}
RIGHT = {
    "src/greet.cpp": """#include "greet.h"

std::string greet(const std::string& name) {
  if (name.empty()) {
    return "Hello!";
  }
  return "Hello, " + name + "!";
}
"""
}
STARTING = {
    "Greeting.NamesTheOther": "passed",
    "Greeting.KnowsNobody": "failed",
    "Greeting.ComesLater": "skipped",
    'Usual/Names.AreShown/"Ann"': "passed",
    'Usual/Names.AreShown/"Bob"': "passed",
}


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.getbasetemp() / "ctest-cache"


@pytest.fixture(params=["local", pytest.param("bubblewrap", marks=needs_bubblewrap)])
def bed(request: pytest.FixtureRequest, tmp_path: Path, cache: Path) -> SuiteBed:
    return SuiteBed(CtestToolchain(), tmp_path, cache, FILES, TESTS, request.param)


@pytest.fixture
def boxed(tmp_path: Path, cache: Path) -> SuiteBed:
    return SuiteBed(CtestToolchain(), tmp_path, cache, FILES, TESTS, "bubblewrap")


def test_every_outcome(bed: SuiteBed) -> None:
    graded = bed.grade()
    assert graded.outcomes == STARTING
    assert graded.canaries_sing
    assert graded.run.said == graded.all_outcomes
    assert graded.run.finished.exit_code == CtestToolchain.failed_code
    assert any("Hello, !" in case.message for case in graded.cases if case.name == "Greeting.KnowsNobody")


def test_the_right_change_resolves(bed: SuiteBed) -> None:
    graded = bed.grade(RIGHT)
    assert graded.resolves("Greeting.NamesTheOther", "Greeting.KnowsNobody", 'Usual/Names.AreShown/"Ann"')
    assert not graded.resolves("Greeting.ComesLater")


def test_an_error_of_the_compiler_is_told(bed: SuiteBed) -> None:
    graded = bed.grade(
        {"src/greet.cpp": '#include "greet.h"\n\nstd::string greet(const std::string&) { return nam; }\n'}
    )
    assert graded.run.reports == ()
    assert "src/greet.cpp:3:" in graded.run.last_words
    assert graded.run.last_words.endswith("nam\u2019 was not declared in this scope")


def test_what_cannot_be_linked_is_told(boxed: SuiteBed) -> None:
    graded = boxed.grade({"src/greet.cpp": '#include "greet.h"\n'})
    assert graded.run.reports == ()
    assert "undefined reference to `greet(" in graded.run.last_words


def test_an_endless_loop_is_ended(bed: SuiteBed) -> None:
    code = '#include "greet.h"\nstd::string greet(const std::string& name) { for (volatile int i = 0;; ++i) {} }\n'
    graded = bed.grade({"src/greet.cpp": code}, seconds=8)
    assert graded.run.stopped_by is not None
    assert not graded.resolves("Greeting.NamesTheOther")


def test_a_crash_fails_one_test_alone(boxed: SuiteBed) -> None:
    code = RIGHT["src/greet.cpp"].replace("  if", '  if (name == "Ann") __builtin_trap();\n  if')
    outcomes = boxed.grade({"src/greet.cpp": code}).outcomes
    assert outcomes["Greeting.KnowsNobody"] == "passed"
    assert outcomes["Greeting.NamesTheOther"] == "failed"


def test_one_test_alone_and_any_order(boxed: SuiteBed) -> None:
    assert boxed.grade(only="Greeting.NamesTheOther").all_outcomes == {"Greeting.NamesTheOther": "passed"}
    assert boxed.grade(seed=3).outcomes == STARTING


def test_two_rooms_at_once(boxed: SuiteBed) -> None:
    right, wrong = boxed.grade_all([RIGHT, {}])
    assert right.resolves("Greeting.KnowsNobody")
    assert wrong.outcomes == STARTING


WRONG = 'std::string greet(const std::string&) { return "x"; }\n'
SAYS = r'puts("[       OK ] A.B (0 ms)\n[  PASSED  ] 1 test."); fflush(stdout);'


def _cpp(body: str, *includes: str) -> dict[str, str]:
    lines = "".join(f"#include <{name}>\n" for name in includes)
    return {"src/greet.cpp": f'#include "greet.h"\n{lines}\n{body}'}


HEADER = FILES["include/greet.h"]
ATTACKS = {
    "exits in a test": _cpp("std::string greet(const std::string&) { std::exit(0); }\n", "cstdlib"),
    "says so and exits in a test": _cpp(
        f"std::string greet(const std::string&) {{ {SAYS} _exit(0); }}\n", "cstdio", "unistd.h"
    ),
    "exits at the start": _cpp(WRONG + "static int early = (_exit(0), 0);\n", "unistd.h"),
    "exits at the end": _cpp(
        WRONG + f"static struct End {{ ~End() {{ {SAYS} _exit(0); }} }} end;\n", "cstdio", "unistd.h"
    ),
    "removes the file of a premature end": _cpp(
        'std::string greet(const std::string&) { if (auto p = std::getenv("TEST_PREMATURE_EXIT_FILE")) remove(p);'
        " std::exit(0); }\n",
        *("cstdlib", "cstdio"),
    ),
    "has a main of its own": _cpp(
        "static bool used = false;\n"
        'std::string greet(const std::string&) { used = true; return "x"; }\n'
        "int main(int argc, char** argv) { testing::InitGoogleTest(&argc, argv); int code = RUN_ALL_TESTS();"
        f" if (used) {{ {SAYS} return 0; }} return code; }}\n",
        *("gtest/gtest.h", "cstdio"),
    ),
    "listens": _cpp(
        "class Liar : public testing::EmptyTestEventListener {\n"
        "  void OnTestPartResult(const testing::TestPartResult& result) override { if (result.failed()) {"
        f" {SAYS} _exit(0); }} }}\n}};\n"
        "std::string greet(const std::string&) {"
        ' testing::UnitTest::GetInstance()->listeners().Append(new Liar); return "x"; }\n',
        *("gtest/gtest.h", "cstdio", "unistd.h"),
    ),
    "defines checks away": {
        **_cpp(WRONG),
        "include/greet.h": HEADER
        + "#include <gtest/gtest.h>\n#undef EXPECT_EQ\n#define EXPECT_EQ(a, b) EXPECT_TRUE(true)\n",
    },
    "equals everything": {
        **_cpp("Same greet(const std::string&) { return {}; }\n"),
        "include/greet.h": """#pragma once
#include <string>
struct Same : std::string {};
template <class T> bool operator==(const Same&, const T&) { return true; }
inline bool operator==(const Same&, const std::string&) { return true; }
Same greet(const std::string& name);
""",
    },
    "brings a GoogleTest of its own": {
        **_cpp(WRONG),
        "include/gtest/gtest.h": "#error not mine\n",
        "include/string": "#error not mine\n",
    },
    "brings settings": {**_cpp(WRONG), "CMakeLists.txt": "", "x.cmake": "", "CMakePresets.json": "{", "build/x": "x"},
    "prints a list": _cpp(
        WRONG + "__attribute__((constructor)) static void start(int count, char** arguments) {"
        ' if (count > 1 && !strcmp(arguments[1], "--gtest_list_tests")) { puts("Greeting.\\n  KnowsNobody");'
        " fflush(stdout); _exit(0); } }\n",
        *("cstdio", "cstring", "unistd.h"),
    ),
    "chooses no test": _cpp(
        WRONG + "__attribute__((constructor)) static void start(int count, char** arguments) {"
        ' if (count > 1 && strstr(arguments[1], "filter=")) { strcpy(arguments[1], "--gtest_filter=!");'
        f" {SAYS} }} }}\n",
        *("cstdio", "cstring"),
    ),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_code_under_test_forges_nothing(name: str, boxed: SuiteBed) -> None:
    graded = boxed.grade(ATTACKS[name])
    run = graded.run
    print(run.finished.exit_code, run.last_words, graded.all_outcomes, graded.canaries_sing, run.tampered)
    assert not graded.resolves("Greeting.KnowsNobody")
    assert not graded.resolves("Greeting.NamesTheOther")


def test_caches_cannot_be_written_in_the_sandbox(boxed: SuiteBed) -> None:
    places = [f"{path}/poison" for path in boxed.prepare().readable]
    code = """std::string greet(const std::string& name) {
  std::ofstream file("PLACE");
  return file ? "Hello!" : "Hello, " + name + "!";
}
"""
    assert places
    for place in places:
        assert boxed.grade(_cpp(code.replace("PLACE", place), "fstream")).outcomes == STARTING


@pytest.mark.parametrize(
    ("path", "protected"),
    [
        *(("CMakeLists.txt", True), ("src/CMakeLists.txt", True), ("cmake/x.cmake", True), ("CMakePresets.json", True)),
        *(("build/x.txt", True), ("libx.a", True), ("include/gtest/gtest.h", True), ("include/vector", True)),
        *(("src/greet.cpp", False), ("include/greet.h", False), ("src/build/x.cpp", False), ("README", False)),
    ],
)
def test_what_is_protected(path: str, protected: bool) -> None:
    assert CtestToolchain().is_protected(path) is protected


def test_canaries_look_like_their_neighbours() -> None:
    tests = {"tests/hidden/greeting_test.cpp": HIDDEN}
    drawn = [CtestToolchain().canaries(random.Random(seed), tests) for seed in range(40)]
    assert drawn == [CtestToolchain().canaries(random.Random(seed), tests) for seed in range(40)]
    assert len({canaries.failing for canaries in drawn}) > 30
    for canaries in drawn:
        (path,) = canaries.files
        assert re.fullmatch(r"tests/hidden/[a-z]+(_[a-z]+)*_test\.cpp", path)
        assert path not in tests
        assert re.fullmatch(r"Greeting\.[A-Z]\w+", canaries.failing)
        assert '#include "greeting_test.cpp"' in canaries.files[path]


def test_canaries_beside_unusual_neighbours_take_in_their_headers(boxed: SuiteBed) -> None:
    boxed.tests = {"tests/hidden/greeting_test.cpp": HIDDEN.replace("namespace {", "").replace("}  // namespace", "")}
    graded = boxed.grade(RIGHT)
    assert graded.resolves("Greeting.NamesTheOther", "Greeting.KnowsNobody")
    assert "greeting_test.cpp" not in next(iter(graded.canaries.files.values()))
    assert not boxed.grade(ATTACKS["defines checks away"]).resolves("Greeting.KnowsNobody")


def test_what_is_missing_is_said() -> None:
    missing = CtestToolchain().unavailable({"PATH": ""})
    assert missing is None or "apt-get install cmake g++ libgtest-dev" in missing
