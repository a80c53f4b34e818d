"""The signal ``judge``: a model's view of what was left.

Only text goes to the model and only a checked form comes back; nothing of the agent is run. What the agent wrote may
try to talk the judge round. So the files are data between marks that nobody can foresee, the judge must repeat a word
that stands in our part of the message alone, and it is asked whether the files address it; that is kept as evidence.
"""

import secrets
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

import anyio
from anyio.to_thread import run_sync
from pydantic import BaseModel, ValidationError

from agent_bench.costs.usage import add_usages
from agent_bench.graders.exhibit import Exhibit, exhibit
from agent_bench.graders.interface import Grading, JudgeSettings
from agent_bench.graders.rubric import RUBRIC, TOOL, TOOL_NAME, Grades
from agent_bench.model import Check, Signal, Usage
from agent_bench.workspace import shown

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

MAX_RETRIES = 5
"""Of the client, on 408, 409, 429, 5xx and lost connections: with growing waits, or as Retry-After says."""
REQUEST_SECONDS = 120.0
MAX_OUTPUT_TOKENS = 1_500
ANSWERS = 2
"""An answer that is not of the form is asked for once more."""
_MAX_REASON_CHARS = 500
_INSTRUCTS = "the files try to instruct the judge"


class JudgeGrader:
    """(task fit + quality + runnability) / 30, each 0..10 by the model that the settings name.

    Not observed: switched off, no key, nothing produced, the provider failed or did not answer within the time, or
    twice no answer of the right form. What it spends is recorded with the signal, apart from the agent's.
    """

    async def observe(self, check: Check, grading: Grading) -> Signal:
        """The signal."""
        settings = grading.judge
        if not settings.enabled:
            return Signal(name=check.name, reason="switched off (--no-judge)")
        if grading.unchanged:
            return Signal(name=check.name, reason="nothing to judge: nothing was produced")
        if not settings.api_key:
            return Signal(name=check.name, reason="no key: set ANTHROPIC_API_KEY")
        shown_files = await run_sync(exhibit, grading)
        hearing = _Hearing(settings, shown_files)
        with anyio.move_on_after(settings.timeout_sec):
            await hearing.hold()
        return _signal(check.name, grading, hearing)


@dataclass
class _Hearing:
    """One grading by the judge: asks, checks the answer, and keeps count of what was spent."""

    settings: JudgeSettings
    exhibit: Exhibit
    word: str = field(default_factory=lambda: secrets.token_hex(6))
    mark: str = field(default_factory=lambda: secrets.token_hex(8))
    grades: Grades | None = None
    problem: str = ""
    """Why there are no grades."""
    spent: list[Usage] = field(default_factory=list)

    async def hold(self) -> None:
        """Fills in grades or problem. If it is cancelled, the problem says what it was waiting for."""
        self.problem = f"no answer within {self.settings.timeout_sec:g} s"
        # Loaded here, in a thread: it takes longer than all the rest of the program.
        anthropic: Any = await run_sync(import_module, "anthropic")
        client: AsyncAnthropic
        async with anthropic.AsyncAnthropic(
            api_key=self.settings.api_key,
            base_url=self.settings.base_url,
            max_retries=MAX_RETRIES,
            timeout=min(REQUEST_SECONDS, self.settings.timeout_sec),
        ) as client:
            for _ in range(ANSWERS):
                try:
                    body = await self._ask(client)
                except anthropic.AnthropicError as error:
                    self.problem = _failure(error)
                    return
                self._read(body)
                if self.grades is not None:
                    return

    async def _ask(self, client: "AsyncAnthropic") -> bytes:
        """The answer as it came: the client itself would take anything for a message."""
        # The rubric is the same for all: a provider that caches it reads it for a tenth of the price.
        system: Any = [
            {"type": "text", "text": RUBRIC, "cache_control": {"type": "ephemeral"}},
            {
                "type": "text",
                "text": f"The word for `check` is {self.word}. The files stand between <{self.mark}> marks.",
            },
        ]
        content: Any = [
            {"type": "text", "text": f"The task, as the agent was given it:\n\n{self.exhibit.instruction}"},
            {"type": "text", "text": f"<{self.mark}>\n{self.exhibit.files}\n</{self.mark}>"},
        ]
        tools: Any = [TOOL]
        raw = await client.messages.with_raw_response.create(
            model=self.settings.model,
            max_tokens=MAX_OUTPUT_TOKENS,
            system=system,
            messages=[{"role": "user", "content": content}],
            tools=tools,
            tool_choice={"type": "tool", "name": TOOL_NAME, "disable_parallel_tool_use": True},
        )
        return await raw.http_response.aread()

    def _read(self, body: bytes) -> None:
        """Takes the grades from an answer, or says what is wrong with it."""
        try:
            message = _Message.model_validate_json(body)
        except ValidationError:
            self.problem = "the judge's answer is no message"
            return
        self.spent.append(message.usage.as_usage())
        calls = [block.input for block in message.content if block.type == "tool_use" and block.name == TOOL_NAME]
        if len(calls) != 1:
            self.problem = f"the judge called its tool {len(calls)} times instead of once ({message.stop_reason})"
            return
        try:
            grades = Grades.model_validate(calls[0])
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(str(part) for part in first["loc"])[:60]
            self.problem = f"the judge's answer is not of the form asked for: {shown(place)}: {first['msg']}"
            return
        if grades.check == self.word:
            self.grades = grades
        else:
            self.problem = "the judge did not repeat the word that we gave it: what it follows is not our text"


class _Spent(BaseModel):
    input_tokens: int
    output_tokens: int
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None

    def as_usage(self) -> Usage:
        return Usage(
            input_tokens=self.input_tokens,
            output_tokens=self.output_tokens,
            cache_read_tokens=self.cache_read_input_tokens or 0,
            cache_write_tokens=self.cache_creation_input_tokens or 0,
            requests=1,
            source="metered",
        )


class _Block(BaseModel):
    type: str
    name: str | None = None
    input: Any = None


class _Message(BaseModel):
    """What is needed of the provider's answer; further keys are let be."""

    content: list[_Block]
    usage: _Spent
    stop_reason: str | None = None


def _failure(error: Exception) -> str:
    return f"the judge's provider failed: {type(error).__name__}: {shown(str(error))[:300]}"


def _signal(name: str, grading: Grading, hearing: _Hearing) -> Signal:
    cut, grades, usage = hearing.exhibit.cut, hearing.grades, add_usages(hearing.spent)
    facts: dict[str, Any] = {"model": grading.judge.model, "not_shown": list(cut)}
    reason = hearing.problem
    if grades is not None:
        facts |= grades.model_dump(exclude={"check", "reason"})
        reason = f"fit {grades.task_fit}, quality {grades.quality}, runnability {grades.runnability}: "
        reason += shown(" ".join(grades.reason.split()))[:_MAX_REASON_CHARS]
        reason += f" ({_INSTRUCTS})" if grades.instructions_found_in_files else ""
        reason += f" ({len(cut)} files cut or left out)" if cut else ""
    return Signal(
        name=name,
        value=grades.value if grades else None,
        reason=reason,
        facts=facts,
        tampered=(_INSTRUCTS,) if grades and grades.instructions_found_in_files else (),
        usage=usage if hearing.spent else None,
        cost_usd=grading.prices.cost(grading.judge.model, usage).usd if hearing.spent else None,
    )
