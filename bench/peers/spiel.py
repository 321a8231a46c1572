"""OpenSpiel's gin rummy, played at random through its Python API."""

import random

import pyspiel


def self_play(seeds):
    """How many decisions these games take."""
    game = pyspiel.load_game("gin_rummy")
    decisions = 0
    for seed in seeds:
        chance = random.Random(seed)
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                actions, likely = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(*chance.choices(actions, likely))
            else:
                state.apply_action(chance.choice(state.legal_actions()))
                decisions += 1
    return decisions
