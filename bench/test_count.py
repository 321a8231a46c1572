import pytest

from meldcore import Position, partitions

from .cases import EVERY_TILE, RULES
from .suites import FREE, RESTRICTED


@pytest.mark.parametrize("cases", FREE + RESTRICTED, indirect=True)
def test_count(benchmark, cases, positions):
    counts = benchmark(lambda: [position.count() for position in positions])
    assert counts == [case["count"] for case in cases]


def test_partitions_of_the_table(benchmark, cases):
    tables = [" ".join(case["table"]) for case in cases]
    counts = benchmark(lambda: [partitions(table, RULES).total for table in tables])
    assert counts == [case["partitions_of_table"] for case in cases]


def test_all_tiles_as_hand(benchmark):
    position = Position(hand=EVERY_TILE, rules=RULES)
    assert benchmark(position.count) == 5126116885596856381800253392
