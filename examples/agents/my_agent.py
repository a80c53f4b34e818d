"""The smallest agent: reads its task and leaves a file. Put your own in its place."""

import json
import os
import sys
from pathlib import Path

task = Path(sys.argv[sys.argv.index("--task") + 1]).read_text(encoding="utf-8")
Path("notes.md").write_text(f"# To do\n\n{task}\n", encoding="utf-8")
Path(os.environ["HOME"], "usage.json").write_text(json.dumps({"input": 0, "output": 0, "model": None}))
