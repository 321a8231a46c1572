"""Turns with jokers on the table, under every joker rule: the searches against the reference, and each other."""

from __future__ import annotations

from contextlib import suppress
from itertools import pairwise

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

import reference as ref
from meldcore import Position, TooLarge
from strategies import JOKER_RULES, accidents, choosy, crowded, joker_positions
from test_referee import EXAMPLES
from translation import as_move, position_of

thorough = settings(choosy, max_examples=150)
quick = settings(thorough, max_examples=60)


def listed(drawn):
    """All legal turns by the reference."""
    fields, table, hand, opened = drawn
    event(f"jokers on the table: {ref.tiles_of(table)[ref.JOKER]}")
    return ref.moves(table, hand, opened, ref.read_rules(fields))


# ---- against the reference


@thorough
@given(drawn=joker_positions(), data=st.data())
def test_moves_are_those_of_the_reference(drawn, data):
    rules = ref.read_rules(drawn[0])
    legal = [as_move(move, rules) for move in listed(drawn)]
    position = position_of(drawn)
    moves = position.moves()
    in_order = list(moves)
    assert position.count() == moves.total == len(moves) == len(in_order) == len(legal)
    assert bool(moves) == bool(legal)
    assert set(in_order) == set(legal)
    assert len(set(in_order)) == len(in_order)
    assert [moves[i] for i in range(len(moves))] == in_order
    assert [moves.index(move) for move in in_order] == list(range(len(moves)))
    assert list(reversed(moves)) == in_order[::-1]
    part = data.draw(st.slices(len(in_order)))
    assert list(moves[part]) == in_order[part]
    assert moves[part].total == len(in_order[part])
    if moves:
        drawn_twice = [position.moves().sample(5, seed=len(legal)) for _ in range(2)]
        assert drawn_twice[0] == drawn_twice[1]
        assert set(drawn_twice[0]) <= set(legal)


@thorough
@given(drawn=joker_positions())
def test_plays_are_those_of_the_reference(drawn):
    legal = listed(drawn)
    plays = position_of(drawn).plays()
    arrangements = {tuple(map(str, played)): many for played, many in ref.plays(legal).items()}
    assert {play.played: play.arrangements for play in plays} == arrangements
    assert {play.played: play.points for play in plays} == {tuple(map(str, move.played)): move.points for move in legal}
    assert plays.total == len(arrangements)
    assert [plays.index(play) for play in plays] == list(range(plays.total))


@thorough
@given(drawn=joker_positions(), data=st.data())
def test_the_best_moves_are_those_of_the_reference(drawn, data):
    fields, _, hand, _ = drawn
    rules = ref.read_rules(fields)
    legal = listed(drawn)
    position = position_of(drawn)
    moves = position.moves()
    in_order = list(moves)
    held = sorted({str(tile) for tile in hand} | {"*"})
    weights = data.draw(st.dictionaries(st.sampled_from(held), st.integers(-9, 9)))

    def those(found):
        chosen = {as_move(move, rules) for move in found}
        return [move for move in in_order if move in chosen]

    for objective, wanted in (("tiles", "tiles"), ("points", "points"), ({"weights": weights}, weights)):
        first = next(iter(those(ref.best(legal, wanted))), None)
        assert position.best(objective) == moves.best(objective) == first
        stable = next(iter(those(ref.best(legal, wanted, "fewest_changes"))), None)
        assert position.best(objective, prefer="fewest_changes") == stable
        optimal = those(ref.optimal(legal, wanted))
        best = position.best_moves(objective)
        assert list(best) == optimal
        assert best.total == len(best) == len(optimal)
        assert [best.index(move) for move in optimal] == list(range(len(optimal)))
        assert [best[i] for i in range(len(optimal))] == optimal
        assert moves.count_best(objective) == position.count_best(objective) == len(optimal)


