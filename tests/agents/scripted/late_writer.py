"""Ends at once and leaves a process that goes on writing into the workspace and to stdout."""

import contextlib
import os
import time

if os.fork():
    with open("work.txt", "w") as file:
        file.write("done\n")
    os._exit(0)
os.setsid()
if os.fork():
    os._exit(0)
count = 0
while True:
    count += 1
    with open("late.txt", "w") as file:
        file.write(f"{count}\n")
    with contextlib.suppress(OSError):
        os.write(1, b"late\n")
    time.sleep(0.01)
