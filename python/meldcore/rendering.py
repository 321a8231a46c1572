"""Answers for people: tiles in colour on a terminal, the same text plain in a pipe.

Colour needs rich (the extra `cli`) and keeps to NO_COLOR. Plain text is the notation: what is printed can be typed in
again. In colour each tile has a ground of its own, cards show their suits as symbols, and lines end between sets.
"""

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import msgspec

from .position import Move, Position
from .turns import CardMove

if TYPE_CHECKING:
    from .puzzles import Puzzle

# no letter before it: the notation is read, not the words around it
_TILE = re.compile(r"(?<![a-z])(?:[krby]\d+|(?:10|[2-9JQKA])[SHCD]|\*)")
_SYMBOLS = dict(zip("SHCD", "♠♥♣♦", strict=True))
_INKS = {"k": "black", "r": "red", "b": "blue", "y": "dark_orange3", "*": "magenta"} | dict.fromkeys("SC", "black")
_INKS |= dict.fromkeys("HD", "red")
_LABEL = re.compile(r"[a-z]* {2,}")


def printer() -> Callable[[str], None]:
    """A function that prints a line on standard output, its tiles in colour where that can be seen."""
    if sys.stdout.isatty() and not os.environ.get("NO_COLOR"):
        try:
            from rich.console import Console
            from rich.text import Text
        except ImportError:
            return print
        console = Console(highlight=False)
        if not console.color_system:
            return print
        symbols = _SYMBOLS if console.encoding.startswith("utf") else {}

        def in_colour(word: str) -> Text:
            text, at = Text(), 0
            for found in _TILE.finditer(word):
                tile = found[0]
                hue = tile[0] if tile[0] in _INKS else tile[-1]
                text.append(word[at : found.start()])
                text.append(f" {tile.replace(hue, symbols.get(hue, hue))} ", f"bold {_INKS[hue]} on white")
                at = found.end()
            return text.append(word[at:])

        def show(line: str) -> None:
            label = _LABEL.match(line)
            text = Text(label[0] if label else "")
            indent = len(text)
            for number, word in enumerate(map(in_colour, line[indent:].split(" "))):
                last = text.plain.rpartition("\n")[2]
                if number and len(last) + 1 + len(word) > console.width:
                    text.append("\n" + " " * indent)
                elif number:
                    text.append(" ")
                text.append_text(word)
            console.print(text, soft_wrap=True)

        return show
    return print


def position_lines(position: Position) -> Iterator[str]:
    """The table and the hand, and what the jokers of the table are doing."""
    yield f"table  {' '.join(position.table)}".rstrip()
    yield f"hand   {' '.join(position.hand)}".rstrip()
    if position.taken is not None:
        yield f"       {position.taken} was taken from the discard pile, and has to be laid"
    if not position.opened and position.rules.initial_meld:
        yield f"       not opened yet: the initial meld is {_number(position.rules.initial_meld, 'point')}"
    for joker in position.jokers():
        freed = f", freed by {' or by '.join(map(' '.join, joker.freed_by))}" if any(joker.freed_by) else ""
        yield f"       a joker of {joker.set} stands for {' or '.join(joker.stands_for.split())}{freed}"


def move_lines(position: Position, move: Move | CardMove) -> Iterator[str]:
    """What the move lays, the table and the hand after it, and how a person makes it."""
    after = position.play(move)
    yield f"lay    {' '.join(move.played) or 'nothing'}"
    yield f"table  {' '.join(after.table)}".rstrip()
    yield f"hand   {' '.join(after.hand)}".rstrip()
    if isinstance(move, CardMove):
        yield f"discard  {move.discard}"
    else:
        yield from (f"{number:5}. {step}" for number, step in enumerate(move.steps(position), 1))


def puzzle_lines(puzzle: "Puzzle", seed: int, solved: bool) -> Iterator[str]:
    """A puzzle to solve, and below it, when it is to be solved, the solution."""
    grading = f"{_number(puzzle.changes, 'set')} to change, {_number(puzzle.near_misses, 'near-miss', 'es')}"
    yield f"puzzle {seed}, {puzzle.level}: lay {_number(len(puzzle.solution.played), 'tile')}; {grading}"
    yield from position_lines(puzzle.position)
    if solved:
        yield from move_lines(puzzle.position, puzzle.solution)
    yield ""


def count_lines(result: Mapping[str, Any]) -> Iterator[str]:
    yield str(result["count"])


def best_lines(result: Mapping[str, Any]) -> Iterator[str]:
    move = result["move"]
    if move is None:
        yield "no legal turn"
        return
    yield f"lay    {' '.join(move['played']) or 'nothing'}"
    yield f"table  {' '.join(move['table'])}"
    noun = "tile"
    notes = [f"{_number(move['unchanged'], 'set')} unchanged"]
    if "discard" in move:
        yield f"discard {move['discard']}"
        noun = "card"
    if move.get("rescued"):
        notes.append(f"{_number(move['rescued'], 'joker')} rescued")
    if result["goes_out"]:
        notes.append("goes out")
    yield f"       {_number(result['tiles'], noun)}, {_number(result['points'], 'point')}, {', '.join(notes)}"


