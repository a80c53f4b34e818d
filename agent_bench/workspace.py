"""Workspaces: make them, look at what an agent left in them, and rebuild a clean tree from it.

What an agent leaves is hostile: links are never followed, sizes and counts are bounded, names may hold any bytes.
Call these only when no process of the agent is alive. All functions block: run them in a thread.
"""

import os
import shutil
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from agent_bench.model import Produced
from agent_bench.readers.ignored import counts_as_produced, is_ignored_folder

MAX_FILES = 20_000
MAX_FILE_BYTES = 64 << 20
MAX_TOTAL_BYTES = 512 << 20
MAX_DEPTH = 60
MAX_EVIDENCE = 50
_CHUNK_BYTES = 1 << 20


@dataclass(frozen=True)
class Scan:
    """The regular files of a tree that count as somebody's work."""

    root: Path
    files: dict[str, int]
    """Relative path (undecodable bytes as surrogates) to size in bytes."""
    evidence: tuple[str, ...]
    """What was left out, one sentence each."""


def shown(path: str) -> str:
    """A path that can be printed and stored: undecodable bytes and control characters are escaped."""
    text = path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


INSTRUCTIONS = ("CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md", "AGENTS.md", "QWEN.md", "GEMINI.md")
"""Files that agents read in the folders above the one they work in."""


def instructions_above(folder: Path) -> Path | None:
    """A file in a folder above this one that agents would take for instructions to them."""
    found = (parent / name for parent in folder.parents for name in INSTRUCTIONS)
    return next((path for path in found if path.exists()), None)


def fill(workspace: Path, layers: Mapping[str, Path]) -> None:
    """Makes the folder and copies files, and the files of folders, to their places in it ("": the folder itself)."""
    workspace.mkdir(parents=True, exist_ok=True)
    for path, source in files_of(layers).items():
        copy_file(source, workspace / path)


