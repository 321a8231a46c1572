"""The reference model against the shared cases, and against what the rules say about themselves."""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import chain
from pathlib import Path

import pytest
import reference as ref
from reference import JOKER, PRESETS, Rules, Tile

DATA = Path(__file__).parent / "data"

# The reference lists every arrangement, so its time grows with their number, and that with the tiles. Up to 18
# tiles are two thirds of the turns, with every preset and both jokers among them, and a quarter of the time of
# all; a partition of 32 tiles takes a tenth of a second, the next larger one of the cases minutes.
MOST_TILES_OF_A_TURN = 18
MOST_TILES_OF_A_PARTITION = 32


def cases(name):
    return [json.loads(line) for line in (DATA / name).read_text().splitlines()]


def read_position(case):
    rules = ref.read_rules(case["rules"])
    table, hand = ref.read_table(case["table"], rules), ref.read_tiles(case["hand"])
    ref.check_position(table, hand, rules)
    return table, hand, case["opened"], rules


def tiles_in(case):
    return len(ref.read_tiles(case["table"])) + len(case["hand"])


# --- The shared cases ---------------------------------------------------------------------------------------


def turns_by_preset():
    by_preset = defaultdict(list)
    for case in chain(cases("turns.jsonl"), cases("openings.jsonl")):
        if tiles_in(case) <= MOST_TILES_OF_A_TURN:
            rules = case["rules"]
            by_preset[rules if isinstance(rules, str) else rules["preset"]].append(case)
    return sorted(by_preset.items())


@pytest.mark.parametrize(("preset", "turns"), turns_by_preset(), ids=lambda value: value if value in PRESETS else "")
def test_turns(preset, turns):
    """`count`, `plays`, `best_tiles` and `best_points` of every position, the joker played counting 30."""
    disagreements = []
    for case in turns:
        found = ref.moves(*read_position(case))
        answer = {
            "count": len(found),
            "plays": len(ref.plays(found)),
            "best_tiles": ref.best_tiles(found),
            "best_points": ref.best_points(found),
        }
        if case != case | answer:
            disagreements.append((case, answer))
    assert disagreements == []
