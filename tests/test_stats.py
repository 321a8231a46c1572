"""The work of the searches on the positions in tests/data, by class: figures that depend on the code alone.

Run as a program, `python tests/test_stats.py`, it writes down what they are now: after a change that was meant.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from case_files import cases
from meldcore import BadRules, Cancelled, Position, Stats, Stop

EXPECTED = Path(__file__).parent / "data" / "stats.json"
CLASSES = {
    "free.jsonl": {"self", *(f"rand0_{tiles}" for tiles in (0, 20, 40, 60, 80)), "rand2_0", "rand2_20", "rand2_40"},
    "jokers.jsonl": {"self", "rand2_20"},
}


def work():
    """The sums over the positions of each class, as {rules and class: {field of Stats: sum}}."""
    sums: dict[str, Counter[str]] = {}
    for file, classes in CLASSES.items():
        for case in cases(file):
            if case["cls"] in classes:
                rules = case.get("rules", "easy-rummy")
                stats = Position(case["table"], case["hand"], rules).stats()
                sums.setdefault(f"{rules} {case['cls']}", Counter()).update(stats._asdict())
    return {name: dict(counts) for name, counts in sums.items()}


def test_searches_do_the_work_that_is_written_down():
    assert work() == json.loads(EXPECTED.read_text())


def test_stats_of_small_positions():
    assert Position.parse(" | k1", "easy-rummy").stats() == Stats(0, 0, 0, 0, 1, False)
    run = Position.parse(" | k1 k2 k3", "easy-rummy").stats()
    assert run.edges == run.steps == 3  # one path, number by number
    assert not run.cells


def test_the_objective_is_that_of_best():
    position = Position.parse("k1k2k3 | k4 r4 b4 r5 r6", "easy-rummy")
    tiles, weights = position.stats(), position.stats({"weights": {"k4": -5}})
    assert tiles.steps != weights.steps
    assert tiles._replace(steps=0) == weights._replace(steps=0)


def test_stats_end_early_and_refuse_like_the_searches():
    stop = Stop()
    stop.cancel()
    with pytest.raises(Cancelled):
        Position.parse("k1k2k3 | k4 k5 r4 b4", "easy-rummy").stats(stop=stop)
    with pytest.raises(BadRules, match="card game"):
        Position.parse(" | 5S 6S 7S", "rummy-40").stats()


if __name__ == "__main__":
    EXPECTED.write_text(json.dumps(work(), indent=1) + "\n")
