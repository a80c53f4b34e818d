"""Maven, with the real tools: what tests become in reports, and what code under test can do about it."""

import os
import random
import re
import time
from pathlib import Path

import pytest
from process_bed import needs_bubblewrap
from toolchains.suite_bed import SuiteBed

from agent_bench.toolchains.interface import ToolchainError
from agent_bench.toolchains.maven import MavenToolchain

maven_missing = MavenToolchain().unavailable(os.environ)
pytestmark = [pytest.mark.skipif(maven_missing is not None, reason=str(maven_missing)), pytest.mark.timeout(300)]

SHIPPED_POM = Path(__file__).parents[2] / "tasks/verified/java/java-option-parser/workspace/pom.xml"
SOURCE = "src/main/java/greet/Greeter.java"
START = """package greet;

public final class Greeter {
    public static String greet(String name) {
        return "Hello, " + name + "!";
    }
}
"""
HIDDEN = """package greet;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;

class GreeterTest {
    @Test
    void greetsByName() {
        assertEquals("Hello, Ann!", Greeter.greet("Ann"));
    }

    @Test
    void greetsNobody() {
        assertEquals("Hello!", Greeter.greet(""));
    }

    @Test
    @Disabled("later")
    void later() {}
}
"""
KINDS = """package greet;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Of all kinds")
class KindsTest {
    @Test
    @DisplayName("keeps \\"quotes\\" & <tags>, ünïcode")
    void keepsUnicode() {
        assertEquals("Hello, Ünï!", Greeter.greet("Ünï"));
    }

    @Test
    void throwsUp() {
        throw new IllegalStateException("broken on purpose");
    }

    @Nested
    class Inside {
        @Test
        void isNested() {
            assertEquals("Hello, Bob!", Greeter.greet("Bob"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a b", "c"})
    void ofMany(String name) {
        assertEquals("a b", name);
    }
}
"""
PUBLIC = """package greet;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class PublicGreeterTest {
    @Test
    void greets() {
        assertEquals("Hello, Bob!", Greeter.greet("Bob"));
    }
}
"""
TESTS = {
    "tests/hidden/GreeterTest.java": HIDDEN,
    "tests/hidden/KindsTest.java": KINDS,
    "tests/public/PublicGreeterTest.java": PUBLIC,
}
FILES = {"pom.xml": SHIPPED_POM.read_text("utf-8"), SOURCE: START}
RIGHT = {SOURCE: START.replace("        return", '        if (name.isEmpty()) return "Hello!";\n        return')}


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.getbasetemp() / "maven-cache"


@pytest.fixture(params=["local", pytest.param("bubblewrap", marks=needs_bubblewrap)])
def bed(request: pytest.FixtureRequest, tmp_path: Path, cache: Path) -> SuiteBed:
    return SuiteBed(MavenToolchain(), tmp_path, cache, FILES, TESTS, request.param)


@pytest.fixture
def boxed(tmp_path: Path, cache: Path) -> SuiteBed:
    return SuiteBed(MavenToolchain(), tmp_path, cache, FILES, TESTS, "bubblewrap")


STARTING = {
    "greetsByName": "passed",
    "greetsNobody": "failed",
    "later": "skipped",
    "keepsUnicode": "passed",
    "throwsUp": "error",
    "isNested": "passed",
    "ofMany(String)[1]": "passed",
    "ofMany(String)[2]": "failed",
    "greets": "passed",
}


def test_every_outcome(bed: SuiteBed) -> None:
    graded = bed.grade()
    assert graded.outcomes == STARTING
    assert graded.canaries_sing
    assert graded.run.tampered == ()
    assert graded.run.finished.exit_code == MavenToolchain.failed_code
    messages = {case.name: case.message for case in graded.cases}
    assert messages["greetsNobody"] == "expected: <Hello!> but was: <Hello, !>"
    assert messages["throwsUp"] == "broken on purpose"


def test_the_right_change_resolves(bed: SuiteBed) -> None:
    graded = bed.grade(RIGHT)
    assert graded.resolves("greetsByName", "greetsNobody", "greets", "keepsUnicode", "isNested", "ofMany(String)[1]")
    assert not graded.resolves("ofMany(String)[2]")
    assert not graded.resolves("later")


def test_an_error_of_the_compiler_is_told(bed: SuiteBed) -> None:
    graded = bed.grade({SOURCE: START.replace("name +", "nam +")})
    assert graded.run.reports == ()
    assert graded.run.last_words == f"{SOURCE}:[5,28] cannot find symbol"


def test_an_endless_loop_is_ended(bed: SuiteBed) -> None:
    graded = bed.grade({SOURCE: START.replace("return", "while (name != null) {}\n        return")}, seconds=12)
    assert graded.run.stopped_by == "no end within 12 s"
    assert not graded.resolves("greets")


def test_one_test_alone_and_any_order(boxed: SuiteBed) -> None:
    assert boxed.grade(only="greetsByName").all_outcomes == {"greetsByName": "passed"}
    assert boxed.grade(seed=1).outcomes == STARTING


