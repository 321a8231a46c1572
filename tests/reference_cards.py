"""The card game Rummy 40 as an executable page: slow, obvious, never optimised.

Everything is written by definition from section 7 of the rules; a turn is searched step by step, in every order.
Sets are those of section 1, so they come from the model of the tile games. Nothing is imported from meldcore.

A *card* is a `Tile`: the suit is its colour (0..3 for S H C D), its number the place in the order 2..10 J Q K A.
A joker is `JOKER`. `read_cards`, `read_set` and `read_table` read texts, `table_text` writes them. A turn ends in an
`Outcome`, and `outcomes` are all of a position.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import reference as ref
from reference import JOKER, Arrangement, Group, MeldSet, Rules, Run, Tile, arrange

SUITS = "SHCD"
RANKS = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")


@dataclass(frozen=True)
class CardRules(Rules):
    """Section 5: the fields that legality and values depend on, as in the preset `rummy-40`."""

    initial_meld: int = 40
    joker_hand_value: int = 25
    group_rescue_needs_both: bool = True
    discard_needs_40_always: bool = False


def read_rules(given: str | Mapping[str, Any]) -> CardRules:
    """The preset's name, or an object of fields that names it."""
    fields = {"preset": given} if isinstance(given, str) else dict(given)
    if fields.pop("preset") != "rummy-40":
        raise ValueError(f"no rules of this game: {given!r}")
    return CardRules(**fields)


# --- Values -------------------------------------------------------------------------------------------------


def card_value(card: Tile, rules: CardRules) -> int:
    """Section 7, cards: 2-10 face, J Q K 10, A 11; a joker in the hand `joker_hand_value`."""
    if card == JOKER:
        return rules.joker_hand_value
    return 11 if RANKS[card.number - 1] == "A" else min(card.number + 1, 10)


def value(meld: MeldSet, rules: CardRules) -> int:
    """Section 7, cards: the sum of the cards, a joker in a set as the card it stands for, or as `joker_meld_value`."""
    if rules.joker_meld_value is not None:
        naturals = sum(card_value(card, rules) for card in ref.naturals(meld))
        return naturals + meld.jokers * rules.joker_meld_value
    if isinstance(meld, Run):
        return sum(card_value(card, rules) for card in meld.shown)
    return meld.size * card_value(Tile(meld.colours[0], meld.number), rules)


# --- Notation -----------------------------------------------------------------------------------------------

_CARD = re.compile(r"(10|[2-9TJQKA])([SHCD])|\*", re.IGNORECASE)


def read_cards(text: str | Iterable[str]) -> list[Tile]:
    """The cards of a text, joined or separated by spaces or commas, or of a list of texts, in their order."""
    joined = text if isinstance(text, str) else " ".join(text)
    if _CARD.sub("", joined).strip(" ,"):
        raise ValueError(f"no cards: {joined!r}")
    return [_read_card(found) for found in _CARD.finditer(joined)]


def _read_card(found: re.Match[str]) -> Tile:
    if found[0] == "*":
        return JOKER
    rank, suit = found[1].upper().replace("T", "10"), found[2].upper()
    return Tile(SUITS.index(suit), RANKS.index(rank) + 1)


def read_set(text: str, rules: CardRules) -> MeldSet:
    """Section 1: unmarked a text is the run where that fits on the ranks; a leading `=` says group."""
    found = ref.readings(read_cards(text.removeprefix("=")), rules)
    if text.startswith("="):
        found = [meld for meld in found if isinstance(meld, Group)]
    if not found:
        raise ValueError(f"no valid set: {text!r}")
    return found[0]


def read_table(text: str | Iterable[str], rules: CardRules) -> Arrangement:
    sets = text.split() if isinstance(text, str) else text
    return arrange(read_set(each, rules) for each in sets)


def card_text(card: Tile) -> str:
    return "*" if card == JOKER else RANKS[card.number - 1] + SUITS[card.colour]


