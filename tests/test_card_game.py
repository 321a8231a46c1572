"""Whole games of cards, each action held against a second, plain model, and what is refused."""

import json
import pickle
import random
from collections import Counter
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import meldcore
from card_model import Model, all_cards, cards_of, legal_turns, worth
from meldcore import (
    PRESETS,
    BadPosition,
    BadRequest,
    BadRules,
    BadTile,
    CardRound,
    CardTurnResult,
    CardView,
    Draw,
    Game,
    IllegalMove,
    Lay,
    Pass,
    Position,
    Rules,
    Take,
    TimeOut,
    View,
)
from meldcore.scoring import prizes, round_scores
from playing import GAMES, play_round, random_card_action

RUMMY_40 = PRESETS["rummy-40"]


def model_of(game):
    return Model(game.rules, game.players, game.round.starter, game.seed, game.round_number)


def follow(game, seed, model):
    """Play at random to the end of the round, and let the model do the same. The states, each with its result."""
    chance = random.Random(seed)
    while not game.round_over:
        before = game
        action, seconds = random_card_action(game, chance)
        game, result = game.act(action, seconds)
        tell(model, before, action, seconds, result)
        compare(model, game, result)
        yield game, result


def to_the_end(game, seed):
    """The state at the end of the round."""
    *_, (last, _) = follow(game, seed, model_of(game))
    return last


def tell(model, before, action, seconds, result):
    """What an action means, by RULES.md 6 and 7; only whether a lay was legal is asked of the result."""
    now, rules = before.round, before.rules
    spent = now.spent + seconds
    late = isinstance(action, TimeOut) or (rules.turn_seconds is not None and spent > rules.turn_seconds)
    assert result.timed_out == late
    due = 0 if now.drawn else 1
    table = getattr(action, "table", None)
    if isinstance(action, (Draw, Take)) and not late:
        model.draw() if isinstance(action, Draw) else model.take()
    elif late and (rules.timeout == "restore_draw_1" or table is None):
        model.fail(due)
    else:
        legal = result.discarded is not None
        check_legality(now, action, legal)
        if legal:
            model.lay(Position(table, (), rules).table, action.discard)
        else:
            untouched = sorted(table) == sorted(now.table)
            model.fail(rules.illegal_draw if not late else due if untouched else 3)


def check_legality(now, action, legal):
    """Small positions are asked of the reference."""
    if not now.has_drawn:
        assert not legal
        return
    turns = legal_turns(now.position)
    if turns is not None:
        try:
            table = Position(action.table, (), now.rules).table
        except meldcore.MeldcoreError:
            table = None
        assert legal == ((table, action.discard) in turns)


def compare(model, game, result):
    now = game.round
    assert [Counter(hand) for hand in now.hands] == [+hand for hand in model.hands]
    assert (list(now.stock), list(now.pile), now.table) == (model.stock, model.pile, model.table)
    assert (now.player, now.drawn, now.taken) == (model.player, model.drawn, model.taken)
    assert (list(now.opened), list(now.laid)) == (model.opened, model.laid)
    assert (now.reshuffles, now.ended, result.ended) == (model.reshuffles, model.ended, model.ended)
    assert result.scores == now.scores
    if game.rules.scoring == "points_against":
        assert now.scores == model.scores
    there = cards_of(now.table) + Counter(now.stock) + Counter(now.pile) + sum(model.hands, Counter())
    assert there == Counter(all_cards(game.rules))


def check_value(game):
    """A state and all views of it survive JSON and pickle."""
    game.validate()
    for copy in (pickle.loads(pickle.dumps(game)), Game.from_json(json.loads(json.dumps(game.to_json())))):
        assert copy == game
        assert hash(copy) == hash(game)
    for player in range(game.players):
        view = game.view(player)
        assert View.from_json(json.loads(json.dumps(view.to_json()))) == view


# ---- at random


