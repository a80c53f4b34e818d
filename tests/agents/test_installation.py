"""Programs installed in the ways that people install them: each really runs where HOME is hidden, and HOME stays so."""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest

from agent_bench.agents.installation import Installation, installation_of

SAYS = "print('it runs')\n"


@pytest.fixture
def user(tmp_path: Path) -> Path:
    """A HOME with things in it that nobody is to see."""
    home = tmp_path / "user"
    for name in (
        ".ssh/id_rsa",
        ".config/gh/hosts.yml",
        ".aws/credentials",
        "Documents/diary.txt",
        ".cargo/credentials.toml",
    ):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("secret")
    (home / ".bash_history").write_text("secret")
    return home


def program(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def link(path: Path, target: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)
    return path


def venv(folder: Path) -> Path:
    """A virtual environment on the interpreter that runs the tests."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    return folder


def installed(user: Path, *programs: Path, path: tuple[Path, ...] = ()) -> Installation:
    search = ":".join([*map(str, path), "/usr/local/bin", "/usr/bin", "/bin"])
    return installation_of(programs, {"HOME": str(user), "PATH": search})


def check_hidden(user: Path, found: Installation) -> None:
    """Nothing private is in what is shown."""
    for root in found.roots:
        assert not user.is_relative_to(root), root
        if not root.is_relative_to(user):
            continue
        if root.is_dir():
            shown = [path for path in root.rglob("*") if path.is_file() and not path.is_symlink()]
            assert not [path for path in shown if path.stat().st_size < 10 and path.read_bytes() == b"secret"], root
        elif root.is_file():
            assert root.read_bytes() != b"secret"


def check_runs(stage: Any, user: Path, found: Installation, *argv: str) -> None:
    """It runs in the sandbox that hides the host, and sees nothing of HOME that is not its own."""
    check_hidden(user, found)
    finished = stage.run_words(*argv, readable=found.roots, path=found.path)
    assert finished.exit_code == 0, finished.stderr.read_text()
    assert "it runs" in finished.stdout.read_text()
    script = f"cat {user}/.ssh/id_rsa {user}/.bash_history {user}/Documents/diary.txt {user}/.config/gh/hosts.yml"
    peek = stage.run_words("/bin/sh", "-c", script, readable=found.roots)
    assert "secret" not in peek.stdout.read_text()


def test_a_link_in_local_bin_to_a_versioned_file(hidden_stage: Any, user: Path) -> None:
    program(user / ".local/share/agent/versions/1.2", f"#!{sys.executable}\n{SAYS}")
    agent = link(user / ".local/bin/agent", "../share/agent/versions/1.2")
    check_runs(hidden_stage, user, installed(user, agent), str(agent))


def test_an_npm_prefix_with_node_from_nvm(hidden_stage: Any, user: Path) -> None:
    # A stand-in for node that is found on the PATH as "node", so that the test needs none.
    node = user / ".nvm/versions/node/v22.1.0/bin"
    program(node / "node", f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    package = user / ".npm-global/lib/node_modules/@maker/agent"
    program(package / "dist/cli.js", f"#!/usr/bin/env node\nimport part\n{SAYS}")
    (package / "dist/part.py").touch()
    agent = link(user / ".npm-global/bin/agent", "../lib/node_modules/@maker/agent/dist/cli.js")
    found = installed(user, agent, Path(sys.executable), path=(node,))
    check_runs(hidden_stage, user, found, str(agent))


def test_an_npm_prefix_that_is_local(hidden_stage: Any, user: Path) -> None:
    program(user / ".local/lib/node_modules/agent/cli", f"#!{sys.executable}\n{SAYS}")
    agent = link(user / ".local/bin/agent", "../lib/node_modules/agent/cli")
    found = installed(user, agent)
    assert user / ".local/lib/node_modules" in found.roots
    check_runs(hidden_stage, user, found, str(agent))


def test_nvm_with_a_link_among_the_folders(hidden_stage: Any, user: Path) -> None:
    program(user / ".nvm/versions/node/v22/lib/node_modules/agent/cli", f"#!{sys.executable}\n{SAYS}")
    link(user / ".nvm/versions/node/v22/bin/agent", "../lib/node_modules/agent/cli")
    link(user / ".nvm/current", "versions/node/v22")
    agent = user / ".nvm/current/bin/agent"
    check_runs(hidden_stage, user, installed(user, agent), str(agent))


def test_a_uv_tool(hidden_stage: Any, user: Path) -> None:
    tool = venv(user / ".local/share/uv/tools/agent")
    program(tool / "bin/agent", f"#!{tool}/bin/python\nimport agent_code\n{SAYS}")
    site = next(tool.glob("lib/python3*/site-packages"))
    (site / "agent_code.py").touch()
    agent = link(user / ".local/bin/agent", f"{tool}/bin/agent")
    check_runs(hidden_stage, user, installed(user, agent), str(agent))


def test_a_tool_whose_first_line_would_be_too_long(hidden_stage: Any, user: Path) -> None:
    tool = venv(user / ".local/share/uv/tools" / ("a" * 150))
    long_line = f"#!/bin/sh\n'''exec' \"{tool}/bin/python\" \"$0\" \"$@\"\n' '''\n"
    agent = program(user / ".local/bin/agent", long_line + SAYS)
    found = installed(user, agent)
    assert tool in found.roots
    check_runs(hidden_stage, user, found, str(agent))


def test_code_that_is_installed_in_place(hidden_stage: Any, user: Path) -> None:
    tool = venv(user / "work/agent/.venv")
    (user / "work/agent/.git").mkdir()
    (user / "work/agent/agent_code.py").touch()
    site = next(tool.glob("lib/python3*/site-packages"))
    (site / "agent.pth").write_text(f"{user}/work/agent\n")
    info = site / "agent-1.0.dist-info"
    info.mkdir()
    url = f"file://{user}/work/agent"
    (info / "direct_url.json").write_text(f'{{"url": "{url}", "dir_info": {{"editable": true}}}}')
    agent = program(tool / "bin/agent", f"#!{tool}/bin/python3\nimport agent_code\n{SAYS}")
    check_runs(hidden_stage, user, installed(user, agent), str(agent))


def test_code_in_place_is_not_shown_where_it_holds_what_we_keep(user: Path) -> None:
    tool = venv(user / "work/agent/.venv")
    (user / "work/agent/runs").mkdir()
    info = next(tool.glob("lib/python3*/site-packages")) / "agent-1.0.dist-info"
    info.mkdir()
    url = f"file://{user}/work/agent"
    (info / "direct_url.json").write_text(f'{{"url": "{url}", "dir_info": {{"editable": true}}}}')
    found = installed(user, program(tool / "bin/agent", f"#!{tool}/bin/python3\n"))
    assert user / "work/agent" not in found.roots
    assert tool in found.roots


def test_pip_install_user(hidden_stage: Any, user: Path) -> None:
    python = shutil.which("python3", path="/usr/bin")
    if python is None:
        pytest.skip("no python3 of the system")
    version = subprocess.run(
        [python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"], capture_output=True, text=True
    ).stdout.strip()
    site = user / f".local/lib/python{version}/site-packages"
    site.mkdir(parents=True)
    (site / "agent_code.py").touch()
    agent = program(user / ".local/bin/agent", f"#!{python}\nimport agent_code\n{SAYS}")
    found = installed(user, agent)
    assert found.env == {"PYTHONUSERBASE": str(user / ".local")}
    argv = ("/usr/bin/env", f"PYTHONUSERBASE={found.env['PYTHONUSERBASE']}", str(agent))
    check_runs(hidden_stage, user, found, *argv)


def test_pyenv(hidden_stage: Any, user: Path) -> None:
    root = user / ".pyenv"
    (root / ".git").mkdir(parents=True)
    program(root / "libexec/pyenv", f'#!/bin/sh\nshift\nexec {root}/versions/3.13.0/bin/"$@"\n')
    program(root / "versions/3.13.0/bin/agent", f"#!{sys.executable}\n{SAYS}")
    shim = program(root / "shims/agent", f'#!/usr/bin/env bash\nexec "{root}/libexec/pyenv" exec agent "$@"\n')
    check_runs(hidden_stage, user, installed(user, shim, Path(sys.executable)), str(shim))


def test_a_real_installation_of_python_in_home(hidden_stage: Any, user: Path) -> None:
    # The interpreter that runs the tests, by a link of the user's: its own library must come along.
    agent = link(user / ".local/bin/python-x", sys.executable)
    found = installed(user, agent)
    check_runs(hidden_stage, user, found, str(agent), "-c", "import json, sysconfig; print('it runs')")
    base = Path(sysconfig.get_config_var("base"))
    assert base.is_relative_to("/usr") or any(base.is_relative_to(root) for root in found.roots)


def test_a_script_in_a_folder_of_its_own(hidden_stage: Any, user: Path) -> None:
    (user / "my-agent").mkdir()
    (user / "my-agent/part.py").touch()
    agent = program(user / "my-agent/main.py", f"#!/usr/bin/env python3\nimport part\n{SAYS}")
    found = installed(user, agent, path=(Path(sys.executable).parent,))
    assert user / "my-agent" in found.roots
    check_runs(hidden_stage, user, found, str(agent))


@pytest.mark.parametrize(
    "place",
    [
        "agent",
        "bin/agent",
        ".local/bin/agent",
        ".local/share/agent",
        ".cargo/bin/agent",
        ".config/x/agent",
        "Documents/agent",
    ],
)
def test_a_script_among_private_things_is_shown_alone(user: Path, place: str) -> None:
    agent = program(user / place, "#!/bin/sh\n")
    found = installed(user, agent)
    assert found.roots == (agent,)
    assert found.path == (agent.parent,)


@pytest.mark.parametrize("ours", ["runs", "tasks", "bench.db", ".git"])
def test_a_script_in_a_project_is_shown_alone(user: Path, ours: str) -> None:
    (user / "project" / ours).mkdir(parents=True)
    agent = program(user / "project/agent", "#!/bin/sh\n")
    assert installed(user, agent).roots == (agent,)


def test_the_folder_we_work_in_is_not_shown(user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    agent = program(user / "project/agent", "#!/bin/sh\n")
    (user / "project/inner").mkdir()
    monkeypatch.chdir(user / "project/inner")
    assert installed(user, agent).roots == (agent,)
    shutil.rmtree(user / "project/inner")
    assert installed(user, agent).roots == (user / "project",)


def test_other_peoples_homes_and_the_root_are_not_shown(tmp_path: Path) -> None:
    for place in ("/agent", "/data/agent", "/home/someone/agent", "/Users/someone/bin/agent"):
        assert installation_of([Path(place)], {"HOME": str(tmp_path)}).roots == (Path(place),)
    for place in ("/opt/tool/bin/agent", "/nix/store/abc-agent/bin/agent"):
        root = Path("/nix/store") if "nix" in place else Path("/opt/tool")
        assert installation_of([Path(place)], {"HOME": str(tmp_path)}).roots == (root,)


def test_programs_of_the_system_need_nothing(tmp_path: Path) -> None:
    assert installation_of([Path("/usr/bin/env"), Path("/bin/sh")], {"HOME": str(tmp_path)}) == Installation()


def test_links_in_circles_and_nonsense_end(user: Path) -> None:
    link(user / "a/x", "../b/x")
    link(user / "b/x", "../a/x")
    odd = program(user / "c/odd", "#!'unclosed\n")
    empty = program(user / "c/empty", "#!\n")
    itself = program(user / "c/itself", f"#!{user}/c/itself\n")
    missing = program(user / "c/missing", "#!/usr/bin/env no-such-program\n")
    found = installed(user, user / "a/x", odd, empty, itself, missing, user / "gone")
    check_hidden(user, found)
    assert user / "c" in found.roots
    assert os.fspath(user) not in map(os.fspath, found.roots)
