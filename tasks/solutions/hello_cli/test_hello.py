import subprocess
import sys
from pathlib import Path

import pytest

from hello import greeting

PROGRAM = Path(__file__).with_name("hello.py")


def run(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, PROGRAM, *arguments], capture_output=True, text=True)


def test_greeting():
    assert greeting("Ada") == "Hello, Ada!"
    assert greeting("Ada", shout=True) == "HELLO, ADA!"


def test_default():
    assert run().stdout == "Hello, world!\n"


def test_options_together():
    assert run("--name", "Ada", "--shout", "--times", "2").stdout == "HELLO, ADA!\nHELLO, ADA!\n"


@pytest.mark.parametrize("arguments", [["--times", "0"], ["--times", "two"], ["--name", " "]])
def test_bad_values(arguments):
    done = run(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr
