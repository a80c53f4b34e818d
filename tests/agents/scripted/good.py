"""Writes a small working project: a command line tool, its test and a README."""

from pathlib import Path

APP = '''"""A to-do list in a file."""

import argparse
import json
from pathlib import Path


def load(path: Path) -> list[str]:
    """Returns the stored items."""
    return json.loads(path.read_text()) if path.exists() else []


def add(path: Path, item: str) -> list[str]:
    """Stores one more item and returns all."""
    items = [*load(path), item]
    path.write_text(json.dumps(items))
    return items


def main(argv: list[str] | None = None) -> int:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description="Keep a to-do list.")
    parser.add_argument("item", nargs="?")
    parser.add_argument("--file", type=Path, default=Path("todo.json"))
    options = parser.parse_args(argv)
    items = add(options.file, options.item) if options.item else load(options.file)
    for number, item in enumerate(items, 1):
        print(f"{number}. {item}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
'''

TEST = """from pathlib import Path

import todo


def test_items_are_kept(tmp_path: Path) -> None:
    file = tmp_path / "todo.json"
    assert todo.load(file) == []
    todo.add(file, "milk")
    assert todo.add(file, "bread") == ["milk", "bread"]
    assert todo.load(file) == ["milk", "bread"]


def test_the_command_prints_them(tmp_path: Path, capsys) -> None:
    assert todo.main(["milk", "--file", str(tmp_path / "todo.json")]) == 0
    assert capsys.readouterr().out == "1. milk\\n"
"""

Path("todo.py").write_text(APP)
Path("test_todo.py").write_text(TEST)
Path("README.md").write_text("# todo\n\n`python todo.py milk` adds an item, `python todo.py` lists them.\n")
Path("hello.txt").write_text("hello\n")
print("wrote todo.py, test_todo.py, README.md and hello.txt")
