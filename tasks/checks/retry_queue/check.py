"""What the task asks for. The agent's module runs in other processes; what it says is compared with our own reckoning."""

import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

SCENARIO = [sys.executable, str(Path(__file__).with_name("scenario.py"))]


def start(request):
    process = subprocess.Popen(
        SCENARIO, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    process.stdin.write(json.dumps(request))
    process.stdin.close()
    process.stdin = None
    return process


def answer(process):
    try:
        said, complaint = process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        sys.exit("did not end within 60 s")
    if not said.strip():
        sys.exit(f"failed: {complaint.strip()[-300:] or 'ended early'}")
    return json.loads(said.splitlines()[-1])


def ask(kind, **request):
    return answer(start({"kind": kind, **request}))


def same(found, expected, what):
    if found != expected:
        sys.exit(f"{what}: found {found!r}, expected {expected!r}")


class Model:
    """The queue as the task describes it, in memory. Times are multiples of 1/4, so sums are exact."""

    def __init__(self, max_attempts=5, base_delay=1.0, max_delay=3600.0, lease=30.0):
        self.max_attempts, self.base_delay, self.max_delay, self.lease = max_attempts, base_delay, max_delay, lease
        self.jobs, self.held = [], []

    def step(self, number, now, action, argument):
        if action == "put":
            return self.put(now, *argument)
        if action == "take":
            return self.take(now)
        if action == "revive":
            return self.revive(now, argument)
        if action == "look":
            dead = [[j["id"], j["payload"], j["attempts"], j["error"]] for j in self.jobs if j["state"] == "dead"]
            states = [job["state"] for job in self.jobs]
            return [dead, {state: states.count(state) for state in ("waiting", "running", "done", "dead")}]
        if not self.held:
            return "nothing held"
        job, take = self.held[argument % len(self.held)]
        attempt = job["attempts"]
        if job["state"] != "running" or job["take"] != take:
            return None if action == "extend" else False
        if action == "extend":
            job["due"] = now + self.lease
            return [job["id"], job["payload"], attempt, job["due"]]
        self.end(job, now, attempt, action, number)
        return True

    def put(self, now, payload, key, delay):
        for job in self.jobs:
            if key is not None and job["key"] == key and job["state"] in ("waiting", "running"):
                return job["id"]
        job = {"id": len(self.jobs) + 1, "payload": payload, "key": key, "due": now + delay}
        self.jobs.append({**job, "state": "waiting", "attempts": 0, "error": ""})
        return len(self.jobs)

    def take(self, now):
        for job in self.jobs:
            if job["state"] == "running" and job["due"] <= now:
                last = job["attempts"] >= self.max_attempts
                job.update(state="dead" if last else "waiting", error="lease expired")
        due = [job for job in self.jobs if job["state"] == "waiting" and job["due"] <= now]
        if not due:
            return None
        job = min(due, key=lambda job: (job["due"], job["id"]))
        take = len(self.held)
        job.update(state="running", attempts=job["attempts"] + 1, due=now + self.lease, take=take)
        self.held.append((job, take))
        return [job["id"], job["payload"], job["attempts"], job["due"]]

    def end(self, job, now, attempt, action, number):
        if action == "done":
            job["state"] = "done"
        elif action == "give_up" or attempt >= self.max_attempts:
            job.update(state="dead", error=f"error {number}")
        else:
            delay = min(self.max_delay, self.base_delay * 2 ** (attempt - 1))
            job.update(state="waiting", due=now + delay, error=f"error {number}")

    def revive(self, now, job_id):
        for job in self.jobs:
            if job["id"] == job_id and job["state"] == "dead":
                job.update(state="waiting", attempts=0, due=now, error="")
                return True
        return False


def random_script(seed):
    chance = random.Random(seed)
    time, script = 5000.0, []
    weights = {"put": 5, "take": 8, "done": 2, "fail": 6, "give_up": 1, "extend": 2, "revive": 1, "look": 2}
    for _ in range(150):
        time += chance.choice([0, 0, 0, 0.25, 1.0, 2.0, 5.0])
        action = chance.choices(list(weights), list(weights.values()))[0]
        argument = chance.randrange(1, 30)
        if action == "put":
            payload = chance.choice(["text", 7, None, [1, {"a": "\u00e4"}], {"k": True}])
            argument = [payload, chance.choice([None, None, "a", "b"]), chance.choice([0.0, 0.0, 3.0])]
        elif action in ("done", "fail", "give_up", "extend"):
            argument = -chance.choice([1, 1, 1, 2, 3])  # of the jobs in hand, one of the last
        script.append([time, action, argument])
    options = {"max_attempts": chance.choice([1, 2, 3]), "lease": chance.choice([2.0, 6.0])}
    return {**options, "base_delay": chance.choice([0.0, 0.5, 2.0, 4.0]), "max_delay": chance.choice([3.0, 100.0])}, script


def check_rules(folder):
    for seed in range(6):
        options, script = random_script(seed)
        found = ask("steps", path=str(folder / f"{seed}.db"), options=options, script=script)
        model = Model(**options)
        for number, (step, theirs) in enumerate(zip(script, found, strict=True)):
            ours = model.step(number, *step)
            same(theirs, ours, f"step {number} (time, action, argument: {step}) with {options}")


def check_default_settings(folder):
    script = [[0.0, "put", ["x", None, 0.0]]]
    for time in (0.0, 1.0, 3.0, 7.0, 15.0):  # delays of 1, 2, 4, 8 s, then dead
        script += [[time - 0.25, "take", 0]] if time else []
        script += [[time, "take", 0], [time, "fail", -1]]
    script += [[1e6, "take", 0], [1e6, "look", 0]]
    found = ask("steps", path=str(folder / "defaults.db"), options={}, script=script)
    model = Model()
    same(found, [model.step(number, *step) for number, step in enumerate(script)], "five failures with the defaults")


def check_wrong(folder):
    bad = [({name: value}, {}) for name, value in (("max_attempts", 0), ("lease", 0), ("lease", -1))]
    bad += [({"base_delay": -1}, {}), ({"max_delay": -0.5}, {}), ({}, {"delay": -1})]
    for options, put in bad:
        found = ask("wrong", path=str(folder / "wrong.db"), options=options, put=put)
        same(found, "ValueError", f"{options or put}")
    refused = [["refused"] * 3, {"waiting": 0, "running": 0, "done": 0, "dead": 0}]
    same(ask("not_json", path=str(folder / "json.db")), refused, "what JSON cannot hold")


def check_processes(folder):
    path = str(folder / "shared.db")
    script = [[0.0, "put", [number, None, 0.0]] for number in range(60)]
    ask("steps", path=path, options={}, script=script)
    workers = [start({"kind": "work", "path": path}) for _ in range(4)]
    taken = [entry for worker in workers for entry in answer(worker)]
    same(sorted(taken, key=str), sorted(([n, 1] for n in range(1, 61)), key=str), "jobs taken by four processes")
    (counts,) = ask("steps", path=path, options={}, script=[[0.0, "look", 0]])
    same(counts, [[], {"waiting": 60, "running": 0, "done": 60, "dead": 0}], "what four processes left")


def check_death(folder):
    path = str(folder / "death.db")
    ask("steps", path=path, options={}, script=[[0.0, "put", ["x", None, 0.0]]])
    same(ask("die", path=path), 1, "the job of a process that dies")
    script = [[104.0, "take", 0], [105.0, "take", 0], [5000.0, "done", -1], [5000.0, "take", 0]]
    found = ask("steps", path=path, options={}, script=script)
    expected = [None, [1, "x", 2, 135.0], True, [2, "put before the end", 1, 5030.0]]
    same(found, expected, "after a process has died")


def main():
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for check in (check_default_settings, check_rules, check_wrong, check_processes, check_death):
            check(folder)


main()
