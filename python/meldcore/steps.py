"""A move in words: what a person does at the table, one step after the other.

An old set becomes at most one new set, of which it keeps two or more tiles where they lie: one tile alone says
nothing about where it came from. Sets that stand unchanged are left alone; of the others as many tiles as can be
stay where they lie. That is an assignment problem, solved exactly for each colour of runs and each number of groups.
Which copy of a tile lies where never matters, so the tiles that lie in no set just now are one heap.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal, NamedTuple

from .referee import Replacement, Turn, retrieval_of
from .rules import Rules
from .sets import read_set, tile_text

Kind = Literal["put", "take", "split", "move", "add", "lay"]

_JOKER = "*"
_TILES = {tile_text(tile, cards): tile for cards in (False, True) for tile in range(4 << 4)}
"""Every tile and every card as colour << 4 | number."""

_TILE = re.compile(r"\*|[krby]\d+|(?:10|[2-9JQKA])[SHCD]")


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that a person does at the table to make a move: see ``Move.steps``.

    ``kind``: what is done. ``tiles``: the tiles that are put, taken, split off, moved, added or laid, as they lie
    from left to right. ``before``: the sets concerned as they lie before the step, ``after``: as they lie after it;
    in the midst of a turn a set may be incomplete. What is in ``before`` and not in ``after`` is held ready; what is
    in ``after`` and not in ``before`` comes from there or from the hand. ``text``: the step as a sentence, which is
    its ``str`` too.

    - ``put``: tiles take the place of others in a set, mostly of a joker;
    - ``take``: tiles leave a set, or all of it is taken apart;
    - ``split``: a run is parted in two;
    - ``move``: tiles go from one set straight to another;
    - ``add``: a set gets tiles;
    - ``lay``: a new set.

    In a sentence ``* (r7)`` is a joker in place of r7, where that is not plain.

    >>> from meldcore import Position
    >>> position = Position.parse("r4*r6 y1y2y3y4 | r5 k4 b4", "dutch-rummy")
    >>> steps = position.move_to("r4r5r6 y1y2y3 k4b4y4*").steps(position)
    >>> for step in steps:
    ...     print(step)
    put r5 in place of the joker in r4 * r6
    take y4 from y1 y2 y3 y4
    lay k4 b4 y4 *
    >>> steps[1].kind, steps[1].tiles, steps[1].before, steps[1].after
    ('take', ('y4',), ('y1y2y3y4',), ('y1y2y3',))
    """

    kind: Kind
    tiles: tuple[str, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]
    text: str

    def __str__(self) -> str:
        return self.text


def steps_of(turn: Turn, before: Sequence[str], after: Sequence[str]) -> tuple[Step, ...]:
    """The steps of a legal turn from the table ``before`` to the table ``after``, canonical texts of sets."""
    retrieval = retrieval_of(turn)
    old, new = Counter(before) - Counter(after), Counter(after) - Counter(before)
    drawn_in = Counter(replacement.set for replacement in retrieval.replacements) - old
    script = _Script([_Part.read(text, turn.rules) for text in (old + drawn_in).elements()], turn.played)
    for replacement in retrieval.replacements:
        script.replace_jokers(replacement)
    targets = [_Part.read(text, turn.rules) for text in (new + drawn_in).elements()]
    script.rearrange(targets, retrieval.homes, turn.rules.joker_sets_locked)
    return tuple(script.steps)


def tiles_in(text: str) -> list[str]:
    """The tiles of a set in the order in which they lie; of a table in the order of its sets.

    >>> tiles_in("=r5**")
    ['r5', '*', '*']
    """
    return _TILE.findall(text)


