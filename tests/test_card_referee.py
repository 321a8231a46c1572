"""The referee of the card game: legal is what CardMoves lists, and every reason of what is not."""

import re
from collections import Counter, defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference_cards as ref
from meldcore import BadRequest, CardMove, IllegalMove, Move, Position, partitions
from reference import JOKER
from reference_cards import card_text
from test_card_turns import card_rules, positions, to_core


@st.composite
def near_misses(draw):
    """A position, and tables that some turn of it leaves, or of one with a little more freedom."""
    fields, model = draw(positions())
    position = to_core(fields, model)
    free = fields | {"initial_meld": 0, "max_jokers_per_set": None}
    as_tiles = {"cards": False, "group_rescue_needs_both": True, "discard_needs_40_always": False}
    changes = [
        fields,
        free,
        free | {"group_rescue_needs_both": False, "discard_needs_40_always": False},
        fields | {"initial_meld": 12, "discard_needs_40_always": False},
        free | {"group_rescue_needs_both": not fields["group_rescue_needs_both"]},
    ]
    tables = {position.table}
    for change in changes:
        other = Position(position.table, position.hand, change)
        moves = other.moves()
        tables |= {move.table for move in (moves.sample(25, draw(st.integers(0, 99))) if moves else [])}
    rearranged = to_core_of_tiles(position, free | as_tiles).moves()
    tables |= {cards_of(move.table) for move in (rearranged.sample(25, 7) if rearranged else [])}
    return position, sorted(tables)


def to_core_of_tiles(position, fields):
    tiles = {card_text(ref.Tile(c, n)): "krby"[c] + str(n) for c in range(4) for n in range(1, 14)}

    def as_tiles(texts):
        marks = ["=" if text.startswith("=") else "" for text in texts]
        cards = [[card_text(card) for card in ref.read_cards(text.replace("=", ""))] for text in texts]
        joined = ["".join(tiles.get(card, card) for card in each) for each in cards]
        return [mark + text for mark, text in zip(marks, joined, strict=True)]

    fields = {"preset": "easy-rummy"} | {
        name: value for name, value in fields.items() if name in ("jokers", "initial_meld")
    }
    return Position(as_tiles(position.table), as_tiles(position.hand), fields)


def cards_of(table):
    def card(tile):
        return card_text(ref.Tile("krby".index(tile[0][0]), int(tile[0][1:])))

    return tuple(re.sub(r"[krby]\d+", card, text) for text in table)


