"""The scores of a round, and who leads a match. Source: RULES.md 6, and 7 for cards.

Hands, and all that is listed by hand, stand in turn order, the player who started the round first.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction

from .errors import BadRequest, BadRules
from .position import Position
from .rules import AnyRules, Rules

Hand = str | Iterable[str]

CUT_40 = 25
"""Points more against each loser when somebody cuts 40 (RULES.md 7)."""


def hand_points(hand: Hand, rules: AnyRules = "rummi-q") -> int:
    """What a hand is worth: tiles their numbers, a joker ``joker_hand_value``.

    Cards count at value: 2 to 10 their rank, J Q K 10, A 11. Raises BadTile for what is no tile or card, and
    BadPosition for more copies of a tile than the edition has.

    >>> hand_points("r9 *", "rummy-o"), hand_points("KS AH * 5C", "rummy-40")
    (39, 51)
    """
    return _read(hand, Rules.from_json(rules))[1]


def _read(hand: Hand, rules: Rules) -> tuple[int, int]:
    """How many tiles there are, and what they are worth."""
    position = Position((), hand, rules)
    return len(position.hand), position.hand_points


def _left(hands: Sequence[Hand], rules: Rules) -> tuple[list[int], int | None]:
    """The points left in each hand, and the place of the player who went out."""
    if not hands:
        raise BadRequest("a round has one hand at least", path="$.hands")
    read = [_read(hand, rules) for hand in hands]
    out = [place for place, (tiles, _) in enumerate(read) if not tiles]
    if len(out) > 1:
        raise BadRequest(f"{len(out)} hands are empty: a round is over when the first one is", path="$.hands")
    return [points for _, points in read], out[0] if out else None


def round_winners(hands: Sequence[Hand], rules: AnyRules = "rummi-q") -> tuple[int, ...]:
    """Who wins a round that is over, as places in ``hands``: who went out, else all who hold the least.

    >>> round_winners(["r7 r8", "b9", "y4 k5"])
    (1, 2)
    """
    return _winners(*_left(hands, Rules.from_json(rules)))


def _winners(left: Sequence[int], out: int | None) -> tuple[int, ...]:
    if out is not None:
        return (out,)
    least = min(left)
    return tuple(place for place, points in enumerate(left) if points == least)


def round_scores(
    hands: Sequence[Hand], rules: AnyRules = "rummi-q", laid: Sequence[int] | None = None, *, cut_40: bool = False
) -> tuple[int, ...]:
    """What each player scores at the end of a round, by ``Rules.scoring``.

    ``hands``: what every player holds at the end, in turn order. An empty hand has gone out; where there is none the
    round ended by exhaustion. ``laid``: the points that each player laid on the table in this round; only
    ``laid_minus_left`` needs it. ``cut_40``: the player who went out cut 40, which only ``points_against`` counts: see
    the function of that name.

    Raises BadRequest for no hand, for two empty hands, for a cut 40 where no hand is empty, and where ``laid`` is
    missing or of another length.

    >>> round_scores(["", "b9 r2", "k5 *"])
    (46, -11, -35)
    >>> round_scores(["r7", "y1 k2", "b3"])
    (-4, 2, 2)
    >>> round_scores(["", "r9 *", "k13 k12"], "rummy-o", laid=[70, 55, 0])
    (134, 16, -25)
    """
    rules = Rules.from_json(rules)
    left, out = _left(hands, rules)
    if cut_40 and out is None:
        raise BadRequest("who cuts has no card left, and every hand holds some", path="$.cut_40")
    if rules.scoring == "points_against":
        return tuple(points + CUT_40 * (cut_40 and place != out) for place, points in enumerate(left))
    if rules.scoring == "zero_sum":
        return _zero_sum(left, out)
    if laid is None or len(laid) != len(left):
        raise BadRequest(f"laid_minus_left needs the points that each of {len(left)} players laid", path="$.laid")
    return _laid_minus_left(laid, left, out)


def _zero_sum(left: Sequence[int], out: int | None) -> tuple[int, ...]:
    """RULES.md 6. Going out is the case in which the lowest hand is worth nothing."""
    if len(left) == 1:
        return (-left[0],)  # a patience has nobody to win from
    winners = _winners(left, out)
    least = left[winners[0]]
    share, rest = divmod(sum(left) - least * len(left), len(winners))
    scores = [least - points for points in left]
    for turn, place in enumerate(winners):
        scores[place] = share + (turn < rest)  # the remainder goes to the first in turn order
    return tuple(scores)


def _laid_minus_left(laid: Sequence[int], left: Sequence[int], out: int | None) -> tuple[int, ...]:
    """RULES.md 6, Rummy-O: who goes out gets what the others have left, and on exhaustion nobody does."""
    scores = [more - less for more, less in zip(laid, left, strict=True)]
    if out is not None:
        scores[out] += sum(left)
    return tuple(scores)


def points_against(hands: Sequence[Hand], rules: AnyRules = "rummy-40", cut_40: bool = False) -> tuple[int, ...]:
    """The points against each player of a card game (RULES.md 7): the value of the hand.

    ``cut_40``: the player with the empty hand cut 40, which costs each loser 25 more.

    >>> points_against(["", "KS AH * 5C"]), points_against(["", "KS"], cut_40=True)
    ((0, 51), (0, 35))
    """
    rules = replace(Rules.from_json(rules), scoring="points_against")
    return round_scores(hands, rules, cut_40=cut_40)


def match_leaders(totals: Sequence[int], rules: AnyRules = "rummi-q") -> tuple[int, ...]:
    """Who leads with these totals, as places in ``totals``: all with the most, of points against all with the fewest.

    >>> match_leaders([12, -24, 12])
    (0, 2)
    """
    if not totals:
        raise BadRequest("a match has one player at least", path="$.totals")
    return tuple(place for place, rank in enumerate(match_ranks(totals, rules)) if rank == 0)


def match_ranks(totals: Sequence[int], rules: AnyRules = "rummi-q") -> tuple[int, ...]:
    """The rank of each player with these totals, 0 the first; those with equal totals share the better one.

    >>> match_ranks([12, -24, 12])
    (0, 2, 0)
    """
    better = -1 if Rules.from_json(rules).scoring == "points_against" else 1
    return tuple(sum(better * other > better * total for other in totals) for total in totals)


def prizes(totals: Sequence[int], stake: int, rules: AnyRules) -> tuple[int, ...]:
    """What each player gets of a stake at the end of a match: ``Rules.prize_shares`` by rank (RULES.md 7).

    Players who are tied share the parts of their ranks, and a rank without a part gets nothing. The parts of the ranks
    that there are make up the whole stake. Of what does not divide, those who have a fraction get one each, the first
    in rank first, then by seat. Where all those parts are 0 nobody gets anything.

    Raises BadRules where there are no ``prize_shares``, BadRequest for a stake below 0.

    >>> prizes([31, 8, 31], 100, Rules.preset("rummy-40", prize_shares=(3, 1)))
    (13, 75, 12)
    """
    rules = Rules.from_json(rules)
    if rules.prize_shares is None:
        raise BadRules("these rules have no prize_shares: there is no stake", path="$.rules", token="prize_shares")
    if isinstance(stake, bool) or not isinstance(stake, int) or stake < 0:
        raise BadRequest(f"a stake is a whole number, 0 or more, not {stake!r}", path="$.stake", token=str(stake))
    ranks = match_ranks(totals, rules)
    shares = (*rules.prize_shares, *(0,) * len(ranks))[: len(ranks)]
    if not sum(shares):
        return (0,) * len(ranks)
    together = {rank: (sum(shares[rank : rank + ranks.count(rank)]), ranks.count(rank)) for rank in ranks}
    exact = [Fraction(stake * part, many * sum(shares)) for part, many in map(together.__getitem__, ranks)]
    found = [int(part) for part in exact]
    short = [place for place in sorted(range(len(ranks)), key=ranks.__getitem__) if found[place] < exact[place]]
    for place in short[: stake - sum(found)]:
        found[place] += 1
    return tuple(found)
