"""Maven: runs the author's withheld JUnit 5 tests on a tree, by the author's pom.xml, without network."""

import hashlib
import os
import random
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath

from anyio.to_thread import run_sync

from agent_bench import workspace
from agent_bench.environment import base_environment, network_environment
from agent_bench.evidence import read_regular
from agent_bench.graders.room import GradingRoom
from agent_bench.model import Invocation, ProcessLimits, Task
from agent_bench.toolchains.canary_names import draw_words
from agent_bench.toolchains.interface import Canaries, Kit, Provision, Suite, SuiteRun, ToolchainError
from agent_bench.toolchains.made_once import made_once
from agent_bench.workspace import shown

_POM, _REPORTS, _REPOSITORY = "pom.xml", "target/surefire-reports", "repository"
_PREPARE_SECONDS, _PROBE_SECONDS = 900.0, 30.0
_MAX_SOURCE_BYTES = 1 << 20
_OPTIONS = ("-B", "-ntp", "-Dstyle.color=never", "-DskipTests=false", "-Dmaven.test.skip=false")
_TOLD = ("-Dsurefire.reportFormat=plain", "-Dsurefire.useFile=false", "-Dmaven.test.redirectTestOutputToFile=true")
"""Each test's result on the console, said by Maven's own process; what tests print is elsewhere."""
_ELAPSED = "Time elapsed: "
_RESULT = re.compile(r"[\d.,]+ s(?:ec)?(?P<bad>\s+<<< \w+!)?")
_TOTAL = re.compile(r"\[\w+\] Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)")
_CRASH = re.compile(r"(?:The forked VM terminated|There was an error in the forked process)[^\n]*")
_JVM = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto"
"""Such a short run gains nothing from more compiling."""
_FOLDERS = frozenset({"target", ".mvn"})
_SUFFIXES = (".class", ".jar", ".war")
_SETTINGS = re.compile(r"(.*/)?(pom\.xml|mvnw(\.cmd)?|junit-platform\.properties|META-INF/(services|maven)/.*)")
_TAKEN = ("org/junit", "org/opentest4j", "org/apiguardian", "org/apache/maven", "org/hamcrest")
"""Packages that the tests themselves stand on: a class of the agent's in one could only take another's place."""
_PACKAGE = re.compile(r"\bpackage ([\w. ]{1,300});")
_ESCAPE = re.compile(r"\\u+([0-9a-fA-F]{4})")
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|//[^\n]*", re.DOTALL)
_OTHER_TESTS = re.compile(r"@(ParameterizedTest|RepeatedTest|TestFactory|TestTemplate|Nested|TestMethodOrder|Order)\b")
_CLASS = re.compile(r"\bclass\s+(\w+)")
_METHOD = re.compile(
    r"^(?P<indent>[ \t]+)@Test[ \t]*\n(?P<head>(?P=indent)(?:public\s+)?void\s+(?P<name>\w+)\(\)[^{\n]*\{\n)"
    r"(?P<body>.*?)(?P<end>^(?P=indent)\}\n)",
    re.MULTILINE | re.DOTALL,
)


