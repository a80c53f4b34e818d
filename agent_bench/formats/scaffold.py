"""A new prompt task that is valid as it stands."""

from pathlib import Path

from agent_bench.history.files import write_durably

_TASK = """\
id: {id}
title: {title}
difficulty: easy            # easy, medium or hard
language: python
tags: []

# Exactly what each agent is told. Give names, formats, values and edge cases: what a check looks for must be said.
prompt: |
  Write a Python module `{module}.py` with a function `answer()` that returns the number 42.
  Add tests for it in `test_{module}.py` (pytest).

timeout_sec: 600            # for the agent
success_criteria:
  files_produced_min: 2
  must_contain_file: [{module}.py]

# environment:              # what the code needs when it is graded
#   python: "3.12"
#   requirements: ["flask>=3,<4"]
# workspace: workspaces/{id}   # starting files, if it is not to start from nothing
solution: solutions/{id}    # applied by the control "reference", which must score 1

checks:
  - grader: command         # runs in what the agent left, without network; exit 0 passes
    name: behaviour
    weight: 0.3
    command: ["{{python}}", "{{files}}/check.py"]
    files: checks/{id}      # never shown to agents
"""

_SOLUTION = '''\
"""The answer."""


def answer() -> int:
    """The answer to everything."""
    return 42
'''

_TEST = """\
from {module} import answer


def test_answer() -> None:
    assert answer() == 42
"""

_CHECK = '''\
"""Exit 0 if what the agent left behaves as the task says. Runs in the folder that it left."""

import sys

sys.path.insert(0, ".")

import {module}  # noqa: E402

assert {module}.answer() == 42, "answer() is wrong"
'''


def write_scaffold(folder: Path, task_id: str) -> list[Path]:
    """Writes a new task with its solution and its check into a folder of tasks; returns what was written.

    The id must be valid: ``formats.prompt`` says which are.
    """
    flat = task_id.replace("/", "_")
    module = flat.replace("-", "_")
    module = module if module[0].isalpha() else f"task_{module}"
    names = {"id": task_id, "title": flat.replace("_", " ").replace("-", " ").capitalize(), "module": module}
    texts = {
        folder / f"{flat}.yaml": _TASK,
        folder / "solutions" / task_id / f"{module}.py": _SOLUTION,
        folder / "solutions" / task_id / f"test_{module}.py": _TEST,
        folder / "checks" / task_id / "check.py": _CHECK,
    }
    for path, text in texts.items():
        write_durably(path, text if text is _SOLUTION else text.format(**names))
    return list(texts)
