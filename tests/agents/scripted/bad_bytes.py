"""Writes what is no text: invalid UTF-8, NUL, terminal escapes that clear the screen and set the title."""

import os

NASTY = b"\xff\xfe\x00 \xc3( \x1b[2J\x1b]0;owned\x07\x1b[31mred \xed\xa0\x80 \r\n" + bytes(range(256)) + b"\n"
os.write(1, NASTY)
os.write(2, NASTY)
with open(b"binary.py", "wb") as file:
    file.write(NASTY)
