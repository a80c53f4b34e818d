"""Text that an agent chose can do nothing to the terminal or to a document."""

from agent_bench.reports import untrusted


def test_one_line_has_no_control_characters_and_is_cut() -> None:
    hostile = "\x1b[31mred\x1b[0m\r\nnext\x07 \u202eevil " + "x" * 500
    safe = untrusted.one_line(hostile)
    assert safe.isprintable()
    assert safe.startswith("\\x1b[31mred\\x1b[0m next\\x07 \\u202eevil")
    assert len(safe) == 200
    assert safe.endswith("…")


def test_lines_keep_their_breaks_only() -> None:
    assert untrusted.lines("a\tb\r\n\x1b]0;title\x07c") == "a    b\\r\n\\x1b]0;title\\x07c"


def test_a_cell_of_markdown_cannot_leave_its_cell() -> None:
    assert untrusted.markdown_cell("a|b\n<script>") == "a\\|b \\<script\\>"
