"""Calling a function again until it succeeds or patience runs out."""

import functools
import time

from patience.errors import GaveUp


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
        if attempts < 1:
            raise ValueError(f"attempts must be at least 1, got {attempts}")
        self.schedule = schedule
        self.attempts = attempts
        self.retry_on = retry_on
        self.sleep = sleep
        self.jitter = jitter
        self.deadline = deadline

    def call(self, function, *args, **kwargs):
        """Call ``function`` until it returns, or raise ``GaveUp``."""
        failures = 0
        while True:
            try:
                return function(*args, **kwargs)
            except self.retry_on as error:
                failures += 1
                if failures == self.attempts:
                    raise GaveUp(failures, error) from error
                pause = self._pause(failures, error)
                if self.deadline is not None and pause > self.deadline.remaining():
                    raise GaveUp(failures, error) from error
            if pause > 0:
                self.sleep(pause)

    def wrap(self, function):
        """Return a function that calls ``function`` under this policy."""

        @functools.wraps(function)
        def patient(*args, **kwargs):
            return self.call(function, *args, **kwargs)

        return patient

    def _pause(self, failures, error):
        pause = self.schedule.delay(failures)
        if self.jitter is not None:
            pause = max(0, self.jitter(pause))
            if self.schedule.ceiling is not None:
                pause = min(pause, self.schedule.ceiling)
        wanted = getattr(error, "retry_after", None)
        return pause if wanted is None else max(pause, wanted)
