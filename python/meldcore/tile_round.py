"""One round of a tile game, from the deal until somebody goes out or nobody can go on. Source: RULES.md 2 and 6.

A kind of game is one class like this one; `meldcore.game` plays rounds of it to a match.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from .actions import Action, Draw, Ending, Lay, Pass, TimeOut, TurnResult
from .dealing import edition, generator, mixed
from .errors import BadPosition, BadRequest, IllegalMove, MeldcoreError
from .position import Move, Position
from .referee import Problem
from .rules import Rules
from .scoring import round_scores, round_winners
from .turns import CardMove

# A table without one of these problems still holds its own tiles in valid sets.
_NOT_ALL_VALID = {"invalid_set", "tile_missing", "joker_kept_in_hand"}

# RULES.md 6: what a time-out costs where the table is not all valid; `Rules.timeout` names it.
_DRAWN_FOR_TIME_OUT = 3


@dataclass(frozen=True, slots=True)
class TileRound:
    """A state of one round. Immutable, compared by value; ``act`` gives the next one.

    Players are numbers, 0 the first seat and so on clockwise; all that is listed by player stands in that order.

    ``starter``: who has the first turn. ``turn``: the number of the turn under way, from 1; once the round is over,
    of the turn that ended it. ``table``: its sets. ``hands``: the tiles of each player. ``pool``: the tiles that are
    left to draw, the next one first. ``opened``: has the player laid the initial meld? ``laid``: the points that the
    player has laid on the table. ``passes``: turns in a row in which the pool was empty and nothing was laid.

    Texts are canonical and in canonical order. ``validate`` finds what cannot be; ``deal`` and ``act`` need no such
    check, since they keep every tile and change nothing else.
    """

    rules: Rules
    starter: int
    turn: int
    table: tuple[str, ...]
    hands: tuple[tuple[str, ...], ...]
    pool: tuple[str, ...]
    opened: tuple[bool, ...]
    laid: tuple[int, ...]
    passes: int

    @classmethod
    def deal(cls, rules: Rules, players: int, starter: int, seed: int, number: int) -> "TileRound":
        """The start of round ``number`` of the match with this seed."""
        tiles = mixed(edition(rules), generator(seed, number))
        dealt = players * rules.hand_size
        if dealt > len(tiles):
            raise BadRequest(
                f"{players} players with {rules.hand_size} tiles each need {dealt}, and there are {len(tiles)}",
                path="$.players",
                token=str(players),
            )
        hands = [tiles[first : first + rules.hand_size] for first in range(0, dealt, rules.hand_size)]
        return cls(
            rules=rules,
            starter=starter,
            turn=1,
            table=(),
            hands=tuple(Position((), hand, rules).hand for hand in hands),
            pool=tuple(tiles[dealt:]),
            opened=(False,) * players,
            laid=(0,) * players,
            passes=0,
        )

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

    def position_of(self, player: int) -> Position:
        """The table with the hand of one player."""
        return Position(self.table, self.hands[player], self.rules, self.opened[player])

    @property
    def ended(self) -> Ending | None:
        """How the round ended, None while it goes on."""
        if not all(self.hands):
            return "out"
        return "exhausted" if self.passes == len(self.hands) else None

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
            [self.hands[player] for player in order], self.rules, [self.laid[player] for player in order]
        )
        return tuple(found[order.index(player)] for player in range(len(order)))

    # ---- turns

    def act(self, action: Action, late: bool = False) -> tuple["TileRound", TurnResult]:
        """The round after a turn of the player to move, and what came of the turn. See ``Game.act``."""
        if self.ended is not None:
            raise IllegalMove("the round is over", path="$.action")
        if not isinstance(action, (Lay, Draw, Pass, TimeOut)):
            raise BadRequest(f"an action is Lay, Draw, Pass or TimeOut, not {action!r}", path="$.action")
        if isinstance(action, TimeOut) or late:
            return self._time_out(action.table if isinstance(action, (Lay, TimeOut)) else None)
        if isinstance(action, Lay):
            return self._lay(action)
        if isinstance(action, Draw):
            if not self.pool:
                raise IllegalMove("the pool is empty: who lays nothing passes", path="$.action")
        elif self.pool:
            raise IllegalMove("the pool is not empty: who lays nothing draws", path="$.action")
        if self.rules.must_play and self.position.best() is not None:
            raise IllegalMove("must_play: a player who can lay has to", path="$.action")
        return self._draw(1)

    def _lay(self, action: Lay) -> tuple["TileRound", TurnResult]:
        try:
            move = self.position.move_to(action.table if action.move is None else action.move)
        except IllegalMove as error:
            return self._draw(self.rules.illegal_draw, error.problems)
        return self._play(move)

    def _time_out(self, table: tuple[str, ...] | None) -> tuple["TileRound", TurnResult]:
        if table is None or self.rules.timeout == "restore_draw_1":
            return self._draw(1, timed_out=True)
        try:
            move = self.position.move_to(table)
        except IllegalMove as error:
            codes = {problem.code for problem in error.problems}
            if "nothing_played" in codes and not codes & _NOT_ALL_VALID:
                return self._draw(1, timed_out=True)
            return self._draw(_DRAWN_FOR_TIME_OUT, error.problems, timed_out=True)
        return self._play(move, timed_out=True)

    def _play(self, move: Move | CardMove, timed_out: bool = False) -> tuple["TileRound", TurnResult]:
        player = self.player
        hand = list(self.hands[player])
        for tile in move.played:
            hand.remove(tile)
        after = TileRound(
            self.rules,
            self.starter,
            self.turn + bool(hand),
            move.table,
            _changed(self.hands, player, tuple(hand)),
            self.pool,
            _changed(self.opened, player, True),
            _changed(self.laid, player, self.laid[player] + move.points),
            0,
        )
        return after, TurnResult(player, move.played, (), (), timed_out, after.ended, after.scores)

    def _draw(
        self, count: int, problems: tuple[Problem, ...] = (), timed_out: bool = False
    ) -> tuple["TileRound", TurnResult]:
        """A turn that lays nothing: the player draws so many tiles, or what is left."""
        player = self.player
        drawn = self.pool[:count]
        passes = 0 if self.pool else self.passes + 1
        after = TileRound(
            self.rules,
            self.starter,
            self.turn + (passes < len(self.hands)),
            self.table,
            _changed(self.hands, player, Position((), self.hands[player] + drawn, self.rules).hand),
            self.pool[count:],
            self.opened,
            self.laid,
            passes,
        )
        return after, TurnResult(player, (), drawn, problems, timed_out, after.ended, after.scores)

    # ---- what cannot be

    def validate(self) -> None:
        """Nothing, or the reason why no play under these rules leads to this state.

        Raises BadTile or BadSet for such texts, else BadPosition: a tile too many or missing, texts that are not
        canonical, a number out of range, players who cannot have laid or drawn so much in so many turns.
        """
        players = len(self.hands)
        low, high = self.rules.players
        if not low <= players <= high:
            raise _impossible("hands", f"{low} to {high} players take part, not {players}")
        for name in ("opened", "laid"):
            if len(getattr(self, name)) != players:
                raise _impossible(name, f"there is one for each of {players} players")
        if not 0 <= self.starter < players:
            raise _impossible("starter", f"players go from 0 to {players - 1}, not {self.starter}")
        if self.turn < 1:
            raise _impossible("turn", f"turns are numbered from 1, not {self.turn}")
        if not 0 <= self.passes <= (0 if self.pool else players):
            raise _impossible("passes", f"{self.passes} in a row cannot be with {len(self.pool)} tiles in the pool")
        out = [player for player, hand in enumerate(self.hands) if not hand]
        if out and (self.passes or out != [self.player]):
            raise _impossible(f"hands[{out[-1]}]", "it is empty, and the round went on")
        self._validate_tiles()
        self._validate_laid()
        self._validate_drawn()

    def _validate_tiles(self) -> None:
        there = Counter(self._table_tiles().hand)
        there.update(self.pool)
        for player, hand in enumerate(self.hands):
            try:
                position = self.position_of(player)
            except MeldcoreError as error:
                path = (error.path or "$").replace("$.hand", f"$.hands[{player}]")
                error.path = path.replace("$", "$.round", 1)
                raise
            if position.table != self.table:
                raise _impossible("table", "its sets are not in canonical order")
            if position.hand != hand:
                raise _impossible(f"hands[{player}]", "its tiles are not in canonical order")
            there.update(hand)
        for tile, count in Counter(edition(self.rules)).items():
            if there[tile] != count:
                raise _impossible("pool", f"of tile {tile!r} there are {there[tile]} in all, not {count}")
            del there[tile]
        if there:
            raise _impossible("pool", f"{next(iter(there))!r} is no tile of the edition")

    def _table_tiles(self) -> Position:
        """The tiles of the table, loose: the hand of this position."""
        return Position((), "".join(self.table).replace("=", ""), self.rules)

    def _validate_laid(self) -> None:
        worth = self._table_tiles().hand_points
        if sum(self.laid) != worth:
            raise _impossible("laid", f"{sum(self.laid)} points were laid, and the table is worth {worth}")
        for player, (opened, laid) in enumerate(zip(self.opened, self.laid, strict=True)):
            if laid < 0 or (laid and not opened):
                raise _impossible(f"laid[{player}]", f"{laid} points cannot be, opened or not")
        if any(self.opened) != bool(self.table):
            raise _impossible("opened", "who has opened has laid on the table, and nobody else has")

    def _validate_drawn(self) -> None:
        """A turn that lays nothing draws one tile at least, as long as there is one, and a few at most."""
        least = 1 if self.pool and self.rules.illegal_draw else 0
        most = max(_DRAWN_FOR_TIME_OUT, self.rules.illegal_draw)
        finished = self.turn - (self.ended is None)
        order = self.turn_order
        for player, (hand, opened) in enumerate(zip(self.hands, self.opened, strict=True)):
            turns = (finished - order.index(player) + len(order) - 1) // len(order)
            more = len(hand) - self.rules.hand_size
            if more > most * turns or (opened and not turns) or (not opened and more < least * turns):
                raise _impossible("turn", f"after {finished} turns player {player} cannot hold {len(hand)} tiles")
        drawn = len(edition(self.rules)) - self.rules.hand_size * len(order) - len(self.pool)
        if not least * finished <= drawn + len(self._table_tiles().hand):
            raise _impossible("turn", f"{drawn} tiles were drawn, too few for {finished} turns and this table")
        if drawn > most * finished:
            raise _impossible("pool", f"{finished} turns cannot have drawn {drawn} tiles")


def _changed(by_player: tuple[Any, ...], player: int, value: Any) -> tuple[Any, ...]:
    return (*by_player[:player], value, *by_player[player + 1 :])


def _impossible(field: str, reason: str) -> BadPosition:
    return BadPosition(f"{field}: {reason}", path=f"$.round.{field}", token=field)
