"""Sketches of the search in C++, built on the spot: their medians by class are a yardstick for the same run.

Each reads lines `tiles of the table | tiles of the hand` and, given a number of repeats, prints medians.
"""

import re
import subprocess
from pathlib import Path

NAMES = ("best_first", "best_bounded", "count", "diagram")
COMPILE = ("g++", "-O3", "-march=x86-64-v2", "-std=c++20")
TILE = re.compile(r"\*|[krby]\d+")


class Prototypes:
    """The programs whose sources stand in a directory, built into another one."""

    def __init__(self, sources, build):
        self.build = Path(build)
        for name in NAMES:
            source = Path(sources) / f"{name}.cpp"
            subprocess.run([*COMPILE, "-o", self.build / name, source], check=True)

    def medians(self, name, positions, repeats):
        """What a program prints for (table, hand) pairs: microseconds, and for listing millions a second."""
        lines = [
            f"{' '.join(TILE.findall(' '.join(table)))} | {' '.join(hand)}\n" for table, hand in positions
        ]
        run = subprocess.run(
            [self.build / name, str(repeats)],
            input="".join(lines),
            capture_output=True,
            text=True,
            check=True,
        )
        return [float(figure) for figure in re.findall(r"median ([\d.]+)", run.stdout)]
