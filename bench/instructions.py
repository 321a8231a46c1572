"""How many instructions a fixed set of calls takes, counted by callgrind, against the budget in instructions.json.

usage: python -m bench.instructions [--update]

Wall time means nothing from one machine or hour to the next; instructions hardly change but with the code, the compiler
and the libraries below. So the budget names what it was counted with. Elsewhere the counts are shown and nothing is
judged. A call is counted as what its rounds add to a process that has made all calls before: no start-up, no first use.
"""

import argparse
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy

from meldcore import Position, batch

BUDGET = Path(__file__).parent / "instructions.json"
MOST = 1.05  # of the budget
ALIKE = {"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1", "OPENBLAS_NUM_THREADS": "1"}  # every process
FIRST = 2  # rounds of each call that are not counted

CROWDED = "k1k2k3 r4r5r6r7 b9b10b11b12 y2y3y4 k5r5b5 k8b8y8 r11b11y11 k13r13y13 y6y7y8y9 r1r2r3"
BOUND = "r8r9*r11r12 b5b6b7 k4r4b4 y9y10y11y12 k11k12k13 k2r2*"
"""A table without jokers, and one with jokers that rules bind."""


def calls():
    """What is counted, by name: a call, and how many rounds of it."""
    easy = Position.parse(f"{CROWDED} | k3 k4 r8 b8 b13 y5 y10 r12 *", "easy-rummy")
    bound = Position.parse(f"{BOUND} | r10 k3 b2 y2 k9 k10 b8 r4", "rummi-q")
    cards = Position.parse("5S*7S 9H9C* | 6S 9S 9D KS KH 8S", "rummy-40")
    moves = easy.moves()
    boards = batch.Boards.of([easy] * 50)
    last = easy.best()
    return {
        "parse": (lambda: Position.parse(str(easy), "easy-rummy"), 100),
        "best": (easy.best, 50),
        "best by points": (lambda: easy.best("points"), 50),
        "best under joker rules": (bound.best, 20),
        "best of cards": (cards.best, 5),
        "count": (easy.count, 30),
        "count under joker rules": (bound.count, 20),
        "build moves": (easy.moves, 20),
        "move by place": (lambda: moves[moves.total // 3].table, 200),
        "plays": (lambda: easy.plays().total, 4),
        "check": (lambda: easy.check(last.table), 100),
        "batch of 50": (lambda: batch.best(boards), 4),
    }


def counted_with():
    """What the counts depend on beside the code."""
    compiler = subprocess.run(["gcc", "-dumpfullversion"], capture_output=True, text=True, check=False).stdout.strip()
    wide = "with" if "avx2" in Path("/proc/cpuinfo").read_text() else "without"
    return (
        f"gcc {compiler}, {' '.join(platform.libc_ver())}, Python {platform.python_version()}, "
        f"numpy {numpy.__version__}, {platform.machine()} {wide} AVX2"
    )


def instructions(*rounds):
    """Of a whole process that makes every call a few times, then one of them so many times."""
    with tempfile.NamedTemporaryFile() as out:
        command = ["setarch", "-R", "valgrind", "--tool=callgrind", f"--callgrind-out-file={out.name}"]
        command += [sys.executable, "-m", "bench.instructions", "--rounds", *rounds]
        said = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ | ALIKE)
    return int(re.search(r"Collected : (\d+)", said.stderr)[1])


def make_calls(name=None, rounds=0):
    prepared = calls()
    for call, _ in prepared.values():
        for _ in range(FIRST):
            call()
    for _ in range(int(rounds)):
        prepared[name][0]()


def main():
    parser = argparse.ArgumentParser(
        prog="python -m bench.instructions", description="Count the instructions of calls."
    )
    parser.add_argument("--update", action="store_true", help="make these counts the budget")
    parser.add_argument("--rounds", nargs="*", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.rounds is not None:
        make_calls(*options.rounds)
        return 0
    budget = json.loads(BUDGET.read_text()) if BUDGET.exists() else {"counted with": None, "instructions": {}}
    before = instructions()
    counts = {name: (instructions(name, str(rounds)) - before) // rounds for name, (_, rounds) in calls().items()}
    if options.update:
        BUDGET.write_text(json.dumps({"counted with": counted_with(), "instructions": counts}, indent=1) + "\n")
    judged = budget["counted with"] == counted_with() and not options.update
    over = []
    for name, found in counts.items():
        ratio = found / budget["instructions"].get(name, found)
        over += [name] if ratio > MOST else []
        print(f"{name:26} {found:12,} {ratio:7.1%}")
    if not judged:
        print(f"nothing is judged: these are of {counted_with()}, the budget of {budget['counted with']}")
        return 0
    if over:
        print(f"more than {MOST - 1:.0%} over the budget: {', '.join(over)}")
    return bool(over)


if __name__ == "__main__":
    sys.exit(main())
