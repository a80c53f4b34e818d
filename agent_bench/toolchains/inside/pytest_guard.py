"""A program: runs withheld tests with pytest, and tells each result by a way that cannot be taken back.

It is run by the task's own Python inside the grading sandbox; only the standard library and pytest are there. The
code under test shares its process, so nothing here can be proof against code written against it; it takes the cheap
ways: what was said on the output is said (a report can be rewritten, a line in our log cannot), changed parts of
pytest, unittest and the builtins are noticed at each test, and values that claim to equal everything fail their
test. The canaries among the tests are for the rest.

Arguments: the tree, a seed for the order (0: as collected), the name of the one test to run ("": all), pytest's own.
Descriptor 3 holds a word that begins each line of ours.
"""

import ast
import builtins
import json
import os
import random
import sys
import unittest
import unittest.mock
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import _pytest.assertion.rewrite as rewrite
import _pytest.junitxml
import _pytest.outcomes
import _pytest.python
import _pytest.reports
import _pytest.runner
import _pytest.skipping
import pluggy
import pytest

CHANGED_CODE = 70
"""Exit code where a part of the runner was changed."""
_PROBE = "@probe"
_WATCHED: tuple[Any, ...] = (
    *(builtins, unittest.case, rewrite, pluggy._callers, pluggy._hooks, pluggy._manager, pluggy._result),
    *(_pytest.junitxml, _pytest.outcomes, _pytest.python, _pytest.reports, _pytest.runner, _pytest.skipping),
)
_MAX_DEPTH, _MAX_ITEMS = 6, 2000


def main(arguments: list[str]) -> None:
    """Runs the tests and ends the process at once, before anything that waits for its end."""
    tree, seed, only, *rest = arguments
    with os.fdopen(3, encoding="ascii") as reader:
        speaker = Speaker(reader.read().strip())
    sys.path[:] = [entry for entry in sys.path if Path(entry or ".").resolve() not in _places(tree)]
    probe_equality()
    end, kept = os._exit, snapshot(_WATCHED)
    guard = Guard(speaker, tree, int(seed), only, lambda: changes(kept))
    code = int(pytest.main(rest, plugins=[guard]))
    changed = guard.changed or changes(kept)
    speaker.say(end=code, changed=changed)
    end(CHANGED_CODE if changed else code)


def _places(tree: str) -> tuple[Path, ...]:
    """Folders that must not come before the standard library: this program's own and the tree."""
    return (Path(__file__).resolve().parent, Path(tree).resolve())


class Speaker:
    """Writes lines to the output as it was when the program started, whatever becomes of it later."""

    def __init__(self, word: str) -> None:
        self._word, self._write = word, os.write
        self._descriptor = os.dup(1)
        self._dumps = json.dumps

    def say(self, **facts: Any) -> None:
        """One line."""
        self._write(self._descriptor, f"\n{self._word} {self._dumps(facts)}\n".encode())


class Guard:
    """The plugin."""

    def __init__(self, speaker: Speaker, tree: str, seed: int, only: str, look: Callable[[], list[str]]) -> None:
        self._speaker, self._tree, self._seed, self._only, self._look = speaker, tree, seed, only, look
        self._plugins: set[int] = set()
        self.changed: list[str] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_load_initial_conftests(self) -> None:
        """The tree comes last: no module in it takes the place of an installed one, and no plugin is loaded from it."""
        sys.path.append(self._tree)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Draws the order, or picks the one test."""
        if self._only:
            items[:] = [item for item in items if item.name == self._only]
        elif self._seed:
            random.Random(self._seed).shuffle(items)  # noqa: S311 - must be repeatable

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session: pytest.Session) -> None:
        """Notes which plugins there are before any code under test is imported."""
        self._plugins = {id(plugin) for plugin in session.config.pluginmanager.get_plugins()}
        self._manager, self._root = session.config.pluginmanager, Path(self._tree).resolve() / "tests"

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Says what became of a step of a test."""
        if report.when == "teardown":  # by now a test has undone what it patched itself
            self.changed = self.changed or self._look() or self._strange_plugins()
        if report.when == "call" or report.outcome != "passed":
            self._speaker.say(test=report.nodeid, outcome=report.outcome)

    def _strange_plugins(self) -> list[str]:
        """Plugins that came while tests were collected and run, other than the author's conftest files and theirs."""
        added = [plugin for plugin in self._manager.get_plugins() if id(plugin) not in self._plugins]
        return [f"plugin {type(plugin).__name__}" for plugin in added if not self._is_authors(plugin)]

    def _is_authors(self, plugin: object) -> bool:
        """In the tree only the files below tests/, and every conftest.py, are the author's for certain."""
        if not isinstance(plugin, ModuleType):
            return type(plugin).__name__ in ("Session", "FixtureManager", "LogXML")
        place = Path(getattr(plugin, "__file__", None) or self._tree).resolve()
        in_tree = place.is_relative_to(self._root.parent)
        return not in_tree or place.name == "conftest.py" or place.is_relative_to(self._root)


