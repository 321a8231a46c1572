"""Many positions in one call, answered as numpy arrays, on several threads.

Positions come as a list of ``Position``, all of one edition, or as ``Boards``: arrays of tile counts for players who
have opened, under free jokers. Row i of an answer is about position i, however many threads there are. Columns are
tiles, in the order of ``columns``: by colour, then by number, jokers last.
"""

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, Literal

import numpy
from numpy.typing import ArrayLike, NDArray

from . import rows
from .dealing import naturals, table_tiles
from .errors import BadPosition, BadRequest, BadRules
from .position import Position
from .rules import AnyRules, Rules
from .sets import set_text
from .stop import Stop

Objective = Literal["tiles", "points"] | Mapping[str, Mapping[str, int]]
Progress = Callable[[int], object]

_STRETCH = 256  # positions that a thread takes at a time
_MOST_THREADS = 256
_MOST_SETS = 64


def columns(rules: AnyRules = "easy-rummy") -> tuple[str, ...]:
    """The tile of each column.

    >>> columns()[:2], columns()[-2:], len(columns())
    (('k1', 'k2'), ('y13', '*'), 53)
    """
    return (*naturals(Rules.from_json(rules)), "*")


class Boards:
    """Tables and hands as arrays of tile counts, of shape (positions, columns).

    A table is its tiles: how they lie is of no matter under free jokers. Where no sets can be made of them there is
    no move. The players have opened.

    Raises BadPosition for arrays of other shapes, fractions, and counts below 0 or beyond the edition, naming the
    first; BadRules for cards, and for jokers on a table whose rules restrict them.

    >>> boards = Boards.of(["r4r5r6 | r7 b8", " | k1 k2 k3 *"])
    >>> len(boards), boards.hands.shape
    (2, (2, 53))
    >>> count(boards).tolist(), best(boards).tiles.tolist()
    ([1, 6], [1, 4])
    """

    def __init__(self, tables: ArrayLike, hands: ArrayLike, rules: AnyRules = "easy-rummy") -> None:
        self.rules = Rules.from_json(rules)
        if self.rules.cards:
            raise BadRules("boards are of tiles; positions of cards come as a list", path="$.rules", token="cards")
        self.tables = _counts("tables", tables, self.rules)
        self.hands = _counts("hands", hands, self.rules)
        if self.tables.shape != self.hands.shape:
            raise BadPosition(f"hands: {len(self.hands)} rows do not go with {len(self.tables)} tables", path="$.hands")
        most = numpy.full(self.tables.shape[1], self.rules.copies)
        most[-1] = self.rules.jokers
        _need_at_most("position", self.tables.astype(int) + self.hands, most, self.rules)
        if self.rules.joker_retrieval != "free" and self.tables[:, -1].any():
            row = int(self.tables[:, -1].argmax())
            raise BadRules(
                f"position {row}: a joker lies on the table, and counts do not say what it stands for, which "
                f"joker_retrieval={self.rules.joker_retrieval!r} asks: give positions",
                path=f"$.tables[{row}]",
                token="*",
            )

    @classmethod
    def of(cls, positions: Iterable[str | Position], rules: AnyRules = "easy-rummy") -> "Boards":
        """From positions, whose tiles alone are taken, or texts in the notation ``table | hand``.

        Raises BadPosition where a player has not opened.
        """
        rules = Rules.from_json(rules)
        place = {tile: column for column, tile in enumerate(columns(rules))}
        read = [Position.parse(one, rules) if isinstance(one, str) else one for one in positions]
        counts = numpy.zeros((2, len(read), len(place)), dtype=numpy.uint8)
        for row, position in enumerate(read):
            if not position.opened:
                raise BadPosition(f"position {row}: the player has not opened", path=f"$[{row}]")
            for part, tiles in enumerate((table_tiles(position.table, rules).hand, position.hand)):
                for tile in tiles:
                    counts[part, row, place[tile]] += 1
        return cls(counts[0], counts[1], rules)

    def __len__(self) -> int:
        return len(self.tables)

    def _rows(self) -> rows.Rows:
        return rows.Boards(self.rules, self.tables, self.hands)


