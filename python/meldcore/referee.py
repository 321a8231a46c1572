"""The referee: whether a turn is legal, and every reason why it is not.

No tables are searched. What is uncertain about a turn is only which jokers of the old table were kept and which
were retrieved, and which hand tiles replaced those: a few choices, of which the one with the fewest problems counts.
Source: RULES.md 2 and 3; the codes of PROTOCOL.md.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, cycle, islice, product
from typing import NamedTuple

from .rules import Rules
from .sets import set_text, tile_text

CODES = (
    "invalid_set",
    "tile_missing",
    "tile_not_in_hand",
    "nothing_played",
    "table_touched_before_opening",
    "initial_meld_too_low",
    "joker_not_replaced",
    "joker_set_broken",
    "joker_replaced_from_table",
    "group_joker_needs_all",
    "retrieved_joker_misplaced",
    "joker_kept_in_hand",
    "taken_card_not_laid",
    "no_discard",
)
"""What can be wrong with a turn, in the order in which problems are listed; the last two in the card game alone."""

_RANK = {code: rank for rank, code in enumerate(CODES)}


@dataclass(frozen=True, slots=True)
class Problem:
    """One reason why a turn is illegal.

    ``code``: one of CODES. ``message``: a sentence for the player. ``set``: the set or tile concerned, or None
    where it is the turn as a whole.
    """

    code: str
    message: str
    set: str | None = None


@dataclass(frozen=True, slots=True)
class TableJoker:
    """A joker that lay on the table before a turn.

    ``set``: the set it lay in. ``stands_for``: the tile it stood for there; in a group that misses several
    colours these tiles, separated by spaces, of which it is any one. ``kept``: it still stands in a set of that
    kind for such a tile; otherwise it was retrieved, rightly or not.
    """

    set: str
    stands_for: str
    kept: bool


@dataclass(frozen=True, slots=True)
class JokerRole:
    """A joker on the table now.

    ``set`` and ``stands_for``: as in TableJoker. ``freed_by``: every way to retrieve it alone in this turn, each
    the hand tiles that replace it, all of them together; where nothing needs to replace it, one way without tiles;
    no way where it cannot be retrieved. Whether it can then be used as the rules demand is not looked at.
    """

    set: str
    stands_for: str
    freed_by: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the referee says about a turn.

    ``played``: the tiles laid. ``meld_value``: what the new sets made of hand tiles alone are worth; on an opening
    turn with table play, the most that a part of the tiles laid is worth in sets. ``jokers``: what became of each
    joker of the table before. ``problems``: all that is wrong, in the order of CODES; none where the turn is legal.
    """

    legal: bool
    played: tuple[str, ...]
    meld_value: int
    jokers: tuple[TableJoker, ...]
    problems: tuple[Problem, ...]


class Turn(NamedTuple):
    """What the referee is told about a turn. A natural tile is colour << 4 | number; sets are set codes."""

    rules: Rules
    opening: bool  # the initial meld has still to be laid
    no_sets: Sequence[tuple[str, str]]  # what lies on the table and is no set: its tiles, and why
    played: tuple[str, ...]
    missing: Sequence[str]  # natural tiles of the table before that are not on the table any more
    foreign: Sequence[str]  # tiles laid that are not in the hand
    laid: bytes  # how often each natural tile was laid
    on_table: bytes  # how often each natural tile lay on the table before
    jokers_laid: int  # below 0: jokers of the table before are missing
    meld_value: int
    changed: Sequence[int]  # sets of the table before that do not stand as they were
    before: Sequence[int]  # the sets with jokers, before and after
    after: Sequence[int]

    @property
    def table_is_fixed(self) -> bool:
        return self.opening and not self.rules.table_play_on_opening_turn


def judge(turn: Turn) -> Verdict:
    """Whether the turn is legal, and every reason why it is not."""
    problems = _problems_of_tiles(turn)
    if turn.opening:
        problems += _problems_of_opening(turn)
    # What a joker in no valid set stands for is undecided, and so is what became of the others.
    bound = not turn.table_is_fixed and not any("*" in text for text, _ in turn.no_sets)
    jokers: tuple[TableJoker, ...] = ()
    if turn.before:
        if sum(read_form(code).jokers for code in turn.after) > turn.rules.jokers:
            bound = False  # nor can anybody tell more jokers apart than there are: those in sets unchanged were kept
            turn = turn._replace(after=tuple((Counter(turn.before) & Counter(turn.after)).elements()))
        choice = _Jokers(turn, turn.rules.joker_retrieval if bound else "free").best()
        jokers = tuple(choice.jokers(turn))
        problems += choice.problems(turn)
    if turn.jokers_laid < 0:
        some = "a joker" if turn.jokers_laid == -1 else f"{-turn.jokers_laid} jokers"
        message = f"{some} of the table cannot be found there: a joker may leave its set, but not the table"
        problems.append(Problem("joker_kept_in_hand", message, "*"))
    problems.sort(key=lambda problem: _RANK[problem.code])
    return Verdict(not problems, turn.played, turn.meld_value, jokers, tuple(problems))


