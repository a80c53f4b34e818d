import pytest

from inventory.cli import main


@pytest.fixture
def run(tmp_path, capsys):
    def run(*arguments, code=0):
        assert main([str(tmp_path / "stock.json"), *arguments]) == code
        return capsys.readouterr()

    return run


def test_a_day_in_the_warehouse(run):
    run("add", "A-1", "Bolt M6", "--minimum", "20")
    run("receive", "A-1", "25")
    run("ship", "A-1", "8")
    assert run("list").out == "A-1\tBolt M6\t17\n"
    assert run("low").out == "A-1\n"


def test_errors(run):
    run("add", "A-1", "Bolt")
    assert run("ship", "A-1", "1", code=1).err == "error: A-1: only 0 in stock\n"
    assert run("list").out == "A-1\tBolt\t0\n"
