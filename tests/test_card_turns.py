"""The turns of the card game: the shared cases, and whatever hypothesis thinks of against the reference model."""

import pickle
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import meldcore
import reference_cards as ref
from case_files import cases, real_cases
from meldcore import BadRequest, BadRules, CardMove, CardMoves, Position, Rules
from reference import JOKER, Tile
from reference_cards import card_text
from strategies import short_sets

# ---- the shared cases


def position_of(case, drawn=()):
    return Position(case["table"], [*case["hand"], *drawn], case["rules"], case["opened"], taken=case.get("taken"))


def test_cases():
    disagreements = []
    for case in cases("rummy40.jsonl"):
        position = position_of(case)
        best = position.best()
        answer = {
            "outcomes": position.count(),
            "laying_outcomes": position.count() - len(unchanged_tables(position)),
            "best_cards": best.net if best else 0,
            "can_go_out": bool(best and best.goes_out(position)),
            "can_cut_40": any(move.cuts(position) for move in position.best_moves()),
        }
        if case | answer != case:
            disagreements.append((case, answer))
    assert disagreements == []


def unchanged_tables(position):
    """The turns that leave the table as it was, each found by its value."""
    moves = position.moves()
    found = (CardMove((), position.table, 0, len(position.table), card, 0) for card in sorted({*position.hand}))
    return [move for move in found if move in moves]


def can_rescue_joker(case):
    position = position_of(case)
    return any("*" in move.discard for move in position.moves())


def may_take_discard(case):
    return position_of(case | {"taken": case["discard"]}, drawn=[case["discard"]]).count() > 0


QUESTIONS = {
    # the hand is as it was before the draw: a card that goes with nothing stands for the one to be discarded
    "can_open": lambda case: any(move.played for move in position_of(case, drawn=["2C"]).moves()),
    "can_lay_off": lambda case: any(move.played for move in position_of(case).moves()),
    "can_rescue_joker": can_rescue_joker,
    "may_take_discard": may_take_discard,
    "max_tiles": lambda case: position_of(case).best().net,
    "can_go_out": lambda case: position_of(case).best().goes_out(position_of(case)),
    "can_corte_40": lambda case: any(move.cuts(position_of(case)) for move in position_of(case).best_moves()),
    "round_scores": lambda case: {
        player: Position((), hand, case["rules"]).hand_points for player, hand in case["hands"].items()
    },
}


@pytest.mark.parametrize("case", list(real_cases(lambda case: case["ask"] in QUESTIONS, Rules, cards=True)))
def test_real(case):
    assert QUESTIONS[case["ask"]](case) == case["answer"], case["why"]


@pytest.mark.parametrize(
    ("ask", "change", "answer"),
    [
        ("r40-rescue1", {"group_rescue_needs_both": False}, True),
        ("r40-joker-hand", {"joker_hand_value": 15}, {"cut": 0, "p2": 41}),
    ],
)
def test_other_readings(ask, change, answer):
    [case] = [case for case in cases("real.jsonl") if case["id"] == ask]
    assert QUESTIONS[case["ask"]](case | {"rules": {"preset": "rummy-40"} | change}) == answer


# ---- against the reference model

card_rules = st.fixed_dictionaries(
    {
        "preset": st.just("rummy-40"),
        "jokers": st.sampled_from([2, 2, 4, 3, 1]),
        "max_jokers_per_set": st.sampled_from([None, None, None, 2, 1]),
        "initial_meld": st.sampled_from([40, 40, 0, 12, 20, 31]),
        "joker_meld_value": st.sampled_from([None, None, None, 0, 7, 25]),
        "group_rescue_needs_both": st.booleans(),
        "discard_needs_40_always": st.sampled_from([False, False, True]),
    }
)


