"""Rules: presets, their fields, what is refused and why, and the ways to write them down."""

import dataclasses
import pickle
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meldcore import PRESETS, BadRules, Rules
from meldcore.rules import JokerRetrieval, RetrievedJokerUse

ANY_FIELDS = st.fixed_dictionaries(
    {},
    optional={
        "colours": st.integers(1, 4),
        "numbers": st.integers(3, 15),
        "copies": st.integers(1, 3),
        "jokers": st.integers(0, 4),
        "max_jokers_per_set": st.none() | st.integers(0, 10),
        "initial_meld": st.integers(0, 100),
        "joker_meld_value": st.none() | st.integers(0, 50),
        "table_play_on_opening_turn": st.booleans(),
        "must_play": st.booleans(),
        "players": st.tuples(st.integers(1, 2), st.integers(2, 4)),
        "turn_seconds": st.none() | st.integers(1, 600),
        "joker_hand_value": st.integers(0, 50),
    },
)


def test_presets_are_those_of_the_rules_page():
    # RULES.md 4: initial meld, retrieval, locked, where a retrieved joker goes
    table = {
        "pup-rummy": (30, "free", False, "anywhere"),
        "easy-rummy": (30, "free", False, "anywhere"),
        "tile-rummy": (30, "replace", False, "anywhere"),
        "dutch-rummy": (30, "replace_from_hand", False, "anywhere"),
        "rrrummy": (30, "replace_from_hand", True, "anywhere"),
        "rummi-q": (30, "replace_from_hand", True, "new_set"),
        "rummi-q-tournament": (30, "replace_from_hand", True, "new_set"),
        "rummy-o": (50, "replace_from_hand", True, "new_set"),
        "tiles-50": (50, "replace_from_hand", True, "hand_only_set"),
        "rummy-40": (40, "free", False, "anywhere"),
    }
    assert {
        name: (rules.initial_meld, rules.joker_retrieval, rules.joker_sets_locked, rules.retrieved_joker_use)
        for name, rules in PRESETS.items()
    } == table
    assert [name for name, rules in PRESETS.items() if rules.group_joker_needs_all] == ["rummi-q-tournament"]
    assert [name for name, rules in PRESETS.items() if rules.joker_meld_value is not None] == ["rummy-o"]
    assert [name for name, rules in PRESETS.items() if rules.cards] == ["rummy-40"]


def test_defaults_are_those_of_the_rules_page():
    rules = Rules()
    assert (rules.colours, rules.numbers, rules.copies, rules.jokers) == (4, 13, 2, 2)
    assert rules == PRESETS["easy-rummy"]


def test_preset_with_changes():
    rules = Rules.preset("rummi-q", initial_meld=0)
    assert rules == dataclasses.replace(PRESETS["rummi-q"], initial_meld=0)
    assert rules != PRESETS["rummi-q"]
    assert Rules.preset("rummi-q") is PRESETS["rummi-q"]


