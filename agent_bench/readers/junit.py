"""JUnit XML, as pytest, vitest, Surefire and others write it: the test cases and what became of each.

Reports come from processes that run an agent's code: they are hostile input.
"""

import re
from typing import Literal
from xml.etree import ElementTree

from junitparser import Error, JUnitXml, JUnitXmlError, Skipped, TestSuite
from junitparser import TestCase as ParsedCase

from agent_bench.model import Frozen

MAX_BYTES = 50 << 20
MAX_MESSAGE_CHARS = 500
# In UTF-16 and UTF-32 every second byte is NUL: with these gone, the words are found in any encoding.
_DECLARATIONS = re.compile(rb"<!\s*(DOCTYPE|ENTITY)", re.IGNORECASE)
# XML 1.0 forbids these, yet test output puts them into reports.
_CONTROL = re.compile(
    rb"[\x00-\x08\x0b\x0c\x0e-\x1f]|&#(?:x0*(?:[0-8bceBCE]|1[0-9a-fA-F])|0*(?:[0-8]|1[124-9]|2\d|3[01]));"
)


class TestCase(Frozen):
    """One test and its result."""

    __test__ = False

    name: str
    classname: str = ""
    outcome: Literal["passed", "failed", "error", "skipped"]
    message: str = ""
    """At most 500 characters."""
    seconds: float = 0.0


class ReportError(ValueError):
    """A report that cannot be read, with the reason: nothing is known of its tests."""


def read_junit(content: bytes) -> list[TestCase]:
    """The test cases of a report, in its order. Raises ``ReportError``.

    Entity expansion and document types are refused before anything is parsed.
    """
    if len(content) > MAX_BYTES:
        raise ReportError(f"the report has {len(content)} bytes, more than {MAX_BYTES >> 20} MiB")
    if _DECLARATIONS.search(content.replace(b"\0", b"")):
        raise ReportError("the report declares a document type or entities")
    try:
        parsed = JUnitXml.fromstring(_clean(content))
        return [_case(case) for case in _cases(parsed)]
    except (ElementTree.ParseError, JUnitXmlError, ValueError, LookupError, RecursionError) as error:
        raise ReportError(f"the report is not JUnit XML: {error}") from error


def _clean(content: bytes) -> bytes:
    """Without control characters; UTF-16 stays as it is."""
    return content if content[:2] in (b"\xff\xfe", b"\xfe\xff") else _CONTROL.sub(b"?", content)


def _cases(root: "JUnitXml | TestSuite") -> "list[ParsedCase]":
    """All cases, those of nested suites too."""
    if isinstance(root, TestSuite):
        nested = [case for suite in root.testsuites() for case in _cases(suite)]
        return [*(item for item in root if isinstance(item, ParsedCase)), *nested]
    return [case for suite in root for case in _cases(suite)]


def _case(case: ParsedCase) -> TestCase:
    outcome: Literal["passed", "failed", "error", "skipped"] = "passed"
    message = ""
    for result in case.result:
        found = "error" if isinstance(result, Error) else "skipped" if isinstance(result, Skipped) else "failed"
        # The worst of several results holds.
        if outcome in ("passed", "skipped") or found == "error":
            outcome = found  # type: ignore[assignment]
            message = str(result.message or result.text or "")[:MAX_MESSAGE_CHARS]
    return TestCase(
        name=case.name or "",
        classname=case.classname or "",
        outcome=outcome,
        message=message,
        seconds=_seconds(case),
    )


def _seconds(case: ParsedCase) -> float:
    """The time as written, 0 where there is none that can be read ("1,234.5" is read)."""
    try:
        return max(0.0, float(str(case._elem.get("time") or 0).replace(",", "")))
    except ValueError:
        return 0.0
