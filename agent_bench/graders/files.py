"""The signal ``files``: whether enough was produced, with the files that must be there."""

from pathlib import PurePosixPath

from agent_bench.graders.interface import Grading
from agent_bench.model import Check, Signal
from agent_bench.workspace import shown


class FilesGrader:
    """1.0 if at least ``minimum`` files were added or changed and each ``required`` file is there; else 0.0.

    ``minimum`` is never less than 1. Starting files that were left as they are, caches, version control and
    installed dependencies do not count. A required name without "/" may lie in any folder; one with "/" must lie
    exactly there; a starting file will do. An unchanged tree, or one in which only blank files were produced, is 0.0.
    """

    async def observe(self, check: Check, grading: Grading) -> Signal:
        """The signal; always observed."""
        minimum = max(1, int(check.options.get("minimum", 1)))
        produced = len(grading.produced.files)
        present = {shown(path) for path in grading.found.files}
        missing = [name for name in check.options.get("required", ()) if not _is_there(name, present)]
        facts = {"produced": produced, "minimum": minimum, "missing": missing}
        if grading.unchanged:
            words = "nothing was produced" if not produced else "only blank files were produced"
            return Signal(name=check.name, value=0.0, reason=words, facts=facts)
        problems = [f"{_files(produced)} produced, {minimum} expected"] if produced < minimum else []
        problems += [f"missing: {', '.join(missing)}"] if missing else []
        reason = "; ".join(problems) or f"{_files(produced)} produced"
        return Signal(name=check.name, value=0.0 if problems else 1.0, reason=reason, facts=facts)


def _is_there(name: str, present: set[str]) -> bool:
    if "/" in name:
        return PurePosixPath(name).as_posix() in present
    return any(PurePosixPath(path).name == name for path in present)


def _files(count: int) -> str:
    return "1 file" if count == 1 else f"{count} files"
