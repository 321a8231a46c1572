"""What a request may say and what it is answered: golden transcripts, and the rules that hold for every op.

`python tests/test_protocol.py` writes the transcripts' replies anew. Read the difference before you keep it.
"""

import json
import re
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from case_files import cases
from meldcore import Game, protocol
from meldcore.bots import make
from meldcore.protocol import OPS, read_request, refusal, reply_to
from meldcore.stop import Stop

TRANSCRIPTS = sorted(Path(__file__).parent.glob("transcripts/*.in.jsonl"))
CODES = {
    "bad_json", "bad_request", "unknown_op", "unknown_field", "bad_tile", "bad_set", "bad_position",
    "bad_rules", "illegal_move", "too_large", "time_limit", "cancelled", "internal",
}  # fmt: skip


def replies_path(requests: Path) -> Path:
    return requests.with_name(requests.name.replace(".in.", ".out."))


def converse(requests: bytes) -> bytes:
    command = [sys.executable, "-m", "meldcore", "serve"]
    done = subprocess.run(command, input=requests, capture_output=True, timeout=60, check=True)
    assert done.stderr == b""
    return done.stdout


def ask(op: str, **fields: Any) -> Any:
    """The reply to one request, through decoding and encoding."""
    return answer(json.dumps({"id": 1, "op": op, **fields}).encode())


def answer(line: bytes) -> Any:
    try:
        request = read_request(line)
    except Exception as error:
        return json.loads(refusal(line, error))
    return json.loads(reply_to(request, Stop()))


@pytest.mark.parametrize("requests", TRANSCRIPTS, ids=lambda path: path.name.partition(".")[0])
def test_transcript(requests: Path) -> None:
    replies = converse(requests.read_bytes()).decode().splitlines()
    assert replies == replies_path(requests).read_text().splitlines()


def test_the_transcripts_show_every_op_and_every_code_they_can() -> None:
    ops, codes = set(), set()
    for path in TRANSCRIPTS:
        for line in path.read_text().splitlines():
            try:
                ops.add(json.loads(line)["op"])
            except (ValueError, LookupError, TypeError):
                continue
        for line in replies_path(path).read_text().splitlines():
            codes.add(json.loads(line).get("error", {}).get("code"))
    assert ops >= set(OPS)
    # a transcript is read as fast as it can be: what is cancelled would depend on that
    assert codes >= CODES - {"cancelled", "internal"}


def test_the_exchanges_of_the_documentation_are_real() -> None:
    """There `{…}` in a request is the game or view of the last reply with one; `…` in a reply is anything."""
    page = (Path(__file__).parent.parent / "docs" / "protocol.md").read_text(encoding="utf-8")
    exchanges = re.findall(r"^> (.*)\n< (.*)$", page, re.MULTILINE)
    assert len(exchanges) == 15
    last: dict[str, Any] = {}
    for request, reply in exchanges:
        for name, value in last.items():
            request = request.replace(f'"{name}": {{…}}', f'"{name}": {json.dumps(value)}')
        told = reply_to(read_request(request.encode()), Stop()).decode()
        assert re.fullmatch(re.escape(reply).replace("…", ".*"), told), told
        result = json.loads(told).get("result", {})
        last |= {name: result[name] for name in ("game", "view") if name in result}


@pytest.mark.parametrize("rules", ["rummy-o", "rummy-40"])
def test_a_match_over_the_protocol_is_the_match_in_python(rules: str) -> None:
    game = Game.new(rules, players=3, seed=4, rounds=2)
    state = ask("new_game", rules=rules, players=3, seed=4, rounds=2)["result"]
    while not state["over"]:
        if state["round_over"]:
            turn = {"action": "next_round"}
            game = game.next_round()
        else:
            view = ask("view", game=state["game"], player=state["player"])["result"]["view"]
            turn = ask("choose", view=view, bot="points")["result"]
            game, _ = game.act(make("points").choose(game.view(game.player)))
        state = ask("act", game=state["game"], **turn)["result"]
        assert Game.from_json(state["game"]) == game
    assert tuple(state["totals"]) == game.totals
    assert tuple(state["winners"]) == game.winners


def test_a_seed_that_nobody_chose() -> None:
    first, second = (ask("new_game")["result"]["game"]["seed"] for _ in range(2))
    assert first != second


def test_the_schema_knows_every_op() -> None:
    properties = [request["properties"] for request in protocol.schema()["$defs"].values()]
    assert {fields["op"]["enum"][0] for fields in properties} == set(OPS)


# ---- numbers


