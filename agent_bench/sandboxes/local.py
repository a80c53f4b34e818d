"""No sandbox: plain processes. Limits and the end of all of them hold as ever; nothing is hidden."""

from contextlib import suppress

from agent_bench.model import Invocation
from agent_bench.sandboxes.interface import Inside, Room


class Local:
    """Runs on the host as it is: its files can be read, its network is open, whatever the room says."""

    name = "local"
    hides_host = False

    def unavailable(self) -> str | None:
        """It always works."""
        return None

    def inside(self, room: Room) -> Inside:
        """The host's own paths."""
        return Inside(workspace=room.workspace, home=room.home, tmp=room.home / "tmp")

    def enter(self, invocation: Invocation, room: Room) -> Invocation:
        """The invocation itself; HOME and TMPDIR are the room's if it names none."""
        inside = self.inside(room)
        with suppress(OSError):  # what is in its way there is the doing of an earlier command
            inside.tmp.mkdir(exist_ok=True)
        for name, folder in room.beside.items():
            with suppress(FileExistsError):
                (room.workspace.parent / name).symlink_to(folder, target_is_directory=True)
        defaults = {"HOME": str(inside.home), "TMPDIR": str(inside.tmp)}
        return invocation.model_copy(update={"env": {**defaults, **invocation.env}})
