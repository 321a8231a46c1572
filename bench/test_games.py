"""Self-play of two: the turns of whole games, the choice of moves and the checks of the rules included."""

import random

import pytest

from meldcore import PRESETS, Game, Lay

GAMES = 5


def at_random(position, chance):
    """Each legal table is as likely as the others."""
    moves = position.moves()
    return moves[chance.randrange(moves.total)] if moves else None


def greedy(position, chance):
    return position.best()


def play(rules, choose):
    """How many turns the games take."""
    turns = 0
    for seed in range(GAMES):
        chance = random.Random(seed)
        game = Game.new(rules, players=2, seed=seed)
        while not game.over:
            move = choose(game.position, chance)
            game, _ = game.act(Lay(move) if move else game.otherwise)
        turns += game.round.turn
    return turns


@pytest.mark.parametrize("rules", [name for name, rules in PRESETS.items() if not rules.cards])
@pytest.mark.parametrize("choose", [at_random, greedy])
def test_self_play(benchmark, rules, choose):
    turns = benchmark(play, rules, choose)
    assert turns == play(rules, choose) > 20 * GAMES
    benchmark.extra_info["turns"] = turns
    if benchmark.stats:  # None where nothing is timed
        benchmark.extra_info["turns a second"] = round(turns / benchmark.stats.stats.median)
