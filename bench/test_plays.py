def test_plays(benchmark, cases, positions):
    plays = benchmark(lambda: [list(position.plays()) for position in positions])
    assert [sum(play.arrangements for play in each) for each in plays] == [case["count"] for case in cases]
    for each in plays:
        assert len({play.played for play in each}) == len(each)