def untouched(before: Sequence[str], after: Sequence[str], rules: Rules) -> list[list[bool]]:
    """For every set of the table ``after``, and each of its tiles from left to right: may it lie as it lay before?

    Canonical texts of sets. As few tiles as can be are touched, as in the steps of a move.

    >>> untouched(["r3r4r5r6r7", "k1k2k3"], ["k1k2k3", "r3r4r5", "r5r6r7"], Rules.preset("easy-rummy"))
    [[True, True, True], [True, True, True], [False, True, True]]
    """
    same = Counter(before) & Counter(after)
    parts = [_Part.read(text, rules) for text in (Counter(before) - same).elements()]
    targets = [_Part.read(text, rules) for text in (Counter(after) - same).elements()]
    fates, new = _fates(parts, targets, (), rules.joker_sets_locked)
    resting = [(target, set[int]()) for target in new]
    for part, fate in zip(parts, fates, strict=True):
        if fate.target:
            resting.append((fate.target, part.kept_in(fate.target)))
        resting += [(target, places) for places, target in fate.offshoots]
    found = {text: [[True] * len(tiles_in(text))] * count for text, count in same.items()}
    for target, places in resting:
        found.setdefault(target.text, []).append([place in places for place in sorted(target.tiles)])
    return [found[text].pop() for text in after]


# ---- sets as places


class _Part:
    """Tiles that lie together: a set, or what there is of one in the midst of a turn.

    In a run the place of a tile is the number it stands for, in a group its colour; the jokers of a group, which
    have no colour, lie at 4 and up. ``family``: run or group, and the colour of the run, or the number of the group:
    what all sets have in common whose places are the same.
    """

    def __init__(self, family: tuple[Literal["run", "group"], int], tiles: dict[int, str], rules: Rules) -> None:
        self.family = family
        self.tiles = tiles
        self.rules = rules

    @staticmethod
    def read(text: str, rules: Rules) -> "_Part":
        tiles = tiles_in(text)
        naturals = [divmod(_TILES[tile], 16) for tile in tiles if tile != _JOKER]
        colour, number = naturals[0]
        if read_set(text, rules).kind == "run":
            first = number - next(place for place, tile in enumerate(tiles) if tile != _JOKER)
            return _Part(("run", colour), dict(enumerate(tiles, first)), rules)
        places = [colour for colour, _ in naturals] + [4, 5, 6]
        return _Part(("group", number), dict(zip(places, tiles, strict=False)), rules)

    @property
    def is_run(self) -> bool:
        return self.family[0] == "run"

    @property
    def text(self) -> str:
        text = "".join(self.row(self.tiles))
        marked = not self.is_run and read_set(text, self.rules).kind == "run"
        return f"={text}" if marked else text

    @property
    def words(self) -> str:
        return " ".join(self.row(self.tiles))

    def row(self, places: Iterable[int]) -> tuple[str, ...]:
        return tuple(self.tiles[place] for place in sorted(places))

    def names(self, places: Iterable[int]) -> str:
        """These tiles, and what the jokers of a run stand for."""
        return " ".join(
            f"{_JOKER} ({self.stands_for(place)})" if self.is_run and tile == _JOKER else tile
            for place, tile in sorted((place, self.tiles[place]) for place in places)
        )

    def stands_for(self, place: int) -> str:
        """What a joker of a run does."""
        return tile_text(self.family[1] << 4 | place, self.rules.cards)

    def lose(self, places: Iterable[int]) -> dict[int, str]:
        return {place: self.tiles.pop(place) for place in places}

    def kept_in(self, other: "_Part") -> set[int]:
        """The places whose tiles stay where they lie when this becomes `other`."""
        if self.family != other.family:
            return set()
        return {place for place, tile in self.tiles.items() if other.tiles.get(place) == tile}

    def swaps_for(self, other: "_Part") -> dict[int, int]:
        """Where jokers of this leave for natural tiles of `other`, or natural tiles for jokers, one for one."""
        kept = self.kept_in(other)
        lost, gained = sorted(self.tiles.keys() - kept), sorted(other.tiles.keys() - kept)
        jokers = [place for place in lost if self.tiles[place] == _JOKER]
        if self.is_run:
            swaps = {place: place for place in lost if place in gained}
            return swaps if swaps.keys() <= set(jokers) or swaps.keys().isdisjoint(jokers) else {}
        if jokers:
            return dict(zip(jokers, gained, strict=False))
        return dict(zip(lost, [place for place in gained if other.tiles[place] == _JOKER], strict=False))


