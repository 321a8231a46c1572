"""One run that measures meldcore and what it is compared with, and prints the ratios as Markdown tables.

usage: python -m bench.report [--prototypes DIR] [--repeats N]

A position's time is the least of N, a class's the median of its positions. Times mean nothing from one
machine or hour to the next, so nearly every figure is a ratio to something measured beside it. The peers
need the extra `peers`, the prototypes (C++ sources in DIR) need g++; cells of what is missing stay
empty.
"""

import argparse
import multiprocessing
import random
import resource
import subprocess
import sys
import tempfile
import timeit
from collections import deque
from functools import partial
from importlib.util import find_spec
from itertools import islice
from statistics import median

import msgspec
import numpy

from meldcore import Position, batch, partitions, timing

from .cases import COVERED, EVERY_TILE, RULES, by_class, by_preset, position_of, read
from .games import self_play
from .prototypes import Prototypes
from .serving import COMMAND, best_requests, decode_and_encode, exchange, server

MANY = 10_000  # a position has more moves than this where listing them is timed
LISTED = 1_000_000  # moves listed at most
CHUNK = 4096  # moves listed at a time
KTH = 200  # moves taken by their place
ROUNDS = 50  # of all requests to the server
GAMES = 100  # played to their ends
COVER_SECONDS = 30

# By class: what is measured, what to reach, and how it comes from the class's figures.
BY_CLASS = (
    ("search in `best()` / better prototype", "≤ 1.5", lambda f: f["best search"] / f["best prototype"]),
    ("rest of `best()` / a dict of the move", "≤ 10", lambda f: f["best rest"]),
    ("compact ILP / `best()`", "≥ 100", lambda f: f["compact"] / f["best"]),
    ("compact ILP tuned / `best()`", "", lambda f: f["compact tuned"] / f["best"]),
    ("ILP of all sets / `best()`", "", lambda f: f["all sets"] / f["best"]),
    ("search in `count()` / prototype", "≤ 1.5", lambda f: f["count search"] / f["count prototype"]),
    ("building `moves()` / prototype", "≤ 2", lambda f: f["build"] / f["build prototype"]),
    ("`moves[k]` / prototype", "≤ 10", lambda f: f["k-th"] / f["k-th prototype"]),
    (
        "listing rate / prototype",
        "≥ 0.5",
        lambda f: f["list rate"] / f["list prototype rate"],
    ),
    ("moves iterated a second, with texts", "≥ 200,000", lambda f: f["iterate rate"]),
    ("exact-cover / `partitions` of the table", "", lambda f: f["exact cover"] / f["partitions"]),
)

# The same by preset and class, where joker rules bind jokers on the table; the integer program takes them as free.
BY_PRESET = (
    ("search in `count()` / prototype", "≤ 1.2", lambda f: f["count search"] / f["count prototype"]),
    ("search in `best()` / prototype", "", lambda f: f["best search"] / f["best prototype"]),
    ("compact ILP for free jokers / `best()`", "≥ 30", lambda f: f["compact"] / f["best"]),
    ("building `moves()` / search in `count()`", "", lambda f: f["build"] / f["count search"]),
)


def seconds(call, repeats, number=1):
    return min(timeit.repeat(call, number=number, repeat=repeats)) / number


def median_seconds(call, items, repeats):
    return median(seconds(lambda: call(item), repeats) for item in items)  # noqa: B023


# ---------------------------------------------------------------- by class


def search_figures(positions, repeats):
    return {
        "best": median_seconds(Position.best, positions, repeats),
        "best search": median(timing.best_seconds(position, "tiles", repeats) for position in positions),
        "count search": median(timing.count_seconds(position, repeats) for position in positions),
        "build": median(timing.build_seconds(position, repeats) for position in positions),
    }


def our_figures(cases, repeats):
    positions = [position_of(case) for case in cases]
    tables = [" ".join(case["table"]) for case in cases]
    sequences = [moves for moves in map(Position.moves, positions) if moves]
    figures = search_figures(positions, repeats) | {
        "best rest": median(rest_of_best(position, repeats) for position in positions if position.count()),
        "k-th": median(kth_seconds(moves, repeats) for moves in sequences),
        "partitions": median_seconds(lambda table: partitions(table, RULES).total, tables, repeats),
    }
    long = [moves for moves in sequences if moves.total > MANY]
    if long:
        figures["list rate"] = median(map(list_rate, long))
        figures["iterate rate"] = median(map(iterate_rate, long))
    return figures


def texts(move):
    """A move makes its texts when they are read: what a figure for moves should not leave out."""
    return move.played, move.table


def rest_of_best(position, repeats):
    """What `best()` and the texts of its move take beyond the search, as a multiple of one dict of them."""
    move = position.best()
    played, table = texts(move)
    points, unchanged = move.points, move.unchanged

    def one_dict():
        return {"played": [*played], "table": [*table], "points": points, "unchanged": unchanged}

    call = seconds(lambda: texts(position.best()), repeats)
    return (call - timing.best_seconds(position, "tiles", repeats)) / seconds(one_dict, repeats, 100)


