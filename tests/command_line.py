"""The command line as a user runs it: a real process in a folder of its own."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Bench:
    """A working folder, and the command line run in it as a real process."""

    folder: Path
    env: dict[str, str]

    def __call__(
        self, *arguments: str, code: int | None = 0, timeout: float = 110
    ) -> "subprocess.CompletedProcess[str]":
        """Runs ``agent-bench`` and asserts its exit code (None: any)."""
        done = subprocess.run(
            [sys.executable, "-m", "agent_bench", *arguments],
            cwd=self.folder,
            env=self.env,
            capture_output=True,
            text=True,
            timeout=timeout,
            stdin=subprocess.DEVNULL,
        )
        if code is not None:
            assert done.returncode == code, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    def start(self, *arguments: str) -> "subprocess.Popen[str]":
        """Starts ``agent-bench`` and returns at once."""
        return subprocess.Popen(
            [sys.executable, "-m", "agent_bench", *arguments],
            cwd=self.folder,
            env=self.env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            text=True,
        )

    def json(self, *arguments: str, code: int = 0) -> Any:
        """What a command prints with ``--json``."""
        return json.loads(self(*arguments, "--json", code=code).stdout)

    def results(self) -> list[dict[str, Any]]:
        """The records in results.json."""
        return list(json.loads((self.folder / "results.json").read_text())["records"])

    def task(self, name: str = "trivial", text: str = "prompt: Write hello.txt\n") -> None:
        """Adds a task to the folder's own tasks."""
        (self.folder / "tasks").mkdir(exist_ok=True)
        (self.folder / "tasks" / f"{name}.yaml").write_text(f"id: {name}\n{text}")
