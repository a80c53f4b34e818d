"""What the tests share."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Bench

SCRIPTED = Path(__file__).parent / "agents" / "scripted"


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """The command line in an empty folder, with a small environment and no key."""
    folder = tmp_path / "work"
    folder.mkdir()
    # uv's and pip's own settings stay: environments are made with the user's package index.
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ANTHROPIC_", "AGENT_BENCH_"))}
    return Bench(folder, {**kept, "PYTHONWARNINGS": "error"})


@pytest.fixture(scope="session")
def scripted() -> Callable[..., str]:
    """``--agent`` option for a scripted agent: a real program in tests/agents/scripted."""

    def option(name: str, program: str, *arguments: str) -> str:
        return f"{name}={sys.executable} {SCRIPTED / program} {' '.join(arguments)}"

    return option
