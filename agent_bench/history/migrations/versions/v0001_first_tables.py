"""The first tables: runs, trials, records, signals."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Makes the tables."""
    op.create_table(
        "runs",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("harness_version", sa.String, nullable=False),
        sa.Column("dry_run", sa.Boolean, nullable=False),
        sa.Column("run_json", sa.Text, nullable=False),
    )
    op.create_index("ix_runs_dry_run", "runs", ["dry_run"])
    op.create_table(
        "trials",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("run_id", sa.String, sa.ForeignKey("runs.id"), nullable=False),
        sa.Column("task_id", sa.String, nullable=False),
        sa.Column("agent", sa.String, nullable=False),
        sa.Column("model", sa.String, nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("task_digest", sa.String, nullable=False),
        sa.Column("settings_digest", sa.String, nullable=False),
        sa.Column("agent_version", sa.String),
        sa.Column("dry_run", sa.Boolean, nullable=False),
        sa.Column("trial_id", sa.String),
        sa.Column("outcome", sa.String),
        sa.Column("reason", sa.String, nullable=False),
        sa.Column("sandbox", sa.String, nullable=False),
        sa.Column("ts", sa.DateTime(timezone=True)),
        sa.Column("wall_sec", sa.Float),
        sa.Column("model_used", sa.String),
        sa.Column("input_tokens", sa.BigInteger),
        sa.Column("output_tokens", sa.BigInteger),
        sa.Column("cache_read_tokens", sa.BigInteger),
        sa.Column("cache_write_tokens", sa.BigInteger),
        sa.Column("usage_source", sa.String, nullable=False),
        sa.Column("cost_usd", sa.Float),
        sa.Column("files_produced", sa.Integer),
        sa.Column("overall", sa.Float),
        sa.Column("resolved", sa.Boolean),
        sa.Column("score_json", sa.Text),
        sa.Column("workdir", sa.String, nullable=False),
        sa.UniqueConstraint("run_id", "task_id", "agent", "model", "attempt", name="uq_trials_key"),
    )
    for column in ("run_id", "task_id", "agent", "trial_id", "ts"):
        op.create_index(f"ix_trials_{column}", "trials", [column])
    op.create_table(
        "records",
        sa.Column("trial", sa.Integer, sa.ForeignKey("trials.id"), primary_key=True),
        sa.Column("record_json", sa.Text, nullable=False),
    )
    op.create_table(
        "signals",
        sa.Column("trial", sa.Integer, sa.ForeignKey("trials.id"), primary_key=True),
        sa.Column("name", sa.String, primary_key=True),
        sa.Column("value", sa.Float),
        sa.Column("reason", sa.String, nullable=False),
    )
