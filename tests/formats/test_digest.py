"""The digest of a task."""

import hashlib
import os
from pathlib import Path

import pytest

from agent_bench.errors import FileError
from agent_bench.formats.digest import material, task_digest


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "folder"
    (place / "sub").mkdir(parents=True)
    (place / "sub" / "b").write_bytes(b"2")
    (place / "sub.txt").write_bytes(b"1")
    return place


def test_it_is_what_its_description_says(folder: Path, tmp_path: Path) -> None:
    single = tmp_path / "task.yaml"
    single.write_bytes(b"id: x")
    # "." sorts before "/": by bytes of the whole path.
    content = b"task\0id: x\0w/sub.txt\x001\0w/sub/b\x002\0"
    assert task_digest([("w", folder), ("task", single)]) == hashlib.sha256(content).hexdigest()


def test_moving_a_byte_from_a_name_to_a_file_changes_it(tmp_path: Path) -> None:
    digests = set()
    for number, (name, content) in enumerate([("ab", "c"), ("a", "bc"), ("abc", "")]):
        place = tmp_path / str(number)
        place.mkdir()
        (place / name).write_text(content)
        digests.add(task_digest([("w", place)]))
    assert len(digests) == 3


def test_caches_are_left_out(folder: Path) -> None:
    digest = task_digest([("w", folder)])
    for name in ("__pycache__/x.pyc", ".git/config", ".pytest_cache/v", "sub/.DS_Store", "x.pyc", ".venv/bin/python"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    (folder / ".venv" / "link").symlink_to("/usr")
    assert task_digest([("w", folder)]) == digest


def test_names_that_are_no_text(folder: Path) -> None:
    digest = task_digest([("w", folder)])
    Path(os.fsdecode(os.fsencode(folder) + b"/\xff")).write_text("x")
    assert task_digest([("w", folder)]) != digest


def test_links_and_pipes_are_errors(folder: Path) -> None:
    (folder / "link").symlink_to("sub")
    with pytest.raises(FileError, match="link: link inside"):
        material(folder)
    (folder / "link").unlink()
    os.mkfifo(folder / "pipe")
    with pytest.raises(FileError, match="pipe: not a regular file"):
        material(folder)


def test_a_file_that_is_gone_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="not readable"):
        task_digest([("task", tmp_path / "gone")])
