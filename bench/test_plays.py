from itertools import islice

import pytest

from .suites import FREE, RESTRICTED_SMALL

LISTED = 50  # plays of a position, at most


@pytest.mark.parametrize("cases", FREE + RESTRICTED_SMALL, indirect=True)
def test_plays(benchmark, cases, positions):
    def build_and_list():
        sequences = [position.plays() for position in positions]
        return sequences, [list(islice(plays, LISTED)) for plays in sequences]

    for case, plays, listed in zip(cases, *benchmark(build_and_list), strict=True):
        assert (plays.total > 0) == (case["count"] > 0)
        assert len({play.played for play in listed}) == len(listed) == min(plays.total, LISTED)
        arrangements = sum(play.arrangements for play in listed)
        assert arrangements == case["count"] if plays.total <= LISTED else arrangements < case["count"]
