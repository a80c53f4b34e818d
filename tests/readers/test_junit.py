import codecs
from pathlib import Path

import pytest

from agent_bench.readers import junit
from agent_bench.readers.junit import MAX_MESSAGE_CHARS, ReportError, TestCase, read_junit

DATA = Path(__file__).parents[1] / "data" / "junit"


def by_name(content: bytes) -> dict[str, TestCase]:
    cases = {case.name: case for case in read_junit(content).cases}
    assert len(cases) == len(read_junit(content).cases)
    return cases


def case_with(inside: str, attributes: str = "") -> TestCase:
    [case] = read_junit(f'<testsuite><testcase name="t" {attributes}>{inside}</testcase></testsuite>'.encode()).cases
    return case


def test_pytests_report() -> None:
    report = read_junit((DATA / "pytest.xml").read_bytes())
    found = [(case.name, case.outcome) for case in report.cases]
    assert found[:10] == [
        ("test_ok", "passed"),
        ("test_bad", "failed"),
        ("test_skip", "skipped"),
        ("test_xfail", "skipped"),
        ("test_xpass", "passed"),
        ("test_xpass_strict", "failed"),
        ("test_error", "error"),
        ("test_torn", "error"),
        ("test_twice", "failed"),
        ("test_twice", "error"),
    ]
    assert report.declared == len(report.cases)
    assert [case.name for case in report.cases[10:]] == [
        *(f"test_params[{text}]" for text in ("a b", "x - y", "a::b", "[z]")),
        "test_params[\\U0001f600]",
        "test_params[\\x00]",
        "test_params[\\x1b[31m]",
        "test_params[\\xe9]",
        "test_in_class",
    ]
    assert report.cases[-1].classname == "test_j.TestC"
    assert report.cases[1].message.startswith("AssertionError: left #x1B[31m")


def test_vitests_report() -> None:
    cases = by_name((DATA / "vitest.xml").read_bytes())
    assert {name: case.outcome for name, case in cases.items()} == {
        "sum > adds": "passed",
        "sum > later": "skipped",
        'sum > is wrong & "quoted"': "failed",
    }
    assert cases["sum > adds"].seconds == 0.0014
    assert cases['sum > is wrong & "quoted"'].message == "expected 2 to be 3 // Object.is equality"


def test_surefires_report_with_one_suite_for_root_and_markup_that_a_test_printed() -> None:
    content = (DATA / "surefire.xml").read_bytes()
    cases = by_name(content)
    assert {name: case.outcome for name, case in cases.items()} == {
        "totals": "passed",
        "empty": "passed",
        "broken": "error",
    }
    assert cases["totals"].seconds == 1234.5
    assert cases["empty"].seconds == 0.25
    assert read_junit(content).declared == 3


def test_nested_suites_count_each_case_once() -> None:
    report = read_junit((DATA / "nested.xml").read_bytes())
    assert [case.name for case in report.cases] == ["first", "second", "third", "fourth"]
    assert report.cases[0].file == "tests/outer.rb"
    assert report.cases[2].message == "only text"
    assert report.declared is None


@pytest.mark.parametrize(
    ("inside", "outcome"),
    [
        ("", "passed"),
        ("<system-out>x</system-out>", "passed"),
        ("<skipped/>", "skipped"),
        ("<failure/>", "failed"),
        ("<error/>", "error"),
        ("<skipped/><failure/>", "failed"),
        ("<failure/><error/>", "error"),
        ("<error/><failure/>", "error"),
        ("<failure/><skipped/>", "failed"),
    ],
)
def test_the_worst_result_holds(inside: str, outcome: str) -> None:
    assert case_with(inside).outcome == outcome


@pytest.mark.parametrize(
    ("written", "seconds"),
    [("", 0), ("x", 0), ("nan", 0), ("inf", 0), ("-1", 0), ("1e3", 1000), ("12,345", 12345), ("1,5", 1.5), (" 2 ", 2)],
)
def test_times(written: str, seconds: float) -> None:
    assert case_with("", f'time="{written}"').seconds == seconds


def test_a_case_with_nothing_known_of_it() -> None:
    assert read_junit(b"<testsuite><testcase/></testsuite>").cases == (TestCase(name="", outcome="passed"),)


def test_messages_are_cut() -> None:
    assert len(case_with(f'<failure message="{"m" * 9_000}"/>').message) == MAX_MESSAGE_CHARS


