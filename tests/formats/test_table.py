"""All formats, those of other packages among them."""

import sys
from pathlib import Path

import pytest

from agent_bench.errors import UsageError
from agent_bench.formats.table import formats

PLUGIN = """
class Lists:
    name = "lists"

    def find(self, folder):
        return sorted(folder.glob("*.list"))

    def load(self, path, folder):
        raise NotImplementedError
"""


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package with an entry point, as an installer would leave it."""
    (tmp_path / "lists_plugin.py").write_text(PLUGIN)
    metadata = tmp_path / "lists_plugin-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: lists-plugin\nVersion: 1\n")
    (metadata / "entry_points.txt").write_text("[agent_bench.formats]\nlists = lists_plugin:Lists\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "lists_plugin", raising=False)


def test_the_formats_of_our_own() -> None:
    assert [one.name for one in formats()] == ["prompt", "verified"]


@pytest.mark.usefixtures("install")
def test_a_format_of_another_package() -> None:
    assert [one.name for one in formats()] == ["prompt", "verified", "lists"]


@pytest.mark.usefixtures("install")
def test_a_broken_one_is_shown(tmp_path: Path) -> None:
    (tmp_path / "lists_plugin.py").write_text("import nothing_of_that_name\n")
    with pytest.raises(
        UsageError, match=r"format 'lists' \(lists_plugin:Lists\) cannot be loaded: ModuleNotFoundError"
    ):
        formats()
