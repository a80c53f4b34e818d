"""Unified diffs of single files."""

from agent_bench.readers.diffs import file_diff


def test_a_change_an_addition_and_a_removal() -> None:
    assert file_diff("a.py", b"1\n2\n", b"1\n3\n") == "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n 1\n-2\n+3\n"
    assert file_diff("a.py", None, b"x\n") == "--- /dev/null\n+++ b/a.py\n@@ -0,0 +1 @@\n+x\n"
    assert file_diff("a.py", b"x", None).endswith("-x\n\\ No newline at end of file\n")


def test_binary_and_huge_files_are_told_in_a_line() -> None:
    assert file_diff("x", b"\0", None) == "Binary file x differs\n"
    assert file_diff("x", None, b"\n" * 10_000) == "File x differs (0 lines before, 10000 after)\n"


def test_bad_bytes_do_no_harm() -> None:
    assert "+\ufffd" in file_diff("x", b"", b"\xff\n")
