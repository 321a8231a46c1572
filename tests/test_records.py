"""Records: what a game writes is what a replay reads, and nothing else passes."""

import json
import random
from functools import cache
from io import BytesIO, StringIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from case_files import DATA
from meldcore import PRESETS, BadRequest, BadTile, Draw, Game, IllegalMove, Lay, Pass, Rules, Take
from meldcore.cli import main
from meldcore.records import FORMAT, Recorder, replay
from playing import new_game, random_action


def recorded(game, seed, names=None):
    """The lines of a random match, and how it ended."""
    file = StringIO()
    recorder = Recorder(file, game, names)
    chance = random.Random(seed)
    while not recorder.game.over:
        if recorder.game.round_over:
            recorder.next_round()
        recorder.act(*random_action(recorder.game, chance))
    return file.getvalue().splitlines(), recorder.game


@cache
def a_record(name="tile-rummy", seed=4):
    """Two rounds, with every kind of turn among them."""
    lines, _ = recorded(new_game(name, seed, rounds=2), seed, None)
    return tuple(lines)


@pytest.mark.parametrize("name", PRESETS)
def test_a_record_replays(name):
    for seed in range(10):
        start = new_game(name, seed, rounds=1 + seed % 2, target=500, match_seconds=1e5)
        names = ["ann", "bob", "cyd", "dän"][: start.players]
        lines, end = recorded(start, seed, names)
        again = replay(lines)
        assert (again.follows, again.complete, again.line, again.reason) == (True, True, None, None)
        assert again.game == end
        assert again.players == tuple(names)
        turns = [line for line in map(json.loads, lines) if line["line"] == "turn"]
        halves = sum(line["action"] in ("draw", "take") and not line.get("timed_out") for line in turns)
        assert again.turns == len(turns) - (halves if start.rules.cards else 0)
        assert replay(BytesIO("\n\n".join(lines).encode())) == again


def test_what_a_record_says():
    """Fixed for as long as the format is: other programs read it."""
    file = StringIO()
    recorder = Recorder(file, Game.new("rrrummy", 2, 3), ["ann", "bob"])
    recorder.act(Draw(), 2)
    hand = recorder.game.position.hand
    recorder.act(Lay(f"{hand[0]}{hand[-1]}"), 3.5)
    game, deal, draw, lay = map(json.loads, file.getvalue().splitlines())
    assert game.pop("rules") == PRESETS["rrrummy"].to_json()
    assert game == {
        "line": "game",
        "format": FORMAT,
        "seed": 3,
        "players": ["ann", "bob"],
        "rounds": 1,
        "target": None,
        "match_seconds": None,
    }
    first = Game.new("rrrummy", 2, 3).round
    assert deal == {
        "line": "round",
        "number": 1,
        "starter": first.starter,
        "hands": [list(hand) for hand in first.hands],
        "pool": list(first.pool),
    }
    assert draw == {
        "line": "turn",
        "number": 1,
        "player": first.starter,
        "action": "draw",
        "seconds": 2.0,
        "drawn": [first.pool[0]],
    }
    assert lay == {
        "line": "turn",
        "number": 2,
        "player": 1 - first.starter,
        "action": "lay",
        "seconds": 3.5,
        "table": [f"{hand[0]}{hand[-1]}"],
        "drawn": list(first.pool[1:4]),
        "problems": ["invalid_set", "initial_meld_too_low"],
    }


