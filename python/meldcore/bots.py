"""Bots: players that choose an action from what a player may know.

A bot is any class with one method, ``choose(view) -> Action``. Those in BOTS play every preset of the tile games; their
searches end with their ``stop``.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Protocol

from .actions import Action, Lay
from .errors import BadRequest, TimeLimit, TooLarge, nearest
from .game import View
from .playouts import sample, share
from .position import Move, Position
from .rules import Rules
from .stop import Stop
from .turns import CardMove


class Bot(Protocol):
    """What an arena asks of a player."""

    def choose(self, view: View) -> Action:
        """The turn of ``view.player``, who is to move."""


class BuiltIn(ABC):
    """Base of the bots here. The same seed chooses the same; ``stop`` ends every search of the bot.

    ``choose`` raises TimeLimit or Cancelled where ``stop`` ends a search, TooLarge where a position is too crowded
    for any search.
    """

    def __init__(self, seed: int = 0, stop: Stop | None = None) -> None:
        self.chance = Random(seed)
        self.stop = stop

    def choose(self, view: View) -> Action:
        """Lay what ``move`` finds, or nothing."""
        if self.stop is not None:
            self.stop.check()  # a search too short to look at it
        found = self.move(view)
        return view.otherwise if found is None else Lay(found)

    @abstractmethod
    def move(self, view: View) -> Move | CardMove | None:
        """What to lay; None: nothing."""


class AtRandom(BuiltIn):
    """Each legal table is as likely as the others. Lays whenever it can.

    Where a position has more turns than can be held, the best one by weights at random stands for them.
    """

    def move(self, view: View) -> Move | CardMove | None:
        position = view.position
        try:
            moves = position.moves(self.stop)
        except TooLarge:
            weights = {tile: self.chance.randint(-9, 9) for tile in position.hand}
            return position.best({"weights": weights}, stop=self.stop)
        return moves[self.chance.randrange(moves.total)] if moves else None


class Greedy(BuiltIn):
    """Lays as many tiles as it can, among such turns the most points."""

    def move(self, view: View) -> Move | CardMove | None:
        return view.position.best("tiles", stop=self.stop)


class Points(BuiltIn):
    """Lays as many points as it can, among such turns the most tiles."""

    def move(self, view: View) -> Move | CardMove | None:
        return view.position.best("points", stop=self.stop)


class Patient(BuiltIn):
    """Keeps what can grow as long as nobody is near the end, and opens late.

    Before anybody has opened it draws, unless it can lay half its hand, for as many turns as there are tiles to a
    hand. Once it has opened it lays the tiles that few unseen ones go with, and keeps the others.
    """

    near_the_end = 6
    """So few tiles in another hand end its patience."""

    can_grow = 12
    """A tile is kept when so many of the tiles that it forms sets with are unseen or in the own hand."""

    def move(self, view: View) -> Move | CardMove | None:
        position = view.position
        most = position.best("tiles", stop=self.stop)
        if most is None or fewest_of_others(view) <= self.near_the_end or len(most.played) == len(position.hand):
            return most
        if not any(view.opened):
            waits = view.pool_size > 0 and not position.rules.must_play and view.turn <= position.rules.hand_size
            return None if waits and 2 * len(most.played) < len(position.hand) else most
        left = Counter(view.unseen) + Counter(position.hand)
        weights = {tile: self.can_grow - partners(tile, left, position.rules) for tile in position.hand}
        return position.best({"weights": weights}, stop=self.stop)


class Strong(BuiltIn):
    """Greedy, until another player is about to go out: then it makes the turn that wins most playouts.

    The others could lay nothing on the table as it is. A tile laid there may be what they wait for, so that at the
    end it is often better to lay less, or to draw. Where ``stop`` leaves no time for that, where the position is too
    crowded, in a patience and in the card game it plays as Greedy.
    """

    near_the_end = 3
    """So few tiles in another hand begin the playouts."""

    most_plays = 6
    """So many other parts of the hand are tried, drawn at random where there are more."""

    most_tables = 2
    """So many tables with the most tiles are tried: which sets hold a joker matters."""

    playouts = 150
    """So many for each turn, fewer where it is soon clear which is the best."""

    def move(self, view: View) -> Move | CardMove | None:
        most = view.position.best("tiles", stop=self.stop)
        if most is None or len(most.played) == len(view.position.hand) or not self.is_late(view):
            return most
        try:
            return self.winning(view, self.turns(view, most))
        except (TimeLimit, TooLarge):
            return most

    def is_late(self, view: View) -> bool:
        """Does it play with tiles, has opened, and is another player near the end?"""
        others = len(view.hand_sizes) - 1
        known = others > 0 and not view.position.rules.cards and view.opened[view.player]
        return known and fewest_of_others(view) <= self.near_the_end

    def turns(self, view: View, most: Move | CardMove) -> list[Move | CardMove | None]:
        """Turns to choose from, the greedy one first; None: to lay nothing."""
        position = view.position

        def part(played: tuple[str, ...]) -> Position:
            return Position(position.table, played, position.rules, position.opened)

        found = [most]
        if any("*" in text for text in (*position.table, *position.hand)):
            tables = part(most.played).best_moves(stop=self.stop)
            found += tables.sample(min(self.most_tables, tables.total), self.chance.getrandbits(32))
        plays = position.plays(self.stop)
        for play in plays.sample(min(self.most_plays, plays.total), self.chance.getrandbits(32)):
            move = None if play.played == most.played else part(play.played).best(stop=self.stop)
            if move is not None:
                found.append(move)
        return [*{move.table: move for move in found}.values(), *([] if position.rules.must_play else [None])]

    def winning(self, view: View, turns: Sequence[Move | CardMove | None]) -> Move | CardMove | None:
        """The turn that wins most playouts. All are played on the same hands and pools; the worst drop out early."""
        wins = [0.0] * len(turns)
        left = list(range(len(turns)))
        for number in range(1, self.playouts + 1):
            now = sample(view, self.chance)
            for turn in left:
                if self.stop is not None:
                    self.stop.check()
                wins[turn] += share(now, view.player, turns[turn])
            if number % 25 == 0:
                enough = max(wins) - 0.7 * number**0.5  # what is behind by that will hardly catch up
                left = [turn for turn in left if wins[turn] >= enough]
            if len(left) == 1:
                break
        return turns[max(left, key=wins.__getitem__)]


BOTS: dict[str, type[BuiltIn]] = {
    "random": AtRandom,
    "greedy": Greedy,
    "points": Points,
    "patient": Patient,
    "strong": Strong,
}
"""Every bot by its name."""


def make(name: str, seed: int = 0, stop: Stop | None = None) -> BuiltIn:
    """A bot by its name. Raises BadRequest where there is none.

    >>> from meldcore import Game
    >>> game = Game.new("rummi-q", seed=8)
    >>> make("greedy").choose(game.view(game.player))
    Draw()
    """
    if name not in BOTS:
        raise BadRequest(
            f"there is no bot {name!r}; the nearest known one is {nearest(name, BOTS)!r}", path="$.bot", token=name
        )
    return BOTS[name](seed, stop)


# ---- what a player can tell from a view


def fewest_of_others(view: View) -> int:
    """How many tiles the player holds who, of the others, holds the fewest; in a patience the own."""
    others = [size for player, size in enumerate(view.hand_sizes) if player != view.player]
    return min(others, default=len(view.position.hand))


def partners(tile: str, among: Counter[str], rules: Rules) -> int:
    """How many of the tiles ``among`` can stand in a set of three with this one; with a joker all can."""
    if tile == "*":
        return among.total()
    colour, number = tile[0], int(tile[1:])
    run = (f"{colour}{number + step}" for step in (-2, -1, 1, 2))
    group = (f"{other}{number}" for other in "krby"[: rules.colours] if other != colour)
    return among["*"] + sum(among[other] for other in (*run, *group))
