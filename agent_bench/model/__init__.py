"""The core types: frozen, with their units, readable and writable as JSON.

Suffixes name units: ``_sec`` seconds, ``_usd`` United States dollars, ``_bytes`` bytes. Times are aware and in UTC.
``None`` means *not known* or *not observed*; it is never written as 0. Everything is imported from here.
"""

from agent_bench.model.frozen import Frozen
from agent_bench.model.processes import Finished, Invocation, LimitFired, ProcessLimits
from agent_bench.model.records import RECORD_VERSION, Produced, Run, RunResult, Score, Signal, TrialRecord, Try, Usage
from agent_bench.model.tasks import Check, Environment, Limits, Policy, Task
from agent_bench.model.trials import AgentSpec, Outcome, Trial, TrialKey

__all__ = [
    "RECORD_VERSION",
    "AgentSpec",
    "Check",
    "Environment",
    "Finished",
    "Frozen",
    "Invocation",
    "LimitFired",
    "Limits",
    "Outcome",
    "Policy",
    "ProcessLimits",
    "Produced",
    "Run",
    "RunResult",
    "Score",
    "Signal",
    "Task",
    "Trial",
    "TrialKey",
    "TrialRecord",
    "Try",
    "Usage",
]
