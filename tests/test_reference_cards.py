"""The reference model of Rummy 40 against the shared cases, and against the sentences of section 7 by hand."""

from __future__ import annotations

import pytest

import reference_cards as ref
from case_files import cases
from reference_cards import Outcome, read_position, read_rules

# Every order of the steps is walked through, so the time grows with the outcomes. The 29 cases with more than this
# agree as well, and would take as long as the others together.
MOST_OUTCOMES = 1000


# --- The shared cases ---------------------------------------------------------------------------------------


def position_of(case, drawn=()):
    hand = [*case["hand"], *drawn]
    return read_position(case["table"], hand, case["opened"], case.get("taken"), case["rules"])


def test_cases():
    disagreements = []
    for case in cases("rummy40.jsonl"):
        if case["outcomes"] <= MOST_OUTCOMES:
            answer = ref.answer(position_of(case))._asdict()
            if case | answer != case:
                disagreements.append((case, answer))
    assert disagreements == []


def fits(case):
    try:
        ref.read_table(case["table"], read_rules(case["rules"]))
    except ValueError:
        return False
    return True


def set_value(case):
    rules = read_rules(case["rules"])
    return ref.value(ref.read_set(case["table"][0], rules), rules)


def can_open(case):
    """The hand is as it was before the draw: a card that goes with nothing stands for the one to be discarded."""
    return ref.answer(position_of(case, drawn=["2C"])).laying_outcomes > 0


def can_lay_off(case):
    last = ref.last_stages(position_of(case))
    return any(old.now.size > old.before.size for stage in last for old in stage.old)


def can_rescue_joker(case):
    return any(stage.rescued for stage in ref.stages(position_of(case)))


def may_take_discard(case):
    discard = case["discard"]
    return bool(ref.outcomes(position_of(case | {"taken": discard}, drawn=[discard])))


def round_scores(case):
    rules = read_rules(case["rules"])
    return {player: ref.hand_value(ref.read_cards(hand), rules) for player, hand in case["hands"].items()}


QUESTIONS = {
    "valid_set": fits,
    "set_value": set_value,
    "can_open": can_open,
    "can_lay_off": can_lay_off,
    "can_rescue_joker": can_rescue_joker,
    "may_take_discard": may_take_discard,
    "max_tiles": lambda case: ref.answer(position_of(case)).best_cards,
    "can_go_out": lambda case: ref.answer(position_of(case)).can_go_out,
    "can_corte_40": lambda case: ref.answer(position_of(case)).can_cut_40,
    "round_scores": round_scores,
}

# what the other readings of these cases say in prose, as a field of the rules
OTHER_READINGS = {
    "either missing suit frees the joker (English version of the rules)": {"group_rescue_needs_both": False},
    "joker 15 in hand": {"joker_hand_value": 15},
}


def real_cases():
    for case in cases("real.jsonl"):
        if case["rules"] == "rummy-40":
            yield pytest.param(case, id=case["id"])
            for reading, answer in case.get("other_readings", {}).items():
                rules = {"preset": "rummy-40"} | OTHER_READINGS[reading]
                yield pytest.param(case | {"rules": rules, "answer": answer}, id=f"{case['id']}, {reading}")


@pytest.mark.parametrize("case", list(real_cases()))
def test_real(case):
    assert QUESTIONS[case["ask"]](case) == case["answer"], case["why"]


# --- Sentences of section 7 ---------------------------------------------------------------------------------

EITHER = {"preset": "rummy-40", "group_rescue_needs_both": False}
NEEDS_40 = {"preset": "rummy-40", "discard_needs_40_always": True}


def after(rules, table, discard):
    return Outcome(ref.read_table(table, read_rules(rules)), ref.read_cards(discard)[0])


def tables(table, hand, opened=True, taken=None, rules="rummy-40"):
    """The tables after the legal turns, as texts."""
    position = read_position(table, hand, opened, taken, rules)
    return {" ".join(ref.table_text(found.table, position.rules)) for found in ref.outcomes(position)}


