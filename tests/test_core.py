"""The searches against the reference model, and against what must hold of any answer."""

from __future__ import annotations

from collections import Counter
from itertools import islice

import reference as ref
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from meldcore import Move, Position, partitions
from strategies import editions, positions

MOST_LISTED = 3000  # by the reference, in one example

thorough = settings(
    deadline=None,
    max_examples=120,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
quick = settings(thorough, max_examples=60)


def position_of(drawn):
    fields, table, hand, opened = drawn
    return Position(ref.table_text(table, ref.Rules(**fields)), list(map(str, hand)), fields, opened)


def listed(drawn):
    """All moves by the reference; the example is dropped where they, or the arrangements tried, are too many."""
    fields, table, hand, opened = drawn
    rules = ref.Rules(**fields)
    tiles = [*ref.tiles_of(table).elements(), *hand]
    assume(not any(islice(ref.arrangements([], tiles, rules), MOST_LISTED, None)))
    return [as_move(move, rules) for move in ref.moves(table, hand, opened, rules)]


def as_move(move, rules):
    return Move(
        list(map(str, move.played)), ref.table_text(move.table, rules), move.points, move.unchanged, rules.numbers
    )


weights = st.dictionaries(
    st.sampled_from([*(f"{c}{n}" for c in "krby" for n in range(1, 4)), "*"]), st.integers(-9, 9), max_size=8
)


@thorough
@given(drawn=positions())
def test_moves_are_those_of_the_reference(drawn):
    legal = listed(drawn)
    position = position_of(drawn)
    moves = position.moves()
    in_order = list(moves)
    assert position.count() == moves.total == len(in_order) == len(legal)
    assert set(in_order) == set(legal)
    assert len(set(in_order)) == len(legal)
    assert [moves[i] for i in range(len(moves))] == in_order
    assert [moves.index(move) for move in in_order] == list(range(len(moves)))
    assert list(reversed(moves)) == in_order[::-1]


@thorough
@given(drawn=positions())
def test_plays_are_those_of_the_reference(drawn):
    legal = listed(drawn)
    plays = position_of(drawn).plays()
    assert {play.played: play.arrangements for play in plays} == Counter(move.played for move in legal)
    assert {play.played: play.points for play in plays} == {move.played: move.points for move in legal}
    assert plays.total == len({move.played for move in legal})
    assert [plays.index(play) for play in plays] == list(range(plays.total))


@thorough
@given(drawn=positions(), weights=weights)
def test_the_best_moves_are_those_of_the_reference(drawn, weights):
    fields, table, hand, opened = drawn
    rules = ref.Rules(**fields)
    weights = {tile: weight for tile, weight in weights.items() if tile == "*" or int(tile[1:]) <= rules.numbers}
    listed(drawn)
    found = ref.moves(table, hand, opened, rules)
    position = position_of(drawn)
    moves = position.moves()
    for objective in ("tiles", "points", {"weights": weights}):
        wanted = weights if isinstance(objective, dict) else objective
        optimal = {as_move(move, rules) for move in ref.best(found, wanted)}
        first = next((move for move in moves if move in optimal), None)
        assert position.best(objective) == moves.best(objective) == first


@quick
@given(edition=editions, data=st.data())
def test_partitions_are_those_of_the_reference(edition, data):
    _, table, hand, _ = data.draw(positions(edition=st.just(edition), most_sets=4, most_hand=2))
    rules = ref.Rules(**edition)
    tiles = [*ref.tiles_of(table).elements(), *hand]
    found = list(islice(ref.arrangements(tiles, [], rules), MOST_LISTED))
    assume(len(found) < MOST_LISTED)
    split = partitions(list(map(str, tiles)), edition)
    assert split.total == len(split) == len(found)
    assert set(split) == {tuple(ref.table_text(each, rules)) for each in found}
    assert [split.index(each) for each in split] == list(range(len(split)))
    if table and not hand:
        assert ref.table_text(table, rules) in split