@given(near_misses())
def test_legal_is_what_is_listed(drawn):
    position, tables = drawn
    moves = list(position.moves())
    listed = {(tuple(sorted(move.table)), move.discard): move for move in moves}
    discards_of = defaultdict(set)
    for table, discard in listed:
        discards_of[table].add(discard)
    for table in tables:
        key = tuple(sorted(table))
        assert position.check(table).legal == bool(discards_of[key])
        for discard in {*position.hand, "*", "2D"}:
            verdict = position.check(table, discard)
            assert verdict.legal == ((key, discard) in listed), (table, discard, verdict)
            assert verdict.legal == (not verdict.problems)
            if verdict.legal:
                assert position.move_to(table, discard) == listed[key, discard]
            else:
                with pytest.raises(IllegalMove) as caught:
                    position.move_to(table, discard)
                assert caught.value.problems == verdict.problems
    for move in moves[:: 1 + len(moves) // 50]:
        assert position.check(move.table, move.discard).legal
        after = position.play(move)
        assert after.table == move.table
        assert after.taken is None
        assert after.opened == (position.opened or move.table != position.table)
        assert len(after.hand) == len(position.hand) - move.net - 1


@given(positions())
def test_as_few_are_rescued_as_the_reference_finds(drawn):
    fields, model = drawn
    position = to_core(fields, model)
    least = {}
    for stage in ref.last_stages(model):
        laid_from_hand = model.hand.count(JOKER) - stage.hand.count(JOKER)
        rescued = stage.rescued + stage.laid.count(JOKER) - laid_from_hand
        for outcome in ref.outcomes_of(stage):
            key = tuple(sorted(ref.table_text(outcome.table, model.rules))), card_text(outcome.discard)
            least[key] = min(rescued, least.get(key, rescued))
    for move in position.moves():
        assert move.rescued(position) == least[tuple(sorted(move.table)), move.discard], move


DECK = [rank + suit for suit in "SHCD" for rank in ref.RANKS] * 2 + ["*"] * 2
FULL = partitions(DECK, "rummy-40")


@st.composite
def crowded(draw):
    """A position of a full table."""
    chance = draw(st.randoms(use_true_random=False))
    [full] = FULL.sample(1, chance.getrandbits(32))
    table = chance.sample(full, len(full) * draw(st.integers(2, 4)) // 4)
    loose = Counter(DECK) - Counter(map(card_text, ref.read_cards("".join(table).replace("=", ""))))
    hand = chance.sample(sorted(loose.elements()), min(8, loose.total()))
    taken = draw(st.sampled_from([None, *hand]))
    rules = draw(card_rules) | {"jokers": 2, "max_jokers_per_set": None}
    return Position(table, hand, rules, draw(st.booleans()), taken=taken)


@given(crowded())
def test_full_tables(position):
    moves = position.moves()
    for move in moves.sample(10, 1) if moves else []:
        assert position.check(move.table, move.discard).legal, move
        assert moves[moves.index(move)] == move


EXAMPLES = [
    # the sets of the table
    ("5S6S7S | 8S 2D", "5S6S7S8S", "2D", None, []),
    ("5S6S7S | 8S 2D", "5S6S8S", "2D", None, ["invalid_set", "tile_missing", "joker_set_broken"]),
    ("5S6S7S8S | 9S 2D 2H", "6S7S8S9S", "2D", None, ["tile_missing", "joker_set_broken"]),
    ("5S6S7S8S9S10S | 2D", "5S6S7S 8S9S10S", "2D", None, ["joker_set_broken"]),
    ("5S6S7S | 8S 2D", "5S6S7S8S9S", "2D", None, ["tile_not_in_hand"]),
    ("5S6S7S 5S6S7S | 2D", "5S6S7S", "2D", None, ["tile_missing"] * 3 + ["joker_set_broken"]),
    # two sets do not become one
    ("5S6S7S 8S9S10S | JS 2D", "5S6S7S8S9S10SJS", "2D", None, ["joker_set_broken"]),
    # jokers
    ("5S6S7S* | KS KH 2D", "5S6S7S KSKH*", "2D", None, ["joker_not_replaced"]),
    ("9H9C* | 9S KS KH 2D", "9S9H9C KSKH*", "2D", None, ["group_joker_needs_all"]),
    ("9H9C9D* | 9S KS KH 2D", "9S9H9C9D KSKH*", "2D", None, ["joker_set_broken"]),
    ("5S*7S | 6S 2D", "5S6S7S **6H", "2D", None, ["tile_not_in_hand"] * 2),
    # the opening
    ("5S6S7S | KS KH KC 2D | opening", "5S6S7S KSKHKC", "2D", None, ["initial_meld_too_low"]),
    ("5S6S7S | 8S 2D | opening", "5S6S7S8S", "2D", None, ["initial_meld_too_low"]),
    ("5S6S7S | 8S 2D | opening", "5S6S7S", "2D", None, []),
    ("5S6S7S | KS KH KC KD 8S 2D | opening", "5S6S7S8S KSKHKCKD", "2D", None, []),
    # the card taken
    ("5S6S7S | 8S 2D", "5S6S7S8S", "2D", "8S", []),
    ("5S6S7S | 8S 2D 3D", "5S6S7S", "2D", "8S", ["taken_card_not_laid"]),
    ("5S6S7S | * 2D 3D", "5S6S7S", "2D", "*", ["taken_card_not_laid"]),
    ("5S*7S | * 6S 2D", "5S6S7S", "2D", "*", ["taken_card_not_laid"]),
    ("5S6S7S | KS KH KC KD 8S 2D | opening", "5S6S7S8S KSKHKCKD", "2D", "8S", ["taken_card_not_laid"]),
    ("| KS KH KC 2D | opening", "KSKHKC", "2D", "KS", ["initial_meld_too_low"]),
    # the discard
    ("5S6S7S | 8S 2D", "5S6S7S8S", "8S", None, ["tile_not_in_hand"]),
    ("5S6S7S | 8S 2D", "5S6S7S8S", "3D", None, ["tile_not_in_hand"]),
    ("5S6S7S | 8S 2D", "5S6S7S8S", "*", None, ["tile_not_in_hand"]),
    ("5S6S7S | 8S", "5S6S7S8S", "8S", None, ["no_discard"]),
    ("5S6S7S | 8S", "5S6S7S8S", None, None, ["no_discard"]),
    ("5S6S7S | 8S 2D", "5S6S7S8S", None, None, []),
    ("5S*7S | 6S", "5S6S7S", "*", None, []),
]


@pytest.mark.parametrize(("text", "after", "discard", "taken", "codes"), EXAMPLES)
def test_reasons(text, after, discard, taken, codes):
    verdict = Position.parse(text, "rummy-40", taken=taken).check(after, discard)
    assert [problem.code for problem in verdict.problems] == codes, verdict.problems
    assert verdict.legal == (codes == [])


def test_what_it_says_of_jokers_and_values():
    position = Position.parse("5S*7S =9H** | 6S 9S 9D KS KH KC AD 2H", {"preset": "rummy-40", "jokers": 3})
    verdict = position.check("5S6S7S =9H** KSKHKC")
    assert verdict.meld_value == 30
    assert [(joker.set, joker.stands_for, joker.kept) for joker in verdict.jokers] == [
        ("5S*7S", "6S", False),
        ("=9H**", "9S 9C 9D", True),
        ("=9H**", "9S 9C 9D", True),
    ]
    assert [joker.freed_by for joker in position.jokers()] == [(("6S",),), *[(("9S", "9D"),)] * 2]


def test_the_card_taken_may_have_to_be_worth_40_by_itself():
    rules = {"preset": "rummy-40", "discard_needs_40_always": True}
    position = Position.parse("5S6S7S | 8S KS KH KC 2D", rules, taken="8S")
    [problem] = position.check("5S6S7S8S", "2D").problems
    assert problem.code == "taken_card_not_laid"
    assert problem.message == "8S, taken from the discard pile, has to lie in a new set that is worth 40 by itself"


def test_a_table_of_more_cards_than_there_are():
    codes = {problem.code for problem in Position.parse("| 2D", "rummy-40").check(["5S6S7S", "5S6S7S8S"] * 20).problems}
    assert codes == {"tile_not_in_hand"}


def test_playing():
    position = Position.parse("5S*7S | 6S 2D 2D", "rummy-40", taken="6S")
    [move] = [move for move in position.moves() if move.table == ("5S6S7S",) and move.discard == "2D"]
    assert str(position.play(move)) == "5S6S7S | 2D *"
    for wrong in (move._replace(points=1), move._replace(discard="6S"), move._replace(table=("5S6S7S8S",))):
        with pytest.raises(IllegalMove):
            position.play(wrong)
    for wrong in (None, Move("6S", "5S6S7S", 6, 0, cards=True), "5S6S7S"):
        with pytest.raises(TypeError):
            position.play(wrong)


def test_an_unopened_player_who_lays_nothing_has_not_opened():
    position = Position.parse("5S6S7S | 8S 2D | opening", "rummy-40")
    assert str(position.play(position.moves()[0])) == "5S6S7S | 2D | opening"
    nothing = CardMove((), ("5S6S7S",), 0, 1, "2D", 0)
    assert position.move_to("5S6S7S", "2d") == nothing


def test_discards_are_of_the_card_game():
    with pytest.raises(BadRequest, match="discard is missing"):
        Position.parse("5S6S7S | 8S 2D", "rummy-40").move_to("5S6S7S8S")
    tiles = Position.parse("r5r6r7 | r8 b2", "easy-rummy")
    for ask in (tiles.check, tiles.move_to):
        with pytest.raises(BadRequest, match="only turns of the card game"):
            ask("r5r6r7r8", "b2")