def kth_seconds(moves, repeats):
    chance = random.Random(1)
    places = [chance.randrange(moves.total) for _ in range(KTH)]
    return seconds(lambda: [moves[place] for place in places], repeats) / KTH


def list_rate(moves):
    """Arrangements a second, listed into an array of set codes that is filled again and again."""
    starts = range(0, min(moves.total, LISTED) - CHUNK + 1, CHUNK)
    rows = numpy.empty((CHUNK, moves.width), dtype=numpy.uint32)

    def list_all():
        for start in starts:
            moves[start:].codes(rows)

    return CHUNK * len(starts) / seconds(list_all, 1)


def iterate_rate(moves):
    listed = min(moves.total, LISTED // 10)
    return listed / seconds(lambda: deque(map(texts, islice(moves, listed)), maxlen=0), 1)


def prototype_figures(prototypes, cases, repeats):
    positions = [(case["table"], case["hand"]) for case in cases]

    def medians(name):
        return prototypes.medians(name, positions, repeats)

    build, kth, listing = medians("diagram")
    figures = {
        "best prototype": min(medians("best_first") + medians("best_bounded")) / 1e6,
        "count prototype": medians("count")[0] / 1e6,
        "build prototype": build / 1e6,
        "k-th prototype": kth / 1e6,
    }
    return figures | ({"list prototype rate": listing * 1e6} if listing else {})


def joker_prototype_figures(prototypes, cases, repeats):
    return {
        "best prototype": prototypes.joker_median("timebest", cases, repeats) / 1e6,
        "count prototype": prototypes.joker_median("time", cases, repeats) / 1e6,
    }


def integer_program_seconds(model, settings, cases):
    from .peers import ilp

    solve, options = getattr(ilp, model), getattr(ilp, settings)
    return median_seconds(lambda case: solve(case["table"], case["hand"], options), cases, 3)


def cover_seconds(cases):
    from .peers import cover

    return median_seconds(lambda case: cover.partitions(case["table"]), cases, 1)


def class_figures(cls, cases, prototypes, repeats):
    figures = our_figures(cases, repeats)
    if prototypes:
        figures |= prototype_figures(prototypes, cases, repeats)
    if find_spec("highspy"):
        figures["compact"] = integer_program_seconds("compact", "SETTINGS", cases)
        figures["compact tuned"] = integer_program_seconds("compact", "TUNED", cases)
        figures["all sets"] = integer_program_seconds("all_sets", "SETTINGS", cases)
    if find_spec("exact_cover") and cls in COVERED:
        figures["exact cover"] = cover_seconds(cases)
    return figures


def preset_figures(cases, prototypes, repeats):
    figures = search_figures([position_of(case) for case in cases], repeats)
    if prototypes:
        figures |= joker_prototype_figures(prototypes, cases, repeats)
    if find_spec("highspy"):
        figures["compact"] = integer_program_seconds("compact", "SETTINGS", cases)
    return figures


# ---------------------------------------------------------------- figures that stand alone


def peak_memory(work):
    """MiB that a process of its own needs to do this to each position, and to all tiles as a hand.

    A new process inherits the peak of the one that starts it, so this has to come before anything large.
    """
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(memory_of_all, (work,))


def memory_of_all(work):
    for case in (*read("free.jsonl"), *read("jokers.jsonl")):
        work(position_of(case))
    work(Position(hand=EVERY_TILE, rules=RULES))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024  # in KiB on Linux


def build_moves(position):
    return position.moves().total


# Whole processes, interpreter and numpy included.
MEMORY = (
    ("memory of `count()`, MiB", "≤ 256", Position.count),
    ("memory of `moves()`, MiB", "≤ 512", build_moves),
)


def all_tiles_ratio(prototypes, repeats):
    ours = timing.count_seconds(Position(hand=EVERY_TILE, rules=RULES), repeats)
    return ours * 1e6 / prototypes.medians("count", [([], EVERY_TILE)], repeats)[0]


def cover_ratio(repeats):
    """How much longer exact cover takes for the partitions of 60 tiles, at least: it is not waited for."""
    from .peers import cover

    table = min(by_class()["rand0_60"], key=lambda case: case["partitions_of_table"])["table"]
    ours = seconds(lambda: partitions(" ".join(table), RULES).total, repeats)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        start = timeit.default_timer()
        try:
            pool.apply_async(cover.partitions, (table,)).get(COVER_SECONDS)
        except multiprocessing.TimeoutError:
            pool.terminate()
        return (timeit.default_timer() - start) / ours


def serve_rows(repeats):
    cases = by_class()["self"]
    positions = [position_of(case) for case in cases]
    requests = best_requests(cases * ROUNDS)
    with server() as process:
        replies = [msgspec.json.decode(reply) for reply in exchange(process, requests)]
        served = seconds(lambda: exchange(process, requests), repeats)
    called = seconds(lambda: [position.best() for position in positions * ROUNDS], repeats)
    alone = seconds(lambda: decode_and_encode(requests, replies), repeats)
    yield "`serve`, pipelined `best` / msgspec alone", "≤ 4", served / alone
    yield "the same without what `best()` takes", "", (served - called) / alone


def batch_rows(repeats):
    positions = [position_of(case) for case in by_class()["self"]]
    boards = batch.Boards.of(positions * ROUNDS)
    for ask, search in ((batch.best, timing.best_seconds), (batch.count, timing.count_seconds)):
        alone = sum(search(position, repeats=repeats) for position in positions) * ROUNDS
        one, two = (seconds(lambda: ask(boards, threads=threads), repeats) for threads in (1, 2))  # noqa: B023
        yield f"`batch.{ask.__name__}` of boards / their searches alone, warm", "≤ 1.3", one / alone
        yield f"`batch.{ask.__name__}` on two threads, times as fast as on one", "≥ 1.8", one / two


def game_rows(repeats):
    """Turns a second against the decisions of another card game; one of its turns is two or three of those."""
    from .peers import spiel

    def rate(play):
        return play() / seconds(play, repeats)

    peer = rate(lambda: spiel.self_play(range(GAMES)))
    for bot, goal in (("random", "≥ 0.33"), ("greedy", "≥ 0.5")):
        ours = rate(lambda: self_play(bot, "rummi-q", range(GAMES)))  # noqa: B023
        yield f"turns a second of `{bot}` against itself", "", ours
        yield "the same / decisions a second of OpenSpiel's gin rummy at random", goal, ours / peer


def start_up_ratio(repeats):
    def run(*command):
        return seconds(lambda: subprocess.run(command, stdin=subprocess.DEVNULL, check=True), repeats)

    return run(*COMMAND) / run(sys.executable, "-c", "import msgspec")


# ---------------------------------------------------------------- the tables


def shown(figure):
    return f"{figure:,.0f}" if figure >= 100 else f"{figure:.2g}"


def ratio_rows(measures, figures):
    """One row a measure; a cell is empty where a class has not all the figures that it needs."""
    for name, goal, ratio in measures:
        cells = []
        for of_class in figures.values():
            try:
                cells.append(shown(ratio(of_class)))
            except KeyError:
                cells.append("")
        yield name, goal, *cells


def median_rows(figures):
    """What the ratios were made of, where it is a time."""
    for name in dict.fromkeys(name for f in figures.values() for name in f):
        if not name.endswith(("rate", "rest")):
            yield name, *(shown(f[name] * 1e6) if name in f else "" for f in figures.values())


def preset_rows(rows, figures):
    for preset, of_preset in figures.items():
        for row in rows(of_preset):
            yield f"`{preset}`", *row


def lone_rows(prototypes, repeats):
    if prototypes:
        yield "all 106 tiles as a hand, count / prototype", "≤ 3", all_tiles_ratio(prototypes, repeats)
    if find_spec("exact_cover"):
        yield "exact-cover / `partitions` of 60 tiles, at least", "≥ 10,000", cover_ratio(repeats)
    yield from serve_rows(repeats)
    yield from batch_rows(repeats)
    if find_spec("pyspiel"):
        yield from game_rows(repeats)
    yield "start of `serve` / `import msgspec`", "≤ 3", start_up_ratio(repeats)


def table(header, rows):
    return "\n".join(f"| {' | '.join(row)} |" for row in (header, ["---"] * len(header), *rows))


def main():
    parser = argparse.ArgumentParser(
        prog="python -m bench.report", description="Print the ratios to peers and prototypes."
    )
    parser.add_argument("--prototypes", metavar="DIR", help="where the C++ sources of the prototypes stand")
    parser.add_argument(
        "--repeats", type=int, default=5, help="measure so often and take the least (default 5)"
    )
    options = parser.parse_args()
    memory = [(name, goal, shown(peak_memory(work))) for name, goal, work in MEMORY]
    with tempfile.TemporaryDirectory() as build:
        prototypes = Prototypes(options.prototypes, build) if options.prototypes else None
        free = {
            cls: class_figures(cls, cases, prototypes, options.repeats) for cls, cases in by_class().items()
        }
        restricted = {
            preset: {
                cls: preset_figures(cases, prototypes, options.repeats) for cls, cases in classes.items()
            }
            for preset, classes in by_preset().items()
        }
        lone = [(name, goal, shown(figure)) for name, goal, figure in lone_rows(prototypes, options.repeats)]
    classes = next(iter(restricted.values()))
    print(table(["measure", "to reach", *free], ratio_rows(BY_CLASS, free)), end="\n\n")
    ratios = preset_rows(partial(ratio_rows, BY_PRESET), restricted)
    print(table(["joker rules", "measure", "to reach", *classes], ratios), end="\n\n")
    print(table(["measure", "to reach", "figure"], memory + lone), end="\n\n")
    print(table(["median, µs", *free], median_rows(free)), end="\n\n")
    print(table(["joker rules", "median, µs", *classes], preset_rows(median_rows, restricted)))


if __name__ == "__main__":
    main()
