"""What a player does with a turn, and what comes of it. Source: RULES.md 6."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from .errors import BadRequest, nearest
from .position import Move
from .referee import Problem
from .turns import CardMove


def _sets(table: str | Iterable[str] | Move | CardMove) -> tuple[str, ...]:
    if isinstance(table, (Move, CardMove)):
        return table.table
    if isinstance(table, str):
        return tuple(table.split())
    if isinstance(table, Iterable):
        return tuple(table)
    raise BadRequest(f"a table is a list of sets, not {table!r}", path="$.table", token=str(table))


def _discard(table: object, discard: str | None) -> str | None:
    return table.discard if discard is None and isinstance(table, CardMove) else discard


class _OfTable:
    """Base of the actions that show a table, and in the card game the discard."""

    __slots__ = ()
    table: tuple[str, ...] | None
    discard: str | None

    def __repr__(self) -> str:
        discard = "" if self.discard is None else f", discard={self.discard!r}"
        return f"{type(self).__name__}(table={self.table!r}{discard})"


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Lay(_OfTable):
    """Lay tiles. ``table``: the sets on the table after the turn, all of them, as they lie there.

    It is made from a sequence of set strings, one string, or a Move, which it keeps as ``move``: what a search of the
    position has found need not be judged again. Whether it is legal shows when it is acted.

    In the card game ``discard`` is the card that ends the turn; a CardMove says it, too. Who lays nothing leaves the
    table as it is.
    """

    table: tuple[str, ...]
    discard: str | None
    move: Move | None = field(compare=False)

    def __init__(self, table: str | Iterable[str] | Move | CardMove, discard: str | None = None) -> None:
        object.__setattr__(self, "table", _sets(table))
        object.__setattr__(self, "discard", _discard(table, discard))
        object.__setattr__(self, "move", table if isinstance(table, Move) else None)


@dataclass(frozen=True, slots=True)
class Draw:
    """Draw one tile. In the tile games that is all of the turn, and nothing is laid.

    In the card game it is how a turn begins, with the top card of the stock.
    """


@dataclass(frozen=True, slots=True)
class Take:
    """Begin a turn of the card game with the top card of the discard pile, which has to be laid in it."""


@dataclass(frozen=True, slots=True)
class Pass:
    """Lay nothing where the pool is empty."""


@dataclass(frozen=True, slots=True, init=False, repr=False)
class TimeOut(_OfTable):
    """The timekeeper's word that the turn took too long. ``table``: as it lay then; None: nobody had touched it.

    ``discard``: in the card game, the card that was discarded by then. ``Rules.timeout`` says what becomes of it. It
    may be said under rules without ``turn_seconds``, too.
    """

    table: tuple[str, ...] | None
    discard: str | None

    def __init__(
        self, table: str | Iterable[str] | Move | CardMove | None = None, discard: str | None = None
    ) -> None:
        object.__setattr__(self, "table", None if table is None else _sets(table))
        object.__setattr__(self, "discard", _discard(table, discard))


Action = Lay | Draw | Take | Pass | TimeOut

ACTION_NAMES: dict[type[Action], str] = {Lay: "lay", Draw: "draw", Take: "take", Pass: "pass", TimeOut: "time_out"}
"""What an action is called in JSON, where its table and its discard stand beside the name."""


def action_of(name: str, table: str | Iterable[str] | None = None, discard: str | None = None) -> Action:
    """The action that JSON calls so. Raises BadRequest for another name, a table too many or one missing.

    >>> action_of("lay", ["r1r2r3"])
    Lay(table=('r1r2r3',))
    >>> action_of("lay", ["5S6S7S"], "2H")
    Lay(table=('5S6S7S',), discard='2H')
    """
    match name:
        case "lay" if table is not None:
            return Lay(table, discard)
        case "lay":
            raise BadRequest("a lay needs a table", path="$.table")
        case "time_out":
            return TimeOut(table, discard)
        case "draw" | "take" | "pass":
            for field, value in (("table", table), ("discard", discard)):
                if value is not None:
                    raise BadRequest(f"a {name} has no {field}", path=f"$.{field}")
            return _PLAIN[name]
    near = nearest(name, ACTION_NAMES.values())
    raise BadRequest(f"there is no action {name!r}; the nearest known one is {near!r}", path="$.action", token=name)


_PLAIN: dict[str, Draw | Take | Pass] = {"draw": Draw(), "take": Take(), "pass": Pass()}


def action_fields(action: Action) -> dict[str, Any]:
    """An action as JSON has it: its name and, where it has them, its table and its discard.

    >>> action_fields(Lay("r1r2r3"))
    {'action': 'lay', 'table': ('r1r2r3',)}
    """
    said: dict[str, Any] = {"action": ACTION_NAMES[type(action)]}
    for name in ("table", "discard"):
        value = getattr(action, name, None)
        if value is not None:
            said[name] = value
    return said


Ending = Literal["out", "cut_40", "exhausted"]
"""How a round ends: a player has no tiles left, or nobody can go on.

``cut_40``: a player of the card game went out in the turn that opened, with new sets alone. ``exhausted``: the pool is
empty and every player has passed in a row, or the stock of the card game is empty and is not renewed.
"""


@dataclass(frozen=True, slots=True)
class TurnResult:
    """What came of one turn.

    ``player``: who made it, 0 the first seat. ``played``: the tiles laid. ``drawn``: the tiles drawn, the first one
    first; only the player may see them. ``problems``: every reason why the lay was illegal, in which case the table
    was restored. ``timed_out``: the time was over. ``ended``: how the turn ended the round, None where it goes on.
    ``scores``: those of the round by seat, where the turn ended it.
    """

    player: int
    played: tuple[str, ...] = ()
    drawn: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    timed_out: bool = False
    ended: Ending | None = None
    scores: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class CardTurnResult(TurnResult):
    """What came of one action of the card game, with the fields of TurnResult.

    ``taken``: the card taken from the discard pile. ``discarded``: the card that ended the turn; None where it goes on,
    and after an illegal turn or a time-out, which discard nothing. ``reshuffled``: the discard pile has become the
    stock. A turn is two actions, and its lay has neither drawn nor taken.
    """

    taken: str | None = None
    discarded: str | None = None
    reshuffled: bool = False
