"""Where the data that comes with the program lies: tasks and prices."""

from pathlib import Path


def shipped(name: str) -> Path:
    """Path of a shipped file or folder: inside an installed package, or in the checkout of an editable one."""
    packaged = Path(__file__).parent / "shipped" / name
    return packaged if packaged.exists() else Path(__file__).parent.parent / name