@dataclass(eq=False, slots=True)
class _Growth:
    """A part on the table and the new set that it becomes.

    ``places``: those of the new set that tiles have still to come to. ``swaps``: places of tiles that leave the part
    for others, and the places of these.
    """

    part: _Part
    target: _Part
    places: set[int]
    swaps: dict[int, int]

    @staticmethod
    def of(part: _Part, target: _Part) -> "_Growth":
        kept = part.kept_in(target)
        swaps = part.swaps_for(target)
        lost, gained = part.tiles.keys() - kept, target.tiles.keys() - kept
        if lost - swaps.keys() and gained - set(swaps.values()):
            swaps = {}  # tiles are taken and added in any case, these as well
        return _Growth(part, target, gained - set(swaps.values()), swaps)

    def newcomers(self) -> Counter[str]:
        return Counter(self.target.row(self.swaps.values()))

    def room_for(self, tiles: Counter[str]) -> list[int]:
        """Places for all of these tiles; none where they do not fit."""
        room: list[int] = []
        for tile, count in tiles.items():
            fit = [place for place in sorted(self.places) if self.target.tiles[place] == tile]
            if len(fit) < count:
                return []
            room += fit[:count]
        return room

    def fill(self, places: Iterable[int]) -> None:
        self.part.tiles.update((place, self.target.tiles[place]) for place in places)
        self.places.difference_update(places)


# ---- which old set becomes which new set


class _Fate(NamedTuple):
    """What becomes of a part: a new set or none, and the runs that are split off, with the places of their tiles."""

    target: _Part | None
    offshoots: list[tuple[set[int], _Part]]

    def outside_in(self) -> list[tuple[set[int], _Part]]:
        """The runs to split off, each at an end of what is left by then."""
        middle = min(self.target.tiles) if self.target else 0
        return sorted(self.offshoots, key=lambda offshoot: -abs(min(offshoot[0]) - middle))


def _fates(
    parts: Sequence[_Part], targets: Sequence[_Part], homes: Collection[str], locked: bool
) -> tuple[list[_Fate], list[_Part]]:
    """What becomes of each part, so that as many tiles as can be stay where they lie; and the sets to lay new.

    homes: texts of sets that have to be laid new. locked: sets with jokers stay as they are, but for additions.
    """
    found: dict[int, _Part] = {}
    new = set(range(len(targets)))
    for family in {part.family for part in parts}:
        rows = [i for i, part in enumerate(parts) if part.family == family]
        columns = [j for j, target in enumerate(targets) if target.family == family]
        scores = [[_score(parts[i], targets[j], homes, locked) for j in columns] for i in rows]
        for i, column in zip(rows, _matching(scores), strict=True):
            if column is not None:
                found[i] = targets[columns[column]]
                new.remove(columns[column])
    fates = [_Fate(found.get(i), []) for i in range(len(parts))]
    for j in sorted(new):
        target = targets[j]
        stretch, fate = _longest_stretch(parts, fates, target)
        if fate and target.text not in homes:
            fate.offshoots.append((stretch, target))
            new.remove(j)
    return fates, [targets[j] for j in sorted(new)]


def _longest_stretch(
    parts: Sequence[_Part], fates: Sequence[_Fate], target: _Part
) -> tuple[set[int], _Fate | None]:
    """The most neighbours of a run, two or more, that `target` holds too and that go nowhere else with their set."""
    longest: tuple[set[int], _Fate | None] = set(), None
    for part, fate in zip(parts, fates, strict=True):
        if part.is_run and fate.target:
            bound = fate.target.tiles.keys() | {place for places, _ in fate.offshoots for place in places}
            free = sorted(part.kept_in(target) - bound)
            for _, stretch in groupby(enumerate(free), lambda each: each[1] - each[0]):
                places = {place for _, place in stretch}
                if len(places) >= 2 and len(places) > len(longest[0]):
                    longest = places, fate
    return longest


