"""The README's first command, in a fresh clone and a fresh environment: a plain install carries all that it needs."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.timeout(600)
def test_the_first_command_works_in_a_fresh_clone_and_from_any_folder(tmp_path: Path) -> None:
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("needs git and a checkout to clone")
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
    readme = (clone / "README.md").read_text()
    (command,) = [line for line in readme.splitlines() if line.startswith("python3 -m venv") and "run todo_api" in line]
    env = {name: value for name, value in os.environ.items() if not name.startswith(("ANTHROPIC_", "AGENT_BENCH_"))}
    # The interpreter of this test stands for the machine's python3.
    first = tmp_path / "bin"
    first.mkdir()
    (first / "python3").symlink_to(sys._base_executable)  # type: ignore[attr-defined]
    env["PATH"] = f"{first}{os.pathsep}{env['PATH']}"
    done = subprocess.run(
        command, shell=True, cwd=clone, env=env, capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "reference" in done.stdout
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    program = clone / ".venv" / "bin" / "agent-bench"
    again = subprocess.run(
        [program, "run", "hello_cli", "-a", "noop", "-a", "reference"],
        cwd=elsewhere,
        env=env,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )
    assert again.returncode == 0, again.stdout + again.stderr
    assert "1.00" in again.stdout
    assert (elsewhere / "runs").is_dir()
