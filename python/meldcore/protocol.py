"""The JSON protocol: what a request may say, what each op answers, how an error is reported.

`read_request` turns a line into a request, `reply_to` a request into a line; nothing here does I/O.
The process around it, with its queue and threads, is `meldcore.server`.

An op is one class: its fields are what a request may say, `answer` gives the result. REQUESTS lists them all.
Source: PROTOCOL.md.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache, partial
from random import SystemRandom
from typing import Any, Union

import msgspec
from msgspec import UNSET, Struct, UnsetType

from . import sets
from ._version import __version__
from .actions import action_fields, action_of
from .bots import make
from .errors import BadRequest, BadTile, IllegalMove, MeldcoreError, TooLarge, nearest
from .game import SEED_BITS, Game
from .moves import Moves, Partitions, normalise, partitions
from .plays import Play, Plays
from .position import Move, Position
from .records import replay
from .rules import PRESETS, Rules
from .scoring import round_scores, round_winners
from .stop import Stop
from .turns import CardMove, CardMoves
from .views import PlayerView

PROTOCOL = 1
RULES = 1
ORDER = 1
"""Numbers of what clients rely on: this protocol, the reading of the rules, the order of moves."""

LONGEST_LIST = 10_000
"""The most that `limit` and `n` may ask for."""

SAFE_INTEGER = 2**53 - 1
"""JavaScript and many JSON readers lose integers above; they are sent as decimal strings."""

# What the fields of requests may hold
Id = int | str
Whole = int | str  # a whole number, also in decimal digits
Texts = str | tuple[str, ...]  # sets or tiles: one string, or a list of them
RulesName = str | dict[str, Any]  # a preset, or fields of Rules


class BadJson(MeldcoreError):
    """A line that is no JSON."""

    code = "bad_json"


class UnknownOp(MeldcoreError):
    """An op that is not in OPS."""

    code = "unknown_op"


class UnknownField(MeldcoreError):
    """A field that the op does not have."""

    code = "unknown_field"


class Request(Struct, tag_field="op", forbid_unknown_fields=True, kw_only=True):
    """Base of all requests. `time_limit_ms` counts from the start of the search."""

    id: Id
    time_limit_ms: float | None = None

    def answer(self, stop: Stop) -> dict[str, Any]:
        """The result; a MeldcoreError where there is none."""
        raise NotImplementedError


class AtPosition(Request):
    """Base of the ops that are asked about a position: given whole, or as table, hand and opened; with `taken`."""

    rules: RulesName = "rummi-q"
    position: str | None = None
    table: Texts = ()
    hand: Texts = ()
    opened: bool | UnsetType = UNSET
    taken: str | None = None

    def at(self) -> Position:
        rules = _rules(self.rules)
        if self.position is None:
            return Position(self.table, self.hand, rules, self.opened is not False, taken=self.taken)
        for name, absent in (("table", ()), ("hand", ()), ("opened", UNSET)):
            if getattr(self, name) != absent:
                raise BadRequest(f"{name} is given twice: position says it too", path=f"$.{name}", token=name)
        return Position.parse(self.position, rules, taken=self.taken)


class Count(AtPosition, tag="count"):
    def answer(self, stop: Stop) -> dict[str, Any]:
        return {"count": _json_whole(self.at().count(stop))}


class ListMoves(AtPosition, tag="moves"):
    offset: Whole = 0
    limit: Whole = 100

    def answer(self, stop: Stop) -> dict[str, Any]:
        position = self.at()
        return _listing("moves", position.moves(stop), partial(_move, position=position), self, stop)


class Best(AtPosition, tag="best"):
    objective: str | dict[str, Any] = "tiles"
    prefer: str | None = None
    count_optimal: bool = False

    def answer(self, stop: Stop) -> dict[str, Any]:
        position = self.at()
        # other words than those known are its to refuse
        move = position.best(self.objective, self.prefer, stop)  # type: ignore[arg-type]
        if move is None:
            result: dict[str, Any] = {"move": None, "tiles": 0, "points": 0, "goes_out": False}
        else:
            if isinstance(move, CardMove):
                tiles, goes_out = move.net, move.goes_out(position)
            else:
                tiles = len(move.played)
                goes_out = tiles == len(position.hand)
            result = {"move": _move(move, position), "tiles": tiles, "points": move.points, "goes_out": goes_out}
        if self.count_optimal:
            optimal = position.count_best(self.objective, stop)  # type: ignore[arg-type]
            result["optimal"] = _json_whole(optimal)
        return result


class ListPlays(AtPosition, tag="plays"):
    offset: Whole = 0
    limit: Whole = 100

    def answer(self, stop: Stop) -> dict[str, Any]:
        return _listing("plays", self.at().plays(stop), _play, self, stop)


class Sample(AtPosition, tag="sample"):
    n: Whole = 1
    seed: Whole | None = None

    def answer(self, stop: Stop) -> dict[str, Any]:
        n = _length("n", self.n)
        seed = None if self.seed is None else _whole("seed", self.seed)
        position = self.at()
        moves = position.moves(stop)
        return {"moves": [_move(move, position) for move in moves.sample(n, seed)] if moves else []}


class AfterTurn(AtPosition, kw_only=True):
    """Base of the ops about one turn: the table after it, and in the card game the discard."""

    after: Texts
    discard: str | None = None


class Index(AfterTurn, tag="index"):
    def answer(self, stop: Stop) -> dict[str, Any]:
        position = self.at()
        move = position.move_to(self.after, self.discard)
        return {"index": _json_whole(position.moves(stop).index(move))}


class Check(AfterTurn, tag="check"):
    def answer(self, stop: Stop) -> dict[str, Any]:
        verdict = self.at().check(self.after, self.discard)
        return {
            "legal": verdict.legal,
            "played": verdict.played,
            "meld_value": verdict.meld_value,
            "jokers": verdict.jokers,
            "problems": verdict.problems,
        }


class PlayTurn(AfterTurn, tag="play"):
    def answer(self, stop: Stop) -> dict[str, Any]:
        position = self.at()
        return {"position": str(position.play(position.move_to(self.after, self.discard)))}


class ListPartitions(Request, tag="partitions", kw_only=True):
    tiles: Texts
    rules: RulesName = "rummi-q"
    offset: Whole = 0
    limit: Whole = 100

    def answer(self, stop: Stop) -> dict[str, Any]:
        return _listing("partitions", partitions(self.tiles, _rules(self.rules), stop), list, self, stop)


class ReadSet(Request, tag="set", kw_only=True):
    set: str
    rules: RulesName = "rummi-q"

    def answer(self, stop: Stop) -> dict[str, Any]:
        return sets.read_set(self.set, _rules(self.rules))._asdict()


class Validate(AtPosition, tag="validate"):
    def answer(self, stop: Stop) -> dict[str, Any]:
        self.at().validate()
        return {"valid": True}


class Normalise(Request, tag="normalise", kw_only=True):
    tiles: Texts
    rules: RulesName = "rummi-q"

    def answer(self, stop: Stop) -> dict[str, Any]:
        return {"table": normalise(self.tiles, _rules(self.rules), stop)}


class NewGame(Request, tag="new_game"):
    """`seed` absent: one that nobody chose; the state tells it."""

    rules: RulesName = "rummi-q"
    players: int = 2
    seed: Whole | None = None
    rounds: int | None = None
    target: int | None = None
    match_seconds: float | None = None

    def answer(self, stop: Stop) -> dict[str, Any]:
        seed = SystemRandom().getrandbits(SEED_BITS) if self.seed is None else _whole("seed", self.seed)
        game = Game.new(
            _rules(self.rules),
            self.players,
            seed,
            rounds=self.rounds,
            target=self.target,
            match_seconds=self.match_seconds,
        )
        return {"start_draws": game.start_draws(), **_state(game)}


class InGame(Request, kw_only=True):
    """Base of the ops that are asked about a whole game, the referee's state of it."""

    game: dict[str, Any]

    def state(self) -> Game:
        with _inside("game"):
            return Game.from_json(self.game)


