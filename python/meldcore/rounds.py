"""What a round is in both games: players who move in turn, hands, a table, and scores at the end. Source: RULES.md 6.

A kind of game is one class of rounds, `meldcore.tile_round` and `meldcore.card_round`; `meldcore.game` plays rounds of
it to a match.
"""

import sys
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from .actions import Action, Ending, TurnResult
from .dealing import edition, table_tiles
from .errors import BadPosition, BadRequest, MeldcoreError, TooLarge
from .position import Position
from .rules import Rules
from .scoring import CUT_40, round_scores, round_winners

DRAWN_FOR_TIME_OUT = 3
"""RULES.md 6: what a time-out costs where the table is not all valid; `Rules.timeout` names it."""

MOST_ROUNDS = 1_000_000
"""More rounds of a match are a mistake."""

_FIRST_PART = 7


class Round(ABC):
    """Base of the states of one round. Immutable, compared by value; ``act`` gives the next one.

    Players are numbers, 0 the first seat and so on clockwise; all that is listed by player stands in that order.

    ``starter``: who has the first turn. ``turn``: the number of the turn under way, from 1; once the round is over,
    of the turn that ended it. ``table``: its sets. ``hands``: the tiles of each player. ``opened``: has the player laid
    the initial meld? ``laid``: the points that the player has laid on the table.

    Texts are canonical and in canonical order. ``validate`` finds what cannot be; ``deal`` and ``act`` need no such
    check, since they keep every tile and change nothing else.
    """

    __slots__ = ()

    rules: Rules
    starter: int
    turn: int
    table: tuple[str, ...]
    hands: tuple[tuple[str, ...], ...]
    opened: tuple[bool, ...]
    laid: tuple[int, ...]

    # ---- what it is

    @property
    def turn_order(self) -> tuple[int, ...]:
        """The players in the order in which they move, the starter first."""
        players = len(self.hands)
        step = 1 if self.rules.direction == "clockwise" else -1
        return tuple((self.starter + step * place) % players for place in range(players))

    @property
    def player(self) -> int:
        """Whose turn it is; once the round is over, whose turn ended it."""
        step = 1 if self.rules.direction == "clockwise" else -1
        return (self.starter + step * (self.turn - 1)) % len(self.hands)

    @property
    def position(self) -> Position:
        """What the player to move is to find a move in."""
        return self.position_of(self.player)

    @abstractmethod
    def position_of(self, player: int) -> Position:
        """The table with the hand of one player."""

    @property
    @abstractmethod
    def has_drawn(self) -> bool:
        """Is the turn under way in its second half? Only turns of the card game have one."""

    @property
    @abstractmethod
    def otherwise(self) -> Action:
        """What is left to a player who lays nothing."""

    @property
    @abstractmethod
    def ended(self) -> Ending | None:
        """How the round ended, None while it goes on."""

    @property
    def winners(self) -> tuple[int, ...]:
        """Who won, in turn order: who went out, else all who hold the least. Nobody while the round goes on."""
        if self.ended is None:
            return ()
        order = self.turn_order
        return tuple(order[place] for place in round_winners([self.hands[player] for player in order], self.rules))

    @property
    def scores(self) -> tuple[int, ...] | None:
        """The scores of this round, None while it goes on."""
        if self.ended is None:
            return None
        order = self.turn_order
        found = round_scores(
            [self.hands[player] for player in order],
            self.rules,
            [self.laid[player] for player in order],
            cut_40=self.ended == "cut_40",
        )
        return tuple(found[order.index(player)] for player in range(len(order)))

    # ---- turns

    @abstractmethod
    def act_in(self, action: Action, seconds: float, seed: int, number: int) -> "tuple[Round, TurnResult]":
        """The round after an action that took so many seconds, in the match with this seed as its round ``number``."""

    def too_long(self, seconds: float) -> bool:
        """Is that more than a turn may take?"""
        limit = self.rules.turn_seconds
        return limit is not None and seconds > limit

    def can_lay(self) -> bool:
        """Is there a legal turn of the player to move that lays something?

        What a part of a hand can lay, the whole can, and an opening without table play is one with it. So hardly ever
        the whole of a hand that penalties have made too crowded has to be searched. Where even that is needed and takes
        too much memory, the answer is no: nobody has to find what no search does.
        """
        try:
            return any(map(self._lays_something, self._parts_to_lay()))
        except TooLarge:
            return False

    @abstractmethod
    def _lays_something(self, position: Position) -> bool:
        """Is there a legal turn that lays something?"""

    def _parts_to_lay(self) -> Iterator[Position]:
        """The position to move with ever more of the hand, and all of it at last."""
        table, hand, opened, rules = self.table, self.hands[self.player], self.opened[self.player], self.rules
        if rules.table_play_on_opening_turn and not opened:
            yield Position(table, hand, replace(rules, table_play_on_opening_turn=False), opened)
        size = _FIRST_PART
        while size < len(hand):
            yield Position(table, hand[:size], rules, opened)
            size *= 2
        yield Position(table, hand, rules, opened)

    # ---- what cannot be

    @abstractmethod
    def validate(self) -> None:
        """Nothing, or the reason why no play under these rules leads to this state.

        Raises BadTile or BadSet for such texts, else BadPosition: a tile too many or missing, texts that are not
        canonical, a number out of range, players who cannot have laid or drawn so much in so many turns.
        """

    @abstractmethod
    def validate_deal(self, seed: int, number: int) -> None:
        """Nothing, or the reason why this cannot have come of the deal of round ``number`` of this seed."""

    def validate_players(self) -> None:
        """There are as many as the rules allow, and each field by player has one value for each."""
        players = len(self.hands)
        low, high = self.rules.players
        if not low <= players <= high:
            raise impossible("hands", f"{low} to {high} players take part, not {players}")
        for name in ("opened", "laid"):
            if len(getattr(self, name)) != players:
                raise impossible(name, f"there is one for each of {players} players")
        if not 0 <= self.starter < players:
            raise impossible("starter", f"players go from 0 to {players - 1}, not {self.starter}")
        if self.turn < 1:
            raise impossible("turn", f"turns are numbered from 1, not {self.turn}")

    def validate_tiles(self, place: str, loose: Iterable[str]) -> None:
        """Every tile of the edition is on the table, in a hand or ``loose``, which the field ``place`` stands for."""
        there = Counter(table_tiles(self.table, self.rules).hand)
        there.update(loose)
        for player, hand in enumerate(self.hands):
            try:
                position = self.position_of(player)
            except MeldcoreError as error:
                path = (error.path or "$").replace("$.hand", f"$.hands[{player}]")
                error.path = path.replace("$", "$.round", 1)
                raise
            if position.table != self.table:
                raise impossible("table", "its sets are not in canonical order")
            if position.hand != hand:
                raise impossible(f"hands[{player}]", f"its {self._noun}s are not in canonical order")
            there.update(hand)
        for tile, count in Counter(edition(self.rules)).items():
            if there[tile] != count:
                raise impossible(place, f"of {self._noun} {tile!r} there are {there[tile]} in all, not {count}")
            del there[tile]
        if there:
            raise impossible(place, f"{next(iter(there))!r} is no {self._noun} of the edition")

    def validate_laid(self) -> None:
        """The points laid are what the table is worth, by players who have opened."""
        worth = table_tiles(self.table, self.rules).hand_points
        if sum(self.laid) != worth:
            raise impossible("laid", f"{sum(self.laid)} points were laid, and the table is worth {worth}")
        for player, (opened, laid) in enumerate(zip(self.opened, self.laid, strict=True)):
            if laid and not opened:
                raise impossible(f"laid[{player}]", f"{laid} points cannot be, and not opened")
        if any(self.opened) != bool(self.table):
            raise impossible("opened", "who has opened has laid on the table, and nobody else has")

    def turns_of(self, player: int, finished: int) -> int:
        """How many of the first turns were those of this player."""
        order = self.turn_order
        return (finished - order.index(player) + len(order) - 1) // len(order)

    @property
    def _noun(self) -> str:
        return "card" if self.rules.cards else "tile"


