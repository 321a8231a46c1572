"""Positions of odd editions, small enough for the reference model to list all their turns."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import product

from hypothesis import strategies as st

import reference as ref

LOCKED = {"joker_retrieval": "replace_from_hand", "joker_sets_locked": True}
JOKER_RULES = [
    {},
    {"joker_retrieval": "replace"},
    {"joker_retrieval": "replace_from_hand"},
    LOCKED,
    LOCKED | {"retrieved_joker_use": "new_set"},
    LOCKED | {"retrieved_joker_use": "new_set", "group_joker_needs_all": True},
    LOCKED | {"retrieved_joker_use": "hand_only_set"},
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


@st.composite
def positions(draw, most_sets=3, most_hand=9, most_tiles=14, edition=editions, bound_jokers=False):
    """Fields of rules, the sets of a table, a hand, and whether the player has opened.

    The tiles are of few neighbouring numbers, so that they have something to do with each other. Only with
    `bound_jokers` do jokers lie on a table whose jokers the rules bind.
    """
    fields = draw(edition)
    width = draw(st.integers(3, 5))
    lowest = draw(st.integers(1, max(1, fields["numbers"] - width + 1)))
    highest = min(lowest + width - 1, fields["numbers"])
    rules = ref.Rules(**fields)
    pool = Counter(
        {ref.Tile(c, n): rules.copies for c in range(rules.colours) for n in range(lowest, highest + 1)}
    )
    pool[ref.JOKER] = rules.jokers
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
    fields = fields | draw(turn_rules)
    if bound_jokers or not any(meld.jokers for meld in table):
        fields |= draw(st.sampled_from(JOKER_RULES))
    return fields, ref.arrange(table), hand, draw(st.sampled_from([True, True, False]))