class Act(InGame, tag="act", kw_only=True):
    """A turn of the player to move (of cards half of one), or `next_round`, which deals again and has no result."""

    action: str
    table: Texts | None = None
    discard: str | None = None
    seconds: float = 0.0

    def answer(self, stop: Stop) -> dict[str, Any]:
        game = self.state()
        if self.action == NEXT_ROUND:
            return {"result": None, **_state(game.next_round())}
        try:
            game, result = game.act(action_of(self.action, self.table, self.discard), self.seconds)
        except BadTile as error:
            error.path = (error.path or "$").replace("$.after", "$.table")
            raise
        return {"result": result, **_state(game)}


class ShowView(InGame, tag="view", kw_only=True):
    player: int

    def answer(self, stop: Stop) -> dict[str, Any]:
        return {"view": self.state().view(self.player).to_json()}


class Choose(Request, tag="choose", kw_only=True):
    """A bot's turn: the fields of `act` that say it."""

    view: dict[str, Any]
    bot: str = "greedy"
    seed: Whole = 0

    def answer(self, stop: Stop) -> dict[str, Any]:
        with _inside("view"):
            view = PlayerView.from_json(self.view)
        if view.to_move != view.player or view.round_over:
            raise BadRequest(f"it is not the turn of player {view.player}", path="$.view.to_move")
        return action_fields(make(self.bot, _whole("seed", self.seed), stop).choose(view))


