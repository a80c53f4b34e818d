import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import anyio
import pytest
from wheels import write_sdist, write_wheel

from agent_bench.process import Launcher, open_launcher
from agent_bench.toolchains.interface import ToolchainError
from agent_bench.toolchains.python_environment import EnvironmentMaker, Interpreter, find_interpreter
from agent_bench.toolchains.uv import Uv

T = TypeVar("T")


@pytest.fixture
def index(tmp_path: Path) -> Path:
    """A folder of packages; there is no other source."""
    folder = tmp_path / "index"
    write_wheel(folder, "spoons", "1.0", {"spoons.py": "COUNT = 3\n"})
    return folder


def with_uv(tmp_path: Path, work: Callable[[Uv], Awaitable[T]]) -> T:
    """uv that has but the folder ``index``."""
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "UV_FIND_LINKS": str(tmp_path / "index"),
        "UV_OFFLINE": "1",
        "UV_PYTHON": "2.7",
        "UV_SYSTEM_PYTHON": "1",
    }

    async def main() -> T:
        async with open_launcher() as launcher:
            return await work(Uv(launcher, environ, tmp_path))

    return anyio.run(main)


async def maker(uv: Uv, folder: Path, kept: bool = True) -> EnvironmentMaker:
    return EnvironmentMaker(folder, await find_interpreter(None, uv), uv, kept)


def make(tmp_path: Path, *requirements: str, kept: bool = True) -> Interpreter:
    async def work(uv: Uv) -> Interpreter:
        return await (await maker(uv, tmp_path / "envs", kept)).make(requirements)

    return with_uv(tmp_path, work)


def output(interpreter: Interpreter, program: str) -> str:
    return subprocess.run(
        [interpreter.program, "-c", program], check=True, capture_output=True, text=True, cwd="/", env={}
    ).stdout.strip()


def test_it_holds_what_was_asked_for_and_nothing_of_ours(tmp_path: Path, index: Path) -> None:
    made = make(tmp_path, "spoons==1.0")
    assert output(made, "import spoons; print(spoons.COUNT)") == "3"
    assert (
        output(made, "import importlib.util as u; print(u.find_spec('agent_bench'), u.find_spec('pytest'))")
        == "None None"
    )
    assert output(made, "import sys; print(sys.prefix)").startswith(str(tmp_path))
    assert made.program.is_relative_to(made.readable[0])


def test_it_is_made_once(tmp_path: Path, index: Path) -> None:
    first = make(tmp_path, "spoons")
    marker = first.program.parent / "marker"
    marker.touch()
    assert make(tmp_path, "spoons") == first
    assert marker.exists()
    assert make(tmp_path, "spoons==1.0") != first


def test_the_order_of_requirements_changes_nothing(tmp_path: Path, index: Path) -> None:
    write_wheel(index, "forks", "1.0", {"forks.py": ""})
    assert make(tmp_path, "spoons", "forks") == make(tmp_path, "forks", "spoons")


def test_several_at_once_make_one(tmp_path: Path, index: Path) -> None:
    async def work(uv: Uv) -> list[Interpreter]:
        making = await maker(uv, tmp_path / "envs")
        made: list[Interpreter] = []

        async def one() -> None:
            made.append(await making.make(("spoons",)))

        async with anyio.create_task_group() as tasks:
            for _ in range(4):
                tasks.start_soon(one)
        return made

    made = with_uv(tmp_path, work)
    assert len(made) == 4
    assert len({interpreter.program for interpreter in made}) == 1
    assert len(list((tmp_path / "envs").iterdir())) == 1
    assert output(made[0], "import spoons; print(spoons.COUNT)") == "3"


def test_one_whose_interpreter_is_gone_is_made_again(tmp_path: Path, index: Path) -> None:
    first = make(tmp_path, "spoons")
    first.program.unlink()
    first.program.symlink_to("/nonexistent/python")
    assert make(tmp_path, "spoons") == first
    assert output(first, "import spoons; print(spoons.COUNT)") == "3"


def test_half_of_one_is_never_seen(tmp_path: Path, index: Path) -> None:
    async def work(uv: Uv) -> None:
        making = await maker(uv, tmp_path / "envs")
        with anyio.move_on_after(0.05):
            await making.make(("spoons",))

    with_uv(tmp_path, work)
    left = list((tmp_path / "envs").iterdir()) if (tmp_path / "envs").exists() else []
    assert [path for path in left if not (path / "bin" / "python").exists()] == []
    assert [path for path in left if path.name.startswith(".")] == []


