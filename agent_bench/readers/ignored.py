"""Which files of a tree are nobody's work: caches, version control, installed dependencies."""

from pathlib import PurePosixPath

IGNORED_FOLDERS = frozenset(
    {
        ".git",
        ".hg",
        ".svn",
        "__pycache__",
        ".pytest_cache",
        ".mypy_cache",
        ".ruff_cache",
        ".hypothesis",
        ".tox",
        ".nox",
        ".venv",
        "venv",
        ".eggs",
        "node_modules",
        ".npm",
        ".cache",
        ".idea",
        ".vscode",
    }
)

IGNORED_FILES = frozenset({".DS_Store", "Thumbs.db"})
IGNORED_SUFFIXES = (".pyc", ".pyo")
# Agents that write their own bookkeeping into the working directory.
IGNORED_PREFIXES = (".aider.",)


def is_ignored_folder(name: str) -> bool:
    """Whether a folder of this name holds nobody's work. Virtual environments of other names: ``pyvenv.cfg``."""
    return name in IGNORED_FOLDERS or name.endswith(".egg-info")


def counts_as_produced(path: str) -> bool:
    """Whether a file at this relative POSIX path counts as somebody's work."""
    parts = PurePosixPath(path).parts
    if not parts or any(is_ignored_folder(part) for part in parts[:-1]):
        return False
    name = parts[-1]
    return not (name in IGNORED_FILES or name.endswith(IGNORED_SUFFIXES) or name.startswith(IGNORED_PREFIXES))
