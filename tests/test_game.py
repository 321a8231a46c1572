"""Whole games: every turn of RULES.md 6, and that nothing is lost, invented or scored wrongly on the way."""

import json
import pickle
import random
from collections import Counter
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import meldcore
from case_files import cases
from meldcore import (
    PRESETS,
    BadPosition,
    BadRequest,
    BadRules,
    BadTile,
    Draw,
    Game,
    IllegalMove,
    Lay,
    Pass,
    Position,
    Rules,
    TileRound,
    TimeOut,
    TooLarge,
    TurnResult,
    View,
)
from meldcore.dealing import draw_for_start, edition
from playing import GAMES, TILE_PRESETS, new_game, play_round, random_lay


def tiles_of(texts, rules):
    """How often each tile is in some sets or tiles, read by the core."""
    return Counter(Position((), "".join(texts).replace("=", ""), rules).hand)


def check_tiles(game):
    """Every tile of the edition is in one place."""
    now = game.round
    there = tiles_of(now.table, game.rules) + Counter(now.pool)
    for hand in now.hands:
        there += Counter(hand)
    assert there == Counter(edition(game.rules))


def check_step(before, after, result):
    """One turn changed what it says it changed, and nothing else."""
    old, new = before.round, after.round
    player = old.player
    assert result.player == player
    assert Counter(new.hands[player]) == Counter(old.hands[player]) + Counter(result.drawn) - Counter(result.played)
    assert old.pool == result.drawn + new.pool
    assert all(new.hands[other] == hand for other, hand in enumerate(old.hands) if other != player)
    assert not (result.played and (result.drawn or result.problems))
    if not result.played:
        assert (new.table, new.opened, new.laid) == (old.table, old.opened, old.laid)
    assert new.laid[player] - old.laid[player] == meldcore.scoring.hand_points(result.played, after.rules)
    assert result.ended == new.ended
    if not after.round_over:
        assert new.turn == old.turn + 1
        assert new.player == new.turn_order[(new.turn - 1) % after.players]


def check_end(game):
    now = game.round
    assert now.ended in ("out", "exhausted")
    assert (now.ended == "out") == any(not hand for hand in now.hands)
    assert now.ended == "out" or (not now.pool and now.passes == game.players)
    if game.players > 1 and game.rules.scoring == "zero_sum":
        assert sum(now.scores) == 0
    if game.rules.scoring == "zero_sum" and game.players > 1:
        assert max(now.scores) == now.scores[now.winners[0]]


# ---- at random


@pytest.mark.parametrize("name", TILE_PRESETS)
def test_random_games(name):
    """To the end, with illegal turns and time-outs among the others. See playing.GAMES."""
    endings = Counter()
    for seed in range(GAMES):
        before = new_game(name, seed)
        check_tiles(before)
        for game, result in play_round(before, seed):
            check_step(before, game, result)
            check_tiles(game)
            before = game
        check_end(before)
        before.validate()
        endings[before.round.ended] += 1
    assert endings["out"]


@pytest.mark.parametrize("name", TILE_PRESETS)
def test_every_state_is_a_value(name):
    for seed in range(3):
        for game, _ in play_round(new_game(name, seed), seed):
            game.validate()
            copies = [
                pickle.loads(pickle.dumps(game)),
                Game.from_json(json.loads(json.dumps(game.to_json()))),
            ]
            assert all(copy == game and hash(copy) == hash(game) for copy in copies)
        names = {thing: getattr(meldcore, thing) for thing in meldcore.__all__}
        assert eval(repr(game), names) == game


