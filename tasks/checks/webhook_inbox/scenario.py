"""Runs in a process of its own: sends the agent's app what it is told to, and prints the answers."""

import base64
import json
import sys
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, ".")

import webhook_inbox  # noqa: E402


def answer_to(app, request):
    method, path, headers, body = request
    answer = app.test_client().open(path, method=method, headers=headers, data=base64.b64decode(body))
    return [answer.status_code, answer.get_json(silent=True), answer.mimetype]


def main():
    request = json.load(sys.stdin)
    now = [request["now"]]
    secrets = {"shop": "s3cret", "bank": "geh\u00e9im"}
    apps = [
        webhook_inbox.create_app(request["database"], secrets, clock=lambda: now[0], **request["options"])
        for _ in range(2)
    ]
    if request["together"]:
        with ThreadPoolExecutor(8) as pool:
            numbered = list(enumerate(request["requests"]))
            found = list(pool.map(lambda pair: answer_to(apps[pair[0] % 2], pair[1]), numbered))
    else:
        found = []
        for number, one in enumerate(request["requests"]):
            now[0] = request["now"] + number * request["step"]
            found.append(answer_to(apps[number % 2], one))
    print(json.dumps(found), flush=True)


main()
