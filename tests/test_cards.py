"""The card game: cards are read, written and valued as the tiles that stand in their place, but for their names."""

import pickle
import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import meldcore
from case_files import cases, real_cases
from meldcore import (
    BadRequest,
    BadSet,
    MeldcoreError,
    Move,
    Position,
    Rules,
    normalise,
    partitions,
    read_set,
    set_text,
)
from meldcore.referee import Turn
from meldcore.steps import steps_of

RANKS = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"]
WORTH = dict(zip(RANKS, [*range(2, 11), 10, 10, 10, 11], strict=True))
CARDS = [rank + suit for suit in "SHCD" for rank in RANKS]
TILES = [f"{colour}{number}" for colour in "krby" for number in range(1, 14)]
AS_TILE = dict(zip([*CARDS, "*"], [*TILES, "*"], strict=True))
AS_CARD = {tile: card for card, tile in AS_TILE.items()}
FOUR_JOKERS = {"preset": "rummy-40", "jokers": 4}


def as_cards(text):
    """A text of tiles, as one of cards."""
    return re.sub(r"[krby]\d+", lambda tile: AS_CARD[tile[0]], text)


def as_tiles(text):
    return re.sub(r"(10|[2-9JQKA])[SHCD]", lambda card: AS_TILE[card[0]], text)


# ---- sets


@st.composite
def near_sets(draw):
    """A list of cards that is a set, or becomes none by a little."""
    rank, suits = draw(st.integers(0, 12)), draw(st.permutations("SHCD"))
    if draw(st.booleans()):
        cards = [RANKS[rank] + suit for suit in suits]
    else:
        cards = [each + suits[0] for each in RANKS[rank : draw(st.integers(rank, 12)) + 1]]
    cards = [draw(st.sampled_from([card, card, "*"])) for card in cards]
    return cards + draw(st.lists(st.sampled_from([*cards, "*"]), max_size=2))


@given(near_sets(), st.sampled_from(["", "", "="]))
def test_cards_form_the_sets_of_the_tiles_in_their_place(cards, mark):
    text = mark + "".join(cards)
    info, tiles = read_set(text, FOUR_JOKERS), read_set(as_tiles(text), {"jokers": 4})
    assert (info.valid, info.kind) == (tiles.valid, tiles.kind)
    assert info.readings == tuple(map(as_cards, tiles.readings))
    for reading in info.readings:
        assert read_set(reading, FOUR_JOKERS).readings[0] == reading
    if info.valid and "*" not in cards:
        assert info.value == sum(WORTH[card[:-1]] for card in cards)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2S3S4S", 9),
        ("9H10HJH", 29),
        ("*9H10H", 27),
        ("QSKSAS", 31),
        ("QH*AH", 31),
        ("ASAHAC*", 44),
        ("=5S**", 15),
        ("5S**", 18),
        ("KS**", 30),
        ("2S3S4S5S6S7S8S9S10SJSQSKSAS", 95),
    ],
)
def test_values(text, value):
    assert read_set(text, "rummy-40").value == value


def test_a_joker_may_have_its_own_value():
    assert read_set("QH*AH", {"preset": "rummy-40", "joker_meld_value": 25}).value == 46


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("tHjHqH", "10HJHQH"),
        ("10d*jsTc", None),
        ("10d*tsTc", "10S10C10D*"),
        ("kdkskH", "KSKHKD"),
        ("*QS*", "*QS*"),
        ("5s**", "5S**"),
        ("=*5s*", "=5S**"),
        ("ks**", "KS**"),
    ],
)
def test_canonical_text_of_sets(text, canonical):
    readings = read_set(text, "rummy-40").readings
    assert (readings[0] if readings else None) == canonical


REAL = real_cases(lambda case: case["ask"] in ("set_value", "valid_set"), Rules, cards=True)


