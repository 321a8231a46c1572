"""Sketches of the search in C++, built on the spot: their medians by class are a yardstick for the same run.

Those for free jokers read lines `tiles of the table | tiles of the hand` and, given a number of repeats, print medians.
The one for joker rules reads a file of cases and prints a line a case.
"""

import json
import re
import subprocess
from pathlib import Path
from statistics import median

NAMES = ("best_first", "best_bounded", "count", "diagram", "jokers")
COMPILE = ("g++", "-O3", "-march=x86-64-v2", "-std=c++20")
TILE = re.compile(r"\*|[krby]\d+")
MICROSECONDS = 3  # the field of a line of `jokers`


class Prototypes:
    """The programs whose sources stand in a directory, built into another one."""

    def __init__(self, sources, build):
        self.build = Path(build)
        for name in NAMES:
            source = Path(sources) / f"{name}.cpp"
            subprocess.run([*COMPILE, "-o", self.build / name, source], check=True)

    def output(self, name, *arguments, **given):
        run = subprocess.run(
            [self.build / name, *map(str, arguments)], capture_output=True, text=True, check=True, **given
        )
        return run.stdout

    def medians(self, name, positions, repeats):
        """What a program prints for (table, hand) pairs: microseconds, and for listing millions a second."""
        lines = [
            f"{' '.join(TILE.findall(' '.join(table)))} | {' '.join(hand)}\n" for table, hand in positions
        ]
        printed = self.output(name, repeats, input="".join(lines))
        return [float(figure) for figure in re.findall(r"median ([\d.]+)", printed)]

    def joker_median(self, mode, cases, repeats):
        """Microseconds to count ("time") or to find the best move ("timebest") under the joker rules of the cases.

        They include what the rules demand of the table, worked out anew each time; a Position keeps that, which saves
        it a twentieth at most.
        """
        file = self.build / "cases.jsonl"
        file.write_text("".join(f"{json.dumps(case)}\n" for case in cases), encoding="utf-8")
        named_by_the_case = ""
        lines = self.output("jokers", mode, named_by_the_case, repeats, file).splitlines()
        return median(float(line.split()[MICROSECONDS]) for line in lines)
