"""Drives `meldcore serve` from another program: one JSON object a line each way.

usage: python examples/client.py
"""

import json
import subprocess
import sys
from itertools import count


class Client:
    """One server process. Requests are answered in order, so each `ask` reads one line."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "meldcore", "serve"]
        self._server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self._ids = count(1)

    def ask(self, op: str, **fields):
        assert self._server.stdin
        assert self._server.stdout
        print(json.dumps({"id": next(self._ids), "op": op, **fields}), file=self._server.stdin, flush=True)
        reply = json.loads(self._server.stdout.readline())
        if not reply["ok"]:
            error = reply["error"]
            raise ValueError(f"{error['code']} at {error['path']}: {error['message']}")
        return reply["result"]

    def close(self) -> None:
        self.ask("quit")
        self._server.wait()


def main() -> None:
    client = Client()
    position = {"rules": "easy-rummy", "table": ["r4r5r6", "k7b7y7"], "hand": ["r7", "b8", "r8", "*"]}
    print("turns:", client.ask("count", **position)["count"])
    best = client.ask("best", **position)
    print("lay", *best["move"]["played"], "and the table is", *best["move"]["table"])
    for move in client.ask("moves", limit=3, **position)["moves"]:
        print("e.g.", *move["played"])
    try:
        client.ask("count", table=["r4r6"], hand=[])
    except ValueError as error:
        print("refused:", error)
    client.close()


if __name__ == "__main__":
    main()
