"""JUnit XML, as pytest, vitest, Surefire and others write it: the test cases and what became of each.

Reports are written by processes that run an agent's code: they are hostile input.
"""

import codecs
import math
import re
from collections.abc import Iterable, Iterator
from typing import Any, Literal, cast
from xml.etree import ElementTree

from junitparser import Attr, Error, JUnitXml, JUnitXmlError, Skipped, TestSuite
from junitparser import TestCase as ParsedCase

from agent_bench.model import Frozen

MAX_BYTES = 50 << 20
MAX_TAGS = 200_000
"""A test that passed is one tag. Parsed, so many take 0.3 GB and 2 s."""
MAX_MESSAGE_CHARS = 500

CaseOutcome = Literal["passed", "failed", "error", "skipped"]

_ENCODINGS = frozenset({"ascii", "utf-8", "utf-16", "utf-16-le", "utf-16-be", "iso8859-1", "iso8859-15", "cp1252"})
_DECLARED = re.compile(rb"""^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']""")
# A document type, and with it every entity, can only stand before the first element: nothing but comments and
# processing instructions is let through there.
_PROLOG = re.compile(r"(?:\s+|<\?.*?\?>|<!--.*?-->)*+(?=<[A-Za-z_:])", re.DOTALL)
# XML 1.0 has no place for these, yet the output of tests puts them into reports.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]|&#(?:x[0-9a-fA-F]{1,8}|[0-9]{1,10});")
_THOUSANDS = re.compile(r"\d{1,3}(,\d{3})+(\.\d*)?")


class TestCase(Frozen):
    """One test and its result."""

    __test__ = False

    name: str
    classname: str = ""
    file: str = ""
    outcome: CaseOutcome
    """Expected failures (xfail) are skipped, as the tools report them."""
    message: str = ""
    """At most 500 characters."""
    seconds: float = 0.0
    """0 where none is given, or none that can be read."""


class Report(Frozen):
    """A report that was read."""

    cases: tuple[TestCase, ...]
    """In the report's order."""
    declared: int | None = None
    """How many tests its suites say they hold; None if they do not all say so, or if suites lie in others."""


class ReportError(ValueError):
    """A report that cannot be read, with the reason: nothing is known of its tests."""


class _Case(ParsedCase):
    file = Attr()
    time = Attr()
    """As written: junitparser itself reads all of "0,25" as 25."""


def read_junit(content: bytes) -> Report:
    """The test cases of a report, those of nested suites too. Raises ``ReportError``.

    Its size and the number of its tags are limited; document types, and so entities, are refused.
    """
    if len(content) > MAX_BYTES:
        raise ReportError(f"the report has {len(content)} bytes, more than {MAX_BYTES >> 20} MiB")
    if content.count(b"<") > MAX_TAGS:
        raise ReportError(f"the report has more than {MAX_TAGS} tags")
    text = _CONTROL.sub(_replace_control, _decode(content))
    if _PROLOG.match(text) is None:
        raise ReportError("the report is not XML, or declares a document type")
    try:
        # Not by junitparser: with lxml installed, it would parse by other rules than those relied on here.
        root = ElementTree.fromstring(text)  # noqa: S314 - no document type left
        declared = _declared(root)
        return Report(
            cases=tuple(_case(case) for case in _cases(JUnitXml.fromroot(cast(Any, root)))), declared=declared
        )
    except (SyntaxError, JUnitXmlError, ValueError, RecursionError) as error:
        raise ReportError(f"the report is not JUnit XML: {error or type(error).__name__}"[:300]) from error


def _decode(content: bytes) -> str:
    """As text, by its byte order mark or declaration; what does not fit becomes the replacement character."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"
    elif content[1:2] == b"\0":
        encoding = "utf-16-le"
    elif content[:1] == b"\0":
        encoding = "utf-16-be"
    else:
        found = _DECLARED.match(content.removeprefix(codecs.BOM_UTF8))
        encoding = found[1].decode("ascii") if found else "utf-8"
    try:
        known = codecs.lookup(encoding).name
    except LookupError:
        known = ""
    if known not in _ENCODINGS:
        raise ReportError(f"the report is in an encoding that is not read: {encoding}")
    return content.decode(known, "replace").removeprefix("\ufeff")


def _replace_control(found: re.Match[str]) -> str:
    """A question mark for a character that XML forbids; a reference to an allowed one stays."""
    text = found[0]
    if not text.startswith("&#"):
        return "?"
    number = int(text[3:-1], 16) if text[2] in "xX" else int(text[2:-1])
    allowed = number in (9, 10, 13) or 32 <= number < 0xD800 or 0xE000 <= number < 0xFFFE or 65536 <= number < 0x110000
    return text if allowed else "?"


def _cases(suites: Iterable[TestSuite]) -> Iterator[_Case]:
    for suite in suites:
        yield from suite.iterchildren(_Case)
        yield from _cases(suite.testsuites())


def _declared(root: ElementTree.Element) -> int | None:
    suites = [root] if root.tag == "testsuite" else root.findall("testsuite")
    counts = [suite.get("tests", "") for suite in suites if suite.find("testsuite") is None]
    if not suites or len(counts) < len(suites) or not all(re.fullmatch(r"[0-9]{1,9}", count) for count in counts):
        return None
    return sum(map(int, counts))


def _case(case: _Case) -> TestCase:
    outcome: CaseOutcome = "passed"
    message = ""
    for result in case.result:
        found: CaseOutcome = "failed"
        if isinstance(result, Error):
            found = "error"
        elif isinstance(result, Skipped):
            found = "skipped"
        # The worst of several results holds.
        if outcome in ("passed", "skipped") or found == "error":
            outcome = found
            message = str(result.message or result.text or "")[:MAX_MESSAGE_CHARS]
    return TestCase(
        name=case.name or "",
        classname=case.classname or "",
        file=case.file or "",
        outcome=outcome,
        message=message,
        seconds=_seconds(case.time or ""),
    )


def _seconds(text: str) -> float:
    """ "1,234.5" is read with thousands apart, "0,5" with a decimal comma."""
    plain = text.strip()
    plain = plain.replace(",", "") if _THOUSANDS.fullmatch(plain) else plain.replace(",", ".")
    try:
        seconds = float(plain)
    except ValueError:
        return 0.0
    return seconds if math.isfinite(seconds) and seconds > 0 else 0.0
