"""The referee: what it calls legal is what the reference does, and it gives every reason why a turn is not."""

import pickle
from collections import Counter
from dataclasses import FrozenInstanceError
from itertools import islice

import pytest
from hypothesis import event, given, settings

import meldcore
import reference as ref
from meldcore import BadPosition, BadTile, IllegalMove, JokerRole, Position, Problem, Rules, TableJoker
from meldcore.referee import CODES
from strategies import accidents, joker_positions, positions
from translation import position_of

NAMES = {name: getattr(meldcore, name) for name in ("Verdict", "TableJoker", "Problem", "JokerRole")}


# ---- against the reference


def check_agrees(position, drawn, after):
    """`after`: lists of tiles, each meant as a set; the verdict on them."""
    fields, table, hand, opened = drawn
    rules = ref.read_rules(fields)
    read = [ref.readings(tiles, rules) for tiles in after]
    legal = all(read) and ref.is_legal(table, hand, opened, rules, ref.arrange(each[0] for each in read))
    verdict = position.check(["".join(map(str, tiles)) for tiles in after])
    assert verdict.legal == legal, (position, fields, after, verdict)
    assert verdict.legal == (not verdict.problems)
    ranks = [CODES.index(problem.code) for problem in verdict.problems]
    assert ranks == sorted(ranks)
    laid = Counter(tile for tiles in after for tile in tiles) - ref.tiles_of(table)
    assert Counter(ref.read_tiles(verdict.played)) == laid
    assert [joker.set for joker in verdict.jokers] == [
        ref.set_text(meld, rules) for meld in table for _ in range(meld.jokers)
    ]
    return verdict


def of_texts(texts, rules):
    """The tiles of sets in an order that reads as the set meant; none for a group that only "=" tells apart."""
    return None if any(text.startswith("=") for text in texts) else [ref.read_tiles(text) for text in texts]


thorough = settings(max_examples=150)


@thorough
@given(positions(3, 6, 11) | joker_positions())
def test_the_arrangements_of_table_and_hand(drawn):
    fields, table, hand, _ = drawn
    rules = ref.read_rules(fields)
    position = position_of(drawn)
    for after in islice(ref.arrangements(ref.tiles_of(table).elements(), hand, rules), 300):
        tiles = of_texts(ref.table_text(after, rules), rules)
        if tiles is not None:
            verdict = check_agrees(position, drawn, tiles)
            for problem in verdict.problems:
                event(problem.code)


@thorough
@given(accidents(positions(3, 6, 12) | joker_positions()))
def test_tables_with_accidents(accident):
    drawn, after = accident
    check_agrees(position_of(drawn), drawn, after)


# ---- every problem, by example

TABLE_PLAY = {"preset": "rummi-q", "table_play_on_opening_turn": True}
FOUR_JOKERS = {"preset": "rummi-q", "jokers": 4}

