"""The rules of the tile games as an executable page: slow, obvious, never optimised.

Everything is written by definition from sections 1 to 5 of the rules, and docstrings name the section they
spell out. Nothing is imported from meldcore, so that the two can be held against each other.

A *tile* is a `Tile`, a joker is `JOKER`. A *set* is a `Run` or a `Group`; a variable that holds one is called
`meld`, as `set` is Python's. An *arrangement* (a table) is a tuple of sets in canonical order, so that equal
multisets are equal tuples. Hands are any iterable of tiles. `read_tiles`, `read_set` and `read_table` read
texts; `str` of a tile, `set_text` and `table_text` write them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, combinations, product
from typing import Any, NamedTuple, TypeVar

COLOURS = "krby"


# --- Section 1: tiles and sets ------------------------------------------------------------------------------


class Tile(NamedTuple):
    """A tile by colour (0..3 for k r b y) and number; tuples sort as hands do, jokers last."""

    colour: int
    number: int

    def __str__(self) -> str:
        return "*" if self == JOKER else f"{COLOURS[self.colour]}{self.number}"


JOKER = Tile(len(COLOURS), 0)


@dataclass(frozen=True)
class Run:
    """Section 1: consecutive numbers of one colour from `first` on; `places[i]`: is the i-th tile a joker?

    Two runs are equal when colour, first number and the pattern of jokers agree.
    """

    colour: int
    first: int
    places: tuple[bool, ...]

    @property
    def size(self) -> int:
        return len(self.places)

    @property
    def jokers(self) -> int:
        return sum(self.places)

    @property
    def shown(self) -> list[Tile]:
        """The tile each place shows, a joker as the tile it stands for."""
        return [Tile(self.colour, self.first + i) for i in range(self.size)]

    @property
    def tiles(self) -> list[Tile]:
        return [JOKER if joker else tile for tile, joker in zip(self.shown, self.places, strict=True)]

    @property
    def order(self) -> tuple[int, ...]:
        """The canonical order: kind, colour, number, length; ties by the joker places, read as bits."""
        return 0, self.colour, self.first, self.size, sum(joker << i for i, joker in enumerate(self.places))


@dataclass(frozen=True)
class Group:
    """Section 1: one number in different colours; `colours` are those of the natural tiles, ascending.

    Two groups are equal when number, natural colours and count of jokers agree.
    """

    number: int
    colours: tuple[int, ...]
    jokers: int

    @property
    def size(self) -> int:
        return len(self.colours) + self.jokers

    @property
    def tiles(self) -> list[Tile]:
        return [Tile(colour, self.number) for colour in self.colours] + [JOKER] * self.jokers

    @property
    def order(self) -> tuple[int, ...]:
        """The canonical order: kind, colour, number, length; ties by the colours, read as bits."""
        return 1, self.colours[0], self.number, self.size, sum(1 << colour for colour in self.colours)

    def missing(self, rules: Rules) -> list[Tile]:
        """The tiles that a joker of this group may stand for."""
        return [Tile(c, self.number) for c in range(rules.colours) if c not in self.colours]


MeldSet = Run | Group
Arrangement = tuple[MeldSet, ...]


def naturals(meld: MeldSet) -> list[Tile]:
    return [tile for tile in meld.tiles if tile != JOKER]


def is_valid_set(meld: MeldSet, rules: Rules) -> bool:
    """Section 1: three tiles or more, one of them natural, all of the edition, and not too many jokers."""
    if meld.size < 3 or not naturals(meld):
        return False
    if rules.max_jokers_per_set is not None and meld.jokers > rules.max_jokers_per_set:
        return False
    if isinstance(meld, Run):
        return all(in_edition(tile, rules) for tile in meld.shown)
    different = len(set(meld.colours)) == len(meld.colours) and meld.size <= rules.colours
    return different and all(in_edition(tile, rules) for tile in naturals(meld))


def in_edition(tile: Tile, rules: Rules) -> bool:
    """Section 1: whether there is such a natural tile."""
    return 0 <= tile.colour < rules.colours and 1 <= tile.number <= rules.numbers


def value(meld: MeldSet, rules: Rules) -> int:
    """Section 2, condition 4: the sum of the numbers, a joker as its tile or as `joker_meld_value`."""
    printed = sum(tile.number for tile in naturals(meld))
    if rules.joker_meld_value is not None:
        return printed + meld.jokers * rules.joker_meld_value
    if isinstance(meld, Run):
        return sum(tile.number for tile in meld.shown)
    return meld.size * meld.number


def readings(tiles: Iterable[Tile], rules: Rules) -> list[MeldSet]:
    """Section 1: what this ordered list of tiles can be read as, the run before the group."""
    tiles = list(tiles)
    candidates = [_as_run(tiles), _as_group(tiles)]
    return [meld for meld in candidates if meld is not None and is_valid_set(meld, rules)]


def _as_run(tiles: list[Tile]) -> Run | None:
    """The run these tiles form in this order: its first natural tile fixes what every place shows."""
    for i, tile in enumerate(tiles):
        if tile != JOKER:
            run = Run(tile.colour, tile.number - i, tuple(t == JOKER for t in tiles))
            return run if run.tiles == tiles else None
    return None


def _as_group(tiles: list[Tile]) -> Group | None:
    """The group these tiles form: order is irrelevant, colours are all different."""
    natural = sorted(tile for tile in tiles if tile != JOKER)
    colours = tuple(tile.colour for tile in natural)
    if len({tile.number for tile in natural}) != 1 or len(set(colours)) < len(colours):
        return None
    return Group(natural[0].number, colours, len(tiles) - len(natural))


def arrange(melds: Iterable[MeldSet]) -> Arrangement:
    """Section 1: the multiset of these sets, as the tuple in canonical order."""
    return tuple(sorted(melds, key=lambda meld: meld.order))


def tiles_of(table: Iterable[MeldSet]) -> Counter[Tile]:
    return Counter(tile for meld in table for tile in meld.tiles)


# --- Notation -----------------------------------------------------------------------------------------------

_TILE = re.compile(r"([krbyo])([1-9]\d?)|\*", re.IGNORECASE)


def read_tiles(text: str | Iterable[str]) -> list[Tile]:
    """The tiles of a text, joined or separated by spaces or commas, or of a list of texts, in their order."""
    joined = text if isinstance(text, str) else " ".join(text)
    if _TILE.sub("", joined).strip(" ,"):
        raise ValueError(f"no tiles: {joined!r}")
    return [_read_tile(found) for found in _TILE.finditer(joined)]


def _read_tile(found: re.Match[str]) -> Tile:
    if found[0] == "*":
        return JOKER
    return Tile(COLOURS.index(found[1].lower().replace("o", "y")), int(found[2]))


def read_set(text: str, rules: Rules) -> MeldSet:
    """Section 1: unmarked a text is the run where that fits on the numbers; a leading `=` says group."""
    found = readings(read_tiles(text.removeprefix("=")), rules)
    if text.startswith("="):
        found = [meld for meld in found if isinstance(meld, Group)]
    if not found:
        raise ValueError(f"no valid set: {text!r}")
    return found[0]


def read_table(text: str | Iterable[str], rules: Rules) -> Arrangement:
    sets = text.split() if isinstance(text, str) else text
    return arrange(read_set(each, rules) for each in sets)


def set_text(meld: MeldSet, rules: Rules) -> str:
    """The canonical text; a group is marked where it would be read as a run otherwise."""
    text = "".join(map(str, meld.tiles))
    return text if readings(meld.tiles, rules)[0] == meld else "=" + text


def table_text(table: Iterable[MeldSet], rules: Rules) -> list[str]:
    return [set_text(meld, rules) for meld in table]


# --- Sections 4 and 5: the fields that decide what is legal, and the presets --------------------------------


@dataclass(frozen=True)
class Rules:
    """Section 5: the fields that legality depends on; a mix the section does not allow is a ValueError."""

    colours: int = 4
    numbers: int = 13
    copies: int = 2
    jokers: int = 2
    max_jokers_per_set: int | None = None
    initial_meld: int = 30
    joker_meld_value: int | None = None
    table_play_on_opening_turn: bool = False
    joker_retrieval: str = "free"
    joker_sets_locked: bool = False
    retrieved_joker_use: str = "anywhere"
    group_joker_needs_all: bool = False
    joker_hand_value: int = 30

    def __post_init__(self) -> None:
        from_hand = self.joker_retrieval == "replace_from_hand"
        if self.joker_sets_locked and not from_hand:
            raise ValueError("joker_sets_locked needs replace_from_hand")
        bound = self.retrieved_joker_use != "anywhere" or self.group_joker_needs_all
        if bound and not self.joker_sets_locked:
            raise ValueError("new_set, hand_only_set and group_joker_needs_all need joker_sets_locked")


_FROM_HAND = {"joker_retrieval": "replace_from_hand"}
_LOCKED = _FROM_HAND | {"joker_sets_locked": True}
_NEW_SET = _LOCKED | {"retrieved_joker_use": "new_set"}

_PRESETS: dict[str, dict[str, Any]] = {
    "pup-rummy": {},
    "easy-rummy": {},
    "tile-rummy": {"joker_retrieval": "replace"},
    "dutch-rummy": _FROM_HAND,
    "rrrummy": _LOCKED,
    "rummi-q": _NEW_SET,
    "rummi-q-tournament": _NEW_SET | {"group_joker_needs_all": True},
    "rummy-o": _NEW_SET | {"initial_meld": 50, "joker_meld_value": 30},
    "tiles-50": _LOCKED | {"initial_meld": 50, "retrieved_joker_use": "hand_only_set"},
}

PRESETS: dict[str, Rules] = {name: Rules(**fields) for name, fields in _PRESETS.items()}


def read_rules(given: str | Mapping[str, Any]) -> Rules:
    """A preset's name, or an object of fields; what it leaves out is as in its `preset` or in section 5."""
    if isinstance(given, str):
        return PRESETS[given]
    fields = dict(given)
    preset = _PRESETS[fields.pop("preset")] if "preset" in fields else {}
    return Rules(**preset | fields)