def test_large_counts_are_decimal_strings_and_read_as_such() -> None:
    every_tile = [f"{colour}{number}" for colour in "krby" for number in range(1, 14)] * 2 + ["*", "*"]
    count = ask("count", rules="easy-rummy", hand=every_tile)["result"]["count"]
    assert isinstance(count, str)
    assert int(count) > 5 * 10**27
    assert ask("count", hand="k1 k2 k3", rules="easy-rummy")["result"] == {"count": 1}


@pytest.mark.parametrize("offset", [2, "2"])
def test_offset_is_read_as_integer_and_as_string(offset: int | str) -> None:
    result = ask("moves", rules="easy-rummy", table="r4r5r6", hand="r7 r8 r9", offset=offset)["result"]
    assert result["count"] == 4
    assert len(result["moves"]) == 2
    assert result["complete"]


@pytest.mark.parametrize("field", ["offset", "limit", "n", "seed"])
@pytest.mark.parametrize("value", [-1, "-1", "", " 1", "1.0", "0x1", "1_0", "٣", "9" * 5000, 1.5, True, []])
def test_what_is_no_whole_number(field: str, value: Any) -> None:
    op = "moves" if field in ("offset", "limit") else "sample"
    error = ask(op, hand="r1 r2 r3", rules="easy-rummy", **{field: value})["error"]
    assert (error["code"], error["path"]) == ("bad_request", f"$.{field}")


@pytest.mark.parametrize("value", [10_001, "10001", 10**30])
def test_lists_have_a_longest_length(value: int | str) -> None:
    for op, field in (("moves", "limit"), ("plays", "limit"), ("sample", "n")):
        error = ask(op, hand="r1 r2 r3", rules="easy-rummy", **{field: value})["error"]
        assert (error["code"], error["path"]) == ("too_large", f"$.{field}")
    assert ask("sample", hand="r1 r2 r3", rules="easy-rummy", n=10_000)["ok"]


# ---- pages


@pytest.mark.parametrize(("op", "fields"), [
    ("moves", {"table": "r4r5r6", "hand": "r7 r8 r9 k1"}),
    ("plays", {"table": "r4r5r6", "hand": "r7 r8 r9 r10 k1"}),
    ("partitions", {"tiles": "r1 r2 r3 r4 r5 r6 r7 r8 r9"}),
])  # fmt: skip
def test_pages_put_together_are_the_whole(op: str, fields: dict[str, str]) -> None:
    whole = ask(op, rules="easy-rummy", **fields)["result"]
    assert whole["complete"]
    assert len(whole[op]) == whole["count"] > 3
    pages = []
    for offset in range(0, whole["count"], 2):
        page = ask(op, rules="easy-rummy", **fields, offset=offset, limit=2)["result"]
        assert page["count"] == whole["count"]
        assert page["complete"] == (offset + 2 >= whole["count"])
        pages += page[op]
    assert pages == whole[op]


# ---- time


@pytest.mark.parametrize("op", ["count", "best", "sample"])
def test_no_time_at_all(op: str) -> None:
    assert ask(op, hand="r1 r2 r3", time_limit_ms=0)["error"]["code"] == "time_limit"


class SoonDue:
    """Stops a listing that has asked three times."""

    asked = 0

    @property
    def due(self) -> bool:
        self.asked += 1
        return self.asked > 3


def test_time_that_runs_out_in_a_listing() -> None:
    request = protocol.ListMoves(id=1, rules="easy-rummy", table="r4r5r6", hand="r7 r8 r9 r10")
    position = request.at()
    form = partial(protocol._move, position=position)
    result = protocol._listing("moves", position.moves(), form, request, SoonDue())  # type: ignore[arg-type]
    assert (result["count"], len(result["moves"]), result["complete"]) == (8, 3, False)


def test_enough_time() -> None:
    assert ask("count", hand="r1 r2 r3", rules="easy-rummy", time_limit_ms=60_000)["result"] == {"count": 1}


# ---- errors


@pytest.mark.parametrize("deep", [b"[" * 100_000, b"[" * 100_000 + b"]" * 100_000, b'{"a":' * 100_000])
def test_deep_nesting(deep: bytes) -> None:
    for line in (deep, b'{"id": 1, "op": "count", "rules": {"a": ' + deep + b"}}"):
        assert answer(line)["error"]["code"] == "bad_json"


