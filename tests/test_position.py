"""Positions and moves as values: notation, errors, equality, pickling, and which turns are legal."""

import pickle
import subprocess
import sys
from collections import Counter

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import meldcore
import reference as ref
from meldcore import BadPosition, BadRequest, BadRules, IllegalMove, MeldcoreError, Move, Position, Rules

NAMES = {name: getattr(meldcore, name) for name in ("Position", "Move", "Rules")}


@st.composite
def editions(draw):
    return {
        "colours": draw(st.integers(1, 4)),
        "numbers": draw(st.integers(3, 15)),
        "copies": draw(st.integers(1, 3)),
        "jokers": draw(st.integers(0, 4)),
        "max_jokers_per_set": draw(st.none() | st.integers(0, 4)),
    }


@st.composite
def positions(draw, fields=None, most_sets=8, most_hand=15):
    """Fields of rules, a table and a hand of that edition in any order, and whether the player has opened."""
    fields = draw(editions()) if fields is None else fields
    rules = ref.read_rules(fields)
    pool = Counter(
        {ref.Tile(c, n): rules.copies for c in range(rules.colours) for n in range(1, rules.numbers + 1)}
    )
    pool[ref.JOKER] = rules.jokers
    table = []
    for _ in range(draw(st.integers(0, most_sets))):
        meld = draw(sets_of(rules))
        used = Counter(meld.tiles)
        if ref.is_valid_set(meld, rules) and used <= pool:
            pool -= used
            table.append(ref.set_text(meld, rules))
    hand = draw(sets_of(rules)).tiles if draw(st.booleans()) else []
    hand += draw(st.lists(st.sampled_from(sorted(pool)), max_size=most_hand - len(hand)))
    held = [str(tile) for tile in (Counter(hand) & pool).elements()]
    return fields, draw(st.permutations(table)), draw(st.permutations(held)), draw(st.booleans())


@st.composite
def sets_of(draw, rules):
    size = draw(st.integers(3, 5))
    number = draw(st.integers(1, rules.numbers))
    colours = draw(st.permutations(range(rules.colours)))
    jokers = [draw(st.integers(0, 4)) == 0 for _ in range(size)]
    if draw(st.booleans()):
        return ref.Run(colours[0], number, tuple(jokers))
    natural = sorted(colour for colour, joker in zip(colours[:size], jokers, strict=False) if not joker)
    return ref.Group(number, tuple(natural) or (0,), sum(jokers))


# ---- notation


def test_parse_reads_the_notation():
    position = Position.parse("r4*r6 k7b7y7 | r7 b8")
    assert position.table == ("r4*r6", "k7b7y7")
    assert position.hand == ("r7", "b8")
    assert position.opened
    assert position.rules == Rules.preset("rummi-q")
    assert str(position) == "r4*r6 k7b7y7 | r7 b8"


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("|", "|"),
        ("  |r7,b8 *", "| r7 b8 *"),
        ("| *r7b8", "| r7 b8 *"),
        ("R4R5R6 | O7 ,, K1", "r4r5r6 | k1 y7"),
        ("y7*b7 =*k5* r4r5r6 b1b2b3 |", "r4r5r6 b1b2b3 =k5** b7y7* |"),
        ("| b7 | opening", "| b7 | opening"),
        ("\tr1r2r3\n|r4|Opening ", "r1r2r3 | r4 | opening"),
    ],
)
def test_canonical_text(text, canonical):
    position = Position.parse(text, {"jokers": 4})
    assert str(position) == canonical
    assert Position.parse(canonical, {"jokers": 4}) == position


def test_table_and_hand_may_be_strings_or_any_iterable():
    position = Position(["r4*r6", "k7b7y7"], ["r7", "b8"])
    assert position == Position("k7b7y7 r4*r6", "b8r7")
    assert position == Position((text for text in ["r4*r6", "k7b7y7"]), ("b8", "r7"))
    assert position == Position(("y7k7b7", "R4*R6"), "r7, b8", "rummi-q", True)


@given(positions())
def test_round_trips(drawn):
    fields, table, hand, opened = drawn
    rules = Rules.from_json(fields)
    position = Position(table, hand, rules, opened)
    meant = ref.table_text(ref.read_table(table, ref.read_rules(fields)), ref.read_rules(fields))
    assert position.table == tuple(meant)
    assert position.hand == tuple(map(str, sorted(ref.read_tiles(hand))))
    assert position.hand_points == sum(30 if tile == "*" else int(tile[1:]) for tile in hand)
    assert position.opened is opened
    again = [
        Position.parse(str(position), rules),
        Position(position.table, position.hand, fields, opened),
        Position(" ".join(table), "".join(hand), rules, opened),
        eval(repr(position), dict(NAMES)),
        pickle.loads(pickle.dumps(position)),
    ]
    for other in again:
        assert other == position
        assert hash(other) == hash(position)
        assert str(other) == str(position)


