"""Pictures: tables, hands, positions and moves as SVG, which browsers, notebooks and editors show.

A picture needs no font and no other file, and is the same text for the same input. A tile has its number and, beside
its hue, a shape: a square is black, a circle red, a triangle blue, a star yellow. A joker on the table shows what it
stands for. Cards have the French suits.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal, TypedDict, Unpack, get_args
from xml.sax.saxutils import escape, quoteattr

from .errors import BadRequest, nearest, shown
from .glyphs import FACE, HEIGHT, SHAPES, placed, width_of
from .position import Move, Position
from .reading import check_whole
from .rules import AnyRules, Rules
from .steps import tiles_in, untouched
from .turns import CardMove

Theme = Literal["auto", "light", "dark"]


class Look(TypedDict, total=False):
    """How a picture looks.

    ``theme``: its colours, "light", "dark", or "auto", the default: as the reader's system prefers. ``columns``: room
    for so many tiles in a row, 18 by default; a longer set has a row of its own. ``width``: of the picture in pixels,
    by default as it comes; its proportions stay. Another value of one of them raises BadRequest.
    """

    theme: Theme
    columns: int
    width: int | None


def table(sets: str | Iterable[str], rules: AnyRules = "rummi-q", **look: Unpack[Look]) -> str:
    """The picture of a table, its sets in canonical order. ``look``: see ``Look``."""
    lying = Position(sets, (), rules)
    return _picture([_table_panel(_sets(lying))], lying.rules, f"table {_named(lying.table)}", **look)


def hand(tiles: str | Iterable[str], rules: AnyRules = "rummi-q", **look: Unpack[Look]) -> str:
    """The picture of a hand, in canonical order. ``look``: see ``Look``."""
    held = Position((), tiles, rules)
    return _picture([_rack_panel(held.hand)], held.rules, f"hand {_named(held.hand)}", **look)


def position(position: Position, **look: Unpack[Look]) -> str:
    """The picture of a position: the table, and the hand below it. ``look``: see ``Look``.

    While the player has not opened, the hand shows what the initial meld has to be worth; a card just taken from the
    discard pile is framed.
    """
    asked = 0 if position.opened else position.rules.initial_meld
    panels = [_table_panel(_sets(position)), _rack_panel(position.hand, position.taken, "moved", asked)]
    title = f"table {_named(position.table)}, hand {_named(position.hand)}"
    return _picture(panels, position.rules, title + ", not opened yet" * (not position.opened), **look)


def move(position: Position, move: Move | CardMove, **look: Unpack[Look]) -> str:
    """The picture of a move of ``position``: the table and the hand after it. ``look``: see ``Look``.

    Tiles laid have a plus, tiles moved on the table an arrow, and the card discarded a cross, each with a frame. Raises
    IllegalMove, with every reason, for what is no legal turn of the position.
    """
    after = position.play(move)
    held = after.hand
    discard = move.discard if isinstance(move, CardMove) else None
    title = f"lay {_named(move.played)}, table {_named(move.table)}"
    if discard is not None:
        held = Position((), (*held, discard), position.rules).hand
        title += f", discard {discard}"
    panels = [_table_panel(_marked_sets(position, move, after)), _rack_panel(held, discard, "out")]
    return _picture(panels, position.rules, title, **look)


def png(picture: str, width: int | None = None) -> bytes:
    """A picture as PNG, drawn by resvg (the extra ``pictures``). Its colours are light unless its theme is dark.

    picture: what one of the functions above has given. width: in pixels, by default that of the picture. Raises
    BadRequest for more than 64 million pixels, for what is no such picture, and where resvg-py is not installed.
    """
    _check_width(width)
    size = _SIZE.match(picture)
    if size is None:
        raise BadRequest(f"{picture[:40]!r} is no picture of this library", path="$.picture", token=picture[:40])
    wide = width or int(size[3])
    high = wide * int(size[2]) // int(size[1])
    if wide * high > _MOST_IN_PNG:
        # resvg would end the whole process where memory does not suffice
        message = f"a PNG of {wide} x {high} pixels is too large: it has at most {_MOST_IN_PNG // 10**6} million"
        raise BadRequest(message, path="$.width", token=str(wide))
    try:
        from resvg_py import svg_to_bytes
    except ImportError:
        raise BadRequest("a PNG is drawn by resvg-py: pip install 'meldcore[pictures]'") from None
    return bytes(svg_to_bytes(svg_string=picture, width=width, skip_system_fonts=True))


_SIZE = re.compile(r'<svg xmlns="[^"]*" viewBox="0 0 ([0-9]+) ([0-9]+)" width="([0-9]+)"')
_MOST_IN_PNG = 64 * 10**6


def _named(texts: Sequence[str]) -> str:
    return " ".join(texts) or "empty"


# ---- what is to be seen

_Mark = Literal["laid", "moved", "out"]


@dataclass(frozen=True, slots=True)
class _Cell:
    """A tile in a picture, the tiles that it stands for if it is a joker of the table, and what happens to it."""

    tile: str
    stands_for: tuple[str, ...] = ()
    mark: _Mark | None = None


@dataclass(frozen=True, slots=True)
class _Block:
    """Tiles that stay together in a row: a set with its text, or the tiles of one colour in a hand."""

    cells: tuple[_Cell, ...]
    text: str = ""


@dataclass(frozen=True, slots=True)
class _Panel:
    """Blocks on a ground of their own. ``gap``: between two in a row. ``asked``: points of the initial meld, or 0."""

    kind: Literal["table", "rack"]
    gap: int
    blocks: Sequence[_Block]
    asked: int = 0

    @property
    def note(self) -> str:
        return f"≥{self.asked}" if self.asked else ""

    @property
    def notes_width(self) -> int:
        return width_of(self.note) + _PADDING if self.asked else 0


def _table_panel(sets: Iterable[_Block]) -> _Panel:
    return _Panel("table", 20, list(sets))


def _rack_panel(hand: Sequence[str], marked: str | None = None, mark: _Mark | None = None, asked: int = 0) -> _Panel:
    """The panel of a hand; the first tile ``marked`` has the mark."""
    cells = [_Cell(tile) for tile in hand]
    if marked is not None:
        place = hand.index(marked)
        cells[place] = replace(cells[place], mark=mark)
    return _Panel("rack", 10, [_Block(tuple(same)) for _, same in groupby(cells, lambda cell: _hue(cell.tile))], asked)


def _sets(position: Position) -> Iterator[_Block]:
    """The sets of a table, their jokers with what they stand for."""
    roles = {
        text: [tuple(role.stands_for.split()) for role in same]
        for text, same in groupby(position.jokers(), lambda role: role.set)
    }
    for text in position.table:
        jokers = iter(roles.get(text, ()))
        yield _Block(tuple(_Cell(tile, next(jokers) if tile == "*" else ()) for tile in tiles_in(text)), text)


def _marked_sets(before: Position, move: Move | CardMove, after: Position) -> Iterator[_Block]:
    """The table after a move. Copies of a tile are alike: those that come first count as laid."""
    laid = list(move.played)
    for block, resting in zip(_sets(after), untouched(before.table, after.table, before.rules), strict=True):
        cells = []
        for cell, rests in zip(block.cells, resting, strict=True):
            if not rests:
                mark: _Mark = "laid" if cell.tile in laid else "moved"
                if mark == "laid":
                    laid.remove(cell.tile)
                cell = replace(cell, mark=mark)
            cells.append(cell)
        yield replace(block, cells=tuple(cells))


def _hue(tile: str) -> str:
    """The colour of a tile, the suit of a card, or "*"."""
    return tile[0] if tile[0] in "krby*" else tile[-1]


# ---- where it is seen; all lengths are in units of the picture, pixels where no width is asked for

_COLUMNS = 18
_MOST_COLUMNS, _MOST_PIXELS = 1000, 20_000

_WIDTH, _HEIGHT = 40, 56
_BESIDE = 2
_PITCH = _WIDTH + _BESIDE
_ROW = _HEIGHT + 18
_NARROWEST = 5 * _PITCH
_PADDING = 18
_BETWEEN_PANELS = 10


def _rows(panel: _Panel, columns: int, width: int) -> list[list[_Block]]:
    """The blocks in rows, as few as can be and as even as they then can be. One too long for a row has it alone."""
    blocks = panel.blocks
    if panel.kind == "rack":
        blocks = [
            _Block(block.cells[at : at + columns]) for block in blocks for at in range(0, len(block.cells), columns)
        ]
    rows = _filled(blocks, width, panel.gap)
    while len(rows) > 1:
        narrower = _width(rows, panel.gap) - 1
        closer = _filled(blocks, narrower, panel.gap)
        if len(closer) > len(rows) or _width(closer, panel.gap) > narrower:
            break
        rows = closer
    return rows


def _room(panel: _Panel, columns: int) -> int:
    """The width of so many tiles in sets of three."""
    return columns * _PITCH + (columns // 3 - 1) * panel.gap


def _filled(blocks: Sequence[_Block], width: int, gap: int) -> list[list[_Block]]:
    rows: list[list[_Block]] = [[]]
    for block in blocks:
        if rows[-1] and _width([[*rows[-1], block]], gap) > width:
            rows.append([])
        rows[-1].append(block)
    return rows


def _width(rows: Iterable[Sequence[_Block]], gap: int) -> int:
    """Of the widest row; one without blocks is as wide as a tile."""
    return max(
        sum(len(block.cells) * _PITCH - _BESIDE for block in row) + (len(row) - 1) * gap if row else _WIDTH
        for row in rows
    )


def _picture(
    panels: Sequence[_Panel],
    rules: Rules,
    title: str,
    theme: Theme = "auto",
    columns: int = _COLUMNS,
    width: int | None = None,
) -> str:
    if theme not in get_args(Theme):
        near = nearest(shown(theme, str), get_args(Theme))
        message = f"there is no theme {shown(theme)}; the nearest known one is {near!r}"
        raise BadRequest(message, path="$.theme", token=shown(theme, str))
    check_whole("columns", columns, 1, _MOST_COLUMNS)
    _check_width(width)
    inner = max(
        _NARROWEST,
        *(_width(_rows(panel, columns, _room(panel, columns)), panel.gap) + panel.notes_width for panel in panels),
    )
    sheet = _Sheet("card" if rules.cards else "tile")
    top = 0
    for panel in panels:
        rows = _rows(panel, columns, inner - panel.notes_width)  # fewer, where another panel is wider
        height = len(rows) * _ROW - (_ROW - _HEIGHT) + 2 * _PADDING
        sheet.panel(panel, rows, top, inner + 2 * _PADDING, height)
        top += height + _BETWEEN_PANELS
    return sheet.svg(inner + 2 * _PADDING, top - _BETWEEN_PANELS, title, theme, width)


def _check_width(width: int | None) -> None:
    if width is not None:
        check_whole("width", width, 1, _MOST_PIXELS)


# ---- what it is drawn with

_PALETTES: dict[str, dict[str, str]] = {
    "light": {
        "table": "fill:#dbe7df",
        "rack": "fill:#d8bd94",
        "tile": "fill:#fffaf0;stroke:#b5a98f",
        "card": "fill:#fff;stroke:#a9a9a9",
        "k": "color:#1a1a1a",
        "r": "color:#b8122b",
        "b": "color:#0b55b5",
        "y": "color:#c07a00",
        "joker": "color:#7a2080",
        "laid": "color:#00795c",
        "moved": "color:#5b4bb7",
        "out": "color:#9c1c1c",
        "on": "color:#fff",
        "slot": "color:#333",
        "asked": "color:#3c2c14",
    },
    "dark": {
        "table": "fill:#1d2b26",
        "rack": "fill:#46372a",
        "tile": "fill:#efe7d6;stroke:#0c120f",
        "card": "fill:#f2f2f2;stroke:#0c120f",
        "k": "color:#141414",
        "r": "color:#b01028",
        "b": "color:#0a4ea8",
        "y": "color:#b06e00",
        "joker": "color:#6f1a75",
        "laid": "color:#2fd1a5",
        "moved": "color:#a99bff",
        "out": "color:#ff8f8f",
        "on": "color:#111",
        "slot": "color:#ddd",
        "asked": "color:#f0dfc4",
    },
}
"""What every class of a picture looks like."""

_CLASSES = dict(zip("krbySHCD*", ("k", "r", "b", "y", "k", "r", "k", "r", "joker"), strict=True))
"""The class by colour or suit."""

_SIGNS: dict[_Mark, str] = {
    "laid": "M-4 0H4M0-4V4",
    "moved": "M-4.5 0H4M.5-3.5 4 0 .5 3.5",
    "out": "M-3.5-3.5 3.5 3.5M3.5-3.5-3.5 3.5",
}
_DASHES: dict[_Mark, str] = {"laid": "", "moved": ' stroke-dasharray="7 4"', "out": ' stroke-dasharray="2 5"'}

_PEN = 'fill="none" stroke="currentColor"'

_PAPER = f'<rect x=".5" y=".5" width="{_WIDTH - 1}" height="{_HEIGHT - 1}" rx="6"/>'
_SLOT = (
    f'<rect x="1" y="1" width="{_WIDTH - 2}" height="{_HEIGHT - 2}" rx="6" {_PEN} stroke-width="2" '
    'stroke-dasharray="6 7" stroke-opacity=".4"/>'
)
_FRAME = (
    f'<rect x="1" y="1" width="{_WIDTH - 2}" height="{_HEIGHT - 2}" rx="6" {_PEN} stroke-width="3"/>'
    f'<circle cx="{_WIDTH // 2}" cy="-3" r="8" fill="currentColor"/>'
)

_SMALL = 0.6
_SMALL_SHAPE = 9
_SMALL_PITCH = 12
"""Of what a joker stands for: the scale of its number, the size of its shapes, and a shape with the space beside it."""


class _Sheet:
    """The elements of a picture, and those that they use again and again.

    What is used has no class of its own, since browsers do not agree on whether rules reach into it: its ink has the
    colour of its use, its paper the fill and stroke of the group around that.
    """

    def __init__(self, paper: Literal["tile", "card"]) -> None:
        self.paper = paper
        self.shared: dict[str, str] = {}
        self.classes: set[str] = set()
        self.lines: list[str] = []

    def svg(self, width: int, height: int, title: str, theme: Theme, pixels: int | None) -> str:
        size = f'width="{width}" height="{height}"'
        if pixels is not None:
            size = f'width="{pixels}" height="{max(1, round(pixels * height / width))}"'
        styles = [self._style(theme, "light" if theme == "auto" else theme)]
        if theme == "auto":
            styles.append(f"@media (prefers-color-scheme:dark){{{self._style(theme, 'dark')}}}")
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" {size} '
                f'class="meldcore-{theme}" stroke-linecap="round" stroke-linejoin="round" role="img" '
                f"aria-label={quoteattr(title)}>",
                f"<title>{escape(title)}</title>",
                f"<style>{''.join(styles)}</style>",
                "<defs>",
                *(f'<g id="mc-{name}">{content}</g>' for name, content in self.shared.items()),
                "</defs>",
                *self.lines,
                "</svg>\n",
            ]
        )

    def _style(self, theme: Theme, palette: str) -> str:
        return "".join(
            f".meldcore-{theme} .{name}{{{style}}}"
            for name, style in _PALETTES[palette].items()
            if name in self.classes
        )

    def panel(self, panel: _Panel, rows: Sequence[Sequence[_Block]], top: int, width: int, height: int) -> None:
        self.classes.add(panel.kind)
        self.lines.append(f'<rect class="{panel.kind}" y="{top}" width="{width}" height="{height}" rx="14"/>')
        x, y = _PADDING, top + _PADDING
        if panel.asked:
            note = _strokes(panel.note, 0, 0, 1, 2.2)
            right, middle = width - x - width_of(panel.note), y + (_HEIGHT - HEIGHT) // 2
            self.use(f"asked-{panel.asked}", note, "asked", right, middle)
        if not panel.blocks:
            self.use("slot", _SLOT, "slot", x, y)
        self.classes.add(self.paper)
        marks: list[tuple[_Mark, int, int]] = []  # they lie over the neighbours
        for row in rows:
            for block in row:
                of_set = f" data-set={quoteattr(block.text)}" if block.text else ""
                self.lines.append(f'<g class="{self.paper}"{of_set}>')
                for cell in block.cells:
                    self.cell(cell, x, y)
                    if cell.mark:
                        marks.append((cell.mark, x, y))
                    x += _PITCH
                self.lines.append("</g>")
                x += panel.gap - _BESIDE
            x, y = _PADDING, y + _ROW
        for mark, x, y in marks:
            self.mark(mark, x, y)

    def cell(self, cell: _Cell, x: int, y: int) -> None:
        if cell.tile == "*":
            self.joker(cell.stands_for, x, y)
        else:
            self.use(cell.tile, _PAPER + _face(cell.tile), _CLASSES[_hue(cell.tile)], x, y)

    def joker(self, stands_for: Sequence[str], x: int, y: int) -> None:
        """The joker's face, below it what it stands for: a number and its colour, in a group the missing colours."""
        if not stands_for:
            self.use("joker", _PAPER + _joker(10, 18, 1.25), "joker", x, y)
            return
        self.use("joker-of", _PAPER + _joker(11, 7, 1.125), "joker", x, y)
        hues = [_hue(tile) for tile in stands_for]
        text = _number(stands_for[0]) if len(hues) == 1 else ""
        beside = _SMALL_PITCH - _SMALL_SHAPE
        before = round(width_of(text) * _SMALL) + beside if text else 0
        x += (_WIDTH - before - len(hues) * _SMALL_PITCH + beside) // 2
        if text:
            self.use(f"small-{text}", _strokes(text, 0, 0, _SMALL, 3), _CLASSES[hues[0]], x, y + 38)
        x += before
        for hue in hues:
            self.use(f"small-{hue}", _shape(hue, 0, 0, _SMALL_SHAPE), _CLASSES[hue], x, y + 38)
            x += _SMALL_PITCH

    def mark(self, mark: _Mark, x: int, y: int) -> None:
        self.use(mark, _FRAME.replace("/>", f"{_DASHES[mark]}/>", 1), mark, x, y)
        sign = f'<path d="{_SIGNS[mark]}" {_PEN} stroke-width="2.2"/>'
        self.use(f"{mark}-sign", sign, "on", x + _WIDTH // 2, y - 3)

    def use(self, name: str, content: str, of_class: str, x: int, y: int) -> None:
        self.shared[name] = content
        self.classes.add(of_class)
        self.lines.append(f'<use href="#mc-{name}" class="{of_class}" x="{x}" y="{y}"/>')


def _number(tile: str) -> str:
    """The number of a tile, the rank of a card."""
    return tile[1:] if tile[0] in "krby" else tile[:-1]


def _face(tile: str) -> str:
    """What is on a tile or a card."""
    text, hue = _number(tile), _hue(tile)
    if hue in "SHCD":
        return _strokes(text, 6, 7, 0.95, 2.4) + _shape(hue, 15, 29, 20)
    return _strokes(text, (_WIDTH - width_of(text) * 1.3) / 2, 9, 1.3, 2.6) + _shape(hue, _WIDTH / 2 - 6, 38, 12)


def _joker(x: float, y: float, scale: float) -> str:
    return f'<path d="{FACE}" transform="translate({x:g} {y:g}) scale({scale:g})" {_PEN} stroke-width="1.8"/>'


def _strokes(text: str, x: float, y: float, scale: float, pen: float) -> str:
    paths = "".join(
        f'<path d="{path}"/>' if not at else f'<path d="{path}" transform="translate({at})"/>'
        for at, path in placed(text)
    )
    return f'<g transform="translate({x:g} {y:g}) scale({scale:g})" {_PEN} stroke-width="{pen:g}">{paths}</g>'


def _shape(hue: str, x: float, y: float, size: float) -> str:
    scale = round(size / HEIGHT, 3)
    place = f"translate({x:g} {y:g}) scale({scale:g})"
    return f'<path d="{SHAPES[hue]}" transform="{place}" fill="currentColor" stroke="none"/>'
