"""Doubles itself until there are about N processes (default 200), in sessions of their own, then stays."""

import os
import signal
import sys
import time

generations = (int(sys.argv[1]) if len(sys.argv) > 1 and sys.argv[1].isdigit() else 200).bit_length()
signal.signal(signal.SIGTERM, signal.SIG_IGN)
for _ in range(generations - 1):
    if os.fork() == 0:
        os.setsid()
print("here", flush=True)
time.sleep(3600)
