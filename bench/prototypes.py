"""Sketches of the search in C++, built on the spot: their medians by class are a yardstick for the same run."""

import re
import subprocess
from pathlib import Path

from .cases import EVERY_TILE

NAMES = ("best_first", "best_bounded", "count", "diagram")
COMPILE = ("g++", "-O3", "-march=x86-64-v2", "-std=c++20")
TILE = re.compile(r"\*|[krby]\d+")


class Prototypes:
    """The programs of a directory of sources, built into another one."""

    def __init__(self, sources, build):
        self.build = Path(build)
        for name in NAMES:
            source = Path(sources) / f"{name}.cpp"
            subprocess.run([*COMPILE, "-o", self.build / name, source], check=True)

    def output(self, name, positions, *arguments):
        text = "".join(f"{' '.join(TILE.findall(' '.join(table)))} | {' '.join(hand)}\n" for table, hand in positions)
        command = [self.build / name, *map(str, arguments)]
        return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout

    def figure(self, pattern, *arguments):
        """The number after a word of what a program prints; None where it prints none."""
        found = re.search(rf"{pattern} ([\d.]+)", self.output(*arguments))
        return float(found[1]) if found else None
