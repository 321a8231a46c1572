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


@dataclass(frozen=True, slots=True, init=False)
class Lay:
    """Lay tiles. ``table``: the sets on the table after the turn, all of them, as they lie there.

    It is made from a sequence of set strings, one string, or a Move, which it keeps as ``move``: what a search of the
    position has found need not be judged again. Whether it is legal shows when it is acted.
    """

    table: tuple[str, ...]
    move: Move | None = field(compare=False, repr=False)

    def __init__(self, table: str | Iterable[str] | Move | CardMove) -> None:
        object.__setattr__(self, "table", _sets(table))
        object.__setattr__(self, "move", table if isinstance(table, Move) else None)


@dataclass(frozen=True, slots=True)
class Draw:
    """Lay nothing, and draw one tile."""


@dataclass(frozen=True, slots=True)
class Pass:
    """Lay nothing where the pool is empty."""


@dataclass(frozen=True, slots=True, init=False)
class TimeOut:
    """The timekeeper's word that the turn took too long. ``table``: as it lay then; None: nobody had touched it.

    ``Rules.timeout`` says what becomes of it. It may be said under rules without ``turn_seconds``, too.
    """

    table: tuple[str, ...] | None

    def __init__(self, table: str | Iterable[str] | Move | None = None) -> None:
        object.__setattr__(self, "table", None if table is None else _sets(table))


Action = Lay | Draw | Pass | TimeOut

ACTION_NAMES: dict[type[Action], str] = {Lay: "lay", Draw: "draw", Pass: "pass", TimeOut: "time_out"}
"""What an action is called in JSON, where its table stands beside the name."""


def action_of(name: str, table: str | Iterable[str] | None = None) -> Action:
    """The action that JSON calls so. Raises BadRequest for another name, a table too many or one missing.

    >>> action_of("lay", ["r1r2r3"])
    Lay(table=('r1r2r3',))
    """
    match name:
        case "lay" if table is not None:
            return Lay(table)
        case "lay":
            raise BadRequest("a lay needs a table", path="$.table")
        case "time_out":
            return TimeOut(table)
        case "draw" | "pass" if table is not None:
            raise BadRequest(f"a {name} has no table", path="$.table")
        case "draw":
            return Draw()
        case "pass":
            return Pass()
    near = nearest(name, ACTION_NAMES.values())
    raise BadRequest(f"there is no action {name!r}; the nearest known one is {near!r}", path="$.action", token=name)


def action_fields(action: Action) -> dict[str, Any]:
    """An action as JSON has it: its name and, where it has one, its table.

    >>> action_fields(Lay("r1r2r3"))
    {'action': 'lay', 'table': ('r1r2r3',)}
    """
    table = action.table if isinstance(action, (Lay, TimeOut)) else None
    return {"action": ACTION_NAMES[type(action)]} | ({} if table is None else {"table": table})


Ending = Literal["out", "exhausted"]
"""How a round ends: a player has no tiles left, or the pool is empty and every player has passed in a row."""


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