def moves_lines(result: Mapping[str, Any]) -> Iterator[str]:
    return _page("legal turn", result, [_move_line(move) for move in result["moves"]])


def _move_line(move: Mapping[str, Any]) -> str:
    line = f"{' '.join(move['played']) or 'nothing'} -> {' '.join(move['table'])}"
    return f"{line}, discard {move['discard']}" if "discard" in move else line


def plays_lines(result: Mapping[str, Any]) -> Iterator[str]:
    plays = [
        f"{' '.join(play['played'])}  ({_number(play['points'], 'point')}, "
        f"{_number(play['arrangements'], 'arrangement')})"
        for play in result["plays"]
    ]
    return _page("play", result, plays)


def partitions_lines(result: Mapping[str, Any]) -> Iterator[str]:
    return _page("partition", result, [" ".join(table) for table in result["partitions"]])


def replay_lines(result: Mapping[str, Any]) -> Iterator[str]:
    played = f"{_number(result['rounds'], 'round')}, {_number(result['turns'], 'turn')}"
    if not result["follows"]:
        yield f"line {result['line']} does not follow: {result['reason']}"
        yield f"       before it: {played}"
        return
    names = result["players"]
    yield f"every line follows: {played}"
    yield "totals " + ", ".join(f"{name} {total}" for name, total in zip(names, result["totals"], strict=True))
    yield "won by " + ", ".join(names[player] for player in result["winners"]) if result["complete"] else "not over yet"


def arena_lines(result: Mapping[str, Any]) -> Iterator[str]:
    """The table at the end of a tournament."""
    rows = [("bot", "games", "wins", "rate", "95 %", "score", "Elo", "slips")]
    for row in result["bots"]:
        low, high = row["interval"]
        rows.append(
            (
                row["bot"],
                str(row["games"]),
                f"{row['wins']:g}",
                f"{row['rate']:.1%}",
                f"{low:.1%} to {high:.1%}",
                f"{row['score']:+.2f}",
                f"{row['elo']:+d}",
                str(row["slips"]),
            )
        )
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for name, *cells in rows:
        yield "  ".join([name.ljust(widths[0]), *map(str.rjust, cells, widths[1:])])


@contextmanager
def progress(total: int, noun: str = "games") -> Iterator[Callable[[int], None]]:
    """A function that is told how many more of ``total`` are done, and shows it on standard error."""
    if sys.stderr.isatty():
        try:
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn
        except ImportError:
            pass
        else:
            columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
            with Progress(*columns, console=Console(stderr=True)) as bar:
                task = bar.add_task(noun, total=total)
                yield lambda more: bar.advance(task, more)
            return
    done = said = 0

    def tell(more: int) -> None:
        nonlocal done, said
        done += more
        if done * 10 // total > said:
            said = done * 10 // total
            print(f"{done} of {total} {noun}", file=sys.stderr, flush=True)

    yield tell


LINES = {
    "count": count_lines,
    "best": best_lines,
    "moves": moves_lines,
    "plays": plays_lines,
    "partitions": partitions_lines,
}
"""The text of a result, by op."""


def presets_lines(presets: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """The presets side by side, as far as they differ in what is legal."""
    rows = [("preset", "initial meld", "retrieval", "locked", "retrieved joker goes", "other")]
    for name, fields in presets.items():
        free = fields["joker_retrieval"] == "free"
        rows.append(
            (
                name,
                str(fields["initial_meld"]),
                fields["joker_retrieval"],
                "" if free else "yes" if fields["joker_sets_locked"] else "no",
                "" if free else fields["retrieved_joker_use"],
                ", ".join(
                    f"{other}={_plain(fields[other])}"
                    for other in ("joker_meld_value", "group_joker_needs_all", "cards")
                    if fields[other]
                ),
            )
        )
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(map(str.ljust, row, widths)).rstrip()


def fields_lines(fields: Mapping[str, Any]) -> Iterator[str]:
    """Every field of one set of rules."""
    width = max(map(len, fields))
    for name, value in fields.items():
        yield f"{name:{width}}  {_plain(value)}"


def _page(noun: str, result: Mapping[str, Any], lines: list[str]) -> Iterator[str]:
    yield _number(result["count"], noun)
    yield from lines
    if lines and not result["complete"]:
        yield "..."


def _number(count: int | str, noun: str, plural: str = "s") -> str:
    """A count, in digits and words; counts above 2^53 come as decimal strings."""
    return f"{int(count):,} {noun}{'' if int(count) == 1 else plural}"


def _plain(value: Any) -> str:
    """A field of the rules as JSON writes it."""
    return msgspec.json.encode(value).decode()
