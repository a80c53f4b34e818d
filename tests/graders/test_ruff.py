import pytest
from grading_bed import GradingBed

from agent_bench.model import Environment

CLEAN = "x = 1\n"
UNUSED = "import os\n"


def test_clean(bed: GradingBed) -> None:
    signal = bed.signal("ruff", {"a.py": CLEAN})
    assert signal.value == 1.0
    assert signal.facts["findings"] == 0


def test_findings_are_counted_by_rule(bed: GradingBed) -> None:
    signal = bed.signal("ruff", {"a.py": "import os\nimport sys\n", "b.py": "print(nosuch)\n"})
    assert signal.value == 0.0
    assert signal.facts["rules"]["F401"] == 2
    assert signal.facts["rules"]["F821"] == 1
    assert signal.facts["findings"] == sum(signal.facts["rules"].values())


def test_a_syntax_error_is_a_finding(local_bed: GradingBed) -> None:
    signal = local_bed.signal("ruff", {"a.py": "def f(:\n"})
    assert signal.value == 0.0
    assert signal.facts["findings"] >= 1


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("ruff.toml", "exclude = ['*']\n"),
        (".ruff.toml", "lint.ignore = ['ALL']\n"),
        ("pyproject.toml", "[tool.ruff]\nexclude = ['*']\n[tool.ruff.lint]\nignore = ['ALL']\n"),
        (".gitignore", "*\n"),
        (".ignore", "*\n"),
        ("ruff.toml", "not toml ["),
    ],
)
def test_settings_of_the_agent_do_not_switch_it_off(local_bed: GradingBed, path: str, content: str) -> None:
    assert local_bed.signal("ruff", {"a.py": UNUSED, path: content}).value == 0.0
    assert local_bed.signal("ruff", {"a.py": CLEAN, path: content}).value == 1.0


@pytest.mark.parametrize(
    "content",
    ["import os  # noqa\n", "# ruff: noqa\nimport os\n", "# flake8: noqa\nimport os\n", "import os  # noqa: F401\n"],
)
def test_comments_do_not_switch_it_off(local_bed: GradingBed, content: str) -> None:
    assert local_bed.signal("ruff", {"a.py": content}).value == 0.0


@pytest.mark.parametrize("folder", ["build", "dist", "site-packages", "_build", "buck-out", ".hidden", ".direnv"])
def test_folders_that_ruff_leaves_out_are_no_place_to_hide(local_bed: GradingBed, folder: str) -> None:
    assert local_bed.signal("ruff", {"a.py": CLEAN, f"{folder}/b.py": UNUSED}).value == 0.0


def test_only_python_files_are_looked_at(local_bed: GradingBed) -> None:
    assert local_bed.signal("ruff", {"a.py": CLEAN, "b.txt": UNUSED, "c.ipynb": "{"}).value == 1.0


@pytest.mark.parametrize("files", [{"a.js": "x"}, {"a.py": "", "b": "text"}])
def test_no_python_is_not_observed(local_bed: GradingBed, files: dict[str, str]) -> None:
    assert local_bed.signal("ruff", files).value is None


def test_an_unchanged_tree_is_not_observed(local_bed: GradingBed) -> None:
    assert local_bed.signal("ruff", {}, starting={"a.py": CLEAN}).value is None


def test_it_judges_by_the_tasks_python(local_bed: GradingBed) -> None:
    files = {"a.py": "def f[T](x: T) -> T:\n    return x\n"}
    local_bed.environment = Environment(python="3.12")
    assert local_bed.signal("ruff", files).value == 1.0
    local_bed.environment = Environment(python="3.11")
    assert local_bed.signal("ruff", files).value == 0.0


def test_a_version_that_ruff_does_not_know_is_not_observed(local_bed: GradingBed) -> None:
    local_bed.environment = Environment(python="3.99")
    signal = local_bed.signal("ruff", {"a.py": CLEAN})
    assert signal.value is None
    assert signal.reason.startswith("ruff failed")


def test_the_agents_ruff_is_not_run(local_bed: GradingBed) -> None:
    files = {"a.py": UNUSED, "ruff": "#!/bin/sh\nexit 0\n", "bin/ruff": "#!/bin/sh\nexit 0\n", "ruff.py": CLEAN}
    assert local_bed.signal("ruff", files).value == 0.0