def discards(table, hand, result, opened=True, taken=None, rules="rummy-40"):
    """What may be discarded after a turn that ends in this table."""
    position = read_position(table, hand, opened, taken, rules)
    wanted = ref.read_table(result, position.rules)
    return {ref.card_text(found.discard) for found in ref.outcomes(position) if found.table == wanted}


def count(table, hand, opened=True, taken=None, rules="rummy-40"):
    return ref.answer(read_position(table, hand, opened, taken, rules)).outcomes


@pytest.mark.parametrize("text", ["AS2S3S", "KSAS*", "*2S3S", "QSKSASAS", "9S9H9S", "***"])
def test_what_is_no_set(text):
    with pytest.raises(ValueError, match="no valid set"):
        ref.read_set(text, read_rules("rummy-40"))


@pytest.mark.parametrize(
    ("text", "value"), [("2S3S4S", 9), ("10HJHQHKHAH", 51), ("ASAH*", 33), ("KS**", 30), ("9D**", 29), ("=9D**", 27)]
)
def test_values(text, value):
    rules = read_rules("rummy-40")
    assert ref.value(ref.read_set(text, rules), rules) == value


def test_laying_nothing_is_a_turn_for_each_different_discard():
    rules = "rummy-40"
    position = read_position("7C8C9C", "2H 2H 5D *", opened=False)
    assert ref.outcomes(position) == {after(rules, "7C8C9C", discard) for discard in ("2H", "5D", "*")}


def test_two_ways_to_one_outcome_are_one():
    # nothing laid 5, 8S laid off 4, 5-6-7 or 6-7-8 laid new 2 each, and 5-6-7-8 beside 5-6-7 in two ways 1
    assert count("5S6S7S", "5S 6S 7S 8S 2H") == 14


def test_every_turn_ends_with_a_discard():
    assert tables("", "5S 6S 7S") == {""}
    assert tables("", "5S 6S 7S 2H") == {"", "5S6S7S"}
    assert ref.answer(read_position("5H*7H", "6H")).can_go_out  # the rescued joker is the discard


@pytest.mark.parametrize(
    ("hand", "opens"),
    [
        ("KS KH KC 2H 3H 4H 9D", False),  # 39
        ("KS KH KC 3H 4H 5H 9D", True),  # two sets, 42
        ("KS KH * KC 3D", True),  # four kings, one of them a joker
        ("QD KD AD 7S 9D", False),  # 31; the 7S laid off would be the 38th, and is no set of the hand
    ],
)
def test_opening(hand, opens):
    assert (ref.answer(read_position("8S9S10S", hand, opened=False)).laying_outcomes > 0) == opens


def test_other_steps_follow_the_opening_in_the_same_turn():
    hand = "KS KH KC KD 8S 6H 3D"
    result = "5S6S7S8S 5H6H7H KSKHKCKD"
    assert discards("5S6S7S 5H*7H", hand, result, opened=False) == {"3D", "*"}
    assert discards("5S6S7S 5H*7H", "KS KH KC KC 8S 6H 3D", "5S6S7S8S 5H6H7H KSKHKC", opened=False) == set()


def test_a_set_with_a_rescued_joker_does_not_count_towards_the_opening():
    laid = "5H6H7H QDKDAD KSKH*"
    assert discards("5H*7H", "6H QD KD AD KS KH 3D", laid, opened=False) == set()
    # the same table with a joker from the hand: that one opens, and the rescued one is left
    assert discards("5H*7H", "6H QD KD AD KS KH 3D *", laid, opened=False) == {"3D", "*"}
    assert discards("5H*7H", "6H QD KD AD KS KH 3D", laid, opened=False, rules=EITHER | {"initial_meld": 31}) == {"3D"}

    # where the joker may have been laid off on the other of two equal runs, it is the run without it that opens
    table, hand = "10SJSQSKS 5H*7H", "10S JS QS KS 6H 2D"
    assert discards(table, hand, "10SJSQSKS 10SJSQSKS* 5H6H7H", opened=False) == {"2D"}


def test_a_card_taken_that_cannot_be_laid_leaves_no_legal_turn():
    assert count("5S6S7S", "KS KH KC 2D", taken="2D") == 0
    assert count("5S6S7S", "KS KH KC 8S", opened=False, taken="8S") == 0


