"""Deletes its workspace's content and, where it can, the folder. "replace": puts a link to /etc there."""

import os
import shutil
import sys
from pathlib import Path

folder = Path.cwd()
for path in list(folder.iterdir()):
    shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
try:
    folder.rmdir()
    if "replace" in sys.argv:
        os.symlink("/etc", folder)
    print("removed")
except OSError as error:
    print(f"emptied: {error.strerror}")
