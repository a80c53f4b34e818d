"""The tables of the history. Change one only together with a migration in ``migrations/versions``."""

from datetime import datetime

from sqlalchemy import BigInteger, Column, DateTime, Text, UniqueConstraint
from sqlmodel import Field, SQLModel

HEAD = "0002"
"""The newest migration. A test holds it to the files."""


class RunRow(SQLModel, table=True):
    """A run, with its plan."""

    __tablename__ = "runs"

    id: str = Field(primary_key=True)
    started_at: datetime = Field(sa_column=Column(DateTime(timezone=True), nullable=False))
    harness_version: str
    dry_run: bool = Field(index=True)
    run_json: str = Field(sa_column=Column(Text, nullable=False))
    """The whole ``Run``."""


class TrialRow(SQLModel, table=True):
    """A planned trial; what came of it is empty until it has a record."""

    __tablename__ = "trials"
    __table_args__ = (UniqueConstraint("run_id", "task_id", "agent", "model", "attempt", name="uq_trials_key"),)

    id: int | None = Field(default=None, primary_key=True)
    run_id: str = Field(foreign_key="runs.id", index=True)
    task_id: str = Field(index=True)
    agent: str = Field(index=True)
    model: str = ""
    """The model asked for; empty: the agent's default (NULLs would all be different in the unique key)."""
    attempt: int
    task_digest: str
    settings_digest: str = ""
    agent_version: str | None = None
    dry_run: bool = False
    trial_id: str | None = Field(default=None, index=True)
    """Id of the record."""
    outcome: str | None = None
    """None: planned, without a record; of what is never run, from the start."""
    reason: str = ""
    sandbox: str = ""
    ts: datetime | None = Field(default=None, sa_column=Column(DateTime(timezone=True), index=True))
    """When it ended; UTC."""
    wall_sec: float | None = None
    model_used: str | None = None
    input_tokens: int | None = Field(default=None, sa_column=Column(BigInteger))
    output_tokens: int | None = Field(default=None, sa_column=Column(BigInteger))
    cache_read_tokens: int | None = Field(default=None, sa_column=Column(BigInteger))
    cache_write_tokens: int | None = Field(default=None, sa_column=Column(BigInteger))
    usage_source: str = "none"
    cost_usd: float | None = None
    files_produced: int | None = None
    overall: float | None = None
    resolved: bool | None = None
    score_json: str | None = Field(default=None, sa_column=Column(Text))
    """The score with the field names of seed 002."""
    workdir: str = ""


class RecordRow(SQLModel, table=True):
    """What came of a trial, whole. Apart from the trials, so that statistics need not read past it."""

    __tablename__ = "records"

    trial: int = Field(foreign_key="trials.id", primary_key=True)
    record_json: str = Field(sa_column=Column(Text, nullable=False))
    """The whole ``TrialRecord``."""


class SignalRow(SQLModel, table=True):
    """A signal of a trial."""

    __tablename__ = "signals"

    trial: int = Field(foreign_key="trials.id", primary_key=True)
    name: str = Field(primary_key=True)
    value: float | None = None
    reason: str = ""
