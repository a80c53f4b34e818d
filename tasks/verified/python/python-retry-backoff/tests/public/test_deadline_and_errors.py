from patience import Deadline, GaveUp, Retry, Schedule


class Clock:
    def __init__(self):
        self.now = 100

    def __call__(self):
        return self.now


def test_deadline_counts_down():
    clock = Clock()
    deadline = Deadline(10, clock)
    clock.now += 4
    assert deadline.remaining() == 6
    assert deadline.expired() is False


def test_deadline_stops_at_zero():
    clock = Clock()
    deadline = Deadline(10, clock)
    clock.now += 25
    assert deadline.remaining() == 0
    assert deadline.expired() is True


def test_gave_up_carries_its_facts():
    last = KeyError("k")
    error = GaveUp(3, last)
    assert error.attempts == 3
    assert error.last is last


def test_gave_up_message_counts_in_words():
    assert str(GaveUp(1, ValueError("no"))) == "gave up after 1 attempt: ValueError: no"
    assert str(GaveUp(2, ValueError("no"))) == "gave up after 2 attempts: ValueError: no"


def test_policy_keeps_what_it_was_given():
    schedule = Schedule(first=1.5, factor=3.0, ceiling=20)
    policy = Retry(schedule, attempts=4, retry_on=(OSError,))
    assert (schedule.first, schedule.factor, schedule.ceiling) == (1.5, 3.0, 20)
    assert policy.schedule is schedule
    assert policy.attempts == 4
    assert policy.retry_on == (OSError,)
    assert policy.jitter is None
