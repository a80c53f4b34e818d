"""Test identity: the names that a task declares, found among the tests that a report holds.

A test's name is its own: the title after the last " > " where a runner puts the titles around it before it, as seed
001 has it; for pytest the function's name with its parameters. A task may spell a name either way. Where several
tests share a name, the qualified one tells them apart: ``file::class::name``, its parts as far as the report has
them, in the way of pytest's node ids; titles of suites count as classes.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath

from agent_bench.model import Frozen
from agent_bench.readers.junit import CaseOutcome, TestCase

_SEPARATOR = " > "
_SCRIPTS = (".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts")
_BAD: Mapping[CaseOutcome, int] = {"passed": 0, "skipped": 1, "failed": 2, "error": 3}


def normalize_test_name(name: str) -> str:
    """The part after the last " > ", stripped."""
    return name.rsplit(_SEPARATOR, 1)[-1].strip()


def qualified_name(case: TestCase) -> str:
    """``file::class::name`` of a case, without the parts that its report does not give."""
    file, classes = _file_and_classes(case)
    # pytest, the one that gives the file, puts no titles before the name: there a " > " is part of a parameter.
    *suites, name = [case.name] if case.file else [part.strip() for part in case.name.split(_SEPARATOR)]
    return "::".join(part for part in (file, *classes, *suites, name) if part)


class Matched(Frozen):
    """Declared names against a report."""

    outcomes: Mapping[str, CaseOutcome]
    """Declared name to what became of its test; those of missing and duplicate tests are not in it."""
    messages: Mapping[str, str]
    """Declared name to what its failure says."""
    reported: Mapping[str, str]
    """Declared name to the name in the report."""
    missing: tuple[str, ...]
    """Declared, and not in the report."""
    duplicates: tuple[str, ...]
    """Declared, and several tests have the name."""
    others: tuple[TestCase, ...]
    """Cases that no declared name means."""


def match(declared: Sequence[str], cases: Iterable[TestCase]) -> Matched:
    """Finds each declared name. A name means a test whose own name, or qualified name, it is."""
    known: dict[str, list[int]] = {}
    merged = _merge(cases)
    for number, case in enumerate(merged):
        for name in names_of(case):
            known.setdefault(name, []).append(number)
    found: dict[str, list[int]] = {name: _lookup(name, known) for name in declared}
    single = {name: merged[numbers[0]] for name, numbers in found.items() if len(numbers) == 1}
    meant = {number for numbers in found.values() for number in numbers}
    return Matched(
        outcomes={name: case.outcome for name, case in single.items()},
        messages={name: case.message for name, case in single.items() if case.message},
        reported={name: case.name for name, case in single.items()},
        missing=tuple(name for name, numbers in found.items() if not numbers),
        duplicates=tuple(name for name, numbers in found.items() if len(numbers) > 1),
        others=tuple(case for number, case in enumerate(merged) if number not in meant),
    )


def names_of(case: TestCase) -> set[str]:
    """Every name that means the case."""
    return {case.name.strip(), normalize_test_name(case.name), qualified_name(case), _short(case)}


def _lookup(name: str, known: Mapping[str, Sequence[int]]) -> list[int]:
    return list(known.get(name.strip()) or known.get(normalize_test_name(name), ()))


def _short(case: TestCase) -> str:
    """``class::name``, for files that nobody would spell."""
    file, _ = _file_and_classes(case)
    return qualified_name(case).removeprefix(f"{file}::") if file else qualified_name(case)


def _file_and_classes(case: TestCase) -> tuple[str, tuple[str, ...]]:
    """pytest gives both, the class after the file's own dotted name; vitest gives the file for the class."""
    if case.file:
        dotted = str(PurePosixPath(case.file).with_suffix("")).replace("/", ".")
        rest = case.classname.removeprefix(dotted) if case.classname.startswith(dotted) else case.classname
        return case.file, tuple(part for part in rest.split(".") if part)
    if "/" in case.classname and case.classname.endswith(_SCRIPTS):
        return case.classname, ()
    return "", (case.classname,) if case.classname and case.classname != case.name else ()


def _merge(cases: Iterable[TestCase]) -> list[TestCase]:
    """Several entries for the very same test are one where one of them is bad (a failure, and one of its teardown):
    the worst holds. Two that passed are two: no runner does that."""
    found: dict[tuple[str, str, str], TestCase] = {}
    extra: list[TestCase] = []
    for case in cases:
        key = (case.file, case.classname, case.name)
        before = found.get(key)
        if before is None:
            found[key] = case
        elif case.outcome == before.outcome == "passed":
            extra.append(case)
        else:
            found[key] = max(before, case, key=lambda one: _BAD[one.outcome])
    return [*found.values(), *extra]
