"""Searches in many threads at once: the same answers, and the interpreter goes on meanwhile."""

from __future__ import annotations

import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from case_files import cases
from meldcore import Position, partitions

THREADS = 8
CASES = [case | {"rules": "easy-rummy"} for case in cases("free.jsonl")[::3]] + cases("jokers.jsonl")[::16]


@pytest.fixture(autouse=True)
def switching_often():
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(interval)


def answers(case):
    position = Position(case["table"], case["hand"], case["rules"])
    moves = position.moves()
    drawn = moves.sample(3, seed=1) if moves else []
    plays = position.plays().total if len(case["hand"]) <= 8 else None
    return (
        position.count(),
        moves.total,
        [position.best(objective) for objective in ("tiles", "points", {"weights": {"r5": 4, "k9": -2}})],
        drawn,
        [moves.index(move) for move in drawn],
        partitions("".join(case["table"]).replace("=", "")).total,
        plays,
    )


def test_many_threads_give_the_answers_of_one():
    alone = [answers(case) for case in CASES]
    with ThreadPoolExecutor(THREADS) as pool:
        for found in (pool.map(answers, CASES), pool.map(answers, CASES)):
            assert list(found) == alone


def test_editions_are_met_by_many_threads_at_once():
    """Tables are built on first use; here every thread uses them first."""
    text = "k1k2k3 b4b5b6b7 | r1 r2 r4 k4 b3 b8 r3"
    editions = [
        {"colours": 3, "numbers": numbers, "copies": copies, "jokers": 3, "max_jokers_per_set": 2}
        for numbers in (8, 9)
        for copies in (1, 3)
    ]

    def count(edition):
        start.wait()
        return Position.parse(text + " * * *", edition).count()

    for edition in editions:
        start = threading.Barrier(THREADS)
        with ThreadPoolExecutor(THREADS) as pool:
            found = set(pool.map(count, [edition] * THREADS))
        assert found == {Position.parse(text + " * * *", edition).moves().total}


def test_one_sequence_serves_many_threads():
    moves = Position.parse("r4r5r6r7 k7b7y7 k1k2k3k4 | r3 r8 k5 r7 k8 b8 *", "easy-rummy").moves()
    listed = list(moves)

    def walk(seed):
        return (
            [moves[k] for k in range(seed, len(moves), 7)] == listed[seed::7]
            and [moves.index(move) for move in listed[seed::11]] == list(range(seed, len(moves), 11))
            and list(moves[seed:]) == listed[seed:]
        )

    with ThreadPoolExecutor(THREADS) as pool:
        assert all(pool.map(walk, range(THREADS)))


ALL_TILES = [f"{colour}{number}" for colour in "krby" for number in range(1, 14)] * 2 + ["*"] * 2


@pytest.mark.parametrize("search", ["count", "moves"])
def test_searches_release_the_lock(search):
    """While one thread searches for tens of milliseconds, another one gets to run many times."""
    position = Position([], ALL_TILES, "easy-rummy")
    getattr(position, search)()
    ticks = 0
    done = threading.Event()
    started = threading.Event()

    def run():
        started.set()
        getattr(position, search)()
        done.set()

    searcher = threading.Thread(target=run)
    sys.setswitchinterval(10)  # nobody is made to hand over the lock
    searcher.start()
    started.wait()
    while not done.wait(0.001):
        ticks += 1
    searcher.join()
    assert ticks >= 3