@st.composite
def positions(draw, most_hand=7):
    """A position of the reference model of few neighbouring ranks, so that its cards have something to do with each
    other, and the fields of its rules.
    """
    fields = draw(card_rules)
    rules = ref.read_rules(fields)
    width = draw(st.integers(3, 5))
    lowest = draw(st.integers(1, 14 - width))
    suits = draw(st.sampled_from([(0, 1, 2, 3), (0, 1, 2, 3), (0, 1), (2,)]))
    pool = Counter({Tile(c, n): 2 for c in suits for n in range(lowest, lowest + width)})
    pool[JOKER] = rules.jokers
    edition = tuple((name, fields[name]) for name in ("jokers", "max_jokers_per_set"))
    melds = [meld for meld in short_sets(edition, lowest, lowest + width - 1) if not Counter(meld.tiles) - pool]
    with_jokers = [meld for meld in melds if meld.jokers]

    def dealt(most):
        sets = []
        for meld in draw(st.lists(st.sampled_from(melds) | st.sampled_from(with_jokers), max_size=most)):
            if not Counter(meld.tiles) - pool:
                pool.subtract(meld.tiles)
                sets.append(meld)
        return sets

    table = dealt(3)
    hand = [card for meld in dealt(2) for card in meld.tiles]
    hand += draw(st.permutations(sorted(pool.elements())))[: draw(st.integers(0, 4))]
    hand = hand[:most_hand]
    opened = draw(st.sampled_from([True, True, False]))
    taken = draw(st.none() | st.sampled_from(hand)) if hand else None
    return fields, ref.Position(ref.arrange(table), tuple(sorted(hand)), opened, taken, rules)


def to_core(fields, position):
    taken = None if position.taken is None else card_text(position.taken)
    table, hand = ref.table_text(position.table, position.rules), [card_text(card) for card in position.hand]
    return Position(table, hand, fields, position.opened, taken=taken)


def outcomes_of(position):
    return {
        (tuple(sorted(ref.table_text(outcome.table, position.rules))), card_text(outcome.discard))
        for outcome in ref.outcomes(position)
    }


def outcome(move):
    return tuple(sorted(move.table)), move.discard


@given(positions())
def test_the_turns_are_those_of_the_reference_each_once(drawn):
    fields, model = drawn
    position = to_core(fields, model)
    moves = list(position.moves())
    assert len(moves) == len(set(moves)) == position.count()
    assert {outcome(move) for move in moves} == outcomes_of(model)
    answer = ref.answer(model)
    best = position.best()
    assert (best.net if best else 0) == answer.best_cards
    assert bool(best and best.goes_out(position)) == answer.can_go_out
    assert any(move.cuts(position) for move in moves) == answer.can_cut_40


def cards_of(table):
    return Counter(ref.read_cards("".join(table).replace("=", "")))


@given(positions())
def test_what_a_turn_says_about_itself(drawn):
    fields, model = drawn
    position = to_core(fields, model)
    for move in position.moves()[:50]:
        before, after = cards_of(position.table), cards_of(move.table)
        assert [card_text(card) for card in sorted((after - before).elements())] == list(move.played)
        assert move.net == after.total() - before.total()
        assert move.unchanged == (Counter(position.table) & Counter(move.table)).total()
        gained = {card: after[card] - before[card] for card in after | before}
        assert move.points == sum(many * ref.card_value(card, model.rules) for card, many in gained.items())


# ---- as a sequence

NAMES = vars(meldcore)
slices = st.builds(slice, *[st.none() | st.integers(-14, 14)] * 2, st.none() | st.integers(-4, 4).filter(bool))


@given(positions(), st.lists(slices, max_size=2), st.integers(0, 99))
def test_a_lazy_sequence(drawn, parts, seed):
    moves = whole = to_core(*drawn).moves()
    as_list = list(moves)
    for part in parts:
        moves, as_list = moves[part], as_list[part]
    assert moves.total == len(moves) == len(as_list)
    assert list(moves) == as_list
    assert list(reversed(moves)) == as_list[::-1]
    assert [moves[i] for i in range(-len(moves), len(moves))] == as_list + as_list
    assert [moves.index(move) for move in as_list] == list(range(len(as_list)))
    assert [move in moves for move in whole] == [move in as_list for move in whole]
    for again in (eval(repr(moves), dict(NAMES)), pickle.loads(pickle.dumps(moves))):
        assert again == moves
        assert hash(again) == hash(moves)
        assert list(again) == as_list
    if as_list:
        assert set(moves.sample(5, seed)) <= set(as_list)
        assert moves.sample(5, seed) == moves.sample(5, seed)
        assert eval(repr(as_list[0]), dict(NAMES)) == as_list[0] == pickle.loads(pickle.dumps(as_list[0]))


def test_what_is_not_there():
    position = Position.parse("5S6S7S | 8S 2H *", "rummy-40")
    moves = position.moves()
    true = moves[1]
    for item in (
        "5S6S7S8S",
        None,
        true.table,
        true._replace(points=true.points + 1),
        true._replace(discard="3H"),
        true._replace(discard=None),
        true._replace(table=("5S6S",)),
    ):
        assert item not in moves
        with pytest.raises(ValueError, match="is not among these cardmoves"):
            moves.index(item)
    with pytest.raises(IndexError, match="a sample of no cardmoves"):
        Position.parse("|", "rummy-40").moves().sample(1)


