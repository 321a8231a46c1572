import random
from itertools import islice

import numpy
import pytest

from meldcore.sets import set_text

from .suites import FREE, RESTRICTED

LISTED = 2_000  # moves of a position, at most
TAKEN = 20


def random_places(moves):
    chance = random.Random(1)
    return [chance.randrange(moves.total) for _ in range(TAKEN)]


@pytest.fixture(scope="module")
def sequences(positions):
    return [moves for moves in (position.moves() for position in positions) if moves]


@pytest.mark.parametrize("cases", FREE + RESTRICTED, indirect=True)
def test_build(benchmark, cases, positions):
    totals = benchmark(lambda: [position.moves().total for position in positions])
    assert totals == [case["count"] for case in cases]


def test_kth(benchmark, sequences):
    asked = [(moves, place) for moves in sequences for place in random_places(moves)]
    taken = benchmark(lambda: [moves[place] for moves, place in asked])
    assert [moves.index(move) for (moves, _), move in zip(asked, taken, strict=True)] == [
        place for _, place in asked
    ]


def test_list_into_arrays(benchmark, sequences):
    arrays = benchmark(lambda: [moves[:LISTED].codes() for moves in sequences])
    for moves, rows in zip(sequences, arrays, strict=True):
        assert len(rows) == min(moves.total, LISTED)
        assert len(numpy.unique(numpy.sort(rows), axis=0)) == len(rows)
        last = numpy.sort(rows[-1])
        assert tuple(set_text(code) for code in last[last > 0]) == moves[len(rows) - 1].table


def test_iterate(benchmark, sequences):
    listed = benchmark(lambda: [list(islice(moves, LISTED)) for moves in sequences])
    for moves, each in zip(sequences, listed, strict=True):
        assert len(set(each)) == len(each) == min(moves.total, LISTED)
        assert each[-1] == moves[len(each) - 1]
