"""Games of built-in bots against themselves: the choice of moves and the checks of the rules included."""

from meldcore import Game
from meldcore.bots import make


def self_play(bot, rules, seeds, players=2):
    """How many turns these games take."""
    turns = 0
    for seed in seeds:
        player = make(bot, seed)
        game = Game.new(rules, players, seed)
        while not game.over:
            game, _ = game.act(player.choose(game.view(game.player)))
        turns += game.round.turn
    return turns
