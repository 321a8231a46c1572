"""A whole game: rounds of a tile game or of the card game, played to a match. Source: RULES.md 6 and 7.

The engine reads no clock and no chance but its seed: who runs a game says how long a turn took.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from .actions import Action, TurnResult
from .card_round import CardRound
from .dealing import draw_for_start, starter
from .errors import BadPosition, BadRequest, IllegalMove
from .position import Position
from .reading import bad_field, check_whole, fields_of
from .rounds import MOST_ROUNDS, Round, check_elapsed, check_totals
from .rules import AnyRules, Rules
from .scoring import match_leaders, prizes
from .tile_round import TileRound
from .views import CardView, View

SEED_BITS = 53
MOST_SEED = 2**SEED_BITS - 1
"""The largest seed: JSON readers lose larger integers."""

_MOST_TARGET = 1_000_000
_MOST_SECONDS = 1e9


@dataclass(frozen=True, slots=True)
class Game:
    """A state of a match: everything there is to know, for the referee. Immutable, compared by value.

    ``Game.new`` starts one, ``act`` and ``next_round`` give the next state, ``view`` what a player may see of it.

    ``seed``: what every draw for the start, every deal and every reshuffle follows from. ``rounds``, ``target``,
    ``match_seconds``: the match is over after so many rounds, after a round with which a total reaches the target (of
    points against: passes it), or after the round in which so much time has passed, whichever is first; None: not for
    that reason. ``round_number``: from 1.
    ``before``: the totals when the round under way began. ``elapsed``: seconds, all turns of the match together.
    ``round``: the round under way, a TileRound or, under rules with ``cards``, a CardRound.

    >>> from meldcore import Draw, Lay
    >>> game = Game.new("rummi-q", players=2, seed=1)
    >>> game.player, game.position.opened, len(game.position.hand), len(game.round.pool)
    (1, False, 14, 78)
    >>> game, result = game.act(Draw())
    >>> result.player, result.drawn, game.player
    (1, ('k1',), 0)

    A turn of the card game is two actions:

    >>> game = Game.new("rummy-40", players=2, seed=1)
    >>> game, result = game.act(Draw())
    >>> game.player, game.has_drawn, result.drawn
    (1, True, ('8C',))
    >>> game, result = game.act(Lay(game.round.table, discard="8C"))
    >>> game.player, game.round.pile
    (0, ('AH', '8C'))
    """

    seed: int
    rounds: int | None
    target: int | None
    match_seconds: float | None
    round_number: int
    before: tuple[int, ...]
    elapsed: float
    round: Round

    @classmethod
    def new(
        cls,
        rules: AnyRules = "rummi-q",
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
        low, high = rules.players
        check_whole("players", players, low, high)
        check_whole("seed", seed, 0, MOST_SEED)
        if rounds is None and target is None and match_seconds is None:
            rounds = 1
        _check_limits(rounds, target, match_seconds)
        first = starter(draw_for_start(rules, players, seed), rules)
        dealt = _kind(rules).deal(rules, players, first, seed, 1)
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

    def _repr_svg_(self) -> str:
        from .svg import position

        return position(self.position)

    @property
    def has_drawn(self) -> bool:
        """Has the player to move drawn a card, and still to lay and to discard? Only in the card game."""
        return self.round.has_drawn

    @property
    def otherwise(self) -> Action:
        """What is left to a player who lays nothing.

        In the card game that is to draw, then to discard the card drawn; after a card was taken it is illegal.
        """
        return self.round.otherwise

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
            or (self.target is not None and self._reaches(self.totals, self.target))
            or (self.match_seconds is not None and self.elapsed >= self.match_seconds)
        )

    @property
    def winners(self) -> tuple[int, ...]:
        """All players with the highest total, of points against the lowest. Nobody before the match is over."""
        return match_leaders(self.totals, self.rules) if self.over else ()

    def prizes(self, stake: int) -> tuple[int, ...]:
        """What each player gets of a stake: see ``meldcore.scoring.prizes``. IllegalMove before the match is over."""
        if not self.over:
            raise IllegalMove("the match is not over", path="$.round")
        return prizes(self.totals, stake, self.rules)

    def start_draws(self) -> tuple[dict[int, str], ...]:
        """The draws for the start of the first round: see ``meldcore.dealing.draw_for_start``."""
        return draw_for_start(self.rules, self.players, self.seed)

    def view(self, player: int) -> View | CardView:
        """What ``player`` may know, in the card game a CardView. Raises BadRequest where there is no such player."""
        check_whole("player", player, 0, self.players - 1)
        now = self.round
        known: dict[str, Any] = {
            "player": player,
            "to_move": now.player,
            "position": now.position_of(player),
            "hand_sizes": tuple(map(len, now.hands)),
            "opened": now.opened,
            "laid": now.laid,
            "starter": now.starter,
            "turn": now.turn,
            "round_number": self.round_number,
            "totals": self.totals,
            "elapsed": self.elapsed,
        }
        if isinstance(now, CardRound):
            return CardView(
                **known,
                stock_size=len(now.stock),
                pile=now.pile,
                has_drawn=now.has_drawn,
                drawn=now.drawn if player == now.player else None,
                taken=now.taken,
                reshuffles=now.reshuffles,
                cut_40=now.cut_40,
            )
        assert isinstance(now, TileRound)
        return View(**known, pool_size=len(now.pool), passes=now.passes)

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
        after, result = self.round.act_in(action, seconds, self.seed, self.round_number)
        return replace(self, elapsed=self.elapsed + seconds, round=after), result

    def next_round(self) -> "Game":
        """The start of the next round. The winner starts; of several the first in turn order.

        Raises IllegalMove while a round is under way, and once the match is over.
        """
        if not self.round_over:
            raise IllegalMove(f"round {self.round_number} is not over", path="$.round")
        if self.over:
            raise IllegalMove("the match is over", path="$.round")
        number = self.round_number + 1
        dealt = _kind(self.rules).deal(self.rules, self.players, self.round.winners[0], self.seed, number)
        return replace(self, round_number=number, before=self.totals, round=dealt)

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

        given = fields_of(value, ("rules", *cls.__slots__), "$", "a game")
        rules = Rules.from_json(given.pop("rules"))
        kind = _kind(rules)
        now = fields_of(given.pop("round"), kind.__slots__[1:], "$.round", "a round")
        try:
            dealt = convert(now | {"rules": rules}, kind)
        except (ValidationError, UnicodeError) as error:
            raise bad_field(error, ".round") from None
        try:
            game = convert(given | {"round": dealt}, cls)
        except (ValidationError, UnicodeError) as error:
            raise bad_field(error) from None
        game.validate()
        return game

    def validate(self) -> None:
        """Nothing, or the reason why no play leads to this state, with all that ``TileRound.validate`` finds.

        The pool has to be what is left of the deal of this seed, and so has the stock until it is renewed, with the
        hands that have come of both; the first starter has to be who drew the highest tile. Other starters, and who
        drew what, cannot be known: a record says it (``meldcore.records``).
        """
        check_whole("seed", self.seed, 0, MOST_SEED)
        _check_limits(self.rounds, self.target, self.match_seconds)
        if self.rounds is None and self.target is None and self.match_seconds is None:
            raise BadRequest("a match has a limit: of rounds, points or seconds", path="$.rounds")
        check_whole("round_number", self.round_number, 1, self.rounds or MOST_ROUNDS)
        check_elapsed(self.elapsed)
        now = self.round
        now.validate()
        if len(self.before) != len(now.hands):
            raise BadPosition(f"before: there is one total for each of {len(now.hands)} players", path="$.before")
        check_totals("before", self.before, self.rules, self.round_number - 1)
        self._validate_round_number()
        now.validate_deal(self.seed, self.round_number)
        if self.round_number == 1 and now.starter != starter(self.start_draws(), self.rules):
            raise BadPosition("starter: another player drew the highest tile", path="$.round.starter")

    def _validate_round_number(self) -> None:
        """The match was not over before the round under way."""
        if self.round_number == 1:
            return
        if self.target is not None and self._reaches(self.before, self.target):
            raise BadPosition(f"before: a match to {self.target} ended with these totals", path="$.before")
        begun = self.round.turn > 1 or self.round.has_drawn or self.round_over
        if self.match_seconds is not None and not begun and self.elapsed >= self.match_seconds:
            raise BadPosition(f"elapsed: a match of {self.match_seconds:g} seconds was over", path="$.elapsed")

    def _reaches(self, totals: tuple[int, ...], target: int) -> bool:
        """Points against have to pass a target."""
        return max(totals) >= target + (self.rules.scoring == "points_against")


def _kind(rules: Rules) -> type[TileRound] | type[CardRound]:
    """What a round is under these rules."""
    return CardRound if rules.cards else TileRound


def _check_limits(rounds: int | None, target: int | None, match_seconds: float | None) -> None:
    for name, value, most in (("rounds", rounds, MOST_ROUNDS), ("target", target, _MOST_TARGET)):
        if value is not None:
            check_whole(name, value, 1, most)
    if match_seconds is not None and not _is_time(match_seconds):
        raise BadRequest(f"match_seconds go from 0 to {_MOST_SECONDS:g}, not {match_seconds!r}", path="$.match_seconds")


def _is_time(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= _MOST_SECONDS