class Replacement(NamedTuple):
    """Hand tiles that took the place of jokers in one set, and how many jokers they freed."""

    set: str
    tiles: tuple[str, ...]
    jokers: int


class Retrieval(NamedTuple):
    """How a legal turn retrieved its jokers.

    `homes`: the sets afterwards that have to be laid new, because retrieved jokers may lie in them alone.
    """

    replacements: tuple[Replacement, ...]
    homes: frozenset[str]


def retrieval_of(turn: Turn) -> Retrieval:
    """How the jokers of a legal turn came free, where hand tiles have to replace them (RULES.md 3).

    Sets that stand as they were are left alone, unless one of their jokers has to go for the turn to be legal.
    """
    if turn.rules.joker_retrieval != "replace_from_hand":
        return Retrieval((), frozenset())
    same = Counter(turn.before) & Counter(turn.after)
    changed = turn._replace(
        before=tuple((Counter(turn.before) - same).elements()), after=tuple((Counter(turn.after) - same).elements())
    )
    choice = _Jokers(changed, turn.rules.joker_retrieval).best()
    if any(choice.rank()):
        changed = turn
        choice = _Jokers(turn, turn.rules.joker_retrieval).best()
    replacements = []
    left = bytearray(turn.laid)
    for code, fate in zip(changed.before, choice.fates, strict=True):
        if fate.replacing:
            text = text_of(code, turn.rules)
            replacements.append(Replacement(text, tile_names(fate.replacing, turn.rules), fate.stays.count(False)))
        for tile in fate.replacing:
            left[tile] -= 1
    homes = set()
    if replacements and turn.rules.retrieved_joker_use != "anywhere":
        whole = turn.rules.retrieved_joker_use == "hand_only_set"
        homes = {text_of(code, turn.rules) for code in changed.after if any(read_form(code).cores(whole, left))}
    return Retrieval(tuple(replacements), frozenset(homes))


def _problems_of_tiles(turn: Turn) -> list[Problem]:
    """RULES.md 2, conditions 1 to 3."""
    problems = tiles_amiss("tile", turn.no_sets, turn.missing, turn.foreign)
    if not turn.played:
        problems.append(Problem("nothing_played", "no tile is played, and rearranging alone is no turn"))
    return problems


def tiles_amiss(
    noun: str, no_sets: Sequence[tuple[str, str]], missing: Sequence[str], foreign: Sequence[str]
) -> list[Problem]:
    """What forms no set, is missing, or is not in the hand."""
    return [
        *(Problem("invalid_set", f"{text!r} is no set: {why}", text) for text, why in no_sets),
        *(Problem("tile_missing", f"{noun} {tile!r} of the table is missing", tile) for tile in missing),
        *(Problem("tile_not_in_hand", f"{noun} {tile!r} is played, and not in the hand", tile) for tile in foreign),
    ]


def _problems_of_opening(turn: Turn) -> list[Problem]:
    """RULES.md 2, condition 4."""
    problems = []
    least = turn.rules.initial_meld
    if turn.table_is_fixed:
        for code in turn.changed:
            text = text_of(code, turn.rules)
            message = f"{text} was changed: the sets on the table stay as they are until the player has opened"
            problems.append(Problem("table_touched_before_opening", message, text))
        worth = f"the sets laid are worth {turn.meld_value}"
    else:
        worth = f"no part of the tiles played can be split into sets that are worth more than {turn.meld_value}"
    if turn.meld_value < least:
        problems.append(Problem("initial_meld_too_low", f"{worth}, and the initial meld is {least}"))
    return problems