# ------------------------------------------------------------------------------- what must stay as it is


def snapshot(watched: tuple[Any, ...]) -> dict[tuple[str, str], tuple[int, int]]:
    """The functions, classes and values of modules, and the methods of their classes, by identity."""
    return {(where, name): _mark(value) for where, name, value in _parts(watched)}


def changes(kept: dict[tuple[str, str], tuple[int, int]]) -> list[str]:
    """Names of parts that are not what they were."""
    now = snapshot(_WATCHED)
    return [f"{where}.{name}" for (where, name), mark in kept.items() if now.get((where, name)) != mark][:10]


def _parts(watched: tuple[Any, ...]) -> Iterator[tuple[str, str, Any]]:
    for module in watched:
        for name, value in list(vars(module).items()):
            if name.startswith("__") or name == "_":
                continue
            yield module.__name__, name, value
            if isinstance(value, type) and value.__module__ == module.__name__:
                for inner, method in list(vars(value).items()):
                    if callable(method) or isinstance(method, (classmethod, staticmethod, property)):
                        yield f"{module.__name__}.{name}", inner, method


def _mark(value: Any) -> tuple[int, int]:
    inner = getattr(value, "__func__", value)
    code = id(inner.__code__) if type(inner) is FunctionType else 0
    return id(value), code


# --------------------------------------------------------------------------------- values that equal everything


def probe_equality() -> None:
    """Puts a probe around whatever tests compare, in ``assert`` statements and in unittest's ``assertEqual``."""
    module = ModuleType("_equality_probe")
    _replace(module, "probe", honest)
    sys.modules[module.__name__] = module
    original = rewrite.rewrite_asserts

    def rewrite_asserts(tree: ast.Module, *rest: Any, **named: Any) -> None:
        ProbeInserter().visit(tree)
        place = next((number for number, node in enumerate(tree.body) if not _is_preamble(node)), len(tree.body))
        added = ast.parse(f"from {module.__name__} import probe").body[0]
        # No name in a program can be written so: nothing of the tests' own is hidden.
        added.names[0].asname = _PROBE  # type: ignore[attr-defined]
        tree.body.insert(place, added)
        original(tree, *rest, **named)

    _replace(rewrite, "rewrite_asserts", rewrite_asserts)
    equality = unittest.TestCase._getAssertEqualityFunc

    def probed(case: Any, first: Any, second: Any) -> Any:
        honest(first), honest(second)
        return equality(case, first, second)

    _replace(unittest.TestCase, "_getAssertEqualityFunc", probed)


def _replace(owner: Any, name: str, value: Any) -> None:
    setattr(owner, name, value)


def _is_preamble(node: ast.stmt) -> bool:
    """A docstring, or an import of the future: they must stay first."""
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    return is_text or (isinstance(node, ast.ImportFrom) and node.module == "__future__")


class ProbeInserter(ast.NodeTransformer):
    """Wraps both sides of ``==`` and ``in`` below ``assert``."""

    def visit_Assert(self, node: ast.Assert) -> ast.Assert:
        """An ``assert``."""
        for compare in ast.walk(node.test):
            if isinstance(compare, ast.Compare) and any(isinstance(op, (ast.Eq, ast.In)) for op in compare.ops):
                compare.left = _wrapped(compare.left)
                compare.comparators = [_wrapped(side) for side in compare.comparators]
        return node


def _wrapped(node: ast.expr) -> ast.expr:
    if isinstance(node, ast.Constant):
        return node
    call = ast.Call(func=ast.Name(id=_PROBE, ctx=ast.Load()), args=[node], keywords=[])
    return ast.copy_location(call, node)


class _Nothing:
    """Equals only itself."""


def _strangers() -> tuple[Any, ...]:
    """Values of every plain type that nothing can equal by honest means."""
    number = random.SystemRandom().getrandbits(100)
    text = f"{number:x}"
    return (_Nothing(), number, number + 0.5, text, text.encode(), [text], (text,), {text: text}, {text})


_PLAIN = (int, float, complex, str, bytes, bool, type(None))
_STRANGERS, _ANY = _strangers(), type(unittest.mock.ANY)


def honest(value: Any) -> Any:
    """The value; raises ``AssertionError`` if it, or a part of it, equals what it cannot equal."""
    _look_at(value, 0)
    return value


def _look_at(value: Any, depth: int) -> None:
    kind = type(value)
    if kind in _PLAIN or kind is _ANY or depth > _MAX_DEPTH:
        return
    if kind in (list, tuple, set, frozenset, dict):
        parts = [*value, *value.values()] if kind is dict else [*value]
        for part in parts[:_MAX_ITEMS]:
            _look_at(part, depth + 1)
        return
    for stranger in _STRANGERS:
        try:
            equal = bool(value == stranger)
        except Exception:  # arrays and the like have no single answer
            equal = False
        if equal:
            raise AssertionError(f"tampered: a value of type {kind.__name__} claims to equal everything")


if __name__ == "__main__":
    main(sys.argv[1:])
