"""`meldcore serve` as a process of its own, and requests sent to it without waiting for replies."""

import subprocess
import sys
import threading
from contextlib import contextmanager

import msgspec

from .cases import RULES

COMMAND = [sys.executable, "-m", "meldcore", "serve"]


@contextmanager
def server():
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        yield process
        process.stdin.close()
    if process.returncode:
        raise RuntimeError(f"meldcore serve ended with exit code {process.returncode}")


def best_requests(cases):
    """One line a case: its best move is asked for."""
    encode = msgspec.json.encode
    return [
        encode({"id": index, "op": "best", "rules": RULES, "table": case["table"], "hand": case["hand"]})
        + b"\n"
        for index, case in enumerate(cases)
    ]


def exchange(process, requests):
    """Send all requests at once and return the lines that come back, one a request."""

    def send():
        process.stdin.write(b"".join(requests))
        process.stdin.flush()

    sender = threading.Thread(target=send)
    sender.start()
    replies = [process.stdout.readline() for _ in requests]
    sender.join()
    return replies


def decode_and_encode(requests, replies):
    """What the protocol costs at least: the requests decoded, the results (decoded beforehand) encoded."""
    decode, encode = msgspec.json.Decoder().decode, msgspec.json.Encoder().encode
    for request, reply in zip(requests, replies, strict=True):
        decode(request)
        encode(reply)
