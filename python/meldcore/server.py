"""`meldcore serve`: requests from one file descriptor, replies to another, one JSON object a line.

Three kinds of threads share the work, so that none waits for what it need not wait for:

- The reader (the thread that calls `run`) splits the input into lines, decodes them, answers `ping` and
  `cancel` at once and queues the rest. It never searches, and leaves the writing to others.
- The workers take requests from the queue, one after the other. With one worker, replies keep the order of
  requests. A worker that finds no more to do sends its reply itself.
- The writer sends what the reader and busy workers leave to it.
"""

import os
from collections.abc import Iterator
from queue import SimpleQueue
from threading import Lock, Thread
from time import sleep

from .errors import BadRequest, Cancelled, TooLarge
from .protocol import (
    Cancel,
    Control,
    Id,
    Ping,
    Request,
    failure,
    read_request,
    refusal,
    reply_to,
    success,
)
from .stop import Stop

LONGEST_LINE = 1 << 20
"""Bytes of a line, by default."""

_CHUNK = 1 << 16

# How long a finished reply may wait for others to be sent with it, in seconds. One write a reply would cost
# more than the search of most positions.
_GATHER = 0.001


class Server:
    """One conversation: reads `source` to its end or to `quit`, answers every request on `sink`."""

    def __init__(self, source: int, sink: int, *, threads: int = 1, max_line: int = LONGEST_LINE) -> None:
        self._source = source
        self._max_line = max_line
        self._replies = _Replies(sink)
        # bytes: the reply to a line that was no request, which only waits for its turn; None ends one worker
        self._queue: SimpleQueue[Request | bytes | None] = SimpleQueue()
        self._at_work: dict[Id, Stop] = {}
        # held to take a request out of _at_work and to cancel one in it: what `cancel` counts is cancelled
        self._leaving = Lock()
        self._workers = [Thread(target=self._work, daemon=True) for _ in range(threads)]

    def run(self) -> None:
        """Serve until the input ends or says `quit`, then finish the queue."""
        for worker in self._workers:
            worker.start()
        farewell = self._read()
        for _ in self._workers:
            self._queue.put(None)
        for worker in self._workers:
            worker.join()
        if farewell is not None:
            self._replies.put(farewell)
        self._replies.flush()

    def _read(self) -> bytes | None:
        """Read to the end. What to reply, in the end, to the `quit` that there may be."""
        at_work, queue = self._at_work, self._queue
        for line in _lines(self._source, self._max_line):
            if line is None:
                queue.put(failure(None, TooLarge(f"a line is at most {self._max_line} bytes")))
                continue
            try:
                request = read_request(line)
            except Exception as error:
                if line and not line.isspace():
                    queue.put(refusal(line, error))
                continue
            id = request.id
            if id in at_work:
                queue.put(failure(id, BadRequest(f"id {id!r} is still at work", path="$.id", token=str(id))))
            elif not isinstance(request, Control):
                at_work[id] = Stop()
                queue.put(request)
            elif type(request) is Ping:
                self._replies.put(success(id, {"busy": len(at_work)}), later=True)
            elif type(request) is Cancel:
                self._replies.put(success(id, {"cancelled": self._cancel(request.target)}), later=True)
            else:
                return success(id, {})
        return None

    def _cancel(self, target: Id) -> int:
        """Tell the searches of one request, or of all, to stop. How many had not been told before."""
        with self._leaving:
            stops = self._at_work.values() if target == "all" else [self._at_work.get(target)]
            chosen = [stop for stop in stops if stop is not None and not stop.cancelled]
            for stop in chosen:
                stop.cancel()
        return len(chosen)

    def _work(self) -> None:
        at_work, queue, replies, leaving = self._at_work, self._queue, self._replies, self._leaving
        while (request := queue.get()) is not None:
            if isinstance(request, bytes):
                reply = request
            else:
                id = request.id
                stop = at_work[id]
                reply = reply_to(request, stop)
                with leaving:
                    del at_work[id]
                if stop.cancelled:
                    reply = failure(id, Cancelled("the request was cancelled"))
            replies.put(reply, later=not queue.empty())


class _Replies:
    """Replies on their way out. In busy times several go together; none waits longer than _GATHER."""

    def __init__(self, sink: int) -> None:
        self._sink = sink
        self._waiting: list[bytes] = []
        self._wake: SimpleQueue[None] = SimpleQueue()
        self._awake = False
        # held to take what waits and send it: lines stay whole and in order
        self._sending = Lock()
        Thread(target=self._send_late, daemon=True).start()

    def put(self, reply: bytes, *, later: bool = False) -> None:
        """Send a reply: now, or soon and from another thread."""
        self._waiting.append(reply)
        if not later:
            self.flush()
        elif not self._awake:
            self._awake = True
            self._wake.put(None)

    def flush(self) -> None:
        """Send everything that waits."""
        with self._sending:
            batch = self._waiting[:]
            # in place, since other threads append to this very list
            del self._waiting[: len(batch)]
            if batch:
                self._write(b"\n".join(batch) + b"\n")

    def _write(self, data: bytes) -> None:
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[os.write(self._sink, rest) :]
        except BrokenPipeError:
            pass  # nobody listens any more; soon the input ends as well

    def _send_late(self) -> None:
        while True:
            self._wake.get()
            sleep(_GATHER)
            self._awake = False
            self.flush()


def _lines(source: int, longest: int) -> Iterator[bytes | None]:
    """The lines of a file descriptor as they come in; None for a line of more than `longest` bytes."""
    parts: list[bytes] = []
    size = 0
    while chunk := os.read(source, _CHUNK):
        end, *lines = chunk.split(b"\n")
        size += len(end)
        if size <= longest:
            parts.append(end)
        if not lines:
            continue
        yield b"".join(parts) if size <= longest else None
        end = lines.pop()
        for line in lines:
            yield line if len(line) <= longest else None
        size = len(end)
        parts = [end] if size <= longest else []
    if size:
        yield b"".join(parts) if size <= longest else None


def serve(*, threads: int = 1, max_line: int = LONGEST_LINE) -> None:
    """Serve standard input and output until the input ends."""
    sink = os.dup(1)
    os.dup2(2, 1)  # whatever prints goes to the log, never between replies
    Server(0, sink, threads=threads, max_line=max_line).run()