@thorough
@given(drawn=joker_positions())
def test_what_is_listed_is_what_the_referee_lets_through(drawn):
    fields, table, hand, _ = drawn
    rules = ref.read_rules(fields)
    legal = {move.table for move in listed(drawn)}
    position = position_of(drawn)
    moves = position.moves()
    for after in ref.arrangements(ref.tiles_of(table).elements(), hand, rules):
        move = as_move(ref.move_to(table, after, rules), rules)
        assert position.check(move.table).legal == (move in moves) == (after in legal), (move, fields)


@thorough
@given(accident=accidents(joker_positions()))
def test_near_misses_are_no_moves(accident):
    drawn, after = accident
    fields, table, _, _ = drawn
    rules = ref.read_rules(fields)
    read = [ref.readings(tiles, rules) for tiles in after]
    verdict = position_of(drawn).check(["".join(map(str, tiles)) for tiles in after])
    if not all(read):
        assert not verdict.legal
        return
    laid = ref.arrange(meant for meant, *_ in read)
    assert verdict.legal == (laid in {move.table for move in listed(drawn)}), fields
    assert verdict.legal == (as_move(ref.move_to(table, laid, rules), rules) in position_of(drawn).moves())


LADDERS = [
    # free, replace, replace_from_hand, locked, new_set, hand_only_set
    [mix for mix in JOKER_RULES if not mix.get("group_joker_needs_all")],
    # the tournament's condition with each of these
    [mix for mix in JOKER_RULES if mix.get("group_joker_needs_all", True)],
    *(
        [mix | {"group_joker_needs_all": needs_all} for needs_all in (False, True)]
        for mix in JOKER_RULES
        if mix.get("joker_sets_locked")
    ),
]


@quick
@given(drawn=joker_positions(joker_rules=st.just({})))
def test_the_joker_rules_form_a_ladder(drawn):
    """Each step allows a part of what the step above allows, and counts no more."""
    fields, table, hand, opened = drawn

    def allowed(mix):
        return {move.table for move in position_of((fields | mix, table, hand, opened)).moves()}

    for steps in LADDERS:
        for above, below in pairwise(map(allowed, steps)):
            assert above >= below


# ---- beyond the reference

FREE = {
    "joker_retrieval": "free",
    "joker_sets_locked": False,
    "retrieved_joker_use": "anywhere",
    "group_joker_needs_all": False,
}


@quick
@given(drawn=crowded(), seed=st.integers(0, 2**32))
def test_full_tables(drawn, seed):
    """Among turns that are legal with free jokers, those are moves that the referee lets through."""
    fields, table, hand, opened = drawn
    position = position_of(drawn)
    moves = position.moves()
    free = position_of((fields | FREE, table, hand, opened)).moves()
    assert moves.total == position.count() <= free.total
    for move in (free.sample(20, seed) if free else []) + (moves.sample(20, seed) if moves else []):
        assert position.check(move.table).legal == (move in moves)
        if move in moves:
            assert moves[moves.index(move)] == move


# ---- traps, counted by hand

ALL_TILE_GAMES = sorted(set(ref.PRESETS) - {"pup-rummy"})
LOCKED_GAMES = ["rrrummy", "rummi-q", "rummi-q-tournament", "rummy-o", "tiles-50"]
CORE_GAMES = ["rummi-q", "rummi-q-tournament", "rummy-o", "tiles-50"]

