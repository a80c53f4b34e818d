"""Prints a greeting."""

import argparse


def greeting(name: str, shout: bool = False) -> str:
    """The greeting for a name, in upper case if shouted."""
    text = f"Hello, {name}!"
    return text.upper() if shout else text


def _times(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number of at least 1, found '{text}'")
    return number


def _name(text: str) -> str:
    if not text.strip():
        raise argparse.ArgumentTypeError("the name must not be empty")
    return text


def main() -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description="Print a greeting.")
    parser.add_argument("--name", type=_name, default="world", help="whom to greet")
    parser.add_argument("--shout", action="store_true", help="in upper case")
    parser.add_argument("--times", type=_times, default=1, metavar="N", help="how often")
    options = parser.parse_args()
    for _ in range(options.times):
        print(greeting(options.name, options.shout))


if __name__ == "__main__":
    main()