def test_random_games():
    """To the end, with illegal turns and time-outs among the others."""
    endings = Counter()
    for seed in range(GAMES // 3):
        game = to_the_end(Game.new("rummy-40", 2 + seed % 3, seed), seed)
        check_value(game)
        endings[game.round.ended] += 1
    assert endings["out"]


def test_random_games_with_few_cards():
    """Nearly all of their positions are small enough for the reference of the rules."""
    endings = Counter()
    for seed in range(GAMES * 2):
        rules = Rules.preset("rummy-40", hand_size=3 + seed % 3, initial_meld=(0, 6, 12)[seed % 3], copies=1)
        game = to_the_end(Game.new(rules, 2 + seed % 3, seed), seed)
        game.validate()
        endings[game.round.ended] += 1
    assert set(endings) == {"out", "cut_40", "exhausted"}


def test_every_state_is_a_value():
    names = {thing: getattr(meldcore, thing) for thing in meldcore.__all__}
    for seed in range(6):
        rules = Rules.preset("rummy-40", copies=1 + seed % 3, max_reshuffles=seed % 3, hand_size=6)
        for game, _ in play_round(Game.new(rules, 2 + seed % 3, seed), seed):
            check_value(game)
        assert eval(repr(game), names) == game


card_rules = st.builds(
    lambda **fields: Rules.preset("rummy-40", **fields),
    copies=st.integers(1, 3),
    jokers=st.integers(0, 4),
    hand_size=st.integers(1, 15),
    initial_meld=st.sampled_from([0, 12, 40]),
    joker_meld_value=st.sampled_from([None, 0, 25]),
    must_play=st.booleans(),
    turn_seconds=st.sampled_from([None, 31]),
    timeout=st.sampled_from(["judge_draw_3", "restore_draw_1"]),
    illegal_draw=st.integers(0, 4),
    direction=st.sampled_from(["clockwise", "anticlockwise"]),
    scoring=st.sampled_from(["points_against", "zero_sum", "laid_minus_left"]),
    group_rescue_needs_both=st.booleans(),
    discard_needs_40_always=st.booleans(),
    max_reshuffles=st.integers(0, 2),
)


@settings(max_examples=100)
@given(card_rules, st.integers(0, 2**53 - 1), st.integers(2, 4))
def test_odd_rules(rules, seed, players):
    if players * rules.hand_size + 2 > len(all_cards(rules)):
        with pytest.raises(BadRequest, match="cards each and 2 beside them need"):
            Game.new(rules, players, seed)
        return
    game = Game.new(rules, players, seed, rounds=2)
    for _ in range(2):
        states = follow(game, seed, model_of(game))
        for game, _ in islice(states, 60):
            game.validate()
        check_value(game)
        if game.over or not game.round_over:
            break
        game = game.next_round()


def test_a_match():
    for seed in range(4):
        rules = Rules.preset("rummy-40", hand_size=5, initial_meld=0, prize_shares=(2, 1))
        game = Game.new(rules, 3, seed, rounds=3)
        totals = [0] * 3
        for number in range(1, 4):
            with pytest.raises(IllegalMove, match="not over"):
                game.prizes(90)
            game = to_the_end(game, number)
            totals = [total + score for total, score in zip(totals, game.round.scores, strict=True)]
            if number < 3:
                winner = game.round.winners[0]
                game = game.next_round()
                check_value(game)
                assert game.round.starter == winner
        assert game.over
        assert list(game.totals) == totals
        assert [game.totals[player] for player in game.winners] == [min(totals)] * len(game.winners)
        assert sum(game.prizes(90)) == 90
        assert game.prizes(90)[game.winners[0]] == max(game.prizes(90))


# ---- the start


def test_the_same_seed_is_the_same_game_everywhere():
    """Fixed for ever: records rely on it."""
    game = Game.new("rummy-40", 3, 2024)
    assert (" ".join(game.round.hands[0]), " ".join(game.round.stock[:5]), game.round.pile) == GOLDEN
    assert game.start_draws() == DRAWS
    assert game.player == game.round.starter == 1
    assert [len(hand) for hand in game.round.hands] == [13] * 3
    assert len(game.round.stock) == 106 - 3 * 13 - 1


GOLDEN = ("4S 7S 8S JS KS AS 9H 5C 6C 8C 4D 10D JD", "3D 3D QD 4H 3S", ("3S",))
DRAWS = ({0: "6C", 1: "8D", 2: "7H"},)


def test_an_ace_is_high_and_a_joker_higher():
    order = {card[:-1]: place for place, card in enumerate(all_cards(RUMMY_40)[:26:2])} | {"": 99}
    for seed in range(200):
        draws = Game.new("rummy-40", 4, seed).start_draws()
        tied = list(range(4))
        for draw in draws:
            assert list(draw) == tied
            ranks = {player: order[card[:-1]] for player, card in draw.items()}
            tied = [player for player in tied if ranks[player] == max(ranks.values())]
        assert tied == [Game.new("rummy-40", 4, seed).player]


def test_what_cannot_start():
    for players in (1, 5):
        with pytest.raises(BadRequest, match="players goes from 2 to 4"):
            Game.new("rummy-40", players)
    assert Game.new(Rules.preset("rummy-40", hand_size=26), 4).round.stock
    with pytest.raises(BadRequest, match="4 players with 27 cards each and 2 beside them need 110, and there are 106"):
        Game.new(Rules.preset("rummy-40", hand_size=27), 4)


# ---- turns


def a_round(hands, table="", pile="2D", stock=20, opened=True, rules=RUMMY_40, **fields):
    """A state in the middle of a round, player 0 to move. The stock holds so many cards that matter to nobody."""
    table = Position(table, (), rules).table
    loose = Counter(all_cards(rules)) - sum((Counter(hand.split()) for hand in hands), cards_of(table))
    loose -= Counter(pile.split())
    values = {
        "rules": rules,
        "starter": 0,
        "turn": 1,
        "table": table,
        "hands": tuple(Position((), hand, rules).hand for hand in hands),
        "stock": tuple(loose.elements())[:stock],
        "pile": tuple(pile.split()),
        "opened": (opened,) * len(hands),
        "laid": (0,) * len(hands),
    }
    return CardRound(**values | fields)


def played(now, *actions):
    for action in actions:
        now, result = now.act(action)
    return now, result


def test_a_turn_is_a_card_and_then_a_lay():
    before = a_round(["8S 2H 9C", "KS"], "5S6S7S")
    drawn, result = before.act(Draw())
    assert result == CardTurnResult(0, drawn=before.stock[:1])
    assert (drawn.player, drawn.turn, drawn.drawn, drawn.has_drawn) == (0, 1, before.stock[0], True)
    after, result = drawn.act(Lay("5S6S7S8S", "2H"))
    assert result == CardTurnResult(0, played=("8S",), discarded="2H")
    assert (after.player, after.turn, after.pile, after.has_drawn) == (1, 2, ("2D", "2H"), False)
    assert drawn.act(Lay(drawn.position.move_to("5S6S7S8S", "2H"))) == (after, result)
    nothing, result = drawn.act(Lay("5S6S7S", "9C"))
    assert (result.played, result.discarded, nothing.opened) == ((), "9C", before.opened)


def test_a_card_taken_has_to_be_laid():
    before = a_round(["2H 9C", "KS"], "5S6S7S", pile="3D 8S")
    taken, result = before.act(Take())
    assert result == CardTurnResult(0, taken="8S")
    assert (taken.pile, taken.taken, taken.position.taken) == (("3D",), "8S", "8S")
    after, result = taken.act(Lay("5S6S7S8S", "2H"))
    assert (result.played, after.pile) == (("8S",), ("3D", "2H"))


@pytest.mark.parametrize("draws", [0, 1, 3])
def test_an_illegal_lay_after_taking_puts_the_card_back(draws):
    rules = Rules.preset("rummy-40", illegal_draw=draws)
    before = a_round(["2H 9C", "KS"], "5S6S7S", pile="3D 8S", rules=rules)
    for lay in (Lay("5S6S7S", "9C"), Lay("5S6S7S8S", "KD"), Lay("5S6S 7S8S", "9C"), Lay("5S6S7S8S 2H9C*", "8S")):
        after, result = played(before, Take(), lay)
        assert result.problems
        assert (after.pile, after.table, after.player) == (before.pile, before.table, 1)
        assert result.drawn == before.stock[:draws]
        assert Counter(after.hands[0]) == Counter(before.hands[0] + before.stock[:draws])


def test_an_illegal_lay_after_a_draw_keeps_the_card_drawn():
    before = a_round(["2H 9C", "KS"], "5S6S7S")
    after, result = played(before, Draw(), Lay("5S6S7S8S", "9C"))
    assert [problem.code for problem in result.problems] == ["tile_not_in_hand"]
    assert Counter(after.hands[0]) == Counter(before.hands[0] + before.stock[:4])
    assert (result.drawn, after.pile) == (before.stock[1:4], before.pile)


def test_going_out_and_cut_40():
    assert played(a_round(["8S", "KS * 3H"], "5S6S7S"), Draw(), Lay("5S6S7S", "8S"))[0].ended is None
    before = a_round(["8S", "KS * 3H"], "5S6S7S")
    after, result = played(before, Draw(), Lay("5S6S7S8S", before.stock[0]))
    assert (result.ended, result.scores, after.winners) == ("out", (0, 10 + 25 + 3), (0,))
    with pytest.raises(IllegalMove, match="over"):
        after.act(Draw())
    before = a_round(["KS KH KC KD", "AH 3H"], "5S6S7S", opened=False)
    after, result = played(before, Draw(), Lay("5S6S7S KSKHKCKD", before.stock[0]))
    assert (result.ended, after.cut_40, result.scores) == ("cut_40", True, (0, 11 + 3 + 25))
    laid_off = a_round(["KS KH KC KD 8S", "AH 3H"], "5S6S7S", opened=False)
    after, result = played(laid_off, Draw(), Lay("5S6S7S8S KSKHKCKD", laid_off.stock[0]))
    assert (result.ended, result.scores) == ("out", (0, 14))
    again = a_round(["KS KH KC KD", "AH 3H"], "5S6S7S")
    assert played(again, Draw(), Lay("5S6S7S KSKHKCKD", again.stock[0]))[1].ended == "out"


def test_every_turn_ends_with_a_discard():
    drawn, _ = a_round(["8S", "KS"], "5S6S7S").act(Draw())
    card = drawn.drawn
    _, result = drawn.act(Lay(f"5S6S7S8S {card}", card))
    assert result.problems
    with pytest.raises(BadRequest, match="discard is missing"):
        drawn.act(Lay("5S6S7S8S"))


def test_a_rescued_joker_is_in_the_hand():
    after, _ = played(a_round(["6S 9C 4D", "KS"], "5S*7S"), Draw(), Lay("5S6S7S", "9C"))
    assert "*" in after.hands[0]
    assert after.laid == (6 - 25, 0)


# ---- what is no action


def test_what_is_no_action_changes_nothing():
    before = a_round(["8S 2H", "KS"], "5S6S7S")
    drawn, _ = before.act(Draw())
    for now, action, error, named in [
        (before, Lay("5S6S7S8S", "2H"), IllegalMove, "a turn begins with"),
        (before, Pass(), IllegalMove, "nobody passes"),
        (before, "draw", BadRequest, "an action is Draw, Take, Lay or TimeOut"),
        (drawn, Draw(), IllegalMove, "the turn has begun"),
        (drawn, Take(), IllegalMove, "the turn has begun"),
        (drawn, Lay("5S6S7S8X", "2H"), BadTile, "X"),
        (drawn, Lay("5S6S7S8S", "2X"), BadTile, "X"),
    ]:
        with pytest.raises(error, match=named):
            now.act(action)
    tiles = Game.new("rummi-q")
    for action in (Take(), Lay("r1r2r3", "r4"), TimeOut(None, "r4")):
        with pytest.raises(meldcore.MeldcoreError, match=r"only (turns of )?the card game"):
            tiles.act(action)


def test_must_play():
    rules = Rules.preset("rummy-40", must_play=True)
    drawn, _ = a_round(["8S 2H 9C", "KS"], "5S6S7S", rules=rules).act(Draw())
    with pytest.raises(IllegalMove, match="must_play"):
        drawn.act(Lay("5S6S7S", "9C"))
    assert not played(a_round(["9S 2H 9C", "KS"], "5H6H7H", rules=rules), Draw(), Lay("5H6H7H", "9C"))[1].problems


def test_must_play_needs_no_count_of_all_turns():
    """Of this hand nobody lives to see the count."""
    hand = "4S 5S 7S 10S JS QS KS AS AS 3H 5H 6H 6H 7H 8H 9H 10H QH KH KH 3C 4C 9C JC AC 3D 6D 8D 9D KD"
    rules = Rules.preset("rummy-40", must_play=True, initial_meld=1, jokers=3)
    drawn, _ = a_round([f"{hand} *", "2S"], rules=rules).act(Draw())
    with pytest.raises(IllegalMove, match="must_play"):
        drawn.act(Lay((), "AS"))


def test_must_play_knows_jokers():
    rules = Rules.preset("rummy-40", must_play=True)
    for hand, table, may_lay in (("* 2H", "5S6S7S", True), ("6S 2H", "5S*7S", True), ("9C 2H", "5S*7S", False)):
        drawn, _ = a_round([hand, "KS"], table, rules=rules).act(Draw())
        action = Lay(drawn.table, "2H")
        if may_lay:
            with pytest.raises(IllegalMove, match="must_play"):
                drawn.act(action)
        else:
            drawn.act(action)


# ---- time


def test_the_clock_counts_the_whole_turn():
    rules = Rules.preset("rummy-40", turn_seconds=60, timeout="restore_draw_1")
    game = Game.new(rules, 2, 1)
    drawn, _ = game.act(Draw(), 40)
    assert (drawn.round.spent, drawn.elapsed) == (40, 40)
    lay = drawn.otherwise
    in_time, result = drawn.act(lay, 20)
    assert not result.timed_out
    assert in_time.round.spent == 0
    late, result = drawn.act(lay, 21)
    assert result == CardTurnResult(game.player, timed_out=True)
    assert late.round.pile == game.round.pile
    assert late.elapsed == 61


@pytest.mark.parametrize("timeout", ["judge_draw_3", "restore_draw_1"])
def test_time_outs(timeout):
    rules = Rules.preset("rummy-40", timeout=timeout)
    before = a_round(["8S 2H 9C", "KS"], "5S6S7S", pile="3D 4D", rules=rules)
    drawn, _ = before.act(Draw())
    taken, _ = before.act(Take())
    judged = timeout == "judge_draw_3"
    for now, action, cards in [
        (before, TimeOut(), 1),
        (before, TimeOut("5S6S7S8S"), 3 if judged else 1),
        (drawn, TimeOut(), 0),
        (drawn, TimeOut("5S6S7S"), 0),
        (drawn, TimeOut("5S6S7S8S"), 3 if judged else 0),
        (drawn, TimeOut("5S6S7S2H", "9C"), 3 if judged else 0),
        (taken, TimeOut(), 1),
        (taken, TimeOut("5S6S7S", "9C"), 1),
    ]:
        after, result = now.act(action)
        assert (result.timed_out, result.drawn) == (True, now.stock[:cards])
        assert (after.table, after.pile, after.player) == (before.table, before.pile, 1)
    after, result = drawn.act(TimeOut("5S6S7S8S", "2H"))
    assert (after.table, result.discarded) == ((("5S6S7S8S",), "2H") if judged else (("5S6S7S",), None))


# ---- the empty stock


@pytest.mark.parametrize("reshuffles", [0, 1])
def test_the_pile_becomes_the_stock(reshuffles):
    rules = Rules.preset("rummy-40", max_reshuffles=1)
    before = a_round(["9C 2H", "KS"], pile="3D 4D 5D", stock=1, opened=False, rules=rules, reshuffles=reshuffles)
    drawn, _ = before.act(Draw())
    assert (drawn.stock, drawn.ended) == ((), None)
    after, result = drawn.act(drawn.otherwise)
    if reshuffles:
        assert (result.ended, result.reshuffled, after.turn) == ("exhausted", False, 1)
        assert result.scores == (11, 10)
        assert after.winners == (1,)
    else:
        assert (result.ended, result.reshuffled, after.reshuffles) == (None, True, 1)
        assert sorted(after.stock) == ["3D", "4D", "5D"]
        assert after.pile == (drawn.drawn,)
        assert after.player == 1


def test_the_stock_is_not_renewed_when_somebody_goes_out():
    before = a_round(["8S", "KS"], "5S6S7S", pile="3D 4D", stock=1)
    after, result = played(before, Draw(), Lay("5S6S7S8S", before.stock[0]))
    assert (result.ended, after.stock, result.reshuffled) == ("out", (), False)


# ---- scores and prizes


def test_scores():
    assert round_scores(["", "KS *"], "rummy-40", cut_40=True) == (0, 60)
    with pytest.raises(BadRequest, match="who cuts"):
        round_scores(["2S", "KS"], "rummy-40", cut_40=True)
    zero = Rules.preset("rummy-40", scoring="zero_sum")
    assert round_scores(["", "KS"], zero, cut_40=True) == (10, -10)


def test_a_target_is_passed():
    """And not only reached: points against are to be avoided."""
    ended = a_round(["9C 2H", "KS"], stock=0, opened=False)
    for target, over in ((9, True), (10, True), (11, False), (12, False)):
        assert Game(1, None, target, None, 1, (0, 0), 0.0, ended).over == over, target


@pytest.mark.parametrize(
    ("totals", "shares", "prize"),
    [
        ([10, 20, 30], (3, 2, 1), (50, 34, 16)),
        ([30, 20, 10], (1,), (0, 0, 100)),
        ([5, 5, 9], (1,), (50, 50, 0)),
        ([5, 9, 9], (60, 30, 10), (60, 20, 20)),
        ([1, 2], (60, 30, 10), (67, 33)),
        ([1, 2], (0, 0, 1), (0, 0)),
        ([3, 3, 3], (1,), (34, 33, 33)),
        ([1, 2, 3], (0, 1, 2), (0, 34, 66)),
    ],
)
def test_prizes(totals, shares, prize):
    assert prizes(totals, 100, Rules.preset("rummy-40", prize_shares=shares)) == prize


def test_there_is_no_prize_without_a_stake():
    with pytest.raises(BadRules, match="prize_shares"):
        prizes([1, 2], 100, "rummy-40")
    for stake in (-1, 1.5, True):
        with pytest.raises(BadRequest, match="a stake is"):
            prizes([1, 2], stake, Rules.preset("rummy-40", prize_shares=[1]))


# ---- views


def test_a_view_hides_the_other_hands_and_the_stock():
    for seed in range(4):
        rules = Rules.preset("rummy-40", hand_size=7)
        for game, _ in play_round(Game.new(rules, 3, seed), seed):
            now = game.round
            for player in range(game.players):
                view = game.view(player)
                assert isinstance(view, CardView)
                assert view.position == now.position_of(player)
                assert (view.pile, view.stock_size, view.left_to_draw) == (now.pile, len(now.stock), len(now.stock))
                assert (view.has_drawn, view.taken) == (now.has_drawn, now.taken)
                assert view.drawn == (now.drawn if player == now.player else None)
                assert view.round_over == game.round_over
                hidden = [card for other, hand in enumerate(now.hands) if other != player for card in hand]
                if player != now.player and now.taken:
                    hidden.remove(now.taken)
                assert Counter(view.unseen) == Counter([*hidden, *now.stock])
            if not game.round_over:
                view = game.view(game.player)
                assert view.otherwise == game.otherwise
                assert (view.taking is None) == game.has_drawn
                if view.taking:
                    assert view.taking == game.act(Take())[0].position


def test_a_view_is_the_same_whatever_is_hidden():
    game = Game.new("rummy-40", 3, 1)
    drawn, _ = game.act(Draw())
    now = drawn.round
    player, one, other = game.player, (game.player + 1) % 3, (game.player + 2) % 3
    hands = list(now.hands)
    hands[one], hands[other] = hands[other], hands[one]
    fields = {name: getattr(now, name) for name in CardRound.__slots__}
    changed = CardRound(**fields | {"hands": tuple(hands), "stock": now.stock[::-1]})
    other_game = Game(1, 1, None, None, 1, (0, 0, 0), 0.0, changed)
    assert other_game.view(player) == drawn.view(player)
    assert other_game.view(one) != drawn.view(one)


# ---- states that cannot be


def state(seed=11, turns=25):
    """A game under way, as JSON: somebody has opened."""
    rules = Rules.preset("rummy-40", initial_meld=12)
    chance = random.Random(seed)
    game = Game.new(rules, 2, seed)
    while not (game.round.turn > turns and game.round.table and not game.has_drawn):
        game, _ = game.act(*random_card_action(game, chance))
    return json.loads(json.dumps(game.to_json()))


def swap_hands(game, now):
    """Two cards change hands that were dealt, and that nobody has drawn."""
    first = Game.new(game["rules"], 2, game["seed"]).round
    drawn = first.stock[: len(first.stock) - len(now["stock"])]
    gone = []
    for hand, dealt, others in zip(now["hands"], first.hands, now["hands"][::-1], strict=True):
        gone.append(next(card for card in hand if card in dealt and card not in (*drawn, *others, "*")))
    for hand, mine, their in zip(now["hands"], gone, gone[::-1], strict=True):
        hand.remove(mine)
        hand[:] = Position((), [*hand, their], "rummy-40").hand


TAMPERED = {
    "a third copy": (lambda _, now: now["stock"].__setitem__(0, now["stock"][1]), "stock"),
    "107 cards": (lambda _, now: now["pile"].append("KS"), "stock"),
    "105 cards": (lambda _, now: now["pile"].pop(), "stock"),
    "a tile": (lambda _, now: now["stock"].__setitem__(0, "r1"), "stock"),
    "no card in a hand": (lambda _, now: now["hands"][0].append("1S"), "hands[0]"),
    "another order of the stock": (lambda _, now: now["stock"].reverse(), "stock"),
    "another order of a hand": (lambda _, now: now["hands"][0].reverse(), "hands[0]"),
    "an invalid set": (lambda _, now: now["table"].append("2S3S"), "table"),
    "a set less": (lambda _, now: now["table"].pop(), "stock"),
    "far too many turns": (lambda _, now: now.update(turn=now["turn"] + 90), "turn"),
    "far too few turns": (lambda _, now: now.update(turn=3), "turn"),
    "no turn": (lambda _, now: now.update(turn=0), "turn"),
    "another starter": (lambda _, now: now.update(starter=1 - now["starter"]), ""),
    "a third starter": (lambda _, now: now.update(starter=2), "starter"),
    "nobody opened": (lambda _, now: now.update(opened=[False, False]), ""),
    "more laid": (lambda _, now: now["laid"].__setitem__(0, 500), "laid"),
    "both drawn and taken": (lambda _, now: now.update(drawn="KS", taken="KS"), "taken"),
    "a card drawn that is not there": (lambda _, now: now.update(drawn="*"), "drawn"),
    "time before the turn": (lambda _, now: now.update(spent=3.0), "spent"),
    "more time than a turn has": (
        lambda game, now: (game["rules"].update(turn_seconds=60), game.update(elapsed=99.0), now.update(spent=61.0)),
        "spent",
    ),
    "four reshuffles": (lambda _, now: now.update(reshuffles=4), "reshuffles"),
    "a reshuffle that was not": (lambda _, now: now.update(reshuffles=1), "turn"),
    "a cut of nobody": (lambda _, now: now.update(cut_40=True), "cut_40"),
    "cards of another hand": (swap_hands, "hands[0]"),
    "a wrong type": (lambda _, now: now.update(pile="KS"), "pile"),
    "a number for a card": (lambda _, now: now["stock"].append(3), "stock"),
    "a field more": (lambda _, now: now.update(pool=[]), "pool"),
    "a field less": (lambda _, now: now.pop("pile"), "pile"),
    "another seed": (lambda game, _: game.update(seed=12), ""),
}


@pytest.mark.parametrize("change", TAMPERED)
def test_a_state_that_cannot_be_is_refused(change):
    value = state()
    Game.from_json(value)
    spoil, place = TAMPERED[change]
    spoil(value, value["round"])
    with pytest.raises((BadPosition, BadRequest, BadTile, meldcore.BadSet)) as refusal:
        Game.from_json(value)
    assert (refusal.value.path or "").startswith(f"$.round.{place}" if place else "$")
    assert str(refusal.value)


def test_a_pile_that_no_play_leads_to():
    value = Game.new("rummy-40", 2, 1).to_json()
    now = value["round"]
    now["pile"], now["stock"] = now["stock"][:3], (*now["pile"], *now["stock"][3:])
    with pytest.raises(BadPosition, match="turns do not lead to a discard pile of 3"):
        Game.from_json(value)
    value = Game.new("rummy-40", 2, 1).to_json()
    hands, pile = [list(hand) for hand in value["round"]["hands"]], list(value["round"]["pile"])
    pile[0], hands[0][0] = hands[0][0], pile[0]
    value["round"] |= {"pile": pile, "hands": [Position((), hand, "rummy-40").hand for hand in hands]}
    with pytest.raises(BadPosition, match="the card turned up was"):
        Game.from_json(value)


def places(value, path=()):
    """Every place in a JSON value."""
    yield path
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places(inner, (*path, key))


STATES = [state(), Game.new("rummy-40", 3, 2).act(Take())[0].to_json(), Game.new("rummy-40", 2, 2).view(0).to_json()]
junk = st.one_of(
    st.sampled_from([None, True, float("nan"), float("inf"), 1e300, "", "KS", "*", "r1", "=KS", [], {}]),
    st.integers(-3, 200),
    st.lists(st.sampled_from(["KS", "2S", "*", "5S6S7S", 3]), max_size=3),
)


@settings(max_examples=300)
@given(st.data())
def test_junk_is_refused_with_its_place(data):
    value = json.loads(json.dumps(data.draw(st.sampled_from(STATES))))
    *path, key = data.draw(st.sampled_from([place for place in places(value) if place]))
    inside = value
    for step in path:
        inside = inside[step]
    inside[key] = data.draw(junk)
    kind, refusal = Game if "round" in value else View, None
    try:
        read = kind.from_json(value)
    except meldcore.MeldcoreError as error:
        refusal = error
    if refusal is None:
        assert kind.from_json(read.to_json()) == read
    else:
        assert refusal.path
        assert str(refusal)


VIEWS = {
    "another to move": {"to_move": 0},
    "nobody to move": {"to_move": 7},
    "a card drawn": {"drawn": "KS"},
    "has drawn": {"has_drawn": True},
    "a card taken": {"taken": "KS", "has_drawn": True},
    "a card more to draw": {"stock_size": 80},
    "a pile of two": {"pile": ["KS", "QS"]},
    "no pile": {"pile": []},
    "a reshuffle": {"reshuffles": 1},
    "a third player": {"totals": [0, 0, 0]},
    "a pool": {"pool_size": 3},
}


@pytest.mark.parametrize("change", VIEWS)
def test_a_view_that_cannot_be_is_refused(change):
    game = Game.new("rummy-40", 2, 1)
    value = json.loads(json.dumps(game.view(1).to_json()))
    View.from_json(value)
    with pytest.raises(meldcore.MeldcoreError) as refusal:
        View.from_json(value | VIEWS[change])
    assert refusal.value.path


def test_worth_is_what_the_core_says():
    for card in all_cards(RUMMY_40):
        assert worth([card], RUMMY_40) == Position((), [card], RUMMY_40).hand_points
