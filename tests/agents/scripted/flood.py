"""Writes N MB (default 500) to stdout and as much to stderr, each with a recognisable first and last line."""

import os
import sys

megabytes = int(sys.argv[1]) if len(sys.argv) > 1 and sys.argv[1].isdigit() else 500
piece = (b"x" * 99 + b"\n") * 10_000
for descriptor in (1, 2):
    os.write(descriptor, b"first line\n")
for _ in range(megabytes):
    for descriptor in (1, 2):
        rest = piece
        while rest:
            rest = rest[os.write(descriptor, rest) :]
for descriptor in (1, 2):
    os.write(descriptor, b"last line\n")
