"""Scores of rounds, alone: the examples of the rule books, and what holds for all hands."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from case_files import cases
from meldcore import BadPosition, BadRequest, BadTile, Rules
from meldcore.scoring import hand_points, match_leaders, points_against, round_scores, round_winners

ROUNDS = [case for case in cases("real.jsonl") if case["ask"] == "round_scores"]


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in ROUNDS])
def test_the_scores_of_the_rule_books(case):
    laid = case.get("laid_values")
    scores = round_scores(list(case["hands"].values()), case["rules"], laid and list(laid.values()))
    assert dict(zip(case["hands"], scores, strict=True)) == case["answer"], case["why"]


def test_a_joker_in_a_hand_of_cards_may_cost_less():
    assert points_against([[], "KS AH * 5C"], Rules.preset("rummy-40", joker_hand_value=15)) == (0, 41)


def test_hands_are_strings_or_lists():
    assert hand_points("r13 b1, *") == hand_points(["*", "b1", "r13"]) == 44
    assert hand_points("2S 10h TD jc QS KH ad *", "rummy-40") == 2 + 10 + 10 + 30 + 11 + 25
    assert hand_points("") == hand_points([]) == hand_points("", "rummy-40") == 0


def test_exhaustion():
    assert round_scores(["r7 r8", "b9", "y4 k6"]) == (-6, 7, -1)


@pytest.mark.parametrize(
    ("hands", "scores"),
    [
        (["r5", "k5", "b9"], (2, 2, -4)),
        (["r5", "k5", "b10"], (3, 2, -5)),
        (["b10", "r5", "k5"], (-5, 3, 2)),
        (["r5", "b10", "k2 b3", "y5"], (2, -5, 2, 1)),
        (["r5", "k5", "b5"], (0, 0, 0)),
    ],
)
def test_who_ties_for_the_lowest_hand_shares(hands, scores):
    """The remainder goes to those first in turn order."""
    assert round_scores(hands) == scores


def test_a_patience_counts_what_is_left():
    assert round_scores(["r5 *"], "rummi-q") == (-35,)
    assert round_scores([""], "rummi-q") == (0,)


def test_who_goes_out_wins_alone_from_a_hand_that_is_worth_nothing():
    rules = Rules.preset("rummi-q", joker_hand_value=0)
    assert round_winners(["*", "", "r4"], rules) == (1,)
    assert round_scores(["*", "", "r4"], rules) == (0, 4, -4)


def test_rummy_o_by_exhaustion():
    """Nobody gets what the others have left."""
    assert round_scores(["r5", "k9 *"], "rummy-o", laid=[10, 50]) == (5, 11)
    assert round_winners(["r5", "k9 *"], "rummy-o") == (0,)


def test_cut_40():
    assert points_against(["", "AS", "2S 3S"], cut_40=True) == (0, 36, 30)
    assert points_against(["4S", "AS"]) == (4, 11)
    with pytest.raises(BadRequest, match="who cuts"):
        points_against(["4S", "AS"], cut_40=True)


def test_who_leads():
    assert match_leaders([3, 8, -11, 8]) == (1, 3)
    assert match_leaders([30, 8, 51], "rummy-40") == (1,)


@pytest.mark.parametrize(
    ("ask", "error", "named"),
    [
        (lambda: round_scores([]), BadRequest, "at least|one hand"),
        (lambda: round_scores(["", "", "r1"]), BadRequest, "2 hands are empty"),
        (lambda: round_scores(["", "r1"], "rummy-o"), BadRequest, "each of 2 players laid"),
        (lambda: round_scores(["", "r1"], "rummy-o", laid=[3]), BadRequest, "each of 2 players laid"),
        (lambda: round_scores(["", "r14"]), BadTile, "'r14'"),
        (lambda: round_scores(["", "1S"], "rummy-40"), BadTile, "'1S'"),
        (lambda: hand_points("r1 r1 r1"), BadPosition, "r1"),
        (lambda: match_leaders([]), BadRequest, "one player"),
    ],
)
def test_errors(ask, error, named):
    with pytest.raises(error, match=named):
        ask()


tiles = st.sampled_from([f"{colour}{number}" for colour in "krby" for number in range(1, 14)] + ["*"])


@given(st.lists(st.lists(tiles, max_size=6, unique=True), min_size=2, max_size=4))
def test_zero_sum(hands):
    if sum(not hand for hand in hands) > 1:
        return
    scores = round_scores(hands)
    winners = round_winners(hands)
    points = [hand_points(hand) for hand in hands]
    assert sum(scores) == 0
    assert all(score <= 0 for place, score in enumerate(scores) if place not in winners)
    assert all(points[place] == min(points) for place in winners)
    shares = [scores[place] for place in winners]
    assert shares == sorted(shares, reverse=True)
    assert max(shares) - min(shares) <= 1


@given(st.lists(st.lists(tiles, max_size=6, unique=True), min_size=2, max_size=4), st.data())
def test_laid_minus_left(hands, data):
    if sum(not hand for hand in hands) > 1:
        return
    laid = data.draw(st.lists(st.integers(0, 300), min_size=len(hands), max_size=len(hands)))
    points = sum(hand_points(hand) for hand in hands)
    gained = 0 if all(hands) else points
    assert sum(round_scores(hands, "rummy-o", laid)) == sum(laid) - points + gained
