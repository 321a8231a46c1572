from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from .rules import Rules

class SetInfo(NamedTuple):
    """What one text is as a set: see ``read_set``."""

    valid: bool
    kind: Literal["run", "group"] | None
    value: int | None
    readings: tuple[str, ...]
    problem: str | None

def read_set(text: str, rules: Rules | str | Mapping[str, Any] = "rummi-q") -> SetInfo: ...
def set_text(code: int, numbers: int = 13, cards: bool = False) -> str: ...
def tile_text(tile: int, cards: bool = False) -> str: ...