def test_matches():
    for seed in range(8):
        game = new_game("rummi-q", seed, rounds=3)
        totals = [0] * game.players
        for number in range(1, 4):
            assert (game.round_number, game.over) == (number, False)
            for game, _ in play_round(game, number, lambda game, chance: (random_lay(game, chance), 0)):
                check_tiles(game)
            totals = [total + score for total, score in zip(totals, game.round.scores, strict=True)]
            assert list(game.totals) == totals
            if number < 3:
                winner = game.round.winners[0]
                game = game.next_round()
                game.validate()
                assert game.player == game.round.starter == winner
        assert game.over
        assert [game.totals[player] for player in game.winners] == [max(totals)] * len(game.winners)
        with pytest.raises(IllegalMove, match="match is over"):
            game.next_round()


small_rules = st.builds(
    lambda **fields: Rules.preset("rummi-q", **fields),
    colours=st.integers(2, 4),
    numbers=st.integers(3, 6),
    copies=st.integers(2, 3),
    jokers=st.integers(0, 3),
    hand_size=st.integers(1, 5),
    initial_meld=st.sampled_from([0, 6, 15]),
    must_play=st.booleans(),
    timeout=st.sampled_from(["judge_draw_3", "restore_draw_1"]),
    illegal_draw=st.integers(0, 4),
    direction=st.sampled_from(["clockwise", "anticlockwise"]),
    scoring=st.sampled_from(["zero_sum", "laid_minus_left"]),
)


@settings(max_examples=100)
@given(small_rules, st.integers(0, 2**53 - 1), st.integers(1, 4))
def test_odd_rules(rules, seed, players):
    if players * rules.hand_size > len(edition(rules)):
        return
    before = Game.new(rules, players, seed, rounds=2)
    for _ in range(2):
        for game, result in islice(play_round(before, seed), 300):
            check_step(before, game, result)
            check_tiles(game)
            game.validate()
            before = game
        if before.over or not before.round_over:
            break
        check_end(before)
        before = before.next_round()


# ---- the start


def test_the_same_seed_is_the_same_game_everywhere():
    """Fixed for ever: records rely on it."""
    game = Game.new("rummi-q", 3, 2024)
    assert " ".join(game.round.hands[0]) == GOLDEN[0]
    assert " ".join(game.round.pool[:10]) == GOLDEN[1]
    assert game.start_draws() == ({0: "b5", 1: "y7", 2: "r6"},)
    assert game == Game.new("rummi-q", 3, 2024) != Game.new("rummi-q", 3, 2025)


GOLDEN = ("k3 k6 k7 k10 k12 k13 r8 r11 b4 b5 b7 y3 y9 y10", "y11 r3 k2 y11 k6 y4 b2 r9 r9 k13")


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_who_draws_highest_starts(players):
    redrawn = 0
    for seed in range(200):
        game = Game.new("rummi-q", players, seed)
        draws = game.start_draws()
        assert list(draws[0]) == list(range(players))
        tied = list(range(players))
        for draw in draws:
            assert list(draw) == tied
            ranks = {player: 99 if tile == "*" else int(tile[1:]) for player, tile in draw.items()}
            tied = [player for player in tied if ranks[player] == max(ranks.values())]
        assert tied == [game.round.starter]
        redrawn += len(draws) > 1
    assert bool(redrawn) == (players > 1)


def test_a_joker_draws_higher_than_any_number():
    rules = PRESETS["rummi-q"]
    with_joker = [draws for seed in range(300) if "*" in (draws := draw_for_start(rules, 2, seed))[-1].values()]
    assert with_joker
    for draws in with_joker:
        player = next(player for player, tile in draws[-1].items() if tile == "*")
        seed = next(seed for seed in range(300) if draw_for_start(rules, 2, seed) == draws)
        assert Game.new(rules, 2, seed).player == player


def test_the_deal():
    game = Game.new("easy-rummy", 4, 7)
    assert [len(hand) for hand in game.round.hands] == [14] * 4
    assert len(game.round.pool) == 106 - 4 * 14
    assert game.round.table == ()
    assert not any(game.round.opened)


