"""The signal of a verified task: whether all its withheld tests pass."""

import random
from collections.abc import Mapping

from agent_bench.graders.interface import Grading
from agent_bench.graders.withheld_run import Observed, run_withheld
from agent_bench.model import Check, Signal
from agent_bench.toolchains.interface import Kit, ToolchainError
from agent_bench.workspace import shown

_MAX_NAMES = 20
_MAX_MESSAGE_CHARS = 160


class WithheldTestsGrader:
    """1.0 if every fail-to-pass and every pass-to-pass test passed, each collected once, nothing forged; else 0.0.

    Shares of passed tests (``f2p``, ``p2p``: passed and declared) are facts, and never change the value; a skipped
    test has not passed. What the agent's code does to the tests (does not compile, crashes, never ends) is 0.0.
    Not observed: the toolchain cannot be had, the report is malformed, a fault of ours.
    """

    async def observe(self, check: Check, grading: Grading) -> Signal:
        """The signal."""
        kit = Kit(grading.launcher, grading.sandbox, grading.cache, grading.environ, grading.scratch, grading.logs)
        try:
            # Names that nobody can know beforehand.
            observed = await run_withheld(grading.task, grading.tree, kit, check.name, draw=random.SystemRandom())
        except ToolchainError as error:
            return Signal(name=check.name, reason=str(error))
        return judge(check, observed)


def judge(check: Check, observed: Observed) -> Signal:
    """The signal of what was observed."""
    outcomes, matched = observed.matched.outcomes, observed.matched
    shares = {}
    for key, option in (("f2p", "fail_to_pass"), ("p2p", "pass_to_pass")):
        declared = check.options[option]
        shares[key] = [sum(outcomes.get(name) == "passed" for name in declared), len(declared)]
    not_passed = {name: outcome for name, outcome in outcomes.items() if outcome != "passed"}
    facts = {
        **shares,
        "not_passed": dict(list(not_passed.items())[:_MAX_NAMES]),
        "missing": list(matched.missing[:_MAX_NAMES]),
        "duplicates": list(matched.duplicates[:_MAX_NAMES]),
        "runner_sec": round(observed.seconds, 3),
    }
    share_words = ", ".join(f"{key} {passed}/{total}" for key, (passed, total) in shares.items())
    why = _why(observed, not_passed)
    if observed.unreadable and not observed.tampered:
        return Signal(name=check.name, reason=observed.unreadable, facts=facts)
    return Signal(
        name=check.name,
        value=0.0 if why else 1.0,
        reason=f"{share_words}: {why}" if why else share_words,
        facts=facts,
        tampered=observed.tampered,
    )


def _why(observed: Observed, not_passed: Mapping[str, str]) -> str:
    """Why it is not resolved; "" if it is."""
    matched = observed.matched
    if observed.tampered:
        return f"tampered: {observed.tampered[0]}"
    if observed.problem or observed.unreadable:
        return observed.problem or observed.unreadable
    if matched.missing:
        return f"not collected: {_some(matched.missing)}"
    if matched.duplicates:
        return f"several tests have the name: {_some(matched.duplicates)}"
    if not_passed:
        name, outcome = next(iter(not_passed.items()))
        message = shown(matched.messages.get(name, "").split("\n")[0])[:_MAX_MESSAGE_CHARS]
        return f"{shown(name)} {outcome}" + (f": {message}" if message else "")
    return ""


def _some(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(map(shown, names[:3])) + more