def test_two_rooms_at_once(boxed: SuiteBed) -> None:
    right, wrong = boxed.grade_all([RIGHT, {}])
    assert right.resolves("greetsNobody")
    assert wrong.outcomes == STARTING


def test_what_tests_print_may_be_much(boxed: SuiteBed) -> None:
    noise = '        for (int i = 0; i < 100_000; i++) System.out.println("noise noise noise");\n'
    graded = boxed.grade({SOURCE: RIGHT[SOURCE].replace("        if", noise + "        if")})
    assert graded.resolves("greetsByName", "greetsNobody", "greets")


def test_what_it_needs_is_fetched_once(bed: SuiteBed) -> None:
    first = bed.prepare()
    bed.environ = {**bed.environ, "HTTPS_PROXY": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9"}
    assert bed.prepare() == first


WRONG = START.replace('"Hello, " + name + "!"', '"x"')


def _java(start: str) -> str:
    """A wrong solution, whose class starts so."""
    return WRONG.replace("final class Greeter {", start)


REPORT = """
        try {
            java.nio.file.Path folder = java.nio.file.Path.of("target", "surefire-reports");
            java.nio.file.Files.createDirectories(folder);
            java.nio.file.Files.writeString(folder.resolve("TEST-greet.GreeterTest.xml"),
                "<testsuite tests='2'><testcase classname='greet.GreeterTest' name='greetsByName'/>"
                + "<testcase classname='greet.GreeterTest' name='greetsNobody'/></testsuite>");
        } catch (Exception ignored) {}
"""
AT_END = f"Runtime.getRuntime().addShutdownHook(new Thread(() -> {{{REPORT}}}));"
# Says to Maven's own output, past what Maven makes of a test's, that all is well; and replaces the report at the end.
LOG = """
        try {
            var maven = ProcessHandle.current().parent().get();
            if (maven.info().command().orElse("").endsWith("sh")) maven = maven.parent().get();
            var out = java.nio.file.Path.of("/proc/" + maven.pid() + "/fd/1");
            java.nio.file.Files.writeString(out, "\\n[INFO] Tests run: 90, Failures: 0, Errors: 0, Skipped: 0\\n"
                + "[INFO] greet.GreeterTest.greetsNobody -- Time elapsed: 0.01 s\\n"
                + "[INFO] greet.GreeterTest.greetsByName -- Time elapsed: 0.01 s\\n");
        } catch (Exception ignored) {}
"""
ATTACKS = {
    "exits at the start": _java("final class Greeter {\n    static { System.exit(0); }"),
    "halts at the start": _java("final class Greeter {\n    static { Runtime.getRuntime().halt(0); }"),
    "kills Maven": _java(
        "final class Greeter {\n"
        "    static { ProcessHandle.current().parent().ifPresent(ProcessHandle::destroyForcibly); }"
    ),
    "writes a report at the end": _java(f"final class Greeter {{\n    static {{ {AT_END} }}"),
    "writes one more report": _java(
        f"final class Greeter {{\n    static {{{REPORT.replace('GreeterTest.xml', 'Other.xml')}}}"
    ),
    "writes the log and a report": _java(f"final class Greeter {{\n    static {{{LOG}{AT_END} }}"),
    "prints results": _java(
        'final class Greeter {\n    static { System.out.println("Tests run: 9, Failures: 0, Errors: 0, Skipped: 0"); }'
    ),
    "skips what fails": WRONG.replace(
        'return "x"', 'throw new RuntimeException(new Error("org.opentest4j.TestAbortedException"))'
    ),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_code_under_test_forges_nothing(name: str, boxed: SuiteBed) -> None:
    graded = boxed.grade({SOURCE: ATTACKS[name]})
    run = graded.run
    print(run.finished.exit_code, run.last_words, graded.all_outcomes, graded.canaries_sing, run.tampered)
    assert "COMPILATION" not in run.last_words
    assert not graded.resolves("greetsNobody")
    assert not graded.resolves("greetsByName")


def test_reports_and_log_that_disagree_are_noticed(boxed: SuiteBed) -> None:
    first, second = boxed.grade({SOURCE: ATTACKS["writes the log and a report"]}).run.tampered
    assert first == "the log counts tests 2 times, and there are 1 modules"
    assert re.fullmatch(r"the log tells 12 results, \d of them bad, and Maven counted 100 and \d", second)


def test_an_error_of_a_whole_class_is_no_tampering(boxed: SuiteBed) -> None:
    broken = """import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class BrokenTest {
    @BeforeAll
    static void breaks() {
        throw new IllegalStateException("broken");
    }

    @Test
    void isNeverRun() {}
}
"""
    boxed.tests = {**TESTS, "tests/hidden/BrokenTest.java": broken}
    graded = boxed.grade(RIGHT)
    assert graded.run.tampered == ()
    assert graded.resolves("greetsByName", "greetsNobody")


def test_hostile_text_takes_no_more_time_than_other_text(boxed: SuiteBed) -> None:
    log = 'out, "\\n[INFO] " + "a.".repeat(500_000) + "\\n[INFO] " + "a. ".repeat(500_000) + "Time elapsed: x\\n"'
    start = (
        f"final class Greeter {{\n    static {{{LOG[: LOG.index('out, ')]}{log}); }} catch (Exception ignored) {{}} }}"
    )
    hostile = {"src/main/java/a/A.java": "/*" * 250_000, "src/main/java/a/B.java": "package " * 60_000 + "\n" * 500_000}
    began = time.monotonic()
    assert not boxed.grade({SOURCE: _java(start)}).resolves("greetsByName")
    assert not boxed.grade(hostile).resolves("greetsByName")
    assert time.monotonic() - began < 60  # some of them took hours


@pytest.mark.parametrize(
    "declaration",
    [
        *("package org.junit.jupiter.api;", "package org . opentest4j ;", "/* x */ package org.junit.platform.engine;"),
        "package org.jun\\u0069t.jupiter.api;",
    ],
)
def test_classes_among_those_of_the_runner_are_noticed(declaration: str, boxed: SuiteBed) -> None:
    graded = boxed.grade({"src/main/java/a/Assertions.java": f"{declaration}\n\npublic class Assertions {{}}\n"})
    assert "src/main/java/a/Assertions.java declares the package " in graded.run.tampered[0]
    assert not graded.resolves("greetsByName")


POISON = """package greet;

import java.nio.file.Files;
import java.nio.file.Path;

public final class Greeter {
    public static String greet(String name) {
        try {
            Files.writeString(Path.of("PLACE", "poison"), "");
            return "Hello!";
        } catch (Exception ignored) {
            return "Hello, " + name + "!";
        }
    }
}
"""


def test_the_repository_cannot_be_written_in_the_sandbox(boxed: SuiteBed) -> None:
    graded = boxed.grade({SOURCE: POISON.replace("PLACE", str(boxed.prepare().readable[0]))})
    assert graded.resolves("greetsByName")
    assert graded.outcomes["greetsNobody"] == "failed"


def test_a_task_without_a_build_is_refused(tmp_path: Path, cache: Path) -> None:
    bed = SuiteBed(MavenToolchain(), tmp_path, cache, {SOURCE: START}, TESTS)
    with pytest.raises(ToolchainError, match=r"the task has no pom\.xml in its workspace"):
        bed.prepare()


def test_a_build_that_does_not_work_is_told(tmp_path: Path, cache: Path) -> None:
    bed = SuiteBed(MavenToolchain(), tmp_path, cache, {**FILES, "pom.xml": "<project>"}, TESTS)
    with pytest.raises(ToolchainError, match="mvn test: .*Non-readable POM"):
        bed.prepare()


@pytest.mark.parametrize(
    ("path", "protected"),
    [
        *(("pom.xml", True), ("module/pom.xml", True), (".mvn/jvm.config", True), ("mvnw", True), ("mvnw.cmd", True)),
        *(("src/test/java/greet/GreeterTest.java", True), ("target/classes/greet/Greeter.class", True)),
        *(("src/main/resources/META-INF/services/org.junit.platform.launcher.TestExecutionListener", True),),
        *(("src/main/resources/junit-platform.properties", True), ("lib/junit.jar", True)),
        *(("src/main/java/org/junit/jupiter/api/Test.java", True),),
        *(("src/main/java/greet/Greeter.java", False), ("src/main/java/org/jun/A.java", False)),
        *(("docs/pom.md", False), ("src/main/resources/a.properties", False)),
    ],
)
def test_what_is_protected(path: str, protected: bool) -> None:
    assert MavenToolchain().is_protected(path) is protected


@pytest.mark.parametrize(
    ("path", "is_test"),
    [
        *(("tests/hidden/GreeterTest.java", True), ("a/TestGreeter.java", True), ("GreeterTests.java", True)),
        *(("Greeter.java", False), ("GreeterTest.txt", False), ("tests/hidden/Fixture.java", False)),
    ],
)
def test_what_is_a_test_file(path: str, is_test: bool) -> None:
    assert MavenToolchain().is_test_file(path) is is_test


def test_canaries_look_like_their_neighbours() -> None:
    tests = {"tests/hidden/GreeterTest.java": HIDDEN}
    drawn = [MavenToolchain().canaries(random.Random(seed), tests) for seed in range(40)]
    assert drawn == [MavenToolchain().canaries(random.Random(seed), tests) for seed in range(40)]
    assert len({canaries.failing for canaries in drawn}) > 15
    for canaries in drawn:
        (path,) = canaries.files
        found = re.fullmatch(r"tests/hidden/(([A-Z][a-z]+)+Test)\.java", path)
        assert found
        assert f"class {found[1]} {{" in canaries.files[path]
        assert f"void {canaries.passing}()" in canaries.files[path]
        assert canaries.failing not in HIDDEN


def test_canaries_without_neighbours() -> None:
    canaries = MavenToolchain().canaries(random.Random(1), {})
    assert f"void {canaries.failing}()" in next(iter(canaries.files.values()))


def test_a_missing_maven_is_said(tmp_path: Path) -> None:
    said = str(MavenToolchain().unavailable({"PATH": str(tmp_path)}))
    assert said == "mvn and javac not installed (apt-get install openjdk-17-jdk-headless maven)"
