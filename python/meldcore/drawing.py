"""Panels of tiles as SVG: their rows, and what tiles, cards and marks look like."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypedDict, get_args
from xml.sax.saxutils import escape, quoteattr

from .errors import BadRequest, nearest, shown
from .glyphs import FACE, HEIGHT, SHAPES, placed, width_of
from .reading import check_whole
from .rules import Rules
from .steps import tiles_in

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


Mark = Literal["laid", "moved", "out"]


@dataclass(frozen=True, slots=True)
class Cell:
    """A tile in a picture, the tiles that it stands for if it is a joker of the table, and what happens to it."""

    tile: str
    stands_for: tuple[str, ...] = ()
    mark: Mark | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """Tiles that stay together in a row: a set with its text, or the tiles of one colour in a hand."""

    cells: tuple[Cell, ...]
    text: str = ""


@dataclass(frozen=True, slots=True)
class Panel:
    """Blocks on a ground of their own. ``gap``: between two in a row. ``asked``: points of the initial meld, or 0."""

    kind: Literal["table", "rack"]
    gap: int
    blocks: Sequence[Block]
    asked: int = 0

    @property
    def note(self) -> str:
        return f"≥{self.asked}" if self.asked else ""

    @property
    def notes_width(self) -> int:
        return width_of(self.note) + _PADDING if self.asked else 0


def hue_of(tile: str) -> str:
    """The colour of a tile, the suit of a card, or "*"."""
    return tile[0] if tile[0] in "krby*" else tile[-1]


def number_of(tile: str) -> str:
    """The number of a tile, the rank of a card."""
    return tile[1:] if tile[0] in "krby" else tile[:-1]


_NAMES = {
    "k": "black",
    "r": "red",
    "b": "blue",
    "y": "yellow",
    "S": "spades",
    "H": "hearts",
    "C": "clubs",
    "D": "diamonds",
}
"""What a colour or a suit is called."""


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


def _rows(panel: Panel, columns: int, width: int) -> list[list[Block]]:
    """The blocks in rows, as few as can be and as even as they then can be. One too long for a row has it alone."""
    blocks = panel.blocks
    if panel.kind == "rack":
        blocks = [
            Block(block.cells[at : at + columns]) for block in blocks for at in range(0, len(block.cells), columns)
        ]
    rows = _filled(blocks, width, panel.gap)
    while len(rows) > 1:
        narrower = _width(rows, panel.gap) - 1
        closer = _filled(blocks, narrower, panel.gap)
        if len(closer) > len(rows) or _width(closer, panel.gap) > narrower:
            break
        rows = closer
    return rows


def _room(panel: Panel, columns: int) -> int:
    """The width of so many tiles in sets of three."""
    return columns * _PITCH + (columns // 3 - 1) * panel.gap


def _filled(blocks: Sequence[Block], width: int, gap: int) -> list[list[Block]]:
    rows: list[list[Block]] = [[]]
    for block in blocks:
        if rows[-1] and _width([[*rows[-1], block]], gap) > width:
            rows.append([])
        rows[-1].append(block)
    return rows


def _width(rows: Iterable[Sequence[Block]], gap: int) -> int:
    """Of the widest row; one without blocks is as wide as a tile."""
    return max(
        sum(len(block.cells) * _PITCH - _BESIDE for block in row) + (len(row) - 1) * gap if row else _WIDTH
        for row in rows
    )


def draw(
    panels: Sequence[Panel],
    rules: Rules,
    seen: Sequence[tuple[str, Sequence[str]]],
    theme: Theme = "auto",
    columns: int = _COLUMNS,
    width: int | None = None,
) -> str:
    """The panels one below the other, all as wide as the widest.

    ``seen``: what there is to be seen, sets or tiles by what they are; it is said in the notation and in words.
    """
    if theme not in get_args(Theme):
        near = nearest(shown(theme, str), get_args(Theme))
        message = f"there is no theme {shown(theme)}; the nearest known one is {near!r}"
        raise BadRequest(message, path="$.theme", token=shown(theme, str))
    check_whole("columns", columns, 1, _MOST_COLUMNS)
    check_width(width)
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
    title = ", ".join(f"{what} {' '.join(texts) or 'empty'}" for what, texts in seen)
    words = ". ".join(f"{what}: {'; '.join(map(_spoken, texts)) or 'empty'}" for what, texts in seen)
    return sheet.svg(inner + 2 * _PADDING, top - _BETWEEN_PANELS, title, words, theme, width)


def _spoken(text: str) -> str:
    """A set or a tile in words, a colour only where it is another than before."""
    words, before = [], ""
    for tile in tiles_in(text):
        if tile == "*":
            words.append("joker")
            continue
        hue = hue_of(tile)
        words.append(number_of(tile) if hue == before else f"{_NAMES[hue]} {number_of(tile)}")
        before = hue
    return " ".join(words)


def check_width(width: int | None) -> None:
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

_SIGNS: dict[Mark, str] = {
    "laid": "M-4 0H4M0-4V4",
    "moved": "M-4.5 0H4M.5-3.5 4 0 .5 3.5",
    "out": "M-3.5-3.5 3.5 3.5M3.5-3.5-3.5 3.5",
}
_DASHES: dict[Mark, str] = {"laid": "", "moved": ' stroke-dasharray="7 4"', "out": ' stroke-dasharray="2 5"'}

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

    def svg(self, width: int, height: int, title: str, words: str, theme: Theme, pixels: int | None) -> str:
        size = f'width="{width}" height="{height}"'
        if pixels is not None:
            size = f'width="{pixels}" height="{max(1, round(pixels * height / width))}"'
        styles = [self._style(theme, "light" if theme == "auto" else theme)]
        if theme == "auto":
            styles.append(f"@media (prefers-color-scheme:dark){{{self._style(theme, 'dark')}}}")
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" {size} '
                f'class="meldcore-{theme}" style="max-width:100%;height:auto" stroke-linecap="round" '
                'stroke-linejoin="round" role="img" '
                f"aria-label={quoteattr(words)}>",
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
            f".meldcore-{theme} .mc-{name}{{{style}}}"
            for name, style in _PALETTES[palette].items()
            if name in self.classes
        )

    def panel(self, panel: Panel, rows: Sequence[Sequence[Block]], top: int, width: int, height: int) -> None:
        self.classes.add(panel.kind)
        self.lines.append(f'<rect class="mc-{panel.kind}" y="{top}" width="{width}" height="{height}" rx="14"/>')
        x, y = _PADDING, top + _PADDING
        if panel.asked:
            note = _strokes(panel.note, 0, 0, 1, 2.2)
            right, middle = width - x - width_of(panel.note), y + (_HEIGHT - HEIGHT) // 2
            self.use(f"asked-{panel.asked}", note, "asked", right, middle)
        if not panel.blocks:
            self.use("slot", _SLOT, "slot", x, y)
        self.classes.add(self.paper)
        marks: list[tuple[Mark, int, int]] = []  # they lie over the neighbours
        for row in rows:
            for block in row:
                of_set = f" data-set={quoteattr(block.text)}" if block.text else ""
                self.lines.append(f'<g class="mc-{self.paper}"{of_set}>')
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

    def cell(self, cell: Cell, x: int, y: int) -> None:
        if cell.tile == "*":
            self.joker(cell.stands_for, x, y)
        else:
            self.use(cell.tile, _PAPER + _face(cell.tile), _CLASSES[hue_of(cell.tile)], x, y)

    def joker(self, stands_for: Sequence[str], x: int, y: int) -> None:
        """The joker's face, below it what it stands for: a number and its colour, in a group the missing colours."""
        if not stands_for:
            self.use("joker", _PAPER + _joker(10, 18, 1.25), "joker", x, y)
            return
        self.use("joker-of", _PAPER + _joker(11, 7, 1.125), "joker", x, y)
        hues = [hue_of(tile) for tile in stands_for]
        text = number_of(stands_for[0]) if len(hues) == 1 else ""
        beside = _SMALL_PITCH - _SMALL_SHAPE
        before = round(width_of(text) * _SMALL) + beside if text else 0
        x += (_WIDTH - before - len(hues) * _SMALL_PITCH + beside) // 2
        if text:
            self.use(f"small-{text}", _strokes(text, 0, 0, _SMALL, 3), _CLASSES[hues[0]], x, y + 38)
        x += before
        for hue in hues:
            self.use(f"small-{hue}", _shape(hue, 0, 0, _SMALL_SHAPE), _CLASSES[hue], x, y + 38)
            x += _SMALL_PITCH

    def mark(self, mark: Mark, x: int, y: int) -> None:
        self.use(mark, _FRAME.replace("/>", f"{_DASHES[mark]}/>", 1), mark, x, y)
        sign = f'<path d="{_SIGNS[mark]}" {_PEN} stroke-width="2.2"/>'
        self.use(f"{mark}-sign", sign, "on", x + _WIDTH // 2, y - 3)

    def use(self, name: str, content: str, of_class: str, x: int, y: int) -> None:
        self.shared[name] = content
        self.classes.add(of_class)
        self.lines.append(f'<use href="#mc-{name}" class="mc-{of_class}" x="{x}" y="{y}"/>')


def _face(tile: str) -> str:
    """What is on a tile or a card."""
    text, hue = number_of(tile), hue_of(tile)
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