@pytest.mark.parametrize("case", list(REAL))
def test_real(case):
    info = read_set(case["table"][0], case["rules"])
    assert (info.value if case["ask"] == "set_value" else info.valid) == case["answer"], case["why"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("5S6S", "a set has at least 3 cards"),
        ("***", "a set holds at least one card that is no joker"),
        ("KSAS2S", "2S stands where a run has a card above AS"),
        ("KSAS*", "the last card of this run would be a card above AS, and ranks end with A"),
        ("*2S3S", "the first card of this run would be a card below 2S, and ranks begin with 2"),
        ("5H*6H", "6H stands where a run has 7H"),
        ("9S9S9H", "the cards of a group have different suits"),
        ("9S9H9C9D*", "a group has at most 4 cards, one of each suit"),
        ("5S6S7H", "neither a run, of one suit, nor a group, of one rank"),
        ("=5S6S7S", "= says that it is a group, and the cards of a group have one rank"),
    ],
)
def test_problems_say_why(text, problem):
    assert read_set(text, FOUR_JOKERS).problem == problem
    with pytest.raises(BadSet) as caught:
        Position(["2S3S4S", text], (), FOUR_JOKERS)
    assert (caught.value.path, caught.value.token) == ("$.table[1]", text)
    assert str(caught.value) == f"set {text!r} (table[1]): {problem}"


# ---- positions


@st.composite
def positions(draw):
    """A table, a hand, and the card taken."""
    pool, table = [*CARDS, "*"] * 2, []
    for cards in draw(st.lists(near_sets(), max_size=4)):
        left = list(pool)
        if read_set("".join(cards), "rummy-40").valid and all(card in left and not left.remove(card) for card in cards):
            table.append("".join(cards))
            pool = left
    hand = draw(st.permutations(pool))[: draw(st.integers(0, 14))]
    return table, hand, draw(st.none() | st.sampled_from(hand)) if hand else None


@given(positions(), st.booleans())
def test_round_trips(drawn, opened):
    table, hand, taken = drawn
    position = Position(table, hand, "rummy-40", opened, taken=taken)
    tiles = Position(as_tiles(" ".join(table)), as_tiles(" ".join(hand)), "easy-rummy", opened)
    assert str(position) == as_cards(str(tiles))
    assert position.table == tuple(map(as_cards, tiles.table))
    assert position.hand == tuple(map(as_cards, tiles.hand))
    assert position.hand_points == sum(25 if card == "*" else WORTH[card[:-1]] for card in hand)
    assert (position.taken, position.opened) == (taken, opened)
    again = [
        Position.parse(str(position), "rummy-40", taken=taken),
        Position.parse(str(position).lower().replace("10", "t"), "rummy-40", taken=taken and taken.lower()),
        Position(position.table, "".join(position.hand), "rummy-40", opened, taken=taken),
        eval(repr(position), vars(meldcore)),
        pickle.loads(pickle.dumps(position)),
    ]
    for other in again:
        assert other == position
        assert hash(other) == hash(position)
        assert str(other) == str(position)
        assert other.taken == taken


def test_the_positions_of_the_cases_are_read():
    for case in cases("rummy40.jsonl"):
        position = Position(case["table"], case["hand"], case["rules"], case["opened"], taken=case["taken"])
        assert sorted(position.table) == sorted(case["table"])
        assert sorted(position.hand) == sorted(case["hand"])
        assert position.taken == case["taken"]


