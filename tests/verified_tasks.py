"""Copies of the verified task ``adder``, changed as a test needs them."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ADDER = Path(__file__).parent / "data" / "verified" / "python" / "adder"
SOLUTION = (ADDER / "solution" / "sums.py").read_text()
DEFECT = (ADDER / "workspace" / "sums.py").read_text()
HIDDEN = "tests/hidden/test_hidden_sums.py"
HIDDEN_TEXT = (ADDER / HIDDEN).read_text()
PUBLIC = "tests/public/test_public_sums.py"


def adder(tasks: Path, files: Mapping[str, str | None] | None = None, **keys: Any) -> Path:
    """A copy below a folder of tasks: files replaced (None: removed), keys of task.json replaced (None: removed)."""
    folder = tasks / "verified" / "python" / "adder"
    shutil.copytree(ADDER, folder, ignore=shutil.ignore_patterns("__pycache__"))
    for path, text in (files or {}).items():
        if text is None:
            (folder / path).unlink()
        else:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
    data = json.loads((ADDER / "task.json").read_text())
    data = {key: value for key, value in {**data, **keys}.items() if value is not None}
    (folder / "task.json").write_text(json.dumps(data, indent=1))
    return folder