def roles(
    rules: Rules, table: Sequence[int], hand: bytes, on_table: bytes, table_is_fixed: bool
) -> tuple[JokerRole, ...]:
    """Every joker of the sets ``table``: what it stands for, and what would free it."""
    found = []
    ways: list[tuple[int, ...]]
    for code in table:
        form = read_form(code)
        for tiles in joker_tiles(form, rules.colours):
            if rules.cards:
                ways = _card_rescues(form, tiles, hand, rules)
            elif table_is_fixed:
                ways = []
            elif rules.joker_retrieval == "free" or (
                rules.joker_retrieval == "replace" and any(on_table[tile] for tile in tiles)
            ):
                ways = [()]
            else:
                held = [tile for tile in tiles if hand[tile]]
                ways = list(combinations(held, form.tiles_to_free(1, rules)))
            text = text_of(code, rules)
            freed_by = tuple(tile_names(way, rules) for way in ways)
            found.append(JokerRole(text, " ".join(tile_names(tiles, rules)), freed_by))
    return tuple(found)


# ---- sets with jokers


class Form(NamedTuple):
    """A set: in a run `mask` says where the jokers lie, in a group what colours are natural."""

    group: bool
    colour: int  # 0 in a group
    number: int  # of the group, or the first of the run
    size: int
    mask: int
    jokers: int

    def tiles_to_free(self, jokers: int, rules: Rules) -> int:
        """RULES.md 3: how many different hand tiles let this many of its jokers leave."""
        if jokers and self.group and rules.group_joker_needs_all:
            return jokers + rules.colours - self.size
        return jokers

    def extends(self, kept: "Form") -> bool:
        """RULES.md 3, locked: it is `kept`, but for tiles at the ends of the run, or further colours."""
        if self.group != kept.group:
            return False
        if self.group:
            return self.number == kept.number and not kept.mask & ~self.mask and kept.jokers <= self.jokers
        ahead = kept.number - self.number
        return (
            self.colour == kept.colour
            and 0 <= ahead <= self.size - kept.size
            and self.mask >> ahead & (1 << kept.size) - 1 == kept.mask
        )

    def cores(self, whole: bool, left: bytearray) -> Iterator[tuple[int, tuple[int, ...]]]:
        """RULES.md 3: the parts that may hold its retrieved jokers, of hand tiles `left` otherwise.

        For each the most jokers retrieved in it, and its natural tiles. `whole`: all of it is the only part.
        """
        if self.group:
            naturals = tuple(c << 4 | self.number for c in range(4) if self.mask >> c & 1)
            for count in range(len(naturals) if whole else 1, len(naturals) + 1):
                for part in combinations(naturals, count):
                    if count + self.jokers >= 3 and all(left[tile] for tile in part):
                        yield min(self.jokers, count + self.jokers - 2), part
            return
        first = self.colour << 4 | self.number
        for start in range(1 if whole else self.size - 2):
            laid: tuple[int, ...] = ()
            for end in range(start, self.size):
                if not self.mask >> end & 1:
                    if not left[first + end]:
                        break
                    laid += (first + end,)
                size = end - start + 1
                jokers = size - len(laid)
                if laid and jokers and (end == self.size - 1 if whole else size >= 3):
                    yield min(jokers, size - 2), laid


@lru_cache(maxsize=1 << 12)
def read_form(code: int) -> Form:
    """The set of a set code (see the core's `sets.pxd`)."""
    number, size, detail = code >> 23 & 15, code >> 19 & 15, code & (1 << 15) - 1
    if code >> 29:
        return Form(True, 0, number, size, detail >> 4, detail & 15)
    return Form(False, code >> 27 & 3, number, size, detail, detail.bit_count())


@lru_cache(maxsize=1 << 12)
def joker_tiles(form: Form, colours: int) -> tuple[tuple[int, ...], ...]:
    """For each joker of a set the tiles that it may stand for."""
    if form.group:
        missing = tuple(c << 4 | form.number for c in range(colours) if not form.mask >> c & 1)
        return (missing,) * form.jokers
    first = form.colour << 4 | form.number
    return tuple((first + i,) for i in range(form.size) if form.mask >> i & 1)


def _card_rescues(form: Form, tiles: Sequence[int], hand: bytes, rules: Rules) -> list[tuple[int, ...]]:
    """RULES.md 7: what the hand has to free one joker that may stand for these cards; from a group of four nothing."""
    if form.group and form.size == 4:
        return []
    needed = 2 if form.group and rules.group_rescue_needs_both else 1
    return list(combinations([tile for tile in tiles if hand[tile]], needed))


