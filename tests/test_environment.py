from agent_bench.environment import base_environment, network_environment

USER = {
    "PATH": "/opt/tools:/usr/bin",
    "HOME": "/home/me",
    "SSH_AUTH_SOCK": "/run/agent",
    "ANTHROPIC_API_KEY": "key",
    "PYTHONPATH": "/home/me/lib",
    "LD_PRELOAD": "/home/me/spy.so",
    "LANG": "de_DE.UTF-8",
    "HTTPS_PROXY": "http://proxy:3128",
    "http_proxy": "",
    "PIP_INDEX_URL": "http://index/simple",
    "SSL_CERT_FILE": "/etc/company.pem",
}


def test_nothing_of_the_user_but_the_path() -> None:
    environment = base_environment(USER)
    assert environment["PATH"] == USER["PATH"]
    assert not (environment.keys() & USER.keys()) - {"PATH", "LANG"}
    assert environment == base_environment({"PATH": USER["PATH"]})
    assert base_environment({})["PATH"] == "/usr/local/bin:/usr/bin:/bin"


def test_what_could_change_results_is_pinned() -> None:
    pinned = {"LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "TZ": "UTC", "PYTHONHASHSEED": "0", "COLUMNS": "80"}
    pinned |= {"NO_COLOR": "1", "TERM": "dumb", "DISABLE_AUTOUPDATER": "1", "DO_NOT_TRACK": "1"}
    assert pinned.items() <= base_environment(USER).items()


def test_an_open_network_adds_the_way_to_it_and_no_more() -> None:
    assert network_environment(USER) == {
        "HTTPS_PROXY": "http://proxy:3128",
        "PIP_INDEX_URL": "http://index/simple",
        "SSL_CERT_FILE": "/etc/company.pem",
    }
