"""Sets: what a text is, against the textbook reading of the rules, and what its errors say."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference as ref
from meldcore import BadRequest, BadRules, BadSet, BadTile, Position, Rules, read_set
from meldcore.sets import set_text

EDITIONS = [
    {},
    {"numbers": 15, "copies": 3, "jokers": 4},
    {"colours": 3, "numbers": 5, "jokers": 4, "max_jokers_per_set": 1},
    {"colours": 2, "numbers": 4, "jokers": 3, "joker_meld_value": 30},
    {"colours": 1, "numbers": 3, "jokers": 4, "max_jokers_per_set": 0},
]


def by_definition(text, fields):
    """valid, kind, value and readings of a text by RULES.md 1 and 2, spelled out in tests/reference.py."""
    rules = ref.read_rules(fields)
    found = ref.readings(ref.read_tiles(text.removeprefix("=")), rules)
    if text.startswith("="):
        found = [meld for meld in found if isinstance(meld, ref.Group)]
    if not found:
        return False, None, None, ()
    kind = "group" if isinstance(found[0], ref.Group) else "run"
    return True, kind, ref.value(found[0], rules), tuple(ref.set_text(meld, rules) for meld in found)


def assert_as_defined(text, fields):
    info = read_set(text, fields)
    assert info[:4] == by_definition(text, fields)
    assert (info.problem is None) == info.valid
    for reading in info.readings:
        assert read_set(reading, fields).readings[0] == reading


@pytest.mark.parametrize("fields", EDITIONS[2:])
def test_every_short_text_is_read_as_defined(fields):
    rules = Rules.from_json(fields)
    tiles = [
        f"{colour}{number}" for colour in "krby"[: rules.colours] for number in range(1, rules.numbers + 1)
    ]
    for length in range(1, 4):
        for chosen in itertools.product([*tiles, "*"], repeat=length):
            for mark in ("", "="):
                assert_as_defined(mark + "".join(chosen), fields)


@st.composite
def near_sets(draw):
    """An edition and a text that is a set of it, or becomes none by a little."""
    fields = draw(st.sampled_from(EDITIONS))
    rules = Rules.from_json(fields)
    number = draw(st.integers(1, rules.numbers))
    colours = draw(st.permutations("krby"[: rules.colours]))
    if draw(st.booleans()):
        tiles = [f"{colour}{number}" for colour in colours]
    else:
        last = draw(st.integers(number, rules.numbers))
        tiles = [f"{colours[0]}{each}" for each in range(number, last + 1)]
    tiles = [draw(st.sampled_from([tile, tile, "*"])) for tile in tiles]
    tiles += draw(st.lists(st.sampled_from([*tiles, "*"]), max_size=2))
    return fields, draw(st.sampled_from(["", "", "="])) + "".join(tiles)


@given(near_sets())
def test_longer_texts_are_read_as_defined(drawn):
    assert_as_defined(drawn[1], drawn[0])


def test_two_readings():
    assert read_set("r5**").readings == ("r5**", "=r5**")
    assert read_set("*r5*").readings == ("*r5*", "=r5**")
    assert read_set("=r5**").readings == ("=r5**",)
    # 12-13-14 is no run, so this is the group, and needs no mark
    assert read_set("r12**").readings == ("r12**",)
    assert read_set("r12**", {"numbers": 15}).readings == ("r12**", "=r12**")


def test_groups_are_written_in_the_order_of_colours():
    assert read_set("y7*B7r7").readings == ("r7b7y7*",)
    assert read_set("O7b7K7").readings == ("k7b7y7",)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("r4r5", "a set has at least 3 tiles"),
        ("", "a set has at least 3 tiles"),
        ("***", "a set holds at least one tile that is no joker"),
        ("r12r13*", "the last tile of this run would be r14, and numbers end with 13"),
        ("*r1r2", "the first tile of this run would be r0, and numbers begin with 1"),
        ("k5k4k3", "k4 stands where a run has k6"),
        ("r5*r6", "r6 stands where a run has r7"),
        ("r5b5r5", "the tiles of a group have different colours"),
        ("k5r5b5y5*", "a group has at most 4 tiles, one of each colour"),
        ("r5r6b7", "neither a run, of one colour, nor a group, of one number"),
        ("=r5r6r7", "= says that it is a group, and the tiles of a group have one number"),
        ("r12r13r1", "r1 stands where a run has r14"),
    ],
)
def test_problems_say_why(text, problem):
    info = read_set(text)
    assert not info.valid
    assert info.problem == problem
    with pytest.raises(BadSet) as caught:
        Position(["r1r2r3", text])
    assert (caught.value.path, caught.value.token) == ("$.table[1]", text)
    assert str(caught.value) == f"set {text!r} (table[1]): {problem}"


def test_limit_of_jokers_is_a_rule():
    assert read_set("r5**", {"max_jokers_per_set": 2}).valid
    assert (
        read_set("r5**", {"max_jokers_per_set": 1}).problem
        == "max_jokers_per_set is 1, and this set holds 2 jokers"
    )


def test_what_is_no_tile_is_an_error():
    with pytest.raises(
        BadTile, match=r"tile 'r14' in set 'r12r13r14' \(set\): numbers go from 1 to 13"
    ) as caught:
        read_set("r12r13r14")
    assert (caught.value.path, caught.value.token) == ("$.set", "r14")
    with pytest.raises(BadRequest):
        read_set(["r12", "r13"])
    with pytest.raises(BadRules):
        read_set("r1r2r3", "rumi-q")


@given(st.text())
def test_no_text_does_worse_than_bad_tile(text):
    try:
        info = read_set(text)
    except BadTile as caught:
        error = caught
    else:
        assert info.valid or info.problem
        return
    assert error.token in text
    assert error.path == "$.set"


def test_codes_read_back():
    moves = Position("r4r5r6", "r7 b8 y8 * *", "easy-rummy").moves()
    for move, row in zip(moves, moves.codes(), strict=True):
        assert tuple(set_text(code) for code in sorted(row) if code) == move.table


@pytest.mark.parametrize("code", [0, 1, 5 << 23 | 2 << 19, 12 << 23 | 3 << 19, 1 << 29 | 5 << 23 | 3 << 19, 2**32 - 1])
def test_a_number_that_is_no_set_code(code):
    with pytest.raises(BadSet) as caught:
        set_text(code)
    assert caught.value.token == str(code)
