import os
from pathlib import Path

import pytest
from grading_bed import GradingBed
from wheels import write_wheel

from agent_bench.model import Environment, Signal

GOOD = "def test_good():\n    pass\n"
BAD = "def test_bad():\n    assert 0\n"


def graded(bed: GradingBed, files: dict[str, str], **options: float) -> Signal:
    return bed.signal("pytest", files, options)


def test_passed_of_collected(bed: GradingBed) -> None:
    files = {"app.py": "def f():\n    return 1\n", "tests/test_app.py": f"import app\n{GOOD}{BAD}\n"}
    signal = graded(bed, files)
    assert signal.value == 0.5
    assert signal.facts["collected"] == 2
    assert signal.facts["failed"] == ["tests.test_app::test_bad"]
    assert "tampered" not in signal.facts


def test_all_pass(bed: GradingBed) -> None:
    assert graded(bed, {"test_a.py": GOOD}).value == 1.0


def test_skipped_tests_and_expected_failures_are_collected_and_did_not_pass(local_bed: GradingBed) -> None:
    marks = "import pytest\n@pytest.mark.skip\ndef test_s(): pass\n@pytest.mark.xfail\ndef test_x(): assert 0\n"
    signal = graded(local_bed, {"test_a.py": marks + GOOD + GOOD.replace("good", "fine")})
    assert signal.value == 0.5
    assert signal.facts["skipped"] == 2
    assert graded(local_bed, {"test_a.py": marks}).value == 0.0


def test_errors_and_failed_collections_count_as_failures(local_bed: GradingBed) -> None:
    signal = graded(local_bed, {"test_a.py": GOOD, "test_b.py": "import nosuchmodule\n" + GOOD})
    assert signal.value == 0.5
    broken = "import pytest\n@pytest.fixture\ndef f():\n    raise OSError\ndef test_e(f): pass\n"
    assert graded(local_bed, {"test_a.py": broken + GOOD}).value == 0.5


@pytest.mark.parametrize(
    "files", [{"app.py": "x = 1\n"}, {"a.js": "x"}, {"test_a.py": "x = 1\n"}, {"README": "see test_a.py"}]
)
def test_no_tests_is_not_observed(local_bed: GradingBed, files: dict[str, str]) -> None:
    signal = graded(local_bed, files)
    assert signal.value is None
    assert signal.reason == "no tests"


def test_an_unchanged_tree_is_not_observed(local_bed: GradingBed) -> None:
    assert local_bed.signal("pytest", {}, starting={"test_a.py": GOOD}).value is None


def test_tests_that_hang_are_zero(bed: GradingBed) -> None:
    signal = graded(bed, {"test_a.py": f"import time\ndef test_h():\n    time.sleep(99)\n{GOOD}"}, timeout_sec=3)
    assert signal.value == 0.0
    assert signal.reason == "the tests were stopped: no end within 3 s"


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({"test_a.py": GOOD + "def test_exit():\n    import os\n    os._exit(0)\n"}, "no report"),
        ({"test_a.py": GOOD, "conftest.py": "import os\nos._exit(0)\n"}, "no report"),
        ({"test_a.py": GOOD, "conftest.py": "def f(:\n"}, "no report"),
        ({"test_a.py": GOOD, "pytest.ini": "[pytest]\naddopts = --nosuch\n"}, "no report"),
        ({"test_a.py": GOOD, "pytest.py": "raise SystemExit(0)\n"}, "no report"),
        ({"test_a.py": GOOD + "def test_k():\n    import os\n    os.kill(os.getpid(), 9)\n"}, "no report"),
    ],
    ids=["exit", "conftest-exit", "conftest", "options", "pytest.py", "kill"],
)
def test_a_runner_without_a_report_is_zero(local_bed: GradingBed, files: dict[str, str], reason: str) -> None:
    signal = graded(local_bed, files)
    assert signal.value == 0.0
    assert reason in signal.reason


def test_pytests_report_goes_nowhere_near_the_tree(local_bed: GradingBed) -> None:
    forged = '<testsuite tests="1"><testcase name="forged"/></testsuite>'
    signal = graded(local_bed, {"test_a.py": BAD, "report.xml": forged, "junit.xml": forged})
    assert signal.value == 0.0
    assert signal.facts["collected"] == 1


CHANGED_EXIT = "def pytest_sessionfinish(session):\n    session.exitstatus = 0\n"
REWRITTEN = """
import atexit, sys
path = next(word for word in sys.argv if word.startswith("--junit-xml=")).partition("=")[2]
def forge():
    open(path, "w").write({report!r})
atexit.register(forge)
"""


@pytest.mark.parametrize(
    "conftest",
    [
        CHANGED_EXIT,
        REWRITTEN.format(report='<testsuite tests="1"><testcase name="test_bad"/></testsuite>'),
        REWRITTEN.format(report="<testsuite/>"),
        REWRITTEN.format(report='<testsuite tests="5"><testcase name="t"><failure/></testcase></testsuite>'),
    ],
    ids=["exit-code", "report", "empty-report", "count"],
)
def test_exit_code_report_and_count_that_disagree_are_zero_and_tampering(local_bed: GradingBed, conftest: str) -> None:
    signal = graded(local_bed, {"test_a.py": BAD, "conftest.py": conftest})
    assert signal.value == 0.0
    assert signal.facts["tampered"] is True