def _score(part: _Part, target: _Part, homes: Collection[str], locked: bool) -> int:
    """How good it is that `part` becomes `target`; sums compare by kept jokers, then tiles, then steps; 0: it cannot.

    Each of the three stays below 256 when summed over a table.
    """
    kept = len(part.kept_in(target))
    whole, complete = kept == len(part.tiles), kept == len(target.tiles)
    bound = locked and whole and _JOKER in part.tiles.values()
    if not bound and (kept < 2 or target.text in homes):
        return 0
    return (bound << 8 | kept) << 8 | whole + complete


def _matching(scores: Sequence[Sequence[int]]) -> list[int | None]:
    """A column for each row, no column twice, so that the scores add up to the most; None for a score of 0.

    Rows come in one by one. The rows before having the best columns they can, all that can pay is one chain: the
    newcomer takes a column, its holder another, and so on, until someone takes a free one or does without.
    """
    holders: dict[int, int] = {}
    for newcomer in range(len(scores)):
        gain = {newcomer: 0}  # for each row the most that is won by a chain which leaves it without a column
        pushed_by: dict[int, tuple[int, int]] = {}  # the row before it in that chain, and the column it takes
        waiting = [newcomer]
        while waiting:
            row = waiting.pop()
            for column, score in enumerate(scores[row]):
                holder = holders.get(column)
                if score and holder is not None:
                    won = gain[row] + score - scores[holder][column]
                    if holder not in gain or won > gain[holder]:
                        gain[holder] = won
                        pushed_by[holder] = row, column
                        waiting.append(holder)
        ends = [(won, row, -1) for row, won in gain.items()]
        ends += [
            (won + score, row, column)
            for row, won in gain.items()
            for column, score in enumerate(scores[row])
            if score and column not in holders
        ]
        _, row, column = max(ends, key=lambda end: end[0])
        while True:
            if column >= 0:
                holders[column] = row
            if row == newcomer:
                break
            row, column = pushed_by[row]
    columns: list[int | None] = [None] * len(scores)
    for column, row in holders.items():
        columns[row] = column
    return columns


# ---- the steps