def check_elapsed(elapsed: float) -> None:
    """Nothing, or BadRequest for what is no time."""
    if not 0 <= elapsed < float("inf"):
        raise BadRequest(f"elapsed is a time in seconds, not {elapsed!r}", path="$.elapsed")


def check_totals(name: str, totals: Sequence[int], rules: Rules, rounds: int) -> None:
    """Nothing, or BadPosition for what cannot be the totals after so many rounds."""
    most = rounds * (Position((), edition(rules), rules).hand_points + CUT_40)
    if rounds and rules.cards and rules.scoring == "laid_minus_left":
        most = sys.maxsize  # a joker that is rescued counts each time it is laid
    low, high = -most, most
    if rules.scoring == "points_against":
        low = 0
    elif rules.scoring == "zero_sum" and len(totals) == 1:
        high = 0
    settled = rules.scoring == "zero_sum" and len(totals) > 1
    if not (low <= min(totals) and max(totals) <= high) or (settled and sum(totals) != 0):
        raise BadPosition(f"{name}: {list(totals)!r:.200} cannot be the totals by now", path=f"$.{name}", token=name)


def changed(by_player: tuple[Any, ...], player: int, value: Any) -> tuple[Any, ...]:
    """The same list with the value of one player set."""
    return (*by_player[:player], value, *by_player[player + 1 :])


def impossible(field: str, reason: str) -> BadPosition:
    """What is wrong with a field of a round."""
    return BadPosition(f"{field}: {reason}", path=f"$.round.{field}", token=field)
