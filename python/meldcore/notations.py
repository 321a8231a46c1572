"""Positions in the notations of other programs: what their lists of tiles look like, read and written.

A notation is named by what it looks like: the letters of black, red, blue and yellow (or orange), in this order, and a
1 where the number stands. ``krbo1`` has tiles like k7 and o13, ``1bruo`` has 7b and 13o, ``KRBY1`` is written with
capital letters. So a name says whether b is black or blue, and nothing is guessed. ``meldcore`` is the notation of this
library.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from msgspec import Struct, ValidationError, convert

from .errors import BadPosition, BadRequest, BadRules, BadSet, BadTile, MeldcoreError, shown
from .moves import normalise
from .position import Position
from .reading import bad_field
from .rules import AnyRules, Rules
from .steps import tiles_in

OWN = "meldcore"
"""The name of the notation of this library."""

_OWN_TILES = "krby1"

_HIGHEST = 15
"""The highest number of any edition."""

_NAME = re.compile(r"(1?)([A-Za-z]{4})(1?)")
_OWN_TILE = re.compile(r"\b[krby][0-9]+\b")
_PLACE = re.compile(r"\$\.(table|hand|tiles)\[(\d+)\]")


def read(
    source: str | Mapping[str, Any], notation: str, rules: AnyRules = "rummi-q", *, loose: bool = False
) -> Position:
    """The position that ``source`` says in the notation of this name.

    source: a text ``table | hand``, or ``table | hand | opening``: sets are parted by semicolons, tiles by blanks or
    commas or not at all, a joker is J, j or ``*``. Or an object with ``table``, a list of lists of tiles, ``hand``, a
    list of tiles, and ``opened``, true where it is left out. "=" before a set says group, as in the notation of this
    library. Where the number stands last, r5-8 is short for four tiles, and rb7 for two. Letters are read in either
    case, unless the name has both.

    loose: the sets of the table are not known; its tiles are arranged as in their first partition.

    Raises BadRequest for a name of no notation, BadTile, BadSet, BadPosition or BadRules, each with the token and the
    place at fault, as the source has them.

    >>> read("K7 O7 R7; r4 J r6 | B8 j", "krbo1")
    Position.parse('r4*r6 k7r7y7 | b8 *', rules='rummi-q')
    >>> read({"table": [], "hand": ["7b", "8U", "J"]}, "1bruo")
    Position.parse('| k7 b8 *', rules='rummi-q')
    """
    rules = Rules.from_json(rules)
    if notation == OWN and isinstance(source, str) and not loose:
        return Position.parse(source, rules)
    parser = _Parser.named(notation, rules)
    if isinstance(source, str):
        given = parser.from_text(source.replace("=", " ") if loose else source)
    elif isinstance(source, Mapping):
        given = parser.from_lists(source)
    else:
        message = f"a position is a text or an object with a table and a hand, not {shown(source)}"
        raise BadRequest(message, path="$", token=shown(source, str))
    return given.position(rules, loose)


def read_tiles(source: str | Sequence[str], notation: str, rules: AnyRules = "rummi-q") -> tuple[str, ...]:
    """Tiles in the notation of this name, a text or a list, in the order given. Shorthands and errors as in ``read``.

    >>> read_tiles("r5-7, kb1 J", "krbo1")
    ('r5', 'r6', 'r7', 'k1', 'b1', '*')
    >>> read_tiles(["12r", "1b"], "1kruy")
    Traceback (most recent call last):
        ...
    meldcore.errors.BadTile: tile '1b' (tiles[1]): a tile is a number and one of k, r, u, y, like 7k, or a joker, J
    """
    rules = Rules.from_json(rules)
    parser = _Parser.named(notation, rules)
    words = parser.words(source, "tiles", 0) if isinstance(source, str) else parser.listed(source, "tiles")
    given = _Given(parser, [], list(words), True)
    given.position(rules, False)
    return tuple(word.tile for word in given.hand)


def write(position: Position, notation: str) -> str:
    """A position as text in the notation of this name, which ``read`` reads back.

    >>> write(Position.parse("r4*r6 k7r7y7 | b8 * | opening"), "1BRUO")
    '4R J 6R; 7B 7R 7O | 8U J | opening'
    """
    if notation == OWN:
        return str(position)
    lists = to_lists(position, notation)
    text = f"{'; '.join(map(' '.join, lists['table']))} | {' '.join(lists['hand'])}".strip()
    return text if position.opened else f"{text} | opening"


def write_tiles(tiles: Iterable[str], notation: str) -> list[str]:
    """Tiles of this library in the notation of this name, in the order given.

    >>> write_tiles(("r7", "*", "y12"), "krbo1")
    ['r7', 'j', 'o12']
    """
    return list(map(_writer(notation), tiles))


def to_lists(position: Position, notation: str) -> dict[str, Any]:
    """A position as lists of tiles in the notation of this name, as JSON values, which ``read`` reads back.

    >>> to_lists(Position.parse("r4*r6 | b8"), "krbo1")
    {'table': [['r4', 'j', 'r6']], 'hand': ['b8'], 'opened': True}
    """
    written = _writer(notation, position.rules)

    def of_set(text: str) -> list[str]:
        first, *others = map(written, tiles_in(text))
        return ["=" * text.startswith("=") + first, *others]

    return {
        "table": [of_set(text) for text in position.table],
        "hand": [written(tile) for tile in position.hand],
        "opened": position.opened,
    }


def _writer(notation: str, rules: Rules | None = None) -> Callable[[str], str]:
    return str if notation == OWN else _Parser.named(notation, rules).written


# ---- what was given, and where


class _Word(NamedTuple):
    """A tile: as this library writes it, as the source does, and where in the source it stands."""

    tile: str
    text: str
    place: str
    path: str


class _Set(NamedTuple):
    """A set: as the source has it, where, its tiles, and whether it is marked as a group."""

    text: str
    place: str
    words: list[_Word]
    marked: bool


@dataclass(frozen=True, slots=True)
class _Given:
    """A position as it was given, in the notation of ``parser``."""

    parser: "_Parser"
    table: list[_Set]
    hand: list[_Word]
    opened: bool

    def position(self, rules: Rules, loose: bool) -> Position:
        """Raises what is wrong in the words of the source."""
        hand = [word.tile for word in self.hand]
        try:
            if not loose:
                sets = ["=" * each.marked + "".join(word.tile for word in each.words) for each in self.table]
                return Position(sets, hand, rules, self.opened)
            found = normalise([word.tile for word in self._loose], rules)
            if found is None:
                raise BadPosition("the tiles of the table form no sets", path="$.table")
            return Position(found, hand, rules, self.opened)
        except MeldcoreError as error:
            raise self._in_its_words(error) from None

    @property
    def _loose(self) -> list[_Word]:
        return [word for each in self.table for word in each.words]

    def _in_its_words(self, error: MeldcoreError) -> MeldcoreError:
        """The error, with the tile or the set that it names as the source has it."""
        found = _PLACE.match(error.path or "")
        if found is None:
            return error
        reason = _OWN_TILE.sub(lambda tile: self.parser.written(tile[0]), str(error).partition("): ")[2])
        number = int(found[2])
        if found[1] == "table":
            whole = self.table[number]
            word = next((word for word in whole.words if word.tile == error.token), None)
            if word is None or isinstance(error, BadSet):
                message = f"set {whole.text!r} ({whole.place}): {reason}"
                return type(error)(message, path=f"$.table[{number}]", token=whole.text)
        else:
            word = (self.hand if found[1] == "hand" else self._loose)[number]
        return type(error)(f"tile {word.text!r} ({word.place}): {reason}", path=word.path, token=word.text)


class _Lists(Struct, forbid_unknown_fields=True):
    """A position as lists of tiles."""

    table: list[list[str]]
    hand: list[str]
    opened: bool = True


# ---- one notation


class _Parser:
    """The tiles of one notation."""

    def __init__(self, letters: str, number_first: bool) -> None:
        self.number_first = number_first
        self.letters = letters
        self.exact = not (letters.islower() or letters.isupper())
        self.ours = dict(zip(letters if self.exact else letters.lower(), "krby", strict=True))
        self.theirs = dict(zip("krby", letters, strict=True))
        either = letters if self.exact else letters.lower() + letters.upper()
        number = "[0-9]{1,3}"
        if number_first:
            shape = rf"(?P<low>{number})(?P<colours>[{either}])"
        else:
            shape = rf"(?P<colours>[{either}]+)(?P<low>{number})(?:-(?P<high>{number}))?"
        self.shape = re.compile(rf"(?P<joker>[jJ*])|{shape}")

    @staticmethod
    def named(name: str, rules: Rules | None = None) -> "_Parser":
        if rules is not None and rules.cards:
            raise BadRules("lists and other notations are of tiles, not of cards", path="$.rules.cards", token="cards")
        found = _NAME.fullmatch(_OWN_TILES if name == OWN else name) if isinstance(name, str) else None
        if found is None or bool(found[1]) == bool(found[3]):
            raise BadRequest(
                f"there is no notation {shown(name)}: it is {OWN!r}, or the letters of black, red, blue and yellow and "
                "a 1 before or behind them, where the number stands, like 'krbo1'",
                path="$.notation",
                token=shown(name, str),
            )
        letters = found[2]
        alike = letters.lower() if letters.islower() or letters.isupper() else letters
        if len(set(alike)) < 4 or "j" in letters.lower():
            message = f"notation {name!r}: four different letters say the colours, and j is the joker"
            raise BadRequest(message, path="$.notation", token=name)
        return _Parser(letters, bool(found[1]))

    # reading

    def from_text(self, text: str) -> _Given:
        table, *fields = text.split("|")
        if not fields or len(fields) > 2:
            raise BadPosition(
                f"position {text!r}: a bar parts the table from the hand, 'table | hand'", path="$.position", token=text
            )
        opening = fields[1].strip() if len(fields) == 2 else ""
        if len(fields) == 2 and opening.lower() != "opening":
            raise BadPosition(
                f"field {opening!r} of position {text!r}: the third field is 'opening' or absent",
                path="$.position",
                token=opening,
            )
        sets: list[_Set] = []
        at = 0
        for part in table.split(";"):
            if part.strip():
                sets.append(self._set(part, f"table[{len(sets)}]", at))
            at += len(part) + 1
        return _Given(self, sets, list(self.words(fields[0], "hand", len(table) + 1)), len(fields) == 1)

    def _set(self, part: str, name: str, at: int) -> _Set:
        """A set as text. ``at``: where it begins in the whole text."""
        marked = part.lstrip().startswith("=")
        words = list(self.words(part.replace("=", " ", 1) if marked else part, name, at, whole=True))
        first = at + len(part) - len(part.lstrip()) + 1
        return _Set(part.strip(), f"{name}, character {first}", words, marked)

    def words(self, text: str, name: str, at: int, whole: bool = False) -> Iterator[_Word]:
        """The tiles of a text that begins at ``at`` in the source. ``whole``: as a path they are their set."""
        number = 0
        for found in re.finditer(r"[^\s,]+", text):
            for tile in self._tiles(found[0], f"{name}, character {at + found.start() + 1}", f"$.{name}"):
                numbered = name if whole else f"{name}[{number}]"
                yield _Word(tile, found[0], f"{numbered}, character {at + found.start() + 1}", f"$.{numbered}")
                number += 1

    def from_lists(self, value: Mapping[str, Any]) -> _Given:
        try:
            lists = convert(value, _Lists)
        except ValidationError as error:
            raise bad_field(error) from None
        sets = []
        for number, tiles in enumerate(lists.table):
            name = f"table[{number}]"
            marked = bool(tiles) and tiles[0].startswith("=")
            words = list(self.listed([tiles[0][1:], *tiles[1:]] if marked else tiles, name))
            sets.append(_Set(" ".join(tiles), name, words, marked))
        return _Given(self, sets, list(self.listed(lists.hand, "hand")), lists.opened)

    def listed(self, texts: Sequence[str], name: str) -> Iterator[_Word]:
        """The tiles of a list."""
        for number, text in enumerate(texts):
            place = f"{name}[{number}]"
            for tile in self._tiles(text, place, f"$.{place}"):
                yield _Word(tile, text, place, f"$.{place}")

    def _tiles(self, text: str, place: str, path: str) -> Iterator[str]:
        """The tiles that one word says, as this library writes them."""
        if not isinstance(text, str) or not text:
            raise BadTile(f"a tile is a string, not {shown(text)} ({place})", path=path, token=shown(text, str))
        at = 0
        while at < len(text):
            found = self.shape.match(text, at)
            if found is None:
                raise BadTile(f"tile {text!r} ({place}): {self._looks}", path=path, token=text)
            at = found.end()
            if found["joker"]:
                yield "*"
                continue
            low = int(found["low"])
            high = int((None if self.number_first else found["high"]) or low)
            if not low <= high <= max(low, _HIGHEST):
                fault = f"{high} is lower than {low}" if high < low else f"no number is higher than {_HIGHEST}"
                raise BadTile(f"tiles {text!r} ({place}): {fault}", path=path, token=text)
            colours = found["colours"] if self.exact else found["colours"].lower()
            yield from (f"{self.ours[colour]}{number}" for colour in colours for number in range(low, high + 1))

    @property
    def _looks(self) -> str:
        parts = ["a number", f"one of {', '.join(self.letters)}"]
        example = self.written("k7")
        first, then = parts if self.number_first else reversed(parts)
        return f"a tile is {first} and {then}, like {example}, or a joker, J"

    # writing

    def written(self, tile: str) -> str:
        if tile == "*":
            return "j" if self.letters.islower() else "J"
        letter, number = self.theirs[tile[0]], tile[1:]
        return f"{number}{letter}" if self.number_first else f"{letter}{number}"
