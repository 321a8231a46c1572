"""The searches against the reference model, and against what must hold of any answer."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from itertools import combinations, islice
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import reference as ref
from meldcore import MeldcoreError, Position, TooLarge, partitions
from strategies import choosy, crowded, editions, positions
from translation import as_move, position_of

MOST_LISTED = 3000  # by the reference, in one example
ALL_TILES = [f"{colour}{number}" for colour in "krby" for number in range(1, 14) for _ in range(2)]

thorough = settings(choosy, max_examples=120)
quick = settings(thorough, max_examples=60)


def listed(drawn):
    """All moves by the reference; the example is dropped where too many arrangements would be tried."""
    fields, table, hand, opened = drawn
    rules = ref.Rules(**fields)
    tiles = [*ref.tiles_of(table).elements(), *hand]
    assume(not any(islice(ref.arrangements([], tiles, rules), MOST_LISTED, None)))
    return [as_move(move, rules) for move in ref.moves(table, hand, opened, rules)]


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
    weights = {
        tile: weight for tile, weight in weights.items() if tile == "*" or int(tile[1:]) <= rules.numbers
    }
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


# ---- positions beyond the reference


@quick
@given(drawn=crowded())
def test_count_moves_and_plays_agree(drawn):
    """Three searches of their own: the sweep, the diagram, and the plays, each counted by the sweep."""
    position = position_of(drawn)
    moves = position.moves()
    assert position.count() == moves.total
    assert position.best() == moves.best()
    assert position.best("points") == moves.best("points")
    plays = position.plays()
    if plays.total <= 500:
        assert sum(play.arrangements for play in plays) == moves.total
        assert all(play.arrangements for play in plays)
    for k in {0, moves.total // 2, moves.total - 1} if moves else ():
        assert moves.index(moves[k]) == k
        assert position.move_to(moves[k].table) == moves[k]


@quick
@given(drawn=crowded(joker_rules=st.just({}), most_hand=6))
def test_moves_are_the_partitions_of_all_parts_of_the_hand(drawn):
    fields, table, hand, _ = drawn
    tiles = ref.tiles_of(table)
    parts = {tuple(sorted(part)) for size in range(1, len(hand) + 1) for part in combinations(hand, size)}
    splits = (partitions(list(map(str, [*tiles.elements(), *part])), fields).total for part in parts)
    assert position_of(drawn).count() == sum(splits)


@quick
@given(drawn=crowded(), data=st.data())
def test_colours_are_alike(drawn, data):
    fields, table, hand, opened = drawn
    colours = data.draw(st.permutations(range(fields["colours"])))

    def painted(tile):
        return tile if tile == ref.JOKER else ref.Tile(colours[tile.colour], tile.number)

    other = [
        ref.Run(colours[meld.colour], meld.first, meld.places)
        if isinstance(meld, ref.Run)
        else ref.Group(meld.number, tuple(sorted(colours[c] for c in meld.colours)), meld.jokers)
        for meld in table
    ]
    before = position_of(drawn)
    after = position_of((fields, ref.arrange(other), [painted(tile) for tile in hand], opened))
    assert before.count() == after.count()
    assert before.plays().total == after.plays().total
    for objective in ("tiles", "points"):
        first, second = before.best(objective), after.best(objective)
        assert (first is None) == (second is None)
        if first and second:
            assert (len(first.played), first.points) == (len(second.played), second.points)


@quick
@given(drawn=crowded())
def test_one_more_tile_in_hand_never_makes_the_best_worse(drawn):
    fields, table, hand, opened = drawn
    most = -1
    for size in range(len(hand) + 1):
        best = position_of((fields, table, hand[:size], opened)).best()
        laid = len(best.played) if best else 0
        assert laid >= most
        most = laid


@pytest.mark.parametrize(
    ("hand", "fields", "count"),
    [
        # groups of three colours, in a matrix
        ("k1 k2 r2 r3 b1 b2 b3 b4 ****", {"colours": 3, "numbers": 4, "jokers": 4}, 2384),
        # more than 2**64 arrangements, and 2**92
        (ALL_TILES, {}, 936024151580759612167430),
        ([*ALL_TILES, "*", "*"], {}, 5126116885596856381800253392),
    ],
)
def test_known_counts(hand, fields, count):
    position = Position([], hand, fields)
    assert position.count() == position.moves().total == count


def test_plays_of_the_edition_with_the_most_open_runs():
    """326 kinds of open runs of a colour: more than a byte tells apart."""
    fields = {"copies": 3, "jokers": 4, "max_jokers_per_set": 3}
    plays = Position([], "y6 y8 y8 ****", fields).plays()
    assert plays.total == 11
    assert all(play.arrangements for play in plays)


def test_jokers_alone_are_nothing_to_lay():
    for fields in ({}, {"jokers": 4, "copies": 3}, {"jokers": 3, "initial_meld": 0}):
        position = Position([], ["*"] * min(fields.get("jokers", 2), 3), fields)
        assert position.count() == position.moves().total == position.plays().total == 0
        assert position.best() is None
    assert Position().count() == 0


FULL = {
    "106 tiles": {},
    "160 tiles": {"copies": 3, "jokers": 4},
    "184 tiles": {"copies": 3, "jokers": 4, "numbers": 15},
    "two colours": {"copies": 3, "jokers": 4, "numbers": 15, "colours": 2},
    "one colour": {"copies": 3, "jokers": 4, "numbers": 15, "colours": 1},
}


@pytest.mark.parametrize("table_tiles", [0, 100])
@pytest.mark.parametrize("edition", FULL)
def test_full_editions_are_answered_or_refused(edition, table_tiles):
    """Every tile of the edition is in hand, or on a table of runs."""
    rules = ref.Rules(**FULL[edition])
    runs = [[f"{c}{n}" for n in range(1, rules.numbers + 1)] for c in "krby"[: rules.colours]] * rules.copies
    table = runs[: table_tiles // rules.numbers]
    hand = [tile for run in runs[len(table) :] for tile in run]
    position = Position(map("".join, table), [*hand, *"*" * rules.jokers], FULL[edition])
    assert len(position.best().played) == len(position.hand)
    with suppress(TooLarge):
        assert position.count() > 2**20


# ---- memory


def test_no_search_leaks():
    position = Position.parse("r4r5r6 k7b7y7 | r7 b8 k8 *", "easy-rummy")
    opening = Position.parse("r4r5r6 k7b7y7 | r10 r11 r12 b8 k8 | opening", "easy-rummy")
    bound = Position.parse("r4*r6 k7b7* | r5 k8 b8 y7", "rummi-q")

    def work(times):
        for _ in range(times):
            for each in (position, opening, bound):
                each.count()
                moves = each.moves()
                moves.index(moves[-1])
                list(moves[:2])
                each.best(prefer="fewest_changes")
                each.best_moves("points")[0]
                each.plays()[0]
            partitions("r1 r2 r3 r4 r5 r6")[1]
            with pytest.raises(MeldcoreError):
                Position.parse("r4r5r6 | r4 r4")

    work(500)
    before = resident()
    work(5000)
    assert resident() - before < 1 << 20


def resident():
    """Bytes of memory in use."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


SCRIPT = """
import sys
from meldcore import Position, TooLarge
position = Position.parse(sys.argv[2], eval(sys.argv[3]))
try:
    getattr(position, sys.argv[1])()
except TooLarge:
    pass
status = open("/proc/self/status").read()
print(int(status.partition("VmHWM:")[2].split()[0]) >> 10)
"""

WHOLE = " ".join(ALL_TILES)
CROWDED = [
    ("count", f"| {WHOLE} * *", {}, 256),
    ("moves", f"| {WHOLE} * *", {}, 512),
    ("count", f"| {WHOLE} {' '.join(ALL_TILES[::2])} ****", {"copies": 3, "jokers": 4}, 256),
    ("moves", f"| {WHOLE} {' '.join(ALL_TILES[::2])} ****", {"copies": 3, "jokers": 4}, 512),
]


@pytest.mark.parametrize(("search", "text", "fields", "most"), CROWDED)
def test_memory_is_bounded(search, text, fields, most):
    answer = subprocess.run(
        [sys.executable, "-c", SCRIPT, search, text, repr(fields)], capture_output=True, text=True, check=True
    )
    assert int(answer.stdout) < most