def test_what_a_record_of_cards_says():
    """A turn is two lines; the new stock stands in the line of the turn that emptied the old one."""
    rules = Rules.preset("rummy-40", hand_size=50)
    file = StringIO()
    recorder = Recorder(file, Game.new(rules, 2, 3), ["ann", "bob"])
    first = recorder.game.round
    for action, seconds in ((Take(), 1), (recorder.game.act(Take())[0].otherwise, 2), (Draw(), 3)):
        recorder.act(action, seconds)
    recorder.act(Lay((), recorder.game.round.hands[recorder.game.player][0]))
    recorder.act(Draw())
    recorder.act(recorder.game.otherwise)
    _, deal, take, illegal, draw, _, _, last = map(json.loads, file.getvalue().splitlines())
    assert deal == {
        "line": "round",
        "number": 1,
        "starter": first.starter,
        "hands": [list(hand) for hand in first.hands],
        "stock": list(first.stock),
        "pile": list(first.pile),
    }
    turn = {"line": "turn", "number": 1, "player": first.starter}
    assert take == turn | {"action": "take", "seconds": 1.0, "taken": first.pile[0]}
    assert illegal == turn | {
        "action": "lay",
        "seconds": 2.0,
        "table": [],
        "discard": first.pile[0],
        "drawn": list(first.stock[:3]),
        "problems": ["taken_card_not_laid"],
    }
    turn = {"line": "turn", "number": 2, "player": 1 - first.starter}
    assert draw == turn | {"action": "draw", "seconds": 3.0, "drawn": [first.stock[3]]}
    now = recorder.game.round
    assert last == {
        "line": "turn",
        "number": 3,
        "player": first.starter,
        "action": "lay",
        "seconds": 0.0,
        "table": [],
        "discard": first.stock[4],
        "discarded": first.stock[4],
        "stock": list(now.stock),
    }
    assert len(now.stock) == 2


def test_a_record_of_an_earlier_release_replays():
    """The file was written once, and is never written again: fields that rules get later have their defaults."""
    found = replay((DATA / "record.jsonl").read_bytes().splitlines())
    assert (found.reason, found.complete) == (None, True)
    assert (found.players, found.game.totals) == (("ann", "bob", "cyd"), (9, -7, -2))


def test_what_is_refused_is_not_written():
    file = StringIO()
    recorder = Recorder(file, Game.new("rummi-q", seed=1))
    written = file.getvalue()
    for action, error in ((Pass(), IllegalMove), (Lay("r14"), BadTile)):
        with pytest.raises(error):
            recorder.act(action)
    with pytest.raises(IllegalMove):
        recorder.next_round()
    assert file.getvalue() == written


def test_what_cannot_be_recorded():
    game = Game.new("rummi-q", seed=1)
    for names in (["ann"], ["ann", 3]):
        with pytest.raises(BadRequest, match="2 names"):
            Recorder(StringIO(), game, names)
    later, _ = game.act(Draw())
    with pytest.raises(BadRequest, match="under way"):
        Recorder(StringIO(), later)


def test_a_record_that_stops_follows_and_is_not_complete():
    lines = a_record()
    for count in range(1, len(lines)):
        found = replay(lines[:count])
        assert (found.follows, found.complete) == (True, False)
        found.game.validate()


def test_a_line_missing_twice_or_out_of_place():
    lines = list(a_record())
    for place in range(len(lines)):
        if place < len(lines) - 1:
            without = replay(lines[:place] + lines[place + 1 :])
            assert (without.follows, without.line) == (False, place + 1)
        twice = replay([*lines[: place + 1], *lines[place:]])
        assert (twice.follows, twice.line) == (False, place + 2)
        assert twice.reason
    assert replay([*lines, lines[-1]]).reason == "the match is over, and no line follows"