@pytest.mark.parametrize(("name", "order"), [("rummi-q", [0, 3, 2, 1]), ("tile-rummy", [0, 1, 2, 3])])
def test_the_direction(name, order):
    game = Game.new(name, 4, 1)
    players = [game.player]
    for _ in range(4):
        game, _ = game.act(Draw())
        players.append(game.player)
    assert players == [(game.round.starter + seat) % 4 for seat in [*order, 0]]


@pytest.mark.parametrize(
    ("arguments", "error", "named"),
    [
        ({"players": 5}, BadRequest, "players goes from 1 to 4, not 5"),
        ({"rules": "rrrummy", "players": 1}, BadRequest, "players goes from 2 to 4"),
        ({"players": True}, BadRequest, "players"),
        ({"seed": -1}, BadRequest, "seed"),
        ({"seed": 2**53}, BadRequest, "seed"),
        ({"rounds": 0}, BadRequest, "rounds"),
        ({"target": 0}, BadRequest, "target"),
        ({"match_seconds": -0.5}, BadRequest, "match_seconds"),
        ({"match_seconds": float("nan")}, BadRequest, "match_seconds"),
        ({"rules": "rumi-q"}, BadRules, "'rummi-q'"),
        ({"rules": Rules(hand_size=40), "players": 3}, BadRequest, "3 players with 40 tiles each need 120"),
    ],
)
def test_what_cannot_start(arguments, error, named):
    with pytest.raises(error, match=named):
        Game.new(**arguments)


# ---- turns


def a_round(rules, hands, table="", pool=40, opened=True, **fields):
    """A state in the middle of a round, player 0 to move. The pool holds so many tiles that matter to nobody."""
    rules = Rules.from_json(rules)
    loose = Counter(edition(rules)) - sum((Counter(hand.split()) for hand in hands), tiles_of(table.split(), rules))
    values = {
        "rules": rules,
        "starter": 0,
        "turn": 1,
        "table": Position(table, (), rules).table,
        "hands": tuple(Position((), hand, rules).hand for hand in hands),
        "pool": tuple(loose.elements())[:pool],
        "opened": (opened,) * len(hands),
        "laid": (0,) * len(hands),
        "passes": 0,
    }
    return TileRound(**values | fields)


def test_a_lay():
    before = a_round("rummi-q", ["r7 r8 k1", "b1"], "r4r5r6")
    after, result = before.act(Lay("r4r5r6r7"))
    assert after.table == ("r4r5r6r7",)
    assert after.hands == (("k1", "r8"), ("b1",))
    assert after.laid == (7, 0)
    assert (after.player, after.turn) == (1, 2)
    assert result == TurnResult(0, played=("r7",))
    for same in (Lay(["r4r5r6r7"]), Lay(before.position.move_to("r4r5r6r7"))):
        assert same == Lay("r4r5r6r7")
        assert before.act(same) == (after, result)


def test_a_move_of_another_position_is_judged_by_its_table():
    before = a_round("rummi-q", ["r7 r8 k1", "b1"], "r4r5r6")
    move = before.position_of(0).best()
    assert before.act(Lay(pickle.loads(pickle.dumps(move)))) == before.act(Lay(move))
    elsewhere = a_round("rummi-q", ["r8 k1", "b1"], "r4r5r6")
    _, result = elsewhere.act(Lay(move))
    assert [problem.code for problem in result.problems] == ["tile_not_in_hand"]
    _, result = a_round("rummi-q", ["r7 r8 k1", "b1"], "r4r5r6", opened=False).act(Lay(move))
    assert "table_touched_before_opening" in [problem.code for problem in result.problems]


def test_a_joker_laid_counts_as_in_a_hand():
    after, _ = a_round("rummy-o", ["* k1", "b1"], "r4r5r6").act(Lay("r4r5r6*"))
    assert after.laid == (30, 0)


def test_opening_is_remembered():
    before = a_round("rummi-q", ["r10 r11 r12 k1", "b1"], opened=False)
    after, _ = before.act(Lay("r10r11r12"))
    assert after.opened == (True, False)


