import pytest

from patience import Deadline, GaveUp, Retry, Schedule


class Flaky:
    """Raises the given errors one after the other, then returns ``value``."""

    def __init__(self, *errors, value="done"):
        self.errors = list(errors)
        self.value = value
        self.calls = []

    def __call__(self, *args, **kwargs):
        self.calls.append((args, kwargs))
        if self.errors:
            raise self.errors.pop(0)
        return self.value


class Busy(Exception):
    def __init__(self, retry_after):
        super().__init__("busy")
        self.retry_after = retry_after


class FakeTime:
    """A clock that only its own sleep moves."""

    def __init__(self):
        self.now = 0
        self.slept = []

    def __call__(self):
        return self.now

    def sleep(self, seconds):
        self.slept.append(seconds)
        self.now += seconds


def failures(count):
    return [ValueError(f"failure {n}") for n in range(1, count + 1)]


def test_pauses_grow_until_the_ceiling():
    schedule = Schedule(first=1, factor=3, ceiling=20)
    pauses = [schedule.delay(n) for n in range(1, 6)]
    assert pauses == [1.0, 3.0, 9.0, 20.0, 20.0]
    assert {type(pause) for pause in pauses} == {float}


def test_huge_failure_counts_stay_at_the_ceiling():
    assert Schedule(first=1, factor=2.0, ceiling=30).delay(5000) == 30.0


def test_impossible_settings_are_refused():
    refused = [
        (lambda: Schedule(first=-1, factor=0.5), "first must be at least 0, got -1"),
        (lambda: Schedule(first=1, factor=0.5), "factor must be at least 1, got 0.5"),
        (lambda: Schedule(first=5, ceiling=4), "ceiling must be at least first, got 4"),
        (lambda: Schedule(first=1).delay(0), "failures must be at least 1, got 0"),
        (lambda: Retry(Schedule(first=1), attempts=0), "attempts must be at least 1, got 0"),
    ]
    for make, message in refused:
        with pytest.raises(ValueError) as caught:
            make()
        assert str(caught.value) == message


def test_success_after_two_failures_sleeps_twice():
    slept = []
    flaky = Flaky(*failures(2), value=42)
    policy = Retry(Schedule(first=0.5), attempts=5, sleep=slept.append)
    assert policy.call(flaky, "a", key="b") == 42
    assert flaky.calls == [(("a",), {"key": "b"})] * 3
    assert slept == [0.5, 1.0]


def test_last_failure_ends_without_a_sleep():
    slept = []
    errors = failures(4)
    flaky = Flaky(*errors)
    policy = Retry(Schedule(first=1), attempts=3, sleep=slept.append)
    with pytest.raises(GaveUp) as caught:
        policy.call(flaky)
    assert len(flaky.calls) == 3
    assert slept == [1.0, 2.0]
    assert caught.value.attempts == 3
    assert caught.value.last is errors[2]
    assert caught.value.__cause__ is errors[2]


def test_other_errors_pass_through_at_once():
    slept = []
    error = KeyError("missing")
    flaky = Flaky(OSError("reset"), error)
    policy = Retry(Schedule(first=1), attempts=5, retry_on=(OSError,), sleep=slept.append)
    with pytest.raises(KeyError) as caught:
        policy.call(flaky)
    assert caught.value is error
    assert len(flaky.calls) == 2
    assert slept == [1.0]


def test_jitter_shapes_each_pause_once_within_bounds():
    slept, seen = [], []
    answers = iter([0.25, -3.0, 99.0])

    def jitter(pause):
        seen.append(pause)
        return next(answers)

    policy = Retry(
        Schedule(first=1, ceiling=10), attempts=4, sleep=slept.append, jitter=jitter
    )
    assert policy.call(Flaky(*failures(3))) == "done"
    assert seen == [1.0, 2.0, 4.0]
    assert slept == [0.25, 10]


def test_requested_wait_outranks_jitter_and_ceiling():
    slept = []
    flaky = Flaky(Busy(60), Busy(0.1), Busy(None))
    policy = Retry(
        Schedule(first=1, ceiling=5),
        attempts=4,
        sleep=slept.append,
        jitter=lambda pause: pause / 2,
    )
    assert policy.call(flaky) == "done"
    assert slept == [60, 1.0, 2.0]


def test_pause_must_fit_into_the_deadline():
    time = FakeTime()
    flaky = Flaky(*failures(9))
    policy = Retry(
        Schedule(first=1), attempts=9, sleep=time.sleep, deadline=Deadline(6, time)
    )
    with pytest.raises(GaveUp) as caught:
        policy.call(flaky)
    assert time.slept == [1.0, 2.0]
    assert len(flaky.calls) == 3
    assert str(caught.value) == "gave up after 3 attempts: ValueError: failure 3"
    time = FakeTime()
    policy = Retry(
        Schedule(first=1), attempts=9, sleep=time.sleep, deadline=Deadline(3, time)
    )
    assert policy.call(Flaky(*failures(2), value=7)) == 7
    assert time.slept == [1.0, 2.0]


def test_wrapped_function_keeps_its_name_and_counts_afresh():
    slept = []
    flaky = Flaky(ValueError("a"), ValueError("b"), value=3)
    policy = Retry(Schedule(first=1), attempts=2, sleep=slept.append)

    @policy.wrap
    def fetch(number, *, scale=1):
        """Fetch a number."""
        return flaky() * number * scale

    assert fetch.__name__ == "fetch"
    assert fetch.__doc__ == "Fetch a number."
    with pytest.raises(GaveUp):
        fetch(2)
    assert fetch(2, scale=5) == 30
    flaky.errors.append(ValueError("c"))
    assert fetch(1) == 3
    assert slept == [1.0, 1.0]
