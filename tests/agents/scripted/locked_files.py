"""Leaves files and folders that cannot be read, written or entered by their modes."""

import os
from pathlib import Path

for name, mode in (("secret.txt", 0o000), ("fixed.py", 0o444)):
    Path(name).write_text("x = 1\n")
    os.chmod(name, mode)
for name, mode in (("closed", 0o000), ("frozen", 0o555), ("blind", 0o333)):
    Path(name).mkdir()
    Path(name, "inside.txt").write_text("x\n")
    os.chmod(name, mode)
