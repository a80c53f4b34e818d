"""Makes N (default 50,000) small files in as many folders as a careless program would."""

import sys
from pathlib import Path

count = int(sys.argv[1]) if len(sys.argv) > 1 and sys.argv[1].isdigit() else 50_000
for folder in range(0, count, 1000):
    place = Path(f"data/{folder}")
    place.mkdir(parents=True)
    for number in range(folder, min(folder + 1000, count)):
        (place / f"{number}.txt").write_text(str(number))