@pytest.mark.parametrize("forging", ["os.symlink('/etc/passwd', path)", "os.mkfifo(path)", "os.mkdir(path)"])
def test_a_report_that_is_no_regular_file_is_none(local_bed: GradingBed, forging: str) -> None:
    conftest = REWRITTEN.format(report="").replace(
        "open(path, \"w\").write('')", f"import os; os.unlink(path); {forging}"
    )
    signal = graded(local_bed, {"test_a.py": GOOD, "conftest.py": conftest})
    assert signal.value == 0.0
    assert "no report" in signal.reason


@pytest.mark.parametrize("report", ["<!DOCTYPE a><testsuite/>", "not xml", ""])
def test_a_report_that_cannot_be_read_is_not_observed(local_bed: GradingBed, report: str) -> None:
    signal = graded(local_bed, {"test_a.py": GOOD, "conftest.py": REWRITTEN.format(report=report)})
    assert signal.value is None


def test_names_of_tests_are_escaped(local_bed: GradingBed) -> None:
    test = "import pytest\n@pytest.mark.parametrize('x', [1], ids=['a\\x1b[31m\\u202e'])\ndef test_p(x): assert 0\n"
    signal = graded(local_bed, {"test_a.py": test})
    assert signal.value == 0.0
    assert not {"\x1b", "\u202e"} & set(str(signal.facts["failed"]))


def test_a_source_layout_and_the_root_are_importable(local_bed: GradingBed) -> None:
    files = {"src/shop/__init__.py": "", "src/shop/cart.py": "x = 1\n", "tool.py": "y = 1\n"}
    assert graded(local_bed, {**files, "tests/test_a.py": "import shop.cart, tool\n" + GOOD}).value == 1.0


def test_a_project_in_a_single_folder(bed: GradingBed) -> None:
    files = {"todo/app.py": "x = 1\n", "todo/tests/test_a.py": "import app\n" + GOOD, "todo/data.txt": "d"}
    files["todo/tests/test_b.py"] = "def test_cwd():\n    assert open('data.txt').read() == 'd'\n"
    assert graded(bed, files).value == 1.0


def test_the_projects_own_settings_hold(local_bed: GradingBed) -> None:
    settings = "[tool.pytest.ini_options]\npython_files = ['check_*.py']\ntestpaths = ['checks']\n"
    files = {"pyproject.toml": settings, "checks/check_a.py": GOOD, "test_b.py": BAD, "other/check_c.py": BAD}
    assert graded(local_bed, files).value == 1.0


def test_settings_above_the_tree_do_not_reach_it(local_bed: GradingBed) -> None:
    (local_bed.folder / "pytest.ini").write_text("[pytest]\naddopts = --nosuch\n")
    (local_bed.folder / "conftest.py").write_text("raise SystemExit(3)\n")
    assert graded(local_bed, {"test_a.py": GOOD}).value == 1.0


def test_programs_of_the_environment_are_on_the_path(bed: GradingBed) -> None:
    test = "import subprocess, sys\ndef test_p():\n    subprocess.run(['python', '-c', 'import pytest'], check=True)\n"
    assert graded(bed, {"test_a.py": test}).value == 1.0


def test_the_users_secrets_are_out_of_reach(local_bed: GradingBed) -> None:
    local_bed.environ = {**os.environ, "ANTHROPIC_API_KEY": "k", "SECRET": "s"}
    test = "import os\ndef test_env():\n    assert not {'ANTHROPIC_API_KEY', 'SECRET'} & os.environ.keys()\n"
    assert graded(local_bed, {"test_a.py": test}).value == 1.0


def test_a_python_that_is_not_installed_is_not_observed(local_bed: GradingBed) -> None:
    local_bed.environment = Environment(python="3.77")
    signal = graded(local_bed, {"test_a.py": GOOD})
    assert signal.value is None
    assert signal.reason.startswith("the environment could not be made: Python 3.77")


def test_a_package_index_out_of_reach_is_not_observed(local_bed: GradingBed, tmp_path: Path) -> None:
    local_bed.cache = tmp_path
    local_bed.environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "UV_OFFLINE": "1"}
    signal = graded(local_bed, {"test_a.py": GOOD})
    assert signal.value is None
    assert signal.reason.startswith("the environment could not be made: ")
    assert "pytest" in signal.reason


def test_what_the_project_declares_is_installed(bed: GradingBed, tmp_path: Path) -> None:
    write_wheel(tmp_path / "index", "spoons", "1.0", {"spoons.py": "COUNT = 3\n"})
    bed.environ = {**os.environ, "UV_FIND_LINKS": str(tmp_path / "index")}
    files = {"requirements.txt": "spoons==1.0\n", "test_a.py": "import spoons\n" + GOOD}
    assert graded(bed, files).value == 1.0
    assert graded(bed, {**files, "requirements.txt": "# nothing\n"}).value == 0.0


def test_what_cannot_be_installed_is_said_and_the_tasks_own_requirements_hold(
    local_bed: GradingBed, tmp_path: Path
) -> None:
    write_wheel(tmp_path / "index", "forks", "1.0", {"forks.py": ""})
    local_bed.environ = {**os.environ, "UV_FIND_LINKS": str(tmp_path / "index")}
    local_bed.environment = Environment(requirements=("forks==1.0",))
    files = {"requirements.txt": "forks==9.9\n-e .\n", "test_a.py": "import forks\n" + GOOD}
    signal = graded(local_bed, files)
    assert signal.value == 1.0
    assert "without what the project declares" in signal.reason
    assert "not installed: -e ." in signal.reason