@pytest.mark.parametrize(
    ("table", "hand", "taken", "result"),
    [
        ("5S6S7S", "8S 2D", "8S", "5S6S7S8S"),  # a lay-off
        ("5S*7S", "6S 2D", "6S", "5S6S7S"),  # a rescue
        ("", "5S 6S 7S 2D", "6S", "5S6S7S"),  # a new set
        ("5S6S7S", "* 2D", "*", "5S6S7S*"),
    ],
)
def test_a_card_taken_by_an_opened_player(table, hand, taken, result):
    assert discards(table, hand, result, taken=taken)
    assert table not in tables(table, hand, taken=taken)
    assert not discards(table, hand, result, taken=taken, rules=NEEDS_40)


def test_any_copy_counts_as_the_card_taken():
    assert discards("5S6S7S", "8S 8S 2D", "5S6S7S8S", taken="8S") == {"8S", "2D"}


def test_any_joker_laid_counts_as_the_joker_taken():
    assert discards("5S*7S", "6S * 2D", "5S6S7S*", taken="*") == {"2D", "*"}
    assert not discards("5S*7S", "6S * 2D", "5S6S7S", taken="*")  # no joker was laid
    # but it was in the second of these sets, if the first is the one that lost its joker
    assert discards("5S*7S", "5S 6S 7S * 2D", "5S6S7S 5S*7S", taken="*") == {"2D", "*"}
    # one suit closes the group, and no joker was laid; where it frees the joker, a joker closes the group
    closed = "8S8H8C*"
    assert not discards("8S8H*", "8C * 2D", closed, taken="*")
    assert discards("8S8H*", "8C * 2D", closed, taken="*", rules=EITHER) == {"2D", "*"}


def test_the_new_set_with_the_card_taken_may_have_to_be_worth_40_by_itself():
    hand = "KS KH KC KD 2S 3S 4S 9D"
    assert discards("", hand, "2S3S4S KSKHKCKD", taken="3S", rules=NEEDS_40) == set()
    assert discards("", hand, "2S3S4S KSKHKCKD", taken="KS", rules=NEEDS_40) == {"9D"}
    assert discards("", "KS KH KC * 9D", "KSKHKC*", taken="*", rules=NEEDS_40) == {"9D"}
    assert discards("KSKHKC", "KD 9D", "KSKHKCKD", taken="KD", rules=NEEDS_40) == set()
    # as good as a lay-off of the ace, and yet a new set of 41 with it
    assert discards("JSQSKS", "JS QS KS AS 9D", "JSQSKS JSQSKSAS", taken="AS", rules=NEEDS_40) == {"9D"}
    assert discards("JSQSKS", "JS QS KS AS 9D", "JSQSKSAS", taken="AS", rules=NEEDS_40) == set()


@pytest.mark.parametrize("rules", ["rummy-40", NEEDS_40])
def test_a_card_taken_before_the_opening_is_in_a_hand_made_set(rules):
    hand = "KS KH KC KD 2S 3S 4S 9D"
    assert discards("", hand, "2S3S4S KSKHKCKD", opened=False, taken="3S", rules=rules) == {"9D"}
    assert discards("5S6S7S", "KS KH KC KD 8S 9D", "5S6S7S8S KSKHKCKD", False, "8S", rules) == set()
    with_rescued = "5H6H7H 9S9D* KSKHKCKD"
    assert discards("5H*7H", "KS KH KC KD 6H 9S 9D 2C", with_rescued, False, "KS", rules) == {"2C"}
    assert discards("5H*7H", "KS KH KC KD 6H 9S 9D 2C", with_rescued, False, "9S", rules) == set()


def test_rescue_from_a_run():
    # nothing laid 2; the joker kept or discarded 2; laid back at either end 1 each
    position = read_position("5H*7H8H", "6H 2S")
    assert ref.answer(position) == (6, 4, 1, True, False)
    assert ref.outcomes(position) >= {
        after("rummy-40", "5H6H7H8H", "*"),
        after("rummy-40", "5H6H7H8H", "2S"),
        after("rummy-40", "*5H6H7H8H", "2S"),
        after("rummy-40", "5H6H7H8H*", "2S"),
    }


