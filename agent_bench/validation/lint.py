"""Smells of a specification that can be found without running anything.

The rules and their ids are those of seed 001. Where they were plainly wrong they are mended, as each rule's function
says. What no rule can tell is whether a requirement has only one meaning: for that somebody has to implement the
task blind, from its text alone.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Literal

from agent_bench.model import Frozen
from agent_bench.readers.identity import normalize_test_name

RULES: Mapping[str, str] = MappingProxyType(
    {
        "spec-missing": "there is a SPEC.md",
        "spec-empty": "it says something",
        "spec-no-title": "it has a title: a line '# ...'",
        "spec-missing-section": "it has the sections Context, Requirements and Definition of done, and none is empty",
        "spec-too-short": "it has at least 80 words",
        "spec-no-example": "it shows an exact example in a fenced block",
        "spec-leaks-test-name": "it names none of the fail-to-pass tests",
        "spec-entrypoint-unmentioned": "it names each file in which the work is to be done",
        "spec-placeholder": "nothing in it is still open: no TODO, FIXME, XXX or TBD",
        "spec-weasel-term": "it leaves no decision to the reader by words such as 'properly' or 'as needed'",
        "lint-unknown-rule": "a task disables only rules that there are; those on disabling cannot be disabled",
        "lint-no-reason": "a task that disables a rule says why",
    }
)
"""Every rule's id, and in one line what it asks for."""

SECTIONS = ("Context", "Requirements", "Definition of done")
MINIMUM_WORDS = 80
WEASEL_TERMS = (
    *("appropriately", "as appropriate", "as needed", "if necessary", "correctly", "properly", "reasonable"),
    *("sensible", "gracefully", "and so on", "should probably", "handle edge cases", "make it work", "as expected"),
    "etc.",
)

_WARNINGS = frozenset({"spec-weasel-term"})
_GAP = r"(?:[ \t]+|[ \t]*\n[ \t>]*)"
"""Between two words of a term: also one line's end, but no paragraph's."""
_HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]+(.*)$", re.MULTILINE)
_FENCE = re.compile(r"^[ \t>]*(`{3,}(?=[^`]*$)|~{3,})(.*)$")
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)((?:(?!\n[ \t]*\n).)+?)(?<!`)\1(?!`)", re.DOTALL)
_PLACEHOLDER = re.compile(r"(?<!\w)(?<!\w[.-])(?:TODO|FIXME|XXX|TBD)(?!\w|\.\w|-\d)")
_PARAMETRISED = re.compile(r"(\w+)\[.*\]", re.DOTALL)


class Finding(Frozen):
    """A place where a specification breaks a rule."""

    rule: str
    """Its id, a key of ``RULES``."""
    severity: Literal["error", "warning"]
    line: int | None
    """From 1; None: it is about the whole text, or about what the task disables."""
    message: str
    disabled: str = ""
    """The task's reason, where the task disables the rule: then it does not count."""

    @property
    def is_error(self) -> bool:
        """Whether it makes the task invalid."""
        return self.severity == "error" and not self.disabled


def lint_spec(
    text: str | None, *, fail_to_pass: Sequence[str], entrypoints: Sequence[str], disabled: Mapping[str, str]
) -> tuple[Finding, ...]:
    """All findings of a specification: first those about the whole, then by line.

    ``text``: of SPEC.md, None if there is no such file; of a missing or empty one nothing else is said.
    ``fail_to_pass``: names of tests as reports give them. ``entrypoints``: POSIX paths in the workspace. ``disabled``:
    id of a rule to the reason why it does not hold for this task; an unknown id, or a reason that says nothing, is a
    finding as well.
    """
    if text is None:
        found = [_finding("spec-missing", None, "there is no SPEC.md")]
    elif not text.strip():
        found = [_finding("spec-empty", None, "SPEC.md is empty")]
    else:
        found = list(_text_findings(_read(text), fail_to_pass, entrypoints))
    reasons = {rule: reason.strip() for rule, reason in disabled.items() if _can_disable(rule)}
    marked = [finding.model_copy(update={"disabled": reasons.get(finding.rule, "")}) for finding in found]
    return tuple(sorted([*marked, *_disabling(disabled)], key=lambda finding: finding.line or 0))


