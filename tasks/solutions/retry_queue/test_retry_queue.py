import subprocess
import sys
from pathlib import Path

import pytest

from retry_queue import DeadJob, Job, RetryQueue

WORKER = """
import sys
from retry_queue import RetryQueue
with RetryQueue(sys.argv[1]) as queue:
    while job := queue.take():
        print(job.id)
        assert queue.done(job)
"""


class Clock:
    now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def make(tmp_path, clock):
    queues = []

    def open_queue(**options):
        queues.append(RetryQueue(tmp_path / "jobs.db", clock=clock, **options))
        return queues[-1]

    yield open_queue
    for queue in queues:
        queue.close()


def test_in_order_of_being_due(make, clock):
    queue = make()
    assert [queue.put("late", delay=5), queue.put("first"), queue.put("second")] == [1, 2, 3]
    job = queue.take()
    assert job == Job(2, "first", 1, job.token, 1030.0)
    assert queue.take().payload == "second"
    assert queue.take() is None
    clock.now += 5
    assert queue.take().payload == "late"


def test_done(make):
    queue = make()
    queue.put({"a": [1, None]})
    job = queue.take()
    assert job.payload == {"a": [1, None]}
    assert queue.done(job)
    assert not queue.done(job)
    assert not queue.fail(job, "late")
    assert queue.counts() == {"waiting": 0, "running": 0, "done": 1, "dead": 0}


def test_delays_double_up_to_the_longest(make, clock):
    queue = make(base_delay=2.0, max_delay=5.0)
    queue.put("x")
    for delay in (2.0, 4.0, 5.0, 5.0):
        assert queue.fail(queue.take(), "no")
        clock.now += delay - 0.5
        assert queue.take() is None
        clock.now += 0.5
    assert queue.fail(queue.take(), "at last")
    assert queue.dead() == [DeadJob(1, "x", 5, "at last")]


def test_no_retry_and_revival(make):
    queue = make()
    queue.put("x")
    first = queue.take()
    assert queue.fail(first, "hopeless", retry=False)
    assert queue.take() is None
    assert not queue.revive(7)
    assert queue.revive(1)
    assert not queue.revive(1)
    again = queue.take()
    assert again.attempt == 1
    assert not queue.done(first)
    assert queue.done(again)


def test_leases(make, clock):
    queue, other = make(lease=10.0, max_attempts=2), make(lease=10.0, max_attempts=2)
    queue.put("x")
    first = queue.take()
    clock.now += 9
    assert other.take() is None
    first = queue.extend(first)
    assert first.lease_until == clock.now + 10
    clock.now += 10
    second = other.take()
    assert (second.id, second.attempt) == (1, 2)
    assert (queue.done(first), queue.fail(first, "x"), queue.extend(first)) == (False, False, None)
    clock.now += 10
    assert queue.take() is None
    assert queue.dead() == [DeadJob(1, "x", 2, "lease expired")]


def test_a_late_end_counts_if_nobody_noticed(make, clock):
    queue = make()
    queue.put("x")
    job = queue.take()
    clock.now += 1000
    assert queue.done(job)


def test_keys(make):
    queue = make()
    assert queue.put("x", key="k") == 1
    assert queue.put("y", key="k") == 1
    job = queue.take()
    assert queue.put("z", key="k") == 1
    queue.done(job)
    assert queue.put("new", key="k") == 2
    assert (job.payload, queue.take().payload) == ("x", "new")


@pytest.mark.parametrize("payload", [object(), float("nan"), {1, 2}])
def test_what_json_cannot_hold(make, payload):
    queue = make()
    with pytest.raises((TypeError, ValueError)):
        queue.put(payload)
    assert queue.counts()["waiting"] == 0


@pytest.mark.parametrize(
    "options", [{"max_attempts": 0}, {"lease": 0}, {"base_delay": -1}, {"max_delay": -1}]
)
def test_wrong_settings(make, options):
    with pytest.raises(ValueError, match="must"):
        make(**options)


def test_a_negative_delay(make):
    with pytest.raises(ValueError, match="negative"):
        make().put("x", delay=-1)


def test_several_processes_share_the_jobs(tmp_path):
    path = tmp_path / "jobs.db"
    with RetryQueue(path) as queue:
        for number in range(30):
            queue.put(number)
        argv = [sys.executable, "-c", WORKER, path]
        folder = Path(__file__).parent
        workers = [
            subprocess.Popen(argv, cwd=folder, stdout=subprocess.PIPE, text=True) for _ in range(3)
        ]
        taken = [int(word) for worker in workers for word in worker.communicate()[0].split()]
        assert sorted(taken) == list(range(1, 31))
        assert {worker.returncode for worker in workers} == {0}
        assert queue.counts()["done"] == 30
