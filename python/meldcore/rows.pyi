import numpy
from numpy.typing import NDArray

from .objective import _Objective
from .position import Position
from .rules import Rules
from .stop import Stop

class Worker: ...

class Answers:
    def __init__(
        self,
        tiles: NDArray[numpy.int32],
        points: NDArray[numpy.int32],
        discards: NDArray[numpy.int32],
        played: NDArray[numpy.uint8],
        sets: NDArray[numpy.uint32],
    ) -> None: ...

class Rows:
    @property
    def colours(self) -> int: ...
    @property
    def numbers(self) -> int: ...
    def count(
        self, worker: Worker, start: int, end: int, out: NDArray[numpy.uint64], stop: Stop | None = None
    ) -> None: ...
    def best(
        self, worker: Worker, start: int, end: int, objective: _Objective, out: Answers, stop: Stop | None = None
    ) -> None: ...
    def playable(self, start: int, end: int, out: NDArray[numpy.uint8], stop: Stop | None = None) -> None: ...

class Boards(Rows):
    def __init__(self, rules: Rules, tables: NDArray[numpy.uint8], hands: NDArray[numpy.uint8]) -> None: ...

class PositionRows(Rows):
    def __init__(self, positions: list[Position], colours: int, numbers: int) -> None: ...
