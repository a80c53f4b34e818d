"""A sliding-window rate limiter, and a WSGI middleware that uses it."""

import math
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Rule:
    """At most ``limit`` units in any window of ``per_sec`` seconds."""

    limit: int
    per_sec: float

    def __post_init__(self) -> None:
        if self.limit < 1:
            raise ValueError(f"limit must be at least 1, not {self.limit}")
        if not (math.isfinite(self.per_sec) and self.per_sec > 0):
            raise ValueError(f"per_sec must be finite and greater than 0, not {self.per_sec}")


@dataclass(frozen=True)
class Decision:
    """What came of a request."""

    allowed: bool
    remaining: int
    """Units that the key has left, by the strictest rule."""
    retry_after: float
    """Seconds until the same request would be allowed; 0.0 if it was."""


class _Window:
    """The units of one key that still count for one rule."""

    def __init__(self, rule: Rule) -> None:
        self._rule = rule
        self._uses: deque[tuple[float, int]] = deque()
        self._units = 0

    def expire(self, now: float) -> None:
        while self._uses and self._uses[0][0] + self._rule.per_sec <= now:
            self._units -= self._uses.popleft()[1]

    def use(self, now: float, cost: int) -> None:
        self._uses.append((now, cost))
        self._units += cost

    @property
    def left(self) -> int:
        return self._rule.limit - self._units

    def wait(self, now: float, cost: int) -> float:
        """Seconds until there is room for ``cost`` more units."""
        if cost > self._rule.limit:
            return math.inf
        missing = cost - self.left
        for moment, units in self._uses:
            if missing <= 0:
                break
            missing -= units
            if missing <= 0:
                return moment + self._rule.per_sec - now
        return 0.0


class RateLimiter:
    """Decides about requests by key. Safe to use from several threads."""

    def __init__(
        self,
        rules: Iterable[Rule],
        *,
        clock: Callable[[], float] = time.monotonic,
        max_keys: int = 10_000,
    ) -> None:
        self._rules = tuple(rules)
        if not self._rules:
            raise ValueError("there must be at least one rule")
        if max_keys < 1:
            raise ValueError(f"max_keys must be at least 1, not {max_keys}")
        self._clock = clock
        self._max_keys = max_keys
        self._lock = threading.Lock()
        self._latest = -math.inf
        self._keys: OrderedDict[str, list[_Window]] = OrderedDict()

    def check(self, key: str, cost: int = 1) -> Decision:
        """Whether ``key`` may use ``cost`` units now; if so, they are used."""
        if cost < 1:
            raise ValueError(f"cost must be at least 1, not {cost}")
        with self._lock:
            now = self._latest = max(self._latest, self._clock())
            windows = self._windows(key)
            for window in windows:
                window.expire(now)
            wait = max(window.wait(now, cost) for window in windows)
            if wait <= 0:
                for window in windows:
                    window.use(now, cost)
            remaining = min(window.left for window in windows)
            return Decision(wait <= 0, remaining, max(0.0, wait))

    def reset(self, key: str) -> None:
        """Forgets what ``key`` has used."""
        with self._lock:
            self._keys.pop(key, None)

    def __len__(self) -> int:
        with self._lock:
            return len(self._keys)

    def _windows(self, key: str) -> list[_Window]:
        if key not in self._keys:
            if len(self._keys) >= self._max_keys:
                self._keys.popitem(last=False)
            self._keys[key] = [_Window(rule) for rule in self._rules]
        self._keys.move_to_end(key)
        return self._keys[key]


def _address(environ):
    return environ["REMOTE_ADDR"]


class RateLimitMiddleware:
    """Lets a WSGI application see only the requests that are within the limits."""

    def __init__(self, app, limiter, key=_address):
        self._app = app
        self._limiter = limiter
        self._key = key

    def __call__(self, environ, start_response):
        """Answers one request."""
        decision = self._limiter.check(self._key(environ))
        extra = [("X-RateLimit-Remaining", str(decision.remaining))]
        if decision.allowed:

            def start(status, headers, *exc_info):
                return start_response(status, [*headers, *extra], *exc_info)

            return self._app(environ, start)
        headers = [
            ("Content-Type", "text/plain; charset=utf-8"),
            ("Retry-After", str(max(1, math.ceil(decision.retry_after)))),
            *extra,
        ]
        start_response("429 Too Many Requests", headers)
        return [b"Too many requests\n"]