def _finding(rule: str, line: int | None, message: str) -> Finding:
    severity: Literal["error", "warning"] = "warning" if rule in _WARNINGS else "error"
    return Finding(rule=rule, severity=severity, line=line, message=message)


def _can_disable(rule: str) -> bool:
    return rule in RULES and not rule.startswith("lint-")


def _disabling(disabled: Mapping[str, str]) -> Iterator[Finding]:
    for rule, reason in disabled.items():
        if not _can_disable(rule):
            what = "cannot be disabled" if rule in RULES else "is no rule"
            yield _finding("lint-unknown-rule", None, f"'{rule}' {what}; there are: {', '.join(RULES)}")
        elif not reason.strip():
            yield _finding("lint-no-reason", None, f"'{rule}' is disabled without a reason")


# ------------------------------------------------------------------------------------- the text as Markdown
@dataclass(frozen=True)
class _Spec:
    """A specification, read as Markdown as far as the rules need it. All texts have the same length and lines."""

    whole: str
    unfenced: str
    """Fenced blocks blanked."""
    prose: str
    """Fenced blocks blanked, code spans crossed out."""
    has_example: bool
    """A fenced block with something in it."""

    def line_at(self, position: int) -> int:
        return self.whole.count("\n", 0, position) + 1

    def line_of(self, pattern: re.Pattern[str]) -> int | None:
        """The line where it first stands in the whole text."""
        found = pattern.search(self.whole)
        return self.line_at(found.start()) if found else None


def _read(text: str) -> _Spec:
    whole = text.replace("\r\n", "\n").replace("\r", "\n")
    lines: list[str] = []
    fence, has_example = "", False
    for line in whole.split("\n"):
        mark = _FENCE.match(line)
        if not fence and not mark:
            lines.append(line)
            continue
        lines.append(" " * len(line))
        if not fence and mark:
            fence = mark[1]
        elif mark and mark[1].startswith(fence) and not mark[2].strip():
            fence = ""
        else:
            has_example = has_example or bool(line.strip())
    unfenced = "\n".join(lines)
    # Crossed out, not blanked: the words around a code span do not stand side by side.
    prose = _CODE_SPAN.sub(lambda span: re.sub(r"[^\n]", "\0", span[0]), unfenced)
    return _Spec(whole, unfenced, prose, has_example)


# ------------------------------------------------------------------------------------------------ the rules
def _text_findings(spec: _Spec, fail_to_pass: Sequence[str], entrypoints: Sequence[str]) -> Iterator[Finding]:
    yield from _headings(spec)
    words = len(spec.whole.split())
    if words < MINIMUM_WORDS:
        yield _finding("spec-too-short", None, f"{words} words, fewer than {MINIMUM_WORDS}")
    if not spec.has_example:
        yield _finding("spec-no-example", None, "no fenced block (```) with an exact example")
    yield from _leaked_names(spec, fail_to_pass)
    yield from _unmentioned(spec, entrypoints)
    yield from _placeholders(spec)
    yield from _weasel_terms(spec)


def _headings(spec: _Spec) -> Iterator[Finding]:
    """Title and sections.

    Seed 001 looked for the characters anywhere. Here a heading is a line outside of fenced blocks, in any case of
    letters, and something stands below it, if only a heading of a lower level.
    """
    found = list(_HEADING.finditer(spec.unfenced))
    if not any(len(heading[1]) == 1 and heading[2].strip(" \t#") for heading in found):
        yield _finding("spec-no-title", None, "no title: a line '# ...' outside of fenced blocks")
    for name in SECTIONS:
        begins = re.compile(rf"{re.escape(name)}(?![\w-])", re.IGNORECASE)
        section = next((heading for heading in found if len(heading[1]) == 2 and begins.match(heading[2])), None)
        if section is None:
            yield _finding("spec-missing-section", None, f"no section '## {name}'")
            continue
        ends = (other.start() for other in found if other.start() > section.start() and len(other[1]) <= 2)
        if not spec.whole[section.end() : next(ends, None)].strip():
            yield _finding("spec-missing-section", spec.line_at(section.start()), f"section '## {name}' is empty")


