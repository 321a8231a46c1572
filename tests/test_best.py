"""The best move against every move: the search knows bounds and budgets, the twin only looks at the list."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

import pytest

from meldcore import Cancelled, Move, Position, Rules
from meldcore.stop import Stop

DATA = Path(__file__).parent / "data"
FREE = [json.loads(line) for line in (DATA / "free.jsonl").read_text().splitlines()]

LOCKED: dict[str, Any] = {"joker_retrieval": "replace_from_hand", "joker_sets_locked": True}
EDITIONS: list[dict[str, Any]] = [
    {},
    {"jokers": 0},
    {"jokers": 1},
    {"colours": 3, "numbers": 15},
    {"colours": 1, "numbers": 8, "jokers": 1},
    {"copies": 1, "numbers": 9},
    {"copies": 3, "numbers": 6, "jokers": 2},
    {"copies": 3, "numbers": 7, "jokers": 4},
    {"jokers": 4, "numbers": 8},
    {"jokers": 3, "max_jokers_per_set": 1},
    {"max_jokers_per_set": 1},
    {"max_jokers_per_set": 0},
    {"joker_retrieval": "replace", "jokers": 4, "copies": 3},
    {"joker_retrieval": "replace_from_hand", "jokers": 4, "copies": 3},
    LOCKED,
    LOCKED | {"jokers": 3, "group_joker_needs_all": True},
    LOCKED | {"retrieved_joker_use": "new_set", "jokers": 4, "copies": 3},
    LOCKED | {"retrieved_joker_use": "new_set", "group_joker_needs_all": True, "numbers": 8},
    LOCKED | {"retrieved_joker_use": "hand_only_set", "jokers": 4, "colours": 3},
]


def every_tile(rules: Rules) -> list[str]:
    naturals = [f"{c}{n}" for c in "krby"[: rules.colours] for n in range(1, rules.numbers + 1)]
    return naturals * rules.copies + ["*"] * rules.jokers


def some_set(rules: Rules, random: Random) -> list[str]:
    """A set with a joker here and there, not always one that the rules allow."""
    if random.random() < 0.6 or rules.colours < 3:
        length = random.randint(3, min(6, rules.numbers))
        first = random.randint(1, rules.numbers - length + 1)
        colour = random.choice("krby"[: rules.colours])
        tiles = [f"{colour}{first + i}" for i in range(length)]
    else:
        number = random.randint(1, rules.numbers)
        colours = random.sample("krby"[: rules.colours], random.randint(3, rules.colours))
        tiles = [f"{c}{number}" for c in colours]
    return ["*" if random.random() < 0.15 else tile for tile in tiles]


def some_positions(rules: Rules, random: Random, wanted: int) -> Iterator[Position]:
    """Positions with 30000 moves at most."""
    while wanted:
        pool = every_tile(rules)
        table: list[str] = []
        for _ in range(random.randint(0, 6)):
            tiles = some_set(rules, random)
            try:
                Position(["".join(tiles)], (), rules)
                Position([*table, "".join(tiles)], (), rules)
            except ValueError:
                continue
            table.append("".join(tiles))
            for tile in tiles:
                pool.remove(tile)
        position = Position(table, random.sample(pool, min(len(pool), random.randint(1, 18))), rules)
        if position.count() <= 30000:
            wanted -= 1
            yield position


def some_objectives(rules: Rules, random: Random) -> list[Any]:
    tiles = set(every_tile(rules))
    return [
        "tiles",
        "points",
        {"weights": {tile: random.randint(-3, 3) for tile in tiles if random.random() < 0.7}},
        {"weights": {tile: random.choice((-(10**9), 0, 10**9)) for tile in tiles}},
    ]


def worth(move: Move, objective: Any) -> tuple[int, ...]:
    if objective == "tiles":
        return len(move.played), move.points
    if objective == "points":
        return move.points, len(move.played)
    return sum(objective["weights"].get(tile, 0) for tile in move.played), len(move.played), move.points


@pytest.mark.parametrize("number", range(len(EDITIONS)))
def test_the_best_is_the_first_of_the_best_in_the_list(number: int) -> None:
    random = Random(number)
    rules = Rules(initial_meld=0, **EDITIONS[number])
    moves_seen = 0
    for position in some_positions(rules, random, 60):
        moves = list(position.moves())
        moves_seen += len(moves)
        for objective in some_objectives(rules, random):
            best = max(moves, key=lambda move: worth(move, objective), default=None)
            assert position.best(objective) == best, (str(position), objective)
            stable = max(moves, key=lambda move: (*worth(move, objective), move.unchanged), default=None)
            assert position.best(objective, prefer="fewest_changes") == stable, (str(position), objective)
            most = worth(best, objective)[0] if best else 0
            optimal = [move for move in moves if worth(move, objective)[0] == most]
            assert position.count_best(objective) == len(optimal), (str(position), objective)
            assert list(position.best_moves(objective)) == optimal, (str(position), objective)
    assert moves_seen > 100


@pytest.mark.parametrize("case", FREE, ids=lambda case: case["id"])
def test_benchmark_positions(case: dict[str, Any]) -> None:
    """The known most tiles, by a legal move; where the decision diagram is small, the one that it finds."""
    position = Position(case["table"], case["hand"], "easy-rummy")
    for objective in "tiles", "points":
        best = position.best(objective)
        if objective == "tiles":
            assert len(best.played if best else ()) == case["best_tiles"]
        if best:
            assert best in [position.move_to(best.table)]
        if int(case["count"]) < 10**7:
            assert best == position.moves().best(objective)


def test_huge_hands() -> None:
    """All tiles but the table's are in hand: everything can be laid, and costs need more than 16 bits."""
    rules = Rules(initial_meld=0)
    table = ["k1k2k3", "r5r6r7r8", "k13b13y13"]
    hand = every_tile(rules)
    for tile in ["k1", "k2", "k3", "r5", "r6", "r7", "r8", "k13", "b13", "y13"]:
        hand.remove(tile)
    for objective in "tiles", "points", {"weights": {"k1": -1}}:
        best = Position(table, hand, rules).best(objective)
        assert best is not None
        assert len(best.played) == len(hand) - (isinstance(objective, dict))