def test_what_cannot_be_had_is_said_and_leaves_nothing(tmp_path: Path, index: Path) -> None:
    with pytest.raises(ToolchainError, match="spoons"):
        make(tmp_path, "spoons==9.9")
    assert list((tmp_path / "envs").iterdir()) == []


MARK = "import pathlib; pathlib.Path({path!r}).write_text('ran')\n"


def test_making_one_builds_nothing(tmp_path: Path, index: Path) -> None:
    marker = tmp_path / "marker"
    write_sdist(index, "knives", "1.0+test", MARK.format(path=str(marker)))
    with pytest.raises(ToolchainError, match="knives"):
        make(tmp_path, "knives==1.0+test")
    assert not marker.exists()


@pytest.mark.parametrize("kept", [True, False])
def test_making_one_runs_nothing_that_a_package_brings(tmp_path: Path, index: Path, kept: bool) -> None:
    marker = tmp_path / "marker"
    line = MARK.format(path=str(marker))
    write_wheel(index, "knives", "1.0", {"knives.pth": line, "sitecustomize.py": line, "encodings_.pth": line})
    made = make(tmp_path, "knives", "spoons", kept=kept)
    assert not marker.exists()
    output(made, "pass")
    assert marker.exists(), "else the test shows nothing"


def test_one_that_is_kept_is_compiled_and_its_files_are_read_only(tmp_path: Path, index: Path) -> None:
    made = make(tmp_path, "spoons")
    [source] = made.readable[0].rglob("spoons.py")
    assert list((source.parent / "__pycache__").glob("spoons.*.pyc"))
    assert source.stat().st_mode & 0o222 == 0
    assert output(made, "import spoons; print(spoons.__file__)") == str(source)


def test_writing_to_one_changes_no_cache_of_uv(tmp_path: Path, index: Path) -> None:
    made = make(tmp_path, "spoons", kept=False)
    [source] = made.readable[0].rglob("spoons.py")
    assert source.stat().st_nlink == 1


def test_the_interpreter_of_our_own(tmp_path: Path) -> None:
    async def work(uv: Uv) -> list[Interpreter]:
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        return [await find_interpreter(None, uv), await find_interpreter(version, uv)]

    first, second = with_uv(tmp_path, work)
    assert first == second
    assert "venv" not in str(first.program)
    assert output(first, "import sys; print(sys.version_info[:2])") == str(sys.version_info[:2])


def test_an_interpreter_of_another_version_or_why_not(tmp_path: Path) -> None:
    async def work(uv: Uv) -> Interpreter | str:
        other = f"3.{sys.version_info.minor + 1}"
        try:
            return await find_interpreter(other, uv)
        except ToolchainError as error:
            return str(error)

    found = with_uv(tmp_path, work)
    if isinstance(found, str):
        assert f"uv python install 3.{sys.version_info.minor + 1}" in found
    else:
        assert output(found, "import sys; print(sys.version_info[1])") == str(sys.version_info.minor + 1)


def test_the_shims_of_pyenv_are_passed_by(tmp_path: Path) -> None:
    """uv stops at a shim whose version is not switched on."""
    shims, real = tmp_path / "pyenv" / "shims", tmp_path / "pyenv" / "versions" / "3.x" / "bin"
    for folder in (shims, real):
        folder.mkdir(parents=True)
    version = f"3.{sys.version_info.minor + 1}"
    shim = shims / f"python{version}"
    shim.write_text("#!/bin/sh\nexit 127\n")
    shim.chmod(0o755)

    async def work(launcher: Launcher, environ: dict[str, str]) -> str:
        try:
            return str((await find_interpreter(version, Uv(launcher, environ, tmp_path))).program)
        except ToolchainError as error:
            return str(error)

    async def main() -> str:
        environ = {"PATH": str(shims), "PYENV_ROOT": str(tmp_path / "pyenv"), "HOME": str(tmp_path)}
        async with open_launcher() as launcher:
            return await work(launcher, environ)

    assert "shim" not in anyio.run(main)
