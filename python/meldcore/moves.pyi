from collections.abc import Iterable, Mapping
from typing import Any, TypeVar, final

import numpy
from numpy.typing import NDArray

from .objective import _Objective
from .position import Move, Position
from .rules import Rules
from .sequence import LazySequence
from .stop import Stop

_Item = TypeVar("_Item", covariant=True)

class Arrangements(LazySequence[_Item]):
    @property
    def position(self) -> Position: ...
    @property
    def width(self) -> int: ...
    @property
    def nodes(self) -> int: ...
    def codes(self, out: NDArray[numpy.uint32] | None = None) -> NDArray[numpy.uint32]: ...

@final
class Moves(Arrangements[Move]):
    def __init__(
        self,
        position: Position,
        objective: _Objective | None = None,
        stop: Stop | None = None,
    ) -> None: ...
    @property
    def objective(self) -> str | dict[str, dict[str, int]] | None: ...
    def best(self, objective: _Objective = "tiles") -> Move | None: ...
    def count_best(self, objective: _Objective = "tiles") -> int: ...

@final
class Partitions(Arrangements[tuple[str, ...]]):
    def __init__(
        self,
        tiles: str | Iterable[str],
        rules: Rules | str | Mapping[str, Any] = "rummi-q",
        stop: Stop | None = None,
    ) -> None: ...
    @property
    def tiles(self) -> tuple[str, ...]: ...

def partitions(
    tiles: str | Iterable[str],
    rules: Rules | str | Mapping[str, Any] = "rummi-q",
    stop: Stop | None = None,
) -> Partitions: ...
def normalise(
    tiles: str | Iterable[str],
    rules: Rules | str | Mapping[str, Any] = "rummi-q",
    stop: Stop | None = None,
) -> tuple[str, ...] | None: ...