def test_going_out():
    before = a_round("rummi-q", ["r7", "b1 *", "k3"], "r4r5r6")
    after, result = before.act(Lay("r4r5r6r7"))
    assert (result.ended, result.scores) == ("out", (34, -31, -3))
    assert (after.ended, after.winners, after.player, after.turn) == ("out", (0,), 0, 1)
    with pytest.raises(IllegalMove, match="the round is over"):
        after.act(Draw())


def test_rummy_o_scores_what_was_laid():
    before = a_round("rummy-o", ["r7", "r9 *", "k13 k12"], "r4r5r6", laid=(63, 55, 0))
    assert before.act(Lay("r4r5r6r7"))[1].scores == (70 + 39 + 25, 16, -25)


def test_a_draw():
    before = a_round("rummi-q", ["r7", "b1"], pool=2)
    after, result = before.act(Draw())
    assert result == TurnResult(0, drawn=before.pool[:1])
    assert after.pool == before.pool[1:]
    assert sorted(after.hands[0]) == sorted(["r7", *before.pool[:1]])
    assert after.passes == 0


def test_an_illegal_turn_carries_every_reason():
    before = a_round("rummi-q", ["r7 b8", "b1"], "r4r5r6 k7b7y7", opened=False)
    after, result = before.act(Lay("r4r5 r6r7 k7y7 k9"))
    codes = {problem.code for problem in result.problems}
    assert codes >= {"invalid_set", "tile_missing", "tile_not_in_hand", "initial_meld_too_low"}
    assert result.drawn == before.pool[:3]
    assert after.table == before.table
    assert (after.opened, after.laid, after.player) == (before.opened, before.laid, 1)


@pytest.mark.parametrize("pool", [0, 1, 2, 3, 4])
def test_three_are_drawn_or_what_is_left(pool):
    before = a_round("easy-rummy", ["r7 k2", "b1"], "r4r5r6", pool=pool)
    after, result = before.act(Lay("r4r5r6k2"))
    assert len(result.drawn) == min(3, pool)
    assert after.passes == (pool == 0)


def test_rearranging_alone_is_illegal():
    _, result = a_round("easy-rummy", ["k2", "b1"], "r1r2r3r4r5r6").act(Lay("r1r2r3 r4r5r6"))
    assert [problem.code for problem in result.problems] == ["nothing_played"]
    assert len(result.drawn) == 3


EVENTS = {
    "time limit passed": TimeOut("r1r2r3 r4"),
    "incomplete sets left on the table": Lay("r1r2r3 r4k9"),
    "tile added to a set before the first 30 points": Lay("r1r2r3r4"),
    "invalid turn": Lay("r1r2 r3r4"),
}
PENALTIES = [case for case in cases("real.jsonl") if case["ask"] == "penalty_tiles"]


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in PENALTIES])
def test_the_penalties_of_the_rule_books(case):
    before = a_round(case["rules"], ["r4 k9", "b1"], "r1r2r3", case["pool"], opened=False)
    after, result = before.act(EVENTS[case["event"]])
    assert len(result.drawn) == case["answer"], case["why"]
    assert after.table == before.table


# ---- time-outs


def timed(rules, action, **fields):
    before = a_round(rules, ["r7 k2", "b1"], "r4r5r6", **fields)
    return before, *before.act(action, late=True)


@pytest.mark.parametrize("name", ["rummi-q", "rummi-q-tournament", "rummy-o"])
@pytest.mark.parametrize("action", [Lay("r4r5r6r7"), Lay("r4r5r6k2"), Draw(), TimeOut(), TimeOut("r4r5r6r7")])
def test_a_time_out_restores_and_draws_one(name, action):
    before, after, result = timed(name, action)
    assert result == TurnResult(0, drawn=before.pool[:1], timed_out=True)
    assert after.table == before.table