TRAPS = [
    pytest.param(
        # One r7 or the other is one move, not two: the joker goes to either end of r5r6r7.
        "r5r6* | r7 r7",
        dict.fromkeys(ALL_TILE_GAMES, 2) | dict.fromkeys(CORE_GAMES, 0),
        id="two copies in hand",
    ),
    pytest.param(
        # k7r7b7*: the joker is kept and r7 added, or r7 replaces it and it comes back.
        "k7b7* | r7",
        dict.fromkeys(ALL_TILE_GAMES, 1),
        id="one table for two reasons",
    ),
    pytest.param(
        # r3*r5r6 k8r8b8y8 has the joker for another tile than before, which a bag of tiles does not show.
        "r5r6*r8 k8b8y8 | r3",
        dict.fromkeys(ALL_TILE_GAMES, 0) | {"easy-rummy": 1},
        id="the role of a joker",
    ),
    pytest.param(
        # r6*r8 k5r5b5: the joker stands for r7 still, its neighbour r5 leaves.
        "r5r6*r8 | b5 k5",
        dict.fromkeys(ALL_TILE_GAMES, 1) | dict.fromkeys(LOCKED_GAMES, 0),
        id="a kept joker whose neighbour leaves",
    ),
    pytest.param(
        # r4*r6r7 k5r5b5 in every game; r4r5r6r7 k5b5* where the r5 of the table is within reach.
        "r4*r6 k5r5b5 | r7",
        dict.fromkeys(ALL_TILE_GAMES, 1) | {"easy-rummy": 2, "tile-rummy": 2},
        id="replaced from the table",
    ),
    pytest.param(
        # r4*r6r7 k5r5*; then r4r5r6r7 =k5**, whose r5 lay in a joker set; and with k5** *k5* **k5 as runs.
        "r4*r6 k5r5* | r7",
        dict.fromkeys(ALL_TILE_GAMES, 1) | {"easy-rummy": 5, "tile-rummy": 2},
        id="replaced from a joker set",
    ),
    pytest.param(
        # k5r5** with k5 alone. With all three k5r5* b9y9*: in a tournament k5 does not complete the fives.
        "=r5** | k5 b9 y9",
        dict.fromkeys(ALL_TILE_GAMES, 2) | {"rummi-q-tournament": 1},
        id="two jokers in a group",
    ),
    pytest.param(
        # With k3 or y3 a group of four; with k8y8 one of them or both free the joker for k8y8*, in a
        # tournament only both.
        "r3b3* | k3 y3 k8 y8",
        dict.fromkeys(ALL_TILE_GAMES, 5) | {"rummi-q-tournament": 3},
        id="completing a group",
    ),
    pytest.param(
        # r7, r7 r8 leave the joker where it is: 2. With r5 it is free: r5 *r4r5r6 r4r5r6*, r5 r7 *r4r5r6r7
        # r4r5r6r7*, r5 r8 r4r5r6*r8: 5. With r5 r7 r8 there are runs of six with the joker at either end, and
        # r4r5r6 with r7r8* or *r7r8, r6r7r8 with r4r5* or *r4r5: 6. A core of r7 r8 is in r4r5r6r7r8* and in
        # the two with r4r5r6, which alone are of hand tiles only.
        "r4*r6 | r5 r7 r8",
        dict.fromkeys(ALL_TILE_GAMES, 13) | dict.fromkeys(CORE_GAMES, 5) | {"tiles-50": 4},
        id="a core in a run of six",
    ),
    pytest.param(
        # r4, r6, or both with the joker kept: 3. With k5 it goes to r4*r6, the run may take in r1r2r3 and r7r8r9.
        "k3k4* r1r2r3 r7r8r9 | k5 r4 r6",
        dict.fromkeys(CORE_GAMES, 7) | {"tiles-50": 4},
        id="a core amid a run",
    ),
    pytest.param(
        # r5: r3r4r5 with the joker ahead or behind, 2. *: two jokers 2 behind, 2 ahead or 1 each, 3, but 2 ahead
        # leave none for r5. Both: the same 3, with the hand joker as the only hand tile that is not spent. All:
        # r3r4r5 and =k8** k8** *k8* **k8, 4.
        "r3r4* | r5 * k8",
        dict.fromkeys(ALL_TILE_GAMES, 11) | {"easy-rummy": 12} | dict.fromkeys(CORE_GAMES, 6),
        id="a hand joker in the core",
    ),
    pytest.param(
        # r5 frees one: r4r5r6 r4*r6*, r4r5r6 *r4*r6, r4*r6 r4r5r6*, r4*r6 *r4r5r6. r4r5r6 r4*r6 k8b8* with all.
        "r4*r6 r4*r6 | r5 k8 b8",
        dict.fromkeys(ALL_TILE_GAMES, 5) | dict.fromkeys(CORE_GAMES, 1),
        id="the same joker set twice",
    ),
    pytest.param(
        # r3r4* r6*r8r9 leaves the sets whole. r3r4*r6*r8r9 and r3r4*r6 *r8r9 keep both jokers for r5 and r7.
        # *r3r4 r6*r8r9 and r3r4*r6 r8r9* do not.
        "r3r4* r6*r8 | r9",
        dict.fromkeys(ALL_TILE_GAMES, 3) | {"easy-rummy": 5} | dict.fromkeys(LOCKED_GAMES, 1),
        id="two sets that could be one",
    ),
    pytest.param(
        # Three runs hold a five at once, r3r4r5 r4r5r6 r5r6r7r8, and the joker is one of the fives.
        "r3r4* r4r5r6 r5r6r7 | r8",
        {"dutch-rummy": 3} | dict.fromkeys(LOCKED_GAMES, 1),
        id="three runs of one colour",
    ),
    pytest.param(
        # r10: the joker stays r13, or goes ahead as r9. r13 frees it, and there is no r14: *r11r12r13,
        # with both *r10r11r12r13.
        "r11r12* | r10 r13",
        dict.fromkeys(ALL_TILE_GAMES, 3) | {"easy-rummy": 4} | dict.fromkeys(CORE_GAMES, 1),
        id="a joker beside the highest number",
    ),
    pytest.param(
        # r1r2r3*: there is no r0.
        "r1r2* | r3",
        dict.fromkeys(ALL_TILE_GAMES, 1) | dict.fromkeys(CORE_GAMES, 0),
        id="a joker beside 1",
    ),
    pytest.param(
        # k10k11* is worth 33 and *k10k11 30; with jokers of 30 both are worth 51, r4*r6 stays as it is.
        "r4*r6 | k10 k11 * | opening",
        dict.fromkeys(ALL_TILE_GAMES, 2) | {"tiles-50": 0},
        id="an opening beside a joker",
    ),
]


