"""Bots: players that choose an action from what a player may know.

A bot is any class with one method, ``choose(view) -> Action``. Those in BOTS play every preset; their searches end with
their ``stop``.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from random import Random
from typing import Any, Literal, Protocol

from .actions import Action, Draw, Lay, Take
from .dealing import naturals
from .errors import BadRequest, TimeLimit, TooLarge, nearest
from .playouts import sample, share
from .position import Move, Position
from .rules import Rules
from .scoring import hand_points
from .stop import Stop
from .turns import CardMove
from .views import CardView, PlayerView, View


class Bot(Protocol):
    """What an arena asks of a player."""

    def choose(self, view: Any) -> Action:
        """The action of ``view.player``, who is to move. ``view``: a View, in the card game a CardView."""


class BuiltIn(ABC):
    """Base of the bots here. The same seed chooses the same; ``stop`` ends every search of the bot.

    ``choose`` raises TimeLimit or Cancelled where ``stop`` ends a search, TooLarge where a position is too crowded
    for any search.
    """

    objective: Literal["tiles", "points"] = "tiles"
    """What the bot lays the most of."""

    def __init__(self, seed: int = 0, stop: Stop | None = None) -> None:
        self.chance = Random(seed)
        self.stop = stop

    def choose(self, view: PlayerView) -> Action:
        """Lay what ``move`` finds, or nothing; in the card game first draw, or take what ``takes`` says."""
        if self.stop is not None:
            self.stop.check()  # a search too short to look at it
        if isinstance(view, CardView) and not view.has_drawn:
            return Take() if self.takes(view) else Draw()
        found = self.move(view)
        if found is None:
            return view.otherwise
        if not isinstance(found, CardMove):
            return Lay(found)
        if view.position.rules.must_play and not found.played:
            found = next((move for move in view.position.moves(self.stop) if move.played), found)
            assert isinstance(found, CardMove)
        return Lay(found.table, self.discard(view, found))

    @abstractmethod
    def move(self, view: PlayerView) -> Move | CardMove | None:
        """What to lay; None: nothing, and there is no choice of a discard either."""

    def takes(self, view: CardView) -> bool:
        """Take the top of the discard pile? Where as much of the own hand is laid with it as without."""
        taking = view.taking
        assert taking is not None
        most = taking.best(self.objective, stop=self.stop)
        if most is None:
            return False
        now = view.position.best(self.objective, stop=self.stop)
        return self._gain(most) - self._worth(view.pile[-1], taking.rules) >= (0 if now is None else self._gain(now))

    def discard(self, view: PlayerView, move: CardMove) -> str:
        """The card to discard with this move: one that others cannot lay off, and that the bot can spare.

        A joker is kept. Before the opening, which has to be worth something, so are cards that have partners in the
        hand and are worth something with them. Later the card with the fewest partners goes, the dearest of such; for a
        bot that lays points the dearest one.
        """
        left = left_in_hand(view.position, move)

        def merit(card: str) -> tuple[bool, bool, tuple[int, int]]:
            return card == "*", self._is_wanted(card, view, move, left), self._use(card, left, view)

        return min(left, key=merit)

    def _use(self, card: str, left: Sequence[str], view: PlayerView) -> tuple[int, int]:
        position = view.position
        among, points = partners(card, Counter(left), position.rules), hand_points(card, position.rules)
        if not position.opened:
            return among * points, points
        return (among, -points) if self.objective == "tiles" else (-points, among)

    def _is_wanted(self, card: str, view: PlayerView, move: CardMove, left: Sequence[str]) -> bool:
        """Can one who has opened lay it on the table?"""
        if len(left) < 2 or not any(view.opened[: view.player] + view.opened[view.player + 1 :]):
            return False
        rest = list(left)
        rest.remove(card)
        return Position(move.table, (card, rest[0]), view.position.rules, taken=card).count(self.stop) > 0

    def _gain(self, move: Move | CardMove) -> int:
        assert isinstance(move, CardMove)
        return move.net if self.objective == "tiles" else move.points

    def _worth(self, card: str, rules: Rules) -> int:
        return 1 if self.objective == "tiles" else hand_points(card, rules)


class AtRandom(BuiltIn):
    """Each legal table is as likely as the others. Lays whenever it can.

    In the card game each legal turn is as likely, the one that lays nothing among them.

    Where a position has more turns than can be held, the best one by weights at random stands for them.
    """

    def move(self, view: PlayerView) -> Move | CardMove | None:
        position = view.position
        try:
            moves = position.moves(self.stop)
        except TooLarge:
            weights = {tile: self.chance.randint(-9, 9) for tile in position.hand}
            return position.best({"weights": weights}, stop=self.stop)
        return moves[self.chance.randrange(moves.total)] if moves else None

    def takes(self, view: CardView) -> bool:
        """As likely as not, where the card can be laid."""
        taking = view.taking
        assert taking is not None
        return self.chance.random() < 0.5 and taking.best(stop=self.stop) is not None

    def discard(self, view: PlayerView, move: CardMove) -> str:
        """That of the move, which was as likely as any other."""
        return move.discard


class Greedy(BuiltIn):
    """Lays as many tiles as it can, among such turns the most points."""

    def move(self, view: PlayerView) -> Move | CardMove | None:
        return view.position.best(self.objective, stop=self.stop)


class Points(Greedy):
    """Lays as many points as it can, among such turns the most tiles."""

    objective = "points"


class Patient(BuiltIn):
    """Keeps what can grow as long as nobody is near the end, and opens late.

    Before anybody has opened it draws, unless it can lay half its hand, for as many turns as there are tiles to a
    hand. Once it has opened it lays the tiles that few unseen ones go with, and keeps the others.
    """

    near_the_end = 6
    """So few tiles in another hand end its patience."""

    can_grow = 12
    """A tile is kept when so many of the tiles that it forms sets with are unseen or in the own hand."""

    def move(self, view: PlayerView) -> Move | CardMove | None:
        position = view.position
        most = position.best("tiles", stop=self.stop)
        if most is None or self._hurries(view) or goes_out(position, most):
            return most
        if not any(view.opened):
            if position.taken is not None or not self._waits(view, most):
                return most
            return position.move_to(position.table, position.hand[0]) if position.rules.cards else None
        left = Counter(view.unseen) + Counter(position.hand)
        weights = {tile: self.can_grow - partners(tile, left, position.rules) for tile in position.hand}
        return position.best({"weights": weights}, stop=self.stop)

    def takes(self, view: CardView) -> bool:
        taking = view.taking
        assert taking is not None
        most = taking.best("tiles", stop=self.stop)
        if most is None or (not any(view.opened) and not self._hurries(view) and self._waits(view, most)):
            return False
        return super().takes(view)

    def _hurries(self, view: PlayerView) -> bool:
        return fewest_of_others(view) <= self.near_the_end

    def _waits(self, view: PlayerView, most: Move | CardMove) -> bool:
        """Is it too early for as little as this?"""
        rules, hand = view.position.rules, view.position.hand
        early = view.left_to_draw > 0 and not rules.must_play and view.turn <= rules.hand_size
        return early and 2 * len(most.played) < len(hand)


class Strong(Greedy):
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

    def move(self, view: PlayerView) -> Move | CardMove | None:
        most = super().move(view)
        if most is None or goes_out(view.position, most) or not isinstance(view, View) or not self.is_late(view):
            return most
        try:
            return self.winning(view, self.turns(view, most))
        except (TimeLimit, TooLarge):
            return most

    def is_late(self, view: View) -> bool:
        """Has it opened, and is another player near the end?"""
        others = len(view.hand_sizes) > 1
        return others and view.opened[view.player] and fewest_of_others(view) <= self.near_the_end

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


def fewest_of_others(view: PlayerView) -> int:
    """How many tiles the player holds who, of the others, holds the fewest; in a patience the own."""
    others = [size for player, size in enumerate(view.hand_sizes) if player != view.player]
    return min(others, default=len(view.position.hand))


def goes_out(position: Position, move: Move | CardMove) -> bool:
    """Does this move of the position end the round?"""
    return move.goes_out(position) if isinstance(move, CardMove) else len(move.played) == len(position.hand)


def partners(tile: str, among: Counter[str], rules: Rules) -> int:
    """How many of the tiles ``among`` can stand in a set of three with this one; with a joker all can."""
    if tile == "*":
        return among.total()
    return among["*"] + sum(among[other] for other in _neighbours(tile, rules))


@lru_cache(maxsize=1 << 10)
def _neighbours(tile: str, rules: Rules) -> tuple[str, ...]:
    """The other tiles of its colour at most two numbers away, and those of its number."""
    colour, number = naturals(rules)[tile]
    return tuple(
        other
        for other, (c, n) in naturals(rules).items()
        if (c == colour and 0 < abs(n - number) <= 2) or (c != colour and n == number)
    )


def left_in_hand(position: Position, move: CardMove) -> tuple[str, ...]:
    """The cards that a move of this position leaves in the hand, that of the discard included, in canonical order."""
    naturals = Counter(position.hand) - Counter(move.played)
    del naturals["*"]
    cards = tuple(naturals.elements())
    return cards + ("*",) * (len(position.hand) - move.net - len(cards))