@pytest.mark.parametrize("action", [Lay("r4r5r6r7"), TimeOut("r4r5r6r7")])
def test_a_legal_lay_stands_where_the_table_is_judged(action):
    _, after, result = timed("tile-rummy", action)
    assert result == TurnResult(0, played=("r7",), timed_out=True)
    assert after.table == ("r4r5r6r7",)


@pytest.mark.parametrize("table", ["r4r5r6k2", "r4r5 r6r7", "r4r5", "r4r5r6 r7", "r4r5r6r7r8"])
def test_a_table_that_is_not_all_valid_costs_three(table):
    before, after, result = timed("tile-rummy", TimeOut(table))
    assert result.drawn == before.pool[:3]
    assert result.problems
    assert result.timed_out
    assert after.table == before.table


@pytest.mark.parametrize("opened", [True, False])
@pytest.mark.parametrize("action", [Draw(), TimeOut(), TimeOut("r4r5r6"), Lay("r4r5r6")])
def test_a_time_out_with_nothing_laid_costs_one(action, opened):
    before, _, result = timed("tile-rummy", action, opened=opened)
    assert result == TurnResult(0, drawn=before.pool[:1], timed_out=True)


def test_a_time_out_may_end_the_round():
    before = a_round("rummi-q", ["r7", "b1"], pool=0, passes=1)
    assert before.act(TimeOut())[1].scores == (-6, 6)


def test_the_clock_is_an_input():
    game = Game.new("rummi-q", seed=1)
    assert game.rules.turn_seconds == 120
    in_time, result = game.act(Draw(), 120)
    assert not result.timed_out
    late, result = game.act(Draw(), 120.5)
    assert result.timed_out
    assert (in_time.elapsed, late.elapsed) == (120, 120.5)
    _, result = Game.new("easy-rummy", seed=1).act(Draw(), 1e6)
    assert not result.timed_out
    for seconds in (-1, float("nan"), float("inf"), True, "3", 10**400):
        with pytest.raises(BadRequest, match="seconds"):
            game.act(Draw(), seconds)


# ---- the empty pool, and the end


def test_draw_and_pass_exclude_each_other():
    game = Game.new("rummi-q", seed=1)
    assert game.otherwise == Draw()
    with pytest.raises(IllegalMove, match="the pool is not empty"):
        game.act(Pass())
    with pytest.raises(IllegalMove, match="the pool is empty"):
        a_round("rummi-q", ["r7", "b1"], pool=0).act(Draw())


def test_the_round_ends_when_all_have_passed_in_a_row():
    now = a_round("rummi-q", ["r7 k1", "b1 *", "k3"], "r4r5r6", pool=0)
    now, _ = now.act(Pass())
    now, _ = now.act(Pass())
    assert (now.passes, now.ended) == (2, None)
    last, result = now.act(Pass())
    assert (result.ended, result.scores) == ("exhausted", (-5, -28, 33))
    assert (last.winners, last.player) == ((2,), 1 if now.rules.direction == "anticlockwise" else 2)
    with pytest.raises(IllegalMove, match="over"):
        last.act(Pass())


def test_a_lay_breaks_the_row_of_passes():
    now = a_round("rummi-q", ["r7 k1", "b1"], "r4r5r6", pool=0, passes=1)
    now, _ = now.act(Lay("r4r5r6r7"))
    assert now.passes == 0


def test_an_illegal_turn_on_an_empty_pool_counts_as_a_pass():
    now = a_round("rummi-q", ["r7 k1", "b1"], "r4r5r6", pool=0, passes=1)
    last, result = now.act(Lay("r4r5r6k1"))
    assert result.problems
    assert last.ended == result.ended == "exhausted"


@pytest.mark.parametrize("name", ["rummi-q", "rrrummy"])
def test_the_remainder_of_a_tie_goes_in_turn_order(name):
    """Scores are listed by seat, and turn order is another thing."""
    for starter in range(4):
        now = a_round(name, ["r5", "k5", "b5", "r10"], pool=0, passes=3, starter=starter)
        scores = now.act(Pass())[1].scores
        order = [player for player in now.turn_order if player != 3]
        assert [scores[player] for player in order] == [2, 2, 1]
        assert now.act(Pass())[0].winners == tuple(order)


