"""Runs in a process of its own: does with the agent's module what it is told, and prints what came of it."""

import json
import math
import sys
import threading

sys.path.insert(0, ".")

import rate_limiter  # noqa: E402


def decisions(rules, steps, max_keys):
    now = [0.0]
    limiter = rate_limiter.RateLimiter(
        [rate_limiter.Rule(*rule) for rule in rules], clock=lambda: now[0], max_keys=max_keys
    )
    found = []
    for time, action, key, cost in steps:
        now[0] = time
        if action == "reset":
            limiter.reset(key)
            found.append(None)
            continue
        decision = limiter.check(key) if cost == 1 else limiter.check(key, cost)
        wait = decision.retry_after
        found.append([bool(decision.allowed), decision.remaining, "inf" if math.isinf(wait) else wait, len(limiter)])
    return found


def wrong(rules, options, cost):
    try:
        limiter = rate_limiter.RateLimiter(
            [rate_limiter.Rule(limit, float(per)) for limit, per in rules], clock=lambda: 0.0, **options
        )
        limiter.check("a", cost)
    except ValueError:
        return "ValueError"
    return "accepted"


def threads(limit, workers, each):
    sys.setswitchinterval(1e-6)
    limiter = rate_limiter.RateLimiter([rate_limiter.Rule(limit, 1000.0)], clock=lambda: 5.0)
    allowed = []

    def work():
        allowed.append(sum(limiter.check("k").allowed for _ in range(each)))

    running = [threading.Thread(target=work) for _ in range(workers)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    return sum(allowed)


def middleware(rule, requests, late, by_path):
    now = [0.0]
    calls = []

    def app(environ, start_response):
        calls.append(environ["PATH_INFO"])
        if late:

            def body():
                start_response("201 Created", [("X-App", "a")], None)
                yield b"one"
                yield b"two"

            return body()
        start_response("201 Created", [("X-App", "a")])
        return [b"one", b"two"]

    limiter = rate_limiter.RateLimiter([rate_limiter.Rule(*rule)], clock=lambda: now[0])
    options = {"key": lambda environ: environ["PATH_INFO"]} if by_path else {}
    limited = rate_limiter.RateLimitMiddleware(app, limiter, **options)
    found = []
    for time, address, path in requests:
        now[0] = time
        seen = []

        def start_response(status, headers, exc_info=None, seen=seen):
            seen.append([status, sorted([name.lower(), value] for name, value in headers)])
            return lambda data: None

        body = b"".join(limited({"REMOTE_ADDR": address, "PATH_INFO": path, "REQUEST_METHOD": "GET"}, start_response))
        found.append([*seen[-1], body.decode(), len(calls)])
    return found


KINDS = {"decisions": decisions, "wrong": wrong, "threads": threads, "middleware": middleware}
for line in sys.stdin:
    request = json.loads(line)
    print(json.dumps(KINDS[request.pop("kind")](**request)), flush=True)
