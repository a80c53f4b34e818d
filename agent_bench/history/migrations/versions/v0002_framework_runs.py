"""The view with the columns that seed 002 lists for its table of runs: one row per trial that ran and has a record.

Dry runs are left out: those columns do not tell them from the others, and no statistic may count them.
"""

from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Makes the view."""
    op.execute(
        "CREATE VIEW framework_runs AS SELECT id, ts, agent AS framework, task_id,"
        " COALESCE(model_used, NULLIF(model, '')) AS model, wall_sec, input_tokens, output_tokens, cost_usd,"
        " files_produced, overall, score_json, workdir FROM trials WHERE trial_id IS NOT NULL AND NOT dry_run"
    )