def test_values_differ_where_anything_differs():
    one = Position.parse("r4r5r6 | r7 b8")
    others = [
        Position.parse("r4r5r6 | r7"),
        Position.parse("r4r5r6 | r7 b9"),
        Position.parse("r4r5r6 | r7 b8 *"),
        Position.parse("r4r5* | r7 b8"),
        Position.parse("r4r5r6 | r7 b8 | opening"),
        Position.parse("r4r5r6 | r7 b8", "rummy-o"),
        Position.parse("| r7 b8"),
    ]
    assert len({one, *others}) == 8
    assert one != "r4r5r6 | r7 b8"


def test_values_are_equal_across_processes():
    position = Position.parse("r4*r6 | r7 k9 | opening", Rules.preset("rummy-o", initial_meld=40))
    script = (
        "import pickle, sys; position = pickle.load(sys.stdin.buffer); "
        "sys.stdout.buffer.write(pickle.dumps((position, hash(position))))"
    )
    answer = subprocess.run(
        [sys.executable, "-c", script], input=pickle.dumps(position), stdout=-1, check=True
    )
    assert pickle.loads(answer.stdout) == (position, hash(position))


def test_positions_and_moves_are_immutable():
    position = Position.parse("r4r5r6 | r7")
    move = position.move_to("r4r5r6r7")
    for value, name in [
        (position, "opened"),
        (position, "rules"),
        (position, "table"),
        (move, "points"),
        (move, "new"),
    ]:
        with pytest.raises(AttributeError):
            setattr(value, name, 0)


# ---- errors


@pytest.mark.parametrize(
    ("text", "code", "path", "token", "message"),
    [
        (
            "r12r13r14 |",
            "bad_tile",
            "$.table[0]",
            "r14",
            "tile 'r14' in set 'r12r13r14' (table[0], character 7): numbers go from 1 to 13",
        ),
        (
            "r4r5r6 | r7 q3",
            "bad_tile",
            "$.hand[1]",
            "q3",
            "tile 'q3' (hand[1], character 13): a tile is one of",
        ),
        (
            "r4r5r6 | r7 b",
            "bad_tile",
            "$.hand[1]",
            "b",
            "tile 'b' (hand[1], character 13): the number is missing",
        ),
        ("| r07", "bad_tile", "$.hand[0]", "r07", "numbers go from 1 to 13, without leading zeros"),
        ("| r0", "bad_tile", "$.hand[0]", "r0", "numbers go from 1 to 13"),
        ("| =r5", "bad_tile", "$.hand[0]", "=", "only before the tiles of a set"),
        ("é4r5r6 |", "bad_tile", "$.table[0]", "é4", "tile 'é4' in set 'é4r5r6' (table[0], character 1)"),
        (
            "r4r5r6 r7r8 |",
            "bad_set",
            "$.table[1]",
            "r7r8",
            "set 'r7r8' (table[1], character 8): a set has at least 3",
        ),
        (
            "r4r5r6 | r4 r4",
            "bad_position",
            "$.hand[1]",
            "r4",
            "tile 'r4' (hand[1]): a third copy, and this edition has 2",
        ),
        ("r4r5r6 r4r5r6 r6k6b6 |", "bad_position", "$.table[2]", "r6", "tile 'r6' (table[2]): a third copy"),
        (
            "r4*r6 | * *",
            "bad_position",
            "$.hand[1]",
            "*",
            "tile '*' (hand[1]): a third joker, and this edition has 2",
        ),
        ("r4***r8 |", "bad_position", "$.table[0]", "*", "a third joker"),
        ("r4r5r6", "bad_position", "$.position", "r4r5r6", "a bar parts the table from the hand"),
        ("| r4 | opened", "bad_position", "$.position", "opened", "the third field is 'opening' or absent"),
        (
            "| r4 | opening |",
            "bad_position",
            "$.position",
            "opening |",
            "the third field is 'opening' or absent",
        ),
    ],
)
def test_errors_name_the_token_and_its_place(text, code, path, token, message):
    with pytest.raises(MeldcoreError) as caught:
        Position.parse(text)
    assert (caught.value.code, caught.value.path, caught.value.token) == (code, path, token)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("table", "hand", "code", "path", "message"),
    [
        (["r4r5r6", "r7 r8 r9"], [], "bad_tile", "$.table[1]", "joined, without separators"),
        (
            [],
            ["r7", "b8k9"],
            "bad_tile",
            "$.hand[1]",
            "tile 'b8k9' (hand[1]): one tile is meant to stand here",
        ),
        ([], [""], "bad_tile", "$.hand[0]", "tile '' (hand[0])"),
        (
            [["r4", "r5"]],
            [],
            "bad_request",
            "$.table[0]",
            "a set is a string like 'r4r5r6', not ['r4', 'r5']",
        ),
        (None, [], "bad_request", "$.table", "table is a string or a sequence of set strings, not None"),
        ([], [7], "bad_request", "$.hand[0]", "a tile is a string like 'r4', not 7"),
        (["r4r5\udc80"], [], "bad_tile", "$.table[0]", "in set 'r4r5\\udc80'"),
        (["r4r5r6"] * 65, [], "bad_position", "$.table", "more than 64 sets"),
        ([], ["r7"] * 500, "bad_position", "$.hand", "500 tiles, and this edition has 106"),
        ([], "r7 " * 500, "bad_position", "$.hand", "500 tiles, and this edition has 106"),
        ([], (tile for tile in ["r7"] * 3), "bad_position", "$.hand[2]", "tile 'r7' (hand[2]): a third copy"),
    ],
)
def test_errors_in_lists(table, hand, code, path, message):
    with pytest.raises(MeldcoreError) as caught:
        Position(table, hand)
    assert (caught.value.code, caught.value.path) == (code, path)
    assert message in str(caught.value)


