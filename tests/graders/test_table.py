import pytest

from agent_bench.errors import UsageError
from agent_bench.graders.table import find_grader


@pytest.mark.parametrize("name", ["files", "imports", "ruff", "pytest", "command", "judge"])
def test_each_grader_is_found(name: str) -> None:
    assert callable(find_grader(name).observe)


def test_a_wrong_name_gives_the_nearest_and_the_list() -> None:
    with pytest.raises(UsageError) as caught:
        find_grader("juge")
    assert "unknown grader 'juge'" in str(caught.value)
    assert "did you mean 'judge'" in str(caught.value.hint)
    assert "command, files, imports, judge, pytest, ruff" in str(caught.value.hint)


def test_a_broken_plugin_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agent_bench.graders.table._plugins", lambda: {"mine": "nosuchpackage:Grader"})
    with pytest.raises(UsageError, match="grader 'mine'.*ModuleNotFoundError"):
        find_grader("mine")
