"""What the task asks for, tried from outside."""

import subprocess
import sys


def run(*arguments: str) -> tuple[int, str, str]:
    done = subprocess.run([sys.executable, "hello.py", *arguments], capture_output=True, text=True, timeout=20)
    return done.returncode, done.stdout, done.stderr


def expect(arguments: list[str], output: str) -> None:
    code, out, _ = run(*arguments)
    assert (code, out) == (0, output), f"{arguments}: exit {code}, printed {out!r}, expected {output!r}"


expect([], "Hello, world!\n")
expect(["--name", "Ada"], "Hello, Ada!\n")
expect(["--name", "Ada", "--shout"], "HELLO, ADA!\n")
expect(["--name", "Zoë", "--times", "3"], "Hello, Zoë!\n" * 3)
for bad in (["--times", "0"], ["--times", "-1"], ["--times", "x"], ["--times", "1.5"], ["--name", ""], ["--name", "  "]):
    code, out, err = run(*bad)
    assert code == 2, f"{bad}: exit {code}, expected 2"
    assert err.strip(), f"{bad}: nothing on stderr"
    assert not out.strip(), f"{bad}: printed {out!r}"
done = subprocess.run(
    [sys.executable, "-c", "from hello import greeting; print(greeting('Bo'), greeting('Bo', True))"],
    capture_output=True,
    text=True,
    timeout=20,
)
assert done.stdout == "Hello, Bo! HELLO, BO!\n", f"greeting() gave {done.stdout!r} {done.stderr!r}"