@pytest.mark.parametrize(
    ("make", "message", "path"),
    [
        (lambda: Rules(colours=5), "colours goes from 1 to 4, not 5", "$.rules.colours"),
        (lambda: Rules(numbers=2), "numbers goes from 3 to 15, not 2", "$.rules.numbers"),
        (lambda: Rules(copies=True), "copies goes from 1 to 3, not True", "$.rules.copies"),
        (lambda: Rules(jokers=None), "jokers goes from 0 to 4, not None", "$.rules.jokers"),
        (lambda: Rules(initial_meld=-1), "initial_meld goes from 0 to 10000, not -1", "$.rules.initial_meld"),
        (
            lambda: Rules(max_jokers_per_set="two"),
            "max_jokers_per_set goes from 0 to 10000 or is none, not 'two'",
            "$.rules.max_jokers_per_set",
        ),
        (lambda: Rules(must_play=1), "must_play is true or false, not 1", "$.rules.must_play"),
        (
            lambda: Rules(joker_retrieval="never"),
            "joker_retrieval is one of 'free', 'replace', 'replace_from_hand', not 'never'",
            "$.rules.joker_retrieval",
        ),
        (lambda: Rules(players=(4, 2)), "players names the fewest first", "$.rules.players"),
        (lambda: Rules(players=3), "players is a pair", "$.rules.players"),
        (lambda: Rules(prize_shares=[]), "prize_shares is a list of whole parts", "$.rules.prize_shares"),
        (lambda: Rules.preset("rumi-q"), "'rumi-q'; the nearest known one is 'rummi-q'", "$.rules"),
        (lambda: Rules.from_json({"preset": "rummy"}), "no preset 'rummy'", "$.rules.preset"),
        (lambda: Rules.from_json(30), "the name of a preset or an object of fields", "$.rules"),
        (
            lambda: Rules.from_json({"preset": "rummi-q", "inital_meld": 0}),
            "no field 'inital_meld'; the nearest known one is 'initial_meld'",
            "$.rules.inital_meld",
        ),
    ],
)
def test_bad_rules_name_the_field_and_the_reason(make, message, path):
    with pytest.raises(BadRules) as caught:
        make()
    assert message in str(caught.value)
    assert (caught.value.code, caught.value.path) == ("bad_rules", path)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"joker_sets_locked": True}, "joker_sets_locked needs joker_retrieval='replace_from_hand'"),
        (
            {"joker_sets_locked": True, "joker_retrieval": "replace"},
            "joker_sets_locked needs joker_retrieval='replace_from_hand'",
        ),
        (
            {"joker_retrieval": "replace_from_hand", "retrieved_joker_use": "new_set"},
            "retrieved_joker_use='new_set' needs joker_sets_locked=True",
        ),
        ({"retrieved_joker_use": "hand_only_set"}, "needs joker_retrieval='replace_from_hand'"),
        ({"group_joker_needs_all": True}, "group_joker_needs_all needs joker_retrieval='replace_from_hand'"),
        ({"discard_needs_40_always": True}, "discard_needs_40_always needs cards=True"),
        ({"group_rescue_needs_both": False}, "group_rescue_needs_both=False needs cards=True"),
        ({"cards": True, "numbers": 12}, "cards=True needs colours=4 and numbers=13"),
    ],
)
def test_fields_that_contradict_each_other(fields, message):
    with pytest.raises(BadRules) as caught:
        Rules(**fields)
    assert message in str(caught.value)


def test_every_other_mix_of_joker_fields_is_allowed():
    allowed = set()
    for retrieval in get_args(JokerRetrieval):
        for locked in (False, True):
            for use in get_args(RetrievedJokerUse):
                for needs_all in (False, True):
                    try:
                        Rules(
                            joker_retrieval=retrieval,
                            joker_sets_locked=locked,
                            retrieved_joker_use=use,
                            group_joker_needs_all=needs_all,
                        )
                    except BadRules:
                        continue
                    allowed.add((retrieval, locked, use, needs_all))
    locked = {
        ("replace_from_hand", True, use, needs_all)
        for use in get_args(RetrievedJokerUse)
        for needs_all in (False, True)
    }
    unlocked = {(retrieval, False, "anywhere", False) for retrieval in get_args(JokerRetrieval)}
    assert allowed == locked | unlocked


@given(name=st.sampled_from([*PRESETS]), changes=ANY_FIELDS)
def test_round_trips(name, changes):
    if name == "rummy-40":
        changes = {field: value for field, value in changes.items() if field not in ("colours", "numbers")}
    rules = Rules.preset(name, **changes)
    assert eval(repr(rules)) == rules
    assert Rules.from_json(rules.to_json()) == rules
    loaded = pickle.loads(pickle.dumps(rules))
    assert loaded == rules
    assert hash(loaded) == hash(rules)
    assert set(rules.to_json()) == {field.name for field in dataclasses.fields(Rules)}


def test_rules_are_immutable():
    with pytest.raises(dataclasses.FrozenInstanceError):
        PRESETS["rummi-q"].initial_meld = 0
    with pytest.raises(TypeError):
        PRESETS["mine"] = Rules()