# ---- the best turns

weights = st.dictionaries(st.sampled_from(["2S", "5H", "9C", "KS", "AD", "QH", "*"]), st.integers(-9, 9), max_size=4)
objectives = st.sampled_from(["tiles", "points"]) | weights.map(lambda chosen: {"weights": chosen})


def worth(move, position, objective):
    """What a turn is worth by an objective: its value, then what breaks ties."""
    if objective == "tiles":
        return move.net, move.points
    if objective == "points":
        return move.points, move.net
    jokers = " ".join(move.table).count("*") - " ".join(position.table).count("*")
    naturals = [card for card in move.played if card != "*"]
    wish = objective["weights"]
    return sum(wish.get(card, 0) for card in naturals) + jokers * wish.get("*", 0), move.net, move.points


@given(positions(), objectives, st.sampled_from([None, "fewest_changes"]))
def test_best_is_the_first_of_the_best_of_all(drawn, objective, prefer):
    position = to_core(*drawn)
    moves = list(position.moves())

    def rank(move):
        return *worth(move, position, objective), move.unchanged if prefer else 0

    best = position.best(objective, prefer)
    assert best == max(moves, key=rank, default=None)
    assert position.moves().best(objective, prefer) == best

    most = max((worth(move, position, objective)[0] for move in moves), default=None)
    best_of_all = [move for move in moves if worth(move, position, objective)[0] == most]
    best_moves = position.best_moves(objective)
    assert list(best_moves) == best_of_all
    assert position.count_best(objective) == len(best_of_all)
    assert [best_moves.index(move) for move in best_moves] == list(range(len(best_of_all)))
    assert [move in best_moves for move in moves] == [move in best_of_all for move in moves]
    assert best_moves.best(objective, prefer) == best
    assert eval(repr(best_moves), dict(NAMES)) == best_moves == pickle.loads(pickle.dumps(best_moves))


def test_a_best_that_does_not_exist():
    position = Position.parse("5S6S7S | KS KH 2D", "rummy-40", taken="2D")
    assert position.best() is None
    assert position.best(prefer="fewest_changes") is None
    assert list(position.best_moves()) == []
    with pytest.raises(BadRequest):
        position.best("cards")


def test_a_hand_of_all_cards_is_no_matter():
    cards = [rank + suit for suit in "SHCD" for rank in ref.RANKS] * 2
    moves = Position((), cards, "rummy-40").moves()
    assert moves.total > 2**64
    for place in (0, 10**20, moves.total - 1):
        assert moves.index(moves[place]) == place
    with pytest.raises(OverflowError):
        len(moves)


def test_plays_are_no_question_for_cards():
    with pytest.raises(BadRules, match="plays"):
        Position.parse("5S6S7S | 8S 2H", "rummy-40").plays()


def test_card_moves_are_of_the_card_game():
    with pytest.raises(BadRules, match="CardMoves"):
        CardMoves(Position.parse("| r5", "rummi-q"))


@pytest.mark.parametrize("suit", "SHCD")
@pytest.mark.parametrize("other", "SHCD")
def test_two_sets_of_the_table_never_become_one(suit, other):
    # whatever lies in another suit between the end of the one and the beginning of the next
    table = f"5{suit}6{suit}7{suit} 8{suit}9{suit}10{suit} 7{other}8{other}9{other}10{other}"
    for hand in (f"2{suit}", f"2{suit} J{suit}", f"2{suit} 6{other} J{other}"):
        position = Position.parse(f"{table} | {hand}", "rummy-40")
        model = ref.read_position(table, hand)
        assert {outcome(move) for move in position.moves()} == outcomes_of(model)


def test_a_table_of_more_than_fifty_different_sets():
    ranks = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"]
    runs = ["".join(rank + suit for rank in ranks[i : i + 3]) for suit in "SHCD" for i in range(11)]
    groups = ["2S2H2C", "2S2H2D", "ASAHAC", "ASAHAD", "3S3H3C", "KSKHKC"]
    rules = Rules.preset("rummy-40", copies=3, jokers=4, group_rescue_needs_both=False)
    position = Position([*runs, *groups, "*3D***"], ["2C", "2D", "AC"], rules)
    moves = position.moves()
    assert position.count() == moves.total > 0
    assert all(position.check(move.table, move.discard).legal for move in moves)