@pytest.mark.parametrize(("text", "counts"), TRAPS)
def test_traps(text, counts):
    answers = {}
    for preset in counts:
        position = Position.parse(text, preset)
        answers[preset] = position.count()
        assert len(set(position.moves())) == answers[preset]
    assert answers == counts


CORES = [
    # A core of hand tiles r10*r12 with the retrieved joker; beyond r9 of the table stands the hand joker.
    ("rummi-q", "k3k4* k9r9b9y9 | k5 r10 r12 *", "k3k4k5 k9b9y9 *r9r10*r12", True),
    ("tiles-50", "k3k4* k9r9b9y9 | k5 r10 r12 *", "k3k4k5 k9b9y9 *r9r10*r12", False),
    # Two retrieved jokers, and r9 between them: no core holds both.
    ("rummi-q", "k3k4* b3b4* k9r9b9y9 | k5 b5 r7 r10 r12", "k3k4k5 b3b4b5 k9b9y9 r7*r9r10*r12", False),
    ("rummi-q", "k3k4* b3b4* | k5 b5 r7 r9 r10 r12", "k3k4k5 b3b4b5 r7*r9r10*r12", True),
    # One r8 in hand is a hand tile of one core, the other lay on the table.
    ("rummi-q", "k3k4* b3b4* r5r6r7r8 | k5 b5 r8 r9 k8", "k3k4k5 b3b4b5 r5r6r7 r8r9* k8r8*", False),
    ("rummi-q", "k3k4* b3b4* | k5 b5 r8 r8 r9 k8", "k3k4k5 b3b4b5 r8r9* k8r8*", True),
]


