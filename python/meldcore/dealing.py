"""All tiles of an edition, mixed, and the draw for the start. Source: RULES.md 6.

The same seed deals the same tiles everywhere and for ever. Of Python's generator only `random()` promises to keep its
sequence, so the mixing is written out here. Records rely on it (see `meldcore.records.FORMAT`).
"""

from collections.abc import Sequence
from random import Random

from .rules import Rules


def edition(rules: Rules) -> tuple[str, ...]:
    """Every tile there is, in canonical order."""
    naturals = [f"{colour}{number}" for colour in "krby"[: rules.colours] for number in range(1, rules.numbers + 1)]
    return (*(tile for tile in naturals for _ in range(rules.copies)), *["*"] * rules.jokers)


def generator(seed: int, part: int) -> Random:
    """The chance of one part of a match: 0 the draw for the start, then each round by its number."""
    return Random(seed << 32 | part)


def mixed(tiles: Sequence[str], chance: Random) -> list[str]:
    """The tiles in random order: Fisher and Yates, from the last place down, one `chance.random()` each."""
    order = list(tiles)
    for place in range(len(order) - 1, 0, -1):
        other = int(chance.random() * (place + 1))
        order[place], order[other] = order[other], order[place]
    return order


def draw_for_start(rules: Rules, players: int, seed: int) -> tuple[dict[int, str], ...]:
    """Each draw for the start: who took part, and the tile of each. The highest of the last draw starts.

    A joker is above every number. Those tied for the highest draw again, all tiles mixed anew.

    >>> draw_for_start(Rules.preset("rummi-q"), players=3, seed=17)
    ({0: 'r3', 1: 'k3', 2: 'y2'}, {0: 'y12', 1: 'b3'})
    """
    chance = generator(seed, 0)
    tiles = edition(rules)
    draws: list[dict[int, str]] = []
    tied: Sequence[int] = range(players)
    while not draws or len(tied) > 1:
        drawn = dict(zip(tied, mixed(tiles, chance), strict=False))
        draws.append(drawn)
        highest = max(map(_rank, drawn.values()))
        tied = [player for player, tile in drawn.items() if _rank(tile) == highest]
    return tuple(draws)


def starter(draws: Sequence[dict[int, str]]) -> int:
    """Who starts after these draws."""
    return max(draws[-1], key=lambda player: _rank(draws[-1][player]))


def _rank(tile: str) -> float:
    return float("inf") if tile == "*" else int(tile[1:])