def test_the_largest_edition() -> None:
    rules = Rules(initial_meld=0, copies=3, jokers=4)
    random = Random(7)
    for size in 14, 30, 60, 160:
        position = Position((), random.sample(every_tile(rules), size), rules)
        tiles, points = position.best(), position.best("points")
        assert tiles is not None
        assert points is not None
        assert len(tiles.played) >= len(points.played)
        assert points.points >= tiles.points
        position.move_to(tiles.table)
        position.move_to(points.table)


@pytest.mark.parametrize("hand", [["*"] * 3, ["*"] * 4, ["*", "*", "k1"]])
def test_jokers_alone_are_no_set(hand: list[str]) -> None:
    best = Position((), hand, Rules(initial_meld=0, jokers=4)).best()
    assert (best is None) == ("k1" not in hand)


def test_a_loss_is_taken_because_something_must_be_laid() -> None:
    best = Position(["k5k6k7"], ["k4", "k8"], "easy-rummy").best({"weights": {"k4": -7, "k8": -2}})
    assert best is not None
    assert best.played == ("k8",)


def test_a_stopped_search_leaves_nothing_behind() -> None:
    position = Position(FREE[1]["table"], FREE[1]["hand"], "easy-rummy")
    best = position.best()
    stop = Stop()
    stop.cancel()
    with pytest.raises(Cancelled):
        position.best(stop=stop)
    assert position.best() == best


def test_searches_in_threads_do_not_disturb_each_other() -> None:
    positions = [Position(case["table"], case["hand"], "easy-rummy") for case in FREE[:80]]
    alone = [position.best() for position in positions]
    with ThreadPoolExecutor(4) as threads:
        for together in threads.map(lambda _: [position.best() for position in positions], range(8)):
            assert together == alone
