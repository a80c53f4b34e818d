from pathlib import Path

import pytest
from grading_bed import write_files

from agent_bench.toolchains.python_project import Declared, declared_requirements, project_folder


@pytest.mark.parametrize(
    ("files", "folder"),
    [
        ([], ""),
        (["a.py"], ""),
        (["a.py", "p/b.py"], ""),
        (["p/a.py"], "p"),
        (["p/a.py", "p/q/b.py"], "p"),
        (["p/q/a.py", "p/q/r/b.py"], "p/q"),
        (["p/a.py", "q/b.py"], ""),
        (["p/q/a.py", "p/r/b.py"], "p"),
    ],
)
def test_project_folder(files: list[str], folder: str) -> None:
    assert project_folder(files) == folder


def declared(folder: Path, files: dict[str, str | bytes]) -> Declared:
    write_files(folder, files)
    return declared_requirements(folder, files)


def test_requirements_files(tmp_path: Path) -> None:
    text = """
    # the web
    flask>=3,<4    # pinned loosely
    uvicorn[standard] == 0.30.1 ; python_version >= "3.8"
    attrs==24.2.0 \\
        --hash=sha256:aaaa \\
        --hash=sha256:bbbb
    """
    found = declared(tmp_path, {"requirements.txt": text.replace("\n    ", "\r\n")})
    assert found.requirements == (
        "attrs==24.2.0",
        "flask<4,>=3",
        'uvicorn[standard]==0.30.1; python_version >= "3.8"',
    )
    assert found.refused == ()


@pytest.mark.parametrize(
    "name",
    [
        "requirements.txt",
        "requirements-dev.txt",
        "requirements_test.txt",
        "dev-requirements.txt",
        "requirements/dev.txt",
    ],
)
def test_the_usual_names(tmp_path: Path, name: str) -> None:
    assert declared(tmp_path, {name: "flask\n"}).requirements == ("flask",)


@pytest.mark.parametrize("name", ["docs/requirements.txt", "notes.txt", "my-requirements.md"])
def test_other_names_are_not_read(tmp_path: Path, name: str) -> None:
    assert declared(tmp_path, {name: "flask\n"}).requirements == ()


@pytest.mark.parametrize(
    "line",
    [
        "-e .",
        "-e git+https://example.org/x.git#egg=x",
        "--index-url https://evil.example/simple",
        "--extra-index-url=https://evil.example",
        "--find-links ./wheels",
        "-r /etc/passwd",
        "-r other.txt",
        "-c constraints.txt",
        "./package",
        "../package",
        "/abs/package.whl",
        "package.whl",
        "file:///etc/passwd",
        "https://example.org/x.whl",
        "git+https://example.org/x.git",
        "x @ https://example.org/x.whl",
        "x @ file:///tmp/x",
        "x @ git+ssh://example.org/x",
        "${SECRET}",
        "x==1 y==2",
        "\x1b[31mred",
    ],
)
def test_everything_but_packages_by_name_is_refused_and_said(tmp_path: Path, line: str) -> None:
    found = declared(tmp_path, {"requirements.txt": f"flask\n{line}\n"})
    assert found.requirements == ("flask",)
    assert len(found.refused) == 1
    assert "\x1b" not in found.refused[0]


def test_options_behind_a_package_are_dropped(tmp_path: Path) -> None:
    found = declared(tmp_path, {"requirements.txt": "flask --config-settings=x=y\n"})
    assert found.requirements == ("flask",)


def test_lists_that_include_each_other_are_no_matter(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "requirements.txt": "flask\n",
        "requirements-dev.txt": "-r requirements.txt\nmypy\n",
    }
    files |= {
        "requirements/base.txt": "attrs",
        "requirements/dev.txt": "-r base.txt\n--requirement=../requirements.txt",
    }
    found = declared(tmp_path, files)
    assert found.requirements == ("attrs", "flask", "mypy")
    assert found.refused == ("--requirement=../requirements.txt",)


def test_pyproject(tmp_path: Path) -> None:
    text = """
[project]
name = "Todo_API"
dependencies = ["flask>=3", "todo-api[test]", "evil @ https://example.org/e.whl"]
[project.optional-dependencies]
dev = ["mypy"]
test = ["hypothesis"]
gpu = ["torch"]
[dependency-groups]
dev = ["ruff", {include-group = "lint"}, {include-group = "dev"}]
lint = ["pylint"]
docs = ["sphinx"]
"""
    found = declared(tmp_path, {"pyproject.toml": text})
    assert found.requirements == ("flask>=3", "hypothesis", "mypy", "pylint", "ruff")
    assert found.refused == ("evil @ https://example.org/e.whl",)


@pytest.mark.parametrize(
    "text",
    [
        "not toml [",
        "[project]\ndependencies = 3\n",
        '[project]\ndependencies = [3, {a = 1}, ["x"]]\n',
        "project = 1\n",
        "[project]\nname = 1\noptional-dependencies = []\n",
        "dependency-groups = [1]\n",
        '[dependency-groups]\ndev = [{include-group = 3}, {include-group = "gone"}]\ntest = "x"\n',
        "a = " + "[" * 5_000,
        b"\xff\xfe\x00",
        "",
    ],
)
def test_broken_projects_declare_nothing(tmp_path: Path, text: str | bytes) -> None:
    assert declared(tmp_path, {"pyproject.toml": text}).requirements == ()


def test_encodings(tmp_path: Path) -> None:
    for content in ("flask\n".encode("utf-16"), "flask\n".encode("utf-8-sig"), b"flask\n# \xff\n"):
        assert declared(tmp_path, {"requirements.txt": content}).requirements == ("flask",)


def test_a_folder_of_the_name_is_no_harm(tmp_path: Path) -> None:
    found = declared(tmp_path, {"pyproject.toml/requirements.txt": "x", "requirements.txt/a": "x"})
    assert found == Declared((), ())


def test_floods_are_bounded(tmp_path: Path) -> None:
    lines = "".join(f"package{number}\n-e bad{number}\n" for number in range(1_000))
    found = declared(tmp_path, {"requirements.txt": lines})
    assert len(found.requirements) == 200
    assert len(found.refused) <= 20
    many = declared(tmp_path / "many", {f"requirements-{number:02}.txt": f"p{number}" for number in range(50)})
    assert len(many.requirements) == 10
