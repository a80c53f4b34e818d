import sys

import pytest
from grading_bed import GradingBed

from agent_bench.model import Environment


def test_all_files_parse(bed: GradingBed) -> None:
    signal = bed.signal("imports", {"a.py": "import nosuch\n", "p/q/b.py": "x = 1\n", "c.txt": "((("})
    assert signal.value == 1.0
    assert signal.facts["count"] == 2


def test_one_bad_file_is_zero_and_named(bed: GradingBed) -> None:
    signal = bed.signal("imports", {"a.py": "x = 1\n", "p/b.py": "def f(:\n"})
    assert signal.value == 0.0
    assert "1 of 2" in signal.reason
    assert "p/b.py: SyntaxError" in signal.reason


@pytest.mark.parametrize(
    "content",
    [
        b"x = '\xff'\n",
        b"# coding: nosuch\nx = 1\n",
        b"x = 1\0\n",
        b"print 1\n",
        b"(" * 5_000,
        b"-" * 200_000 + b"1",
        b"[" * 100 + b"]" * 100 + b"\n" + b"x.a" + b".a" * 100_000 + b"(\n",
    ],
    ids=["bytes", "coding", "nul", "python2", "brackets", "minus", "attributes"],
)
def test_hostile_files_are_zero_and_no_crash(local_bed: GradingBed, content: bytes) -> None:
    assert local_bed.signal("imports", {"a.py": content}).value == 0.0


@pytest.mark.parametrize(
    "content", [b"\xef\xbb\xbfx = 1\n", b"# coding: latin-1\nx = '\xe9'\n", b"x = '\\d'\n", b"x = 1\r\ny = 2\r\n"]
)
def test_unusual_but_valid_files_parse(local_bed: GradingBed, content: bytes) -> None:
    assert local_bed.signal("imports", {"a.py": content}).value == 1.0


def test_nothing_of_the_file_is_run(bed: GradingBed) -> None:
    files = {"a.py": "import pathlib; pathlib.Path('ran').touch()\n", "json.py": "raise SystemExit(3)\n"}
    files |= {"sitecustomize.py": "raise SystemExit(3)\n", "ast.py": "raise SystemExit(3)\n"}
    assert bed.signal("imports", files).value == 1.0
    assert not list(bed.folder.rglob("ran"))


def test_no_python_is_not_observed(local_bed: GradingBed) -> None:
    signal = local_bed.signal("imports", {"a.js": "x"})
    assert signal.value is None
    assert signal.reason == "no Python code"


def test_only_blank_python_is_not_observed(local_bed: GradingBed) -> None:
    assert local_bed.signal("imports", {"a.py": "\n", "README": "text"}).value is None


def test_an_unchanged_tree_is_not_observed(local_bed: GradingBed) -> None:
    assert local_bed.signal("imports", {}, starting={"a.py": "x = 1\n"}).value is None


def test_a_name_with_control_characters_is_escaped(local_bed: GradingBed) -> None:
    signal = local_bed.signal("imports", {"a\x1b[31m\n.py": "("})
    assert signal.value == 0.0
    assert "\x1b" not in str(signal.model_dump())


def test_a_python_that_is_not_installed_is_not_observed(local_bed: GradingBed) -> None:
    local_bed.environment = Environment(python="3.77")
    signal = local_bed.signal("imports", {"a.py": "x = 1\n"})
    assert signal.value is None
    assert "uv python install 3.77" in signal.reason


def test_a_file_that_kills_the_parser_is_zero(local_bed: GradingBed, monkeypatch: pytest.MonkeyPatch) -> None:
    from agent_bench.graders import imports

    # What takes the parser beyond its limits differs from version to version; so the limit is made small instead.
    monkeypatch.setattr(imports, "MEMORY_BYTES", 64 << 20)
    monkeypatch.setattr(imports, "_SCRIPT", imports._SCRIPT.replace("MemoryError", "EOFError"))
    monkeypatch.setattr(imports, "_SCRIPT", imports._SCRIPT.replace("ast.parse(file.read())", "os.abort()"))
    signal = local_bed.signal("imports", {"killer.py": "x = 1\n"})
    assert signal.value == 0.0
    assert "killer.py" in signal.reason


def test_a_parser_that_fails_by_itself_is_not_observed(local_bed: GradingBed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agent_bench.graders.imports._SCRIPT", "raise SystemExit('defect of ours')")
    signal = local_bed.signal("imports", {"a.py": "x = 1\n"})
    assert signal.value is None
    assert "defect of ours" in signal.reason


def test_the_task_may_name_the_python_that_runs_us(local_bed: GradingBed) -> None:
    local_bed.environment = Environment(python=f"{sys.version_info.major}.{sys.version_info.minor}")
    assert local_bed.signal("imports", {"a.py": "x = 1\n"}).value == 1.0
