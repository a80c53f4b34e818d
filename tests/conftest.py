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


def pytest_sessionfinish(session: pytest.Session) -> None:
    """In CI, where everything is installed, a test that did not run is a failure; but not for who runs it."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    reports = reporter.stats.get("skipped", []) if reporter else []
    skipped = sum("root may" not in str(report.longrepr) for report in reports)
    if skipped and os.environ.get("CI") == "true":
        reporter.write_line(f"CI: {skipped} tests were skipped; everything that they need must be installed", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
