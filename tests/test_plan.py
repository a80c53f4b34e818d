"""From a request to a plan."""

from pathlib import Path

from agent_bench.agents.interface import Probe
from agent_bench.model import AgentSpec, Limits, Outcome, Run, Task
from agent_bench.plan import Request, make_plan


def _task(name: str, **changes: object) -> Task:
    base = {
        "id": name,
        "format": "prompt",
        "digest": "d" * 64,
        "title": name,
        "instruction": "do it",
        "source": Path("x.yaml"),
        "solution": Path("solution"),
    }
    return Task.model_validate({**base, **changes})


def _spec(name: str, **changes: object) -> AgentSpec:
    return AgentSpec.model_validate({"name": name, "adapter": "command", **changes})


AVAILABLE = Probe(status="available", version="1.2")
NOOP = AgentSpec(name="noop", adapter="noop")


def test_every_agent_on_every_task_as_often_as_asked() -> None:
    run = make_plan(
        Request(
            tasks=[_task("a"), _task("b")],
            agents=[NOOP, _spec("x")],
            probes={"noop": AVAILABLE, "x": AVAILABLE},
            models=["m1", "m2"],
            attempts=3,
        )
    )
    assert len(run.trials) == 2 * (1 + 2) * 3
    assert len({trial.key for trial in run.trials}) == len(run.trials)
    assert {trial.key.model for trial in run.trials if trial.key.agent == "noop"} == {None}
    assert all(trial.agent.version == "1.2" for trial in run.trials)
    assert Run.model_validate_json(run.model_dump_json()) == run


def test_agents_are_interleaved_per_task_in_an_order_that_the_seed_fixes() -> None:
    agents = [_spec(name) for name in "abcdefgh"]
    tasks = [_task("t1"), _task("t2")]

    def order(seed: int) -> list[tuple[str, str]]:
        run = make_plan(Request(tasks=tasks, agents=agents, probes={}, seed=seed))
        return [(trial.key.task, trial.key.agent) for trial in run.trials]

    assert order(1) == order(1)
    assert order(1) != order(2)
    assert [task for task, _ in order(1)] == ["t1"] * 8 + ["t2"] * 8


def test_the_smallest_limit_holds() -> None:
    task = _task("a", limits=Limits(agent_sec=100))
    agents = [_spec("slow", timeout_sec=500), _spec("quick", timeout_sec=5)]
    run = make_plan(Request(tasks=[task], agents=agents, probes={}, timeout_sec=50))
    assert {trial.key.agent: trial.limits.agent_sec for trial in run.trials} == {"slow": 50, "quick": 5}


def test_what_cannot_run_is_planned_as_not_run_with_the_reason() -> None:
    probes = {
        "gone": Probe(status="unavailable", reason="not installed", remedy="npm install gone"),
        "chat": Probe(status="unsupported", reason="writes no files"),
    }
    reference = AgentSpec(name="reference", adapter="reference")
    run = make_plan(
        Request(tasks=[_task("a", solution=None)], agents=[_spec("gone"), _spec("chat"), reference], probes=probes)
    )
    found = {trial.key.agent: (trial.skip, trial.skip_reason) for trial in run.trials}
    assert found == {
        "gone": (Outcome.UNAVAILABLE, "not installed; npm install gone"),
        "chat": (Outcome.UNSUPPORTED, "writes no files"),
        "reference": (Outcome.UNSUPPORTED, "the task has no reference solution"),
    }


def test_options_and_limits_change_the_settings_digest() -> None:
    def digest(**changes: object) -> str:
        return (
            make_plan(Request(tasks=[_task("a")], agents=[_spec("x", **changes)], probes={})).trials[0].settings_digest
        )

    assert digest() == digest()
    assert len({digest(), digest(options={"command": "x"}), digest(timeout_sec=5.0)}) == 3