def test_a_joker_at_the_end_of_a_run_may_be_moved_on_by_its_card():
    assert "5H6H7H*" in tables("5H6H*", "7H 2S")
    assert "5H6H*8H" in tables("5H6H*", "8H 2S")
    assert "10SJSQSKS*" in tables("10SJSQS*", "KS 2S")
    assert "10SJSQSKSAS" in tables("10SJSQS*", "KS AS 2S")


@pytest.mark.parametrize(
    ("rules", "table", "hand", "outcomes"),
    [
        # nothing laid 3, one suit and the joker trapped 2 each, both suits 2
        ("rummy-40", "10S10D*", "10H 10C 2S", 9),
        # nothing laid 3, the joker replaced 3 each, then the group closed by it 2 each or by the other suit 2
        (EITHER, "10S10D*", "10H 10C 2S", 15),
        # nothing laid 4, one suit traps both 3 each, two free one 3 each, three free both 2, and as a new set 1
        ("rummy-40", "=10S**", "10H 10C 10D 2S", 25),
        # a joker closes a group as well, and traps the other one: nothing laid 3, that 2, a suit 2
        ("rummy-40", "10S10D*", "10H * 2S", 7),
        # of four never
        ("rummy-40", "10S10D10H*", "10C 2S", 2),
        (EITHER, "10S10D10H*", "10C 2S", 2),
    ],
)
def test_rescue_from_a_group(rules, table, hand, outcomes):
    assert count(table, hand, rules=rules) == outcomes


def test_a_rescued_joker_is_laid_or_kept_or_discarded():
    hand = "6H 9S 9D 2C"
    assert discards("5H*7H", hand, "5H6H7H 9S9D*") == {"2C"}
    assert discards("5H*7H 2S3S4S", hand, "2S3S4S* 5H6H7H") == {"9S", "9D", "2C"}
    assert discards("5H*7H", hand, "5H6H7H") == {"9S", "9D", "2C", "*"}


def test_best_counts_a_rescued_joker_that_is_kept_as_a_card_in_hand():
    whole_suit = "2S*4S5S6S7S8S9S10SJSQSKSAS"
    assert ref.answer(read_position(whole_suit, "3S 9D")).best_cards == 0
    assert ref.answer(read_position(whole_suit, "3S 9D 9H 2C")).best_cards == 3  # the joker with the nines
    assert ref.answer(read_position(whole_suit, "3S 9D 9H")).best_cards == 0  # there it would leave no discard
    assert ref.answer(read_position("10S10D*", "10H 10C 2S")).best_cards == 1


def test_no_set_may_hold_too_many_jokers_at_the_end():
    one = {"preset": "rummy-40", "max_jokers_per_set": 1}
    assert tables("5H*7H", "* 2S", rules=one) == {"5H*7H"}
    assert "5H6H7H*" in tables("5H*7H", "6H 2S", rules=one)


@pytest.mark.parametrize(
    ("table", "hand", "opened", "goes_out", "cuts"),
    [
        ("5S6S7S", "KS KH KC KD 2H", False, True, True),
        ("5S6S7S", "KS KH KC KD 2H", True, True, False),  # had laid something before
        ("5S6S7S", "KS KH KC KD 8S 2H", False, True, False),  # with a lay-off
        ("5S6S7S", "KS KH KC 2D 3D 4D 2H", False, False, False),  # 39
        # with a new set that is as good as a lay-off
        ("5S6S7S", "KS KH KC KD 5S 6S 7S 8S 2H", False, True, True),
    ],
)
def test_going_out(table, hand, opened, goes_out, cuts):
    answer = ref.answer(read_position(table, hand, opened))
    assert (answer.can_go_out, answer.can_cut_40) == (goes_out, cuts)


def test_without_an_initial_meld_everyone_counts_as_opened():
    rules = {"preset": "rummy-40", "initial_meld": 0}
    assert tables("5S6S7S", "8S 2D", opened=False, rules=rules) == {"5S6S7S", "5S6S7S8S"}
    assert discards("5S6S7S", "8S 2D", "5S6S7S8S", opened=False, taken="8S", rules=rules) == {"2D"}
