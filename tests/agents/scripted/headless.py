"""Ends its first thread and goes on in another: to a careless eye the process is a zombie."""

import ctypes
import threading
import time


def go_on() -> None:
    while True:
        print("still here", flush=True)
        time.sleep(0.1)


threading.Thread(target=go_on).start()
ctypes.CDLL(None).pthread_exit(None)