def set_text(meld: MeldSet, rules: CardRules) -> str:
    """The canonical text; a group is marked where it would be read as a run otherwise."""
    text = "".join(map(card_text, meld.tiles))
    return text if ref.readings(meld.tiles, rules)[0] == meld else "=" + text


def table_text(table: Iterable[MeldSet], rules: CardRules) -> list[str]:
    return [set_text(meld, rules) for meld in table]


# --- A position, and how far its turn has got ---------------------------------------------------------------


class Position(NamedTuple):
    """Before the first step: the hand holds the card drawn; `taken` is that card if the discard pile gave it."""

    table: Arrangement
    hand: tuple[Tile, ...]
    opened: bool
    taken: Tile | None
    rules: CardRules

    @property
    def counts_as_opened(self) -> bool:
        """Section 7, opening: opened, or `initial_meld=0`."""
        return self.opened or self.rules.initial_meld == 0


def read_position(
    table: str | Iterable[str],
    hand: str | Iterable[str],
    opened: bool = True,
    taken: str | None = None,
    rules: str | Mapping[str, Any] = "rummy-40",
) -> Position:
    """The position of these texts; a ValueError if a set is invalid or a card is there too often."""
    cards = read_rules(rules)
    position = Position(
        read_table(table, cards),
        tuple(sorted(read_cards(hand))),
        opened,
        read_cards(taken)[0] if taken else None,
        cards,
    )
    ref.check_position(position.table, position.hand, cards)
    if position.taken is not None and position.taken not in position.hand:
        raise ValueError(f"the card taken is not in the hand: {taken}")
    return position


class OldSet(NamedTuple):
    """A set that was on the table before the turn, as it was and as it is: it only grows, or loses jokers."""

    before: MeldSet
    now: MeldSet


class NewSet(NamedTuple):
    """A set laid this turn, in its final form, and how many rescued jokers it holds."""

    meld: MeldSet
    rescued: int


class Stage(NamedTuple):
    """Some steps of a turn. Rescued jokers have a count of their own, for they do not count towards the opening."""

    old: tuple[OldSet, ...]
    new: tuple[NewSet, ...]
    hand: tuple[Tile, ...]  # without rescued jokers
    rescued: int  # rescued jokers in the hand
    laid: tuple[Tile, ...]  # the cards that have left the hand, rescued jokers included

    @property
    def cards_in_hand(self) -> int:
        return len(self.hand) + self.rescued

    @property
    def table(self) -> Arrangement:
        return arrange([each.now for each in self.old] + [each.meld for each in self.new])


def first_stage(position: Position) -> Stage:
    return Stage(tuple(OldSet(meld, meld) for meld in position.table), (), position.hand, 0, ())


# --- The steps ----------------------------------------------------------------------------------------------


def steps(stage: Stage, position: Position) -> Iterator[Stage]:
    """Every stage that is one step further. Before the opening only new sets may be laid, and from the hand
    alone, as nothing has been rescued yet."""
    yield from _lay_new_set(stage, position.rules)
    if position.counts_as_opened or opens(stage, position.rules):
        for place in range(len(stage.old)):
            yield from _lay_off(stage, place, position.rules)
            yield from _rescue(stage, place, position.rules)


def _lay_new_set(stage: Stage, rules: CardRules) -> Iterator[Stage]:
    """Section 7, turn: any valid set of the cards in hand."""
    held = Counter(stage.hand) + Counter({JOKER: stage.rescued})
    for smallest in set(held) - {JOKER}:
        for meld in ref.sets_from(smallest, held, rules):
            for without, rescued in _take(stage, meld.tiles):
                yield without._replace(new=tuple(sorted([*without.new, NewSet(meld, rescued)], key=_new_set_order)))


def _new_set_order(new: NewSet) -> tuple[tuple[Any, ...], int]:
    return new.meld.order, new.rescued


