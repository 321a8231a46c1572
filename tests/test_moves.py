"""Moves and Partitions as sequences: numbered, never listed, in one order everywhere."""

from __future__ import annotations

import pickle
import random
import re
import resource
import subprocess
import sys
from itertools import islice, pairwise

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from meldcore import BadRequest, IllegalMove, Move, Position, Rules, partitions
from meldcore.moves import Moves, Partitions
from meldcore.sets import read_set, set_text

NAMES = {"Moves": Moves, "Partitions": Partitions, "Position": Position, "Move": Move, "Rules": Rules}

# 12 moves
FEW = Position.parse("r4r5r6 k7b7y7 | r7 b8 *", "easy-rummy")
# 7,177 moves
MANY = Position.parse("r4r5r6r7 k7b7y7 k1k2k3k4 b9b10b11 | r3 r8 k5 r7 k8 k9 b8 b12 y5 y6 *", "easy-rummy")
# about 2**79 moves
HUGE = Position([], [f"{c}{n}" for c in "krby" for n in range(1, 14)] * 2, "easy-rummy")


@pytest.fixture(scope="module")
def few():
    return FEW.moves()


@pytest.fixture(scope="module")
def many():
    return MANY.moves()


@pytest.fixture(scope="module")
def huge():
    return HUGE.moves()


# drawn from MANY and HUGE with seed 7
SAMPLED_MANY = [2652, 1235, 3234, 5332, 395, 593]
SAMPLED_HUGE = [182381996942413955249208, 58377505870913721280270, 647846354961228263796531]


# ---- length and places


def test_length(few, huge):
    assert few.total == len(few) == FEW.count()
    assert few
    assert huge.total == HUGE.count() > 2**64
    assert huge
    with pytest.raises(OverflowError):
        len(huge)


def test_a_position_without_moves():
    none = Position.parse("r4r5r6 | b8", "easy-rummy").moves()
    assert (none.total, len(none), list(none), list(reversed(none)), none.sample(0)) == (0, 0, [], [], [])
    assert not none
    assert none.best() is None
    assert none.codes().shape[0] == 0
    with pytest.raises(IndexError, match="index 0 of 0 moves"):
        none[0]
    with pytest.raises(IndexError, match="a sample of no moves"):
        none.sample(1)