EXAMPLES = [
    # the rules, the position, the table after, the problems: codes with the sets or tiles they concern
    ("rummi-q", "r4r5r6 | r7 r8", "r4r5r6 r7r8", [("invalid_set", "r7r8")]),
    ("rummi-q", "r4r5r6 | r7 r9", "r4r5r6r7r9", [("invalid_set", "r4r5r6r7r9")]),
    ("rummi-q", "r4*r6 | r7", "*r4 r6r7", [("invalid_set", "*r4"), ("invalid_set", "r6r7")]),
    ({"max_jokers_per_set": 1}, "r4r5r6 | * *", "r4r5r6**", [("invalid_set", "r4r5r6**")]),
    ("easy-rummy", "r4r5r6r7 | k1 k2 k3", "r5r6r7 k1k2k3", [("tile_missing", "r4")]),
    ("easy-rummy", "r4r5r6 | r8", "r4r5r6r7", [("tile_not_in_hand", "r7")]),
    ("easy-rummy", "r4r5r6 | r7", "r4r5r6r7*", [("tile_not_in_hand", "*")]),
    ("easy-rummy", "r4r5r6 | r4 r5 r6", "r4r5r6 r4r5r6 r4r5r6", [
        ("tile_not_in_hand", "r4"), ("tile_not_in_hand", "r5"), ("tile_not_in_hand", "r6"),
    ]),
    ("easy-rummy", "r1r2r3r4r5r6 | b9", "r1r2r3 r4r5r6", [("nothing_played", None)]),
    ("easy-rummy", "r4r5r6r7 | k1", "r5r6r7", [("tile_missing", "r4"), ("nothing_played", None)]),
    # opening
    ("rummi-q", "r4r5r6 | r7 k11 k12 k13 | opening", "r4r5r6r7 k11k12k13", [
        ("table_touched_before_opening", "r4r5r6"),
    ]),
    ("rummi-q", "r4r5r6 | k1 k2 k3 | opening", "r4r5r6 k1k2k3", [("initial_meld_too_low", None)]),
    ("rummi-q", "r4r5r6 | r7 | opening", "r4r5r6r7", [
        ("table_touched_before_opening", "r4r5r6"), ("initial_meld_too_low", None),
    ]),
    ("rummi-q", "r5*r7 | r6 k11 k12 | opening", "r5r6r7 *k11k12", [
        ("table_touched_before_opening", "r5*r7"), ("initial_meld_too_low", None),
    ]),
    ("rummi-q", "| b1 b2 * k4 k5 k6 k7 | opening", "b1b2* k4k5k6k7", [("initial_meld_too_low", None)]),
    ("rummi-q", "| k10 k11 * | opening", "k10k11*", []),
    ({"preset": "rummi-q", "initial_meld": 0}, "r4r5r6 | r7 | opening", "r4r5r6r7", []),
    (TABLE_PLAY, "r4r5r6 | r7 k11 k12 k13 | opening", "r4r5r6r7 k11k12k13", []),
    (TABLE_PLAY, "r4r5r6 | r7 k1 k2 k3 | opening", "r4r5r6r7 k1k2k3", [("initial_meld_too_low", None)]),
    (TABLE_PLAY, "r4*r6 | k11 k12 k13 | opening", "*k11k12k13 r4r6", [
        ("invalid_set", "r4r6"), ("joker_not_replaced", "r4*r6"),
    ]),
    # when a joker may leave
    ("easy-rummy", "r4*r6r7 r1r2r3 | k8 b8", "r1r2r3r4 r6r7* k8b8", [("invalid_set", "k8b8")]),
    ("tile-rummy", "r4*r6 r1r2r3 r7r8r9 | k8 b8", "r1r2r3r4 r6r7r8r9 k8b8*", [("joker_not_replaced", "r4*r6")]),
    ("tile-rummy", "r4*r6 r1r2r3 r7r8r9 k5b5y5r5 | k8 b8", "r1r2r3r4 r6r7r8r9 k8b8* k5b5y5r5", []),
    ("tile-rummy", "k7b7** | r7 k1 k2 k3 k9", "k7r7b7 *k9* k1k2k3", []),
    ("dutch-rummy", "k7b7** | r7 k1 k2 k3 k9", "k7r7b7 *k9* k1k2k3", [("joker_not_replaced", "k7b7**")]),
    ("dutch-rummy", "r4*r6 | r5 k8 b8", "r4r5r6 k8b8*", []),
    ("dutch-rummy", "r4*r6 r1r2r3 r7r8r9 k5b5y5r5 | k8 b8", "r1r2r3r4 r6r7r8r9 k8b8* k5b5y5r5", [
        ("joker_not_replaced", "r4*r6"),
    ]),
    ("dutch-rummy", "r4*r6 k5b5y5r5 | k8 b8", "r4r5r6 k8b8* k5b5y5", [("joker_replaced_from_table", "r4*r6")]),
    (FOUR_JOKERS, "r4*r6 r4*r6 | r5 k8 b8 k9 b9", "r4r5r6 r4r6k8b8** k9b9", [
        ("invalid_set", "r4r6k8b8**"), ("invalid_set", "k9b9"),
    ]),
    ("dutch-rummy", "r4*r6 r4*r6 r1r2r3 r7r8r9 | r5 k8 b8 k9 b9", "r4r5r6 r1r2r3r4 r6r7r8r9 k8b8* k9b9*", [
        ("joker_not_replaced", "r4*r6"),
    ]),
    ("rummi-q", "k7b7* | y7 k10 k11", "k7b7y7 k10k11*", []),
    ("rummi-q-tournament", "k7b7* | y7 k10 k11", "k7b7y7 k10k11*", [("group_joker_needs_all", "k7b7*")]),
    ("rummi-q-tournament", "k7b7* | r7 y7 k10 k11", "k7r7b7y7 k10k11*", []),
    ("rummi-q-tournament", "k7r7b7* | y7 k10 k11", "k7r7b7y7 k10k11*", []),
    # a kept joker
    ("dutch-rummy", "r4*r6 r7r8r9 | r3", "r3r4* r6r7r8r9", []),
    ("rrrummy", "r4*r6 r7r8r9 | r3", "r3r4* r6r7r8r9", [("joker_set_broken", "r4*r6")]),
    ("rrrummy", "r4*r6 | r3 r7", "r3r4*r6r7", []),
    ("rrrummy", "r4*r6 r7*r9 | r10", "r4*r6r7*r9r10", [("joker_set_broken", "r7*r9")]),
    ("rrrummy", "r4*r6 k3r3b3y3 | r2", "r2r3r4*r6 k3b3y3", []),
    # where a retrieved joker goes
    ("rrrummy", "r4*r6 k7b7y7 | r5", "r4r5r6 k7b7y7*", []),
    ("rummi-q", "r4*r6 k7b7y7 | r5", "r4r5r6 k7b7y7*", [("retrieved_joker_misplaced", "k7b7y7*")]),
    ("rummi-q", "r4*r6 k7b7y7r7 | r5 k8 k9", "r4r5r6 b7y7r7 k7k8k9*", []),
    ("tiles-50", "r4*r6 k7b7y7r7 | r5 k8 k9", "r4r5r6 b7y7r7 k7k8k9*", [("retrieved_joker_misplaced", "k7k8k9*")]),
    ("tiles-50", "r4*r6 k7b7y7r7 | r5 k8 k9", "r4r5r6 k7b7y7r7 k8k9*", []),
    ("rummi-q", "r4*r6 r7r8r9r10 | r5 r11", "r4r5r6 r7r8r9 r10r11*", [("retrieved_joker_misplaced", "r10r11*")]),
    ("rummi-q", "r4*r6 | r5 k6 k7", "r4r5r6 k6k7*", []),
    ("rummi-q", "r4*r6 r4*r6 k7b7y7 k8b8y8 | r5 r5", "r4r5r6 r4r5r6 k7b7y7* k8b8y8*", [
        ("retrieved_joker_misplaced", "k7b7y7*"), ("retrieved_joker_misplaced", "k8b8y8*"),
    ]),
    ("rummi-q", "r4*r6 k6b6* | r5", "r4r5r6 k6b6**", [("retrieved_joker_misplaced", "k6b6**")]),
    ("rummi-q", "r4*r6 r1r2r3 r7r8r9 k8b8y8 | k9", "r1r2r3r4 r6r7r8r9 k8b8y8*", [
        ("nothing_played", None), ("joker_not_replaced", "r4*r6"), ("retrieved_joker_misplaced", "k8b8y8*"),
    ]),
    # a joker that is gone
    ("rrrummy", "r5*r7 | r6 b3 y3 k3", "r5r6r7 b3y3k3", [("joker_kept_in_hand", "*")]),
    ("easy-rummy", "r5*r7 | r6 b3 y3 k3", "r5r6r7 b3y3k3", [("joker_kept_in_hand", "*")]),
    ("dutch-rummy", "r5r6r7* | b3 y3 k3", "r5r6r7 b3y3k3", [
        ("joker_not_replaced", "r5r6r7*"), ("joker_kept_in_hand", "*"),
    ]),
]  # fmt: skip