def check_position(table: Iterable[MeldSet], hand: Iterable[Tile], rules: Rules) -> None:
    """Section 1: ValueError unless every set is valid and no tile is there more often than in the edition."""
    for meld in table:
        if not is_valid_set(meld, rules):
            raise ValueError(f"no valid set: {meld}")
    for tile, found in (tiles_of(table) + Counter(hand)).items():
        if tile != JOKER and not in_edition(tile, rules):
            raise ValueError(f"no tile of this edition: {tile}")
        if found > (rules.jokers if tile == JOKER else rules.copies):
            raise ValueError(f"too many of {tile}: {found}")


# --- Every way to arrange tiles -----------------------------------------------------------------------------


def partitions(tiles: Iterable[Tile], rules: Rules) -> list[Arrangement]:
    """Section 1: every arrangement of exactly these tiles, each once."""
    return list(arrangements(tiles, [], rules))


def arrangements(must: Iterable[Tile], may: Iterable[Tile], rules: Rules) -> Iterator[Arrangement]:
    """Every arrangement that uses all of `must`, any part of `may` and nothing else, each once."""
    must = Counter(must)
    yield from map(arrange, _arrangements(must + Counter(may), must, (), rules))


SearchOrder = tuple[tuple[int, ...], ...]


def _arrangements(
    left: Counter[Tile], must: Counter[Tile], least: SearchOrder, rules: Rules
) -> Iterator[list[MeldSet]]:
    """Put the smallest natural tile left into every set it can begin, or leave it where it need not be used.

    `left` are the tiles without a set, `must` those among them that need one. Sets are chosen in the order of
    their smallest natural tile, then in canonical order, never below `least`: so each multiset appears once.
    """
    natural = [tile for tile in left if tile != JOKER]
    if not natural:
        if not must:
            yield []
        return
    smallest = min(natural, key=_search_order)
    for meld in sets_from(smallest, left, rules):
        order = (_search_order(smallest), meld.order)
        if order >= least:
            used = Counter(meld.tiles)
            for rest in _arrangements(left - used, must - used, order, rules):
                yield [meld, *rest]
    if smallest not in must:
        unused = Counter({smallest: left[smallest]})
        yield from _arrangements(left - unused, must, (), rules)