def copy_file(source: Path, target: Path) -> None:
    """Copies a regular file's content and executable bit; refuses to follow a link (OSError)."""
    target.parent.mkdir(parents=True, exist_ok=True)
    # A FIFO in place of the file would block without O_NONBLOCK.
    descriptor = os.open(source, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(descriptor, "rb") as reader:
        status = os.fstat(reader.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise OSError(f"not a regular file: {source}")
        with target.open("wb") as writer:
            shutil.copyfileobj(reader, writer, _CHUNK_BYTES)
    target.chmod(0o755 if status.st_mode & stat.S_IXUSR else 0o644)


def lay(source: Path, target: Path) -> None:
    """Copies a file to a place in a tree of ours, whatever stands in its way there."""
    for folder in [*target.parents][::-1]:
        if folder.is_file():
            folder.unlink()
    if target.is_dir():
        remove(target)
    copy_file(source, target)


def lay_over(tree: Path, layers: Mapping[str, Path]) -> list[str]:
    """Lays files and folders into a tree of ours, by their places; returns the relative paths of all files laid."""
    paths = files_of(layers)
    for path, source in paths.items():
        lay(source, tree / path)
    return list(paths)


def files_of(layers: Mapping[str, Path]) -> dict[str, Path]:
    """The files of layers: relative path in the whole -> where it is."""
    found: dict[str, Path] = {}
    for place, source in layers.items():
        inner = scan(source).files if source.is_dir() else ("",)
        found.update({"/".join(filter(None, (place, name))): source / name if name else source for name in inner})
    return found


def scan(root: Path) -> Scan:
    """The files below ``root``. A root that is missing or not a real folder is an empty scan with evidence."""
    evidence: list[str] = []
    files: dict[str, int] = {}
    if root.is_symlink() or not root.is_dir():
        return Scan(root, {}, ("the workspace was removed or replaced by something that is not a folder",))
    total, refused = 0, 0
    for relative, size in _walk(root, "", 0, evidence):
        if len(files) >= MAX_FILES or total + size > MAX_TOTAL_BYTES:
            refused += 1
            continue
        files[relative] = size
        total += size
    if refused:
        evidence.append(f"{refused} more files were left out: beyond {MAX_FILES} files or {MAX_TOTAL_BYTES >> 20} MiB")
    return Scan(root, dict(sorted(files.items())), tuple(evidence))


def _walk(root: Path, prefix: str, depth: int, evidence: list[str]) -> Iterator[tuple[str, int]]:
    """Relative paths and sizes of acceptable files, in the order of their names."""
    folder = root / prefix
    try:
        with os.scandir(folder) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
    except OSError as error:
        _note(evidence, f"{shown(prefix) or '.'}: folder not readable: {error.strerror}")
        return
    if any(entry.name == "pyvenv.cfg" for entry in entries) and prefix:
        return
    for entry in entries:
        relative = f"{prefix}{entry.name}"
        if entry.is_dir(follow_symlinks=False):
            if depth >= MAX_DEPTH:
                _note(evidence, f"{shown(relative)}: nested deeper than {MAX_DEPTH} folders")
            elif not is_ignored_folder(entry.name):
                yield from _walk(root, f"{relative}/", depth + 1, evidence)
        elif counts_as_produced(relative):
            yield from _accept(entry, relative, root, evidence)


def _accept(entry: os.DirEntry[str], relative: str, root: Path, evidence: list[str]) -> Iterator[tuple[str, int]]:
    """The file, if it is a regular one of bearable size; else a sentence of evidence."""
    if entry.is_symlink():
        target = os.readlink(entry.path)
        where = "out of the workspace" if _leaves(root, relative, target) else "inside the workspace"
        _note(evidence, f"{shown(relative)}: link {where} ({shown(target)[:200]}) not followed")
        return
    status = entry.stat(follow_symlinks=False)
    if not stat.S_ISREG(status.st_mode):
        _note(evidence, f"{shown(relative)}: not a regular file")
    elif status.st_size > MAX_FILE_BYTES:
        _note(evidence, f"{shown(relative)}: {status.st_size} bytes, more than {MAX_FILE_BYTES >> 20} MiB")
    else:
        yield relative, status.st_size


def _leaves(root: Path, relative: str, target: str) -> bool:
    place = os.path.normpath(os.path.join(root / os.path.dirname(relative), target))  # noqa: PTH118, PTH120
    return os.path.commonpath([place, root]) != str(root)


def _note(evidence: list[str], sentence: str) -> None:
    if len(evidence) < MAX_EVIDENCE:
        evidence.append(sentence)
    elif len(evidence) == MAX_EVIDENCE:
        evidence.append("and more of the like")


def compare(starting: Scan | None, left: Scan) -> Produced:
    """What was added, modified and deleted against the starting files (None: there were none)."""
    before = starting.files if starting else {}
    added = [path for path in left.files if path not in before]
    modified = [path for path in left.files if starting and path in before and not same(starting, left, path)]
    deleted = [path for path in before if path not in left.files]
    return Produced(
        added=tuple(map(shown, added)),
        modified=tuple(map(shown, modified)),
        deleted=tuple(map(shown, deleted)),
        evidence=left.evidence,
    )


def same(first: Scan, second: Scan, path: str) -> bool:
    """Whether a file that both hold is the same in both."""
    sizes_agree = first.files[path] == second.files[path]
    return sizes_agree and (first.root / path).read_bytes() == (second.root / path).read_bytes()


def rebuild(left: Scan, target: Path) -> tuple[str, ...]:
    """Copies the files of a scan into a fresh folder as regular files; returns what could not be copied."""
    target.mkdir(parents=True)
    refused = []
    for relative in left.files:
        try:
            copy_file(left.root / relative, target / relative)
        except OSError as error:
            refused.append(f"{shown(relative)}: not copied: {error.strerror or error}")
    return tuple(refused[:MAX_EVIDENCE])


def open_up(root: Path) -> None:
    """Makes every folder and file below ``root`` readable and removable by us; links are left alone."""
    if root.is_symlink() or not root.is_dir():
        return
    _open_folder(root)
    for folder, folders, files in os.walk(root, followlinks=False):
        for name in folders:
            path = Path(folder, name)
            if not path.is_symlink():
                _open_folder(path)
        for name in files:
            path = Path(folder, name)
            if not path.is_symlink():
                _allow(path, stat.S_IRUSR | stat.S_IWUSR)


def _open_folder(path: Path) -> None:
    _allow(path, stat.S_IRWXU)


def _allow(path: Path, bits: int) -> None:
    mode = stat.S_IMODE(path.lstat().st_mode)
    if mode & bits != bits:
        path.chmod(mode | bits)


def remove(root: Path) -> None:
    """Removes a folder of any content, also where an agent has taken its own permissions away."""
    open_up(root)
    shutil.rmtree(root, ignore_errors=True)


def move(source: Path, target: Path) -> None:
    """Moves what the agent left to its final place; whatever stands there now, if not a folder, stays a link."""
    if source.is_symlink() or not source.is_dir():
        target.mkdir(parents=True, exist_ok=True)
        return
    try:
        source.rename(target)
    except OSError:
        # Another file system: links stay links, and a sparse file must not become a full one.
        shutil.copytree(source, target, symlinks=True, ignore=_not_movable, dirs_exist_ok=True)


def _not_movable(folder: str, names: list[str]) -> list[str]:
    def movable(path: Path) -> bool:
        status = path.lstat()
        if stat.S_ISREG(status.st_mode):
            return status.st_size <= MAX_FILE_BYTES
        return stat.S_ISDIR(status.st_mode) or stat.S_ISLNK(status.st_mode)

    return [name for name in names if not movable(Path(folder, name))]
