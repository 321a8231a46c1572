"""Every way to split tiles into valid sets, listed by the exact-cover package (dancing links in C).

Exact cover tells equal tiles apart. So each set is offered once for every choice of copies, and of the covers
that differ in copies alone one is kept.
"""

from functools import cache
from itertools import combinations, product

import numpy as np
from exact_cover import get_all_solutions
from exact_cover.error import NoSolution

from .tiles import KINDS, NUMBERS, amounts, natural_sets, with_jokers


@cache
def all_sets():
    """Every valid set: its tiles, and how many of each kind these are as an array of shape (sets, 53)."""
    sets = {}
    for natural in natural_sets(longest=NUMBERS):
        is_run = natural[1] == natural[0] + 1
        for tiles in with_jokers(natural):
            sets[tiles, natural if is_run else None] = tiles  # a group leaves open which tiles its jokers are
    held = [np.bincount(tiles, minlength=KINDS) for tiles in sets.values()]
    return list(sets.values()), np.array(held, dtype=np.int8)


def partitions(tiles):
    """The partitions of a list of tiles or sets, as a set of sorted tuples of indices into `all_sets`."""
    given = amounts(tiles)
    if not given.any():
        return {()}
    copies = np.split(np.arange(given.sum()), np.cumsum(given)[:-1])
    sets, held = all_sets()
    rows, owner = [], []
    for index in np.flatnonzero((held <= given).all(axis=1)):
        kinds = set(sets[index])
        for choice in product(*(combinations(copies[kind], held[index, kind]) for kind in kinds)):
            row = np.zeros(given.sum(), dtype=np.bool_)
            row[np.concatenate(choice)] = True
            rows.append(row)
            owner.append(index)
    if not rows:
        return set()
    try:
        covers = get_all_solutions(np.array(rows))
    except NoSolution:
        return set()
    return {tuple(sorted(owner[row] for row in cover)) for cover in covers}