def _search_order(tile: Tile) -> tuple[int, int]:
    return tile.number, tile.colour


def sets_from(smallest: Tile, left: Counter[Tile], rules: Rules) -> Iterator[MeldSet]:
    """Section 1: every valid set of tiles in `left` whose smallest natural tile is this one."""
    yield from (run for run in _runs_from(smallest, left, rules) if is_valid_set(run, rules))
    yield from (group for group in _groups_from(smallest, left, rules) if is_valid_set(group, rules))


def _runs_from(smallest: Tile, left: Counter[Tile], rules: Rules) -> Iterator[Run]:
    for ahead in range(left[JOKER] + 1):
        first = smallest.number - ahead
        if first >= 1:
            yield from _continued(Run(smallest.colour, first, (True,) * ahead + (False,)), left, rules)


def _continued(run: Run, left: Counter[Tile], rules: Rules) -> Iterator[Run]:
    """This run, and every way to go on with the tiles left."""
    yield run
    tile = Tile(run.colour, run.first + run.size)
    if not in_edition(tile, rules):
        return
    if left[tile]:
        yield from _continued(Run(run.colour, run.first, (*run.places, False)), left, rules)
    if left[JOKER] > run.jokers:
        yield from _continued(Run(run.colour, run.first, (*run.places, True)), left, rules)


