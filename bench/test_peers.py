"""The peers that meldcore is measured against give the right answers."""

import pytest

from .cases import COVERED, by_class


@pytest.mark.parametrize("model", ["compact", "all_sets"])
@pytest.mark.parametrize("settings", ["SETTINGS", "TUNED"])
def test_integer_program(benchmark, cases, model, settings):
    pytest.importorskip("highspy")
    from .peers import ilp

    solve, options = getattr(ilp, model), getattr(ilp, settings)
    tiles = benchmark.pedantic(lambda: [solve(case["table"], case["hand"], options) for case in cases])
    assert tiles == [case["best_tiles"] for case in cases]


@pytest.mark.parametrize("cls", COVERED)
def test_exact_cover(benchmark, cls):
    pytest.importorskip("exact_cover")
    from .peers.cover import partitions

    cases = by_class()[cls]
    counts = benchmark.pedantic(lambda: [len(partitions(case["table"])) for case in cases])
    assert counts == [case["partitions_of_table"] for case in cases]


def test_gin_rummy(benchmark):
    pytest.importorskip("pyspiel")
    from .peers import spiel

    assert benchmark.pedantic(spiel.self_play, (range(3),)) == spiel.self_play(range(3)) > 30