class MavenToolchain:
    """Java with Maven, Surefire and JUnit 5. All tests share one JVM, apart from Maven's own."""

    name = "maven"
    language = "java"
    isolates_tests = False
    failed_code = 1

    def unavailable(self, environ: Mapping[str, str]) -> str | None:
        """Maven and a JDK."""
        missing = [name for name in ("mvn", "javac") if not _find(name, environ)]
        if not missing:
            return None
        return f"{' and '.join(missing)} not installed (apt-get install openjdk-17-jdk-headless maven)"

    async def version(self, kit: Kit) -> str:
        """Of Maven and of Java."""
        lines = (await _mvn(kit, kit.scratch, ("-v",), _PROBE_SECONDS)).splitlines()
        java = next((line for line in lines if line.startswith("Java version")), "").split(",")[0]
        return f"{lines[0].split(' (')[0].strip()}, {java}"

    async def prepare(self, task: Task, kit: Kit) -> Provision:
        """A repository with all that the author's build and tests need: filled by running them once, solved."""
        if task.workspace is None or not (task.workspace / _POM).is_file():
            raise ToolchainError(f"the task has no {_POM} in its workspace")
        contents = [(task.workspace / path).read_bytes() for path in _poms(task.workspace)]

        async def fill(making: Path) -> None:
            await _fill(task, kit, making)

        made = await made_once(kit.cache / "maven" / _key(await self.version(kit), contents), fill)
        roots = [_root(name, kit.environ) for name in ("mvn", "javac")]
        return Provision(
            readable=(made, *(root for root in roots if not root.is_relative_to("/usr"))),
            path=tuple(dict.fromkeys(root / "bin" for root in roots)),
            env={
                "JAVA_HOME": str(roots[1]),
                "MAVEN_OPTS": _JVM,
                "MAVEN_SKIP_RC": "1",
                "MAVEN_ARGS": f"-Dmaven.repo.local={made / _REPOSITORY} -o",
            },
        )

    def is_test_file(self, path: str) -> bool:
        """As Surefire's defaults have it."""
        name = PurePosixPath(path).name
        return name.endswith(".java") and (name.startswith("Test") or name.endswith(("Test.java", "Tests.java")))

    def is_protected(self, path: str) -> bool:
        """The build and its settings, compiled code, what JUnit loads by itself, and packages that tests stand on."""
        parts = PurePosixPath(path).parts
        below = [path, *("/".join(parts[number:]) for number in range(1, len(parts)))]
        return (
            _SETTINGS.fullmatch(path) is not None
            or path.endswith(_SUFFIXES)
            or any(part in _FOLDERS for part in parts)
            or path.startswith("src/test/")
            or (path.endswith(".java") and any(place.startswith(f"{name}/") for place in below for name in _TAKEN))
        )

    def canaries(self, draw: random.Random, tests: Mapping[str, str]) -> Canaries:
        """A copy of a neighbouring class with one of its tests, failing at its end: it uses the code under test as
        they do. A plain class if no neighbour can be copied."""
        names = [match["name"] for text in tests.values() for match in _METHOD.finditer(text)]
        failing, passing = (_camel(draw_words(draw, names or list(tests))) for _ in range(2))
        stems = [PurePosixPath(path).stem.removesuffix("Test") for path in tests]
        name = _camel(draw_words(draw, stems, 2), first_upper=True) + "Test"
        left, right = draw.sample(range(2, 900), 2)
        check = "org.junit.jupiter.api.Assertions.assertEquals({}, {} + {});"
        wrong = check.format(left + right + draw.randint(1, 9), left, right)
        copied = _copy(draw, tests, name, failing, wrong)
        if copied is None:
            package = next((match[0] for text in tests.values() if (match := _PACKAGE.search(text))), "")
            copied = f"{package}\n\nclass {name} {{\n{_test(failing, wrong)}}}\n"
        end = copied.rindex("}")
        text = f"{copied[:end]}\n{_test(passing, check.format(left + right, left, right))}}}\n"
        return Canaries(files={f"tests/hidden/{name}.java": text}, passing=passing, failing=failing)

    async def run_suite(self, suite: Suite, room: GradingRoom, provision: Provision) -> SuiteRun:
        """Builds and tests; the reports are Surefire's, in a build folder that was not there before."""
        signs = await run_sync(lambda: tuple(_strange_packages(room.host_tree)))
        poms = await run_sync(lambda: len(_poms(room.host_tree)))
        options = [*_OPTIONS, *_TOLD, *provision.env["MAVEN_ARGS"].split(), *_order(suite.seed)]
        options += await run_sync(_only, suite, room.host_tree) if suite.only else []
        ran = await room.run(
            ("mvn", *options, "test"),
            seconds=suite.seconds,
            readable=provision.readable,
            path_before=provision.path,
            env={name: value for name, value in provision.env.items() if name != "MAVEN_ARGS"},
        )
        text = ran.stdout.decode("utf-8", "replace")
        crash = _CRASH.search(text)
        said, forged = await run_sync(_told, text, poms)
        return SuiteRun(
            finished=ran.finished,
            # Reports of a machine that did not come to its end may be anybody's.
            reports=() if crash else await run_sync(lambda: tuple(_reports(room.host_tree))),
            stopped_by=ran.stopped_by,
            last_words=shown(crash[0])[:200] if crash else _error(text, room.tree) or ran.last_words,
            said=None if suite.only else said,
            tampered=(*signs, *forged),
        )


def _find(name: str, environ: Mapping[str, str]) -> Path | None:
    found = shutil.which(name, path=environ.get("PATH", ""))
    return Path(found) if found else None


def _root(name: str, environ: Mapping[str, str]) -> Path:
    """The folder that the program's ``bin`` lies in, links followed. Raises ``ToolchainError``."""
    found = _find(name, environ)
    if found is None:
        raise ToolchainError(f"{name} is not installed")
    return found.resolve().parents[1]


