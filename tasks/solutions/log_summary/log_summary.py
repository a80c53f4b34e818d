"""Sums up a web server's access log in the combined format."""

import argparse
import gzip
import json
import re
import sys
from collections import Counter
from datetime import UTC, datetime

QUOTED = r'"((?:[^"\\]|\\.)*)"'
LINE = re.compile(
    rf"(?P<address>\S+) \S+ \S+ \[(?P<time>[^\]]+)\] {QUOTED} (?P<status>[1-9]\d\d)"
    rf" (?P<bytes>\d+|-) {QUOTED} {QUOTED}",
    re.ASCII,
)


class Summary:
    """What is counted while a log is read."""

    def __init__(self):
        self.requests = self.bad_lines = self.bytes = self.errors = 0
        self.clients = set()
        self.first = self.last = None
        self.statuses = Counter()
        self.paths = Counter()

    def add(self, line):
        """Counts one line."""
        line = line.strip()
        if not line:
            return
        found = LINE.fullmatch(line)
        time = parse_time(found["time"]) if found else None
        request = found[3].split(" ") if found else []
        if time is None or len(request) != 3 or not all(request):
            self.bad_lines += 1
            return
        self.requests += 1
        self.bytes += 0 if found["bytes"] == "-" else int(found["bytes"])
        self.clients.add(found["address"])
        self.first = min(self.first or time, time)
        self.last = max(self.last or time, time)
        self.statuses[f"{found['status'][0]}xx"] += 1
        self.errors += found["status"][0] == "5"
        self.paths[request[1].partition("?")[0]] += 1

    def result(self, top):
        """The summary as it is printed."""
        ranked = sorted(self.paths.items(), key=lambda item: (-item[1], item[0]))
        return {
            "requests": self.requests,
            "bad_lines": self.bad_lines,
            "bytes": self.bytes,
            "clients": len(self.clients),
            "first": shown(self.first),
            "last": shown(self.last),
            "statuses": dict(sorted(self.statuses.items())),
            "error_rate": round(self.errors / self.requests, 4) if self.requests else 0.0,
            "top_paths": [{"path": path, "count": count} for path, count in ranked[:top]],
        }


def parse_time(text):
    """The time in UTC, or None if there is no such time."""
    try:
        return datetime.strptime(text, "%d/%b/%Y:%H:%M:%S %z").astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def shown(time):
    """A time as it is printed."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ") if time else None


def lines_of(name):
    """The lines of a file, of a gzip file, or of stdin."""
    if name == "-":
        sys.stdin.reconfigure(encoding="utf-8", errors="replace")
        yield from sys.stdin
        return
    open_file = gzip.open if name.endswith(".gz") else open
    with open_file(name, "rt", encoding="utf-8", errors="replace") as lines:
        yield from lines


def at_least_one(text):
    """A value for --top."""
    if not re.fullmatch(r"0*[1-9]\d*", text, re.ASCII):
        raise argparse.ArgumentTypeError(f"expected a whole number of at least 1, found '{text}'")
    return int(text)


def main():
    """Runs the command line."""
    parser = argparse.ArgumentParser(description="Sum up an access log.")
    parser.add_argument("--top", type=at_least_one, default=5, metavar="N")
    parser.add_argument("file", help="a log, maybe *.gz; - for stdin")
    options = parser.parse_args()
    summary = Summary()
    try:
        for line in lines_of(options.file):
            summary.add(line)
    except (OSError, EOFError) as error:
        parser.exit(2, f"{options.file} cannot be read: {error}\n")
    print(json.dumps(summary.result(options.top), indent=2))


if __name__ == "__main__":
    main()
