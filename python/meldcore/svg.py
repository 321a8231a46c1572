"""Pictures: tables, hands, positions and moves as SVG, which browsers, notebooks and editors show.

A picture needs no font and no other file, and is the same text for the same input. A tile has its number and, beside
its hue, a shape: a square is black, a circle red, a triangle blue, a star yellow. A joker on the table shows what it
stands for. Cards have the French suits.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Unpack

from .drawing import Block, Cell, Look, Mark, Panel, check_width, draw, hue_of
from .errors import BadRequest
from .position import Move, Position
from .rules import AnyRules
from .steps import tiles_in, untouched
from .turns import CardMove


def table(sets: str | Iterable[str], rules: AnyRules = "rummi-q", **look: Unpack[Look]) -> str:
    """The picture of a table, its sets in canonical order. ``look``: see ``Look``."""
    lying = Position(sets, (), rules)
    return draw([_table_panel(_sets(lying))], lying.rules, [("table", lying.table)], **look)


def hand(tiles: str | Iterable[str], rules: AnyRules = "rummi-q", **look: Unpack[Look]) -> str:
    """The picture of a hand, in canonical order. ``look``: see ``Look``."""
    held = Position((), tiles, rules)
    return draw([_rack_panel(held.hand)], held.rules, [("hand", held.hand)], **look)


def position(position: Position, **look: Unpack[Look]) -> str:
    """The picture of a position: the table, and the hand below it. ``look``: see ``Look``.

    While the player has not opened, the hand shows what the initial meld has to be worth; a card just taken from the
    discard pile is framed.
    """
    asked = 0 if position.opened else position.rules.initial_meld
    panels = [_table_panel(_sets(position)), _rack_panel(position.hand, position.taken, "moved", asked)]
    opening = " before the initial meld" * (not position.opened)
    seen = [("table", position.table), (f"hand{opening}", position.hand)]
    return draw(panels, position.rules, seen, **look)


def move(position: Position, move: Move | CardMove, **look: Unpack[Look]) -> str:
    """The picture of a move of ``position``: the table and the hand after it. ``look``: see ``Look``.

    Tiles laid have a plus, tiles moved on the table an arrow, and the card discarded a cross, each with a frame. Raises
    IllegalMove, with every reason, for what is no legal turn of the position.
    """
    after = position.play(move)
    seen, held = [("laid", move.played), ("table", move.table), ("hand", after.hand)], after.hand
    discard = move.discard if isinstance(move, CardMove) else None
    if discard is not None:
        held = Position((), (*held, discard), position.rules).hand
        seen.append(("discarded", (discard,)))
    panels = [_table_panel(_marked_sets(position, move, after)), _rack_panel(held, discard, "out")]
    return draw(panels, position.rules, seen, **look)


def png(picture: str, width: int | None = None) -> bytes:
    """A picture as PNG, drawn by resvg (the extra ``pictures``). Its colours are light unless its theme is dark.

    picture: what one of the functions above has given. width: in pixels, by default that of the picture. Raises
    BadRequest for more than 64 million pixels, for what is no such picture, and where resvg-py is not installed.
    """
    check_width(width)
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


# ---- what is to be seen


def _table_panel(sets: Iterable[Block]) -> Panel:
    return Panel("table", 20, list(sets))


def _rack_panel(hand: Sequence[str], marked: str | None = None, mark: Mark | None = None, asked: int = 0) -> Panel:
    """The panel of a hand; the first tile ``marked`` has the mark."""
    cells = [Cell(tile) for tile in hand]
    if marked is not None:
        place = hand.index(marked)
        cells[place] = replace(cells[place], mark=mark)
    return Panel("rack", 10, [Block(tuple(same)) for _, same in groupby(cells, lambda cell: hue_of(cell.tile))], asked)


def _sets(position: Position) -> Iterator[Block]:
    """The sets of a table, their jokers with what they stand for."""
    roles = {
        text: [tuple(role.stands_for.split()) for role in same]
        for text, same in groupby(position.jokers(), lambda role: role.set)
    }
    for text in position.table:
        jokers = iter(roles.get(text, ()))
        yield Block(tuple(Cell(tile, next(jokers) if tile == "*" else ()) for tile in tiles_in(text)), text)


def _marked_sets(before: Position, move: Move | CardMove, after: Position) -> Iterator[Block]:
    """The table after a move. Copies of a tile are alike: those that come first count as laid."""
    laid = list(move.played)
    for block, resting in zip(_sets(after), untouched(before.table, after.table, before.rules), strict=True):
        cells = []
        for cell, rests in zip(block.cells, resting, strict=True):
            if not rests:
                mark: Mark = "laid" if cell.tile in laid else "moved"
                if mark == "laid":
                    laid.remove(cell.tile)
                cell = replace(cell, mark=mark)
            cells.append(cell)
        yield replace(block, cells=tuple(cells))