@dataclass(frozen=True, slots=True, eq=False)
class BestMoves:
    """The best move of each position, a row each.

    ``tiles``: how many are laid, 0 where there is no move. ``points``: what they are worth. ``played``: counts of the
    tiles laid, by column. ``sets``: codes of the sets on the table afterwards, filled up with 0, as of
    ``Moves.codes``. ``discards``: in the card game the column of the card discarded, elsewhere -1.
    """

    tiles: NDArray[numpy.int32]
    points: NDArray[numpy.int32]
    played: NDArray[numpy.uint8]
    sets: NDArray[numpy.uint32]
    discards: NDArray[numpy.int32]
    numbers: int
    cards: bool

    def table(self, row: int) -> tuple[str, ...]:
        """The sets on the table after the best move of this row; none where there is no move.

        >>> best(Boards.of(["r4r5r6 | r7 b8"])).table(0)
        ('r4r5r6r7',)
        """
        return tuple(set_text(int(code), self.numbers, self.cards) for code in self.sets[row] if code)


def best(
    positions: Boards | Iterable[Position],
    objective: Objective = "tiles",
    *,
    threads: int = 1,
    progress: Progress | None = None,
    stop: Stop | None = None,
) -> BestMoves:
    """The best move of each position, the same one as ``Position.best(objective)`` finds.

    progress: is told how many positions are done, in the thread that called. stop: ends all searches. Raises TooLarge,
    TimeLimit and Cancelled as for one position, naming it; BadRequest for positions of different editions.
    """
    found, size, cards = _read(positions)
    tiles, points = numpy.zeros(size, dtype=numpy.int32), numpy.zeros(size, dtype=numpy.int32)
    discards = numpy.full(size, -1, dtype=numpy.int32)
    played = numpy.zeros((size, found.colours * found.numbers + 1), dtype=numpy.uint8)
    sets = numpy.zeros((size, _MOST_SETS), dtype=numpy.uint32)
    answers = rows.Answers(tiles, points, discards, played, sets)

    def work(worker: rows.Worker, start: int, end: int) -> None:
        found.best(worker, start, end, objective, answers, stop)

    _run(work, size, threads, progress, stop)
    width = int((sets != 0).sum(axis=1).max(initial=0))
    return BestMoves(tiles, points, played, sets[:, :width].copy(), discards, found.numbers, cards)


def count(
    positions: Boards | Iterable[Position],
    *,
    threads: int = 1,
    progress: Progress | None = None,
    stop: Stop | None = None,
) -> NDArray[Any]:
    """How many legal turns each position has, exactly: ``Position.count`` of each, and its errors.

    An array of uint64; where one of the counts does not fit, of Python integers (dtype object).
    """
    found, size, _ = _read(positions)
    halves = numpy.zeros((size, 2), dtype=numpy.uint64)

    def work(worker: rows.Worker, start: int, end: int) -> None:
        found.count(worker, start, end, halves, stop)

    _run(work, size, threads, progress, stop)
    if halves[:, 1].any():
        whole: NDArray[Any] = halves[:, 0].astype(object) + (halves[:, 1].astype(object) << 64)
        return whole
    return halves[:, 0].copy()


def playable(
    positions: Boards | Iterable[Position],
    *,
    threads: int = 1,
    progress: Progress | None = None,
    stop: Stop | None = None,
) -> NDArray[numpy.bool_]:
    """Which tiles of each hand some legal turn lays: True in their columns, of shape (positions, columns).

    Raises BadRules for cards, and what ``Position.moves`` raises.

    >>> mask = playable([Position.parse("r4r5r6 | r7 b8", "rummi-q")])
    >>> [tile for tile, lies in zip(columns("rummi-q"), mask[0]) if lies]
    ['r7']
    """
    found, size, cards = _read(positions)
    if cards:
        raise BadRules("parts of a hand are asked for in the tile games alone", path="$.rules", token="cards")
    marks = numpy.zeros((size, found.colours * found.numbers + 1), dtype=numpy.uint8)

    def work(worker: rows.Worker, start: int, end: int) -> None:
        found.playable(start, end, marks, stop)

    _run(work, size, threads, progress, stop)
    return marks.astype(numpy.bool_)


