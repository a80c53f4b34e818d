"""The child program that starts and ends commands for one ``process.Launcher``.

It reads requests from stdin and writes reports to stdout, one JSON object a line:

* ``{"id": 7, "argv": …}`` starts a command (see ``process``); its report bears the same id.
* ``{"id": 7, "cancel": true}`` ends it: SIGTERM, grace, SIGKILL. The report comes as ever.
* End of stdin (the harness ended, however) ends all commands at once, and then this program.

Each command gets a supervisor of its own, forked from here, see ``command``. Whichever is killed, the other
ends the command: its supervisor when this program goes, this program when the command's supervisor goes.
"""

import json
import os
import resource
import select
import signal
import time
from collections.abc import Mapping
from typing import Any, NoReturn

from agent_bench.supervision.command import KILL_SEC, Command
from agent_bench.supervision.process_tree import Tree

_LATE_SEC = 5.0
"""A command's supervisor that is so late with its report is taken for stopped or hung."""
_CHECK_SEC = 1.0
"""Should somebody else hold the other end of stdin open, the end of the harness is noticed after so long."""


def failed(reason: str) -> dict[str, Any]:
    """The report on a command that was not, or not to its end, supervised."""
    return {
        "exit_code": None,
        "limit": None,
        "cancelled": False,
        "seconds": 0.0,
        "output_bytes": 0,
        "bytes_cut": 0,
        "leftovers": 0,
        "survivors": 0,
        "fault": reason[:2000],
    }


class Charge:
    """A command as seen from here: its supervisor and the pipes to it."""

    def __init__(self, request: Mapping[str, Any]) -> None:
        """Raises OSError for want of descriptors."""
        self.request = request
        self.id = request["id"]
        limits = request["limits"]
        self.started = time.monotonic()
        self.late_at = self.started + limits["wall_sec"] + limits["grace_sec"] + KILL_SEC + _LATE_SEC
        self.control, self.control_writer = os.pipe()
        self.report, self.report_writer = os.pipe()
        self.text = b""
        self.pid = 0

    def abandon(self) -> None:
        """Let go of the supervisor's control, which ends its command."""
        if self.control_writer >= 0:
            os.close(self.control_writer)
            self.control_writer = -1


class Supervisor:
    """All commands of one launcher."""

    def __init__(self) -> None:
        self._tree = Tree(b"")  # makes us a subreaper: orphans of a killed supervisor come here
        self._poll = select.poll()
        self._poll.register(0, select.POLLIN)
        self._charges: dict[int, Charge] = {}
        """By the descriptor of the report."""
        self._input = b""
        self._parent = os.getppid()

    def serve(self) -> None:
        """Until the harness is gone."""
        while os.getppid() == self._parent:
            for descriptor, _ in self._poll.poll(_CHECK_SEC * 1000):
                if descriptor == 0:
                    if not self._take_requests():
                        return
                else:
                    self._hear(self._charges[descriptor])
            self._end_late_ones()

    def _take_requests(self) -> bool:
        data = os.read(0, 1 << 20)
        *lines, self._input = (self._input + data).split(b"\n")
        for line in lines:
            request = json.loads(line)
            if "cancel" in request:
                self._cancel(request["id"])
            else:
                self._start(request)
        return bool(data)

    # --------------------------------------------------------------------------------------- starting

    def _start(self, request: Mapping[str, Any]) -> None:
        try:
            charge = Charge(request)
            charge.pid = os.fork()
        except OSError as error:
            _say(request["id"], failed(f"cannot start a supervisor: {error.strerror}"))
            return
        if charge.pid == 0:
            self._become_supervisor_of(charge)
        os.close(charge.control)
        os.close(charge.report_writer)
        self._charges[charge.report] = charge
        self._poll.register(charge.report, select.POLLIN)

    def _become_supervisor_of(self, charge: Charge) -> NoReturn:
        try:
            self._forget(charge)
            try:
                report = Command(charge.request, charge.control).supervise()
            except OSError as error:
                report = self._give_up(charge, _words(error, charge.request))
            except Exception as error:  # a defect of ours must not look like the command's
                report = self._give_up(charge, f"cannot supervise the command: {error!r}")
            _write(charge.report_writer, json.dumps(report).encode())
        finally:
            os._exit(0)

    def _give_up(self, charge: Charge, reason: str) -> dict[str, Any]:
        """End in the command's own supervisor what it could not go on supervising."""
        killed, survivors = Tree(charge.request["marker"].encode()).kill(KILL_SEC)
        return failed(reason) | {"leftovers": len(killed), "survivors": survivors}

    def _forget(self, own: Charge) -> None:
        """Close what belongs to others: an end of a pipe that we kept would hide their end."""
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 0)
        os.dup2(nothing, 1)
        for charge in self._charges.values():
            os.close(charge.control_writer)
            os.close(charge.report)
        os.close(own.control_writer)
        os.close(own.report)

    # ----------------------------------------------------------------------------------------- ending

    def _cancel(self, number: int) -> None:
        for charge in self._charges.values():
            if charge.id == number:
                _write(charge.control_writer, b"c")

    def _hear(self, charge: Charge) -> None:
        if data := os.read(charge.report, 1 << 16):
            charge.text += data
            return
        self._poll.unregister(charge.report)
        del self._charges[charge.report]
        os.close(charge.report)
        charge.abandon()
        try:
            report = json.loads(charge.text)
        except ValueError:
            report = self._end_orphans(charge)
        self._tree.reap()
        _say(charge.id, report)

    def _end_orphans(self, charge: Charge) -> dict[str, Any]:
        """The supervisor of a command was killed: end the command in its stead."""
        tree = Tree(charge.request["marker"].encode(), {other.pid for other in self._charges.values()})
        killed, survivors = tree.kill(KILL_SEC)
        report = failed("the supervisor of this command was killed")
        leftovers = len({pid for pid, _ in killed} - {charge.pid})
        seconds = time.monotonic() - charge.started
        return report | {"seconds": seconds, "leftovers": leftovers, "survivors": survivors}

    def _end_late_ones(self) -> None:
        for charge in self._charges.values():
            if time.monotonic() > charge.late_at:
                os.kill(charge.pid, signal.SIGKILL)

    def end(self) -> None:
        """End everything at once, and report on it, should the harness still listen."""
        self._poll.unregister(0)
        for charge in self._charges.values():
            charge.abandon()
        deadline = time.monotonic() + KILL_SEC + _LATE_SEC
        while self._charges and time.monotonic() < deadline:
            for descriptor, _ in self._poll.poll(_CHECK_SEC * 1000):
                self._hear(self._charges[descriptor])
        self._tree.kill(KILL_SEC)


def _words(error: OSError, request: Mapping[str, Any]) -> str:
    """Why a command could not be started, and which file is to blame if not the program."""
    program = request["argv"][0]
    blamed = "" if error.filename in (None, program) else f": {error.filename}"
    return f"cannot start {program!r}: {error.strerror}{blamed}"


def _write(descriptor: int, data: bytes) -> None:
    """Write to a process that may be gone."""
    try:
        while data:
            data = data[os.write(descriptor, data) :]
    except OSError:
        return


def _say(number: int, report: Mapping[str, Any]) -> None:
    _write(1, json.dumps({"id": number, **report}).encode() + b"\n")


def main() -> None:
    """Serve until the harness is gone, and leave nothing behind."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # of all commands: a dump is of no use and has no bound
    supervisor = Supervisor()
    try:
        supervisor.serve()
    finally:
        supervisor.end()
