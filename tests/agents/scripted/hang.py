"""Writes a line and sleeps for an hour. With "silent": not even the line."""

import sys
import time

if "silent" not in sys.argv:
    print("thinking", flush=True)
time.sleep(3600)