def _leaked_names(spec: _Spec, names: Sequence[str]) -> Iterator[Finding]:
    """Names of graded tests, in any case of letters; of one with parameters or a path also its name without them.

    Seed 001 took a name for leaked wherever its characters stood, so that a test called "adds" forbade the word
    "adds", and even "loads". Here a name is found only as a whole (``test_merge`` is not in ``test_merge_all``); and
    one that is no more than one or two ordinary words tells nothing in a sentence, so it is found only where it is
    meant as a name: as a code span of its own, or in the id of a test (``test_cart.py::adds``, ``tests::adds``).
    """
    for name in dict.fromkeys(names):
        lines = [line for form in _forms(name) if (line := spec.line_of(_name_pattern(form))) is not None]
        if lines:
            yield _finding("spec-leaks-test-name", min(lines), f"names the graded test '{name}'")


def _forms(name: str) -> list[str]:
    """How a test may be named: whole; without the titles or the path before it; without its parameters."""
    own = normalize_test_name(name)
    head, bracket, parameters = own.partition("[")
    forms = (name, own, head.rpartition("::")[2] + bracket + parameters)
    bare = [found[1] for form in forms if (found := _PARAMETRISED.fullmatch(form))]
    return [form for form in dict.fromkeys((*forms, *bare)) if form.strip()]


def _name_pattern(name: str) -> re.Pattern[str]:
    words = name.split()
    written = _GAP.join(map(re.escape, words))
    if len(words) <= 2 and all(map(_is_ordinary, words)):
        written = rf"(?<=`){written}(?:\(\))?(?=`)|(?:\.\w+|\btests?)(?:::\w+)*::{written}"
        return re.compile(rf"(?:{written})(?!\w)", re.IGNORECASE)
    return re.compile(rf"(?<!\w)(?:{written})(?!\w)", re.IGNORECASE)


def _is_ordinary(word: str) -> bool:
    """A word or number as it stands in a sentence: no underscore, no capital within, no digit beside a letter."""
    bare = re.sub(r"[-'’,.;:!?]", "", word)
    return bare.isdigit() or (bare.isalpha() and (bare[1:].islower() or len(bare) == 1 or bare.isupper()))


def _unmentioned(spec: _Spec, entrypoints: Sequence[str]) -> Iterator[Finding]:
    """Entrypoints of which neither the path nor the file's name stands in the text.

    As a whole: ``cart.py`` is not mentioned by ``old_cart.py`` or ``cart.pyi``. Of files that share their name the
    path is needed.
    """
    names = [PurePosixPath(path).name for path in entrypoints]
    for path, name in zip(entrypoints, names, strict=True):
        wanted = (path, name) if names.count(name) == 1 else (path,)
        pattern = re.compile(rf"(?<![\w.-])(?:{'|'.join(map(re.escape, wanted))})(?![\w-]|\.\w)")
        if spec.line_of(pattern) is None:
            yield _finding("spec-entrypoint-unmentioned", None, f"'{path}' is not mentioned")


def _placeholders(spec: _Spec) -> Iterator[Finding]:
    """What is still open, also in fenced blocks. In capitals and as words of their own, not as part of a name
    (``TODO.md``, ``XXX-12``, "TODOs")."""
    for found in _PLACEHOLDER.finditer(spec.whole):
        yield _finding("spec-placeholder", spec.line_at(found.start()), f"'{found[0]}' is still open")


def _weasel_terms(spec: _Spec) -> Iterator[Finding]:
    """Words that put a decision off, outside of code.

    Seed 001 looked for their characters in each line, so that "incorrectly" was taken for "correctly", while a term
    with a line's end in it was missed. Here they are whole words, wherever the lines end; "/etc." is a folder.
    """
    for term in WEASEL_TERMS:
        written = _GAP.join(map(re.escape, term.split()))
        end = "" if term.endswith(".") else r"(?![\w-])"
        for found in re.finditer(rf"(?<![\w/-]){written}{end}", spec.prose, re.IGNORECASE):
            message = f"'{term}' leaves the decision to the reader: say what is wanted"
            yield _finding("spec-weasel-term", spec.line_at(found.start()), message)