@pytest.mark.parametrize(("rules", "position", "after", "problems"), EXAMPLES)
def test_every_problem_of_an_example(rules, position, after, problems):
    position = Position.parse(position, rules)
    verdict = position.check(after)
    assert [(problem.code, problem.set) for problem in verdict.problems] == problems
    assert verdict.legal == (not problems)
    assert position.check(after.split()) == verdict
    if verdict.legal:
        move = position.move_to(after)
        assert move.played == verdict.played
        assert position.play(move).table == move.table
    else:
        with pytest.raises(IllegalMove) as caught:
            position.move_to(after)
        assert caught.value.problems == verdict.problems
        assert str(caught.value) == verdict.problems[0].message


def test_the_examples_show_every_code():
    of_cards = {"taken_card_not_laid", "no_discard"}
    assert {code for *_, problems in EXAMPLES for code, _ in problems} == set(CODES) - of_cards


@pytest.mark.parametrize(
    ("rules", "position", "after", "message"),
    [
        (
            "rummi-q", "r4*r6 r1r2r3 r7r8r9 | k8 b8", "r1r2r3r4 r6r7r8r9 k8b8*",
            "the joker in r4*r6 was moved, but no r5 from your hand took its place",
        ),
        (
            "tile-rummy", "k4b4* r1r2r3 | b3 b5 k3 k5", "k3k4k5 b3b4b5 r1r2r3*",
            "the joker in k4b4* was moved, but no r4 or y4 on the table or from your hand took its place",
        ),
        (
            "dutch-rummy", "r4*r6 k5b5y5r5 | k8 b8", "r4r5r6 k8b8* k5b5y5",
            "the joker in r4*r6 was moved, and the r5 in its place came from the table: "
            "it has to come from your hand",
        ),
    ],
)  # fmt: skip
def test_sentences(rules, position, after, message):
    assert [problem.message for problem in Position.parse(position, rules).check(after).problems] == [message]


