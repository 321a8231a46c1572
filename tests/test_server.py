"""The process around the protocol: framing, order, threads, cancelling, flushing, the end."""

import json
import os
import select
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from meldcore import server
from meldcore.errors import Cancelled
from meldcore.protocol import failure, success

PATIENCE = 20  # seconds until something that has to happen counts as not happening


class Conversation:
    """A server in this process, with pipes to it."""

    def __init__(self, **options: Any) -> None:
        source, self._to = os.pipe()
        self._from, sink = os.pipe()
        self._buffer = b""
        self.thread = threading.Thread(target=self._run, args=(source, sink), kwargs=options, daemon=True)
        self.thread.start()

    def _run(self, source: int, sink: int, **options: Any) -> None:
        server.Server(source, sink, **options).run()
        os.close(source)
        os.close(sink)

    def send(self, *requests: dict[str, Any] | bytes) -> None:
        lines = [line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n" for line in requests]
        os.write(self._to, b"".join(lines))

    def receive(self, patience: float = PATIENCE) -> Any:
        """The next reply; None when none comes in time or the server has finished."""
        deadline = time.monotonic() + patience
        while b"\n" not in self._buffer:
            ready, _, _ = select.select([self._from], [], [], max(0, deadline - time.monotonic()))
            chunk = os.read(self._from, 1 << 16) if ready else b""
            if not chunk:
                return None
            self._buffer += chunk
        line, _, self._buffer = self._buffer.partition(b"\n")
        return json.loads(line)

    def end(self) -> list[Any]:
        """End the input; what is left to receive."""
        os.close(self._to)
        replies = list(iter(self.receive, None))
        self.thread.join(PATIENCE)
        assert not self.thread.is_alive()
        os.close(self._from)
        return replies


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Semaphore]:
    """`version` becomes a long search, answered when the semaphore is released or it is told to stop."""
    gate = threading.Semaphore(0)

    def reply_to(request: Any, stop: Any) -> bytes:
        while not gate.acquire(timeout=0.005):
            if stop.cancelled:
                return failure(request.id, Cancelled("stopped"))
        return success(request.id, {})

    monkeypatch.setattr(server, "reply_to", reply_to)
    yield gate
    gate.release(1000)


def version(id: int | str) -> dict[str, Any]:
    return {"id": id, "op": "version"}


def ids(replies: list[Any]) -> list[Any]:
    return [reply["id"] for reply in replies]


def codes(replies: list[Any]) -> list[Any]:
    return [None if reply["ok"] else reply["error"]["code"] for reply in replies]


# ---- framing


def test_a_reply_is_sent_before_the_next_request_comes() -> None:
    conversation = Conversation()
    for id in ("a", 1, -5, "", 2**70):
        conversation.send(version(id))
        assert conversation.receive()["id"] == id
    assert conversation.end() == []


def test_lines_that_come_in_pieces() -> None:
    conversation = Conversation()
    for byte in b'{"id": 1, "op": "version"}\n\r\n \t\n{"id": 2, "op": "version"}\r\n':
        conversation.send(bytes([byte]))
    assert ids(conversation.end()) == [1, 2]


def test_the_last_line_needs_no_newline() -> None:
    conversation = Conversation()
    conversation.send(b'{"id": 1, "op": "version"}\n{"id": 2, "op": "version"}')
    assert ids(conversation.end()) == [1, 2]


def test_a_truncated_last_line_is_one_error() -> None:
    conversation = Conversation()
    conversation.send(b'{"id": 1, "op": "version"}\n{"id": 2, "op": "ver')
    assert codes(conversation.end()) == [None, "bad_json"]


def test_the_longest_line() -> None:
    line = json.dumps(version(1)).encode()
    conversation = Conversation(max_line=len(line))
    conversation.send(line + b"\n", line + b" \n", line.replace(b"1", b"3") + b"\n")
    replies = conversation.end()
    assert ids(replies) == [1, None, 3]
    assert codes(replies) == [None, "too_large", None]


def test_a_line_too_long_is_not_kept_until_it_ends() -> None:
    conversation = Conversation(max_line=1000)
    for _ in range(64):
        conversation.send(b"[" * (1 << 16))
    conversation.send(b"\n", version(1), b"[" * 1001)
    assert codes(conversation.end()) == ["too_large", None, "too_large"]


def test_more_lines_than_a_pipe_holds_before_any_reply_is_read() -> None:
    conversation = Conversation()
    for id in range(20_000):
        conversation.send(version(id))
    assert ids(conversation.end()) == list(range(20_000))


# ---- order and threads


def test_bad_lines_wait_for_their_turn(slow: threading.Semaphore) -> None:
    conversation = Conversation()
    conversation.send(version(1), b"{\n", version(2))
    assert conversation.receive(0.1) is None
    slow.release(2)
    assert codes(conversation.end()) == [None, "bad_json", None]


def test_threads_search_side_by_side(slow: threading.Semaphore) -> None:
    conversation = Conversation(threads=3)
    conversation.send(*map(version, range(5)))
    conversation.send({"id": "p", "op": "ping"}, b"{\n")
    assert conversation.receive() == {"id": "p", "ok": True, "result": {"busy": 5}}
    conversation.send({"id": "c", "op": "cancel", "target": 1})
    # the third thread is free now, or will be: the bad line is answered though two searches go on
    assert sorted(map(str, ids([conversation.receive(), conversation.receive()]))) == ["1", "c"]
    slow.release(4)
    assert sorted(map(str, ids(conversation.end()))) == ["0", "2", "3", "4", "None"]


