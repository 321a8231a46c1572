"""The referee on a full board of 25 sets with two jokers, under every preset."""

import pytest

from meldcore import PRESETS, Position

BOARD = [
    *("k1k2k3", "k4k5k6", "k10k11k12", "r1r2r3", "r4r5r6", "r7r8r9", "b1b2b3", "b4b5b6", "b7b8b9", "b10b11b12"),
    *("y1y2y3", "y4y5y6", "y7y8y9", "y10y11y12", "k13r13b13", "k1r1b1", "k2r2b2", "k3r3b3", "k4r4b4", "k6r6b6"),
    *("k7r7b7", "k8r8b8", "k10r10b10"),
]
TABLE = [*BOARD, "k7k8*", "r10*r12"]
HAND = "k9 r11 k5 b5 y1 y2 y3"
ROOM_FOR_JOKERS = [f"{meld}*" if meld in ("k8r8b8", "k10r10b10") else meld for meld in BOARD]

TURNS = {
    "a set more": [*TABLE, "y1y2y3"],
    "jokers retrieved": [*BOARD, "k7k8k9", "r10r11r12", "k5b5*", "y1y2*"],
    "jokers moved to old sets": [*ROOM_FOR_JOKERS, "k7k8k9", "r10r11r12", "y1y2y3"],
}


@pytest.mark.parametrize("rules", [name for name, rules in PRESETS.items() if not rules.cards])
@pytest.mark.parametrize("turn", TURNS)
def test_check(benchmark, rules, turn):
    verdict = benchmark(Position(TABLE, HAND, rules).check, TURNS[turn])
    new_sets_only = Position(TABLE, HAND, rules).rules.retrieved_joker_use != "anywhere"
    misplaced = new_sets_only and turn == "jokers moved to old sets"
    assert [problem.code for problem in verdict.problems] == ["retrieved_joker_misplaced"] * (2 * misplaced)