def _lay_off(stage: Stage, place: int, rules: CardRules) -> Iterator[Stage]:
    """Section 7, lay-off: a card or a joker is added to a set on the table."""
    for card in {*stage.hand, JOKER}:
        for grown in grown_by(stage.old[place].now, card):
            if ref.is_valid_set(grown, rules):
                for without, _ in _take(stage, [card]):
                    yield _with_old_set(without, place, grown)


def grown_by(meld: MeldSet, card: Tile) -> Iterator[MeldSet]:
    """Section 7, lay-off: at an end of a run, or as a missing suit of a group of three; not always a valid set."""
    joker = card == JOKER
    if isinstance(meld, Run):
        if joker or card == Tile(meld.colour, meld.first - 1):
            yield Run(meld.colour, meld.first - 1, (joker, *meld.places))
        if joker or card == Tile(meld.colour, meld.first + meld.size):
            yield Run(meld.colour, meld.first, (*meld.places, joker))
    elif meld.size == 3:
        if joker:
            yield Group(meld.number, meld.colours, meld.jokers + 1)
        elif card.number == meld.number and card.colour not in meld.colours:
            yield _with_suits(meld, [card], meld.jokers)


def _rescue(stage: Stage, place: int, rules: CardRules) -> Iterator[Stage]:
    """Section 7, rescues: natural cards go in, and jokers come into the hand."""
    for cards, meld, freed in rescues(stage.old[place], rules):
        for without, _ in _take(stage, cards):
            yield _with_old_set(without, place, meld)._replace(rescued=without.rescued + freed)


def rescues(old: OldSet, rules: CardRules) -> Iterator[tuple[list[Tile], MeldSet, int]]:
    """Every rescue from this set: the natural cards it takes, the set after it, the jokers that it frees."""
    if isinstance(old.now, Run):
        yield from _rescues_from_run(old)
    elif old.now.size == 3 and old.now.jokers:  # none of these jokers is of this turn: a fourth card closes a group
        yield from _rescues_from_group(old.now, rules)


def _rescues_from_run(old: OldSet) -> Iterator[tuple[list[Tile], MeldSet, int]]:
    """Section 7, rescue from a run: the card it stands for takes the place of a joker from before the turn."""
    ahead = old.before.first - old.now.first  # cards laid off at the low end
    for i, was_joker in enumerate(old.before.places):
        place = ahead + i
        if was_joker and old.now.places[place]:
            places = (*old.now.places[:place], False, *old.now.places[place + 1 :])
            yield [old.now.shown[place]], Run(old.now.colour, old.now.first, places), 1


def _rescues_from_group(group: Group, rules: CardRules) -> Iterator[tuple[list[Tile], MeldSet, int]]:
    """Section 7, rescue from a group: of three cards, never of four.

    `group_rescue_needs_both=True`: two missing suits or more go in together and close the group, and the jokers that
    find no place in the four are free: one for two suits, both for three. A single suit is a lay-off.
    `False`: each missing suit replaces a joker.
    """
    missing = group.missing(rules)
    if not rules.group_rescue_needs_both:
        for card in missing:
            yield [card], _with_suits(group, [card], group.jokers - 1), 1
        return
    for many in range(2, len(missing) + 1):
        for cards in combinations(missing, many):
            freed = group.size + many - 4
            yield list(cards), _with_suits(group, cards, group.jokers - freed), freed


def _with_suits(group: Group, cards: Iterable[Tile], jokers: int) -> Group:
    colours = sorted([*group.colours, *(card.colour for card in cards)])
    return Group(group.number, tuple(colours), jokers)


def _with_old_set(stage: Stage, place: int, now: MeldSet) -> Stage:
    changed = stage.old[place]._replace(now=now)
    return stage._replace(old=(*stage.old[:place], changed, *stage.old[place + 1 :]))


def _take(stage: Stage, cards: list[Tile]) -> Iterator[tuple[Stage, int]]:
    """Every way to lay these cards from the hand: the stage that is left, and how many are rescued jokers."""
    for rescued in range(min(cards.count(JOKER), stage.rescued) + 1):
        others = Counter(cards) - Counter({JOKER: rescued})
        if not others - Counter(stage.hand):
            yield (
                stage._replace(
                    hand=tuple(sorted((Counter(stage.hand) - others).elements())),
                    rescued=stage.rescued - rescued,
                    laid=tuple(sorted([*stage.laid, *cards])),
                ),
                rescued,
            )


