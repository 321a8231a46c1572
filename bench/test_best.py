import pytest

from .suites import RESTRICTED


def test_best(benchmark, cases, positions):
    moves = benchmark(lambda: [position.best() for position in positions])
    assert [len(move.played) if move else 0 for move in moves] == [case["best_tiles"] for case in cases]


def test_best_by_points(benchmark, cases, positions):
    moves = benchmark(lambda: [position.best("points") for position in positions])
    for case, position, move in zip(cases, positions, moves, strict=True):
        most_tiles = position.best()
        assert (move is None) == (case["count"] == 0)
        assert move is None or move.points >= most_tiles.points


@pytest.mark.parametrize("cases", RESTRICTED, indirect=True)
def test_best_under_joker_rules(benchmark, cases, positions):
    moves = benchmark(lambda: [position.best() for position in positions])
    assert moves == [position.moves().best() for position in positions]