@pytest.mark.parametrize(
    ("text", "code", "path", "token", "message"),
    [
        ("r5r6r7 |", "bad_tile", "$.table[0]", "r5",
         "card 'r5' in set 'r5r6r7' (table[0], character 1): a card is a rank, then a suit, like 10H, or a joker, *"),
        ("| 5S r5", "bad_tile", "$.hand[1]", "r5", "card 'r5' (hand[1], character 6): a card is a rank, then a suit"),
        ("| 11H", "bad_tile", "$.hand[0]", "11H", "ranks are 2 to 10, J, Q, K and A"),
        ("| 1S", "bad_tile", "$.hand[0]", "1S", "ranks are 2 to 10, J, Q, K and A"),
        ("| 07S", "bad_tile", "$.hand[0]", "07S", "ranks are 2 to 10, J, Q, K and A"),
        ("| 0S", "bad_tile", "$.hand[0]", "0S", "ranks are 2 to 10, J, Q, K and A"),
        ("| 99999999999999999999S", "bad_tile", "$.hand[0]", "99999999999999999999S", "ranks are 2 to 10"),
        ("| 5S 7", "bad_tile", "$.hand[1]", "7", "the suit is missing"),
        ("| q", "bad_tile", "$.hand[0]", "q", "the suit is missing"),
        ("| 7X", "bad_tile", "$.hand[0]", "7X", "suits are S, H, C and D"),
        ("| SQ", "bad_tile", "$.hand[0]", "SQ", "a card is a rank, then a suit"),
        ("5S6S♠ |", "bad_tile", "$.table[0]", "♠", "a card is a rank, then a suit"),
        ("| =5S", "bad_tile", "$.hand[0]", "=", "only before the cards of a set"),
        ("| 5S 5S 5S", "bad_position", "$.hand[2]", "5S", "card '5S' (hand[2]): a third copy, and this edition has 2"),
        ("5S6S7S 5S5H5C | 5s", "bad_position", "$.hand[0]", "5S", "card '5S' (hand[0]): a third copy"),
        ("5S*7S * | *", "bad_set", "$.table[1]", "*", "a set has at least 3 cards"),
        ("5S*7S | **", "bad_position", "$.hand[1]", "*", "card '*' (hand[1]): a third joker"),
    ],
)  # fmt: skip
def test_errors_name_the_token_and_its_place(text, code, path, token, message):
    with pytest.raises(MeldcoreError) as caught:
        Position.parse(text, "rummy-40")
    assert (caught.value.code, caught.value.path, caught.value.token) == (code, path, token)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("table", "hand", "message"),
    [
        (["5S6S7S", "8S 9S 10S"], [], "cards that belong together are joined, without separators"),
        ([], ["5S6S"], "card '5S6S' (hand[0]): one card is meant to stand here"),
        ([], [""], "card '' (hand[0]): a card is a rank, then a suit"),
        ([], [7], "a card is a string like '10H', not 7"),
        ([7], [], "a set is a string like '10HJHQH', not 7"),
        ([], None, "hand is a string or a sequence of card strings, not None"),
        ([], ["5S"] * 500, "500 cards, and this edition has 106"),
    ],
)
def test_errors_in_lists(table, hand, message):
    with pytest.raises(MeldcoreError) as caught:
        Position(table, hand, "rummy-40")
    assert message in str(caught.value)


@given(st.text(alphabet="SHCDshcd0123456789TJQKAtjqka*=|, x\u00e9", max_size=40) | st.text())
def test_no_text_does_worse_than_an_error_of_ours(text):
    try:
        position = Position.parse(text, "rummy-40")
    except MeldcoreError as caught:
        error = caught
    else:
        assert Position.parse(str(position), "rummy-40") == position
        return
    assert error.path.startswith(("$.table", "$.hand", "$.position"))
    assert error.token is None or error.token in text or error.token in text.upper().replace("T", "10")


def test_tiles_and_cards_are_no_values_of_the_other_game():
    with pytest.raises(MeldcoreError, match="a tile is one of the colours k, r, b, y and a number"):
        Position.parse("| 5S", "rummi-q")
    assert Position.parse("|", "rummy-40") != Position.parse("|", Rules.preset("rummy-40", cards=False))


# ---- the card taken from the discard pile


def test_the_card_taken_is_part_of_the_value():
    text = "9H10HJH | 5S QH *"
    drawn = Position.parse(text, "rummy-40")
    five = Position.parse(text, "rummy-40", taken="5s")
    joker = Position.parse(text, "rummy-40", taken="*")
    assert (drawn.taken, five.taken, joker.taken) == (None, "5S", "*")
    assert len({drawn, five, joker}) == 3
    assert five == Position(five.table, five.hand, "rummy-40", taken="5S")
    assert repr(five) == "Position.parse('9H10HJH | 5S QH *', rules='rummy-40', taken='5S')"
    with pytest.raises(AttributeError):
        five.taken = "QH"
    with pytest.raises(TypeError):
        Position((), "5S", "rummy-40", True, "5S")


