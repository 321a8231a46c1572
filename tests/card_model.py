"""A round of the card game by the plainest reading of RULES.md 7, to hold meldcore's own against.

It moves cards from one list to another. Which lays are legal it is told; `legal_turns` says it for small hands, from
the reference of the rules. Nothing here is meldcore's but the texts of the cards.
"""

from collections import Counter
from random import Random

import reference_cards as ref

SUITS, RANKS = "SHCD", ref.RANKS
VALUES = dict(zip(RANKS, [2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10, 11], strict=True))


def all_cards(rules):
    pack = [rank + suit for suit in SUITS for rank in RANKS for _ in range(rules.copies)]
    return pack + ["*"] * rules.jokers


def mixed(cards, number):
    chance, order = Random(number), list(cards)
    for i in range(len(order) - 1, 0, -1):
        j = int(chance.random() * (i + 1))
        order[i], order[j] = order[j], order[i]
    return order


def cards_of(texts):
    return Counter(ref.card_text(card) for card in ref.read_cards([text.lstrip("=") for text in texts]))


def value(card, rules):
    return rules.joker_hand_value if card == "*" else VALUES[card[:-1]]


def worth(cards, rules):
    return sum(value(card, rules) * many for card, many in Counter(cards).items())


def legal_turns(position):
    """Every legal (table, discard) of a position of meldcore, in canonical text; None where that takes too long."""
    if len(position.hand) + 2 * len(position.table) > 12 or "".join((*position.hand, *position.table)).count("*") > 2:
        return None
    fields = position.rules.to_json()
    names = ("copies", "jokers", "initial_meld", "joker_meld_value", "max_jokers_per_set", "joker_hand_value")
    given = {name: fields[name] for name in (*names, "group_rescue_needs_both", "discard_needs_40_always")}
    that = ref.read_position(
        position.table, position.hand, position.opened, position.taken, {"preset": "rummy-40"} | given
    )
    return {(tuple(ref.table_text(table, that.rules)), ref.card_text(card)) for table, card in ref.outcomes(that)}


class Model:
    """One round. `act` is told what was done and whether it was legal; everything else follows."""

    def __init__(self, rules, players, starter, seed, number):
        self.rules, self.seed, self.number = rules, seed, number
        pack = mixed(all_cards(rules), seed * 2**32 + number)
        self.hands = [Counter(pack[i * rules.hand_size : (i + 1) * rules.hand_size]) for i in range(players)]
        self.pile, *self.stock = [[pack[players * rules.hand_size]], *pack[players * rules.hand_size + 1 :]]
        self.table = ()
        self.laid = [0] * players
        self.opened = [False] * players
        self.player = starter
        self.drawn = self.taken = self.ended = None
        self.reshuffles = 0

    def draw(self):
        self.drawn = self.stock.pop(0)
        self.hands[self.player][self.drawn] += 1

    def take(self):
        self.taken = self.pile.pop()
        self.hands[self.player][self.taken] += 1

    def lay(self, table, discard):
        """A legal turn. What was in the hand and on the table is still there, but for the discard."""
        player = self.player
        hand = self.hands[player] + cards_of(self.table) - cards_of(table) - Counter([discard])
        grown = worth(cards_of(table), self.rules) - worth(cards_of(self.table), self.rules)
        only_new = not Counter(self.table) - Counter(table)
        if not hand:
            self.ended = "cut_40" if only_new and not self.opened[player] else "out"
        self.opened[player] |= Counter(table) != Counter(self.table)
        self.laid[player] += grown
        self.hands[player], self.table = hand, tuple(table)
        self.pile.append(discard)
        self.over()

    def fail(self, many):
        """An illegal turn or one timed out: all goes back where it was, and so many cards are drawn."""
        if self.taken:
            self.hands[self.player][self.taken] -= 1
            self.pile.append(self.taken)
        for _ in range(min(many, len(self.stock))):
            self.hands[self.player][self.stock.pop(0)] += 1
        self.over()

    def over(self):
        self.drawn = self.taken = None
        if self.ended:
            return
        if not self.stock:
            if self.reshuffles == self.rules.max_reshuffles or len(self.pile) == 1:
                self.ended = "exhausted"
                return
            self.reshuffles += 1
            self.stock = mixed(self.pile[:-1], self.reshuffles * 2**85 + self.seed * 2**32 + self.number)
            self.pile = self.pile[-1:]
        self.player = (self.player + (1 if self.rules.direction == "clockwise" else -1)) % len(self.hands)

    @property
    def scores(self):
        """Under points_against."""
        if not self.ended:
            return None
        more = 25 if self.ended == "cut_40" else 0
        return tuple(worth(hand, self.rules) + more * bool(+hand) for hand in self.hands)