class Score(Request, tag="score", kw_only=True):
    """The hands at the end of a round, in turn order; `laid` is what `laid_minus_left` needs; `cut_40` is of cards."""

    hands: tuple[Texts, ...]
    laid: tuple[int, ...] | None = None
    cut_40: bool = False
    rules: RulesName = "rummi-q"

    def answer(self, stop: Stop) -> dict[str, Any]:
        rules = _rules(self.rules)
        scores = round_scores(self.hands, rules, self.laid, cut_40=self.cut_40)
        return {"scores": scores, "winners": round_winners(self.hands, rules)}


class ReplayRecord(Request, tag="replay", kw_only=True):
    record: Texts

    def answer(self, stop: Stop) -> dict[str, Any]:
        lines = self.record.split("\n") if isinstance(self.record, str) else self.record
        return replay(lines).to_json()


class Version(Request, tag="version"):
    def answer(self, stop: Stop) -> dict[str, Any]:
        numbers = {"protocol": PROTOCOL, "rules": RULES, "order": ORDER}
        return {"name": "meldcore", "version": __version__, **numbers}


class ShowRules(Request, tag="rules"):
    def answer(self, stop: Stop) -> dict[str, Any]:
        return {name: rules.to_json() for name, rules in PRESETS.items()}


class Control(Request):
    """Base of the ops about other requests. The server answers them, which alone knows what is at work."""


class Ping(Control, tag="ping"):
    pass


class Cancel(Control, tag="cancel", kw_only=True):
    target: Id


class Quit(Control, tag="quit"):
    pass


REQUESTS: tuple[type[Request], ...] = (
    Count, ListMoves, Best, ListPlays, Sample, Index, Check, PlayTurn, ListPartitions, ReadSet, Validate,
    Normalise, NewGame, Act, ShowView, Choose, Score, ReplayRecord, Version, ShowRules, Ping, Cancel, Quit,
)  # fmt: skip

OPS = {str(request.__struct_config__.tag): request for request in REQUESTS}

NEXT_ROUND = "next_round"
"""What `act` calls the deal of the next round, which is no player's turn."""


def schema() -> dict[str, Any]:
    """The JSON Schema of a request."""
    found = msgspec.json.schema(Union[REQUESTS])  # noqa: UP007
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "a request to meldcore", **found}


read_request = msgspec.json.Decoder(Union[REQUESTS]).decode  # noqa: UP007
"""Read one line. Whatever it raises, `refusal` turns into the reply."""

_encode = msgspec.json.Encoder().encode
_read_object = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_read_raw = msgspec.json.Decoder(msgspec.Raw).decode


def success(id: Id, result: dict[str, Any]) -> bytes:
    """The reply of a request that was answered."""
    return _encode({"id": id, "ok": True, "result": result})


def failure(id: Id | None, error: MeldcoreError) -> bytes:
    """The reply of a request that could not be answered."""
    fault: dict[str, Any] = {"code": error.code, "message": str(error), "path": error.path or "$"}
    if isinstance(error, IllegalMove):
        fault["problems"] = error.problems
    return _encode({"id": id, "ok": False, "error": fault})


def reply_to(request: Request, stop: Stop) -> bytes:
    """Answer one request: the result, or the error that says why there is none. Nothing escapes."""
    try:
        if request.time_limit_ms is not None:
            if request.time_limit_ms < 0:
                raise BadRequest(
                    f"time_limit_ms is 0 or more, not {request.time_limit_ms:g}", path="$.time_limit_ms"
                )
            stop.start(request.time_limit_ms / 1000)
        stop.check()
        return success(request.id, request.answer(stop))
    except MeldcoreError as error:
        return failure(request.id, error)
    except (MemoryError, OverflowError) as error:
        return failure(request.id, TooLarge(f"the answer is too large: {error}"))
    except RecursionError:
        return failure(request.id, BadRequest("nested too deeply"))
    except Exception as error:
        from traceback import print_exc  # logged for whoever runs the server; no client sees a traceback

        print_exc()
        return failure(request.id, MeldcoreError(f"internal error: {type(error).__name__}: {error}"))


