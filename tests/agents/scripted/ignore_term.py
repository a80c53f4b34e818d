"""Refuses to end: ignores every signal that can be ignored, and goes on writing."""

import signal
import time

for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
    signal.signal(number, signal.SIG_IGN)
while True:
    print("still here", flush=True)
    time.sleep(0.1)