def places_of(moves):
    """Some places, at both ends and around powers of two, where counts change their width."""
    total = moves.total
    near = [2**bits + d for bits in (0, 31, 32, 53, 63, 64, 65, 80) for d in (-1, 0, 1)]
    chance = random.Random(5)
    return sorted(
        {k for k in [*near, total - 1, total // 2] if 0 <= k < total}
        | {chance.randrange(total) for _ in range(30)}
    )


@pytest.mark.parametrize("name", ["few", "many", "huge"])
def test_places_and_index_are_inverse(name, request):
    moves = request.getfixturevalue(name)
    seen = set()
    for k in places_of(moves):
        move = moves[k]
        assert moves.index(move) == k
        assert moves[k - moves.total] == move
        assert move in moves
        assert moves.count(move) == 1
        assert moves.position.move_to(move.table) == move  # it is legal
        seen.add(move)
    assert len(seen) == len(places_of(moves))
    for outside in (moves.total, -moves.total - 1, 2**128):
        with pytest.raises(IndexError, match=f"index {outside} of {moves.total} moves"):
            moves[outside]
    with pytest.raises(TypeError):
        moves["0"]


def test_what_is_not_there(few, many):
    other = many[0]
    for item in (other, "r4r5r6r7", None, few[0].table):
        assert item not in few
        assert few.count(item) == 0
        with pytest.raises(ValueError, match="is not among these moves"):
            few.index(item)
    true = few[0]
    for forged in (
        Move(true.played, true.table, true.points + 1, true.unchanged),
        Move(true.played, true.table, true.points, true.unchanged + 1),
        Move("r7 b8", true.table, true.points, true.unchanged),
        Move("r1", "r1r2r3", 1, 0),
    ):
        assert forged not in few
        with pytest.raises(IllegalMove):
            FEW.play(forged)


# ---- slices


slices = st.builds(
    slice, *[st.none() | st.integers(-14, 14)] * 2, st.none() | st.integers(-4, 4).filter(bool)
)


@given(parts=st.lists(slices, max_size=3))
def test_slices_are_those_of_the_list(parts):
    moves, as_list = FEW.moves(), list(FEW.moves())
    for part in parts:
        moves, as_list = moves[part], as_list[part]
    assert moves.total == len(moves) == len(as_list)
    assert list(moves) == as_list
    assert list(reversed(moves)) == as_list[::-1]
    assert [moves[i] for i in range(-len(moves), len(moves))] == as_list + as_list
    assert [moves.index(move) for move in as_list] == list(range(len(as_list)))
    assert [move in moves for move in FEW.moves()] == [move in as_list for move in FEW.moves()]
    assert moves.best() == max(as_list, key=lambda move: (len(move.played), move.points), default=None)
    assert numpy.array_equal(moves.codes(), FEW.moves().codes()[[FEW.moves().index(m) for m in as_list]])
    assert eval(repr(moves), dict(NAMES)) == moves
    assert pickle.loads(pickle.dumps(moves)) == moves
    assert hash(pickle.loads(pickle.dumps(moves))) == hash(moves)


def test_slices_of_a_huge_sequence(huge):
    total = huge.total
    part = huge[10**15 : -(10**15) : 10**12]
    assert part.total == -(-(total - 2 * 10**15) // 10**12)
    assert part[10**9] == huge[10**15 + 10**21]
    assert part.index(huge[10**15 + 10**21]) == 10**9
    assert huge[10**15 + 1] not in part
    assert part[::-1][0] == part[-1]
    assert list(huge[10**20 : 10**20 + 3]) == [huge[10**20 + i] for i in range(3)]
    assert list(islice(huge[10**20 :], 3)) == list(huge[10**20 : 10**20 + 3])
    assert eval(repr(part), dict(NAMES)) == part == pickle.loads(pickle.dumps(part))
    with pytest.raises(ValueError, match="step"):
        huge[::0]


# ---- iteration


def test_iterating_lists_each_move_once(many):
    seen = set()
    for k, move in enumerate(many):
        seen.add(move)
        if k % 5000 == 0:
            assert many[k] == move
    assert len(seen) == many.total == MANY.count()


def test_iterators_are_independent(few):
    assert list(zip(few, few, strict=True)) == [(move, move) for move in few]
    one, other = iter(few), iter(few)
    next(one)
    assert next(one) != next(other)
    assert iter(one) is one
    assert len(list(one)) == len(few) - 2
    assert list(one) == []


def test_iterating_takes_constant_memory(huge):
    def peak():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    for walk in (iter(huge), reversed(huge)):
        for _ in islice(walk, 1000):
            pass
        before = peak()
        for _ in islice(walk, 30_000):
            pass
        assert peak() - before < 2048  # KiB


# ---- the order


def tiles_of(text):
    return re.findall(r"\*|[krby]\d+", text)


def begun(text, colour, number):
    """A run as far as this number, and whether it ends there; None where it has no place for this tile."""
    tiles = tiles_of(text)
    place, natural = next((i, tile) for i, tile in enumerate(tiles) if tile != "*")
    first = int(natural[1:]) - place
    if natural[0] != colour or not first <= number < first + len(tiles):
        return None
    return first, tiles[: number - first + 1], number == first + len(tiles) - 1


def layers(move):
    """For each number and colour: what stands there, and what the documented order compares first."""
    groups = [tiles_of(text) for text in move.table if read_set(text).kind == "group"]
    runs = [text for text in move.table if read_set(text).kind == "run"]
    for number in range(1, 14):
        here = sorted(tiles for tiles in groups if tiles[0][1:] == str(number))
        for colour in "krby":
            shown = sorted(run for text in runs if (run := begun(text, colour, number)))
            jokers = sum(tiles[-1] == "*" for _, tiles, _ in shown)
            given = sum(f"{colour}{number}" in tiles for tiles in here)
            going_on = sum(not ended for _, _, ended in shown)
            yield (shown, given), (jokers, -(len(shown) - jokers + given), -given, -going_on)
        yield here, sum(tiles.count("*") for tiles in here)


def test_the_order_is_the_documented_one():
    moves = Position.parse("r4r5r6 k7b7y7 | r7 b8 r3 b7 k8 k9 b9 r8 y6 y8 k6 *", "easy-rummy").moves()
    assert moves.total > 500
    for before, after in pairwise(moves):
        compared = [(x, y) for x, y in zip(layers(before), layers(after), strict=True) if x[0] != y[0]]
        (_, first), (_, second) = compared[0]
        assert first <= second


def test_the_first_of_the_best(many):
    listed = list(many)
    weights = {"r3": 5, "k8": -3, "*": -40, "b12": 7}
    gains = {
        "tiles": lambda move: (len(move.played), move.points),
        "points": lambda move: (move.points, len(move.played)),
    }

    def weight(move):
        return sum(weights.get(tile, 0) for tile in move.played), len(move.played), move.points

    for objective, gain in [*gains.items(), ({"weights": weights}, weight)]:
        first = max(listed, key=gain)  # the first of several
        assert many.best(objective) == MANY.best(objective) == first


# ---- samples


def test_a_seed_draws_the_same_everywhere(many, huge):
    assert [many.index(move) for move in many.sample(6, seed=7)] == SAMPLED_MANY
    assert [huge.index(move) for move in huge.sample(3, seed=7)] == SAMPLED_HUGE
    assert many.sample(6, seed=7) == many.sample(9, seed=7)[:6]
    assert many.sample(6, seed=7) != many.sample(6, seed=8)
    assert many.sample(20) != many.sample(20)
    assert [move in many[:100] for move in many[:100].sample(30, seed=1)] == [True] * 30
    with pytest.raises(BadRequest, match="n is how many items to draw, not -1"):
        many.sample(-1)


def test_samples_are_uniform():
    moves = MANY.moves()[: 3 * 97 : 3]  # 97 moves: no power of two is near
    drawn = [0] * moves.total
    for move in moves.sample(97 * 100, seed=20240229):
        drawn[moves.index(move)] += 1
    chi_square = sum((n - 100) ** 2 / 100 for n in drawn)
    assert 55 < chi_square < 147  # 96 degrees of freedom: outside once in a thousand seeds, on either side


# ---- numpy


def test_codes(many):
    codes = many.codes()
    assert codes.dtype == numpy.uint32
    assert codes.shape == (many.total, many.width)
    for k in (0, 1, many.total // 2, many.total - 1):
        written = sorted(set_text(int(code)) for code in codes[k] if code)
        assert written == sorted(many[k].table)
    assert (codes[:, -1:] == 0).all() or many.width <= max(len(move.table) for move in many)
    assert numpy.array_equal(many[::-1].codes(), codes[::-1])
    assert numpy.array_equal(many[5:50:7].codes(), codes[5:50:7])


def test_codes_into_an_array_that_is_there(many, huge):
    out = numpy.full((10, many.width + 2), 99, dtype=numpy.uint32)
    assert many.codes(out=out) is out
    assert numpy.array_equal(out[:, : many.width], many[:10].codes())
    assert not out[:, many.width :].any()
    assert numpy.array_equal(huge.codes(out=numpy.empty((4, huge.width), numpy.uint32)), huge[:4].codes())
    for shape in ((10, many.width - 1), (many.total + 1, many.width)):
        with pytest.raises(BadRequest, match="out is of shape"):
            many.codes(out=numpy.empty(shape, numpy.uint32))


def test_old_sets_of_an_opening_are_in_the_codes():
    moves = Position.parse("r4r5r6 | k10k11k12 b10 * | opening", "rummi-q").moves()
    for row, move in zip(moves.codes(), moves, strict=True):
        assert sorted(set_text(int(code)) for code in row if code) == sorted(move.table)
        assert "r4r5r6" in move.table


def test_numpy_is_not_imported_with_meldcore():
    script = (
        "import sys, meldcore; moves = meldcore.Position.parse('r4r5r6 | r7').moves(); "
        "list(moves), moves.sample(1), moves.best(); "
        "print('numpy' in sys.modules, 'msgspec' in sys.modules)"
    )
    answer = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert answer.stdout.split() == ["False", "False"]


# ---- values


def test_values(few, many):
    assert few == FEW.moves()
    assert hash(few) == hash(FEW.moves())
    assert few != many
    assert few != few[1:]
    assert few[0:1] != few[1:2]
    assert few[:0] == few[3:3]
    assert few != list(few)
    assert eval(repr(few), dict(NAMES)) == few == pickle.loads(pickle.dumps(few))
    assert few.position == FEW


def test_partitions_are_such_a_sequence():
    split = partitions("k1k2k3k4 r1r2r3r4 b1b2b3b4 y1y2y3y4")
    assert split.total == len(split) == 24
    assert len(set(split)) == 24
    assert [split.index(table) for table in split] == list(range(24))
    assert split[-1] == split[23] == next(reversed(split))
    assert list(split[20:2:-5]) == [split[20], split[15], split[10], split[5]]
    assert " ".join(split[3]) in split
    assert ("r1r2r3",) not in split
    assert len(set(split.sample(300, seed=1))) == 24
    assert eval(repr(split[2:9:3]), dict(NAMES)) == split[2:9:3] == pickle.loads(pickle.dumps(split[2:9:3]))
    assert split == partitions("y1y2y3y4 b1b2b3b4 r1r2r3r4 k1k2k3k4")
    assert [sorted(set_text(int(c)) for c in row if c) for row in split.codes()] == [
        sorted(table) for table in split
    ]


def test_no_tiles_can_be_split_in_one_way():
    assert list(partitions("")) == [()]
    assert list(partitions("* *")) == []
