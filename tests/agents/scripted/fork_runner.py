"""Runs from its killing: each process lives for a moment and leaves a child in its place.

With "stay" the first of them stays.
"""

import os
import sys
import time

print("running", flush=True)
first = os.getpid()
end = time.monotonic() + 3600
while time.monotonic() < end:
    if os.fork():
        if os.getpid() == first and "stay" in sys.argv:
            time.sleep(3600)
        os._exit(0)
    os.setsid()
