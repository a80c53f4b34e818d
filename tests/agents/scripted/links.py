"""Makes links in a circle, to nowhere, out of the workspace, to /etc/passwd, and to each path given."""

import os
import sys

os.mkdir("loop")
os.symlink(".", "loop/again")
os.symlink("b", "a")
os.symlink("a", "b")
os.symlink("/nowhere/at/all", "dangling")
os.symlink("../..", "up")
os.symlink("/etc/passwd", "passwd.txt")
os.symlink("/", "root")
for number, path in enumerate(path for path in sys.argv[1:] if path.startswith("/")):
    os.symlink(path, f"link{number}")
