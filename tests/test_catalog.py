"""Tasks are found and selected; a bad file hides no other."""

from collections.abc import Callable
from pathlib import Path

import pytest

from agent_bench.catalog import Catalog, discover, select
from agent_bench.errors import FileError, UsageError

Folder = Callable[..., Path]


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """Makes a folder of tasks; a text without ``id`` gets its file's name as the id, and a prompt."""

    def make(name: str, **texts: str) -> Path:
        place = tmp_path / name
        place.mkdir()
        for stem, text in texts.items():
            whole = text if "prompt" in text else f"id: {stem}\nprompt: of {name}\n{text}"
            (place / f"{stem}.yaml").write_text(whole)
        return place

    return make


def ids(catalog: Catalog) -> list[str]:
    return [task.id for task in catalog.tasks]


def test_sorted_by_id(folder: Folder) -> None:
    catalog = discover([folder("one", b="", a=""), folder("two", c="", aa="")])
    assert ids(catalog) == ["a", "aa", "b", "c"]
    assert catalog.problems == ()


def test_an_earlier_folder_hides_the_same_id_in_a_later_one(folder: Folder) -> None:
    catalog = discover([folder("own", a=""), folder("shipped", other="id: a\nprompt: of shipped\n", b="")])
    assert {task.id: task.instruction for task in catalog.tasks} == {"a": "of own", "b": "of shipped"}
    assert catalog.problems == ()


def test_the_same_id_twice_in_a_folder_is_an_error_that_names_both_files(folder: Folder) -> None:
    place = folder("own", a="", b="id: a\nprompt: x\n", c="")
    catalog = discover([place, folder("shipped", a="")])
    assert ids(catalog) == ["c"]
    (problem,) = catalog.problems
    assert str(place / "a.yaml") in problem.message
    assert str(place / "b.yaml") in problem.message
    with pytest.raises(FileError, match="task 'a' stands in"):
        select(catalog, ids=["a"])


def test_a_bad_file_hides_no_other(folder: Folder) -> None:
    catalog = discover([folder("own", a="", bad="tiemout_sec: 3\n", worse="prompt: [x\n", c="")])
    assert ids(catalog) == ["a", "c"]
    assert [problem.path.name for problem in catalog.problems] == ["bad.yaml", "worse.yaml"]
    assert [task.id for task in select(catalog, ids=["c", "a"])] == ["c", "a"]
    assert [task.id for task in select(catalog)] == ["a", "c"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("id: mine\nprompt: x\ntiemout_sec: 3\n", "mine"),
        ("prompt: [x\n'id': \"web/mine\" # broken\n", "web/mine"),
        ('{"id": "mine", "prompt": 3}', "mine"),
        ("prompt: ''\n", "file"),
    ],
)
def test_an_id_whose_file_is_bad_is_answered_with_what_is_wrong(folder: Folder, text: str, wanted: str) -> None:
    catalog = discover([folder("own", file=text), folder("shipped", mine="", file="")])
    with pytest.raises(FileError) as caught:
        select(catalog, ids=[wanted])
    assert caught.value.path.name == "file.yaml"
    assert "own" in str(caught.value.path)


def test_a_bad_file_about_an_id_that_a_good_one_has_too(folder: Folder) -> None:
    catalog = discover([folder("own", a="", copy="id: a\nprompt: x\nmore: 1\n")])
    assert ids(catalog) == ["a"]
    assert len(catalog.problems) == 1
    assert select(catalog, ids=["a"])[0].instruction == "of own"


def test_an_unknown_id_is_answered_with_the_nearest_one(folder: Folder) -> None:
    catalog = discover([folder("own", todo_api="", hello="")])
    with pytest.raises(UsageError, match="unknown task 'todo_ap'") as caught:
        select(catalog, ids=["todo_ap"])
    assert caught.value.hint == "did you mean 'todo_api'? available: hello, todo_api"


def test_filters(folder: Folder) -> None:
    catalog = discover(
        [
            folder(
                "own",
                a="language: python\ndifficulty: easy\ntags: [web, small]\n",
                b="language: python\ndifficulty: hard\ntags: [web]\n",
                c="language: shell\n",
            )
        ]
    )

    def chosen(ids: list[str] | None = None, tags: list[str] | None = None, **filters: str) -> list[str]:
        return [task.id for task in select(catalog, ids=ids or [], tags=tags or [], **filters)]

    assert chosen(language="python") == ["a", "b"]
    assert chosen(difficulty="hard") == ["b"]
    assert chosen(difficulty="medium") == []
    assert chosen(tags=["web", "small"]) == ["a"]
    assert chosen(ids=["c", "b", "c"]) == ["c", "b"]
    assert chosen(ids=["c", "b"], tags=["web"]) == ["b"]
    for wrong in ({"language": "pyhton"}, {"difficulty": "trivial"}, {"tags": ["wbe"]}):
        with pytest.raises(UsageError, match="unknown"):
            chosen(**wrong)  # type: ignore[arg-type]


def test_a_folder_that_cannot_be_read_is_a_problem(folder: Folder, tmp_path: Path) -> None:
    catalog = discover([tmp_path / "gone", folder("own", a="")])
    assert ids(catalog) == ["a"]
    assert {problem.path for problem in catalog.problems} == {tmp_path / "gone"}
