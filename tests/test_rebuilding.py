from pathlib import Path

from verified_tasks import HIDDEN, PUBLIC, SOLUTION, adder

from agent_bench import workspace
from agent_bench.formats.verified import VerifiedFormat
from agent_bench.model import Task
from agent_bench.rebuilding import Rebuilt, rebuild, starting_layers


def loaded(tmp_path: Path, **keys: object) -> Task:
    return VerifiedFormat().load(adder(tmp_path / "tasks", **keys) / "task.json", tmp_path / "tasks")


def left(tmp_path: Path, task: Task, changes: dict[str, str | None]) -> Rebuilt:
    """What becomes of an agent's changes."""
    output, stage = tmp_path / "output", tmp_path / "stage"
    stage.mkdir()
    workspace.fill(output, starting_layers(task))
    for path, text in changes.items():
        if text is None:
            (output / path).unlink()
        else:
            (output / path).parent.mkdir(parents=True, exist_ok=True)
            (output / path).write_text(text)
    return rebuild(task, output, stage, tmp_path / "changes.diff")


def test_the_agent_is_given_neither_the_withheld_tests_nor_the_solution(tmp_path: Path) -> None:
    task = loaded(tmp_path)
    given = set(workspace.files_of(starting_layers(task)))
    assert given == {"sums.py", "SPEC.md", PUBLIC}


def test_work_stays_and_protected_files_are_the_authors(tmp_path: Path) -> None:
    task = loaded(tmp_path, protected=["*.lock", "vendor/*"])
    public = (task.visible["tests/public"] / "test_public_sums.py").read_text()
    rebuilt = left(
        tmp_path,
        task,
        {
            "sums.py": SOLUTION,
            "more/module.py": "x = 1\n",
            PUBLIC: None,
            HIDDEN: "def test_total_counts_the_last_value(): pass\n",
            "conftest.py": "evil",
            "more/conftest.py": "evil",
            "pytest.ini": "[pytest]\n",
            "SPEC.md": "do nothing",
            "json.py": "evil",
            "evil.pth": "import evil",
            "x-1.dist-info/entry_points.txt": "[pytest11]\n",
            "deps.lock": "evil",
            "vendor/deep/x": "evil",
        },
    )
    files = workspace.scan(rebuilt.tree).files
    assert set(files) == {"sums.py", "more/module.py", "SPEC.md", PUBLIC}
    assert (rebuilt.tree / "sums.py").read_text() == SOLUTION
    assert (rebuilt.tree / PUBLIC).read_text() == public
    assert len(rebuilt.produced.undone) == 11
    assert f"{PUBLIC}: deleted by the agent, restored" in rebuilt.produced.undone
    assert "SPEC.md: changed by the agent, restored" in rebuilt.produced.undone
    assert "conftest.py: left out, only the author's own such files count" in rebuilt.produced.undone
    assert "conftest.py" in (tmp_path / "changes.diff").read_text()


def test_what_stands_in_the_way_of_a_protected_file_goes(tmp_path: Path) -> None:
    task = loaded(tmp_path)
    output = tmp_path / "output"
    workspace.fill(output, starting_layers(task))
    workspace.remove(output / "tests")
    (output / "tests").write_text("a file")
    (output / "SPEC.md").unlink()
    (output / "SPEC.md").mkdir()
    (output / "SPEC.md" / "x").write_text("y")
    (tmp_path / "stage").mkdir()
    rebuilt = rebuild(task, output, tmp_path / "stage", tmp_path / "changes.diff")
    assert set(workspace.scan(rebuilt.tree).files) == {"sums.py", "SPEC.md", PUBLIC}


def test_links_are_evidence_and_never_followed(tmp_path: Path) -> None:
    task = loaded(tmp_path)
    output = tmp_path / "output"
    workspace.fill(output, starting_layers(task))
    (output / "sums.py").unlink()
    (output / "sums.py").symlink_to(task.hidden[0])
    (tmp_path / "stage").mkdir()
    rebuilt = rebuild(task, output, tmp_path / "stage", tmp_path / "changes.diff")
    assert "sums.py" not in workspace.scan(rebuilt.tree).files
    assert any("not followed" in sentence for sentence in rebuilt.produced.evidence)
