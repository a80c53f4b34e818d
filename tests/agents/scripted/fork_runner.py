"""Runs from its killing: each process lives for a moment and leaves a child in its place."""

import os
import sys
import time

print("running", flush=True)
end = time.monotonic() + 3600
while time.monotonic() < end:
    if os.fork():
        if "stay" in sys.argv and os.getpid() == os.getsid(0):
            sys.argv.remove("stay")
            time.sleep(3600)
        os._exit(0)
    os.setsid()