def others(value):
    """Values of the same kind that say something else."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, (int, float)):
        return [value + 1, -value - 1]
    if isinstance(value, str):
        return [value + "x", value[:-1]]
    if isinstance(value, list):
        changed = [value[1:]] if value else []
        changed += [value[::-1]] if value != value[::-1] else []
        return [*changed, [*value, *(value[-1:] or ["r1"])]]
    return [1]


# What is an input of the game or a name: another one is another game, which may follow as well.
FREE = {"game": {"players", "rounds", "target", "match_seconds"}, "turn": {"seconds"}}


@settings(max_examples=200)
@given(st.data())
def test_a_field_that_says_something_else(data):
    lines = list(a_record())
    place = data.draw(st.integers(0, len(lines) - 1))
    line = json.loads(lines[place])
    fields = sorted(set(line) - FREE.get(line["line"], set()) - {"rules"})
    field = data.draw(st.sampled_from(fields))
    line[field] = data.draw(st.sampled_from(others(line[field])))
    if line["line"] == "turn" and field == "table":
        return  # the sets in another order are the same table
    lines[place] = json.dumps(line)
    found = replay(lines)
    # another seed shows in the deal
    assert (found.follows, found.line) == (False, 2 if field == "seed" and line["seed"] >= 0 else place + 1)
    assert found.reason
    assert not found.complete


def test_a_result_that_is_left_out_or_made_up():
    lines = list(a_record())
    for place, line in enumerate(map(json.loads, lines)):
        if line["line"] != "turn":
            continue
        # a time-out may do without its table, which is restored
        for field in set(line) - {"table" if line["action"] == "time_out" else "line"}:
            less = {name: value for name, value in line.items() if name != field}
            assert replay([*lines[:place], json.dumps(less)]).line == place + 1
        for field, value in (("played", ["r1"]), ("ended", "out"), ("scores", [0, 0]), ("sed", 1)):
            if field not in line:
                found = replay([*lines[:place], json.dumps(line | {field: value})])
                assert found.line == place + 1
                assert field in found.reason


@pytest.mark.parametrize(
    ("lines", "line", "reason"),
    [
        ([], 1, "a record begins with"),
        (["", " "], 3, "a record begins with"),
        (["{"], 1, "truncated"),
        ([b"\xff\xfe"], 1, ""),
        (["\udcff"], 1, ""),
        (["[" * 10_000], 1, ""),
        (["[]"], 1, "object"),
        (["{}"], 1, "line"),
        (['{"line": "turn", "number": 1, "player": 0, "action": "draw", "seconds": 0}'], 1, "'game' follows"),
        (['{"line": "game", "format": 2, "new": 1}'], 1, "format 1, not 2"),
        (['{"line": "game", "format": 1, "rules": {}, "seed": -1, "players": ["a", "b"]}'], 1, "seed"),
        (['{"line": "game", "format": 1, "rules": {}, "seed": 1, "players": ["a"]}'], 1, "players goes from 2"),
        (['{"line": "game", "format": 1, "rules": {"copies": 9}, "seed": 1, "players": ["a", "b"]}'], 1, "copies"),
        (['{"line": "game", "format": 1, "rules": {"cards": 1}, "seed": 1, "players": ["a", "b"]}'], 1, "cards"),
    ],
)
def test_what_is_no_record(lines, line, reason):
    found = replay(lines)
    assert (found.follows, found.line, found.game) == (False, line, None)
    assert reason in found.reason


def test_a_turn_that_is_no_turn():
    head = a_record()[:2]
    turn = {"line": "turn", "number": 1, "player": json.loads(head[1])["starter"], "seconds": 0}
    for change, reason in [
        ({"action": "drow"}, "'draw'"),
        ({"action": "lay"}, "a lay needs a table"),
        ({"action": "lay", "table": ["r14"]}, "'r14'"),
        ({"action": "pass"}, "the pool is not empty"),
        ({"action": "draw", "seconds": -1}, "seconds"),
        ({"action": "draw", "seconds": "1"}, "seconds"),
        ({"action": "draw", "table": []}, "table"),
    ]:
        found = replay([*head, json.dumps(turn | change)])
        assert (found.follows, found.line) == (False, 3)
        assert reason in found.reason


# ---- the command


def run(capsys, *arguments):
    code = main(["replay", *map(str, arguments)])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def test_the_command(capsys, tmp_path):
    file = tmp_path / "game.jsonl"
    lines, game = recorded(Game.new("rummi-q", 2, 9), 9, ["ann", "bob"])
    file.write_text("\n".join(lines) + "\n")
    winner = ["ann", "bob"][game.winners[0]]
    said = f"every line follows: 1 round, {game.round.turn} turns\n"
    said += f"totals ann {game.totals[0]}, bob {game.totals[1]}\nwon by {winner}\n"
    assert run(capsys, file) == (0, said, "")

    code, out, err = run(capsys, file, "--json")
    assert (code, err) == (0, "")
    assert json.loads(out) == {
        "follows": True,
        "complete": True,
        "line": None,
        "reason": None,
        "players": ["ann", "bob"],
        "rounds": 1,
        "turns": game.round.turn,
        "totals": list(game.totals),
        "winners": list(game.winners),
    }

    file.write_text("\n".join(lines[:-1]))
    assert run(capsys, file)[1].endswith("not over yet\n")

    del lines[5]
    file.write_text("\n".join(lines))
    code, out, err = run(capsys, file)
    assert (code, err) == (1, "")
    assert out.startswith("line 6 does not follow: number: it says 5, and 4 follows\n")

    code, out, err = run(capsys, tmp_path / "none.jsonl")
    assert (code, out, err.count("\n")) == (2, "", 1)