def refusal(line: bytes, error: Exception) -> bytes:
    """The reply to a line that `read_request` refused with `error`."""
    try:
        text = line.decode()
        _read_raw(line)
        fields = _read_object(text)
    except UnicodeDecodeError as fault:
        return failure(None, BadJson(f"not UTF-8 at byte {fault.start}"))
    except RecursionError:
        return failure(None, BadJson("nested too deeply"))
    except msgspec.ValidationError:
        return failure(None, BadRequest("a request is a JSON object"))
    except msgspec.DecodeError as fault:
        return failure(None, BadJson(str(fault)))
    try:
        id = msgspec.json.decode(fields["id"], type=Id)
    except (KeyError, msgspec.DecodeError):
        return failure(None, BadRequest("a request needs an id, a string or an integer", path="$.id"))
    return failure(id, _fault(fields, error))


def _fault(fields: dict[str, msgspec.Raw], error: Exception) -> MeldcoreError:
    """What is wrong with a JSON object that has an id."""
    try:
        op = msgspec.json.decode(fields["op"], type=str)
    except (KeyError, msgspec.DecodeError):
        return BadRequest("a request needs an op, a string", path="$.op")
    if op not in OPS:
        return UnknownOp(f"there is no op {op!r}; the nearest known one is {nearest(op, OPS)!r}", path="$.op")
    known = {"op": False} | {field.name: field.required for field in msgspec.structs.fields(OPS[op])}
    for name in fields:
        if name not in known:
            message = f"{op} has no field {name!r}; the nearest known one is {nearest(name, known)!r}"
            return UnknownField(message, path=f"$.{name}")
    for name, required in known.items():
        if required and name not in fields:
            return BadRequest(f"{op} needs the field {name!r}", path=f"$.{name}")
    if isinstance(error, msgspec.ValidationError):
        message, _, path = str(error).partition(" - at `")
        return BadRequest(message, path=path.rstrip("`") or "$")
    return BadJson("nested too deeply" if isinstance(error, RecursionError) else str(error))


_preset = lru_cache(Rules.preset)


def _rules(value: RulesName) -> Rules:
    return _preset(value) if isinstance(value, str) else Rules.from_json(value)


def _json_whole(number: int) -> int | str:
    return number if number <= SAFE_INTEGER else str(number)


def _whole(name: str, value: Whole) -> int:
    """Read a number that is not negative, given as an integer or in decimal digits."""
    if isinstance(value, str):
        # the length keeps int() from refusing, or from taking long
        number = int(value) if value.isascii() and value.isdigit() and len(value) <= 1000 else -1
    else:
        number = value
    if number < 0:
        message = f"{name} is a whole number, 0 or more, not {value!r:.40}"
        raise BadRequest(message, path=f"$.{name}", token=str(value))
    return number


def _length(name: str, value: Whole) -> int:
    number = _whole(name, value)
    if number > LONGEST_LIST:
        raise TooLarge(f"{name} is at most {LONGEST_LIST}", path=f"$.{name}", token=str(value))
    return number


def _move(move: Move | CardMove, position: Position) -> dict[str, Any]:
    said = {"played": move.played, "table": move.table, "points": move.points, "unchanged": move.unchanged}
    if isinstance(move, CardMove):
        said |= {"discard": move.discard, "rescued": move.rescued(position)}
    return said


def _state(game: Game) -> dict[str, Any]:
    """A game, and what a client needs to know of it without knowing the rules."""
    state = {
        "game": game.to_json(),
        "player": game.player,
        "round_over": game.round_over,
        "over": game.over,
        "totals": game.totals,
        "winners": game.winners,
    }
    return state | {"has_drawn": game.has_drawn} if game.rules.cards else state


@contextmanager
def _inside(field: str) -> Iterator[None]:
    """What is wrong with the value of this field stands there, in the request."""
    try:
        yield
    except MeldcoreError as error:
        error.path = f"$.{field}{(error.path or '$')[1:]}"
        raise


def _play(play: Play) -> dict[str, Any]:
    return {"played": play.played, "points": play.points, "arrangements": _json_whole(play.arrangements)}


def _listing(
    name: str,
    items: Moves | CardMoves | Plays | Partitions,
    form: Callable[[Any], Any],
    request: ListMoves | ListPlays | ListPartitions,
    stop: Stop,
) -> dict[str, Any]:
    """A page of a sequence. It is complete when nothing follows it; out of time it is shorter than asked."""
    offset = _whole("offset", request.offset)
    limit = _length("limit", request.limit)
    total = items.total
    page = []
    for item in items[offset : min(offset + limit, total)]:
        if stop.due:
            break
        page.append(form(item))
    return {"count": _json_whole(total), name: page, "complete": offset + len(page) >= total}