def test_tiles_of_another_edition():
    with pytest.raises(MeldcoreError, match="the colours of this edition are k, r, b"):
        Position([], ["y1"], Rules(colours=3))
    with pytest.raises(BadPosition, match="a second copy, and this edition has 1"):
        Position([], ["r1", "r1"], Rules(copies=1))
    with pytest.raises(BadPosition, match="a first joker, and this edition has 0"):
        Position([], ["*"], Rules(jokers=0))
    assert Position([], ["r15"], Rules(numbers=15)).hand == ("r15",)


@given(st.text(alphabet="krbyoKRBYO0123456789*=|, x\u00e9", max_size=40) | st.text())
def test_no_text_does_worse_than_an_error_of_ours(text):
    try:
        position = Position.parse(text)
    except MeldcoreError as caught:
        error = caught
    else:
        assert Position.parse(str(position)) == position
        return
    assert error.path.startswith(("$.table", "$.hand", "$.position"))
    assert error.token is None or error.token in text or error.token in text.lower().replace("o", "y")


def test_arguments_of_the_wrong_kind():
    with pytest.raises(BadRequest, match="opened is true or false, not 'no'"):
        Position(opened="no")
    with pytest.raises(BadRequest, match="a position is a string"):
        Position.parse(["| r7"])
    with pytest.raises(BadRules, match="nearest known one is 'rummi-q'"):
        Position(rules="rumi-q")
    with pytest.raises(BadRequest, match="'time'"):
        Position().best("time")
    with pytest.raises(BadRequest, match=r"1\.5"):
        Position().best({"weights": {"r7": 1.5}})
    with pytest.raises(MeldcoreError, match="tile 'r14'") as caught:
        Position().best({"weights": {"r14": 1}})
    assert caught.value.path == "$.objective.weights.r14"
    with pytest.raises(BadRequest, match="most_changes"):
        Position().best(prefer="most_changes")


# ---- moves and turns


def test_hand_points():
    assert Position.parse("| r7 b8 *").hand_points == 45
    assert Position.parse("| r7 b8 *", Rules.preset("rummi-q", joker_hand_value=25)).hand_points == 40


def test_move_is_a_value():
    position = Position.parse("r4r5r6 k1k2k3 | r7 *")
    move = position.move_to("r4r5r6r7* k1k2k3")
    assert (move.played, move.table) == (("r7", "*"), ("k1k2k3", "r4r5r6r7*"))
    assert (move.points, move.unchanged) == (37, 1)
    assert repr(move) == "Move(played=('r7', '*'), table=('k1k2k3', 'r4r5r6r7*'), points=37, unchanged=1)"
    for other in (eval(repr(move), dict(NAMES)), pickle.loads(pickle.dumps(move))):
        assert other == move
        assert hash(other) == hash(move)
    assert move != Move(move.played, move.table, 38, 1)
    assert move != Move(move.played, move.table, 37, 0)
    assert move != Move("r7", move.table, 37, 1)
    assert move != Move(move.played, "k1k2k3 r4r5r6r7", 37, 1)


def test_move_of_a_larger_edition():
    position = Position.parse("r4r5r6 | r13 * *", {"numbers": 15})
    move = position.move_to("r4r5r6 =r13**")
    assert move.table == ("r4r5r6", "=r13**")
    assert "numbers=15" in repr(move)
    assert eval(repr(move), dict(NAMES)) == move == pickle.loads(pickle.dumps(move))
    with pytest.raises(IllegalMove, match="another edition"):
        Position.parse("r4r5r6 | r13 * *").play(move)


