"""Bots: players that choose an action from what a player may know.

A bot is any class with one method, ``choose(view) -> Action``. Those in BOTS play every preset of the tile games; their
searches end with their ``stop``.
"""

from abc import ABC, abstractmethod
from collections import Counter
from random import Random
from typing import Protocol

from .actions import Action, Lay
from .errors import BadRequest, TooLarge, nearest
from .game import View
from .position import Move
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


BOTS: dict[str, type[BuiltIn]] = {
    "random": AtRandom,
    "greedy": Greedy,
    "points": Points,
    "patient": Patient,
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
