"""The strokes and shapes that pictures are drawn with, so that they look the same where no font is installed.

Coordinates go right and down from the top left corner, which is 0, 0.
"""

from collections.abc import Iterator

HEIGHT = 16
"""Of every stroke, and of every shape, which is as wide as it is high."""

STROKES = {
    "0": (10, "M5 0C1.7 0 0 3.3 0 8S1.7 16 5 16 10 12.7 10 8 8.3 0 5 0Z"),
    "1": (7, "M0 4 5 0V16"),
    "2": (10, "M.4 4.3C.4 1.7 2.3 0 5 0S9.5 1.7 9.5 4.2C9.5 8.2 0 11.4 0 16H10"),
    "3": (10, "M.6 2.7C1.3 1 2.9 0 5 0 7.7 0 9.4 1.5 9.4 3.8S7.5 7.6 4.5 7.6C8 7.6 10 9.2 10 11.7"
              "S8 16 5 16C2.6 16 .7 15 0 13"),
    "4": (11, "M8 16V0L0 11.5H11"),
    "5": (10, "M9.3 0H1.7L.9 7.3C1.9 6.4 3.3 5.9 4.9 5.9 8 5.9 10 7.9 10 10.9S7.9 16 4.9 16"
              "C2.6 16 .8 15 0 13.2"),
    "6": (10, "M8.6 0C3.5 1.7 0 5.7 0 10.9 0 14 2 16 5 16S10 14 10 11 8 6.2 5 6.2C2.4 6.2 .5 7.9 .1 10"),
    "7": (10, "M0 0H10L3.7 16"),
    "8": (10, "M5 0C2.4 0 .7 1.5 .7 3.8S2.4 7.5 5 7.5 9.3 6 9.3 3.8 7.6 0 5 0Z"
              "M5 7.5C2 7.5 0 9.2 0 11.8S2 16 5 16 10 14.3 10 11.8 8 7.5 5 7.5Z"),
    "9": (10, "M1.4 16C6.5 14.3 10 10.3 10 5.1 10 2 8 0 5 0S0 2 0 5 2 9.8 5 9.8C7.6 9.8 9.5 8.1 9.9 6"),
    "J": (8, "M8 0V11.5C8 14.5 6.6 16 4.3 16S.4 14.7 0 12.2"),
    "Q": (11, "M5 0C1.7 0 0 3.3 0 8S1.7 16 5 16 10 12.7 10 8 8.3 0 5 0ZM6.5 12 11 16.8"),
    "K": (10, "M0 0V16M9.5 0 0 10M3.5 6.4 10 16"),
    "A": (11, "M0 16 5.5 0 11 16M2 10.7H9"),
    "≥": (9, "M0 2 9 6.5 0 11M0 15.5H9"),
}
"""Width and path of digits, ranks of cards and "≥": lines to be drawn with a pen, not filled."""

_GAP = 3
"""Between two strokes of a text."""

SHAPES = {
    "k": "M2 1H14Q15 1 15 2V14Q15 15 14 15H2Q1 15 1 14V2Q1 1 2 1Z",
    "r": "M8 0A8 8 0 0 1 8 16 8 8 0 0 1 8 0Z",
    "b": "M8 0 17 15.5H-1Z",
    "y": "M8-1 10.2 5.4 17 5.5 11.6 9.6 13.6 16.1 8 12.2 2.4 16.1 4.4 9.6-1 5.5 5.8 5.4Z",
    "S": "M8 0C11 4 16 6.6 16 10.4 16 12.6 14.3 14 12.5 14 11 14 9.7 13.2 9 12 9.1 14 9.8 15.3 11 16H5"
         "C6.2 15.3 6.9 14 7 12 6.3 13.2 5 14 3.5 14 1.7 14 0 12.6 0 10.4 0 6.6 5 4 8 0Z",
    "H": "M8 15.5C3 10.8 0 8 0 4.8 0 2.4 1.9 .7 4.1 .7 5.7 .7 7.2 1.6 8 3.1 8.8 1.6 10.3 .7 11.9 .7"
         " 14.1 .7 16 2.4 16 4.8 16 8 13 10.8 8 15.5Z",
    "C": "M8 .2A3.8 3.8 0 0 1 10.9 6.4 3.7 3.7 0 1 1 9 11.5C9.2 13.6 9.9 15.2 11 16H5"
         "C6.1 15.2 6.8 13.6 7 11.5A3.7 3.7 0 1 1 5.1 6.4 3.8 3.8 0 0 1 8 .2Z",
    "D": "M8-.5Q10.5 4 14 8 10.5 12 8 16.5 5.5 12 2 8 5.5 4 8-.5Z",
}
"""Paths to be filled: a shape for each colour of the tiles, so that it is seen without its hue, and the suits."""

FACE = "M8 0A8 8 0 0 1 8 16 8 8 0 0 1 8 0ZM4.8 5.2V6.8M11.2 5.2V6.8M4 9.8C5 13.2 11 13.2 12 9.8"
"""The joker, lines to be drawn."""


def width_of(text: str) -> int:
    """How wide the strokes of a text are side by side."""
    return sum(STROKES[letter][0] + _GAP for letter in text) - _GAP


def placed(text: str) -> Iterator[tuple[int, str]]:
    """The strokes of a text: where each begins, and its path."""
    at = 0
    for letter in text:
        width, path = STROKES[letter]
        yield at, path
        at += width + _GAP
