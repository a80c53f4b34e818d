"""What an agent may leave in a workspace, and that none of it is followed, executed or unbounded."""

import os
import stat
from pathlib import Path

import pytest

from agent_bench import workspace


def _write(root: Path, files: dict[str, str]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return root


def test_fill_copies_starting_files_without_caches(tmp_path: Path) -> None:
    start = _write(tmp_path / "start", {"a.py": "1", "pkg/b.py": "2", "__pycache__/a.pyc": "x"})
    (start / "a.py").chmod(0o555)
    workspace.fill(tmp_path / "ws", {"": start})
    assert sorted(p.relative_to(tmp_path / "ws").as_posix() for p in (tmp_path / "ws").rglob("*.*")) == [
        "a.py",
        "pkg/b.py",
    ]
    assert stat.S_IMODE((tmp_path / "ws" / "a.py").stat().st_mode) == 0o755


def test_compare_tells_added_modified_deleted_and_ignores_untouched(tmp_path: Path) -> None:
    start = _write(tmp_path / "start", {"same.py": "1", "changed.py": "1", "gone.py": "1"})
    left = _write(tmp_path / "left", {"same.py": "1", "changed.py": "2", "new/deep.py": "x", ".git/config": "y"})
    produced = workspace.compare(workspace.scan(start), workspace.scan(left))
    assert produced.added == ("new/deep.py",)
    assert produced.modified == ("changed.py",)
    assert produced.deleted == ("gone.py",)
    assert produced.files == ("changed.py", "new/deep.py")


@pytest.mark.skipif(os.name != "posix", reason="links and FIFOs need a POSIX system")
def test_links_and_special_files_are_refused_with_evidence(tmp_path: Path) -> None:
    secret = tmp_path / "bench.db"
    secret.write_text("secret")
    root = _write(tmp_path / "left", {"real.py": "1"})
    (root / "passwd").symlink_to("/etc/passwd")
    (root / "db").symlink_to(secret)
    (root / "inside").symlink_to("real.py")
    (root / "loop").symlink_to("loop")
    (root / "folder").symlink_to("/etc")
    os.mkfifo(root / "pipe")
    scan = workspace.scan(root)
    assert list(scan.files) == ["real.py"]
    assert any("passwd: link out of the workspace" in line for line in scan.evidence)
    assert any(line.startswith("inside: link inside the workspace") for line in scan.evidence)
    assert any(line == "pipe: not a regular file" for line in scan.evidence)
    assert len(scan.evidence) == 6


def test_a_link_put_in_place_of_a_file_after_the_scan_is_not_followed(tmp_path: Path) -> None:
    root = _write(tmp_path / "left", {"a.txt": "mine"})
    scan = workspace.scan(root)
    (root / "a.txt").unlink()
    (root / "a.txt").symlink_to("/etc/passwd")
    refused = workspace.rebuild(scan, tmp_path / "tree")
    assert not (tmp_path / "tree" / "a.txt").exists()
    assert len(refused) == 1
    assert refused[0].startswith("a.txt: not copied")


@pytest.mark.parametrize("kind", ["missing", "link", "file"])
def test_a_replaced_workspace_is_empty_with_evidence(tmp_path: Path, kind: str) -> None:
    root = tmp_path / "ws"
    if kind == "link":
        root.symlink_to("/etc")
    elif kind == "file":
        root.write_text("x")
    scan = workspace.scan(root)
    assert scan.files == {}
    assert "removed or replaced" in scan.evidence[0]


def test_counts_and_sizes_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = _write(tmp_path / "left", {f"f{number:03}": "12345" for number in range(100)})
    with (root / "sparse").open("wb") as writer:
        writer.truncate(2 << 30)
    monkeypatch.setattr(workspace, "MAX_FILES", 60)
    scan = workspace.scan(root)
    assert len(scan.files) == 60
    assert any("sparse: 2147483648 bytes" in line for line in scan.evidence)
    assert any(line.startswith("40 more files were left out") for line in scan.evidence)


def test_names_of_any_bytes_are_copied_and_shown_escaped(tmp_path: Path) -> None:
    root = tmp_path / "left"
    root.mkdir()
    for name in (b"new\nline.py", b"bad\xff.txt", b"\x1b[31mred"):
        (root / os.fsdecode(name)).write_bytes(b"x")
    scan = workspace.scan(root)
    produced = workspace.compare(None, scan)
    assert set(produced.added) == {"new\\nline.py", "bad\\xff.txt", "\\x1b[31mred"}
    assert workspace.rebuild(scan, tmp_path / "tree") == ()
    assert (tmp_path / "tree" / os.fsdecode(b"bad\xff.txt")).read_bytes() == b"x"
    produced.model_dump_json()


def test_unreadable_folders_are_opened_up_and_removed(tmp_path: Path) -> None:
    root = _write(tmp_path / "left", {"locked/a.txt": "1", "b.txt": "2"})
    (root / "b.txt").chmod(0)
    (root / "locked").chmod(0)
    workspace.open_up(root)
    assert set(workspace.scan(root).files) == {"locked/a.txt", "b.txt"}
    (root / "locked").chmod(0)
    workspace.remove(root)
    assert not root.exists()


def test_virtual_environments_of_any_name_are_nobodys_work(tmp_path: Path) -> None:
    root = _write(tmp_path / "left", {"env39/pyvenv.cfg": "", "env39/lib/x.py": "1", "app.py": "1"})
    assert list(workspace.scan(root).files) == ["app.py"]


def test_move_keeps_links_as_links(tmp_path: Path) -> None:
    root = _write(tmp_path / "left", {"a.txt": "1"})
    (root / "link").symlink_to("/etc/passwd")
    workspace.move(root, tmp_path / "kept" / ".." / "output")
    assert (tmp_path / "output" / "link").is_symlink()
    replaced = tmp_path / "replaced"
    replaced.symlink_to("/etc")
    workspace.move(replaced, tmp_path / "empty")
    assert list((tmp_path / "empty").iterdir()) == []


def test_instructions_in_folders_above_are_found(tmp_path: Path) -> None:
    place = tmp_path / "a" / "b" / "workspace"
    place.mkdir(parents=True)
    (place / "AGENTS.md").write_text("the task's own")
    assert workspace.instructions_above(place) is None
    (tmp_path / "a" / ".claude").mkdir()
    (tmp_path / "a" / ".claude" / "CLAUDE.md").write_text("x")
    assert workspace.instructions_above(place) == tmp_path / "a" / ".claude" / "CLAUDE.md"
