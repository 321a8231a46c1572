"""All tiles of an edition, mixed, and the draw for the start. Source: RULES.md 6, and 7 for cards.

The same seed deals the same tiles everywhere and for ever. Of Python's generator only `random()` promises to keep its
sequence, so the mixing is written out here. Records rely on it (see `meldcore.records.FORMAT`).
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from random import Random
from types import MappingProxyType

from .errors import BadRequest
from .position import Position
from .rules import Rules
from .sets import tile_text


@lru_cache
def naturals(rules: Rules) -> Mapping[str, tuple[int, int]]:
    """The tiles that are no jokers, each once, in canonical order: colour and number by text.

    Of cards these are the suit, 0 to 3 for S H C D, and the place in the order of ranks, 1 for 2 to 13 for the ace.

    >>> list(naturals(Rules.preset("rummy-40")).items())[11:14]
    [('KS', (0, 12)), ('AS', (0, 13)), ('2H', (1, 1))]
    """
    tiles = [(colour, number) for colour in range(rules.colours) for number in range(1, rules.numbers + 1)]
    texts = (tile_text(colour << 4 | number, rules.cards) for colour, number in tiles)
    return MappingProxyType(dict(zip(texts, tiles, strict=True)))


def edition(rules: Rules) -> tuple[str, ...]:
    """Every tile there is, in canonical order."""
    return (*(tile for tile in naturals(rules) for _ in range(rules.copies)), *["*"] * rules.jokers)


def table_tiles(table: Sequence[str], rules: Rules) -> Position:
    """The tiles of a table, loose: the hand of this position."""
    return Position((), "".join(table).replace("=", ""), rules)


def generator(seed: int, part: int, reshuffle: int = 0) -> Random:
    """The chance of one part of a match: 0 the draw for the start, then each round by its number.

    Each ``reshuffle`` of a round of cards, by its number from 1, has its own.
    """
    return Random(reshuffle << 85 | seed << 32 | part)


def mixed(tiles: Sequence[str], chance: Random) -> list[str]:
    """The tiles in random order: Fisher and Yates, from the last place down, one `chance.random()` each."""
    order = list(tiles)
    for place in range(len(order) - 1, 0, -1):
        other = int(chance.random() * (place + 1))
        order[place], order[other] = order[other], order[place]
    return order


def draw_for_start(rules: Rules, players: int, seed: int) -> tuple[dict[int, str], ...]:
    """Each draw for the start: who took part, and the tile of each. The highest of the last draw starts.

    A joker is above every number, an ace below it alone. Those tied for the highest draw again, all tiles mixed anew.

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
        highest = max(_rank(tile, rules) for tile in drawn.values())
        tied = [player for player, tile in drawn.items() if _rank(tile, rules) == highest]
    return tuple(draws)


def starter(draws: Sequence[dict[int, str]], rules: Rules) -> int:
    """Who starts after these draws."""
    return max(draws[-1], key=lambda player: _rank(draws[-1][player], rules))


def _rank(tile: str, rules: Rules) -> float:
    return float("inf") if tile == "*" else naturals(rules)[tile][1]


def dealt(rules: Rules, players: int, seed: int, number: int, open_cards: int = 0) -> tuple[list[list[str]], list[str]]:
    """The hands of round ``number``, by player, and the rest in its order.

    The first player gets the first ``hand_size`` tiles, and so on. Raises BadRequest where the rest has fewer than
    ``open_cards`` tiles.
    """
    tiles = mixed(edition(rules), generator(seed, number))
    size = rules.hand_size
    needed = players * size + open_cards
    if needed > len(tiles):
        more = f" and {open_cards} beside them" if open_cards else ""
        raise BadRequest(
            f"{players} players with {size} {'card' if rules.cards else 'tile'}s each{more} need {needed}, "
            f"and there are {len(tiles)}",
            path="$.players",
            token=str(players),
        )
    return [tiles[player * size : (player + 1) * size] for player in range(players)], tiles[players * size :]
