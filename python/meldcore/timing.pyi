from collections.abc import Mapping
from typing import Literal

from .position import Position

def best_seconds(
    position: Position,
    objective: Literal["tiles", "points"] | Mapping[str, Mapping[str, int]] = "tiles",
    repeats: int = 5,
) -> float: ...
def count_seconds(position: Position, repeats: int = 5) -> float: ...
def build_seconds(position: Position, repeats: int = 5) -> float: ...
