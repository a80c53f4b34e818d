"""Ends as told: "exit N" or "signal N"."""

import os
import sys

print("ending", flush=True)
way, number = sys.argv[1], int(sys.argv[2])
if way == "signal":
    os.kill(os.getpid(), number)
os._exit(number)
