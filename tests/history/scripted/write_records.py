"""Enters records of a run of its own into a history, batch by batch: ``PLACE RUN COUNT BATCH``.

Waits with the opening until a line comes on stdin, so that several start together; prints what is in after each batch.
"""

import sys

from history_data import record_of, run_of

from agent_bench.history.store import open_history

place, name, count, batch = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
run = run_of(name, agents=(name,), attempts=count)
records = [record_of(trial) for trial in run.trials]
print("ready", flush=True)
sys.stdin.readline()
with open_history(place) as history:
    history.add_run(run)
    for start in range(0, count, batch):
        history.add_records(records[start : start + batch])
        print(start + batch, flush=True)
