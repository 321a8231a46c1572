from collections.abc import Iterable
from typing import Literal, NamedTuple, final

from .objective import _Objective
from .position import Position
from .sequence import LazySequence
from .stop import Stop

class CardMove(NamedTuple):
    played: tuple[str, ...]
    table: tuple[str, ...]
    points: int
    unchanged: int
    discard: str
    net: int
    def goes_out(self, position: Position) -> bool: ...
    def cuts(self, position: Position) -> bool: ...
    def rescued(self, position: Position) -> int: ...

def count_turns(position: Position, stop: Stop | None = None) -> int: ...
def turn_to(position: Position, after: str | Iterable[str], discard: str | None) -> CardMove: ...
def play_turn(position: Position, move: CardMove) -> Position: ...

@final
class CardMoves(LazySequence[CardMove]):
    def __init__(
        self,
        position: Position,
        objective: _Objective | None = None,
        stop: Stop | None = None,
    ) -> None: ...
    @property
    def position(self) -> Position: ...
    @property
    def objective(self) -> str | dict[str, dict[str, int]] | None: ...
    def best(
        self,
        objective: _Objective = "tiles",
        prefer: Literal["fewest_changes"] | None = None,
        stop: Stop | None = None,
    ) -> CardMove | None: ...
