"""Starts children that try to outlive it, and ends (or, with "stay", stays).

A background child, one in a session of its own, one by nohup, and a daemon by two forks with an empty
environment, no open files, another directory and deaf to SIGTERM. A number with a point is how long they
sleep: they are recognised by it.
"""

import os
import signal
import subprocess
import sys
import time

SLEEP = ["sleep", next((word for word in sys.argv[1:] if "." in word), "3600")]


def become_daemon() -> None:
    """Two forks, a session, no environment, no descriptors: nothing ties it to us but its descent."""
    if os.fork():
        return
    os.setsid()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if os.fork():
        os._exit(0)
    os.chdir("/")
    os.closerange(0, 1024)
    os.execve("/usr/bin/env", ["env", "-i", "setsid", *SLEEP], {})


subprocess.Popen(SLEEP)
subprocess.Popen(SLEEP, start_new_session=True)
subprocess.Popen(["nohup", *SLEEP], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
become_daemon()
time.sleep(0.2)
print("started", flush=True)
if "stay" in sys.argv:
    time.sleep(3600)
os._exit(0)
