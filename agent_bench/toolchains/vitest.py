"""vitest: runs the author's withheld tests on a tree, with our configuration and none of the tree's."""

import hashlib
import json
import random
import re
import secrets
import shutil
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from anyio.to_thread import run_sync

from agent_bench.environment import base_environment, network_environment
from agent_bench.graders.room import GradingRoom, Ran
from agent_bench.model import Invocation, ProcessLimits, Task
from agent_bench.process import run_briefly
from agent_bench.toolchains.canary_names import draw_words
from agent_bench.toolchains.interface import Canaries, Kit, Provision, Suite, SuiteRun, ToolchainError
from agent_bench.toolchains.made_once import made_once
from agent_bench.workspace import copy_file, scan, shown

_RUNTIME = Path(__file__).parent / "vitest_runtime"
_LOCK, _PACKAGE, _MODULES, _GRADED = "package-lock.json", "package.json", "node_modules", "graded"
_LEAST_NODE = 20
_PREPARE_SECONDS, _PROBE_SECONDS = 600.0, 10.0
_WORD_FD = 3
_TEST_FILE = re.compile(r".+\.(test|spec)\.([cm]?[jt]s|[jt]sx)")
_CONFIGURATION = re.compile(
    r"(vitest|vite|jest|postcss|babel|svelte|astro)\.(config|workspace)\..+|tsconfig.*\.json|jsconfig\.json"
    r"|package(-lock)?\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-.+\.yaml|\.npmrc|\.env.*|\.babelrc.*|\.postcssrc.*"
)
_FOLDERS = frozenset({_MODULES, "__mocks__", "__snapshots__", ".vite", ".vitest"})
_IMPORT = re.compile(
    r"^(?:import\s[^;]*?from\s+[\"'][^\"']+[\"'];?|import\s+[\"'][^\"']+[\"'];?)$", re.MULTILINE | re.DOTALL
)
_TEST = re.compile(
    r"^(?P<indent>[ \t]*)(?:test|it)\((?P<quote>[\"'`])(?P<title>.*?)(?P=quote),\s*"
    r"(?P<is_async>async\s*)?\(\)\s*=>\s*\{\n(?P<body>.*?)^(?P=indent)\}\);?$",
    re.MULTILINE | re.DOTALL,
)


class VitestToolchain:
    """TypeScript and JavaScript with vitest. ``node_modules`` lies beside the tree and is found by walking up."""

    name = "vitest"
    language = "typescript"
    isolates_tests = False
    failed_code = 1

    def unavailable(self, environ: Mapping[str, str]) -> str | None:
        """Node.js 20 or newer with npm."""
        node = _find("node", environ)
        if node is None or _find("npm", environ) is None:
            return "Node.js 20 or newer with npm is not installed (https://nodejs.org, or apt-get install nodejs npm)"
        version = _node_version(node)
        if version < _LEAST_NODE:
            return f"Node.js {version} is too old: 20 or newer is needed (https://nodejs.org)"
        return None

    async def version(self, kit: Kit) -> str:
        """Of Node.js, and of vitest by default."""
        node = _find("node", kit.environ)
        if node is None:
            raise ToolchainError("Node.js is not installed")
        found = await run_sync(run_briefly, [str(node), "--version"], _PROBE_SECONDS)
        pinned = json.loads((_RUNTIME / _PACKAGE).read_text("utf-8"))["dependencies"]["vitest"]
        return f"vitest {pinned}, Node.js {found.output.strip()}"

    async def prepare(self, task: Task, kit: Kit) -> Provision:
        """The packages of the task's lock file, or of ours; each lock file's are installed once."""
        node = _find("node", kit.environ)
        if node is None:
            raise ToolchainError("Node.js is not installed")
        own = task.workspace is not None and (task.workspace / _LOCK).is_file()
        source = task.workspace if own and task.workspace else _RUNTIME
        key = await run_sync(_key, source, _node_version(node))

        async def fill(making: Path) -> None:
            for name in (_PACKAGE, _LOCK):
                await run_sync(copy_file, source / name, making / name)
            for path in await run_sync(lambda: scan(_RUNTIME / _GRADED).files):
                await run_sync(copy_file, _RUNTIME / _GRADED / path, making / _GRADED / path)
            await _install(kit, making)
            if not (making / _MODULES / "vitest" / "vitest.mjs").is_file():
                raise ToolchainError(f"{source / _LOCK} installs no vitest")

        made = await made_once(kit.cache / "node" / key, fill)
        folders = {node.parent, node.resolve().parent}
        return Provision(
            readable=tuple(sorted({folder.parent for folder in folders if not folder.is_relative_to("/usr")})),
            path=tuple(sorted(folders)),
            beside={_MODULES: made / _MODULES, _GRADED: made / _GRADED},
        )

    def is_test_file(self, path: str) -> bool:
        """As vitest has it: x.test.ts, x.spec.ts and their like."""
        return _TEST_FILE.fullmatch(PurePosixPath(path).name) is not None

    def is_protected(self, path: str) -> bool:
        """Settings of the runner and of what it compiles with, packages, mocks and snapshots."""
        parts = PurePosixPath(path).parts
        return _CONFIGURATION.fullmatch(parts[-1]) is not None or any(part in _FOLDERS for part in parts)

    def canaries(self, draw: random.Random, tests: Mapping[str, str]) -> Canaries:
        """In a file with the imports of a neighbour: the failing one is one of its tests, failing at its end, so that
        it uses the code under test as they do, in the same process."""
        found = [(path, match) for path, text in sorted(tests.items()) for match in _TEST.finditer(text)]
        titles = [match["title"] for _, match in found]
        failing, passing = (" ".join(draw_words(draw, titles, 5)) for _ in range(2))
        left, right = draw.sample(range(2, 900), 2)
        wrong = left + right + draw.randint(1, 9)
        path, match = draw.choice(found) if found else ("", None)
        imports = "\n".join(_IMPORT.findall(tests.get(path, "")))
        if "vitest" not in imports:
            imports = f'import {{ expect, test }} from "vitest";\n{imports}'
        word = "test" if re.search(r"\btest\b", imports) else "it"
        body = match["body"] if match else ""
        is_async = "async " if match and match["is_async"] else ""
        stem = "-".join(draw_words(draw, [PurePosixPath(name).stem.split(".")[0] for name in tests] or titles, 2))
        blocks = ((passing, "", "", left + right), (failing, is_async, body, wrong))
        functions = "".join(
            f"\n{word}({json.dumps(title)}, {prefix}() => {{\n{inner}  expect({left} + {right}).toBe({want});\n}});\n"
            for title, prefix, inner, want in blocks
        )
        text = f"{imports}\n{functions}"
        return Canaries(files={f"tests/hidden/{stem}.test.ts": text}, passing=passing, failing=failing)

    async def run_suite(self, suite: Suite, room: GradingRoom, provision: Provision) -> SuiteRun:
        """Runs the files: tests in child processes, the reports made by their parent."""
        above, word = room.inside.workspace.parent, secrets.token_hex(16)
        # A name that nobody in a child process has been told.
        report = f"report-{secrets.token_hex(8)}.xml"
        shuffled = ("--sequence.shuffle.tests", f"--sequence.seed={suite.seed}") if suite.seed else ()
        only = ("-t", f"^\\s*{re.escape(suite.only.replace(' > ', ' '))}$") if suite.only else ()
        ran = await room.run(
            (
                *("node", str(above / _MODULES / "vitest" / "vitest.mjs"), "run", "--root", str(room.tree)),
                *("--config", str(above / _GRADED / "config.mjs"), "--configLoader=native", "--reporter=junit"),
                *(f"--reporter={above / _GRADED / 'reporter.mjs'}", f"--outputFile.junit={room.inside.home / report}"),
                *(*shuffled, *only, *suite.files),
            ),
            seconds=suite.seconds,
            readable=provision.readable,
            path_before=provision.path,
            env={**provision.env, "CI": "true", "VITE_CJS_IGNORE_WARNING": "1"},
            descriptors={_WORD_FD: word},
        )
        said, tampered, error = _told(ran, word)
        return SuiteRun(
            finished=ran.finished,
            reports=(room.host_home / report,),
            stopped_by=ran.stopped_by,
            last_words=error or _error(ran) or ran.last_words,
            said=None if suite.only else said,
            tampered=tampered,
        )


