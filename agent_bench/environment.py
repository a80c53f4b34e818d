"""The environments that commands are given: built from an allow-list, never the user's own."""

from collections.abc import Mapping

_DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin"

_PINNED = {
    # What programs print and how they sort, hash and date must not depend on who runs them where.
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "TZ": "UTC",
    "PYTHONHASHSEED": "0",
    "COLUMNS": "80",
    "TERM": "dumb",
    "NO_COLOR": "1",
    # Nobody is there to answer a question or to leave a pager.
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "PIP_NO_INPUT": "1",
    # A program that updates itself in the middle of a run is another program; telemetry is traffic of ours.
    "DO_NOT_TRACK": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "AIDER_ANALYTICS": "false",
    "AIDER_CHECK_UPDATE": "false",
    "COPILOT_AUTO_UPDATE": "false",
    "GEMINI_TELEMETRY_ENABLED": "false",
    "OPENCODE_DISABLE_AUTOUPDATE": "1",
    "PI_SKIP_VERSION_CHECK": "1",
    "NO_UPDATE_NOTIFIER": "1",
    "NPM_CONFIG_UPDATE_NOTIFIER": "false",
    "NPM_CONFIG_FUND": "false",
    "NPM_CONFIG_AUDIT": "false",
    "NEXT_TELEMETRY_DISABLED": "1",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
}

_NETWORK_NAMES = frozenset(
    {
        *(
            "HTTP_PROXY",
            "HTTPS_PROXY",
            "ALL_PROXY",
            "NO_PROXY",
            "http_proxy",
            "https_proxy",
            "all_proxy",
            "no_proxy",
        ),
        *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"),
        *("GIT_SSL_CAINFO", "NPM_CONFIG_REGISTRY", "npm_config_registry", "GOPROXY", "GONOSUMDB", "GOSUMDB"),
        *(
            "PIP_INDEX_URL",
            "PIP_EXTRA_INDEX_URL",
            "PIP_FIND_LINKS",
            "PIP_NO_INDEX",
            "PIP_TRUSTED_HOST",
            "PIP_CERT",
        ),
        *(
            "UV_INDEX",
            "UV_DEFAULT_INDEX",
            "UV_INDEX_URL",
            "UV_EXTRA_INDEX_URL",
            "UV_FIND_LINKS",
            "UV_NO_INDEX",
        ),
        *("UV_OFFLINE", "UV_NATIVE_TLS", "UV_SYSTEM_CERTS", "UV_INSECURE_HOST", "UV_INDEX_STRATEGY"),
        *("PIP_DEFAULT_TIMEOUT", "UV_HTTP_TIMEOUT"),
    }
)
"""Where packages come from and how the network is reached: the machine's, not the user's taste."""


def base_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """What every command is given: PATH from ``environ``, the rest pinned. Add HOME, TMPDIR and keys."""
    return {"PATH": environ.get("PATH") or _DEFAULT_PATH, **_PINNED}


def network_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """What an open network needs besides: the proxies, certificates and package indexes in ``environ``."""
    return {name: value for name, value in environ.items() if name in _NETWORK_NAMES and value}
