"""Runs in a process of its own: does with the agent's module what it is told, and prints what came of it."""

import json
import os
import sys

sys.path.insert(0, ".")

import retry_queue  # noqa: E402


def job_words(job):
    return None if job is None else [job.id, job.payload, job.attempt, job.lease_until]


def steps(path, options, script):
    """A script of actions on one file, through two objects in turn, by a clock that the script sets."""
    now = [0.0]
    queues = [retry_queue.RetryQueue(path, clock=lambda: now[0], **options) for _ in range(2)]
    held, found = [], []
    for number, (time, action, argument) in enumerate(script):
        now[0] = time
        queue = queues[number % 2]
        job = held[argument % len(held)] if action in ("done", "fail", "give_up", "extend") and held else None
        if action == "put":
            payload, key, delay = argument
            found.append(queue.put(payload, key=key, delay=delay))
        elif action == "take":
            job = queue.take()
            if job is not None:
                held.append(job)
            found.append(job_words(job))
        elif action == "revive":
            found.append(bool(queue.revive(argument)))
        elif action == "look":
            dead = [[one.id, one.payload, one.attempts, one.error] for one in queue.dead()]
            found.append([dead, queue.counts()])
        elif job is None:
            found.append("nothing held")
        elif action == "done":
            found.append(bool(queue.done(job)))
        elif action == "fail":
            found.append(bool(queue.fail(job, f"error {number}")))
        elif action == "give_up":
            found.append(bool(queue.fail(job, f"error {number}", retry=False)))
        else:
            longer = queue.extend(job)
            if longer is not None:
                held[argument % len(held)] = longer
            found.append(job_words(longer))
    for queue in queues:
        queue.close()
    return found


def wrong(path, options, put):
    try:
        with retry_queue.RetryQueue(path, **options) as queue:
            queue.put("x", **put)
    except ValueError:
        return "ValueError"
    return "accepted"


def not_json(path):
    with retry_queue.RetryQueue(path) as queue:
        found = []
        for payload in (object(), {1, 2}, {"a": [object()]}):
            try:
                queue.put(payload)
                found.append("accepted")
            except (TypeError, ValueError):
                found.append("refused")
        return [found, queue.counts()]


def work(path):
    """A worker among several: the ids of the jobs it took and ended."""
    taken = []
    with retry_queue.RetryQueue(path) as queue:
        while job := queue.take():
            taken.append([job.id, job.attempt])
            queue.put({"from": job.id}, key=f"follow-{job.id}", delay=10_000.0)
            if not queue.done(job):
                taken.append("lost")
    return taken


def die(path):
    """Ends without any warning, a job put and another in its hands."""
    queue = retry_queue.RetryQueue(path, clock=lambda: 100.0, lease=5.0)
    job = queue.take()
    queue.put("put before the end", delay=1000.0)
    print(json.dumps(job.id), flush=True)
    os._exit(9)


KINDS = {"steps": steps, "wrong": wrong, "not_json": not_json, "work": work, "die": die}
request = json.load(sys.stdin)
print(json.dumps(KINDS[request.pop("kind")](**request)), flush=True)
