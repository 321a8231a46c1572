"""Bots that are programs of their own: the protocol's op `choose`, one JSON object a line each way, with a clock.

A program is asked `{"id": 1, "op": "choose", "view": {…}, "time_limit_ms": …}` on its standard input and answers
`{"id": 1, "ok": true, "result": {"action": "lay", "table": […]}}` on its standard output, as `meldcore serve` does.
"""

import os
import selectors
import shlex
import signal
import subprocess
import sys
from contextlib import suppress
from tempfile import TemporaryFile
from time import monotonic
from typing import Any, BinaryIO, Literal

import msgspec

from .actions import Action, action_fields, action_of
from .bots import Bot
from .errors import MeldcoreError
from .views import PlayerView

Fault = Literal["crash", "hang", "garbage", "illegal"]

_LONGEST_LINE = 1 << 20
_CHUNK = 1 << 16
_LONGEST_MESSAGE = 200


class _Question(msgspec.Struct):
    """What a program is asked, as far as it has to know."""

    id: int | str
    view: dict[str, Any]


_read_question = msgspec.json.Decoder(_Question).decode
_encode = msgspec.json.Encoder().encode


def serve(bot: Bot) -> None:
    """Be such a program: answer each question on standard input with the bot's turn, until there are no more.

    What the bot prints would be garbage to who asks: let it use standard error. What it raises ends the program.
    """
    for line in sys.stdin.buffer:
        question = _read_question(line)
        result = action_fields(bot.choose(PlayerView.from_json(question.view)))
        sys.stdout.buffer.write(_encode({"id": question.id, "ok": True, "result": result}) + b"\n")
        sys.stdout.buffer.flush()


class ProgramFault(Exception):
    """What a program did instead of answering. It has been ended; the next question starts it anew."""

    def __init__(self, what: Fault, message: str) -> None:
        super().__init__(message[:_LONGEST_MESSAGE])
        self.what = what


class _Answer(msgspec.Struct):
    """The fields of `act` that say a turn."""

    action: str
    table: str | tuple[str, ...] | None = None
    discard: str | None = None


class _Reply(msgspec.Struct):
    """What a program says."""

    id: int | str | None
    ok: bool
    result: _Answer | None = None
    error: dict[str, Any] | None = None


_read_reply = msgspec.json.Decoder(_Reply).decode


class Program:
    """A bot behind a command line, which no shell reads. It is started at the first question.

    clock: seconds for an answer, that to the first question after a start included.
    """

    def __init__(self, command: str, clock: float) -> None:
        self._command = shlex.split(command)
        self._clock = clock
        self._asked = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._complaints: BinaryIO | None = None
        self._unread = b""

    def choose(self, view: PlayerView) -> Action:
        """Ask for a turn. Raises ProgramFault where no action comes of it in time."""
        self._asked += 1
        question = {
            "id": self._asked,
            "op": "choose",
            "view": view.to_json(),
            "time_limit_ms": self._clock * 1000,
        }
        try:
            return self._action(self._ask(_encode(question) + b"\n"))
        except ProgramFault:
            self.end()
            raise

    def end(self) -> None:
        """End the program, with all that it has started."""
        process, self._process = self._process, None
        if process is None:
            return
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        for pipe in (process.stdin, process.stdout):
            with suppress(OSError):
                pipe.close()  # type: ignore[union-attr]
        process.wait()
        if self._complaints is not None:
            self._complaints.close()

    def _ask(self, line: bytes) -> bytes:
        due = monotonic() + self._clock
        process = self._process or self._start()
        assert process.stdin is not None
        assert process.stdout is not None
        os.set_blocking(process.stdin.fileno(), False)
        with selectors.DefaultSelector() as ready:
            ready.register(process.stdin, selectors.EVENT_WRITE)
            ready.register(process.stdout, selectors.EVENT_READ)
            while b"\n" not in self._unread:
                events = ready.select(max(due - monotonic(), 0))
                if not events:
                    raise ProgramFault("hang", f"no answer in {self._clock:g} seconds")
                for key, _ in events:
                    if key.fileobj is process.stdout:
                        self._take(os.read(key.fd, _CHUNK))
                        continue
                    try:
                        line = line[os.write(key.fd, line) :]
                    except BrokenPipeError:
                        line = b""  # what it has said before it went is still to be read
                    if not line:
                        ready.unregister(process.stdin)
        answer, _, self._unread = self._unread.partition(b"\n")
        return answer

    def _take(self, data: bytes) -> None:
        if not data:
            raise ProgramFault("crash", f"it ended: {self._last_words()}")
        self._unread += data
        if len(self._unread) > _LONGEST_LINE:
            raise ProgramFault("garbage", f"a line of more than {_LONGEST_LINE} bytes")

    def _start(self) -> subprocess.Popen[bytes]:
        self._unread = b""
        complaints = TemporaryFile()  # noqa: SIM115 - open until the program has ended
        try:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=complaints,
                bufsize=0,
                start_new_session=True,
            )
        except OSError as error:
            complaints.close()
            raise ProgramFault("crash", f"it does not start: {error}") from None
        self._complaints = complaints
        return self._process

    def _last_words(self) -> str:
        """The last line on standard error."""
        assert self._complaints is not None
        self._complaints.seek(max(self._complaints.seek(0, os.SEEK_END) - _CHUNK, 0))
        lines = self._complaints.read().decode(errors="replace").split("\n")
        return next((line.strip() for line in reversed(lines) if line.strip()), "without a word")

    def _action(self, line: bytes) -> Action:
        try:
            reply = _read_reply(line)
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            raise ProgramFault("garbage", f"{line[:60].decode(errors='replace')!r}: {error}") from None
        if reply.id != self._asked:
            raise ProgramFault("garbage", f"an answer to {reply.id!r}, and {self._asked} was asked")
        if not reply.ok or reply.result is None:
            fault = reply.error or {}
            if fault.get("code") == "time_limit":
                raise ProgramFault("hang", "it answers time_limit")
            raise ProgramFault("garbage", f"it answers an error: {fault.get('message', 'without a message')}")
        try:
            return action_of(reply.result.action, reply.result.table, reply.result.discard)
        except MeldcoreError as error:
            raise ProgramFault("garbage", str(error)) from None
