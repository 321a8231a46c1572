"""The referee of the card game: whether a turn is legal, and every reason why it is not.

A set of the table only grows, so afterwards each is part of a set of its own: it has its host among the sets after
the turn, and the other sets there are new. No tables are searched. A set grows within its family, the runs of one suit
or the groups of one rank, where few hosts are thinkable. Of all ways to give hosts, each family offers those that take
the fewest sets apart and have the fewest other faults; of these the turn is given the ones that meet its other demands,
with the fewest jokers rescued.
Source: RULES.md 7; the codes of PROTOCOL.md.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from .referee import (
    CODES,
    Form,
    Problem,
    Rank,
    TableJoker,
    Verdict,
    joker_tiles,
    rank_of,
    read_form,
    text_of,
    tile_names,
    tiles_amiss,
)
from .rules import Rules
from .sets import read_set

JOKER = -1


class CardTurn(NamedTuple):
    """What the referee is told about a turn. A natural card is suit << 4 | rank; sets are set codes."""

    rules: Rules
    opening: bool  # the initial meld has still to be laid
    no_sets: Sequence[tuple[str, str]]  # what lies on the table and is no set: its cards, and why
    played: tuple[str, ...]
    missing: Sequence[str]  # natural cards of the table before that are not on the table any more
    foreign: Sequence[str]  # cards laid that are not in the hand
    laid: bytes  # how often each natural card was laid
    on_table: bytes  # how often each natural card lay on the table before
    hand: bytes
    hand_jokers: int
    jokers_laid: int  # how many jokers more lie on the table than before; those rescued may lie there again
    before: Sequence[int]
    after: Sequence[int]
    taken: int | None  # the card taken from the discard pile
    discard: int | None  # None: whatever is left

    def left(self, card: int) -> int:
        """How many of this card are in the hand after laying; below 0 where more were laid."""
        if card == JOKER:
            return self.hand_jokers - self.jokers_laid
        return self.hand[card] - self.laid[card]

    @property
    def one_set(self) -> bool:
        """Has the card taken to lie in a new set that is worth the initial meld by itself?"""
        return self.taken is not None and not self.opening and self.rules.discard_needs_40_always

    def holds_taken(self, form: Form) -> bool:
        if self.taken is None:
            return False
        return form.jokers > 0 if self.taken == JOKER else self.taken in naturals_of(form)


def judge_cards(turn: CardTurn) -> Verdict:
    """Whether the turn is legal, and every reason why it is not."""
    problems = tiles_amiss("card", turn.no_sets, turn.missing, turn.foreign)
    jokers: list[TableJoker] = []
    worth = 0
    if _can_exist(turn):
        way, fates = _explanation(turn)
        problems += [problem for fate in fates for problem in fate.problems(turn.rules)]
        problems += _unmet(turn, way)
        jokers = [joker for fate in fates for joker in fate.jokers(turn.rules)]
        worth = way.worth
    problems += _problems_of_discard(turn)
    problems.sort(key=lambda problem: CODES.index(problem.code))
    return Verdict(not problems, turn.played, worth, tuple(jokers), tuple(problems))


def least_rescued(turn: CardTurn) -> int:
    """How many jokers of the table have to have been rescued for this legal turn."""
    return _explanation(turn)[0].rescued


# ---- what became of the sets of the table


class _Fate(NamedTuple):
    """What became of a set of the table: which of its jokers stayed, and codes of what is wrong about it."""

    old: int
    host: int | None
    stays: tuple[bool, ...]
    faults: tuple[str, ...] = ()

    def jokers(self, rules: Rules) -> Iterator[TableJoker]:
        text = text_of(self.old, rules)
        for cards, stays in zip(joker_tiles(read_form(self.old), rules.colours), self.stays, strict=True):
            yield TableJoker(text, " ".join(tile_names(cards, rules)), stays)

    def problems(self, rules: Rules) -> Iterator[Problem]:
        text = text_of(self.old, rules)
        for fault in self.faults:
            yield Problem(fault, _sentence(fault, text), text)


def _sentence(fault: str, text: str) -> str:
    if fault == "joker_set_broken":
        return f"{text} was taken apart: a set on the table only grows, and no joker leaves a group of four"
    if fault == "group_joker_needs_all":
        return f"a joker was taken from {text}, but one suit alone traps it: the missing suits go in together"
    return f"a joker was taken from {text}, but the card it stands for did not take its place from your hand"


@lru_cache(maxsize=1 << 12)
def _fates(old: int, host: int, needs_both: bool) -> tuple[_Fate, ...]:
    """What may have become of a set that is part of `host` now, without faults first."""
    before, after = read_form(old), read_form(host)
    if before.group:
        found = list(_fates_in_group(old, host, before, after, needs_both))
    else:
        found = list(_fates_in_run(old, host, before, after))
    return tuple(sorted(found, key=lambda fate: len(fate.faults)))


def _fates_in_run(old: int, host: int, before: Form, after: Form) -> Iterator[_Fate]:
    """Each joker stays, or its card took its place, or it is gone from an end."""
    first = after.number - before.number
    natural = {first + i for i in range(after.size) if not after.mask >> i & 1}
    if all(before.mask >> i & 1 or i in natural for i in range(before.size)):
        jokers = [i for i in range(before.size) if before.mask >> i & 1]
        lost = [i for i in jokers if not first <= i < first + after.size]
        stays = tuple(i not in natural and i not in lost for i in jokers)
        yield _Fate(old, host, stays, ("joker_not_replaced",) * len(lost))


def _fates_in_group(old: int, host: int, before: Form, after: Form, needs_both: bool) -> Iterator[_Fate]:
    """Some jokers were rescued by some of the suits that are new; the other new suits were laid off."""
    added = (after.mask & ~before.mask).bit_count()
    if before.mask & ~after.mask:
        return
    for rescued in range(before.jokers + 1 if before.size == 3 else 1):
        if before.jokers - rescued <= after.jokers:
            faults: tuple[str, ...] = ()
            if rescued > added:
                faults = ("joker_not_replaced",) * (rescued - added)
            elif rescued == added and rescued and needs_both:
                faults = ("group_joker_needs_all",)
            yield _Fate(old, host, (True,) * (before.jokers - rescued) + (False,) * rescued, faults)


def naturals_of(form: Form) -> tuple[int, ...]:
    if form.group:
        return tuple(suit << 4 | form.number for suit in range(4) if form.mask >> suit & 1)
    first = form.colour << 4 | form.number
    return tuple(first + i for i in range(form.size) if not form.mask >> i & 1)


# ---- the ways to explain the table afterwards


class _Way(NamedTuple):
    """What a choice of hosts, and of new sets that are made of hand cards alone, comes to."""

    rescued: int = 0
    worth: int = 0  # of the sets made of hand cards
    jokers: int = 0  # in them, all from the hand
    taken: bool = False  # the card taken lies in a set where the rules ask for it


_Ways = dict[_Way, tuple[_Fate, ...]]


def _explanation(turn: CardTurn) -> tuple[_Way, tuple[_Fate, ...]]:
    """The way that leaves the fewest demands unmet, with as few jokers rescued as can be."""
    families: defaultdict[tuple[int, ...], tuple[list[int], Counter[int]]] = defaultdict(lambda: ([], Counter()))
    for code in turn.before:
        families[_family(code)][0].append(code)
    for code in turn.after:
        families[_family(code)][1][code] += 1
    ways: _Ways = {_Way(): ()}
    for key in sorted(families):
        family = _Family(turn, *families[key])
        family.place((), ())
        ways = _joined(ways, family.ways, turn.hand_jokers)

    def merit(way: _Way) -> tuple[Rank, int, int]:
        return rank_of([problem.code for problem in _unmet(turn, way)]), way.rescued, -way.worth

    best = min(ways, key=merit)
    return best, ways[best]


def _family(code: int) -> tuple[int, ...]:
    """The runs of one suit, or the groups of one rank."""
    form = read_form(code)
    return (1, form.number) if form.group else (0, form.colour)


def _joined(some: _Ways, others: _Ways, hand_jokers: int) -> _Ways:
    joined: _Ways = {}
    for a, fates in some.items():
        for b, more in others.items():
            if a.jokers + b.jokers <= hand_jokers:
                way = _Way(a.rescued + b.rescued, a.worth + b.worth, a.jokers + b.jokers, a.taken or b.taken)
                joined.setdefault(way, fates + more)
    return joined


class _Family:
    """The ways to give the sets of one family their hosts, of those with the fewest faults."""

    def __init__(self, turn: CardTurn, old: list[int], free: Counter[int]) -> None:
        self.turn = turn
        self.old = old
        self.free = free  # sets afterwards that host none
        self.ways: _Ways = {}
        self.rank: tuple[int, Rank] | None = None

    def place(self, fates: tuple[_Fate, ...], faults: tuple[str, ...]) -> None:
        """Try every host of the next set, after `fates` with these faults."""
        rank = faults.count("joker_set_broken"), rank_of(faults)
        if self.rank is not None and self.rank < rank:
            return  # whatever follows can only add faults
        if len(fates) == len(self.old):
            if self.rank != rank:
                self.ways, self.rank = {}, rank
            rescued = sum(fate.stays.count(False) for fate in fates)
            for way in self._new_sets():
                self.ways.setdefault(way._replace(rescued=rescued), fates)
            return
        code = self.old[len(fates)]
        for fate in self._thinkable(code):
            if fate.host is not None:
                self.free[fate.host] -= 1
            self.place((*fates, fate), faults + fate.faults)
            if fate.host is not None:
                self.free[fate.host] += 1

    def _thinkable(self, code: int) -> list[_Fate]:
        needs_both = self.turn.rules.group_rescue_needs_both
        hosted = [fate for host, many in self.free.items() if many for fate in _fates(code, host, needs_both)]
        broken = _Fate(code, None, (False,) * read_form(code).jokers, ("joker_set_broken",))
        return sorted([*hosted, broken], key=lambda fate: len(fate.faults))

    def _new_sets(self) -> set[_Way]:
        """Every choice of the sets that host none to be made of hand cards. Those without jokers always are."""
        ways = {_Way()}
        for code in self.free.elements():
            form = read_form(code)
            worth = set_worth(code, self.turn.rules)
            holds = self.turn.holds_taken(form)
            if self.turn.one_set:
                alone = holds and worth >= self.turn.rules.initial_meld
                ways = {way._replace(taken=way.taken or alone) for way in ways}
            if all(self.turn.laid[card] for card in naturals_of(form)):
                taken = holds and not self.turn.one_set
                counted = {
                    way._replace(worth=way.worth + worth, jokers=way.jokers + form.jokers, taken=way.taken or taken)
                    for way in ways
                    if way.jokers + form.jokers <= self.turn.hand_jokers
                }
                ways = ways | counted if form.jokers else counted
        return ways


@lru_cache(maxsize=1 << 12)
def set_worth(code: int, rules: Rules) -> int:
    value = read_set(text_of(code, rules), rules).value
    assert value is not None
    return value


# ---- what else a turn has to do


def _can_exist(turn: CardTurn) -> bool:
    """Where more copies lie than there are, nobody can tell which sets are new."""
    naturals = (one + other for one, other in zip(turn.on_table, turn.laid, strict=True))
    jokers = sum(read_form(code).jokers for code in turn.after)
    return max(naturals) <= turn.rules.copies and jokers <= turn.rules.jokers


def _unmet(turn: CardTurn, way: _Way) -> list[Problem]:
    """The demands of the opening and of the card taken."""
    problems = []
    least = turn.rules.initial_meld
    if turn.opening and way.worth < least and (turn.no_sets or sorted(turn.before) != sorted(turn.after)):
        message = f"the new sets made of hand cards are worth {way.worth}, and the initial meld is {least}"
        problems.append(Problem("initial_meld_too_low", message))
    if turn.taken is None:
        return problems
    if turn.opening:
        laid, where = way.taken, "in one of the sets of the initial meld, made of hand cards"
    elif turn.one_set:
        laid, where = way.taken, f"in a new set that is worth {least} by itself"
    elif turn.taken == JOKER:
        laid, where = turn.jokers_laid + way.rescued > 0, "on the table"
    else:
        laid, where = turn.laid[turn.taken] > 0, "on the table"
    if not laid:
        card = _card_text(turn.taken, turn.rules)
        message = f"{card}, taken from the discard pile, has to lie {where}"
        problems.append(Problem("taken_card_not_laid", message, card))
    return problems


def _problems_of_discard(turn: CardTurn) -> list[Problem]:
    if not any(turn.left(card) > 0 for card in range(JOKER, len(turn.hand))):
        return [Problem("no_discard", "no card is left to discard, and every turn ends with a discard")]
    if turn.discard is None or turn.left(turn.discard) > 0:
        return []
    card = _card_text(turn.discard, turn.rules)
    return [Problem("tile_not_in_hand", f"card {card!r} is to be discarded, and not in the hand after laying", card)]


def _card_text(card: int, rules: Rules) -> str:
    return "*" if card == JOKER else tile_names((card,), rules)[0]