@lru_cache(maxsize=1 << 12)
def _replaced(form: Form, tiles: tuple[int, ...], jokers: int) -> Form:
    """A set with tiles in, and without this many jokers: in a run they lie where the tiles belong."""
    left = form.jokers - jokers
    if form.group:
        mask = form.mask | sum(1 << (tile >> 4) for tile in tiles)
        return form._replace(mask=mask, jokers=left, size=mask.bit_count() + left)
    first = form.colour << 4 | form.number
    return form._replace(mask=form.mask & ~sum(1 << (tile - first) for tile in tiles), jokers=left)


def tile_names(tiles: Iterable[int], rules: Rules) -> tuple[str, ...]:
    return tuple(tile_text(tile, rules.cards) for tile in tiles)


def text_of(code: int, rules: Rules) -> str:
    return set_text(code, rules.numbers, rules.cards)


# ---- what became of the jokers

_Role = tuple[bool, tuple[int, ...]]
"""What a joker does: whether it lies in a group, and the tiles it may stand for."""


class _Fate(NamedTuple):
    """What may have become of the jokers of one set.

    `kept` is the set with the replacing tiles in, its jokers those that were kept; `stays` says which those are.
    `lost` holds the roles of the jokers that left without a tile in their place. `faults` are codes of problems.
    """

    kept: Form
    stays: tuple[bool, ...]
    replacing: tuple[int, ...]
    lost: tuple[tuple[int, ...], ...]
    faults: tuple[tuple[str, tuple[int, ...]], ...]


Rank = tuple[int, list[int]]


def rank_of(codes: Sequence[str]) -> Rank:
    """Choices compare by it: fewest problems first, then by the order of their codes."""
    return len(codes), sorted(_RANK[code] for code in codes)


class _Choice(NamedTuple):
    """A choice of kept and retrieved jokers, with all that is wrong about it."""

    fates: tuple[_Fate, ...]
    broken: tuple[int, ...]  # which sets were kept, and are not whole any more
    misplaced: tuple[Form, ...]  # where retrieved jokers lie that may not lie there

    def rank(self) -> Rank:
        codes = [code for fate in self.fates for code, _ in fate.faults]
        codes += ["joker_set_broken"] * len(self.broken)
        codes += ["retrieved_joker_misplaced"] * len(self.misplaced)
        return rank_of(codes)

    def jokers(self, turn: Turn) -> Iterator[TableJoker]:
        for code, fate in zip(turn.before, self.fates, strict=True):
            text = text_of(code, turn.rules)
            for tiles, kept in zip(joker_tiles(read_form(code), turn.rules.colours), fate.stays, strict=True):
                yield TableJoker(text, " ".join(tile_names(tiles, turn.rules)), kept)

    def problems(self, turn: Turn) -> list[Problem]:
        problems = []
        for code, fate in zip(turn.before, self.fates, strict=True):
            text = text_of(code, turn.rules)
            for fault, tiles in fate.faults:
                problems.append(Problem(fault, _sentence(fault, text, tiles, turn.rules), text))
        for i in self.broken:
            text = text_of(turn.before[i], turn.rules)
            message = (
                f"the joker in {text} was not replaced, so its set stays together: tiles may be added, "
                "but none may leave, and it joins no other such set"
            )
            problems.append(Problem("joker_set_broken", message, text))
        for form in self.misplaced:
            text = next(text_of(code, turn.rules) for code in turn.after if read_form(code) == form)
            message = f"a joker taken from its set lies in {text}: {_where(turn.rules)}"
            problems.append(Problem("retrieved_joker_misplaced", message, text))
        return problems


def _sentence(code: str, text: str, tiles: Sequence[int], rules: Rules) -> str:
    names = tile_names(tiles, rules)
    if code == "joker_replaced_from_table":
        return (
            f"the joker in {text} was moved, and the {' or '.join(names)} in its place came from the table: "
            "it has to come from your hand"
        )
    if code == "group_joker_needs_all":
        return f"the joker in {text} was moved, but it leaves only when your hand completes the group to all colours"
    source = "on the table or " if rules.joker_retrieval == "replace" else ""
    return f"the joker in {text} was moved, but no {' or '.join(names)} {source}from your hand took its place"


def _where(rules: Rules) -> str:
    if rules.retrieved_joker_use == "hand_only_set":
        return "it goes into a set with two or more tiles from your hand, and none from the table"
    return "it goes into a new set that it forms with two or more tiles from your hand"


