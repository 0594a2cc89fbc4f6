import json
import os
import urllib.request

KONTOR = "__ORIGIN__"


def post(path: str, body: dict) -> dict:
    request = urllib.request.Request(
        f"{KONTOR}/api/v1{path}",
        json.dumps(body).encode(),
        {"Authorization": f"Bearer {os.environ['TOKEN']}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request) as response:  # raises an error unless the status is 2xx
        return json.load(response)["data"]
