"""Calling a function again until it succeeds or patience runs out."""

import time


class Retry:
    """A policy for repeated calls.

    ``sleep``, ``jitter`` and ``deadline`` are handed in, so that nothing here
    depends on the real time or on chance.
    """

    def __init__(
        self,
        schedule,
        attempts,
        retry_on=(Exception,),
        sleep=time.sleep,
        jitter=None,
        deadline=None,
    ):
        self.schedule = schedule
        self.attempts = attempts
        self.retry_on = retry_on
        self.sleep = sleep
        self.jitter = jitter
        self.deadline = deadline

    def call(self, function, *args, **kwargs):
        """Call ``function`` until it returns, or raise ``GaveUp``."""
        raise NotImplementedError("Retry.call is not written yet")

    def wrap(self, function):
        """Return a function that calls ``function`` under this policy."""
        raise NotImplementedError("Retry.wrap is not written yet")
