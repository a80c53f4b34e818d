import os
import subprocess
import sys
from pathlib import Path

import pytest
from process_bed import needs_bubblewrap

from agent_bench.errors import UsageError
from agent_bench.sandboxes.table import choose_sandbox, find_sandbox

ASK = """
import sys
from agent_bench.errors import AgentBenchError
from agent_bench.sandboxes.table import choose_sandbox
try:
    sandbox, warning = choose_sandbox(sys.argv[1])
    print(sandbox.name, "|", warning)
except AgentBenchError as error:
    print(type(error).__name__, error.exit_code, "|", error.message)
"""


def ask(name: str, path: Path) -> str:
    """What is chosen where PATH holds only ``path``: what is installed is looked up once per process."""
    done = subprocess.run(
        [sys.executable, "-c", ASK, name],
        env={**os.environ, "PATH": str(path)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """A folder with a bwrap that cannot make a sandbox, as where user namespaces are forbidden."""
    program = tmp_path / "bwrap"
    program.write_text("#!/bin/sh\necho 'bwrap: Creating new namespace failed: Operation not permitted' >&2\nexit 1\n")
    program.chmod(0o755)
    return tmp_path


def test_each_is_found_by_its_name() -> None:
    for name in ("local", "bubblewrap"):
        assert find_sandbox(name).name == name


def test_an_unknown_name_gives_the_nearest_and_the_list() -> None:
    with pytest.raises(UsageError, match="unknown sandbox 'bublewrap'") as caught:
        choose_sandbox("bublewrap")
    assert "did you mean 'bubblewrap'?" in (caught.value.hint or "")
    assert "auto, bubblewrap, local" in (caught.value.hint or "")


@needs_bubblewrap
def test_auto_is_bubblewrap_where_it_works() -> None:
    sandbox, warning = choose_sandbox("auto")
    assert (sandbox.name, warning) == ("bubblewrap", "")


def test_auto_is_local_where_it_does_not_and_says_so(tmp_path: Path) -> None:
    sandbox, _, warning = ask("auto", tmp_path).partition(" | ")
    assert sandbox == "local"
    assert "apt-get install bubblewrap" in warning
    assert "can read and change your files" in warning


def test_a_sandbox_that_fails_gives_its_own_reason_and_a_remedy(broken: Path) -> None:
    sandbox, _, warning = ask("auto", broken).partition(" | ")
    assert sandbox == "local"
    assert "Creating new namespace failed: Operation not permitted (" in warning


def test_the_one_that_was_named_has_to_work(tmp_path: Path, broken: Path) -> None:
    assert ask("bubblewrap", broken).startswith("NothingCouldRunError 3 | sandbox 'bubblewrap' does not work here:")
    assert ask("local", tmp_path).startswith("local | Agents run as plain processes")


def test_a_package_can_bring_a_sandbox_and_a_broken_one_is_named(tmp_path: Path) -> None:
    package = tmp_path / "extra_boxes"
    package.mkdir()
    (package / "__init__.py").write_text(
        "from agent_bench.sandboxes.local import Local\nclass Padded(Local):\n    name = 'padded'\n"
    )
    info = tmp_path / "extra_boxes-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: extra-boxes\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[agent_bench.sandboxes]\npadded = extra_boxes:Padded\ncracked = extra_boxes:Missing\n"
    )

    def ask_with_package(name: str) -> str:
        env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
        command = [sys.executable, "-c", ASK, name]
        return subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout

    assert ask_with_package("padded").startswith("padded | ")
    assert ask_with_package("cracked").startswith("UsageError 2 | sandbox 'cracked' (extra_boxes:Missing) cannot be")