def test_a_patience():
    game = Game.new("rummi-q", players=1, seed=3)
    *_, (game, result) = play_round(game, 0, lambda game, chance: (game.otherwise, 0))
    assert not game.round.pool
    assert result.scores == (-game.position.hand_points,) == (-(4 * 2 * 91 + 60),)
    out, result = a_round("rummi-q", ["r7"], "r4r5r6").act(Lay("r4r5r6r7"))
    assert result.scores == out.scores == (0,)


def test_must_play():
    rules = Rules.preset("rummi-q", must_play=True)
    for pool, action in ((40, Draw()), (0, Pass())):
        with pytest.raises(IllegalMove, match="must_play"):
            a_round(rules, ["r7 k1", "b1"], "r4r5r6", pool=pool).act(action)
        a_round(rules, ["r8 k1", "b1"], "r4r5r6", pool=pool).act(action)
        a_round("rummi-q", ["r7 k1", "b1"], "r4r5r6", pool=pool).act(action)


def test_what_is_no_action():
    game = Game.new("rummi-q", seed=1)
    for action in ("draw", None, Draw):
        with pytest.raises(BadRequest, match="an action is"):
            game.act(action)
    with pytest.raises(BadTile, match="'r14'"):
        game.act(Lay("r12r13r14"))
    with pytest.raises(BadRequest, match="a table is"):
        Lay(7)
    with pytest.raises(meldcore.MeldcoreError):
        game.act(Lay([7]))


# ---- matches


def over_after(**limits):
    """After how many rounds a match is over in which each turn takes a second."""
    game = Game.new("rummi-q", 2, 5, **limits)
    while True:
        for game, _ in play_round(game, game.round_number, lambda game, chance: (random_lay(game, chance), 1)):
            assert not game.over or game.round_over
        if game.over:
            return game
        game = game.next_round()


def test_a_match_is_one_round_unless_it_has_a_limit():
    assert Game.new("rummi-q").rounds == 1
    assert over_after().round_number == 1
    assert over_after(rounds=4).round_number == 4


def test_a_match_to_a_target():
    game = over_after(target=100)
    assert max(game.totals) >= 100
    assert max(game.before) < 100
    assert game.winners == (game.totals.index(max(game.totals)),)


def test_a_match_to_a_time_finishes_the_round_under_way():
    game = over_after(match_seconds=150)
    assert game.elapsed >= 150
    assert game.elapsed - game.round.turn < 150


def test_the_first_limit_ends_the_match():
    assert over_after(rounds=2, target=10_000, match_seconds=1e6).round_number == 2
    assert over_after(rounds=50, match_seconds=0).round_number == 1


def test_the_next_round_waits_for_the_end():
    with pytest.raises(IllegalMove, match="round 1 is not over"):
        Game.new("rummi-q", rounds=2).next_round()


# ---- views


def test_a_view_hides_the_other_hands_and_the_pool():
    for game, _ in play_round(new_game("rummi-q", 3), 3):
        for player in range(game.players):
            view = game.view(player)
            assert view.position == Position(
                game.round.table, game.round.hands[player], game.rules, game.round.opened[player]
            )
            assert view.hand_sizes == tuple(map(len, game.round.hands))
            assert view.pool_size == len(game.round.pool)
            assert (view.to_move, view.otherwise) == (game.player, game.otherwise)
            assert pickle.loads(pickle.dumps(view)) == view
        assert game.view(game.player).position == game.position


