from pathlib import Path

import pytest

from agent_bench.toolchains.package_index import index_environment


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A HOME, on a machine without settings of its own for pip."""
    monkeypatch.setattr("agent_bench.toolchains.package_index.Path", lambda *parts: _elsewhere(tmp_path, *parts))
    return tmp_path


def _elsewhere(root: Path, *parts: str | Path) -> Path:
    path = Path(*parts)
    return root / "etc" / path.name if path == Path("/etc/pip.conf") else path


def pip_conf(home: Path, text: str) -> None:
    (home / ".config" / "pip").mkdir(parents=True)
    (home / ".config" / "pip" / "pip.conf").write_text(text)


def test_pips_variables_are_translated(home: Path) -> None:
    environ = {
        "HOME": str(home),
        "PIP_INDEX_URL": "https://packages.example/simple",
        "PIP_EXTRA_INDEX_URL": "https://a.example\n  https://b.example",
        "PIP_TRUSTED_HOST": "packages.example",
        "PIP_CERT": "/certs/ca.pem",
    }
    found = index_environment(environ)
    assert found["UV_DEFAULT_INDEX"] == "https://packages.example/simple"
    assert found["UV_INDEX"] == "https://a.example https://b.example"
    assert found["UV_INSECURE_HOST"] == "packages.example"
    assert found["SSL_CERT_FILE"] == "/certs/ca.pem"


def test_pips_file_is_translated_and_its_variables_come_first(home: Path) -> None:
    pip_conf(home, "[global]\nindex-url = https://file.example\ncert = /certs/file.pem\n[install]\nfind-links =\n")
    assert index_environment({"HOME": str(home)})["UV_DEFAULT_INDEX"] == "https://file.example"
    environ = {"HOME": str(home), "PIP_INDEX_URL": "https://variable.example"}
    assert index_environment(environ)["UV_DEFAULT_INDEX"] == "https://variable.example"


@pytest.mark.parametrize("name", ["UV_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX", "UV_FIND_LINKS", "UV_CONFIG_FILE"])
def test_what_uv_itself_is_told_holds(home: Path, name: str) -> None:
    environ = {
        "HOME": str(home),
        "PIP_INDEX_URL": "https://pip.example",
        "PIP_CERT": "/c.pem",
        name: "https://uv.example",
    }
    found = index_environment(environ)
    assert found[name] == "https://uv.example"
    assert "https://pip.example" not in {value for key, value in found.items() if key.startswith("UV_")}
    assert found["SSL_CERT_FILE"] == "/c.pem"


def test_folders_that_are_not_there_are_left_out(home: Path) -> None:
    (home / "wheels").mkdir()
    links = f"{home}/wheels {home}/gone https://links.example"
    found = index_environment({"HOME": str(home), "PIP_FIND_LINKS": links})
    assert found["UV_FIND_LINKS"] == f"{home}/wheels,https://links.example"
    assert "UV_FIND_LINKS" not in index_environment({"HOME": str(home), "PIP_FIND_LINKS": f"{home}/gone"})


@pytest.mark.parametrize("text", ["no section", "[global\n", "[global]\nindex-url", "[global]\nx = %(y)s\n"])
def test_a_broken_file_is_left_out(home: Path, text: str) -> None:
    pip_conf(home, text)
    assert not any(name.startswith("UV_") for name in index_environment({"HOME": str(home)}))


def test_only_what_concerns_network_and_index_is_handed_on(home: Path) -> None:
    environ = {
        "HOME": str(home),
        "HTTPS_PROXY": "http://proxy.example",
        "UV_INDEX_COMPANY_PASSWORD": "p",
        "UV_PYTHON": "3.8",
        "UV_SYSTEM_PYTHON": "1",
        "AWS_SECRET_ACCESS_KEY": "s",
        "PYTHONPATH": "/x",
    }
    assert index_environment(environ) == {"HTTPS_PROXY": "http://proxy.example", "UV_INDEX_COMPANY_PASSWORD": "p"}
