"""Positions of odd editions, small enough for the reference model to list all their turns."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import combinations, islice, product

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

import reference as ref

# For properties that drop many examples, because the reference would take too long for them.
choosy = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])

LOCKED = {"joker_retrieval": "replace_from_hand", "joker_sets_locked": True}
JOKER_RULES = [
    {},
    {"joker_retrieval": "replace"},
    {"joker_retrieval": "replace_from_hand"},
    *(
        LOCKED | {"retrieved_joker_use": use, "group_joker_needs_all": needs_all}
        for use in ("anywhere", "new_set", "hand_only_set")
        for needs_all in (False, True)
    ),
]

editions = st.fixed_dictionaries(
    {
        "colours": st.integers(1, 4),
        "numbers": st.integers(3, 15),
        "copies": st.integers(1, 3),
        "jokers": st.integers(0, 4),
        "max_jokers_per_set": st.none() | st.integers(0, 4),
    }
)

turn_rules = st.fixed_dictionaries(
    {
        "initial_meld": st.integers(0, 60),
        "joker_meld_value": st.none() | st.sampled_from([0, 1, 7, 30]),
        "joker_hand_value": st.sampled_from([30, 0, 25, 3]),
        "table_play_on_opening_turn": st.booleans(),
    }
)

joker_rules = st.sampled_from(JOKER_RULES)


@cache
def short_sets(fields, lowest, highest):
    """Every valid set of 3 to 5 tiles that shows only these numbers."""
    rules = ref.Rules(**dict(fields))
    found = []
    for size in (3, 4, 5):
        for colour, first in product(range(rules.colours), range(lowest, highest - size + 2)):
            found += [ref.Run(colour, first, places) for places in product((False, True), repeat=size)]
    for number, jokers, mask in product(range(lowest, highest + 1), range(4), range(16)):
        found.append(ref.Group(number, tuple(c for c in range(4) if mask >> c & 1), jokers))
    return [meld for meld in found if ref.is_valid_set(meld, rules) and meld.jokers <= rules.jokers]


def tiles_between(lowest, highest, rules):
    """How many there are of each tile of these numbers, and of jokers."""
    pool = Counter({ref.Tile(c, n): rules.copies for c in range(rules.colours) for n in range(lowest, highest + 1)})
    pool[ref.JOKER] = rules.jokers
    return pool


@st.composite
def positions(draw, most_sets=3, most_hand=9, most_tiles=14, edition=editions, joker_rules=joker_rules):
    """Fields of rules, the sets of a table, a hand, and whether the player has opened.

    The tiles are of few neighbouring numbers, so that they have something to do with each other.
    """
    fields = draw(edition)
    width = draw(st.integers(3, 5))
    lowest = draw(st.integers(1, max(1, fields["numbers"] - width + 1)))
    highest = min(lowest + width - 1, fields["numbers"])
    rules = ref.Rules(**fields)
    pool = tiles_between(lowest, highest, rules)
    melds = short_sets(tuple(fields.items()), lowest, highest)

    def dealt(most):
        """Some sets that the pool has the tiles for; they leave it."""
        sets = []
        for meld in draw(st.lists(st.sampled_from(melds), max_size=most)) if melds else []:
            if not Counter(meld.tiles) - pool:
                pool.subtract(meld.tiles)
                sets.append(meld)
        return sets

    table = dealt(most_sets)
    hand = [tile for meld in dealt(2) for tile in meld.tiles]
    loose = draw(st.permutations(sorted(pool.elements())))
    hand += loose[: draw(st.integers(0, most_hand))]
    hand = hand[: max(0, min(most_hand, most_tiles - sum(meld.size for meld in table)))]
    fields = fields | draw(turn_rules) | draw(joker_rules)
    return fields, ref.arrange(table), hand, draw(st.sampled_from([True, True, False]))


@st.composite
def crowded(draw, joker_rules=joker_rules, most_hand=8):
    """A position whose table is full: here the count is a matrix, and the moves come from a diagram."""
    fields = draw(editions)
    rules = ref.Rules(**fields)
    chance = draw(st.randoms(use_true_random=False))
    pool = tiles_between(1, rules.numbers, rules)
    melds = [
        meld
        for lowest in range(1, rules.numbers - 1)
        for meld in short_sets(tuple(fields.items()), lowest, min(lowest + 3, rules.numbers))
    ]
    table = []
    while melds and len(table) < 12:
        meld = chance.choice(melds)
        if not Counter(meld.tiles) - pool:
            pool.subtract(meld.tiles)
            table.append(meld)
        melds = [meld for meld in chance.sample(melds, len(melds) // 2) if not Counter(meld.tiles) - pool]
    tiles = sorted(pool.elements())
    hand = chance.sample(tiles, min(len(tiles), draw(st.integers(0, most_hand))))
    return fields | draw(joker_rules), ref.arrange(table), hand, True


# ---- jokers on the table

joker_editions = st.sampled_from(
    [
        {"colours": 4, "numbers": 13, "copies": 2, "jokers": 2},
        {"colours": 4, "numbers": 13, "copies": 2, "jokers": 4},
        {"colours": 4, "numbers": 13, "copies": 3, "jokers": 4},
        {"colours": 3, "numbers": 8, "copies": 2, "jokers": 3},
    ]
) | st.fixed_dictionaries(
    {
        "colours": st.integers(1, 4),
        "numbers": st.integers(3, 15),
        "copies": st.integers(1, 3),
        "jokers": st.sampled_from([2, 4, 3, 1, 0]),
        "max_jokers_per_set": st.sampled_from([None, None, 2, 1, 0]),
    }
)

rule_sets = st.sampled_from(sorted(ref.PRESETS)).map(lambda name: {"preset": name}) | joker_rules.map(
    lambda mix: {"initial_meld": 0} | mix
)

# over those of a preset: few tiles are rarely worth 30
opening_rules = st.fixed_dictionaries(
    {"table_play_on_opening_turn": st.booleans()},
    optional={
        "initial_meld": st.sampled_from([0, 1, 6, 12, 30]),
        "joker_meld_value": st.sampled_from([None, 0, 1, 30]),
    },
)


def jokers_of_a_set(chance, rules):
    most = rules.jokers if rules.max_jokers_per_set is None else min(rules.jokers, rules.max_jokers_per_set)
    return min(most, chance.choice([1, 1, 1, 2, 2, 3, 0]))


def runs_between(chance, lowest, highest, rules):
    """A run of up to seven tiles; or one twice; or two in a row that could be one. With jokers most often."""
    length = chance.randint(3, min(7, highest - lowest + 1))
    first = chance.randint(lowest, highest - length + 1)
    colour = chance.randrange(rules.colours)
    jokers = chance.sample([0, length - 1, *range(length)], jokers_of_a_set(chance, rules))
    places = tuple(i in jokers for i in range(length))
    cut = chance.choice([0, *range(3, length - 2)])
    pieces = [places[:cut], places[cut:]] if cut else [places]
    runs = [ref.Run(colour, first + at, piece) for at, piece in zip([0, cut], pieces, strict=False)]
    return runs * chance.choice([1, 1, 1, 2])


def groups_between(chance, lowest, highest, rules):
    """A group of three or four, or one twice. With jokers most often."""
    jokers = jokers_of_a_set(chance, rules)
    colours = chance.sample(range(rules.colours), min(rules.colours, max(1, chance.choice([3, 3, 4]) - jokers)))
    group = ref.Group(chance.randint(lowest, highest), tuple(sorted(colours)), jokers)
    return [group] * chance.choice([1, 1, 1, 2])


def replacing(meld, rules):
    """The tiles that may replace a joker of this set."""
    if isinstance(meld, ref.Group):
        return meld.missing(rules) if meld.jokers else []
    return [tile for tile, joker in zip(meld.shown, meld.places, strict=True) if joker]


def neighbours(meld, rules):
    """The tiles that may be added to this set."""
    if isinstance(meld, ref.Group):
        return meld.missing(rules)
    return [ref.Tile(meld.colour, meld.first - 1), ref.Tile(meld.colour, meld.first + meld.size)]


def pairs_between(lowest, highest, rules):
    """Two tiles each that are a set with a joker."""
    tiles = [tile for tile in tiles_between(lowest, highest, rules) if tile != ref.JOKER]
    for one, other in combinations(tiles, 2):
        alike = one.number == other.number and rules.colours > 2
        if alike or (one.colour == other.colour and abs(one.number - other.number) <= 2):
            yield [one, other]


@st.composite
def joker_positions(draw, joker_rules=rule_sets, most_tiles=13, most_arrangements=300):
    """As `positions`, with jokers on most tables, and hands that have something to do with them.

    The reference is to list the turns in a moment: tiles are left out until table and hand have few arrangements.
    """
    fields = draw(joker_editions)
    rules = ref.Rules(**fields)
    chance = draw(st.randoms(use_true_random=False))
    width = chance.randint(3, min(8, rules.numbers))
    # at the ends of the numbers a joker cannot stand for what would come next
    edges = [1, rules.numbers - width + 1]
    lowest = chance.choice([*edges, chance.randint(*edges)])
    highest = lowest + width - 1
    pool = tiles_between(lowest, highest, rules)
    table = []
    for make in chance.choices([runs_between, groups_between], k=chance.choice([2, 3, 1])):
        for meld in make(chance, lowest, highest, rules):
            fits = sum(each.size for each in table) + meld.size <= most_tiles - 2
            if fits and ref.is_valid_set(meld, rules) and Counter(meld.tiles) <= pool:
                pool.subtract(meld.tiles)
                table.append(meld)

    freeing = [[tile] for meld in table for tile in replacing(meld, rules)]
    ends = [[tile] for meld in table for tile in neighbours(meld, rules)]
    pairs = list(pairs_between(lowest, highest, rules))
    beside = [pair for pair in pairs if [pair[0]] in ends or [pair[1]] in ends]
    others = [[tile] for tile in sorted(pool)]
    # what frees a joker and what it may go to, then anything
    kinds = [
        freeing,
        beside,
        *chance.choices([freeing, ends, pairs, beside, others, [[ref.JOKER]]], k=chance.randint(1, 5)),
    ]
    hand = []
    for kind in kinds:
        fitting = [tiles for tiles in kind if Counter(tiles) <= pool]
        if fitting:
            tiles = chance.choice(fitting)
            pool.subtract(tiles)
            hand += tiles
    hand = hand[: most_tiles - sum(meld.size for meld in table)]
    while any(islice(ref.arrangements(ref.tiles_of(table).elements(), hand, rules), most_arrangements, None)):
        if hand:
            hand.pop()
        else:
            table.pop()
    fields = fields | draw(joker_rules) | draw(opening_rules)
    return fields, ref.arrange(table), hand, draw(st.sampled_from([True, True, True, False]))


@st.composite
def accidents(draw, drawn_positions):
    """A position, and a table after a turn that something may have happened to: lists of tiles."""
    drawn = draw(drawn_positions)
    fields, table, hand, _ = drawn
    rules = ref.read_rules(fields)
    found = list(islice(ref.arrangements(ref.tiles_of(table).elements(), hand, rules), 40))
    melds = draw(st.sampled_from(found)) if found else table
    after = [list(meld.tiles) for meld in melds]
    for _ in range(draw(st.integers(0, 3))):
        places = [(i, j) for i, tiles in enumerate(after) for j in range(len(tiles))]
        if not places:
            break
        i, j = draw(st.sampled_from(places))
        k, m = draw(st.sampled_from(places))
        match draw(st.sampled_from(["swap", "swap", "replace", "lose", "add", "move", "merge", "part", "set"])):
            case "swap":
                after[i][j], after[k][m] = after[k][m], after[i][j]
            case "replace":
                after[i][j] = draw(st.sampled_from([*hand, ref.JOKER]))
            case "lose":
                del after[i][j]
            case "add":
                after[k].insert(m, draw(st.sampled_from([*hand, ref.JOKER])))
            case "move":
                after[k].insert(m, after[i].pop(j))
            case "merge":
                after[i] += after[k]
                del after[k]
            case "part":
                after.append(after[i][j:])
                del after[i][j:]
            case "set":
                after[i] = [ref.JOKER, *after[i][: draw(st.integers(0, 3))]]
    return drawn, after
