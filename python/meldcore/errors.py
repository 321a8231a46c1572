"""The errors of meldcore: what is wrong with an input, which part of it, and where that part stands."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .referee import Problem


class MeldcoreError(ValueError):
    """Base of every error that meldcore raises about its input.

    ``code`` is the stable name that the protocol sends, ``path`` says where in the input the fault stands
    (``$.table[0]``: the first set of the table), ``token`` is the faulty text itself; both are None where
    there is nothing to point at.
    """

    code = "internal"

    def __init__(self, message: str, *, path: str | None = None, token: str | None = None) -> None:
        super().__init__(message)
        self.path = path
        self.token = token


class BadTile(MeldcoreError):
    """A text that is no tile, or no tile of this edition."""

    code = "bad_tile"


class BadSet(MeldcoreError):
    """Tiles that form no valid set in the order given (RULES.md 1)."""

    code = "bad_set"


class BadPosition(MeldcoreError):
    """A table and hand that cannot be: more copies of a tile or more jokers than the edition has."""

    code = "bad_position"


class BadRules(MeldcoreError):
    """An unknown preset or field, a value out of range, or fields that contradict each other (RULES.md 5)."""

    code = "bad_rules"


class IllegalMove(MeldcoreError):
    """A move that is no legal turn of the position (RULES.md 2).

    ``problems`` holds every reason, as ``Position.check`` lists them; empty where the move belongs to another
    position.
    """

    code = "illegal_move"

    def __init__(
        self,
        message: str,
        *,
        path: str | None = None,
        token: str | None = None,
        problems: "tuple[Problem, ...]" = (),
    ) -> None:
        super().__init__(message, path=path, token=token)
        self.problems = problems


class TooLarge(MeldcoreError):
    """An answer that is larger than what can be held or sent."""

    code = "too_large"


class TimeLimit(MeldcoreError):
    """The time given ran out before the answer was complete."""

    code = "time_limit"


class Cancelled(MeldcoreError):
    """The search was cancelled."""

    code = "cancelled"


class BadRequest(MeldcoreError):
    """An argument of the wrong kind, or a wish that is not supported."""

    code = "bad_request"


def shown(value: object, form: Callable[[object], str] = repr) -> str:
    """A value as an error names it; one that is nested or long beyond all measure is named by its type."""
    try:
        return form(value)
    except (RecursionError, ValueError):  # ValueError: an integer of thousands of digits
        return f"a value of type {type(value).__name__}"


def nearest(word: str, known: Iterable[str]) -> str:
    """The name in ``known`` that looks most like ``word``: what an error about an unknown name suggests."""
    from difflib import get_close_matches  # not at import: only errors need it

    names = {name.lower(): name for name in known}
    return names[get_close_matches(word.lower(), list(names), n=1, cutoff=0.0)[0]]