class _Jokers:
    """The choices of kept and retrieved jokers that a turn leaves open."""

    def __init__(self, turn: Turn, retrieval: str) -> None:
        self.turn = turn
        self.rules = turn.rules
        self.retrieval = retrieval
        self.sets = [read_form(code) for code in turn.before]
        self.after = [read_form(code) for code in turn.after]
        # for each set the tiles that one joker or another stands for
        self.stands = [{tile for role in joker_tiles(form, self.rules.colours) for tile in role} for form in self.after]
        self.choice: _Choice | None = None
        self.rank: Rank = (0, [])

    def best(self) -> _Choice:
        """The choice with the fewest problems, ties by the order of their codes; jokers are kept where they can."""
        before, after = self.turn.before, self.turn.after
        if all(before.count(code) <= after.count(code) for code in before):
            stay = tuple(_Fate(form, (True,) * form.jokers, (), (), ()) for form in self.sets)
            return _Choice(stay, (), ())
        self._choose((), bytearray(self.turn.laid), ())
        assert self.choice is not None  # one with as few jokers lost as can be is always thinkable
        return self.choice

    def _choose(self, fates: tuple[_Fate, ...], left: bytearray, faults: tuple[str, ...]) -> None:
        """Try every fate of the next set, after `fates` with these faults; `left` are hand tiles not spent yet."""
        if self.choice is not None and self.rank <= rank_of(faults):
            return  # whatever follows can only add problems
        if len(fates) == len(self.sets):
            choice = self._concluded(fates, left)
            if choice is not None:
                rank = choice.rank()
                if self.choice is None or rank < self.rank:
                    self.choice, self.rank = choice, rank
            return
        form = self.sets[len(fates)]
        for fate in self._group_fates(form, left) if form.group else self._run_fates(form, left):
            spent = fate.replacing if self.retrieval == "replace_from_hand" else ()
            for tile in spent:
                left[tile] -= 1
            self._choose((*fates, fate), left, faults + tuple(code for code, _ in fate.faults))
            for tile in spent:
                left[tile] += 1

    def _within_reach(self, tile: int, left: bytearray) -> bool:
        return left[tile] > 0 or (self.retrieval == "replace" and self.turn.on_table[tile] > 0)

    def _lost(self, tiles: tuple[int, ...]) -> tuple[tuple[str, tuple[int, ...]], ...]:
        """What is wrong where a joker left without a tile in its place."""
        if self.retrieval == "free":
            return ()
        if self.retrieval == "replace_from_hand":
            moved = tuple(tile for tile in tiles if any(_holds(code, tile) for code in self.turn.changed))
            if moved:
                return (("joker_replaced_from_table", moved),)
        return (("joker_not_replaced", tiles),)

    def _run_fates(self, form: Form, left: bytearray) -> Iterator[_Fate]:
        """In a run the place of a joker fixes the tile that replaces it; jokers are independent."""
        tiles = [tile for (tile,) in joker_tiles(form, self.rules.colours)]
        ways = [
            [
                *(["stays"] if self._all_stand([(False, (tile,))]) else []),
                *(["replaced"] if self._within_reach(tile, left) else []),
                "lost",
            ]
            for tile in tiles
        ]
        for ends in product(*ways):
            gone = tuple(tile for tile, end in zip(tiles, ends, strict=True) if end != "stays")
            lost = [(tile,) for tile, end in zip(tiles, ends, strict=True) if end == "lost"]
            yield _Fate(
                _replaced(form, gone, len(gone)),
                tuple(end == "stays" for end in ends),
                tuple(tile for tile, end in zip(tiles, ends, strict=True) if end == "replaced"),
                tuple(lost),
                tuple(fault for role in lost for fault in self._lost(role)),
            )

    def _group_fates(self, form: Form, left: bytearray) -> Iterator[_Fate]:
        """In a group different tiles of missing colours replace jokers; under `replace` one is enough for all."""
        missing = joker_tiles(form, self.rules.colours)[0]
        near = [tile for tile in missing if self._within_reach(tile, left)] if self.retrieval != "free" else []
        most = 1 if self.retrieval == "replace" else len(near)
        for gone in range(0 if self._all_stand([(True, missing)]) else form.jokers, form.jokers + 1):
            needed = form.tiles_to_free(gone, self.rules)
            for count in range(min(needed, most), -1, -1):
                for replacing in combinations(near, count):
                    freed = gone if self.retrieval == "replace" and count else min(count, gone)
                    kept = _replaced(form, replacing, gone)
                    role = tuple(tile for tile in missing if tile not in replacing)
                    faults = self._lost(role) * (gone - freed)
                    if freed and count < form.tiles_to_free(freed, self.rules) and self.retrieval != "replace":
                        faults += (("group_joker_needs_all", role),)
                    stays = (True,) * (form.jokers - gone) + (False,) * gone
                    yield _Fate(kept, stays, replacing, (role,) * (gone - freed), faults)

    def _concluded(self, fates: tuple[_Fate, ...], left: bytearray) -> _Choice | None:
        """The choice these fates are, or None where it is not thinkable.

        A joker can only be kept where one stands in a set of its kind for a tile it could stand for. And none is
        lost that could be kept, or that a tile `left` could replace.
        """
        colours = self.rules.colours
        kept = [(fate.kept.group, role) for fate in fates for role in joker_tiles(fate.kept, colours)]
        if not self._all_stand(kept):
            return None
        for fate in fates:
            for role in fate.lost:
                replaced = self.retrieval != "free" and any(self._within_reach(tile, left) for tile in role)
                if replaced or self._all_stand([*kept, (fate.kept.group, role)]):
                    return None
        if not self.rules.joker_sets_locked or self.retrieval == "free":
            return _Choice(fates, (), ())
        whole = [(i, fate.kept) for i, fate in enumerate(fates) if fate.kept.jokers]
        retrieved = sum(form.jokers for form in self.sets) - sum(form.jokers for _, form in whole)
        retrieved = max(0, retrieved + min(0, self.turn.jokers_laid))
        placements = self._placements(fates, whole, list(range(len(self.after))), retrieved, left, ())
        return min(placements, key=_Choice.rank)

    def _all_stand(self, roles: Sequence[_Role], taken: tuple[tuple[int, int], ...] = ()) -> bool:
        """Whether each role can be given a joker of its own; `taken` pairs sets with tiles, a joker each."""
        if not roles:
            return True
        group, tiles = roles[0]
        for i, form in enumerate(self.after):
            if form.group == group and sum(j == i for j, _ in taken) < form.jokers:
                for tile in tiles:
                    fits = tile in self.stands[i] and (i, tile) not in taken
                    if fits and self._all_stand(roles[1:], (*taken, (i, tile))):
                        return True
        return False

    def _placements(
        self,
        fates: tuple[_Fate, ...],
        kept: Sequence[tuple[int, Form]],
        free: list[int],
        retrieved: int,
        left: bytearray,
        broken: tuple[int, ...],
    ) -> Iterator[_Choice]:
        """Every way to find each kept set whole in a set of its own among those `free`, or to call it broken.

        The retrieved jokers have to find room in the sets left over. Where one of them extends a kept set instead,
        too few jokers lie in these, so that need not be looked at.
        """
        if kept:
            (i, form), *others = kept
            for host in free:
                if self.after[host].extends(form):
                    rest = [other for other in free if other != host]
                    yield from self._placements(fates, others, rest, retrieved, left, broken)
            yield from self._placements(fates, others, free, retrieved, left, (*broken, i))
            return
        misplaced: tuple[Form, ...] = ()
        if retrieved and self.rules.retrieved_joker_use != "anywhere":
            homes = [self.after[i] for i in free]
            well = self._placed(retrieved, left, homes)
            if well < retrieved:
                hosts = [form for i, form in enumerate(self.after) if i not in free]
                unfit = [form for form in homes if not self._placed(1, left, [form])]
                found = unfit or [form for form in hosts if form.jokers > 1] or homes or hosts
                spots = [form for form in found for _ in range(form.jokers)]
                misplaced = tuple(islice(cycle(spots), retrieved - well))
        yield _Choice(fates, broken, misplaced)

    def _placed(self, retrieved: int, left: bytearray, homes: Sequence[Form]) -> int:
        """How many of so many retrieved jokers these sets can take in, no hand tile being used twice."""
        if not homes or not retrieved:
            return 0
        most = self._placed(retrieved, left, homes[1:])
        whole = self.rules.retrieved_joker_use == "hand_only_set"
        for jokers, tiles in homes[0].cores(whole, left):
            if most == retrieved:
                break
            here = min(jokers, retrieved)
            for tile in tiles:
                left[tile] -= 1
            most = max(most, here + self._placed(retrieved - here, left, homes[1:]))
            for tile in tiles:
                left[tile] += 1
        return most


def _holds(code: int, tile: int) -> bool:
    """Whether a set holds a natural tile."""
    form = read_form(code)
    if form.group:
        return tile & 15 == form.number and bool(form.mask >> (tile >> 4) & 1)
    place = tile - (form.colour << 4 | form.number)
    return 0 <= place < form.size and not form.mask >> place & 1
