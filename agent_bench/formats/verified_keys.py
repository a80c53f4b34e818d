"""The keys of a verified task. ``docs/task-authoring.md`` describes each for its author."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StrictInt, StrictStr, model_validator

from agent_bench.formats.prompt_keys import EnvironmentKeys, FileName, Text, checked_id
from agent_bench.model import Frozen
from agent_bench.readers.identity import normalize_test_name


def _unique(names: tuple[str, ...]) -> tuple[str, ...]:
    """Each once, also after normalisation where no qualified name is meant."""
    normal = [_normal(name) for name in names]
    again = next((name for name in normal if normal.count(name) > 1), None)
    if again is not None:
        raise ValueError(f"each test once: '{again}' stands there twice")
    return tuple(name.strip() for name in names)


def _normal(name: str) -> str:
    return name.strip() if "::" in name else normalize_test_name(name)


TestNames = Annotated[tuple[Text, ...], AfterValidator(_unique)]


class VerifiedKeys(Frozen):
    """A verified task, as its author writes it."""

    id: Annotated[StrictStr, AfterValidator(checked_id)]
    language: Text
    title: Text
    kind: Literal["bug_fix", "feature", "refactor"]
    difficulty: Literal["easy", "medium", "hard"]
    fail_to_pass: Annotated[TestNames, Field(min_length=1)]
    pass_to_pass: TestNames = ()
    entrypoint_files: Annotated[tuple[FileName, ...], Field(min_length=1)]
    timeout_s: Annotated[StrictInt, Field(gt=0, le=86_400)] = 300
    tags: tuple[Text, ...] = ()
    environment: EnvironmentKeys = EnvironmentKeys()
    protected: tuple[Text, ...] = ()
    lint: Mapping[str, Text] = Field(default_factory=dict)
    """Rule of the specification's lint -> the reason why it is switched off."""

    @model_validator(mode="after")
    def _disjoint(self) -> "VerifiedKeys":
        both = {_normal(name) for name in self.fail_to_pass} & {_normal(name) for name in self.pass_to_pass}
        if both:
            raise ValueError(f"a test is either in fail_to_pass or in pass_to_pass: '{min(both)}' is in both")
        return self