def test_a_joker_in_no_set_excuses_what_depends_on_it():
    verdict = Position.parse("r4*r6 | k8 b8").check("k8b8 r4r6 *")
    assert {problem.code for problem in verdict.problems} == {"invalid_set"}


def test_jokers_of_the_table_before():
    check = Position.parse("r4*r6 k7b7* k9r9b9* r1r2* | r5 k3 k4", FOUR_JOKERS).check
    assert check("r4r5r6 k7b7* k9r9b9* r1r2* k3k4*").jokers == (
        TableJoker("r1r2*", "r3", True),
        TableJoker("r4*r6", "r5", False),
        TableJoker("k7b7*", "r7 y7", True),
        TableJoker("k9r9b9*", "y9", True),
    )


def test_meld_value():
    def worth(rules, position, after):
        return Position.parse(position, rules).check(after).meld_value

    assert worth("rummi-q", "r4r5r6 | k10 k11 * | opening", "r4r5r6 k10k11*") == 33
    assert worth("rummi-q", "r4r5r6 | k10 k11 * | opening", "r4r5r6 *k10k11") == 30
    assert worth("rummy-o", "r4r5r6 | k10 k11 * | opening", "r4r5r6 k10k11*") == 51
    assert worth("rummi-q", "r4r5r6 | k1 k2 k3 r7", "r4r5r6r7 k1k2k3") == 6
    assert worth("rummi-q", "k1k2k3 | k1 k2 k3", "k1k2k3 k1k2k3") == 6
    # the best that the tiles played are worth, wherever they lie
    assert worth(TABLE_PLAY, "r4r5r6 | r7 k10 k11 * | opening", "r4r5r6r7* k10k11") == 33
    assert worth(TABLE_PLAY, "r4r5r6 | r7 | opening", "r4r5r6r7") == 0


def test_what_is_no_tile_is_an_error():
    with pytest.raises(BadTile, match="'r14'") as caught:
        Position.parse("r4r5r6 | r7").check(["r4r5", "r12r13r14"])
    assert caught.value.path == "$.after[1]"