@pytest.mark.parametrize(
    ("taken", "rules", "hand", "code", "message"),
    [
        ("5H", "rummy-40", "5S", "bad_position", "the card taken, '5H', is not in the hand"),
        ("t h", "rummy-40", "10H", "bad_tile", "card 't h' (taken): a card is a rank, then a suit"),
        ("10", "rummy-40", "10H", "bad_tile", "card '10' (taken): the suit is missing"),
        ("*", "rummy-40", "5S", "bad_position", "the card taken, '*', is not in the hand"),
        ("5S6S", "rummy-40", "5S6S", "bad_tile", "one card is meant to stand here"),
        ("", "rummy-40", "5S", "bad_tile", "card '' (taken)"),
        (5, "rummy-40", "5S", "bad_request", "a card is a string like '10H', not 5"),
        ("r5", "rummi-q", "r5", "bad_position", "only the card game has a discard pile"),
    ],
)
def test_what_cannot_have_been_taken(taken, rules, hand, code, message):
    for make in (
        lambda: Position("", hand, rules, taken=taken),
        lambda: Position.parse(f"| {hand}", rules, taken=taken),
    ):
        with pytest.raises(MeldcoreError, match=re.escape(message)) as caught:
            make()
        assert (caught.value.code, caught.value.path) == (code, "$.taken")


# ---- what is asked of cards


@given(st.lists(near_sets(), max_size=3))
def test_partitions_are_those_of_the_tiles(sets):
    cards = [card for cards in sets for card in cards]
    assume(all(cards.count(card) <= 2 for card in cards))
    split, tiles = partitions(cards, "rummy-40"), partitions(as_tiles(" ".join(cards)), "easy-rummy")
    assert split.total == tiles.total
    for table, tables in zip(split[:20], tiles, strict=False):
        assert table == tuple(map(as_cards, tables))
        assert split.index(table) == tiles.index(tables)
    assert normalise(cards, "rummy-40") == (split[0] if split else None)


def test_partitions_are_a_value():
    split = partitions("QS KS AS * 10H 10D", "rummy-40")
    assert list(split) == [("QSKSAS", "10H10D*")]
    assert pickle.loads(pickle.dumps(split)) == eval(repr(split), vars(meldcore)) == split
    assert [sorted(set_text(code, cards=True) for code in row) for row in split.codes()] == [["10H10D*", "QSKSAS"]]


def test_set_codes_in_either_notation():
    code = int(partitions("JH QH KH", "rummy-40").codes()[0, 0])
    assert (set_text(code), set_text(code, cards=True)) == ("r10r11r12", "JHQHKH")
    with pytest.raises(BadRequest, match="cards=True needs numbers=13"):
        set_text(code, 12, cards=True)
    with pytest.raises(BadRequest, match="cards is true or false"):
        set_text(code, 13, cards="yes")


def test_moves_hold_cards():
    move = Move("8S *", "5S6S7S8S =KH** 9H10HJH", 33, 2, cards=True)
    assert (move.played, move.table) == (("8S", "*"), ("5S6S7S8S", "9H10HJH", "KH**"))
    assert eval(repr(move), vars(meldcore)) == move == pickle.loads(pickle.dumps(move))
    assert move != Move("k7 *", "k4k5k6k7 =r12** r8r9r10", 33, 2)
    with pytest.raises(BadRequest, match="cards=True needs numbers=13"):
        Move("8S", "5S6S7S8S", 8, 0, numbers=12, cards=True)


def test_steps_name_cards():
    rules = Rules.preset("rummy-40")
    before, after = ("5S*7S", "9S9H9C", "3D4D5D"), ("5S6S7S8S", "9S9H9C9D", "10H*QH", "3D4D5D*")
    turn = Turn(
        rules, opening=False, no_sets=(), played=("6S", "8S", "9D", "10H", "QH", "*"), missing=(), foreign=(),
        laid=bytes(64), on_table=bytes(64), jokers_laid=1, meld_value=30, changed=(), before=(), after=(),
    )  # fmt: skip
    assert list(map(str, steps_of(turn, before, after))) == [
        "put 6S in place of the joker in 5S * 7S",
        "add 8S to 5S 6S 7S",
        "add 9D to 9S 9H 9C",
        "add * (6D) to 3D 4D 5D",
        "lay 10H * QH",
    ]
