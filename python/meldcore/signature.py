"""The signature of behaviour: one number, which changes when a count or a best move of its positions does.

The positions are dealt by code, equal on every platform: chance comes from ``random.Random.random``
alone, the one method whose sequence Python promises to keep.
"""

import random
import sys
import time
from collections.abc import Sequence
from itertools import combinations
from typing import TypeVar

from .position import Position
from .rules import Rules

_T = TypeVar("_T")

# editions, each with the sizes of its tables: larger ones of the 160 tiles would take a second
_EDITIONS = (
    (Rules.preset("easy-rummy", jokers=0), (0, 20, 40, 60, 80)),
    (Rules.preset("easy-rummy"), (0, 20, 40, 60, 80)),
    (Rules.preset("easy-rummy", copies=3, jokers=4), (0, 20, 40, 60)),
    *(
        (Rules.preset(name), (20, 40))
        for name in (
            "tile-rummy",
            "dutch-rummy",
            "rrrummy",
            "rummi-q",
            "rummi-q-tournament",
            "rummy-o",
            "tiles-50",
        )
    ),
)
_DEALS = 4

_KINDS = [[f"{colour}{number}" for number in range(1, 14)] for colour in "krby"]
# runs of 3 to 5 tiles and all groups, without jokers
_SETS = [
    *(
        kinds[first : first + length]
        for length in (3, 4, 5)
        for kinds in _KINDS
        for first in range(14 - length)
    ),
    *(
        list(group)
        for size in (3, 4)
        for alike in zip(*_KINDS, strict=True)
        for group in combinations(alike, size)
    ),
]


def positions() -> list[Position]:
    """Some positions for every edition and size of the table, for opened and for opening players."""
    chance = random.Random(1)
    return [
        Position(table, hand, rules, opened)
        for rules, sizes in _EDITIONS
        for size in sizes
        for table, hand in (_deal(chance, rules, size) for _ in range(_DEALS))
        for opened in (True, False)
    ]


def signature(of: Sequence[Position] | None = None) -> int:
    """The sum of the counts, and of the tiles and the points of the best moves, of all these positions."""
    total = 0
    for position in positions() if of is None else of:
        total += position.count()
        most_tiles, most_points = position.best("tiles"), position.best("points")
        if most_tiles and most_points:
            total += len(most_tiles.played) + most_points.points
    return total


def main() -> int:
    """Print the signature, and on stderr how many positions a second that was. Returns the exit code, 0."""
    dealt = positions()
    start = time.perf_counter()
    print(signature(dealt))
    print(f"{len(dealt) / (time.perf_counter() - start):.0f} positions/s", file=sys.stderr)
    return 0


def _deal(chance: random.Random, rules: Rules, size: int) -> tuple[list[str], list[str]]:
    """A table of at least ``size`` tiles, and a hand. The jokers lie on the table, or else in the hand."""
    pool = [tile for kinds in _KINDS for tile in kinds for _ in range(rules.copies)]
    table: list[list[str]] = []
    while sum(map(len, table)) < size:
        left = set(pool)
        dealt = list(_choose(chance, [tiles for tiles in _SETS if left.issuperset(tiles)]))
        table.append(dealt)
        for tile in dealt:
            pool.remove(tile)
    for _ in range(rules.jokers if table else 0):
        natural = _choose(chance, [dealt for dealt in table if "*" not in dealt])
        place = int(chance.random() * len(natural))
        pool.append(natural[place])
        natural[place] = "*"
    hand = ["*"] * (0 if table else rules.jokers)
    while len(hand) < rules.hand_size:
        hand.append(_choose(chance, pool))
        pool.remove(hand[-1])
    return ["".join(dealt) for dealt in table], hand


def _choose(chance: random.Random, items: Sequence[_T]) -> _T:
    return items[int(chance.random() * len(items))]
