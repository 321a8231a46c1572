"""One round of a tile game, from the deal until somebody goes out or nobody can go on. Source: RULES.md 2 and 6."""

from collections import Counter
from dataclasses import dataclass

from .actions import Action, Draw, Ending, Lay, Pass, Take, TimeOut, TurnResult
from .dealing import dealt, edition, table_tiles
from .errors import BadRequest, IllegalMove
from .position import Move, Position
from .referee import Problem
from .rounds import DRAWN_FOR_TIME_OUT, Round, changed, impossible
from .rules import Rules
from .turns import CardMove

# A table without one of these problems still holds its own tiles in valid sets.
_NOT_ALL_VALID = {"invalid_set", "tile_missing", "joker_kept_in_hand"}


@dataclass(frozen=True, slots=True)
class TileRound(Round):
    """A state of one round of a tile game: see ``Round`` for the fields that it shares with the card game.

    ``pool``: the tiles that are left to draw, the next one first. ``passes``: turns in a row in which the pool was
    empty and nothing was laid.
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
        hands, pool = dealt(rules, players, seed, number)
        return cls(
            rules=rules,
            starter=starter,
            turn=1,
            table=(),
            hands=tuple(Position((), hand, rules).hand for hand in hands),
            pool=tuple(pool),
            opened=(False,) * players,
            laid=(0,) * players,
            passes=0,
        )

    # ---- what it is

    def position_of(self, player: int) -> Position:
        """The table with the hand of one player."""
        return Position(self.table, self.hands[player], self.rules, self.opened[player])

    @property
    def has_drawn(self) -> bool:
        return False

    @property
    def otherwise(self) -> Draw | Pass:
        return Draw() if self.pool else Pass()

    @property
    def ended(self) -> Ending | None:
        """How the round ended, None while it goes on."""
        if not all(self.hands):
            return "out"
        return "exhausted" if self.passes == len(self.hands) else None

    # ---- turns

    def act_in(self, action: Action, seconds: float, seed: int, number: int) -> tuple["TileRound", TurnResult]:
        return self.act(action, self.too_long(seconds))

    def act(self, action: Action, late: bool = False) -> tuple["TileRound", TurnResult]:
        """The round after a turn of the player to move, and what came of the turn. See ``Game.act``."""
        if self.ended is not None:
            raise IllegalMove("the round is over", path="$.action")
        if isinstance(action, Take):
            raise IllegalMove("there is no discard pile to take from: only the card game has one", path="$.action")
        if not isinstance(action, (Lay, Draw, Pass, TimeOut)):
            raise BadRequest(f"an action is Lay, Draw, Pass or TimeOut, not {action!r}", path="$.action")
        if isinstance(action, (Lay, TimeOut)) and action.discard is not None:
            raise BadRequest(
                f"discard is {action.discard!r}: only turns of the card game end with one",
                path="$.discard",
                token=str(action.discard),
            )
        if isinstance(action, TimeOut) or late:
            return self._time_out(action.table if isinstance(action, (Lay, TimeOut)) else None)
        if isinstance(action, Lay):
            return self._lay(action)
        if isinstance(action, Draw):
            if not self.pool:
                raise IllegalMove("the pool is empty: who lays nothing passes", path="$.action")
        elif self.pool:
            raise IllegalMove("the pool is not empty: who lays nothing draws", path="$.action")
        if self.rules.must_play and self.can_lay():
            raise IllegalMove("must_play: a player who can lay has to", path="$.action")
        return self._draw(1)

    def _lays_something(self, position: Position) -> bool:
        return position.best() is not None

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
            return self._draw(DRAWN_FOR_TIME_OUT, error.problems, timed_out=True)
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
            changed(self.hands, player, tuple(hand)),
            self.pool,
            changed(self.opened, player, True),
            changed(self.laid, player, self.laid[player] + move.points),
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
            changed(self.hands, player, Position((), self.hands[player] + drawn, self.rules).hand),
            self.pool[count:],
            self.opened,
            self.laid,
            passes,
        )
        return after, TurnResult(player, (), drawn, problems, timed_out, after.ended, after.scores)

    # ---- what cannot be

    def validate(self) -> None:
        self.validate_players()
        players = len(self.hands)
        if not 0 <= self.passes <= (0 if self.pool else players):
            raise impossible("passes", f"{self.passes} in a row cannot be with {len(self.pool)} tiles in the pool")
        out = [player for player, hand in enumerate(self.hands) if not hand]
        if out and (self.passes or out != [self.player]):
            raise impossible(f"hands[{out[-1]}]", "it is empty, and the round went on")
        self.validate_tiles("pool", self.pool)
        self.validate_laid()
        if min(self.laid) < 0:
            raise impossible("laid", f"{list(self.laid)} points cannot be")
        self._validate_drawn()

    def validate_deal(self, seed: int, number: int) -> None:
        first = TileRound.deal(self.rules, len(self.hands), self.starter, seed, number)
        gone = len(first.pool) - len(self.pool)
        if self.pool != first.pool[gone:]:
            raise impossible("pool", "it is not what is left of the deal of this seed")
        drawn = Counter(first.pool[:gone])
        for player, opened in enumerate(self.opened):
            hand, start = Counter(self.hands[player]), Counter(first.hands[player])
            if foreign := hand - start - drawn:
                raise impossible(f"hands[{player}]", f"{min(foreign)!r} was neither dealt to the player nor drawn")
            if not opened and (missing := start - hand):
                raise impossible(f"hands[{player}]", f"{min(missing)!r} was dealt to the player, who has laid nothing")

    def _validate_drawn(self) -> None:
        """A turn that lays nothing draws one tile at least, as long as there is one, and a few at most."""
        least = 1 if self.pool and self.rules.illegal_draw else 0
        most = max(DRAWN_FOR_TIME_OUT, self.rules.illegal_draw)
        finished = self.turn - (self.ended is None)
        for player, (hand, opened) in enumerate(zip(self.hands, self.opened, strict=True)):
            turns = self.turns_of(player, finished)
            more = len(hand) - self.rules.hand_size
            if more > most * turns or (opened and not turns) or (not opened and more < least * turns):
                raise impossible("turn", f"after {finished} turns player {player} cannot hold {len(hand)} tiles")
        drawn = len(edition(self.rules)) - self.rules.hand_size * len(self.hands) - len(self.pool)
        if not least * finished <= drawn + len(table_tiles(self.table, self.rules).hand):
            raise impossible("turn", f"{drawn} tiles were drawn, too few for {finished} turns and this table")
        if drawn > most * finished:
            raise impossible("pool", f"{finished} turns cannot have drawn {drawn} tiles")
