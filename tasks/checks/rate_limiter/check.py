"""What the task asks for. The agent's module runs in another process; what it says is compared with our own reckoning."""

import json
import random
import subprocess
import sys
from pathlib import Path


def ask(*requests):
    """What the agent's module makes of each request."""
    argv = [sys.executable, str(Path(__file__).with_name("scenario.py"))]
    text = "".join(json.dumps(request) + "\n" for request in requests)
    try:
        done = subprocess.run(argv, input=text, capture_output=True, text=True, timeout=40)
    except subprocess.TimeoutExpired:
        sys.exit("did not end within 40 s")
    answers = done.stdout.splitlines()
    if len(answers) != len(requests):
        sys.exit(f"failed: {done.stderr.strip()[-300:] or 'ended early'}")
    return [json.loads(answer) for answer in answers]


def same(found, expected, what):
    if found != expected:
        sys.exit(f"{what}: found {found!r}, expected {expected!r}")


def reckon(rules, steps, max_keys):
    """The decisions, by going through all that was ever allowed. Times are multiples of 1/4, so sums are exact."""
    used, order, latest, found = {}, [], float("-inf"), []
    for time, action, key, cost in steps:
        if action == "reset":
            used.pop(key, None)
            order = [other for other in order if other != key]
            found.append(None)
            continue
        now = latest = max(latest, time)
        if key not in used:
            if len(used) == max_keys:
                used.pop(order.pop(0))
            used[key] = []
        order = [*(other for other in order if other != key), key]

        def units(per_sec, moment, key=key):
            return sum(count for at, count in used[key] if at + per_sec > moment)

        def fits(moment, cost=cost, units=units):
            return all(units(per_sec, moment) + cost <= limit for limit, per_sec in rules)

        allowed = fits(now)
        wait = 0.0
        if not allowed and any(cost > limit for limit, _ in rules):
            wait = "inf"
        elif not allowed:
            moments = sorted(at + per_sec for at, _ in used[key] for _, per_sec in rules if at + per_sec > now)
            wait = next(moment for moment in moments if fits(moment)) - now
        if allowed:
            used[key].append((now, cost))
        remaining = min(limit - units(per_sec, now) for limit, per_sec in rules)
        found.append([allowed, remaining, wait, len(used)])
    return found


def random_case(seed):
    chance = random.Random(seed)
    rules = [[chance.randrange(2, 7), chance.choice([0.5, 2.0, 5.0])] for _ in range(chance.randrange(1, 4))]
    time, steps = 1000.0, []
    for _ in range(300):
        time += chance.choice([0, 0, 0.25, 0.5, 1.0, 2.0, -0.75])
        action = "reset" if chance.random() < 0.03 else "check"
        steps.append([time, action, chance.choice("aaabbcde"), chance.choice([1, 1, 1, 2, 3, 8])])
    return {"rules": rules, "steps": steps, "max_keys": chance.choice([3, 4, 100])}


def check_decisions():
    window = {"rules": [[2, 10.0]], "max_keys": 9}
    window["steps"] = [[time, "check", "a", 1] for time in (100, 104, 104, 109.75, 110, 110, 114)]
    cases = [window, *(random_case(seed) for seed in range(12))]
    for case, found in zip(cases, ask(*({"kind": "decisions", **case} for case in cases)), strict=True):
        for number, (ours, theirs) in enumerate(zip(reckon(**case), found, strict=True)):
            step = case["steps"][number]
            what = f"step {number} (time, action, key, cost: {step}) with the rules {case['rules']}"
            same(theirs, ours, f"[allowed, remaining, retry_after, len] of {what}")


def check_wrong():
    rules = [[1, "1"]]
    bad = [
        {"rules": [], "options": {}, "cost": 1},
        {"rules": rules, "options": {"max_keys": 0}, "cost": 1},
        {"rules": rules, "options": {}, "cost": 0},
        {"rules": rules, "options": {}, "cost": -2},
        *({"rules": [[1, per]], "options": {}, "cost": 1} for per in ("0", "-1", "inf", "nan")),
        *({"rules": [[limit, "1"]], "options": {}, "cost": 1} for limit in (0, -3)),
    ]
    good = {"kind": "wrong", "rules": rules, "options": {"max_keys": 1}, "cost": 1}
    found = ask(*({"kind": "wrong", **case} for case in bad), good)
    for case, said in zip(bad, found, strict=False):
        same(said, "ValueError", f"{case}")
    same(found[-1], "accepted", "right values")


def check_middleware():
    requests = [[0.0, "192.0.2.1", "/a"], [0.5, "192.0.2.1", "/b"], [1.25, "192.0.2.1", "/a"], [1.5, "192.0.2.9", "/a"]]
    requests += [[3.0, "192.0.2.1", "/a"]]
    fine = ["201 Created", [["x-app", "a"], ["x-ratelimit-remaining", "0"]], "onetwo"]
    more = ["201 Created", [["x-app", "a"], ["x-ratelimit-remaining", "1"]], "onetwo"]

    def refused(seconds):
        headers = [["content-type", "text/plain; charset=utf-8"], ["retry-after", seconds], ["x-ratelimit-remaining", "0"]]
        return ["429 Too Many Requests", headers, "Too many requests\n"]

    by_address = [[*more, 1], [*fine, 2], [*refused("2"), 2], [*more, 3], [*fine, 4]]
    by_path = [[*more, 1], [*more, 2], [*fine, 3], [*refused("2"), 3], [*fine, 4]]
    for late in (False, True):
        plan = {"kind": "middleware", "rule": [2, 3.0], "requests": requests, "late": late}
        found = ask({**plan, "by_path": False}, {**plan, "by_path": True})
        for name, ours, theirs in zip(("address", "path"), (by_address, by_path), found, strict=True):
            for number, (expected, answer) in enumerate(zip(ours, theirs, strict=True)):
                same(answer, expected, f"request {number} by {name} (status, headers, body, calls of the application)")


check_decisions()
check_wrong()
same(ask({"kind": "threads", "limit": 300, "workers": 8, "each": 200}), [300], "allowed to 8 threads within a limit of 300")
check_middleware()
