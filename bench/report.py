"""One run that measures meldcore and what it is compared with, and prints the ratios as a Markdown table.

usage: python -m bench.report [--prototypes DIR] [--repeats N]

A position's time is the least of N, a class's the median of its positions. Times mean nothing from one machine or hour
to the next, so every figure is a ratio to something measured beside it. The peers need the extra `peers`, the
prototypes (C++ sources in DIR) need g++; cells of what is missing stay empty.
"""

import argparse
import gc
import multiprocessing
import random
import resource
import subprocess
import sys
import tempfile
import timeit
from importlib.util import find_spec
from itertools import islice
from statistics import median

import msgspec
from meldcore import Position, best, count, diagram, partitions

from .cases import EVERY_TILE, RULES, by_class
from .prototypes import Prototypes
from .serving import COMMAND, best_requests, decode_and_encode, exchange, server

MANY = 10_000  # moves of a position whose listing is timed
SAMPLE = 200  # moves taken by their place
LISTED = 1_000_000  # moves listed at most
COVER_SECONDS = 30
ROUNDS = 50  # of the requests to the server

# what is measured by class: its name, what to reach, and how it comes from the figures of a class
BY_CLASS = (
    ("search in `best()` / better prototype", "≤ 1.5", lambda t: t["best search"] / min(t["best_first"], t["best_bounded"])),
    ("what `best()` adds to it / a dict of the move", "≤ 10", lambda t: t["best call"]),
    ("compact ILP / `best()`", "≥ 100", lambda t: t["compact"] / t["best"]),
    ("compact ILP, tuned / `best()`", "", lambda t: t["compact tuned"] / t["best"]),
    ("ILP over all sets / `best()`", "", lambda t: t["all sets"] / t["best"]),
    ("search in `count()` / prototype", "≤ 1.5", lambda t: t["count search"] / t["count prototype"]),
    ("`count()` / search in it", "", lambda t: t["count"] / t["count search"]),
    ("building `moves()` / prototype", "≤ 2", lambda t: t["build"] / t["build prototype"]),
    ("`moves[k]` / prototype", "≤ 10", lambda t: t["k-th"] / t["k-th prototype"]),
    ("listing into an array, rate / prototype's", "≥ 0.5", lambda t: t["list rate"] / t["list rate prototype"]),
    ("iterating moves, a second", "≥ 200,000", lambda t: t["iterate rate"]),
)


def seconds(call, repeats, number=1):
    return min(timeit.repeat(call, number=number, repeat=repeats)) / number


def median_seconds(call, items, repeats):
    return median(seconds(lambda: call(item), repeats) for item in items)


# ---------------------------------------------------------------- one class


def our_figures(positions, repeats):
    sequences = [moves for moves in map(Position.moves, positions) if moves]
    figures = {
        "best": median_seconds(Position.best, positions, repeats),
        "best search": median(best.search_seconds(position, "tiles", repeats) for position in positions),
        "count": median_seconds(Position.count, positions, repeats),
        "count search": median(count.search_seconds(position, repeats) for position in positions),
        "build": median(diagram.build_seconds(position, repeats) for position in positions),
        "k-th": median(kth_seconds(moves, repeats) for moves in sequences),
        "best call": median(call_cost(position, repeats) for position in positions if position.best()),
    }
    long = [moves for moves in sequences if moves.total > MANY]
    if long:
        figures["list rate"] = median(map(list_rate, long))
        figures["iterate rate"] = median(map(iterate_rate, long))
    return figures


def call_cost(position, repeats):
    """What a call of `best()` takes beyond the search, in units of one dict built of the same move."""
    move = position.best()
    one_dict = seconds(
        lambda: {
            "played": list(move.played),
            "table": list(move.table),
            "points": move.points,
            "unchanged": move.unchanged,
        },
        repeats,
        number=100,
    )
    return (seconds(position.best, repeats) - best.search_seconds(position, "tiles", repeats)) / one_dict


def kth_seconds(moves, repeats):
    chance = random.Random(1)
    places = [chance.randrange(moves.total) for _ in range(SAMPLE)]
    return seconds(lambda: [moves[place] for place in places], repeats) / SAMPLE


def iterate_rate(moves):
    listed = min(moves.total, LISTED // 10)
    return listed / seconds(lambda: sum(1 for _ in islice(moves, listed)), 1)


def list_rate(moves):
    raise NotImplementedError


def prototype_figures(prototypes, cases, repeats):
    positions = [(case["table"], case["hand"]) for case in cases]
    printed = prototypes.output("diagram", positions, "time")
    return {
        "best_first": prototypes.figure("median", "best_first", positions, repeats) / 1e6,
    }


def peer_figures(cases):
    from .peers import ilp

    def solve(model, settings, repeats):
        return median_seconds(lambda case: model(case["table"], case["hand"], settings), cases, repeats)

    return {
        "compact": solve(ilp.compact, ilp.SETTINGS, 3),
        "compact tuned": solve(ilp.compact, ilp.TUNED, 3),
        "all sets": solve(ilp.all_sets, ilp.SETTINGS, 1),
    }