@pytest.mark.parametrize("depth", [900, 950, 960, 970, 980, 990, 1000])
@pytest.mark.parametrize("field", ["copies", "preset", "direction", "players", "prize_shares"])
def test_nesting_that_can_still_be_read(depth: int, field: str) -> None:
    deep = b"[" * depth + b"]" * depth
    for value in (deep, b"[%s, 1]" % deep, b'{"a": %s}' % deep):
        error = answer(b'{"id": 1, "op": "count", "rules": {"%s": %s}}' % (field.encode(), value))["error"]
        assert error["code"] in ("bad_json", "bad_rules", "bad_request")


@pytest.mark.parametrize("line", [
    b'{"id": NaN, "op": "version"}', b'{"id": 1, "op": "version", }', b'{"id": 01, "op": "version"}',
    b"{'id': 1}", b'{"id": "\xff", "op": "version"}', b'{"id": 1, "op": "count", "x": "\xc3\x28"}',
    b'{"id": "\\ud800", "op": "version"}', b"\xef\xbb\xbf{}", b'{"id": 1, "op": "version"} {}', b"\x00", b"{",
])  # fmt: skip
def test_what_is_no_json(line: bytes) -> None:
    reply = answer(line)
    assert reply["id"] is None
    assert reply["error"]["code"] == "bad_json"


def test_an_integer_of_any_length_is_an_id() -> None:
    number = 10**1000
    assert answer(f'{{"id": {number}, "op": "version"}}'.encode())["id"] == number


def test_an_integer_that_nobody_can_hold() -> None:
    huge = "9" * 100_000
    assert answer(f'{{"id": {huge}, "op": "version"}}'.encode())["error"]["code"] == "bad_request"
    assert answer(f'{{"id": 7, "op": "moves", "offset": {huge}}}'.encode())["error"] == {
        "code": "bad_request", "message": "Integer value out of range", "path": "$.offset",
    }  # fmt: skip


def test_unknown_names_come_with_the_nearest_known_one() -> None:
    assert "'partitions'" in ask("partition")["error"]["message"]
    assert "'table'" in ask("count", tabel="r4r5r6")["error"]["message"]
    assert "'rummi-q'" in ask("count", rules="rumi-q")["error"]["message"]
    error = ask("count", rules={"initial_melt": 0})["error"]
    assert "'initial_meld'" in error["message"]
    assert error["path"] == "$.rules.initial_melt"


def test_an_internal_error_is_a_reply_and_a_line_in_the_log(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(protocol.Version, "answer", lambda self, stop: 1 // 0)
    assert ask("version")["error"]["code"] == "internal"
    assert "ZeroDivisionError" in capsys.readouterr().err


# ---- answers



def test_best_of_every_ordinary_position() -> None:
    for case in cases("free.jsonl"):
        if case["cls"] != "self":
            continue
        result = ask("best", rules="easy-rummy", table=case["table"], hand=case["hand"])["result"]
        assert result["tiles"] == case["best_tiles"], case["id"]
        move = result["move"]
        if move is None:
            continue
        assert result["tiles"] == len(move["played"])
        assert result["points"] == move["points"]
        assert result["goes_out"] == (len(move["played"]) == len(case["hand"]))
        index = ask("index", rules="easy-rummy", table=case["table"], hand=case["hand"], after=move["table"])
        assert index["ok"], case["id"]


def test_optimal_counts_the_moves_with_the_best_objective() -> None:
    position = {"rules": "easy-rummy", "table": "k3k4k5 r3r4r5", "hand": "k6 r6 b6 k2"}
    moves = ask("moves", **position)["result"]["moves"]
    for objective, worth in (
        ("tiles", lambda move: len(move["played"])),
        ("points", lambda move: move["points"]),
        (
            {"weights": {"k6": -1, "O6": 3, "b6": 2}},
            lambda move: 2 * ("b6" in move["played"]) - ("k6" in move["played"]),
        ),
    ):
        best = max(map(worth, moves))
        result = ask("best", **position, objective=objective, count_optimal=True)["result"]
        assert worth(result["move"]) == best
        assert result["optimal"] == sum(worth(move) == best for move in moves)


def test_a_sample_without_a_seed_is_a_new_one_each_time() -> None:
    position = {"rules": "easy-rummy", "table": "k3k4k5 r3r4r5", "hand": "k6 r6 k7 r7 k8 r8 k9 r9"}
    samples = [ask("sample", **position, n=20)["result"]["moves"] for _ in range(3)]
    assert not samples[0] == samples[1] == samples[2]
    samples = [ask("sample", **position, n=20, seed=5)["result"]["moves"] for _ in range(2)]
    assert samples[0] == samples[1]


if __name__ == "__main__":
    for path in TRANSCRIPTS:
        replies_path(path).write_bytes(converse(path.read_bytes()))
