"""Playouts: they lose no tile, other players hold what they may hold, and turns bring what they have to."""

from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from meldcore import Game, Lay, Position
from meldcore.dealing import edition
from meldcore.playouts import Playout, sample, share
from playing import TILE_PRESETS, new_game


def late_view(text, sizes, rules="rummi-q"):
    """The view of player 0, all have opened."""
    position = Position.parse(text, rules=rules)
    view = replace(Game.new(rules, len(sizes), seed=1).view(0), position=position, hand_sizes=sizes)
    return replace(view, opened=(True,) * len(sizes), pool_size=len(view.unseen) - sum(sizes[1:]))


def tiles_of(now):
    table = Position((), "".join(now.loose + now.fixed).replace("=", ""), now.rules).hand
    return sorted([*table, *now.pool, *(tile for hand in now.hands for tile in hand)])


@pytest.mark.parametrize("preset", TILE_PRESETS)
def test_no_tile_is_lost(preset):
    game = new_game(preset, 2)
    now, last = Playout.of(game.round), game.player
    before = now.copy()
    scores = now.finish(last)
    assert tiles_of(now) == tiles_of(before) == sorted(edition(game.rules))
    assert len(scores) == game.players
    assert not all(now.hands) or not now.pool


def test_a_turn_lays_as_many_tiles_as_the_best_one_or_fewer():
    same, turns = 0, 0
    for seed in range(20):
        game = Game.new("rummi-q", seed=seed)
        while not game.over:
            best = game.position.best()
            laid, most = len(Playout.of(game.round).lay(game.player)), len(best.played) if best else 0
            assert laid == most or any("*" in text for text in game.position.table)
            same, turns = same + (laid == most), turns + 1
            game, _ = game.act(Lay(best) if best else game.otherwise)
    assert same > 0.95 * turns


@pytest.mark.parametrize(("fixed", "played"), [
    ("r4*r6", ["r7", "r3"]),
    ("=r5**", ["k5"]),
    ("r7*b7", ["k7"]),
    ("r1*r3", []),
    ("r11*r13", []),
])
def test_sets_with_a_joker_grow(fixed, played):
    now = Playout.of(late_view(f"{fixed} | k1", (1, 1)).dealt([]))
    now.hands[0] = ["r7", "r3", "k5", "k7", "b12"] if played else ["r5", "k2", "b12"]
    assert sorted(now.lay(0)) == sorted(played)


def test_other_hands_could_lay_nothing_but_a_tile_drawn_since():
    view = late_view("r4r5r6 k7b7y7 b1b2b3b4 | y1 k12", (2, 3, 2))
    some_lay = 0
    for seed in range(200):
        now = sample(view, Random(seed))
        assert [len(hand) for hand in now.hands] == [2, 3, 2]
        assert now.hands[0] == ["k12", "y1"]
        for player in (1, 2):
            played = now.copy().lay(player)
            assert len(played) <= 1 or Counter(played) - Counter(now.hands[player]) == Counter()
            some_lay += bool(played)
    assert 0 < some_lay < 120


def test_who_goes_out_wins():
    view = late_view("r4r5r6 | r7 k1", (2, 5))
    now = sample(view, Random(1))
    now.hands[0] = ["r7"]
    move = Position(("r4r5r6",), ("r7",)).best()
    assert share(now, 0, move) == 1
    assert now.hands[0] == ["r7"]