def _groups_from(smallest: Tile, left: Counter[Tile], rules: Rules) -> Iterator[Group]:
    others = [c for c in range(smallest.colour + 1, rules.colours) if left[Tile(c, smallest.number)]]
    for more in _subsets(others):
        for jokers in range(left[JOKER] + 1):
            yield Group(smallest.number, (smallest.colour, *more), jokers)


Item = TypeVar("Item")


def _subsets(items: Iterable[Item]) -> Iterator[tuple[Item, ...]]:
    items = list(items)
    return chain.from_iterable(combinations(items, size) for size in range(len(items) + 1))


# --- Section 2: a turn --------------------------------------------------------------------------------------


class Turn(NamedTuple):
    """The table before and after a turn, and the tiles laid from the hand."""

    table: Arrangement
    played: Counter[Tile]
    after: Arrangement


def legal_tables(table: Arrangement, hand: Iterable[Tile], opened: bool, rules: Rules) -> list[Arrangement]:
    """Section 2: the table after every legal turn that lays something, each once."""
    hand = list(hand)
    conceivable = _conceivable(table, hand, opened, rules)
    return [after for after in conceivable if is_legal(table, hand, opened, rules, after)]


def _conceivable(table: Arrangement, hand: list[Tile], opened: bool, rules: Rules) -> Iterator[Arrangement]:
    """Every arrangement of the table and a part of the hand; the old sets as they are if they must stay."""
    if _counts_as_opened(opened, rules) or rules.table_play_on_opening_turn:
        yield from arrangements(tiles_of(table).elements(), hand, rules)
    else:
        for new in arrangements([], hand, rules):
            yield arrange(table + new)


def is_legal(
    table: Arrangement, hand: Iterable[Tile], opened: bool, rules: Rules, after: Arrangement
) -> bool:
    """Section 2: conditions 1 to 5, in their order."""
    if not all(is_valid_set(meld, rules) for meld in after):
        return False
    if tiles_of(table) - tiles_of(after):
        return False
    played = tiles_of(after) - tiles_of(table)
    if not played or played - Counter(hand):
        return False
    turn = Turn(table, played, after)
    if _counts_as_opened(opened, rules):
        return respects_jokers(turn, rules)
    return opens(turn, rules) or opens_with_table_play(turn, rules)


def _counts_as_opened(opened: bool, rules: Rules) -> bool:
    """Section 2: with an initial meld of 0 everyone counts as opened."""
    return opened or rules.initial_meld == 0


def opens(turn: Turn, rules: Rules) -> bool:
    """Section 2, condition 4: the old sets stand unchanged, the others are worth the initial meld."""
    if Counter(turn.table) - Counter(turn.after):
        return False
    new = Counter(turn.after) - Counter(turn.table)
    return sum(value(meld, rules) for meld in new.elements()) >= rules.initial_meld


