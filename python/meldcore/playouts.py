"""Playouts: how a round may go on from what one player knows, everybody laying as many tiles as can be.

A playout is a model, made to be fast: a set with a joker stays as it is but for natural tiles added to it, and tiles
that lie with no joker are arranged freely. Under rules that lock the sets of jokers, 97 of 100 turns lay as many tiles
as the best turn does; most others lay fewer.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random

from .dealing import naturals
from .position import Move, Position
from .rules import Rules
from .scoring import match_leaders, round_scores
from .sets import read_set
from .tile_round import TileRound
from .turns import CardMove
from .views import View

_NEW_TILE = 0.5
"""The probability that a player has laid nothing in the last turn, and holds a tile drawn since."""

_SWAPS = 12
"""How often a hand that could have laid something is changed, before it is taken as it is."""


@dataclass(slots=True)
class Playout:
    """A round under way, changed by each turn. Players and what is listed by player are as in TileRound.

    ``loose``: the sets of the table without a joker. ``fixed``: those with one. ``pool``: the next tile last.
    """

    rules: Rules
    order: tuple[int, ...]
    loose: tuple[str, ...]
    fixed: tuple[str, ...]
    hands: list[list[str]]
    pool: list[str]
    opened: list[bool]
    laid: list[int]

    @classmethod
    def of(cls, now: TileRound) -> "Playout":
        loose, fixed = _parted(now.table)
        hands = [list(hand) for hand in now.hands]
        pool = list(reversed(now.pool))
        return cls(_model(now.rules), now.turn_order, loose, fixed, hands, pool, list(now.opened), list(now.laid))

    def copy(self) -> "Playout":
        return Playout(
            self.rules,
            self.order,
            self.loose,
            self.fixed,
            [hand[:] for hand in self.hands],
            self.pool[:],
            self.opened[:],
            self.laid[:],
        )

    def after(self, player: int, move: Move | CardMove | None) -> "Playout":
        """A copy in which this player has had a turn: with a move, or, None, without."""
        then = self.copy()
        if move is None:
            if then.pool:
                then.hands[player].append(then.pool.pop())
            return then
        for tile in move.played:
            then.hands[player].remove(tile)
        then.loose, then.fixed = _parted(move.table)
        then.opened[player] = True
        then.laid[player] += move.points
        return then

    def lay(self, player: int) -> list[str]:
        """Lay as many tiles as the model allows, and say which."""
        hand = self.hands[player]
        move = Position(self.loose, hand, self.rules, self.opened[player]).best()
        played: list[str] = []
        if move is not None:
            played += move.played
            for tile in played:
                hand.remove(tile)
            self.loose, more = _parted(move.table)
            self.fixed += more
            self.opened[player] = True
            self.laid[player] += move.points
        if self.fixed and self.opened[player]:
            played += self._extend(player)
        return played

    def _extend(self, player: int) -> list[str]:
        """Add tiles to the sets with a joker, as long as there is one that fits."""
        hand, played = self.hands[player], []
        place = 0
        while place < len(self.fixed):
            grown = _grown(self.fixed[place], self.rules)
            tile = next((tile for tile in hand if tile in grown), None)
            if tile is None:
                place += 1
                continue
            hand.remove(tile)
            played.append(tile)
            self.laid[player] += int(tile[1:])
            self.fixed = (*self.fixed[:place], grown[tile], *self.fixed[place + 1 :])
        return played

    def finish(self, last: int) -> tuple[int, ...]:
        """Play to the end, ``last`` having had the last turn. Returns the scores, in turn order."""
        passes, players = 0, len(self.hands)
        place = self.order.index(last)
        while passes < players and self.hands[self.order[place]]:
            place = (place + 1) % players
            player = self.order[place]
            if self.lay(player):
                passes = 0
            elif self.pool:
                self.hands[player].append(self.pool.pop())
            else:
                passes += 1
        hands = [self.hands[player] for player in self.order]
        return round_scores(hands, self.rules, [self.laid[player] for player in self.order])


def sample(view: View, chance: Random) -> Playout:
    """The round as it may be: the unseen tiles at random, as far as the other players' last turns allow.

    Each has laid what could be laid, so that no hand can lay anything on the table as it is; only a tile drawn
    since may. A view does not say who has drawn one.
    """
    unseen = list(view.unseen)
    chance.shuffle(unseen)
    now = Playout.of(view.dealt(unseen))
    for player in range(len(now.hands)):
        if player != view.player:
            _block(now, player, chance)
    return now


def _block(now: Playout, player: int, chance: Random) -> None:
    """Change tiles of this player for others of the pool until none can be laid, but for one drawn last."""
    hand, pool = now.hands[player], now.pool
    chance.shuffle(hand)
    drawn = [hand.pop()] if len(hand) > 1 and chance.random() < _NEW_TILE else []
    for _ in range(_SWAPS):
        played = now.copy().lay(player)
        if not played or len(played) > len(pool):
            break
        for tile in played:
            hand.remove(tile)
        hand += [pool.pop() for _ in played]
        pool += played
        chance.shuffle(pool)
    hand += drawn


def share(now: Playout, player: int, move: Move | CardMove | None) -> float:
    """What part of the win this turn of the player brings, None for laying nothing. ``now`` stays as it is."""
    winners = match_leaders(now.after(player, move).finish(player), now.rules)
    return (now.order.index(player) in winners) / len(winners)


@lru_cache
def _model(rules: Rules) -> Rules:
    return replace(
        rules,
        joker_retrieval="free",
        joker_sets_locked=False,
        retrieved_joker_use="anywhere",
        group_joker_needs_all=False,
    )


def _parted(table: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The sets without and with a joker."""
    fixed = tuple(text for text in table if "*" in text)
    return (tuple(text for text in table if "*" not in text) if fixed else table), fixed


@lru_cache(maxsize=4096)
def _grown(text: str, rules: Rules) -> dict[str, str]:
    """What each natural tile that can be added to a set makes of it."""
    kind = read_set(text, rules).kind
    found = {}
    for tile in naturals(rules):
        for longer in (text + tile, tile + text) if kind == "run" else (text + tile,):
            if read_set(longer, rules).kind == kind:
                found[tile] = longer
    return found
