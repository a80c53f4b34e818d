"""Makes a file of N bytes (default 2 GB) that takes no place on disk."""

import sys

size = int(sys.argv[1]) if len(sys.argv) > 1 and sys.argv[1].isdigit() else 2_000_000_000
with open("big.bin", "wb") as file:
    file.truncate(size)
