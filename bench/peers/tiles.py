"""Tiles as numbers, 13 * colour + number - 1 and the joker 52; multisets of tiles as vectors of 53."""

import re
from itertools import combinations

import numpy as np

COLOURS, NUMBERS, COPIES, JOKERS = 4, 13, 2, 2
JOKER = COLOURS * NUMBERS
KINDS = JOKER + 1
TILE = re.compile(r"\*|([krby])(\d+)")


def tile(match):
    return JOKER if match[0] == "*" else NUMBERS * "krby".index(match[1]) + int(match[2]) - 1


def amounts(texts):
    """How often each tile occurs in a list of tiles or sets: an int array of shape (53,)."""
    return np.bincount([tile(match) for match in TILE.finditer(" ".join(texts))], minlength=KINDS)


def natural_sets(longest):
    """Every run of 3 to `longest` tiles and every group without jokers, as tuples of tiles."""
    for length in range(3, longest + 1):
        for colour in range(COLOURS):
            for first in range(NUMBERS * colour, NUMBERS * (colour + 1) - length + 1):
                yield tuple(range(first, first + length))
    for size in (3, 4):
        for number in range(NUMBERS):
            for colours in combinations(range(COLOURS), size):
                yield tuple(NUMBERS * colour + number for colour in colours)


def with_jokers(tiles):
    """The set itself, and all that come from it by putting jokers in the place of one or two tiles."""
    for jokers in range(JOKERS + 1):
        for kept in combinations(tiles, len(tiles) - jokers):
            yield (*kept, *[JOKER] * jokers)