# --- The end of a turn --------------------------------------------------------------------------------------


def opens(stage: Stage, rules: CardRules) -> bool:
    """Section 7, opening: the new sets made of hand cards alone are worth `initial_meld` together."""
    return sum(value(each.meld, rules) for each in stage.new if not each.rescued) >= rules.initial_meld


def uses_taken_card(stage: Stage, position: Position) -> bool:
    """Section 7, taking the discard: any copy counts as the taken card, and any joker as a taken joker."""
    taken, rules = position.taken, position.rules
    holders = [each for each in stage.new if taken in each.meld.tiles]
    if taken is None:
        return True
    if not position.counts_as_opened:
        return any(not each.rescued for each in holders)
    if rules.discard_needs_40_always:
        return any(value(each.meld, rules) >= rules.initial_meld for each in holders)
    return taken in stage.laid


def may_discard(stage: Stage, position: Position) -> bool:
    """Section 7, turn, opening, taking the discard: whether the turn may end here with the discard of a card."""
    if stage.cards_in_hand == 0:
        return False
    if stage.laid and not (position.counts_as_opened or opens(stage, position.rules)):
        return False
    return uses_taken_card(stage, position)


def stages(position: Position) -> set[Stage]:
    """Every stage that some order of steps leads to."""
    reached = {first_stage(position)}
    to_go_on = list(reached)
    while to_go_on:
        further = set(steps(to_go_on.pop(), position)) - reached
        reached |= further
        to_go_on += further
    return reached


def last_stages(position: Position) -> list[Stage]:
    """The stages that a discard may follow."""
    return [stage for stage in stages(position) if may_discard(stage, position)]


class Outcome(NamedTuple):
    """Section 7, turn: the table after it, and the discard. Two turns with equal outcomes are one."""

    table: Arrangement
    discard: Tile


def outcomes_of(stage: Stage) -> set[Outcome]:
    held = {*stage.hand, JOKER} if stage.rescued else set(stage.hand)
    return {Outcome(stage.table, card) for card in held}


def outcomes(position: Position) -> set[Outcome]:
    """Every legal outcome of a turn."""
    return {outcome for stage in last_stages(position) for outcome in outcomes_of(stage)}


# --- What is asked of a position ----------------------------------------------------------------------------


class Answer(NamedTuple):
    """What a turn can come to; `best_cards` is 0 where no turn is legal."""

    outcomes: int
    laying_outcomes: int
    best_cards: int
    can_go_out: bool
    can_cut_40: bool


def answer(position: Position) -> Answer:
    last = last_stages(position)
    found = {outcome for stage in last for outcome in outcomes_of(stage)}
    return Answer(
        outcomes=len(found),
        laying_outcomes=len({outcome for outcome in found if outcome.table != position.table}),
        best_cards=max((net_cards(stage, position) for stage in last), default=0),
        can_go_out=any(stage.cards_in_hand == 1 for stage in last),
        can_cut_40=any(cuts_40(stage, position) for stage in last),
    )


def net_cards(stage: Stage, position: Position) -> int:
    """Section 7, best: hand before minus hand after, before the discard."""
    return len(position.hand) - stage.cards_in_hand


def cuts_40(stage: Stage, position: Position) -> bool:
    """Section 7, cut 40: nothing laid before, and now all but the discard in new sets only, worth the opening."""
    untouched = all(old.now == old.before for old in stage.old)
    all_laid = bool(stage.new) and stage.cards_in_hand == 1
    return not position.opened and untouched and all_laid and opens(stage, position.rules)


def hand_value(cards: Iterable[Tile], rules: CardRules) -> int:
    """Section 7, going out: what these cards count against the player who holds them."""
    return sum(card_value(card, rules) for card in cards)