class _Script:
    """The parts on the table, the tiles that lie in none (the hand's, and those taken), and the steps that led here."""

    def __init__(self, parts: Iterable[_Part], played: Iterable[str]) -> None:
        self.parts = list(parts)
        self.loose = Counter(played)
        self.steps: list[Step] = []

    def replace_jokers(self, replacement: Replacement) -> None:
        """Hand tiles take the place of jokers, as the rules demand."""
        part = next(part for part in self.parts if part.text == replacement.set)
        if part.is_run:
            into = {_TILES[tile] & 15: tile for tile in replacement.tiles}
            self.put(part, into.keys(), into)
        else:
            into = {_TILES[tile] >> 4: tile for tile in replacement.tiles}
            self.put(part, sorted(part.tiles)[-replacement.jokers :], into)

    def rearrange(self, targets: Sequence[_Part], homes: Collection[str], locked: bool) -> None:
        """Make the sets `targets` of the parts and the loose tiles."""
        fates, new = _fates(self.parts, targets, homes, locked)
        growths: list[_Growth] = []
        leaving: list[tuple[_Part, set[int]]] = []  # tiles that may go straight to another set
        for part, fate in zip(self.parts, fates, strict=True):
            lost = set(part.tiles).difference(*(places for places, _ in fate.offshoots))
            if fate.target:
                growth = _Growth.of(part, fate.target)
                growths.append(growth)
                lost -= part.kept_in(fate.target) | growth.swaps.keys()
                if fate.offshoots or (part.is_run and lost & growth.places):  # they stand in the way
                    self.take(part, lost)
                    lost = set()
            leaving.append((part, lost))
            growths += [_Growth.of(self.split(part, places), target) for places, target in fate.outside_in()]
        for part, lost in leaving:
            self.move_or_take(part, lost, growths)
        self.swap_tiles([growth for growth in growths if growth.swaps])
        for growth in growths:
            self.add(growth)
        for target in new:
            self.lay(target)

    def move_or_take(self, part: _Part, lost: set[int], growths: Sequence[_Growth]) -> None:
        """Tiles that one other set gets go there, where they fit best; others are taken."""
        tiles = Counter(part.row(lost))
        rooms = [(growth, growth.room_for(tiles)) for growth in growths if growth.part is not part]
        fitting = [(growth, room) for growth, room in rooms if room]
        if fitting:
            growth, room = min(fitting, key=lambda each: len(each[0].places))
            self.move(part, lost, growth, room)
        else:
            self.take(part, lost)

    def swap_tiles(self, growths: list[_Growth]) -> None:
        """Swap tiles where those that come in are at hand; where each waits for another, take one set's out first.

        That is best done where tiles are added in any case, then where a joker comes in.
        """
        while growths:
            ready = next((growth for growth in growths if growth.newcomers() <= self.loose), None)
            growth = ready or max(growths, key=lambda each: (bool(each.places), _JOKER in each.newcomers()))
            growths.remove(growth)
            if ready:
                into = {place: growth.target.tiles[place] for place in growth.swaps.values()}
                self.put(growth.part, growth.swaps.keys(), into)
            else:
                self.take(growth.part, set(growth.swaps))
                growth.places.update(growth.swaps.values())

    # one step each; where there is nothing to do, none

    def put(self, part: _Part, out: Collection[int], into: dict[int, str]) -> None:
        """Tiles come `into` the part and take the place of those that go `out`."""
        freed = part.row(out)
        if set(freed) != {_JOKER}:
            what = " ".join(freed)
        elif len(freed) == list(part.tiles.values()).count(_JOKER):
            what = "the joker" if len(freed) == 1 else "the jokers"
        else:
            what = "a joker" if len(freed) == 1 else f"{len(freed)} jokers"
        before, words = part.text, part.words
        part.lose(out)
        part.tiles.update(into)
        tiles = part.row(into)
        self.loose.update(freed)
        self.loose.subtract(tiles)
        self.tell("put", tiles, [before], [part], f"put {' '.join(tiles)} in place of {what} in {words}")

    def take(self, part: _Part, places: set[int]) -> None:
        if not places:
            return
        tiles, before, words = part.row(places), part.text, part.words
        sure = list(part.tiles.values()).count(_JOKER) == 1
        names = " ".join(tiles) if sure else part.names(places)
        part.lose(places)
        self.loose.update(tiles)
        text = f"take {names} from {words}" if part.tiles else f"take apart {words}"
        self.tell("take", tiles, [before], [part], text)

    def split(self, part: _Part, places: set[int]) -> _Part:
        """Part a run at an end of these places, which become a run of their own."""
        tiles, before, words = part.row(places), part.text, part.words
        rest = part.tiles.keys() - places
        last = min(max(places), max(rest))
        text = f"split {words} after {part.names([last])}"
        piece = _Part(part.family, part.lose(places), part.rules)
        self.tell("split", tiles, [before], [piece, part] if last in places else [part, piece], text)
        return piece

    def move(self, part: _Part, places: set[int], growth: _Growth, room: Collection[int]) -> None:
        host = growth.part
        tiles, before = part.row(places), [part.text, host.text]
        names = growth.target.names(room) if len(places) < len(part.tiles) else part.words
        origin = f" from {part.words}" if len(places) < len(part.tiles) else ""
        text = f"move {names}{origin} to {host.words}"
        part.lose(places)
        growth.fill(room)
        self.tell("move", tiles, before, [part, host], text)

    def add(self, growth: _Growth) -> None:
        if not growth.places:
            return
        part, places = growth.part, sorted(growth.places)
        before, text = part.text, f"add {growth.target.names(places)} to {part.words}"
        growth.fill(places)
        tiles = part.row(places)
        self.loose.subtract(tiles)
        self.tell("add", tiles, [before], [part], text)

    def lay(self, part: _Part) -> None:
        tiles = part.row(part.tiles)
        self.loose.subtract(tiles)
        self.tell("lay", tiles, [], [part], f"lay {part.words}" + " as a group" * part.text.startswith("="))

    def tell(
        self, kind: Kind, tiles: tuple[str, ...], before: Iterable[str], after: Iterable[_Part], text: str
    ) -> None:
        left = tuple(part.text for part in after if part.tiles)
        self.steps.append(Step(kind, tiles, tuple(before), left, text))
