"""Players at random, for every test that plays games. They make every kind of turn, legal and not."""

import os
import random

from meldcore import PRESETS, Draw, Game, Lay, Pass, Take, TimeOut, TooLarge

TILE_PRESETS = [name for name, rules in PRESETS.items() if not rules.cards]

GAMES = int(os.environ.get("MELDCORE_TEST_GAMES", "200"))
"""How many games of each preset are played at random; more look deeper."""


def random_lay(game, chance):
    """A legal lay, or what is left to who can lay nothing.

    From a small hand each table is as likely as the others; a crowded position has too many for that, and now and then
    one is too crowded for any search but the plainest.
    """
    position = game.position
    try:
        move = lay_found(position, chance)
    except TooLarge:
        move = position.best() if game.rules.must_play else None
    # a table is judged, a move that a search has found is not
    return Lay(chance.choice([move, move.table])) if move else game.otherwise


def lay_found(position, chance):
    if len(position.hand) + 3 * len(position.table) <= 36:
        moves = position.moves()
        return moves[chance.randrange(moves.total)] if moves else None
    return position.best({"weights": {tile: chance.randint(-9, 9) for tile in position.hand}})


def random_table(game, chance):
    """A table that is hardly ever legal: tiles of the hand, in no order, beside most of the sets."""
    hand = game.position.hand
    tiles = chance.sample(hand, chance.randint(0, min(4, len(hand))))
    sets = chance.sample(game.round.table, max(0, len(game.round.table) - chance.randint(0, 1)))
    return [*sets, "".join(tiles)] if tiles else sets


def random_card_lay(game, chance):
    """A legal turn of the card game, or what is left to who has none.

    Half of the time it lays the most. From a hand that penalties have made too crowded for any search it lays nothing.
    """
    try:
        return card_lay_found(game, chance)
    except TooLarge:
        return game.otherwise


def card_lay_found(game, chance):
    position = game.position
    if chance.random() < 0.5:
        weights = {card: chance.randint(0, 9) for card in position.hand}
        move = position.best({"weights": weights})
    else:
        moves = position.moves()
        move = moves[chance.randrange(moves.total)] if moves else None
    if move is None or (game.rules.must_play and not move.played):
        move = next((other for other in position.moves() if other.played), move)
    return Lay(move) if move else game.otherwise


def random_card_action(game, chance):
    """Any action of the card game, and how long it took. A card is taken more often than it can be laid."""
    kind = chance.random()
    hand = game.position.hand
    lay = random_card_lay(game, chance) if game.has_drawn else None
    if kind < 0.02:
        action = TimeOut()
    elif kind < 0.06:
        action = TimeOut(random_table(game, chance), chance.choice([None, *hand]))
    elif kind < 0.1 and game.has_drawn:
        action = Lay(random_table(game, chance), chance.choice([*hand, "2S", "*"]))
    elif kind < 0.12 and game.has_drawn:
        action = TimeOut(lay.table, lay.discard)
    elif not game.has_drawn:
        action = Take() if chance.random() < 0.3 else Draw()
    else:
        action = lay
    if game.rules.must_play and isinstance(action, Lay) and sorted(action.table) == sorted(game.round.table):
        action = lay
    return action, chance.choice([0, 0, 1.5, 30])


def random_action(game, chance):
    """Any action, and how long it took."""
    if game.rules.cards:
        return random_card_action(game, chance)
    kind = chance.random()
    if kind < 0.75:
        action = random_lay(game, chance)
    elif kind < 0.85:
        action = game.otherwise
    elif kind < 0.95:
        action = Lay(random_table(game, chance))
    else:
        action = TimeOut(random_table(game, chance) if chance.random() < 0.5 else None)
    if game.rules.must_play and action in (Draw(), Pass()):
        action = random_lay(game, chance)
    return action, chance.choice([0, 1.5, 60, 121])


def new_game(name, seed, **limits):
    rules = PRESETS[name]
    low, high = rules.players
    return Game.new(rules, low + seed % (high - low + 1), seed, **limits)


def play_round(game, seed, choose=random_action):
    """The states of the round under way from here to its end, each with the result that led to it."""
    chance = random.Random(seed)
    while not game.round_over:
        action, seconds = choose(game, chance)
        game, result = game.act(action, seconds)
        yield game, result
