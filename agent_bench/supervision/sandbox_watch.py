"""What a sandbox's own program (bubblewrap) tells about the program inside it.

bubblewrap is two processes: the outer one, our child, and the init of the new PID namespace. When the program
inside ends, the outer one writes its exit code and exits, and the kernel kills whatever else lives in the
namespace: to count that, the outer one has to be held at its exit.
"""

import os
import re

from agent_bench.supervision.processes import is_alive


class SandboxWatch:
    """The status messages of one sandbox: JSON objects, one after the other, in a file without a name."""

    def __init__(self) -> None:
        self.descriptor = os.memfd_create("status")
        """For the sandbox to write to."""

    def _number(self, key: str) -> int | None:
        found = re.search(rf'"{key}": *(\d+)'.encode(), os.pread(self.descriptor, 1 << 16, 0))
        return int(found[1]) if found else None

    @property
    def exit_code(self) -> int | None:
        """Of the program inside, 128 + n if signal n ended it; None if it did not start or end by itself."""
        return self._number("exit-code")

    @property
    def init(self) -> int | None:
        """Number of the init of the sandbox's PID namespace, once there is one."""
        return self._number("child-pid")

    @property
    def is_inhabited(self) -> bool:
        """Whether anything lives in the namespace: its init goes last."""
        init = self.init
        return init is not None and is_alive(init)
