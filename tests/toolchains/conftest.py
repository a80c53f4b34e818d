from pathlib import Path

import pytest
from grading_bed import GradingBed
from process_bed import needs_bubblewrap


@pytest.fixture(scope="session")
def environments(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Environments are made once for all tests."""
    folder = tmp_path_factory.getbasetemp() / "environments"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(params=["local", pytest.param("bubblewrap", marks=needs_bubblewrap)])
def bed(request: pytest.FixtureRequest, tmp_path: Path, environments: Path) -> GradingBed:
    """In each sandbox."""
    return GradingBed(tmp_path, environments, sandbox=request.param)


@pytest.fixture
def local_bed(tmp_path: Path, environments: Path) -> GradingBed:
    """For what does not depend on the sandbox."""
    return GradingBed(tmp_path, environments)
