"""A whole game: rounds of a tile game, played to a match. Source: RULES.md 6.

The engine reads no clock and no chance but its seed: who runs a game says how long a turn took.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .actions import Action, Draw, Pass, TurnResult
from .dealing import draw_for_start, edition, starter
from .errors import BadPosition, BadRequest, BadRules, IllegalMove, MeldcoreError, nearest
from .position import Position
from .rules import Rules
from .scoring import match_leaders
from .tile_round import TileRound

SEED_BITS = 53
MOST_SEED = 2**SEED_BITS - 1
"""The largest seed: JSON readers lose larger integers."""

# A number of rounds or a target beyond this is a mistake.
_MOST = 1_000_000
_MOST_SECONDS = 1e9


@dataclass(frozen=True, slots=True)
class View:
    """What one player may know of a game: the own hand, and of the rest only what lies open and the counts.

    ``player``: whose view it is. ``to_move``: whose turn it is. ``position``: the table with the own hand, in which
    the player to move has to find a move. ``hand_sizes``, ``pool_size``: tiles. ``opened``, ``laid``, ``passes``,
    ``starter``, ``turn``: as in TileRound. ``round_number``, ``totals``, ``elapsed``: as in Game.
    """

    player: int
    to_move: int
    position: Position
    hand_sizes: tuple[int, ...]
    pool_size: int
    opened: tuple[bool, ...]
    laid: tuple[int, ...]
    passes: int
    starter: int
    turn: int
    round_number: int
    totals: tuple[int, ...]
    elapsed: float

    @property
    def otherwise(self) -> Draw | Pass:
        """What is left to a player who lays nothing."""
        return Draw() if self.pool_size else Pass()

    @property
    def round_over(self) -> bool:
        return not all(self.hand_sizes) or self.passes == len(self.hand_sizes)

    @property
    def unseen(self) -> tuple[str, ...]:
        """The tiles that the other hands and the pool hold together, in canonical order."""
        position = self.position
        left = Counter(edition(position.rules))
        left.subtract(position.hand)
        left.subtract(Position((), "".join(position.table).replace("=", ""), position.rules).hand)
        return tuple(left.elements())

    def dealt(self, unseen: Sequence[str]) -> TileRound:
        """The round as it is if the unseen tiles lie in this order: in the other hands by player, then in the pool."""
        position, rest = self.position, list(unseen)
        hands = []
        for player, size in enumerate(self.hand_sizes):
            if player == self.player:
                hands.append(position.hand)
            else:
                hands.append(Position((), rest[:size], position.rules).hand)
                del rest[:size]
        return TileRound(
            rules=position.rules,
            starter=self.starter,
            turn=self.turn,
            table=position.table,
            hands=tuple(hands),
            pool=tuple(rest),
            opened=self.opened,
            laid=self.laid,
            passes=self.passes,
        )

    def to_json(self) -> dict[str, Any]:
        """Every field by name, the position as rules, table and hand; ``View.from_json`` reads it back."""
        from msgspec import to_builtins

        position = self.position
        view: dict[str, Any] = {"rules": position.rules.to_json(), "table": position.table, "hand": position.hand}
        view |= {name: to_builtins(getattr(self, name)) for name in _VIEW_FIELDS}
        return view

    @classmethod
    def from_json(cls, value: Mapping[str, Any], /) -> "View":
        """Read what ``to_json`` gave, and refuse with the reason what no play leads to.

        Raises BadRequest for a field that is missing, unknown or of another type, else what ``TileRound.validate``
        raises.

        >>> view = Game.new("rummi-q", players=3, seed=8).view(2)
        >>> View.from_json(view.to_json()) == view
        True
        """
        from msgspec import ValidationError, convert

        fields = _fields_of(value, ("rules", "table", "hand", *_VIEW_FIELDS), "$", "a view")
        rules = Rules.from_json(fields.pop("rules"))
        try:
            texts = convert({name: fields.pop(name) for name in ("table", "hand")}, dict[str, tuple[str, ...]])
            view = convert(fields | {"position": Position((), (), rules)}, cls)
        except ValidationError as error:
            raise _bad_field(error) from None
        _check_whole("player", view.player, 0, len(view.hand_sizes) - 1)
        _check_whole("pool_size", view.pool_size, 0, len(edition(rules)))
        for name in ("opened", "totals"):
            if len(getattr(view, name)) != len(view.hand_sizes):
                raise BadPosition(f"{name}: there is one for each of {len(view.hand_sizes)} players", path=f"$.{name}")
        position = Position(texts["table"], texts["hand"], rules, view.opened[view.player])
        view = replace(view, position=position)
        view.validate()
        return view

    def validate(self) -> None:
        """Nothing, or the reason why no play leads to this view, as far as the player can tell."""
        tiles = self.unseen
        hidden = sum(self.hand_sizes) - self.hand_sizes[self.player] + self.pool_size
        if min(self.hand_sizes) < 0 or self.hand_sizes[self.player] != len(self.position.hand):
            raise BadPosition(f"hand_sizes: {list(self.hand_sizes)} are not those of the hands", path="$.hand_sizes")
        if hidden != len(tiles):
            raise BadPosition(f"pool_size: {len(tiles)} tiles are unseen, not {hidden}", path="$.pool_size")
        now = self.dealt(tiles)
        try:
            now.validate()
        except MeldcoreError as error:
            if error.path is not None:
                error.path = error.path.replace("$.round", "$", 1)
            raise
        if self.to_move != now.player:
            raise BadPosition(f"to_move: it is the turn of player {now.player}", path="$.to_move")


_VIEW_FIELDS = tuple(name for name in View.__slots__ if name != "position")


@dataclass(frozen=True, slots=True)
class Game:
    """A state of a match: everything there is to know, for the referee. Immutable, compared by value.

    ``Game.new`` starts one, ``act`` and ``next_round`` give the next state, ``view`` what a player may see of it.

    ``seed``: what every draw for the start and every deal follows from. ``rounds``, ``target``, ``match_seconds``: the
    match is over after so many rounds, after a round with which a total reaches the target, or after the round in
    which so much time has passed, whichever is first; None: not for that reason. ``round_number``: from 1.
    ``before``: the totals when the round under way began. ``elapsed``: seconds, all turns of the match together.
    ``round``: the round under way.

    >>> game = Game.new("rummi-q", players=2, seed=1)
    >>> game.player, game.position.opened, len(game.position.hand), len(game.round.pool)
    (1, False, 14, 78)
    >>> game, result = game.act(Draw())
    >>> result.player, result.drawn, game.player
    (1, ('k1',), 0)
    """

    seed: int
    rounds: int | None
    target: int | None
    match_seconds: float | None
    round_number: int
    before: tuple[int, ...]
    elapsed: float
    round: TileRound

    @classmethod
    def new(
        cls,
        rules: Rules | str | Mapping[str, Any] = "rummi-q",
        players: int = 2,
        seed: int = 0,
        *,
        rounds: int | None = None,
        target: int | None = None,
        match_seconds: float | None = None,
    ) -> "Game":
        """Draw for the start, mix, deal. Without any limit the match is one round.

        seed: 0 to 2^53 - 1; the same seed is the same game everywhere. Raises BadRules, or BadRequest for a number
        out of range, too many or too few players, or more tiles to deal than there are.
        """
        rules = Rules.from_json(rules)
        if rules.cards:
            raise BadRules("rummy-40, the card game, is not supported yet", path="$.rules", token="cards")
        low, high = rules.players
        _check_whole("players", players, low, high)
        _check_whole("seed", seed, 0, MOST_SEED)
        if rounds is None and target is None and match_seconds is None:
            rounds = 1
        _check_limits(rounds, target, match_seconds)
        first = starter(draw_for_start(rules, players, seed))
        dealt = TileRound.deal(rules, players, first, seed, 1)
        return cls(seed, rounds, target, match_seconds, 1, (0,) * players, 0.0, dealt)

    # ---- what it is

    @property
    def rules(self) -> Rules:
        return self.round.rules

    @property
    def players(self) -> int:
        """How many take part."""
        return len(self.before)

    @property
    def player(self) -> int:
        """Whose turn it is; once the round is over, whose turn ended it."""
        return self.round.player

    @property
    def position(self) -> Position:
        """What the player to move is to find a move in."""
        return self.round.position

    @property
    def otherwise(self) -> Draw | Pass:
        """What is left to a player who lays nothing."""
        return Draw() if self.round.pool else Pass()

    @property
    def totals(self) -> tuple[int, ...]:
        """The scores of all rounds that are over, by player."""
        scores = self.round.scores
        if scores is None:
            return self.before
        return tuple(total + score for total, score in zip(self.before, scores, strict=True))

    @property
    def round_over(self) -> bool:
        return self.round.ended is not None

    @property
    def over(self) -> bool:
        """Is the match over? Only the end of a round ends it."""
        return self.round_over and (
            (self.rounds is not None and self.round_number >= self.rounds)
            or (self.target is not None and max(self.totals) >= self.target)
            or (self.match_seconds is not None and self.elapsed >= self.match_seconds)
        )

    @property
    def winners(self) -> tuple[int, ...]:
        """All players with the highest total. Nobody before the match is over."""
        return match_leaders(self.totals, self.rules) if self.over else ()

    def start_draws(self) -> tuple[dict[int, str], ...]:
        """The draws for the start of the first round: see ``meldcore.dealing.draw_for_start``."""
        return draw_for_start(self.rules, self.players, self.seed)

    def view(self, player: int) -> View:
        """What ``player`` may know. Raises BadRequest where there is no such player."""
        _check_whole("player", player, 0, self.players - 1)
        now = self.round
        return View(
            player=player,
            to_move=now.player,
            position=now.position_of(player),
            hand_sizes=tuple(map(len, now.hands)),
            pool_size=len(now.pool),
            opened=now.opened,
            laid=now.laid,
            passes=now.passes,
            starter=now.starter,
            turn=now.turn,
            round_number=self.round_number,
            totals=self.totals,
            elapsed=self.elapsed,
        )

    # ---- what happens

    def act(self, action: Action, seconds: float = 0.0) -> tuple["Game", TurnResult]:
        """The game after a turn of the player to move, and what came of the turn.

        action: ``Lay(table)``, ``Draw()``, ``Pass()`` or ``TimeOut(table)``. seconds: how long the turn took; more
        than ``Rules.turn_seconds`` makes any action a time-out. A lay that is illegal is a turn like others: the table
        stays as it was, the player draws ``Rules.illegal_draw``, and the result has every problem. A turn that lays
        nothing while the pool is empty counts as a pass, however it came about.

        Raises IllegalMove for what is no turn at all: to draw from an empty pool, to pass while there is one, to
        do either under ``must_play`` with a legal lay at hand, or anything once the round is over; BadTile for what
        is no tile, BadRequest for seconds below 0.
        """
        if not _is_time(seconds):
            raise BadRequest(f"seconds go from 0 to {_MOST_SECONDS:g}, not {seconds!r}", path="$.seconds")
        limit = self.rules.turn_seconds
        after, result = self.round.act(action, limit is not None and seconds > limit)
        return (
            Game(
                self.seed,
                self.rounds,
                self.target,
                self.match_seconds,
                self.round_number,
                self.before,
                self.elapsed + seconds,
                after,
            ),
            result,
        )

    def next_round(self) -> "Game":
        """The start of the next round. The winner starts; of several the first in turn order.

        Raises IllegalMove while a round is under way, and once the match is over.
        """
        if not self.round_over:
            raise IllegalMove(f"round {self.round_number} is not over", path="$.round")
        if self.over:
            raise IllegalMove("the match is over", path="$.round")
        number = self.round_number + 1
        dealt = TileRound.deal(self.rules, self.players, self.round.winners[0], self.seed, number)
        return Game(
            self.seed, self.rounds, self.target, self.match_seconds, number, self.totals, self.elapsed, dealt
        )

    # ---- as JSON

    def to_json(self) -> dict[str, Any]:
        """Every field by name, as JSON values; ``Game.from_json`` reads it back."""
        from msgspec import to_builtins  # not at import: who plays in Python alone needs no JSON

        game: dict[str, Any] = to_builtins(self)
        del game["round"]["rules"]
        return {"rules": self.rules.to_json(), **game}

    @classmethod
    def from_json(cls, value: Mapping[str, Any], /) -> "Game":
        """Read what ``to_json`` gave, and refuse with the reason what no play leads to: see ``validate``.

        Raises BadRequest for a field that is missing, unknown or of another type.

        >>> game = Game.new("rummy-o", players=4, seed=7)
        >>> Game.from_json(game.to_json()) == game
        True
        """
        from msgspec import ValidationError, convert

        fields = _fields_of(value, ("rules", *cls.__slots__), "$", "a game")
        now = _fields_of(fields["round"], TileRound.__slots__[1:], "$.round", "a round")
        rules = Rules.from_json(fields.pop("rules"))
        try:
            game = convert(fields | {"round": now | {"rules": rules}}, cls)
        except ValidationError as error:
            raise _bad_field(error) from None
        game.validate()
        return game

    def validate(self) -> None:
        """Nothing, or the reason why no play leads to this state, with all that ``TileRound.validate`` finds.

        The pool has to be what is left of the deal of this seed, and the first starter who drew the highest tile.
        Other starters, and who drew what, cannot be known: a record says it (``meldcore.records``).
        """
        _check_whole("seed", self.seed, 0, MOST_SEED)
        _check_limits(self.rounds, self.target, self.match_seconds)
        _check_whole("round_number", self.round_number, 1, self.rounds or _MOST)
        if not 0 <= self.elapsed < float("inf"):
            raise BadRequest(f"elapsed is a time in seconds, not {self.elapsed!r}", path="$.elapsed")
        now = self.round
        now.validate()
        if len(self.before) != len(now.hands):
            raise BadPosition(f"before: there is one total for each of {len(now.hands)} players", path="$.before")
        settled = self.rules.scoring == "zero_sum" and self.players > 1
        if (self.round_number == 1 and any(self.before)) or (settled and sum(self.before) != 0):
            raise BadPosition(f"before: {list(self.before)} cannot be the totals by now", path="$.before")
        dealt = TileRound.deal(self.rules, self.players, now.starter, self.seed, self.round_number)
        if now.pool != dealt.pool[len(dealt.pool) - len(now.pool) :]:
            raise BadPosition("pool: it is not what is left of the deal of this seed", path="$.round.pool")
        if self.round_number == 1 and now.starter != starter(self.start_draws()):
            raise BadPosition("starter: another player drew the highest tile", path="$.round.starter")


def _bad_field(error: Exception) -> BadRequest:
    """What msgspec says about a value of the wrong type."""
    message, _, path = str(error).partition(" - at `")
    return BadRequest(message, path=path.rstrip("`").replace("[...]", "", 1) or "$")


def _fields_of(value: Any, names: Sequence[str], path: str, what: str) -> dict[str, Any]:
    """The fields of a JSON object that has exactly those named."""
    if not isinstance(value, Mapping):
        raise BadRequest(f"an object with the fields {', '.join(names)}, not {value!r:.40}", path=path)
    for name in value:
        if name not in names:
            message = f"{what} has no field {name!r}; the nearest known one is {nearest(str(name), names)!r}"
            raise BadRequest(message, path=f"{path}.{name}", token=str(name))
    for name in names:
        if name not in value:
            raise BadRequest(f"{what} needs the field {name!r}", path=f"{path}.{name}", token=name)
    return dict(value)


def _check_whole(name: str, value: Any, low: int, high: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise BadRequest(
            f"{name} goes from {low} to {high}, not {value!r}", path=f"$.{name}", token=str(value)
        )


def _check_limits(rounds: int | None, target: int | None, match_seconds: float | None) -> None:
    for name, value in (("rounds", rounds), ("target", target)):
        if value is not None:
            _check_whole(name, value, 1, _MOST)
    if match_seconds is not None and not _is_time(match_seconds):
        raise BadRequest(f"match_seconds go from 0 to {_MOST_SECONDS:g}, not {match_seconds!r}", path="$.match_seconds")


def _is_time(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= _MOST_SECONDS
