from pathlib import Path

from process_bed import Bed, in_bed, text

from agent_bench.model import Finished, Invocation, ProcessLimits
from agent_bench.sandboxes.interface import Room
from agent_bench.sandboxes.local import Local


def test_it_is_the_host_as_it_is(tmp_path: Path) -> None:
    room = Room(workspace=tmp_path, home=tmp_path)
    assert Local().inside(room).workspace == tmp_path
    assert Local().inside(room).home == tmp_path
    assert Local().unavailable() is None
    assert not Local().hides_host


def test_home_and_tmp_are_the_rooms_unless_named(tmp_path: Path) -> None:
    async def work(bed: Bed) -> tuple[Finished, Finished]:
        script = "echo $HOME $TMPDIR; touch $TMPDIR/x"
        named = {"PATH": "/usr/bin:/bin", "HOME": "/nowhere"}
        return await bed.shell(script), await bed.shell("echo $HOME", env=named, name="named")

    default, named = in_bed(tmp_path, "local", work)
    home = tmp_path / "home"
    assert text(default.stdout) == f"{home} {home}/tmp\n"
    assert (home / "tmp" / "x").exists()
    assert text(named.stdout) == "/nowhere\n"


def test_what_is_in_the_way_of_tmp_hinders_nothing(tmp_path: Path) -> None:
    (tmp_path / "tmp").write_text("in the way")
    invocation = Invocation(argv=("true",), cwd=tmp_path, env={}, limits=ProcessLimits(wall_sec=1))
    assert Local().enter(invocation, Room(workspace=tmp_path, home=tmp_path)).argv == ("true",)