def test_a_view_is_the_same_whatever_is_hidden():
    game = Game.new("rummi-q", 3, 1)
    now = game.round
    other = TileRound(
        now.rules, now.starter, now.turn, (), (now.hands[0], now.hands[2], now.hands[1]), now.pool[::-1],
        now.opened, now.laid, 0,
    )  # fmt: skip
    changed = Game(game.seed, 1, None, None, 1, game.before, 0.0, other)
    assert changed != game
    assert changed.view(0) == game.view(0)
    assert changed.view(1) != game.view(1)


def test_nobody_else_has_a_view():
    for player in (-1, 2, "ann"):
        with pytest.raises(BadRequest, match="player goes from 0 to 1"):
            Game.new("rummi-q").view(player)


# ---- states that cannot be


def state():
    """A game under way, as JSON: both have opened."""
    game = Game.new("rummi-q", 2, 11)
    chance = random.Random(1)
    while not all(game.round.opened):
        game, _ = game.act(random_lay(game, chance))
    return json.loads(json.dumps(game.to_json()))


def tampered(change):
    value = state()
    change(value, value["round"])
    return value


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


def swap_hands(_, now):
    now["hands"][0].append(now["hands"][1].pop())


TAMPERED = {
    "a third copy": (lambda _, now: now["pool"].__setitem__(0, now["pool"][1]), BadPosition),
    "a tile more": (lambda _, now: now["pool"].append("r1"), BadPosition),
    "a tile less": (lambda _, now: now["pool"].pop(), BadPosition),
    "no tile in the pool": (lambda _, now: now["pool"].append("x"), BadPosition),
    "no tile in a hand": (lambda _, now: now["hands"][0].append("q1"), BadTile),
    "another order of the pool": (lambda _, now: now["pool"].reverse(), BadPosition),
    "another order of a hand": (lambda _, now: now["hands"][0].reverse(), BadPosition),
    "another order of the table": (lambda _, now: now["table"].reverse(), BadPosition),
    "an invalid set": (lambda _, now: now["table"].append("r1r2"), meldcore.BadSet),
    "a set less": (lambda _, now: now["table"].pop(), BadPosition),
    "far too many turns": (lambda _, now: now.update(turn=now["turn"] + 90), BadPosition),
    "too few turns": (lambda _, now: now.update(turn=1), BadPosition),
    "no turn": (lambda _, now: now.update(turn=0), BadPosition),
    "another starter": (lambda _, now: now.update(starter=1 - now["starter"]), BadPosition),
    "a third starter": (lambda _, now: now.update(starter=2), BadPosition),
    "nobody opened": (lambda _, now: now.update(opened=[False, False]), BadPosition),
    "more laid": (lambda _, now: now["laid"].__setitem__(0, 500), BadPosition),
    "passes with a pool": (lambda _, now: now.update(passes=1), BadPosition),
    "a third player": (lambda _, now: now["opened"].append(True), BadPosition),
    "totals in the first round": (lambda game, _: game.update(before=[5, -5]), BadPosition),
    "totals of three": (lambda game, _: game.update(before=[0, 0, 0]), BadPosition),
    "another seed": (lambda game, _: game.update(seed=12), BadPosition),
    "round 2 of 1": (lambda game, _: game.update(round_number=2), BadRequest),
    "a wrong type": (lambda _, now: now.update(turn="3"), BadRequest),
    "a number for a tile": (lambda _, now: now["pool"].append(3), BadRequest),
    "a field more": (lambda game, _: game.update(sed=1), BadRequest),
    "a field less": (lambda _, now: now.pop("pool"), BadRequest),
    "no round": (lambda game, _: game.update(round=None), BadRequest),
    "other rules": (lambda game, _: game["rules"].update(copies=3), BadPosition),
    "bad rules": (lambda game, _: game["rules"].update(copies=9), BadRules),
    "rules nested deeply": (lambda game, _: game["rules"].update(copies=nested(5000)), BadRules),
    "players nested deeply": (lambda game, _: game["rules"].update(players=[nested(5000)] * 2), BadRules),
    "a number of thousands of digits": (lambda game, _: game["rules"].update(copies=10**5000), BadRules),
    "half a character": (lambda _, now: now.update(turn="\ud800"), BadRequest),
    "half a character for a total": (lambda game, _: game.update(before=["\ud800", 0]), BadRequest),
    "no limit": (lambda game, _: game.update(rounds=None), BadRequest),
    "a time before the start": (lambda game, _: game.update(elapsed=-1.0), BadRequest),
    "hands changed over": (lambda _, now: now["hands"].reverse(), BadPosition),
}


