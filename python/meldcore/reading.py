"""JSON objects with fixed fields, and what is wrong with them."""

from collections.abc import Mapping, Sequence
from typing import Any

from .errors import BadRequest, nearest, shown


def bad_field(error: Exception, inside: str = "") -> BadRequest:
    """What msgspec says about a value of the wrong type, which stands in the field ``inside``."""
    message, _, path = str(error).partition(" - at `")
    return BadRequest(message, path=(path.rstrip("`").replace("[...]", "", 1) or "$").replace("$", f"${inside}", 1))


def object_of(value: Any, names: Sequence[str], path: str, what: str) -> dict[str, Any]:
    """A JSON object that has the fields named, among others."""
    if not isinstance(value, Mapping):
        raise BadRequest(f"an object with the fields {', '.join(names)}, not {shown(value):.40}", path=path)
    for name in names:
        if name not in value:
            raise BadRequest(f"{what} needs the field {name!r}", path=f"{path}.{name}", token=name)
    return dict(value)


def fields_of(value: Any, names: Sequence[str], path: str, what: str) -> dict[str, Any]:
    """A JSON object that has exactly the fields named."""
    for name in value if isinstance(value, Mapping) else ():
        if name not in names:
            message = f"{what} has no field {name!r}; the nearest known one is {nearest(str(name), names)!r}"
            raise BadRequest(message, path=f"{path}.{name}", token=str(name))
    return object_of(value, names, path, what)


def check_whole(name: str, value: Any, low: int, high: int) -> None:
    """Nothing, or BadRequest for what is no whole number in this range."""
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise BadRequest(
            f"{name} goes from {low} to {high}, not {shown(value)}", path=f"$.{name}", token=shown(value, str)
        )
