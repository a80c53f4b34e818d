import pytest

from agent_bench.readers.identity import match, normalize_test_name, qualified_name
from agent_bench.readers.junit import CaseOutcome, TestCase


def case(
    name: str, classname: str = "", file: str = "", outcome: CaseOutcome = "passed", message: str = ""
) -> TestCase:
    return TestCase(name=name, classname=classname, file=file, outcome=outcome, message=message)


@pytest.mark.parametrize(
    ("name", "normal"),
    [
        ("adds", "adds"),
        ("cart totals (visible) > returns zero for an empty cart", "returns zero for an empty cart"),
        ("a > b > c ", "c"),
        ("a>b", "a>b"),
        ("x > ümläut 'quoted' \"too\"", "ümläut 'quoted' \"too\""),
    ],
)
def test_normalisation(name: str, normal: str) -> None:
    assert normalize_test_name(name) == normal


def test_a_name_may_be_declared_with_or_without_what_stands_around_it() -> None:
    cases = [case("cart > adds", "tests/hidden/cart.test.ts"), case("cart > removes", "tests/hidden/cart.test.ts")]
    found = match(["adds", "cart > removes"], cases)
    assert found.outcomes == {"adds": "passed", "cart > removes": "passed"}
    assert found.missing == found.duplicates == ()
    assert found.others == ()


def test_the_qualified_name_of_each_runner() -> None:
    assert qualified_name(case("test_a[1-2]", "tests.hidden.test_x.TestB", "tests/hidden/test_x.py")) == (
        "tests/hidden/test_x.py::TestB::test_a[1-2]"
    )
    assert qualified_name(case("cart > adds", "tests/hidden/cart.test.ts")) == "tests/hidden/cart.test.ts::cart::adds"
    assert qualified_name(case("merges", "shop.CartTest")) == "shop.CartTest::merges"
    assert qualified_name(case("Cart.Adds", "Cart.Adds")) == "Cart.Adds"


def test_two_tests_of_one_name_are_duplicates_unless_they_are_qualified() -> None:
    cases = [
        case("test_a", "tests.test_x.TestOne", "tests/test_x.py"),
        case("test_a", "tests.test_x.TestTwo", "tests/test_x.py", "failed"),
    ]
    assert match(["test_a"], cases).duplicates == ("test_a",)
    assert match(["test_a"], cases).outcomes == {}
    names = ["TestOne::test_a", "tests/test_x.py::TestTwo::test_a"]
    assert list(match(names, cases).outcomes.values()) == ["passed", "failed"]


def test_titles_in_two_suites_of_one_file_are_duplicates() -> None:
    cases = [case("one > works", "a.test.ts"), case("two > works", "a.test.ts")]
    assert match(["works"], cases).duplicates == ("works",)
    assert match(["one > works"], cases).outcomes == {"one > works": "passed"}
    assert match(["a.test.ts::two::works"], cases).outcomes == {"a.test.ts::two::works": "passed"}


def test_a_test_that_fails_and_whose_teardown_fails_is_one_test() -> None:
    cases = [case("test_a", "t", "t.py", "failed"), case("test_a", "t", "t.py", "error")]
    assert match(["test_a"], cases).outcomes == {"test_a": "error"}


def test_the_same_test_passing_twice_is_a_duplicate() -> None:
    assert match(["test_a"], [case("test_a", "t", "t.py")] * 2).duplicates == ("test_a",)


def test_parameters_may_look_like_titles() -> None:
    cases = [case("test_a[x > y]", "t", "t.py"), case("y]", "u", "u.py", "failed")]
    assert match(["test_a[x > y]"], cases).outcomes == {"test_a[x > y]": "passed"}


def test_missing_and_undeclared() -> None:
    found = match(["gone"], [case("here")])
    assert found.missing == ("gone",)
    assert [one.name for one in found.others] == ["here"]
