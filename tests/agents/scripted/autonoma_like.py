"""Stands in for autonoma: command line, files, exit code and traces as seen of the real program.

Its model is scripted: ``AUTONOMA_MODEL`` names what it does: ``complete``, ``incomplete``, ``unreachable`` (no model
answers) or ``hang``.
"""

import json
import os
import sys
import time
from argparse import ArgumentParser
from pathlib import Path

DONE_AND_TOTAL = {"complete": (1, 1), "incomplete": (0, 1), "unreachable": (0, 1)}


def parsed() -> tuple[str, str, Path | None]:
    parser = ArgumentParser(prog="autonoma")
    parser.add_argument("--version", action="version", version="autonoma, version 0.1.0")
    build = parser.add_subparsers(required=True).add_parser("build")
    build.add_argument("-n", "--name", default="project")
    build.add_argument("-o", "--output", type=Path)
    build.add_argument("-r", "--rounds", type=int, default=30)
    build.add_argument("--no-animate", action="store_true")
    build.add_argument("description")
    found = parser.parse_args()
    return found.name, found.description, found.output


def trace(model: str, description: str, completed: bool) -> None:
    folder = Path(os.environ.get("AUTONOMA_TRACE_DIR", "traces"), "2026-12-01_14-35-16_" + "x" * 10)
    folder.mkdir(parents=True)
    (folder / "meta.json").write_text(json.dumps({"goal": description, "model": model, "llm_calls": 1}))
    call = {"seq": 1, "agent": "Director", "phase": "final_answer", "request": {"model": model, "messages": []}}
    if model == "unreachable":
        call["error"] = "LLMConnectionError: Connection error."
    else:
        call["response"] = {"usage": {"input_tokens": 1000, "output_tokens": 100}, "text": "The final answer."}
    (folder / "llm-calls.jsonl").write_text(json.dumps(call) + "\n")
    if model == "hang":
        return
    data = {
        "rounds": 4,
        "completed": completed,
        "incomplete_reason": "" if completed else "max_rounds_reached",
        "total_tokens": 6363,
        "final_answer": "The final answer.",
    }
    rows = [{"seq": 1, "event": "swarm.started", "data": {}}, {"seq": 2, "event": "swarm.finished", "data": data}]
    (folder / "events.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def main() -> None:
    name, description, output = parsed()
    if not (os.environ.get("ANTHROPIC_API_KEY") or os.environ.get("AUTONOMA_ANTHROPIC_API_KEY")):
        print("Error: No Anthropic API key configured.")
        sys.exit(1)
    model = os.environ.get("AUTONOMA_MODEL", "claude-sonnet-4-6")
    if os.environ.get("AUTONOMA_PERSISTENT_CHARACTERS", "true") != "false":
        Path("data").mkdir()
    project = Path(os.environ.get("AUTONOMA_OUTPUT_DIR", "output")).resolve() / name
    trace(model, description, model == "complete")
    if model == "hang":
        time.sleep(60)
    if model == "complete":
        project.mkdir(parents=True, exist_ok=True)
        (project / "prompt.txt").write_bytes(os.fsencode(description))
    done, total = DONE_AND_TOTAL[model]
    progress = {"progress": {"done": done, "total": total, "completed": model == "complete"}, "files": []}
    where = output or project
    where.mkdir(parents=True, exist_ok=True)
    (where / "autonoma-progress.json").write_text(json.dumps(progress))
    print(f"Files written to: {where}\nProgress saved to {where / 'autonoma-progress.json'}")


main()