def test_more_tiles_than_there_are():
    verdict = Position.parse("r4r5r6 | r7").check("r4" * 1000)
    assert [problem.code for problem in verdict.problems][:2] == ["invalid_set", "tile_missing"]
    verdict = Position.parse("r4r5r6 | r7 | opening", TABLE_PLAY).check(["r4r5r6r7"] + ["k1k2*"] * 60)
    assert [problem.set for problem in verdict.problems] == ["k1", "k2", "*", None]
    assert len(Position.parse("r4r5r6 | r7").check(["r4"] * 184).problems) == 184 + 3
    for pieces in (["r4"] * 185, "r4 " * 100_000, ["r4r5r6"] * 65):
        with pytest.raises(BadPosition, match="no edition has the tiles for them") as caught:
            Position.parse("r4r5r6 | r7").check(pieces)
        assert caught.value.path == "$.after"


def test_more_jokers_than_there_are():
    table = "r4*r6 r4*r6 b4*b6 b4*b6"
    position = Position.parse(f"{table} | r3 r7 b3 b7 k1 k2", {"preset": "rummi-q", "jokers": 4, "copies": 3})
    verdict = position.check(["r3r4*r6r7", "r2r3r4*r6", "b3b4*b6", "b4*b6b7"] * 15)
    assert {problem.code for problem in verdict.problems} == {"tile_not_in_hand"}
    assert [joker.kept for joker in verdict.jokers] == [False] * 4
    verdict = Position.parse("r4*r6 k7b7* r7r8r9 | r5 k1 k2").check("r4r5*r7 k7b7* k1k2* r8r9*")
    assert [problem.set for problem in verdict.problems] == ["r6", "*"]
    assert [joker.kept for joker in verdict.jokers] == [False, True]


def test_verdicts_are_values():
    position = Position.parse("r4*r6 r1r2r3 r7r8r9 | k8 b8")
    verdict = position.check("r1r2r3r4 r6r7r8r9 k8b8*")
    for other in (eval(repr(verdict), dict(NAMES)), pickle.loads(pickle.dumps(verdict))):
        assert other == verdict
        assert hash(other) == hash(verdict)
    assert verdict != position.check("r4*r6 r1r2r3 r7r8r9")
    assert verdict.problems[0] == Problem("joker_not_replaced", verdict.problems[0].message, "r4*r6")
    with pytest.raises(FrozenInstanceError):
        verdict.legal = True


# ---- the jokers on the table now


@pytest.mark.parametrize(
    ("rules", "freed_by"),
    [
        ("easy-rummy", [[()], [()], [()]]),
        ("tile-rummy", [[("r5",)], [()], [()]]),
        ("rummi-q", [[("r5",)], [("r7",), ("y7",)], [("y9",)]]),
        ("rummi-q-tournament", [[("r5",)], [("r7", "y7")], [("y9",)]]),
    ],
)
def test_jokers_of_a_position(rules, freed_by):
    rules = Rules.preset(rules, jokers=4, copies=3)
    table, hand = "r4*r6 k7b7* k9r9b9* y7y8y9", "r5 r5 r7 y7 y9 k1"
    roles = Position(table, hand, rules).jokers()
    assert [(role.set, role.stands_for) for role in roles] == [
        ("r4*r6", "r5"), ("k7b7*", "r7 y7"), ("k9r9b9*", "y9"),
    ]  # fmt: skip
    assert [list(role.freed_by) for role in roles] == freed_by
    assert eval(repr(roles), dict(NAMES)) == roles
    assert [role.freed_by for role in Position(table, hand, rules, opened=False).jokers()] == [()] * 3


def test_a_joker_that_nothing_frees():
    assert Position.parse("r4*r6 k7b7* | k5 r7", "rummi-q-tournament").jokers() == (
        JokerRole("r4*r6", "r5", ()),
        JokerRole("k7b7*", "r7 y7", ()),
    )