def _poms(tree: Path) -> list[str]:
    return [path for path in workspace.scan(tree).files if PurePosixPath(path).name == _POM]


def _key(version: str, poms: Sequence[bytes]) -> str:
    digest = hashlib.sha256(version.encode())
    for pom in poms:
        digest.update(b"\0" + pom)
    return digest.hexdigest()[:24]


async def _fill(task: Task, kit: Kit, making: Path) -> None:
    """Runs the author's own build and tests, in a copy, with the user's settings for the network."""
    copy = making / "build"
    layers = {"": task.workspace or Path(), **task.visible, **task.withheld}
    await run_sync(workspace.fill, copy, layers)
    await run_sync(workspace.lay_over, copy, {"": task.solution} if task.solution else {})
    options = (*_OPTIONS, f"-Dmaven.repo.local={making / _REPOSITORY}", "-Dmaven.test.failure.ignore=true", "test")
    await _mvn(kit, copy, options, _PREPARE_SECONDS)
    await run_sync(shutil.rmtree, copy)
    # Where each file came from: without a network, and under other settings, Maven would not believe it is there.
    for pattern in ("_remote.repositories", "*.lastUpdated", "resolver-status.properties"):
        await run_sync(_delete, making / _REPOSITORY, pattern)


def _delete(folder: Path, pattern: str) -> None:
    for path in folder.rglob(pattern):
        path.unlink()


async def _mvn(kit: Kit, cwd: Path, arguments: Sequence[str], seconds: float) -> str:
    """Runs Maven outside any sandbox, on nothing that is an agent's. Raises ``ToolchainError``."""
    program = _find("mvn", kit.environ)
    if program is None:
        raise ToolchainError("mvn is not installed")
    invocation = Invocation(
        argv=(str(program), *arguments),
        cwd=cwd,
        env={
            **base_environment(kit.environ),
            **network_environment(kit.environ),
            "HOME": kit.environ.get("HOME", str(kit.scratch)),
            "JAVA_HOME": str(_root("javac", kit.environ)),
            "MAVEN_OPTS": kit.environ.get("MAVEN_OPTS", _JVM),
        },
        limits=ProcessLimits(wall_sec=seconds),
    )
    finished, stdout, _ = await kit.launcher.run_captured(invocation)
    text = stdout.decode("utf-8", "replace")
    if finished.exit_code != 0:
        late = f"no end within {seconds:g} s" if finished.limit else ""
        said = next(_errors(text), f"exit code {finished.exit_code}")
        raise ToolchainError(f"mvn {arguments[-1]}: {finished.fault or late or shown(said)[:400]}")
    return text


def _order(seed: int) -> list[str]:
    """Classes and methods in an order drawn by the seed."""
    if not seed:
        return []
    methods = "-Djunit.jupiter.testmethod.order.default=org.junit.jupiter.api.MethodOrderer$Random"
    line = f"{methods} -Djunit.jupiter.execution.order.random.seed={seed}"
    return ["-Dsurefire.runOrder=random", f"-Dsurefire.runOrder.random.seed={seed}", f"-DargLine={line}"]


def _only(suite: Suite, tree: Path) -> list[str]:
    """The class is that of the file in which a method of the name stands."""
    method = re.escape((suite.only or "").split("(")[0])
    for path in suite.files:
        text = (read_regular(tree / path, _MAX_SOURCE_BYTES) or b"").decode("utf-8", "replace")
        if re.search(rf"\bvoid\s+{method}\s*\(", text):
            return [f"-Dtest={PurePosixPath(path).stem}#{(suite.only or '').split('(')[0]}"]
    return [f"-Dtest=*#{suite.only}"]


def _strange_packages(tree: Path) -> Iterator[str]:
    """Sources outside the author's tests that put classes among those that the tests stand on."""
    for path in workspace.scan(tree).files:
        if path.endswith(".java") and not path.startswith("tests/"):
            text = (read_regular(tree / path, _MAX_SOURCE_BYTES) or b"").decode("utf-8", "replace")
            plain = _COMMENT.sub(" ", _ESCAPE.sub(lambda found: chr(int(found[1], 16)), text))
            # On one line: each expression here takes time by the length of the text, whatever it holds.
            for declared in _PACKAGE.findall(" ".join(plain.split())):
                name = declared.replace(" ", "").replace(".", "/")
                if any(f"{name}/".startswith(f"{taken}/") for taken in _TAKEN):
                    yield f"{shown(path)} declares the package {shown(declared.strip())}"
                    break


