from itertools import islice

LISTED = 50  # plays of a position, at most


def test_build(benchmark, cases, positions):
    totals = benchmark(lambda: [position.plays().total for position in positions])
    for total, case in zip(totals, cases, strict=True):
        assert (total > 0) == (case["count"] > 0)
        assert total <= case["count"]


def test_list(benchmark, cases, positions):
    sequences = [position.plays() for position in positions]
    listed = benchmark(lambda: [list(islice(plays, LISTED)) for plays in sequences])
    for case, plays, each in zip(cases, sequences, listed, strict=True):
        assert len({play.played for play in each}) == len(each) == min(plays.total, LISTED)
        arrangements = sum(play.arrangements for play in each)
        assert arrangements == case["count"] if plays.total <= LISTED else arrangements < case["count"]
