import pytest
from grading_bed import GradingBed


def value(bed: GradingBed, files: dict[str, str], **rest: object) -> float | None:
    return bed.signal("files", files, **rest).value  # type: ignore[arg-type]


@pytest.mark.parametrize(("count", "expected"), [(1, 0.0), (2, 1.0), (3, 1.0)])
def test_the_minimum(local_bed: GradingBed, count: int, expected: float) -> None:
    signal = local_bed.signal("files", {f"{number}.txt": "x" for number in range(count)}, {"minimum": 2})
    assert signal.value == expected
    assert signal.facts["produced"] == count


@pytest.mark.parametrize(
    ("required", "expected"),
    [
        ("app.py", 1.0),
        ("src/app.py", 1.0),
        ("./src/app.py", 1.0),
        ("app", 0.0),
        ("APP.PY", 0.0),
        ("lib/app.py", 0.0),
        ("./app.py", 0.0),
    ],
)
def test_required_files(local_bed: GradingBed, required: str, expected: float) -> None:
    signal = local_bed.signal("files", {"src/app.py": "x = 1\n"}, {"required": [required]})
    assert signal.value == expected
    assert signal.facts["missing"] == ([] if expected else [required])


def test_all_required_files_are_needed_and_the_missing_ones_named(local_bed: GradingBed) -> None:
    signal = local_bed.signal("files", {"a.py": "x"}, {"required": ["a.py", "b.py", "c.py"]})
    assert signal.value == 0.0
    assert signal.reason == "missing: b.py, c.py"


def test_starting_files_do_not_count_as_produced(local_bed: GradingBed) -> None:
    starting = {f"{number}.py": "x" for number in range(5)}
    assert value(local_bed, {"new.py": "x"}, options={"minimum": 2}, starting=starting) == 0.0
    assert value(local_bed, {"new.py": "x", "0.py": "y"}, options={"minimum": 2}, starting=starting) == 1.0


def test_a_required_file_may_be_a_starting_file(local_bed: GradingBed) -> None:
    assert value(local_bed, {"new.py": "x"}, options={"required": ["app.py"]}, starting={"app.py": "x"}) == 1.0


@pytest.mark.parametrize("minimum", [0, 1])
def test_nothing_produced_is_zero(local_bed: GradingBed, minimum: int) -> None:
    assert value(local_bed, {}, options={"minimum": minimum}) == 0.0
    assert value(local_bed, {}, options={"minimum": minimum}, starting={"a.py": "x"}) == 0.0


def test_only_blank_files_are_nothing(local_bed: GradingBed) -> None:
    signal = local_bed.signal("files", {"app.py": "", "b.py": " \n\t\n"}, {"required": ["app.py"]})
    assert signal.value == 0.0
    assert "blank" in signal.reason


def test_a_blank_file_beside_others_counts(local_bed: GradingBed) -> None:
    assert value(local_bed, {"p/__init__.py": "", "p/a.py": "x = 1"}, options={"minimum": 2}) == 1.0
