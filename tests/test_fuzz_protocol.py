"""Broken lines: each gets exactly one reply, an error that a client can handle, and disturbs nothing else."""

import json
import random
import subprocess
import sys
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from meldcore.protocol import OPS
from test_protocol import CODES, answer

BASES = [
    {"op": "count", "rules": "easy-rummy", "table": ["r4r5r6", "k7b7y7"], "hand": ["r7", "b8", "*"]},
    {
        "op": "moves",
        "rules": {"initial_meld": 0},
        "position": "r4r5r6 | r7 | opening",
        "offset": "1",
        "limit": 3,
    },
    {"op": "best", "rules": "pup-rummy", "hand": "r1 r2 r3", "objective": {"weights": {"r1": -2, "*": 1}}},
    {"op": "sample", "rules": "easy-rummy", "table": "r4r5r6", "hand": "r7 r8", "n": 2, "seed": 3},
    {"op": "index", "rules": "easy-rummy", "table": "r4r5r6", "hand": "r7 r8", "after": ["r4r5r6r7"]},
    {"op": "partitions", "tiles": "r1 r2 r3 r4", "offset": 0, "limit": 10},
    {"op": "set", "set": "r4*r6"},
    {"op": "normalise", "tiles": ["r4", "*", "r6"]},
    {"op": "validate", "position": "r4r5r6 | r7"},
    {"op": "plays", "rules": "easy-rummy", "hand": "r1 r2 r3 r4", "time_limit_ms": 1000.5},
    {"op": "count", "rules": "tile-rummy", "table": "r4*r6 r5k5b5", "hand": "r7"},
    {
        "op": "best",
        "table": "r4*r6",
        "hand": "r5 k8 b8",
        "prefer": "fewest_changes",
        "count_optimal": True,
    },
    {"op": "check", "table": "r4*r6", "hand": "r5 k8 b8", "after": ["r4r5r6", "k8b8*"]},
    {"op": "play", "table": "r4*r6", "hand": "r5 k8 b8", "after": "r4r5r6 k8b8*"},
]


def broken(line: bytes, choose: random.Random) -> bytes:
    """The line with one to three accidents."""
    text = bytearray(line)
    for _ in range(choose.randint(1, 3)):
        at = choose.randrange(len(text) + 1)
        until = min(len(text), at + choose.randint(1, 12))
        match choose.randrange(6):
            case 0:
                del text[at:until]
            case 1:
                text[at:at] = bytes(choose.randrange(256) for _ in range(choose.randint(1, 4)))
            case 2:
                text[at:at] = text[at:until]
            case 3:
                text[at:until] = choose.choice(
                    [b'"', b"{", b"}", b"[", b",", b"null", b"-1", b"1e999", b"\\u0000"]
                )
            case 4:
                del text[at:]
            case 5:
                if at < len(text):
                    text[at] ^= 1 << choose.randrange(8)
    return bytes(text).replace(b"\n", b"").replace(b"\r", b"")


def test_one_reply_each_and_the_next_line_undisturbed() -> None:
    choose = random.Random(2)
    lines = []
    for number in range(3000):
        line = json.dumps({"id": number, **choose.choice(BASES)}).encode()
        lines += [broken(line, choose), json.dumps({"id": f"after {number}", "op": "version"}).encode()]
    lines = [line for line in lines if line.strip()]
    done = subprocess.run(
        [sys.executable, "-m", "meldcore", "serve"],
        input=b"\n".join(lines),
        capture_output=True,
        timeout=120,
        check=True,
    )
    assert done.stderr == b""
    replies = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(replies) == len(lines)
    for line, reply in zip(lines, replies, strict=True):
        check(reply)
        if line.startswith(b'{"id": "after '):
            assert reply["id"] == json.loads(line)["id"]
            assert reply["ok"]


def check(reply: dict[str, Any]) -> None:
    """A reply is one or the other, and no error is the server's own fault."""
    if reply["ok"]:
        assert reply.keys() == {"id", "ok", "result"}
    else:
        assert reply.keys() == {"id", "ok", "error"}
        problems = {"problems"} if reply["error"]["code"] == "illegal_move" else set()
        assert reply["error"].keys() == {"code", "message", "path"} | problems
        assert reply["error"]["code"] in CODES - {"internal"}
        assert reply["error"]["path"].startswith("$")


@given(st.binary(max_size=60))
def test_any_bytes(line: bytes) -> None:
    check(answer(line))


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
notation = st.text("krbyo*=123456 |,", max_size=20)
field_values = (
    json_values | notation | st.lists(notation, max_size=4) | st.sampled_from(["easy-rummy", "tiles", 3])
)


@st.composite
def requests(draw: st.DrawFn) -> dict[str, Any]:
    op = draw(st.sampled_from(sorted(set(OPS) - {"ping", "cancel", "quit"})))
    fields = draw(st.dictionaries(st.sampled_from(OPS[op].__struct_fields__), field_values, max_size=5))
    return {"id": 1, **fields, "op": op}


@given(requests())
def test_any_values_in_known_fields(request: dict[str, Any]) -> None:
    check(answer(json.dumps(request).encode()))