@pytest.mark.parametrize("root", ["<testsuites/>", "<testsuite/>", "<testsuites><testsuite/></testsuites>"])
def test_reports_without_tests(root: str) -> None:
    assert read_junit(root.encode()).cases == ()


LAUGHS = '<!DOCTYPE a [<!ENTITY l "ha"><!ENTITY m "&l;&l;&l;&l;">]><testsuite><testcase name="&m;"/></testsuite>'
OUTSIDE = '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><testsuite><testcase name="&x;"/></testsuite>'


@pytest.mark.parametrize("attack", [LAUGHS, OUTSIDE], ids=["laughs", "outside"])
@pytest.mark.parametrize(
    "prolog",
    ["", "\ufeff", "\n \t", "<!-- <testsuite> -->", "<?p <testsuite> ?>\n<!---->", "<!-- a --><!-- <b> --> "],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le", "utf-16-be"])
def test_document_types_and_entities_are_refused_wherever_they_stand(attack: str, prolog: str, encoding: str) -> None:
    with pytest.raises(ReportError, match="document type"):
        read_junit((prolog + attack).encode(encoding))


def test_a_document_type_after_a_declaration_of_the_encoding_is_refused() -> None:
    for encoding in ("utf-8", "iso-8859-1", "us-ascii"):
        with pytest.raises(ReportError, match="document type"):
            read_junit(f'<?xml version="1.0" encoding="{encoding}"?>{LAUGHS}'.encode(encoding))


@pytest.mark.parametrize("encoding", ["utf-7", "cp037", "utf-32", "idna", "hex", "nosuch"])
def test_encodings_in_which_markup_could_hide_are_refused(encoding: str) -> None:
    with pytest.raises(ReportError, match="encoding"):
        read_junit(f'<?xml version="1.0" encoding="{encoding}"?><testsuite/>'.encode())


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "iso-8859-1", "cp1252"])
def test_encodings_that_tools_write(encoding: str) -> None:
    declared = {"utf-8-sig": "utf-8", "utf-16-le": "utf-16", "utf-16-be": "utf-16"}.get(encoding, encoding)
    text = f'<?xml version="1.0" encoding="{declared}"?><testsuite><testcase name="é"/></testsuite>'
    assert read_junit(text.encode(encoding)).cases[0].name == "é"


def test_bytes_that_are_not_of_the_encoding_become_marks() -> None:
    content = '<testsuite><testcase name="é"/></testsuite>'.encode("latin-1")
    assert read_junit(content).cases[0].name == "\ufffd"


def test_control_characters_become_marks() -> None:
    content = b'<testsuite><testcase name="a\x1b[31m\x00\x0c&#x1b;&#0;&#xD800;&#65535;&#x41;&#10;b"/></testsuite>'
    assert read_junit(content).cases[0].name == "a?[31m???" + "???" + "A\nb"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b" ",
        b"\0",
        b"5 passed",
        b"<testsuite>",
        b"<testsuite></testsuites>",
        b"<html></html>",
        b"<testsuite/><testsuite/>",
        b"<testsuite a='1' a='2'/>",
        b"<testsuite>&nbsp;</testsuite>",
        codecs.BOM_UTF16_LE + b"<",
        bytes(range(256)),
    ],
)
def test_what_is_no_report_is_refused(content: bytes) -> None:
    with pytest.raises(ReportError):
        read_junit(content)


def test_deep_nesting_is_refused() -> None:
    depth = 50_000
    with pytest.raises(ReportError):
        read_junit(b"<testsuite>" * depth + b"</testsuite>" * depth)


def test_depth_within_a_case_is_no_harm() -> None:
    content = b"<testsuite><testcase>" + b"<failure>" * 20_000 + b"</failure>" * 20_000 + b"</testcase></testsuite>"
    assert [case.outcome for case in read_junit(content).cases] == ["failed"]


def test_sizes_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(junit, "MAX_BYTES", 1_000)
    with pytest.raises(ReportError, match="more than"):
        read_junit(b"<testsuite>" + b" " * 1_000 + b"</testsuite>")
    monkeypatch.setattr(junit, "MAX_TAGS", 10)
    with pytest.raises(ReportError, match="tags"):
        read_junit(b"<testsuite>" + b"<testcase/>" * 10 + b"</testsuite>")
