"""Records: a whole match as JSON lines, written while it is played and verified line by line.

A record says everything: rules, seed, names, each deal, each action and its result, the totals. It is text that other
programs can follow without this library, and this library can check by playing it again.

Lines, each an object whose ``line`` says what it is:

    game    format, rules (every field), seed, players (names by seat), rounds, target, match_seconds
    round   number, starter, hands, pool (the next tile first): the deal; of cards not pool but stock (the next card
            first) and pile (the card turned up)
    turn    number, player, action ("lay", "draw", "take", "pass", "time_out"), seconds; where there is something to say
            table (of the action), played, drawn, problems (codes), timed_out, ended, scores (of the round), and of
            cards discard (of the action), taken, discarded, stock (the new one, once the discard pile has become it)
    end     totals, winners: the match is over

A turn of the card game is two lines of the same number: where its first card comes from, then the lay.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TextIO

import msgspec
from msgspec import Struct

from .actions import Action, CardTurnResult, Ending, TurnResult, action_fields, action_of
from .card_round import CardRound
from .errors import BadRequest, MeldcoreError
from .game import Game

FORMAT = 1
"""The number of this format: of the fields, of the mixing (``meldcore.dealing``), of the reading of the rules."""


class _Line(Struct, tag_field="line", forbid_unknown_fields=True, kw_only=True):
    """Base of all lines."""


class _GameLine(_Line, tag="game"):
    format: int
    rules: dict[str, Any]
    seed: int
    players: tuple[str, ...]
    rounds: int | None = None
    target: int | None = None
    match_seconds: float | None = None


class _FormatOnly(Struct):
    """What is read first, so that other formats may have other fields."""

    format: int = FORMAT


class _RoundLine(_Line, tag="round", omit_defaults=True):
    number: int
    starter: int
    hands: tuple[tuple[str, ...], ...]
    pool: tuple[str, ...] | None = None
    stock: tuple[str, ...] | None = None
    pile: tuple[str, ...] | None = None


class _TurnLine(_Line, tag="turn", omit_defaults=True):
    number: int
    player: int
    action: str
    seconds: float
    table: tuple[str, ...] | None = None
    discard: str | None = None
    taken: str | None = None
    played: tuple[str, ...] = ()
    drawn: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    timed_out: bool = False
    ended: Ending | None = None
    scores: tuple[int, ...] | None = None
    discarded: str | None = None
    stock: tuple[str, ...] | None = None


class _EndLine(_Line, tag="end"):
    totals: tuple[int, ...]
    winners: tuple[int, ...]


_encode = msgspec.json.Encoder().encode
_read = msgspec.json.Decoder(_GameLine | _RoundLine | _TurnLine | _EndLine).decode
_read_format = msgspec.json.Decoder(_FormatOnly).decode


# ---- the line that stands for what happened


def _game_line(game: Game, names: Sequence[str]) -> _GameLine:
    return _GameLine(
        format=FORMAT,
        rules=game.rules.to_json(),
        seed=game.seed,
        players=tuple(names),
        rounds=game.rounds,
        target=game.target,
        match_seconds=game.match_seconds,
    )


def _round_line(game: Game) -> _RoundLine:
    dealt = game.round
    rest = ("stock", "pile") if isinstance(dealt, CardRound) else ("pool",)
    return _RoundLine(
        number=game.round_number,
        starter=dealt.starter,
        hands=dealt.hands,
        **{name: getattr(dealt, name) for name in rest},
    )


def _turn_line(before: Game, action: Action, seconds: float, result: TurnResult, after: Game) -> _TurnLine:
    of_cards: dict[str, Any] = {}
    if isinstance(result, CardTurnResult):
        of_cards = {"taken": result.taken, "discarded": result.discarded}
        if result.reshuffled and isinstance(after.round, CardRound):
            of_cards["stock"] = after.round.stock
    return _TurnLine(
        number=before.round.turn,
        player=result.player,
        seconds=float(seconds),
        **action_fields(action),
        **of_cards,
        played=result.played,
        drawn=result.drawn,
        problems=tuple(problem.code for problem in result.problems),
        timed_out=result.timed_out,
        ended=result.ended,
        scores=result.scores,
    )


def _end_line(game: Game) -> _EndLine:
    return _EndLine(totals=game.totals, winners=game.winners)


# ---- writing


class Recorder:
    """Plays a game and writes its record, a line as soon as something has happened.

    file: an open text file. game: one at its start, as ``Game.new`` gives it; BadRequest for another. players: the
    names by seat, numbers from 1 where they have none.

    >>> from io import StringIO
    >>> from meldcore import Draw
    >>> recorder = Recorder(StringIO(), Game.new("rummi-q", seed=1), ["ann", "bob"])
    >>> recorder.act(Draw(), seconds=12.5).drawn
    ('k1',)
    >>> recorder.game.player
    0
    """

    def __init__(self, file: TextIO, game: Game, players: Sequence[str] | None = None) -> None:
        start = Game.new(
            game.rules,
            game.players,
            game.seed,
            rounds=game.rounds,
            target=game.target,
            match_seconds=game.match_seconds,
        )
        if game != start:
            raise BadRequest("a record begins with the start of a game, and this one is under way", path="$.game")
        names = [str(seat + 1) for seat in range(game.players)] if players is None else players
        if len(names) != game.players or not all(isinstance(name, str) for name in names):
            raise BadRequest(f"{game.players} names are needed, not {names!r}", path="$.players")
        self._file = file
        self._game = game
        self._write(_game_line(game, names))
        self._write(_round_line(game))

    @property
    def game(self) -> Game:
        """The state now."""
        return self._game

    def act(self, action: Action, seconds: float = 0.0) -> TurnResult:
        """Make the turn: see ``Game.act``. What it refuses is not written."""
        before = self._game
        self._game, result = before.act(action, seconds)
        self._write(_turn_line(before, action, seconds, result, self._game))
        if self._game.over:
            self._write(_end_line(self._game))
        return result

    def next_round(self) -> None:
        """Deal the next round: see ``Game.next_round``."""
        self._game = self._game.next_round()
        self._write(_round_line(self._game))

    def _write(self, line: _Line) -> None:
        self._file.write(_encode(line).decode() + "\n")


# ---- verifying


@dataclass(frozen=True, slots=True)
class Replay:
    """What came of playing a record again.

    ``follows``: every line follows from those before. ``complete``: and the match is over. ``line``: the number of the
    first line that does not follow, from 1, with the ``reason``; None where all do. ``players``: the names.
    ``turns``: how many follow, whole ones. ``game``: the state that they lead to, None without a first line.
    """

    follows: bool
    complete: bool
    line: int | None
    reason: str | None
    players: tuple[str, ...]
    turns: int
    game: Game | None

    def to_json(self) -> dict[str, Any]:
        """The fields but the game, and of the game its rounds so far, totals and winners."""
        game = self.game
        return {
            "follows": self.follows,
            "complete": self.complete,
            "line": self.line,
            "reason": self.reason,
            "players": self.players,
            "rounds": game.round_number if game else 0,
            "turns": self.turns,
            "totals": game.totals if game else (),
            "winners": game.winners if game else (),
        }


def replay(lines: Iterable[str | bytes]) -> Replay:
    """Verify a record: play it again, and compare every line with the one that would be written.

    lines: an open file, or any lines. A record that stops before the end of the match follows, and is not complete.
    Nothing in the lines raises an error; what is wrong with them is the reason. Blank lines are skipped.

    >>> replay(['{"line": "game", "format": 2}']).reason
    'format: this release reads records of format 1, not 2'
    """
    follower = _Follower()
    number = 0
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            follower.take(line)
        except (MeldcoreError, msgspec.DecodeError, UnicodeError, RecursionError) as error:
            return follower.report(number, str(error))
    if follower.game is None:
        return follower.report(number + 1, "there is no line, and a record begins with the line of the game")
    return follower.report(None, None)


class _DoesNotFollow(MeldcoreError):
    """A line that is not the one that follows."""


class _Follower:
    """Plays what it is told, line by line."""

    def __init__(self) -> None:
        self.game: Game | None = None
        self.names: tuple[str, ...] = ()
        self.turns = 0
        self.dealt = False  # the line of the round under way was there
        self.ended = False

    def take(self, text: str | bytes) -> None:
        """Go on by one line. Where it raises nothing has changed."""
        if self.game is None and (number := _read_format(text).format) != FORMAT:
            raise _DoesNotFollow(f"format: this release reads records of format {FORMAT}, not {number}")
        line = _read(text)
        kind = self.expected()
        if not isinstance(line, kind):
            raise _DoesNotFollow(f"the line of a {_tag(line)!r}, where that of a {_tag(kind)!r} follows")
        if isinstance(line, _GameLine):
            self.begin(line)
        elif isinstance(line, _RoundLine):
            self.deal(line)
        elif isinstance(line, _TurnLine):
            self.turn(line)
        else:
            assert self.game is not None
            _compare(line, _end_line(self.game))
            self.ended = True

    def expected(self) -> type[_Line]:
        if self.game is None:
            return _GameLine
        if self.ended:
            raise _DoesNotFollow("the match is over, and no line follows")
        if not self.dealt:
            return _RoundLine
        if not self.game.round_over:
            return _TurnLine
        return _EndLine if self.game.over else _RoundLine

    def begin(self, line: _GameLine) -> None:
        self.game = Game.new(
            line.rules,
            len(line.players),
            line.seed,
            rounds=line.rounds,
            target=line.target,
            match_seconds=line.match_seconds,
        )
        self.names = line.players

    def deal(self, line: _RoundLine) -> None:
        assert self.game is not None
        game = self.game.next_round() if self.dealt else self.game
        _compare(line, _round_line(game))
        self.game = game
        self.dealt = True

    def turn(self, line: _TurnLine) -> None:
        assert self.game is not None
        action = action_of(line.action, line.table, line.discard)
        game, result = self.game.act(action, line.seconds)
        _compare(line, _turn_line(self.game, action, line.seconds, result, game))
        self.game = game
        self.turns += not game.has_drawn

    def report(self, line: int | None, reason: str | None) -> Replay:
        return Replay(reason is None, reason is None and self.ended, line, reason, self.names, self.turns, self.game)


def _compare(said: _Line, follows: _Line) -> None:
    for field in said.__struct_fields__:
        told, true = getattr(said, field), getattr(follows, field)
        if told != true:
            shown = [_encode(value).decode() for value in (told, true)]
            raise _DoesNotFollow("{}: it says {}, and {} follows".format(field, *shown))


def _tag(line: _Line | type[_Line]) -> str:
    return str(line.__struct_config__.tag)