def test_a_finished_reply_does_not_wait_for_the_next_search(slow: threading.Semaphore) -> None:
    conversation = Conversation()
    slow.release()
    conversation.send(version(1), version(2))
    assert conversation.receive()["id"] == 1
    assert conversation.receive(0.1) is None
    slow.release()
    assert ids(conversation.end()) == [2]


# ---- ping, cancel, ids


def test_ping_is_answered_while_a_search_goes_on(slow: threading.Semaphore) -> None:
    conversation = Conversation()
    conversation.send({"id": "first", "op": "ping"})
    assert conversation.receive()["result"] == {"busy": 0}
    conversation.send(version(1), version(2), b"{\n", {"id": "second", "op": "ping"})
    assert conversation.receive() == {"id": "second", "ok": True, "result": {"busy": 2}}
    slow.release(2)
    assert ids(conversation.end()) == [1, 2, None]


def test_cancel_reaches_a_running_and_a_waiting_search(slow: threading.Semaphore) -> None:
    conversation = Conversation()
    conversation.send(
        version(1), version(2), version("3"), version(3), {"id": "c", "op": "cancel", "target": 3}
    )
    assert conversation.receive()["result"] == {"cancelled": 1}
    conversation.send(
        {"id": "d", "op": "cancel", "target": 3}, {"id": "e", "op": "cancel", "target": "nobody"}
    )
    assert conversation.receive()["result"] == {"cancelled": 0}
    assert conversation.receive()["result"] == {"cancelled": 0}
    conversation.send({"id": "f", "op": "cancel", "target": 1})
    replies = {reply["id"]: reply for reply in (conversation.receive(), conversation.receive())}
    assert replies["f"]["result"] == {"cancelled": 1}
    assert replies[1]["error"]["code"] == "cancelled"
    slow.release(2)
    replies = conversation.end()
    assert ids(replies) == [2, "3", 3]
    assert codes(replies) == [None, None, "cancelled"]


def test_cancel_all(slow: threading.Semaphore) -> None:
    conversation = Conversation()
    conversation.send(version(1), version("all"), b"{\n", {"id": "c", "op": "cancel", "target": "all"})
    replies = conversation.end()
    assert {"id": "c", "ok": True, "result": {"cancelled": 2}} in replies
    replies = [reply for reply in replies if reply["id"] != "c"]
    assert ids(replies) == [1, "all", None]
    assert codes(replies) == ["cancelled", "cancelled", "bad_json"]


def test_an_id_at_work_is_not_used_twice(slow: threading.Semaphore) -> None:
    conversation = Conversation()
    conversation.send(version(1), version(1), version("1"), {"id": 1, "op": "ping"})
    slow.release(2)
    replies = conversation.end()
    assert ids(replies) == [1, 1, "1", 1]
    assert codes(replies) == [None, "bad_request", None, "bad_request"]


def test_an_id_is_free_again_after_its_reply() -> None:
    conversation = Conversation()
    for _ in range(3):
        conversation.send(version(7))
        assert conversation.receive()["ok"]
    conversation.end()


# ---- the end


def test_quit_finishes_the_queue_and_reads_no_further(slow: threading.Semaphore) -> None:
    conversation = Conversation(threads=2)
    conversation.send(version(1), version(2), {"id": "q", "op": "quit"}, version(3))
    assert conversation.receive(0.1) is None
    slow.release(2)
    replies = conversation.end()
    assert sorted(ids(replies[:2])) == [1, 2]
    assert replies[2:] == [{"id": "q", "ok": True, "result": {}}]


def serve(data: bytes, *arguments: str) -> "subprocess.CompletedProcess[bytes]":
    command = [sys.executable, "-m", "meldcore", "serve", *arguments]
    return subprocess.run(command, input=data, capture_output=True, timeout=60, check=False)


def test_the_process_ends_well() -> None:
    done = serve(b"")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    done = serve(b'{"id": 1, "op": "version"}\n{"id": 2, "op": "quit"}\n{"id": 3, "op": "version"}\n')
    assert done.returncode == 0
    assert ids([json.loads(line) for line in done.stdout.splitlines()]) == [1, 2]
    assert done.stderr == b""


def test_options_of_the_command() -> None:
    done = serve(
        b'{"id": 1, "op": "version"}\n{"id": 20, "op": "version"}', "--threads", "3", "--max-line", "26"
    )
    assert sorted(ids([json.loads(line) for line in done.stdout.splitlines()]), key=str) == [1, None]


def test_nothing_but_replies_goes_to_stdout() -> None:
    program = "from meldcore import protocol, server\n"
    program += "protocol.Version.answer = lambda self, stop: print('noise') or 1 // 0\nserver.serve()"
    done = subprocess.run(
        [sys.executable, "-c", program], input=b'{"id": 1, "op": "version"}', capture_output=True, check=False
    )
    assert codes([json.loads(line) for line in done.stdout.splitlines()]) == ["internal"]
    assert b"noise" in done.stderr
    assert b"ZeroDivisionError" in done.stderr
    assert done.returncode == 0


def test_a_client_that_is_gone_is_no_fault() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "meldcore", "serve"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdin
    assert process.stdout
    assert process.stderr
    process.stdout.close()
    process.stdin.write(b'{"id": 1, "op": "version"}\n')
    process.stdin.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(PATIENCE) == 0
