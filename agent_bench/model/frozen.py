"""The ground of all core types."""

from pydantic import BaseModel, ConfigDict


class Frozen(BaseModel):
    """Base of all core types: immutable, and unknown keys are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")
