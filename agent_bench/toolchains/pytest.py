"""pytest: runs the author's withheld tests on a tree, with the author's configuration alone."""

import ast
import copy
import json
import random
import secrets
import sys
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path, PurePosixPath

from anyio.to_thread import run_sync

from agent_bench.graders.room import GradingRoom, Ran
from agent_bench.model import Task
from agent_bench.toolchains.canary_names import draw_words
from agent_bench.toolchains.interface import Canaries, Kit, Provision, Suite, SuiteRun
from agent_bench.toolchains.python_environment import EnvironmentMaker, find_interpreter
from agent_bench.toolchains.python_language import MEMORY_BYTES, our_tools
from agent_bench.toolchains.uv import Uv

_GUARD = Path(__file__).parent / "inside" / "pytest_guard.py"
_REPORT = "report.xml"
_CONFIGURATION = frozenset(
    {
        *("conftest.py", "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "pyproject.toml", "setup.cfg"),
        *("tox.ini", "setup.py", "sitecustomize.py", "usercustomize.py", ".coveragerc", "noxfile.py"),
    }
)
_TAKEN = frozenset(
    {*sys.stdlib_module_names, "pytest", "_pytest", "pluggy", "iniconfig", "packaging", "pygments", "py"}
)
"""Modules that the tests themselves stand on: one of the agent's of such a name could only take its place."""
_SUFFIXES = (".pth", ".pyc", ".so", ".pyd")


class PytestToolchain:
    """Python and pytest."""

    name = "pytest"
    language = "python"
    isolates_tests = False
    failed_code = 1

    def unavailable(self, environ: Mapping[str, str]) -> str | None:
        """Never: Python is there, and the rest is installed with this program or by uv."""
        return None

    async def version(self, kit: Kit) -> str:
        """Of pytest, and of the Python that runs this program: the default of tasks."""
        return f"pytest {version('pytest')}, Python {sys.version_info.major}.{sys.version_info.minor}"

    async def prepare(self, task: Task, kit: Kit) -> Provision:
        """The environment of the task: its requirements and pytest. Raises ``ToolchainError``."""
        uv = Uv(kit.launcher, kit.environ, kit.cache)
        base = await find_interpreter(task.environment.python, uv)
        maker = EnvironmentMaker(kit.cache / "envs", base, uv, kept=True)
        made = await maker.make((*our_tools(), *task.environment.requirements))
        folder = made.program.parent
        return Provision(readable=made.readable, path=(folder,), env={"VIRTUAL_ENV": str(folder.parent)})

    def is_test_file(self, path: str) -> bool:
        """As pytest's own default: test_*.py and *_test.py."""
        name = PurePosixPath(path).name
        return name.endswith(".py") and (name.startswith("test_") or name.endswith("_test.py"))

    def is_protected(self, path: str) -> bool:
        """Settings of pytest, what Python runs by itself at its start, plugins, and modules that tests stand on."""
        parts = PurePosixPath(path).parts
        top = parts[0].removesuffix(".py")
        return (
            parts[-1] in _CONFIGURATION
            or path.endswith(_SUFFIXES)
            or top in _TAKEN
            or any(part.endswith((".dist-info", ".egg-info", ".egg-link")) for part in parts)
        )

    def canaries(self, draw: random.Random, tests: Mapping[str, str]) -> Canaries:
        """Copies of one of the neighbouring tests if there is a simple one: it uses the code under test as they do."""
        names = [node.name for text in tests.values() for node in _simple_tests(text)]
        stem = "_".join(draw_words(draw, [*map(_stem, tests)] or names, 2))
        failing, passing = ("test_" + "_".join(draw_words(draw, names)) for _ in range(2))
        left, right = draw.sample(range(2, 900), 2)
        end = f"assert {left} + {right} == {{}}"
        copied = _copy(draw, tests, failing, end.format(left + right + draw.randint(1, 9)))
        passes = f"\n\ndef {passing}():\n    {end.format(left + right)}\n"
        return Canaries(files={f"tests/hidden/test_{stem}.py": f"{copied}{passes}"}, passing=passing, failing=failing)

    async def run_suite(self, suite: Suite, room: GradingRoom, provision: Provision) -> SuiteRun:
        """Runs the files, by our guard."""
        # Ends pytest's search for settings in the folders above, where the tree is not alone.
        await run_sync(lambda: room.host_tree.with_name("pytest.ini").write_text("[pytest]\n", encoding="utf-8"))
        word, report = secrets.token_hex(16), room.inside.home / _REPORT
        ran = await room.run(
            (
                *(str(provision.path[0] / "python"), "-s", "-B", str(_GUARD)),
                *(str(room.tree), str(suite.seed), suite.only or ""),
                *("-q", "-p", "no:cacheprovider", "--tb=line", "--continue-on-collection-errors"),
                *("-o", "junit_family=xunit1", f"--junit-xml={report}", f"--rootdir={room.tree}"),
                *suite.files,
            ),
            seconds=suite.seconds,
            readable=(*provision.readable, _GUARD),
            path_before=provision.path,
            env=provision.env,
            memory_bytes=MEMORY_BYTES,
            descriptors={3: word},
        )
        told, changed = _told(ran, word)
        return SuiteRun(
            finished=ran.finished,
            reports=(room.host_home / _REPORT,),
            stopped_by=ran.stopped_by,
            last_words=ran.last_words,
            said=told,
            tampered=(f"changed while the tests ran: {', '.join(changed)}",) if changed else (),
        )


def _told(ran: Ran, word: str) -> tuple[dict[str, str], list[str]]:
    """What the guard said: test to outcome, the first that is not "passed" holds; and what it found changed."""
    outcomes: dict[str, str] = {}
    changed: list[str] = []
    for line in ran.stdout.decode("utf-8", "replace").splitlines():
        if not line.startswith(f"{word} "):
            continue
        try:
            facts = json.loads(line.removeprefix(f"{word} "))
        except ValueError:  # only somebody who has found the word writes such a line
            facts = {"changed": ["the guard's own lines"]}
        changed += facts.get("changed", [])
        if outcomes.get(facts.get("test", ""), "passed") == "passed" and "test" in facts:
            outcomes[facts["test"]] = facts["outcome"]
    return outcomes, changed


def _stem(path: str) -> str:
    return PurePosixPath(path).stem


def _simple_tests(text: str) -> list[ast.FunctionDef]:
    """The test functions of a file that take nothing and are not decorated."""
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError):
        return []
    functions = [node for node in body if isinstance(node, ast.FunctionDef) and node.name.startswith("test")]
    return [node for node in functions if not node.decorator_list and not ast.unparse(node.args)]


def _copy(draw: random.Random, tests: Mapping[str, str], name: str, end: str) -> str:
    """A file with everything that stands beside the tests of a neighbouring file, and one of its tests, renamed and
    failing at its end; a plain failing test if no file has a simple one."""
    files = sorted(path for path, text in tests.items() if _simple_tests(text))
    if not files:
        return f"def {name}():\n    {end}\n"
    text = tests[draw.choice(files)]
    chosen = draw.choice(_simple_tests(text))
    module = ast.parse(text)
    kept = [node for node in module.body if not _is_test(node)]
    copied = copy.deepcopy(chosen)
    copied.name, copied.body = name, [*chosen.body, *ast.parse(end).body]
    module.body = [*kept, copied]
    return ast.unparse(ast.fix_missing_locations(module)) + "\n"


def _is_test(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.name.lower().startswith(
        "test"
    )
