"""Draws a position as a web page: each step of its best turn, and the pictures before and after.

usage: python examples/picture.py ["TABLE | HAND" [FILE]]
"""

import sys
from html import escape
from pathlib import Path

from meldcore import Position, svg

POSITION = "k3*k5k6 b3y3* k8r8b8y8 | k3 k5 k6 r2"


def page(position: Position) -> str:
    """The page. Pictures are text that goes into it as it is; they follow the reader's light or dark colours."""
    move = position.best()
    parts = ["<!doctype html><meta charset=utf-8><title>The best turn</title>", svg.position(position)]
    if move is None:
        return "\n".join([*parts, "<p>Nothing can be laid.</p>\n"])
    steps = "".join(f"<li>{escape(str(step))}</li>" for step in move.steps(position))
    return "\n".join([*parts, f"<ol>{steps}</ol>", svg.move(position, move)])


def main(text: str = POSITION, file: str = "best-turn.html") -> None:
    Path(file).write_text(page(Position.parse(text)), encoding="utf-8")
    print(f"wrote {file}")


if __name__ == "__main__":
    main(*sys.argv[1:])
