import os
from importlib.metadata import version
from pathlib import Path

import pytest
from grading_bed import GradingBed
from wheels import write_wheel

from agent_bench.errors import UsageError
from agent_bench.model import Environment
from agent_bench.toolchains.table import find_toolchain

GOOD = "def test_good():\n    pass\n"
OURS = version("pytest")


def test_the_versions_of_pytest_are_ours(local_bed: GradingBed) -> None:
    test = f"import pytest, pytest_timeout\ndef test_v():\n    assert pytest.__version__ == {OURS!r}\n"
    files = {"requirements.txt": "pytest==7.0.0\npytest-timeout==1.0\n", "test_a.py": test}
    assert local_bed.signal("pytest", files).value == 1.0


def test_a_plugin_that_needs_an_older_pytest_gets_it(local_bed: GradingBed, tmp_path: Path) -> None:
    write_wheel(tmp_path / "index", "spoons", "1.0", {"spoons.py": ""}, requires=f"pytest<{OURS}")
    local_bed.environ = {**os.environ, "UV_FIND_LINKS": str(tmp_path / "index")}
    test = f"import pytest, spoons\ndef test_v():\n    assert pytest.__version__ != {OURS!r}\n"
    signal = local_bed.signal("pytest", {"requirements.txt": "spoons\npytest\n", "test_a.py": test})
    assert signal.value == 1.0
    assert signal.reason == "1 of 1 tests passed"


def test_what_a_project_adds_is_not_kept(local_bed: GradingBed, tmp_path: Path) -> None:
    write_wheel(tmp_path / "index", "spoons", "1.0", {"spoons.py": ""})
    local_bed.environ = {**os.environ, "UV_FIND_LINKS": str(tmp_path / "index")}
    local_bed.signal("pytest", {"test_a.py": GOOD})
    before = set((local_bed.cache / "envs").iterdir())
    assert local_bed.signal("pytest", {"requirements.txt": "spoons\n", "test_a.py": GOOD}).value == 1.0
    assert set((local_bed.cache / "envs").iterdir()) == before
    assert len(list((local_bed.folder / "grading-2" / "scratch" / "environments").iterdir())) == 1


def test_what_the_task_requires_already_adds_nothing(local_bed: GradingBed, tmp_path: Path) -> None:
    write_wheel(tmp_path / "index", "spoons", "1.0", {"spoons.py": ""})
    local_bed.environ = {**os.environ, "UV_FIND_LINKS": str(tmp_path / "index")}
    local_bed.environment = Environment(requirements=("spoons",))
    files = {"requirements.txt": "spoons\npytest>=8\n", "test_a.py": "import spoons\n" + GOOD}
    assert local_bed.signal("pytest", files).value == 1.0
    assert not (local_bed.folder / "grading-1" / "scratch" / "environments").exists()


def test_the_project_of_a_single_folder_declares(local_bed: GradingBed, tmp_path: Path) -> None:
    write_wheel(tmp_path / "index", "spoons", "1.0", {"spoons.py": ""})
    local_bed.environ = {**os.environ, "UV_FIND_LINKS": str(tmp_path / "index")}
    declared = '[project]\nname = "todo"\nversion = "1"\n[dependency-groups]\ntest = ["spoons"]\n'
    files = {"todo/pyproject.toml": declared, "todo/test_a.py": "import spoons\n" + GOOD}
    assert local_bed.signal("pytest", files).value == 1.0


def test_settings_of_the_tree_do_not_reach_uv(local_bed: GradingBed) -> None:
    settings = '[[index]]\nurl = "http://127.0.0.1:9/simple"\ndefault = true\n'
    files = {"uv.toml": settings, "pyproject.toml": "[tool.uv]\noffline = true\n", "requirements.txt": "iniconfig\n"}
    signal = local_bed.signal("pytest", {**files, "test_a.py": GOOD})
    assert signal.value == 1.0
    assert "not be installed" not in signal.reason


def test_a_wrong_name_gives_the_nearest() -> None:
    with pytest.raises(UsageError) as caught:
        find_toolchain("pytset")
    assert "did you mean 'pytest'" in str(caught.value.hint)
