"""Leaves files with newlines, quotes, escapes, dashes, invalid UTF-8 and the longest names there can be."""

import os

NAMES = (
    b"new\nline.txt",
    b"tab\tand space.txt",
    b"'quotes\" and $HOME `id`.txt",
    b"-rf",
    b"\x1b[31mred.txt",
    b"\xff\xfe.bin",
    "\u202egnp.txt".encode(),
    "h\u00e9llo \u65e5\u672c.py".encode(),
    b"C:\\con",
    b"x" * 255,
)
for name in NAMES:
    with open(name, "wb") as file:
        file.write(b"x = 1\n")
deep = "/".join(["d" * 50] * 40)
os.makedirs(deep)
with open(f"{deep}/deep.txt", "w") as file:
    file.write("deep\n")
