from typing import NamedTuple, final

from .position import Position
from .sequence import LazySequence
from .stop import Stop

class Play(NamedTuple):
    """A part of the hand that can be laid: its tiles, their points, and how many arrangements lay it."""

    played: tuple[str, ...]
    points: int
    arrangements: int

@final
class Plays(LazySequence[Play]):
    def __init__(self, position: Position, stop: Stop | None = None) -> None: ...
    @property
    def position(self) -> Position: ...