def opens_with_table_play(turn: Turn, rules: Rules) -> bool:
    """Section 2, condition 4, `table_play_on_opening_turn`: legal for an opened player, and worth it."""
    if not rules.table_play_on_opening_turn or not respects_jokers(turn, rules):
        return False
    splits = arrangements([], turn.played.elements(), rules)
    return any(sum(value(meld, rules) for meld in split) >= rules.initial_meld for split in splits)


# --- Section 3: joker rules ---------------------------------------------------------------------------------


class Retrieval(NamedTuple):
    """What becomes of the jokers of one set of the old table.

    `kept` is the set with the replacing tiles in, its jokers being those that are kept; `taken` counts the
    retrieved ones; `replacing` are the natural tiles that let them go.
    """

    kept: MeldSet
    taken: int
    replacing: tuple[Tile, ...]


def respects_jokers(turn: Turn, rules: Rules) -> bool:
    """Section 3: some choice of kept and retrieved jokers justifies the table after the turn."""
    if rules.joker_retrieval == "free":
        return True
    options = [retrievals(meld, rules) for meld in turn.table if meld.jokers]
    return any(_is_justified(choice, turn, rules) for choice in product(*options))


def _is_justified(choice: tuple[Retrieval, ...], turn: Turn, rules: Rules) -> bool:
    if not _within_reach(choice, turn, rules):
        return False
    if rules.joker_sets_locked:
        return _keeps_sets(choice, turn, rules)
    return _keeps_roles([each.kept for each in choice], turn.after, rules)


def _within_reach(choice: tuple[Retrieval, ...], turn: Turn, rules: Rules) -> bool:
    """Section 3: `replace` asks for a tile laid or on the table, `replace_from_hand` for a hand tile each."""
    replacing = Counter(chain.from_iterable(each.replacing for each in choice))
    if rules.joker_retrieval == "replace":
        return all(tile in turn.played or tile in tiles_of(turn.table) for tile in replacing)
    return not replacing - turn.played


def retrievals(meld: MeldSet, rules: Rules) -> list[Retrieval]:
    """Section 3: every way for none, some or all jokers of a set to be retrieved, whatever is at hand."""
    return list(_run_retrievals(meld) if isinstance(meld, Run) else _group_retrievals(meld, rules))


def _run_retrievals(run: Run) -> Iterator[Retrieval]:
    """Section 3: in a run the place of a joker fixes the tile that replaces it; jokers are independent."""
    for taken in _subsets(i for i in range(run.size) if run.places[i]):
        places = tuple(joker and i not in taken for i, joker in enumerate(run.places))
        yield Retrieval(Run(run.colour, run.first, places), len(taken), tuple(run.shown[i] for i in taken))


def _group_retrievals(group: Group, rules: Rules) -> Iterator[Retrieval]:
    """Section 3: in a group tiles of missing colours replace jokers."""
    for taken in range(group.jokers + 1):
        for replacing in _subsets(group.missing(rules)):
            if len(replacing) in _tiles_that_replace(taken, group, rules):
                colours = sorted(group.colours + tuple(tile.colour for tile in replacing))
                kept = Group(group.number, tuple(colours), group.jokers - taken)
                yield Retrieval(kept, taken, replacing)


def _tiles_that_replace(taken: int, group: Group, rules: Rules) -> range:
    """Section 3: how many different tiles let this many jokers leave a group.

    Under `replace` one tile is enough for all of them, from the hand it is one tile each, and with
    `group_joker_needs_all` the tiles have to complete the group to all colours, jokers that stay counted.
    """
    if taken == 0:
        return range(1)
    if rules.joker_retrieval == "replace":
        return range(1, taken + 1)
    needed = taken + (rules.colours - group.size if rules.group_joker_needs_all else 0)
    return range(needed, needed + 1)


# Kept jokers where sets are not locked


def _keeps_roles(kept: list[MeldSet], after: Arrangement, rules: Rules) -> bool:
    """Section 3, not locked: each kept joker is in a set of its kind, for a tile it could still stand for."""
    roles = list(chain.from_iterable(_roles(meld, rules) for meld in kept))
    decisions = product(*(_decisions(meld, rules) for meld in after))
    return any(_fill(roles, list(chain.from_iterable(decision))) for decision in decisions)