# ---- what all of them share


def _counts(name: str, counts: ArrayLike, rules: Rules) -> NDArray[numpy.uint8]:
    width = len(columns(rules))
    try:
        array = numpy.asarray(counts)
    except ValueError:
        raise BadPosition(
            f"{name} is an array of shape (positions, {width}), and its rows differ in length", path=f"$.{name}"
        ) from None
    if array.ndim != 2 or array.shape[1] != width or not numpy.issubdtype(array.dtype, numpy.integer):
        raise BadPosition(
            f"{name} is an array of whole numbers of shape (positions, {width}), not of {array.dtype}, {array.shape}",
            path=f"$.{name}",
        )
    _need_at_most(name, array, numpy.full(width, max(rules.copies, rules.jokers)), rules)
    checked = numpy.array(array, dtype=numpy.uint8, order="C")  # a copy: what is checked once must not change
    checked.flags.writeable = False
    return checked


def _need_at_most(name: str, counts: NDArray[Any], most: NDArray[Any], rules: Rules) -> None:
    wrong = (counts < 0) | (counts > most)
    if wrong.any():
        row, column = (int(place) for place in numpy.argwhere(wrong)[0])
        tile = columns(rules)[column]
        raise BadPosition(
            f"{name} {row}: {int(counts[row, column])} of {tile}, and the edition has {int(most[column])}",
            path=f"$[{row}]",
            token=tile,
        )


def _read(positions: Boards | Iterable[Position]) -> tuple[rows.Rows, int, bool]:
    if isinstance(positions, Boards):
        return positions._rows(), len(positions), False
    listed = list(positions)
    for row, position in enumerate(listed):
        if not isinstance(position, Position):
            raise BadRequest(f"position {row} is {position!r} and no Position", path=f"$[{row}]", token=str(position))
    editions = {(one.rules.colours, one.rules.numbers, one.rules.cards): row for row, one in enumerate(listed)}
    if len(editions) > 1:
        row = sorted(editions.values())[-1]
        raise BadRequest(f"position {row} is of another edition than others: one batch, one edition", path=f"$[{row}]")
    colours, numbers, cards = next(iter(editions), (4, 13, False))
    return rows.PositionRows(listed, colours, numbers), len(listed), cards


def _run(
    work: Callable[[rows.Worker, int, int], None],
    size: int,
    threads: int,
    progress: Progress | None,
    stop: Stop | None,
) -> None:
    if isinstance(threads, bool) or not isinstance(threads, int) or not 1 <= threads <= _MOST_THREADS:
        raise BadRequest(f"threads go from 1 to {_MOST_THREADS}, not {threads!r}", path="$.threads")
    idle: SimpleQueue[rows.Worker] = SimpleQueue()
    for _ in range(threads):
        idle.put(rows.Worker())

    def stretch(start: int) -> int:
        worker = idle.get()
        try:
            if stop is not None:
                stop.check()  # searches may be too short to look at it
            end = min(start + _STRETCH, size)
            work(worker, start, end)
            return end
        finally:
            idle.put(worker)

    with ThreadPoolExecutor(threads) as executor:
        starts = range(0, size, _STRETCH)
        # one thread needs no other: an interrupt from the keyboard then ends the search between two stretches
        done = map(stretch, starts) if threads == 1 else executor.map(stretch, starts)
        try:
            for end in done:
                if progress is not None:
                    progress(end)
        finally:
            executor.shutdown(cancel_futures=True)
