"""Feature flags over HTTP."""

import argparse
import hashlib
import re
from typing import Any

from flask import Flask, abort, jsonify, request
from werkzeug.exceptions import HTTPException

NAME = re.compile(r"[a-z][a-z0-9-]{0,39}")


def bucket(name: str, user: str) -> int:
    """The user's place, 0 to 99, among the users of a flag."""
    digest = hashlib.sha256(f"{name}:{user}".encode()).digest()
    return int.from_bytes(digest[:4], "big") % 100


def parse_flag(name: str, body: Any) -> dict[str, Any]:
    """The flag in the body of a PUT; aborts with 400 if it is none."""
    if not isinstance(body, dict):
        abort(400, "the body must be a JSON object")
    unknown = set(body) - {"enabled", "percentage"}
    if unknown:
        abort(400, f"unknown key: {min(unknown)}")
    enabled, percentage = body.get("enabled"), body.get("percentage", 100)
    if not isinstance(enabled, bool):
        abort(400, "enabled must be true or false")
    if isinstance(percentage, bool) or not isinstance(percentage, int) or not 0 <= percentage <= 100:
        abort(400, "percentage must be a whole number from 0 to 100")
    return {"name": name, "enabled": enabled, "percentage": percentage}


def create_app() -> Flask:
    """A service with no flags."""
    app = Flask(__name__)
    flags: dict[str, dict[str, Any]] = {}

    def find(name: str) -> dict[str, Any]:
        if name not in flags:
            abort(404, f"no flag named {name}")
        return flags[name]

    @app.errorhandler(HTTPException)
    def failed(error: HTTPException) -> Any:
        return jsonify(error=error.description), error.code

    @app.get("/flags")
    def list_flags() -> Any:
        return jsonify([flags[name] for name in sorted(flags)])

    @app.put("/flags/<name>")
    def put_flag(name: str) -> Any:
        if not NAME.fullmatch(name):
            abort(400, "a name is 1 to 40 lower-case letters, digits and '-', and begins with a letter")
        flag = parse_flag(name, request.get_json(force=True, silent=True))
        is_new = name not in flags
        flags[name] = flag
        return jsonify(flag), 201 if is_new else 200

    @app.get("/flags/<name>")
    def get_flag(name: str) -> Any:
        return jsonify(find(name))

    @app.delete("/flags/<name>")
    def delete_flag(name: str) -> Any:
        find(name)
        del flags[name]
        return "", 204

    @app.get("/flags/<name>/decision")
    def decide(name: str) -> Any:
        flag = find(name)
        user = request.args.get("user", "")
        if not user:
            abort(400, "user is missing")
        on = flag["enabled"] and bucket(name, user) < flag["percentage"]
        return jsonify(flag=name, user=user, on=on)

    return app


def main() -> None:
    """Serves the app."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8080)
    create_app().run(host="127.0.0.1", port=parser.parse_args().port)


if __name__ == "__main__":
    main()
