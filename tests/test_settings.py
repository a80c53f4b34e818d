"""Where the value of a setting comes from."""

from pathlib import Path

import pytest

from agent_bench.errors import FileError, UsageError
from agent_bench.settings import resolve


def test_the_command_line_wins_then_the_environment_then_the_file(tmp_path: Path) -> None:
    (tmp_path / "agent-bench.toml").write_text('attempts = 2\nretries = 5\nruns = "kept"\nmax_concurrent = 4\n')
    environ = {"AGENT_BENCH_ATTEMPTS": "3", "AGENT_BENCH_RETRIES": "1", "AGENT_BENCH_JUDGE": "false"}
    settings = resolve({"attempts": 7, "retries": None}, environ, tmp_path)
    assert (settings["attempts"], settings.values["attempts"].source) == (7, "command line")
    assert (settings["retries"], settings.values["retries"].source) == (1, "AGENT_BENCH_RETRIES")
    assert settings["judge"] is False
    assert settings["runs"] == tmp_path / "kept"
    assert settings.values["max_concurrent"].source == str(tmp_path / "agent-bench.toml")
    assert (settings["timeout"], settings.values["timeout"].source) == (None, "default")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("attemps = 2\n", "unknown setting 'attemps'"),
        ('attempts = "many"\n', "found 'many'"),
        ("attempts = 0\n", "expected at least 1"),
        ("attempts = \n", "not readable as TOML"),
        ("timeout = -1\n", "expected a positive number"),
    ],
)
def test_a_bad_file_is_named_with_what_was_found(tmp_path: Path, content: str, words: str) -> None:
    (tmp_path / "agent-bench.toml").write_text(content)
    with pytest.raises(FileError, match="agent-bench.toml") as caught:
        resolve({}, {}, tmp_path)
    assert words in caught.value.message


def test_a_bad_variable_or_option_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="AGENT_BENCH_MAX_CONCURRENT: found 0"):
        resolve({}, {"AGENT_BENCH_MAX_CONCURRENT": "0"}, tmp_path)
    with pytest.raises(UsageError, match="--timeout: found nan"):
        resolve({"timeout": float("nan")}, {}, tmp_path)
