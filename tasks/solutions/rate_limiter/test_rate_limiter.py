import math
import sys
import threading
from wsgiref.util import setup_testing_defaults

import pytest

from rate_limiter import Decision, RateLimiter, RateLimitMiddleware, Rule


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


def test_a_window_slides(clock):
    limiter = RateLimiter([Rule(2, 10)], clock=clock)
    assert limiter.check("a") == Decision(True, 1, 0.0)
    clock.now += 4
    assert limiter.check("a") == Decision(True, 0, 0.0)
    assert limiter.check("a") == Decision(False, 0, 6.0)
    clock.now += 5.75
    assert limiter.check("a") == Decision(False, 0, 0.25)
    clock.now += 0.25
    assert limiter.check("a") == Decision(True, 0, 0.0)
    assert limiter.check("b").remaining == 1


def test_the_strictest_rule_holds(clock):
    limiter = RateLimiter([Rule(2, 1), Rule(3, 60)], clock=clock)
    assert [limiter.check("a").allowed for _ in range(3)] == [True, True, False]
    clock.now += 1
    assert limiter.check("a") == Decision(True, 0, 0.0)
    assert limiter.check("a") == Decision(False, 0, 59.0)


def test_costs(clock):
    limiter = RateLimiter([Rule(5, 10)], clock=clock)
    limiter.check("a", 2)
    clock.now += 1
    limiter.check("a", 2)
    assert limiter.check("a", 4) == Decision(False, 1, 10.0)
    assert limiter.check("a", 3) == Decision(False, 1, 9.0)
    assert limiter.check("a", 6) == Decision(False, 1, math.inf)
    assert limiter.check("a", 1) == Decision(True, 0, 0.0)


def test_a_clock_that_goes_back(clock):
    limiter = RateLimiter([Rule(1, 10)], clock=clock)
    limiter.check("a")
    clock.now -= 50
    assert limiter.check("a").retry_after == 10.0
    clock.now += 60
    assert limiter.check("a").allowed


def test_reset(clock):
    limiter = RateLimiter([Rule(1, 10)], clock=clock)
    limiter.check("a")
    limiter.reset("a")
    limiter.reset("never seen")
    assert len(limiter) == 0
    assert limiter.check("a").allowed


def test_the_least_recent_key_is_dropped(clock):
    limiter = RateLimiter([Rule(1, 10)], clock=clock, max_keys=2)
    for key in ("a", "b", "a", "c"):
        limiter.check(key)
    assert len(limiter) == 2
    assert not limiter.check("a").allowed
    assert limiter.check("b").allowed


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: RateLimiter([]),
        lambda: RateLimiter([Rule(1, 1)], max_keys=0),
        lambda: RateLimiter([Rule(0, 1)]),
        lambda: RateLimiter([Rule(1, 0)]),
        lambda: RateLimiter([Rule(1, math.inf)]),
        lambda: RateLimiter([Rule(1, math.nan)]),
        lambda: RateLimiter([Rule(1, 1)]).check("a", 0),
    ],
)
def test_wrong_values(wrong):
    with pytest.raises(ValueError, match="must be"):
        wrong()


def test_threads_get_no_more_than_the_limit(clock):
    limiter = RateLimiter([Rule(50, 10)], clock=clock)
    allowed = []

    def work():
        allowed.extend(limiter.check("a").allowed for _ in range(50))

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sys.setswitchinterval(interval)
    assert sum(allowed) == 50


def request(app, address="192.0.2.1"):
    environ = {"REMOTE_ADDR": address}
    setup_testing_defaults(environ)
    answer = {}

    def start_response(status, headers, exc_info=None):
        answer.update(status=status, headers=dict(headers))

    answer["body"] = b"".join(app(environ, start_response))
    return answer


def test_middleware(clock):
    def app(environ, start_response):
        start_response("200 OK", [("X-App", "yes")])
        return [b"fine"]

    limited = RateLimitMiddleware(app, RateLimiter([Rule(1, 2.5)], clock=clock))
    first = request(limited)
    assert (first["status"], first["body"]) == ("200 OK", b"fine")
    assert first["headers"] == {"X-App": "yes", "X-RateLimit-Remaining": "0"}
    second = request(limited)
    assert (second["status"], second["body"]) == ("429 Too Many Requests", b"Too many requests\n")
    assert second["headers"] == {
        "Content-Type": "text/plain; charset=utf-8",
        "Retry-After": "3",
        "X-RateLimit-Remaining": "0",
    }
    assert request(limited, "192.0.2.2")["status"] == "200 OK"


def test_middleware_with_a_key_of_its_own(clock):
    def app(environ, start_response):
        start_response("200 OK", [])
        yield b"late"

    limited = RateLimitMiddleware(
        app, RateLimiter([Rule(1, 10)], clock=clock), key=lambda environ: environ["PATH_INFO"]
    )
    assert request(limited)["headers"] == {"X-RateLimit-Remaining": "0"}
    assert request(limited, "192.0.2.2")["status"].startswith("429")
