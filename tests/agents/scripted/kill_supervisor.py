"""Kills its parent, with "both" its parent's parent first, and stays. With "stop": stops them instead."""

import os
import signal
import sys
import time


def parent_of(pid: int) -> int:
    with open(f"/proc/{pid}/stat") as file:
        return int(file.read().rpartition(") ")[2].split()[1])


parent = os.getppid()
targets = [parent]
if "both" in sys.argv:
    targets.insert(0, parent_of(parent))
way = signal.SIGSTOP if "stop" in sys.argv else signal.SIGKILL
if os.fork() == 0:
    os.setsid()
else:
    for target in targets:
        os.kill(target, way)
time.sleep(3600)
