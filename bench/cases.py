"""The positions to measure, by class: `self` of ordinary games, `randJ_N` of J jokers and N table tiles."""

import json
from functools import cache
from pathlib import Path

from meldcore import Position

DATA = Path(__file__).resolve().parents[1] / "tests" / "data"
RULES = "easy-rummy"  # free jokers
COVERED = ("rand0_0", "rand0_20", "rand2_0", "rand2_20")  # exact cover takes minutes for larger tables


def read(name):
    """The cases of a file, all of players who have opened."""
    with open(DATA / name, encoding="utf-8") as lines:
        for case in map(json.loads, lines):
            yield {"rules": RULES} | case | {"count": int(case["count"])}  # a string above 2^53


def grouped(cases, key):
    groups = {}
    for case in cases:
        groups.setdefault(case[key], []).append(case)
    return groups


@cache
def by_class():
    """Every case of free.jsonl (free jokers) in lists by class."""
    return grouped(read("free.jsonl"), "cls")


@cache
def by_preset():
    """Every case of jokers.jsonl (jokers on the table that are not free): by preset, and then in lists by class."""
    return {preset: grouped(cases, "cls") for preset, cases in grouped(read("jokers.jsonl"), "rules").items()}


def position_of(case):
    return Position(case["table"], case["hand"], case["rules"])


EVERY_TILE = [f"{colour}{number}" for colour in "krby" for number in range(1, 14)] * 2 + ["*", "*"]