def _roles(meld: MeldSet, rules: Rules) -> list[tuple[type, list[Tile]]]:
    """For each joker of a set: the kind of the set, and the tiles the joker may stand for."""
    if isinstance(meld, Run):
        return [(Run, [tile]) for tile, joker in zip(meld.shown, meld.places, strict=True) if joker]
    return [(Group, meld.missing(rules))] * meld.jokers


def _decisions(meld: MeldSet, rules: Rules) -> list[list[tuple[type, Tile]]]:
    """Every way to settle what the jokers of a set stand for: in a group different missing colours."""
    if isinstance(meld, Run):
        return [[(Run, tile) for tile, joker in zip(meld.shown, meld.places, strict=True) if joker]]
    return [[(Group, tile) for tile in tiles] for tiles in combinations(meld.missing(rules), meld.jokers)]


def _fill(roles: list[tuple[type, list[Tile]]], jokers: list[tuple[type, Tile]]) -> bool:
    """Whether each role can be given a joker of its own that stands for one of its tiles."""
    if not roles:
        return True
    (kind, tiles), *others = roles
    return any(
        joker_kind is kind and tile in tiles and _fill(others, jokers[:i] + jokers[i + 1 :])
        for i, (joker_kind, tile) in enumerate(jokers)
    )


# Kept joker sets where they are locked


def _keeps_sets(choice: tuple[Retrieval, ...], turn: Turn, rules: Rules) -> bool:
    """Section 3, locked: each kept set is in a set of its own, and retrieved jokers are where they may go."""
    kept = [each.kept for each in choice if each.kept.jokers]
    retrieved = sum(each.taken for each in choice)
    unspent = turn.played - Counter(chain.from_iterable(each.replacing for each in choice))
    return any(
        _well_placed(retrieved, unspent, added, others, rules)
        for added, others in _hosts(kept, list(turn.after))
    )


def _hosts(kept: list[MeldSet], after: list[MeldSet]) -> Iterator[tuple[int, list[MeldSet]]]:
    """Every way to find each kept set in a set of its own: the jokers added to those, and the other sets."""
    if not kept:
        yield 0, after
        return
    first, *rest = kept
    for i, host in enumerate(after):
        if extends(first, host):
            for added, others in _hosts(rest, after[:i] + after[i + 1 :]):
                yield host.jokers - first.jokers + added, others


def extends(kept: MeldSet, host: MeldSet) -> bool:
    """Section 3, locked: `host` is `kept` and at most tiles at the ends of the run, or further colours."""
    if isinstance(kept, Run) and isinstance(host, Run):
        ahead = kept.first - host.first
        same_colour = kept.colour == host.colour
        return same_colour and ahead >= 0 and host.places[ahead : ahead + kept.size] == kept.places
    if isinstance(kept, Group) and isinstance(host, Group):
        same_tiles = kept.number == host.number and set(kept.colours) <= set(host.colours)
        return same_tiles and kept.jokers <= host.jokers
    return False


def _well_placed(
    retrieved: int, unspent: Counter[Tile], added: int, others: list[MeldSet], rules: Rules
) -> bool:
    """Section 3, where a retrieved joker may go: unless anywhere, into sets that hold no kept one (`others`).

    `added` jokers extend kept sets, `unspent` are the hand tiles that replaced no joker.
    """
    if rules.retrieved_joker_use == "anywhere":
        return True
    return added <= unspent[JOKER] and _homes_found(retrieved, unspent, others, rules)


def _homes_found(retrieved: int, unspent: Counter[Tile], melds: list[MeldSet], rules: Rules) -> bool:
    """Whether these sets can take in so many retrieved jokers, no hand tile being used twice.

    The other jokers of these sets are hand jokers, and just as many as are left of those.
    """
    if not melds:
        return retrieved == 0
    first, *rest = melds
    if _homes_found(retrieved, unspent, rest, rules):
        return True
    return any(
        _homes_found(retrieved - here, unspent - laid, rest, rules)
        for here, laid in _homes(first, unspent, rules)
        if here <= retrieved
    )


