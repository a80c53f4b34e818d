"""Records in the workspace all that it was given: arguments, stdin, environment, folder, and its prompt's file."""

import json
import os
import sys
from pathlib import Path

stdin = sys.stdin.buffer.read()
prompt_file = Path(os.environ["HOME"], "prompt.txt")
record = {
    "arguments": [os.fsencode(argument).decode("utf-8", "replace") for argument in sys.argv[1:]],
    "stdin": stdin.decode("utf-8"),
    "is_terminal": os.isatty(0),
    "environment": dict(os.environ),
    "folder": os.getcwd(),
    "prompt_file": prompt_file.read_bytes().decode("utf-8"),
}
Path("record.json").write_text(json.dumps(record), encoding="utf-8")