@pytest.mark.parametrize(
    ("text", "after", "reason"),
    [
        ("r4r5r6 | r7", "r4r5r6", "no tile is played"),
        ("r4r5r6 | r7", "r5r6r7", "tile 'r4' of the table is missing"),
        ("r4r5r6 | r8", "r4r5r6r7", "tile 'r7' is played, and not in the hand"),
        ("r4r5r6 | r7", "r4r5r6*", "tile '*' is played, and not in the hand"),
        ("r4r5r6 | r7 k10k11k12 | opening", "r4r5r6r7 k10k11k12", "the sets on the table stay as they are"),
        (
            "r4r5r6 | k1k2k3 | opening",
            "r4r5r6 k1k2k3",
            "the sets laid are worth 6, and the initial meld is 30",
        ),
    ],
)
def test_illegal_moves_say_why(text, after, reason):
    with pytest.raises(IllegalMove) as caught:
        Position.parse(text).move_to(after)
    assert reason in str(caught.value)
    assert caught.value.code == "illegal_move"


def test_tiles_that_form_no_set_are_an_illegal_move():
    with pytest.raises(IllegalMove, match="'r4r5r6r8' is no set: r8 stands where a run has r7") as caught:
        Position.parse("r4r5r6 | r8").move_to(["r4r5r6r8"])
    assert (caught.value.path, caught.value.token) == ("$.after", "r4r5r6r8")


def test_play_refuses_a_move_of_another_position():
    move = Position.parse("r4r5r6 | r7").move_to("r4r5r6r7")
    position = Position.parse("r4r5r6r7 | r8")
    with pytest.raises(IllegalMove, match="no tile is played"):
        position.play(move)
    with pytest.raises(IllegalMove, match="a move of another position"):
        Position.parse("r4r5r6 | r7").play(Move("r7", "r4r5r6r7", points=7, unchanged=1))
    with pytest.raises(IllegalMove, match="another edition"):
        Position.parse("r4r5r6 | r7", {"max_jokers_per_set": 0}).play(Move("*", "r4r5r6*", 30, 0))
    with pytest.raises(TypeError):
        position.play("r4r5r6r7r8")


def test_a_move_is_judged_where_no_search_of_such_a_position_made_it():
    position = Position.parse("r4r5r6 | r7 r8")
    move = position.moves()[0]
    assert position.move_to(move) is move
    assert Position.parse("r4r5r6 | r8 r7").move_to(move) is move
    read = pickle.loads(pickle.dumps(move))
    assert position.move_to(read) == move
    assert position.play(read) == position.play(move)
    for text, rules in [("r4r5r6 | r8", "rummi-q"), ("r4r5r6 | r7 r8 | opening", "rummi-q")]:
        other = Position.parse(text, rules)
        with pytest.raises(IllegalMove):
            other.move_to(move)
        with pytest.raises(IllegalMove):
            other.play(move)


@settings(max_examples=100)
@given(data=st.data())
def test_the_legal_turns_are_those_of_the_reference(data):
    fields = data.draw(
        st.fixed_dictionaries(
            {
                "numbers": st.just(5),
                "initial_meld": st.sampled_from([0, 6, 12, 20]),
                "joker_meld_value": st.sampled_from([None, 10]),
                "max_jokers_per_set": st.sampled_from([None, 1]),
                "table_play_on_opening_turn": st.booleans(),
            }
        )
    )
    fields, table, hand, opened = data.draw(positions(fields=fields, most_sets=2, most_hand=6))
    position = Position(table, hand, fields, opened)
    rules = ref.read_rules(fields)
    before, held = ref.read_table(table, rules), ref.read_tiles(hand)
    legal = set(ref.legal_tables(before, held, opened, rules))
    tiles = [*ref.tiles_of(before).elements(), *held]
    assume(len(tiles) <= 11)
    for after in ref.arrangements((), tiles, rules):
        if after not in legal:
            with pytest.raises(IllegalMove):
                position.move_to(ref.table_text(after, rules))
            continue
        move = position.move_to(ref.table_text(after, rules))
        played = ref.tiles_of(after) - ref.tiles_of(before)
        assert Counter(ref.read_tiles(move.played)) == played
        assert move.points == sum(30 if tile == ref.JOKER else tile.number for tile in played.elements())
        assert move.unchanged == sum((Counter(before) & Counter(after)).values())
        left = position.play(move)
        assert left == Position(
            move.table, sorted((Counter(hand) - Counter(move.played)).elements()), fields, True
        )
        assert eval(repr(move), dict(NAMES)) == move