def _homes(meld: MeldSet, unspent: Counter[Tile], rules: Rules) -> Iterator[tuple[int, Counter[Tile]]]:
    """Section 3: every way for a set to hold retrieved jokers: how many, and the natural hand tiles it needs.

    The rest of the core are hand tiles, at least two of them, a hand joker counts.
    """
    for core in cores(meld, rules):
        laid = Counter(naturals(core))
        for retrieved in range(1, core.jokers + 1):
            if core.size - retrieved >= 2 and not laid - unspent:
                yield retrieved, laid


def cores(meld: MeldSet, rules: Rules) -> list[MeldSet]:
    """Section 3: the parts of a set that may have to hold its retrieved jokers, and hand tiles alone.

    Under `new_set` that is any part that is a valid set of its own, under `hand_only_set` the whole.
    """
    if rules.retrieved_joker_use == "hand_only_set":
        return [meld]
    parts = _run_parts(meld) if isinstance(meld, Run) else _group_parts(meld)
    return [part for part in parts if is_valid_set(part, rules)]


def _run_parts(run: Run) -> Iterator[Run]:
    for start, end in combinations(range(run.size + 1), 2):
        yield Run(run.colour, run.first + start, run.places[start:end])


def _group_parts(group: Group) -> Iterator[Group]:
    for colours in _subsets(group.colours):
        for jokers in range(group.jokers + 1):
            yield Group(group.number, colours, jokers)


# --- What the protocol asks of a position -------------------------------------------------------------------


class Move(NamedTuple):
    """A legal turn: the tiles laid, sorted; the table afterwards; the points laid; the old sets unchanged."""

    played: tuple[Tile, ...]
    table: Arrangement
    points: int
    unchanged: int


def moves(table: Arrangement, hand: Iterable[Tile], opened: bool, rules: Rules) -> list[Move]:
    """Every legal turn that lays something, in no particular order; their number is the `count`."""
    return [move_to(table, after, rules) for after in legal_tables(table, hand, opened, rules)]


def move_to(table: Arrangement, after: Arrangement, rules: Rules) -> Move:
    played = tuple(sorted((tiles_of(after) - tiles_of(table)).elements()))
    return Move(played, after, points(played, rules), unchanged(table, after))


def points(tiles: Iterable[Tile], rules: Rules) -> int:
    """What these tiles count in hand: their numbers, a joker as `joker_hand_value`."""
    return sum(rules.joker_hand_value if tile == JOKER else tile.number for tile in tiles)


def unchanged(table: Arrangement, after: Arrangement) -> int:
    """How many sets of the old table stand as they were."""
    return (Counter(table) & Counter(after)).total()


def plays(found: Iterable[Move]) -> Counter[tuple[Tile, ...]]:
    """The distinct parts of the hand that can be laid, each with the number of its legal tables."""
    return Counter(move.played for move in found)


def best_tiles(found: Iterable[Move]) -> int:
    """The most tiles that can be laid, 0 where none can."""
    return max((len(move.played) for move in found), default=0)


def best_points(found: Iterable[Move]) -> int:
    """The most points that can be laid, 0 where no tile can."""
    return max((move.points for move in found), default=0)


Objective = str | Mapping[str, int]  # "tiles", "points", or a weight for each tile laid


def optimal(found: Iterable[Move], objective: Objective = "tiles") -> list[Move]:
    """The moves that are best by the objective alone."""
    return _highest(found, lambda move: _merit(move, objective))


def best(found: Iterable[Move], objective: Objective = "tiles", prefer: str | None = None) -> list[Move]:
    """The moves that are best by the objective and its ties: only the order of moves tells these apart.

    Ties go to more tiles, then more points (either may be the objective itself), then with `fewest_changes`
    to more sets unchanged.
    """
    stable = prefer == "fewest_changes"

    def rank(move: Move) -> tuple[int, int, int, int]:
        return _merit(move, objective), len(move.played), move.points, move.unchanged if stable else 0

    return _highest(found, rank)


def _highest(found: Iterable[Move], key: Callable[[Move], Any]) -> list[Move]:
    found = list(found)
    highest = max(map(key, found), default=None)
    return [move for move in found if key(move) == highest]


def _merit(move: Move, objective: Objective) -> int:
    if isinstance(objective, Mapping):
        return sum(objective.get(str(tile), 0) for tile in move.played)
    return {"tiles": len(move.played), "points": move.points}[objective]