def _reports(tree: Path) -> Iterator[Path]:
    """Surefire's reports; no link is followed."""
    folder = tree
    for part in _REPORTS.split("/"):
        folder /= part
        if folder.is_symlink() or not folder.is_dir():
            return
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith("TEST-") and entry.name.endswith(".xml"):
                yield Path(entry.path)


def _told(text: str, modules: int) -> tuple[dict[str, str], list[str]]:
    """Each test's outcome as Maven told it, and signs that others told some.

    Code under test may add lines to Maven's output, and may add so many that some in the middle are not kept. So the
    worst counts of a test that was named twice, and results must be as many as Maven counts at each module's end.
    """
    outcomes: dict[str, str] = {}
    totals: list[tuple[int, ...]] = []
    told = bad = 0
    for line in text.splitlines():
        if total := _TOTAL.fullmatch(line):
            totals.append(tuple(map(int, total.groups())))
        elif result := _result(line):
            test, outcome = result
            told += 1
            bad += outcome == "failed"
            outcomes[test] = "failed" if outcome == "failed" else outcomes.get(test, outcome)
    signs = [f"the log counts tests {len(totals)} times, and there are {modules} modules"] * (len(totals) > modules)
    ran = sum(run - skipped for run, _, _, skipped in totals)
    failed = sum(failures + errors for _, failures, errors, _ in totals)
    if totals and (told, bad) != (ran, failed):
        signs.append(f"the log tells {told} results, {bad} of them bad, and Maven counted {ran} and {failed}")
    return outcomes, signs


def _result(line: str) -> tuple[str, str] | None:
    """The test and its outcome, of a line such as ``[INFO] a.ShopTest.sells(int)[1] -- Time elapsed: 0.1 s``.

    Taken apart from its end, in one pass: a line may be as long as an agent likes.
    """
    before, mark, after = line.rpartition(_ELAPSED)
    elapsed = _RESULT.fullmatch(after) if mark else None
    if elapsed is None:
        return None
    name = before.partition("] ")[2].strip().rstrip("-").rstrip()
    owner = name.partition("(")[0].rpartition(".")[0]
    return f"{owner}::{name[len(owner) :].removeprefix('.')}", "failed" if elapsed["bad"] else "passed"


def _error(text: str, tree: Path) -> str:
    """The compiler's first error, or Maven's."""
    lines = list(_errors(text))
    source = next((line for line in lines if ".java:[" in line), next(iter(lines), ""))
    return shown(source.removeprefix(f"{tree}/"))[:200]


def _errors(text: str) -> Iterator[str]:
    """What Maven calls errors, without the headings."""
    for line in text.splitlines():
        said = line.removeprefix("[ERROR]").strip().removeprefix("[ERROR]").strip()
        if line.startswith(("[ERROR]", "[FATAL]")) and said and not said.endswith(":"):
            yield said


# -------------------------------------------------------------------------------------------- canaries


def _camel(words: Sequence[str], *, first_upper: bool = False) -> str:
    first, *rest = words
    return (first.capitalize() if first_upper else first) + "".join(map(str.capitalize, rest))


def _test(name: str, check: str) -> str:
    return f"    @org.junit.jupiter.api.Test\n    void {name}() {{\n        {check}\n    }}\n"


def _copy(draw: random.Random, tests: Mapping[str, str], name: str, method: str, check: str) -> str | None:
    """A neighbour's class under another name, of its tests but one, renamed and failing at its end."""
    for path in draw.sample(sorted(tests), len(tests)):
        text = tests[path]
        own = PurePosixPath(path).stem
        usable = [match for match in _METHOD.finditer(text) if not re.search(r"\b(return|throw)\b", match["body"])]
        if _OTHER_TESTS.search(text) or not usable or own not in _CLASS.findall(text):
            continue
        chosen = draw.choice(usable)
        head = chosen["head"].replace(f"void {chosen['name']}(", f"void {method}(")
        indent = chosen["indent"]
        kept = f"{indent}@org.junit.jupiter.api.Test\n{head}{chosen['body']}{indent * 2}{check}\n{chosen['end']}"
        whole = f"{text[: chosen.start()]}\0{text[chosen.end() :]}"
        whole = re.sub(r"@Test\b", "", re.sub(rf"\b{own}\b", name, whole))
        return whole.replace("\0", kept)
    return None