@pytest.mark.parametrize(
    ("rules", "text", "after", "legal"),
    [
        *CORES,
        *((*asked, not problems) for *asked, problems in EXAMPLES if "invalid_set" not in dict(problems)),
    ],
)
def test_what_is_legal_is_a_move(rules, text, after, legal):
    """The examples of the referee, and some more."""
    read = ref.read_rules(rules)
    laid = tuple(ref.table_text(ref.read_table(after, read), read))
    tables = {move.table for move in Position.parse(text, rules).moves()}
    assert (laid in tables) == legal


def test_an_opening_turn_that_frees_a_joker():
    """k10k11k12 is worth 33, alone or with r5: then the joker joins it at either end, or r4r5r6 where it may."""
    counts = {"easy-rummy": 5, "tile-rummy": 5, "dutch-rummy": 5, "rrrummy": 5, "rummi-q": 3, "rummy-o": 0}
    for preset, count in counts.items():
        rules = {"preset": preset, "table_play_on_opening_turn": True}
        assert Position.parse("r4*r6 | r5 k10 k11 k12 | opening", rules).count() == count
        assert Position.parse("r4*r6 | r5 k10 k11 | opening", rules).count() == 0  # k10k11* is not of the hand


def test_a_group_of_all_colours_of_a_smaller_edition():
    """With three colours k3 alone completes r3b3* in the tournament, and frees its joker for r8b8*."""
    rules = {"preset": "rummi-q-tournament", "colours": 3}
    assert Position.parse("r3b3* | k3 r8 b8", rules).count() == 1


@pytest.mark.parametrize(("colours", "copies"), [("k", 1), ("krby", 1), ("krby", 2), ("krby", 3)])
def test_many_cores_at_once(colours, copies):
    """Every run could be the home of the joker: so many cores may begin, and only one of them gets it.

    The joker stays, alone or with b10 or y10: 3 times what the hand can form. Or b10 and y10 free it, and it is in a
    set of hand tiles: what the hand can form with one joker.
    """
    rules = {"preset": "rummi-q-tournament", "copies": 3, "jokers": 4}
    hand = [f"{colour}{number}" for number in (1, 2, 3) for colour in colours] * copies
    formed = Position("", hand, rules).count()
    formed_with_joker = Position("", [*hand, "*"], rules).count() - formed
    counted = Position("k10r10*", [*hand, "b10", "y10"], rules).count()
    assert counted == 3 * (formed + 1) - 1 + formed_with_joker


def test_many_cores_beside_many_spent_tiles():
    """As long as claims get: eight tiles free four jokers, and twelve runs may be their homes."""
    rules = {"preset": "rummi-q-tournament", "copies": 3, "jokers": 4}
    hand = [f"{colour}{number}" for number in (1, 2, 3) for colour in "krby"] * 3
    hand += [f"{colour}{number}" for number in (10, 11, 12, 13) for colour in "by"]
    with suppress(TooLarge):
        assert Position("k10r10* k11r11* k12r12* k13r13*", hand, rules).count() > 0


def test_samples_are_uniform():
    moves = Position.parse("r4*r6 | r5 r7 r8", "dutch-rummy").moves()
    drawn = [0] * moves.total
    for move in moves.sample(13 * 100, seed=20240229):
        drawn[moves.index(move)] += 1
    chi_square = sum((n - 100) ** 2 / 100 for n in drawn)
    assert 2.2 < chi_square < 33  # 12 degrees of freedom: outside once in a thousand seeds, on either side


# ---- seen once


@pytest.mark.parametrize("numbers", [4, 5, 13])
def test_a_joker_that_two_runs_wait_for_is_no_hindrance_to_a_play(numbers):
    """At the 3 both runs may be of natural tiles, and the joker comes at the 4."""
    rules = {"joker_retrieval": "replace_from_hand", "numbers": numbers, "jokers": 1}
    position = Position.parse("k1*k3 k1k2k3k4 | k2 r2", rules)
    assert {move.played for move in position.moves()} == {play.played for play in position.plays()} == {("k2",)}
    assert position.plays()[0].arrangements == position.count()