@pytest.mark.parametrize("change", TAMPERED)
def test_a_state_that_cannot_be_is_refused(change):
    Game.from_json(state())
    spoil, error = TAMPERED[change]
    with pytest.raises(error) as refusal:
        Game.from_json(tampered(spoil))
    assert refusal.value.path is not None
    assert str(refusal.value)


def test_a_wrong_turn_is_refused_before_anybody_has_opened():
    value = Game.new("rummi-q", seed=1).to_json()
    value["round"]["turn"] = 2
    with pytest.raises(BadPosition, match="after 1 turns"):
        Game.from_json(value)


def test_hands_come_of_the_deal():
    value = Game.new("rummi-q", seed=1).to_json()
    value["round"]["hands"] = value["round"]["hands"][::-1]
    with pytest.raises(BadPosition, match="was neither dealt to the player nor drawn"):
        Game.from_json(value)


def after_a_round(name, players=3):
    """The start of the second round of a match to a high target."""
    game = Game.new(name, players, 5, rounds=9, target=1000, match_seconds=50)
    while not game.round_over:
        move = game.position.best() if game.has_drawn or not game.rules.cards else None
        game, _ = game.act(Lay(move) if move else game.otherwise)
    return game.next_round().to_json()


@pytest.mark.parametrize(
    ("name", "changes", "field"),
    [
        ("rummi-q", {"target": 20}, "before"),
        ("rummi-q", {"elapsed": 50.0}, "elapsed"),
        ("rummi-q", {"before": [10**30, -(10**30), 0]}, "before"),
        ("rummy-40", {"before": [-5, 3, 0]}, "before"),
        ("rummy-40", {"target": 4}, "before"),
    ],
)
def test_a_second_round_that_no_match_has(name, changes, field):
    value = after_a_round(name)
    Game.from_json(value)
    with pytest.raises((BadPosition, BadRequest)) as refusal:
        Game.from_json(value | changes)
    assert refusal.value.path == f"$.{field}"


def test_a_patience_has_no_points_to_win():
    value = after_a_round("rummi-q", players=1)
    with pytest.raises(BadPosition, match="totals"):
        Game.from_json(value | {"before": [7]})


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("round_number", 0),
        ("elapsed", -1.0),
        ("elapsed", float("nan")),
        ("totals", [5, -5]),
        ("totals", ["\ud800", 0]),
    ],
)
def test_a_view_of_no_match(field, value):
    view = Game.new("rummi-q", seed=1).view(0).to_json()
    View.from_json(view)
    with pytest.raises((BadPosition, BadRequest)) as refusal:
        View.from_json(view | {field: value})
    assert (refusal.value.path or "").startswith("$")


def test_must_play_where_a_search_takes_too_much_memory():
    rules = Rules.preset(
        "rummi-q",
        colours=3, numbers=5, copies=3, jokers=4, initial_meld=30, table_play_on_opening_turn=True, must_play=True,
        retrieved_joker_use="hand_only_set",
    )  # fmt: skip
    hand, table = "k2 k2 k3 k4 k4 r2 r3 b1 b2 b2 b3 b3 *", "*r3r4r5 b2b3b4b5 **b5 k1r1b1 k1r1b1 k5r5b5"
    now = a_round(rules, [hand, "r4"], table, opened=False, pool=5)
    with pytest.raises(TooLarge):
        now.position.best()
    with pytest.raises(IllegalMove, match="must_play"):  # the hand opens without the table
        now.act(Draw())
