from pathlib import Path

import pytest

from agent_bench.supervision import output_log
from agent_bench.supervision.output_log import OutputLog


def kept(tmp_path: Path, *pieces: bytes) -> tuple[bytes, OutputLog]:
    log = OutputLog(str(tmp_path / "log"))
    for piece in pieces:
        log.write(piece)
    log.close()
    return (tmp_path / "log").read_bytes(), log


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output_log, "HEAD_BYTES", 10)
    monkeypatch.setattr(output_log, "TAIL_BYTES", 8)


@pytest.mark.parametrize("length", [0, 1, 9, 10, 11, 17, 18])
@pytest.mark.parametrize("step", [1, 3, 100])
def test_what_fits_is_kept_whole(tmp_path: Path, length: int, step: int) -> None:
    stream = bytes(range(65, 65 + length))
    content, log = kept(tmp_path, *(stream[at : at + step] for at in range(0, length, step)))
    assert content == stream
    assert (log.total, log.cut, log.error) == (length, 0, None)


@pytest.mark.parametrize("length", [19, 25, 26, 27, 60])
@pytest.mark.parametrize("step", [1, 7, 8, 9, 100])
def test_of_more_the_first_and_the_last_part(tmp_path: Path, length: int, step: int) -> None:
    stream = bytes(range(length))
    content, log = kept(tmp_path, *(stream[at : at + step] for at in range(0, length, step)))
    cut = length - 18
    note = f"\n[agent-bench: {cut} bytes are cut here]\n".encode()
    assert content == stream[:10] + note + stream[-8:]
    assert (log.total, log.cut) == (length, cut)


def test_the_beginning_can_be_read_while_it_is_open(tmp_path: Path) -> None:
    log = OutputLog(str(tmp_path / "log"))
    log.write(b"0123456789abcdef")
    assert log.beginning(4) == b"0123"
    assert log.beginning(1000) == b"0123456789"
    log.close()


def test_no_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "log").symlink_to("victim")
    with pytest.raises(OSError, match="log"):
        OutputLog(str(tmp_path / "log"))
    assert not (tmp_path / "victim").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_disk_is_told_and_counting_goes_on() -> None:
    log = OutputLog("/dev/full")
    log.write(b"x" * 30)
    log.write(b"y" * 30)
    assert log.total == 60
    assert log.error is not None
    assert "No space left" in log.error
    log.close()