def _find(name: str, environ: Mapping[str, str]) -> Path | None:
    found = shutil.which(name, path=environ.get("PATH", ""))
    return Path(found) if found else None


def _node_version(node: Path) -> int:
    """The major version; 0 if it does not say. Blocks."""
    found = re.search(r"v(\d+)", run_briefly([str(node), "--version"], _PROBE_SECONDS).output)
    return int(found[1]) if found else 0


def _key(source: Path, node: int) -> str:
    digest = hashlib.sha256(f"node {node}\0".encode())
    for path in (source / _PACKAGE, source / _LOCK, *sorted((_RUNTIME / _GRADED).iterdir())):
        digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()[:24]


async def _install(kit: Kit, folder: Path) -> None:
    """``npm ci`` without anybody's scripts, with the user's settings for the registry. Raises ``ToolchainError``."""
    npm = _find("npm", kit.environ)
    if npm is None:
        raise ToolchainError("npm is not installed")
    settings = {name: value for name, value in kit.environ.items() if name.upper().startswith("NPM_CONFIG_")}
    invocation = Invocation(
        argv=(str(npm), "ci", "--ignore-scripts", "--no-audit", "--no-fund"),
        cwd=folder,
        env={
            **base_environment(kit.environ),
            **network_environment(kit.environ),
            **settings,
            "HOME": kit.environ.get("HOME", str(folder)),
        },
        limits=ProcessLimits(wall_sec=_PREPARE_SECONDS),
    )
    finished, _, stderr = await kit.launcher.run_captured(invocation)
    if finished.exit_code != 0:
        late = f"no end within {_PREPARE_SECONDS:g} s" if finished.limit else ""
        said = " ".join(stderr.decode("utf-8", "replace").split())
        raise ToolchainError(f"npm ci: {finished.fault or late or shown(said)[:400]}")


def _told(ran: Ran, word: str) -> tuple[dict[str, str], tuple[str, ...], str]:
    """What our reporter said: test to outcome, signs of tampering, and the first error outside a test."""
    outcomes: dict[str, str] = {}
    signs: list[str] = []
    errors: list[str] = []
    for line in ran.stdout.decode("utf-8", "replace").split("\n"):
        if not line.startswith(f"{word} "):
            continue
        try:
            facts = json.loads(line.removeprefix(f"{word} "))
            outcomes.update({facts["test"]: facts["outcome"]} if "test" in facts else {})
            signs += [shown(str(facts["tampered"]))[:200]] if "tampered" in facts else []
            errors += [shown(" ".join(str(facts["error"]).split()))[:200]] if "error" in facts else []
        except (ValueError, KeyError, TypeError):
            signs.append("the reporter's own lines were written by somebody else")
    return outcomes, tuple(signs[:5]), next(iter(errors), "")


def _error(ran: Ran) -> str:
    """The first error that vitest itself names."""
    text = ran.stdout.decode("utf-8", "replace") + "\n"
    found = re.search(r"(?:Error|SyntaxError|TypeError): [^\n]+", text)
    return shown(found[0])[:200] if found else ""
