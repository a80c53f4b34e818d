"""A new prompt task that is valid as it stands."""

from pathlib import Path

from agent_bench.errors import UsageError
from agent_bench.formats.prompt_keys import ID_RULE, is_task_id
from agent_bench.history.files import write_durably

# The words in here that YAML could take for something else are in quotes: an id may be "on", "null" or "12".
_TASK = """\
id: "{id}"
title: "{title}"
difficulty: easy            # easy, medium or hard
language: python
tags: []

# Exactly what each agent is told. Give names, formats, values and edge cases: what a check looks for must be said.
prompt: |
  Write a Python module `answer.py` with a function `answer()` that returns the number 42.
  Add tests for it in `test_answer.py` (pytest).

timeout_sec: 600            # for the agent
success_criteria:
  files_produced_min: 2
  must_contain_file: [answer.py, test_answer.py]

# environment:              # what the code needs when it is graded
#   python: "3.12"
#   requirements: ["flask>=3,<4"]
# workspace: workspaces/{name}   # starting files, if it is not to start from nothing
solution: solutions/{name}    # applied by the control "reference", which must score 1

checks:
  - grader: command         # runs in what the agent left, without network; exit 0 passes
    name: behaviour
    weight: 0.3             # the checks that every task has sum to 1.0
    command: ["{{python}}", "{{files}}/check.py"]
    files: checks/{name}      # never shown to agents
"""

_SOLUTION = '''\
"""The answer."""


def answer() -> int:
    """The answer to everything."""
    return 42
'''

_TEST = """\
from answer import answer


def test_answer() -> None:
    assert answer() == 42
"""

_CHECK = '''\
"""Exit 0 if what the agent left behaves as the task says. Runs in the folder that it left."""

import sys

sys.path.insert(0, ".")

from answer import answer

found = answer()
if found != 42:
    sys.exit(f"answer() returned {{found!r}}, expected 42")
'''


def write_scaffold(folder: Path, task_id: str) -> list[Path]:
    """Writes a new task with its solution and its check into a folder of tasks; returns what was written.

    Raises ``UsageError`` for an id that none may have, or if one of the files exists already; then nothing is
    written.
    """
    if not is_task_id(task_id):
        raise UsageError(f"'{task_id}' cannot be a task's id", f"expected {ID_RULE}")
    name = task_id.replace("/", "_")
    title = name.replace("_", " ").replace("-", " ").capitalize()
    texts = {
        folder / f"{name}.yaml": _TASK.format(id=task_id, name=name, title=title),
        folder / "solutions" / name / "answer.py": _SOLUTION,
        folder / "solutions" / name / "test_answer.py": _TEST,
        folder / "checks" / name / "check.py": _CHECK.format(),
    }
    for path in texts:
        if path.exists():
            raise UsageError(f"{path} exists already", "choose another id")
    for path, text in texts.items():
        write_durably(path, text)
    return list(texts)
