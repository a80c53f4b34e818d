"""What is copied out of an agent's HOME."""

import os
from pathlib import Path

from agent_bench import evidence


def test_collect_takes_matching_regular_files_only_and_masks_secrets(tmp_path: Path) -> None:
    home, traces = tmp_path / "home", tmp_path / "traces"
    (home / ".claude/projects/p1").mkdir(parents=True)
    (home / ".claude/projects/p1/s.jsonl").write_text('{"key": "sk-ant-12345678"}')
    (home / ".claude/projects/p1/other.txt").write_text("x")
    (home / ".claude/projects/link.jsonl").symlink_to("/etc/passwd")
    (home / ".claude/projects/p2").symlink_to("/etc")
    secrets = evidence.secrets_of({"ANTHROPIC_API_KEY": "sk-ant-12345678", "PATH": "/usr/bin:/bin", "MY_TOKEN": "x"})
    found = evidence.collect(home, (".claude/projects/*/*.jsonl", ".claude/projects/*.jsonl"), traces, secrets)
    assert found == {".claude/projects/p1/s.jsonl": b'{"key": "[secret]"}'}
    assert (traces / ".claude/projects/p1/s.jsonl").read_bytes() == b'{"key": "[secret]"}'


def test_double_star_stands_for_any_number_of_folders(tmp_path: Path) -> None:
    for name in ("t/a.json", "t/x/b.json", "t/x/y/c.json", "u/d.json"):
        (tmp_path / "home" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "home" / name).write_text("1")
    found = evidence.collect(tmp_path / "home", ("t/**/*.json",), tmp_path / "traces", ())
    assert set(found) == {"t/a.json", "t/x/b.json", "t/x/y/c.json"}


def test_log_files_are_masked_in_place(tmp_path: Path) -> None:
    log = tmp_path / "agent.stdout.log"
    log.write_bytes(b"key is abcdefgh12345678\xff\n")
    evidence.mask_file(log, (b"abcdefgh12345678",))
    assert log.read_bytes() == b"key is [secret]\xff\n"


def test_a_pipe_in_place_of_a_file_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert evidence.read_regular(tmp_path / "pipe", 10) is None
    assert evidence.read_regular(tmp_path, 10) is None
    assert evidence.read_regular(tmp_path / "missing", 10) is None
