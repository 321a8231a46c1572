"""The positions to measure, by class: `self` of ordinary games, `randJ_N` of J jokers and N table tiles."""

import json
from functools import cache
from pathlib import Path

DATA = Path(__file__).resolve().parents[1] / "tests" / "data"
RULES = "easy-rummy"
COVERED = ("rand0_0", "rand0_20", "rand2_0", "rand2_20")  # exact cover takes minutes for larger tables


@cache
def by_class():
    """Every case of free.jsonl (free jokers, opened) in lists by class."""
    classes = {}
    with open(DATA / "free.jsonl", encoding="utf-8") as lines:
        for case in map(json.loads, lines):
            case["count"] = int(case["count"])  # a string above 2^53
            classes.setdefault(case["cls"], []).append(case)
    return classes


EVERY_TILE = [f"{colour}{number}" for colour in "krby" for number in range(1, 14)] * 2 + ["*", "*"]
