"""Moves in steps: they lead from the old table to the new one, move as few tiles as can be, and read as people talk."""

import pickle
import re
from collections import Counter
from dataclasses import FrozenInstanceError
from itertools import islice, pairwise

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

import reference as ref
from meldcore import IllegalMove, Position, Step
from meldcore.steps import untouched
from strategies import joker_positions, positions

FOUR_JOKERS = {"preset": "dutch-rummy", "jokers": 4, "copies": 3}


def steps_to(position, after):
    return position.move_to(after).steps(position)


def tiles_in(*texts):
    return [tile for text in texts for tile in re.findall(r"\*|[krby]\d+", text)]


# ---- they can be carried out


def replayed(position, move):
    """The steps of the move, carried out at a table; tiles that lie in no set are used before the hand's."""
    table, hand, held = Counter(position.table), Counter(position.hand), Counter()
    steps = move.steps(position)
    for step in steps:
        assert not Counter(step.before) - table
        table = table - Counter(step.before) + Counter(step.after)
        out, into = Counter(tiles_in(*step.before)), Counter(tiles_in(*step.after))
        check_step(step, out - into, into - out)
        used = into - out
        hand.subtract(used - held)
        held = held - used + (out - into)
    assert table == Counter(move.table)
    assert not held
    assert sorted(hand.elements()) == sorted(position.play(move).hand)
    return steps


def check_step(step, out, into):
    """The fields and the sentence of a step agree; `out` are tiles that leave the sets, `into` those that come."""
    tiles, sets = Counter(step.tiles), (len(step.before), len(step.after))
    nothing = Counter()
    match step.kind:
        case "put":
            assert into == tiles
            assert out
            assert sets == (1, 1)
        case "take":
            assert (out, into) == (tiles, nothing)
            assert sets in ((1, 1), (1, 0))
        case "split":
            assert (out, into) == (nothing, nothing)
            assert sets == (1, 2)
            assert tiles in [Counter(tiles_in(text)) for text in step.after]
        case "move":
            assert (out, into) == (nothing, nothing)
            assert sets in ((2, 2), (2, 1))
            assert tiles == Counter(tiles_in(step.after[-1])) - Counter(tiles_in(step.before[1]))
        case "add":
            assert (out, into) == (nothing, tiles)
            assert sets == (1, 1)
        case "lay":
            assert (out, into) == (nothing, tiles)
            assert sets == (0, 1)
    assert str(step) == step.text
    assert step.text.startswith(step.kind)
    assert all(" ".join(tiles_in(text)) in step.text for text in step.before)


# ---- as little as can be is done


def kept(old, new):
    """How many tiles of the one set lie at the same place in the other."""
    if isinstance(old, ref.Group) and isinstance(new, ref.Group):
        same = len(set(old.colours) & set(new.colours)) + min(old.jokers, new.jokers)
        return same if old.number == new.number else 0
    if isinstance(old, ref.Run) and isinstance(new, ref.Run) and old.colour == new.colour:
        return len({*enumerate(old.places, old.first)} & {*enumerate(new.places, new.first)})
    return 0


def most_kept(old, new):
    """The most tiles that keep their places when each old set becomes one new set at most."""
    if not old:
        return 0
    most = most_kept(old[1:], new)
    for i, target in enumerate(new):
        stay = kept(old[0], target)
        if stay >= 2:
            most = max(most, stay + most_kept(old[1:], new[:i] + new[i + 1 :]))
    return most


def check_little_is_done(position, move, steps, rules):
    changed = Counter(position.table) - Counter(move.table)
    made = {text for step in steps for text in step.after}
    named = Counter(text for step in steps for text in step.before)
    assert changed <= named
    assert all(text in made for text in named - changed)
    old = ref.read_table(list(changed.elements()), rules)
    new = ref.read_table(list((Counter(move.table) - Counter(position.table)).elements()), rules)
    moved = sum(len(step.tiles) for step in steps if step.kind in ("take", "split", "move"))
    for step in steps:
        if step.kind == "put":
            moved += (Counter(tiles_in(*step.before)) - Counter(tiles_in(*step.after))).total()
    assert moved == sum(meld.size for meld in old) - most_kept(old, new)


def check_jokers(position, move, steps):
    """No locked set breaks, and a retrieved joker that has to form a new set is laid in it."""
    for step in steps:
        if position.rules.joker_sets_locked and step.kind in ("take", "split"):
            assert "*" not in step.tiles
    if position.rules.retrieved_joker_use != "anywhere" and "*" not in move.played:
        assert all(step.kind == "lay" for step in steps if "*" in step.tiles)


bound = settings(max_examples=150)


def position_of(drawn):
    fields, table, hand, opened = drawn
    rules = ref.read_rules(fields)
    return Position(ref.table_text(table, rules), [str(tile) for tile in hand], fields, opened), rules


@bound
@given(positions(most_sets=4, most_tiles=18, joker_rules=st.just({})), st.integers(0, 2**32))
def test_moves_of_a_search(drawn, seed):
    """With free jokers: a tile put in the place of a joker leaves more of a set where it was than this counts."""
    position, rules = position_of(drawn)
    moves = position.moves()
    for move in moves.sample(min(moves.total, 20), seed):
        steps = replayed(position, move)
        check_little_is_done(position, move, steps, rules)
        for step in steps:
            event(step.kind)
        if not position.opened and not position.rules.table_play_on_opening_turn and rules.initial_meld:
            assert {step.kind for step in steps} == {"lay"}


@bound
@given(positions(3, 6, 11) | joker_positions())
def test_turns_under_every_joker_rule(drawn):
    _, table, hand, _ = drawn
    position, rules = position_of(drawn)
    for after in islice(ref.arrangements(ref.tiles_of(table).elements(), hand, rules), 100):
        texts = ref.table_text(after, rules)
        if position.check(texts).legal:
            move = position.move_to(texts)
            steps = replayed(position, move)
            check_jokers(position, move, steps)
            event(f"{rules.joker_retrieval}, {'*' in ''.join(position.table)}")


@bound
@given(positions(most_sets=4, most_tiles=18, joker_rules=st.just({})) | joker_positions(), st.integers(0, 2**32))
def test_untouched_tiles_lay_where_they_lie(drawn, seed):
    position, rules = position_of(drawn)
    moves = position.moves()
    for move in moves.sample(min(moves.total, 10), seed):
        flags = untouched(position.table, move.table, position.rules)
        lying = [list(zip(tiles_in(text), rest, strict=True)) for text, rest in zip(move.table, flags, strict=True)]
        resting = Counter(tile for tiles in lying for tile, rests in tiles if rests)
        touched = Counter(tile for tiles in lying for tile, rests in tiles if not rests)
        assert resting <= Counter(tiles_in(*position.table))
        assert Counter(move.played) <= touched
        # two that rest side by side lay side by side
        neighbours = Counter(pair for text in position.table for pair in pairwise(tiles_in(text)))
        for text, tiles in zip(move.table, lying, strict=True):
            if text[0] != "=" and len({tile[0] for tile, _ in tiles} - {"*"}) == 1:
                for (one, rests), (other, too) in pairwise(tiles):
                    assert not (rests and too) or neighbours[one, other]
        old = ref.read_table(list((Counter(position.table) - Counter(move.table)).elements()), rules)
        new = ref.read_table(list((Counter(move.table) - Counter(position.table)).elements()), rules)
        same = (Counter(position.table) & Counter(move.table)).elements()
        if not position.rules.joker_sets_locked:
            assert resting.total() >= most_kept(old, new) + len(tiles_in(*same))


@bound
@given(st.integers(1, 2), st.integers(0, 2**32))
def test_long_runs(colours, seed):
    fields = {"colours": colours, "numbers": 13, "initial_meld": 0}
    every_tile = [f"{colour}{number}" for colour in "kr"[:colours] for number in range(1, 14)] * 2 + [
        "*",
        "*",
    ]
    (full,) = Position((), every_tile, fields).moves().sample(1, seed)
    hand = Counter(every_tile) - Counter(tiles_in(*full.table[1:]))
    position = Position(full.table[1:], list(hand.elements()), fields)
    for move in position.moves().sample(5, seed):
        steps = replayed(position, move)
        check_little_is_done(position, move, steps, ref.read_rules(fields))
        for step in steps:
            event(step.kind)


def test_crowded_tables():
    every_tile = [f"{colour}{number}" for colour in "krby" for number in range(1, 14)] * 2 + ["*", "*"]
    (full,) = Position((), every_tile, "easy-rummy").moves().sample(1, seed=5)
    position = Position(full.table[2:], tiles_in(*full.table[:2]), "easy-rummy")
    for move in position.moves().sample(20, seed=5):
        replayed(position, move)


# ---- how they read


EXAMPLES = [
    ("easy-rummy", "r4r5r6 | r7", "r4r5r6r7", ["add r7 to r4 r5 r6"]),
    ("easy-rummy", "r4r5r6 | r3 r7 *", "r3r4r5r6r7*", ["add r3 r7 * (r8) to r4 r5 r6"]),
    ("easy-rummy", "k7b7y7 | r7", "k7r7b7y7", ["add r7 to k7 b7 y7"]),
    ("easy-rummy", "k7b7r7 | *", "k7r7b7*", ["add * to k7 r7 b7"]),
    ("easy-rummy", "| r5 * *", "=r5**", ["lay r5 * * as a group"]),
    ("easy-rummy", "| r5 * *", "r5**", ["lay r5 * *"]),
    ("easy-rummy", "y1y2y3y4 | k4 b4", "y1y2y3 k4b4y4", [
        "take y4 from y1 y2 y3 y4",
        "lay k4 b4 y4",
    ]),
    ("easy-rummy", "r3r4r5r6r7r8 k1k2k3 | k4", "r3r4r5 r6r7r8 k1k2k3k4", [
        "split r3 r4 r5 r6 r7 r8 after r5",
        "add k4 to k1 k2 k3",
    ]),
    ("easy-rummy", "r3r4r5r6r7 | r5", "r3r4r5 r5r6r7", [
        "split r3 r4 r5 r6 r7 after r5",
        "add r5 to r6 r7",
    ]),
    ("easy-rummy", "r3r4r5r6r7r8r9 | k6 b6", "r3r4r5 r7r8r9 k6r6b6", [
        "take r6 from r3 r4 r5 r6 r7 r8 r9",
        "split r3 r4 r5 r7 r8 r9 after r5",
        "lay k6 r6 b6",
    ]),
    ("easy-rummy", "r4r5r6 r7r8r9 | r10", "r4r5r6r7r8r9r10", [
        "move r7 r8 r9 to r4 r5 r6",
        "add r10 to r4 r5 r6 r7 r8 r9",
    ]),
    ("easy-rummy", "r4r5r6 r8r9r10 | r7", "r4r5r6r7r8r9r10", [
        "move r8 r9 r10 to r4 r5 r6",
        "add r7 to r4 r5 r6 r8 r9 r10",
    ]),
    ("easy-rummy", "k1k2k3 r1r2r3 b1b2b3 | y1 y2 y3", "k1r1b1y1 k2r2b2y2 k3r3b3y3", [
        "take apart k1 k2 k3",
        "take apart r1 r2 r3",
        "take apart b1 b2 b3",
        "lay k1 r1 b1 y1",
        "lay k2 r2 b2 y2",
        "lay k3 r3 b3 y3",
    ]),
    ("easy-rummy", "r1b1k1 | r1 y1 y1", "k1r1y1 r1b1y1", [
        "take b1 from k1 r1 b1",
        "add y1 to k1 r1",
        "lay r1 b1 y1",
    ]),
    ("easy-rummy", "r4*r6 r1r2r3 r7r8r9 | k8 b8", "r1r2r3r4 r6r7r8r9 k8b8*", [
        "take apart r4 * r6",
        "add r4 to r1 r2 r3",
        "add r6 to r7 r8 r9",
        "lay k8 b8 *",
    ]),
    ("easy-rummy", "r4*r6 k5r5b5y5 | r7", "r4r5r6r7 k5b5y5*", [
        "take * from r4 * r6",
        "put * in place of r5 in k5 r5 b5 y5",
        "add r5 r7 to r4 r6",
    ]),
    ("easy-rummy", "r4*r6 k5r5b5y5 k1k2k3 | k4", "r4r5r6 k5b5y5* k1k2k3k4", [
        "take r5 from k5 r5 b5 y5",
        "put r5 in place of the joker in r4 * r6",
        "add k4 to k1 k2 k3",
        "add * to k5 b5 y5",
    ]),
    ("easy-rummy", "r4r5r6 | * r7 r8 k5 b5", "r4*r6r7r8 k5r5b5", [
        "put * in place of r5 in r4 r5 r6",
        "add r7 r8 to r4 * r6",
        "lay k5 r5 b5",
    ]),
    ("easy-rummy", "*r6r7* | k1 k2", "r6r7* k1k2*", [
        "take * (r5) from * r6 r7 *",
        "lay k1 k2 *",
    ]),
    ("easy-rummy", "r4*r6 r9r10r11 | r5", "r4r5r6 r9r10r11*", [
        "put r5 in place of the joker in r4 * r6",
        "add * (r12) to r9 r10 r11",
    ]),
    ("tile-rummy", "r4*r6 r1r2r3 r7r8r9 k5r5b5y5 | k8 b8", "r1r2r3r4 r6r7r8r9 k5r5b5y5 k8b8*", [
        "take apart r4 * r6",
        "add r4 to r1 r2 r3",
        "add r6 to r7 r8 r9",
        "lay k8 b8 *",
    ]),
    ("dutch-rummy", "r4*r6 | r5 k8 b8", "r4r5r6 k8b8*", [
        "put r5 in place of the joker in r4 * r6",
        "lay k8 b8 *",
    ]),
    ("dutch-rummy", "r4*r6 r7r8r9 | r3", "r3r4* r6r7r8r9", [
        "move r6 from r4 * r6 to r7 r8 r9",
        "add r3 to r4 *",
    ]),
    ("dutch-rummy", "r4*r6 k8b8y8 | r5", "r4r5r6 k8b8y8*", [
        "put r5 in place of the joker in r4 * r6",
        "add * to k8 b8 y8",
    ]),
    ("dutch-rummy", "r4*r6 r1r2r3 r7r8r9 | r5 k8 b8", "r1r2r3r4r5r6r7r8r9 k8b8*", [
        "put r5 in place of the joker in r4 * r6",
        "move r4 r5 r6 to r1 r2 r3",
        "move r7 r8 r9 to r1 r2 r3 r4 r5 r6",
        "lay k8 b8 *",
    ]),
    ("rrrummy", "r4*r6 r7r8r9r10 | r3", "r3r4*r6r7 r8r9r10", [
        "move r7 from r7 r8 r9 r10 to r4 * r6",
        "add r3 to r4 * r6 r7",
    ]),
    ("rummi-q", "r4*r6 k7r7b7y7 | r5 k8 k9", "r4r5r6 r7b7y7 k7k8k9*", [
        "put r5 in place of the joker in r4 * r6",
        "take k7 from k7 r7 b7 y7",
        "lay k7 k8 k9 *",
    ]),
    ("rummi-q", "k7b7* | y7 k10 k11", "k7b7y7 k10k11*", [
        "put y7 in place of the joker in k7 b7 *",
        "lay k10 k11 *",
    ]),
    ("rummi-q", "k5k6k7k8 r4*r6 | r5 k9 k10", "k5k6k7k8k9k10* r4r5r6", [
        "put r5 in place of the joker in r4 * r6",
        "take apart k5 k6 k7 k8",
        "lay k5 k6 k7 k8 k9 k10 *",
    ]),
    ("rummi-q-tournament", "k7b7* | r7 y7 k10 k11", "k7r7b7y7 k10k11*", [
        "put r7 y7 in place of the joker in k7 b7 *",
        "lay k10 k11 *",
    ]),
    ("tiles-50", "r4*r6 | r5 k8 k9", "r4r5r6 k8k9*", [
        "put r5 in place of the joker in r4 * r6",
        "lay k8 k9 *",
    ]),
    ("rummi-q", "r4r5r6 k7b7* | k10 k11 k12 y7 | opening", "r4r5r6 k7b7* k10k11k12", ["lay k10 k11 k12"]),
    ("rummi-q", "r4r5r6 k7b7* | r3 r7", "r3r4r5r6r7 k7b7*", ["add r3 r7 to r4 r5 r6"]),
    (FOUR_JOKERS, "k7b7** | r7 k1 k2", "k7r7b7* k1k2*", [
        "put r7 in place of a joker in k7 b7 * *",
        "lay k1 k2 *",
    ]),
    (FOUR_JOKERS, "k7b7** | r7 y7 k1 k2 k9 b9", "k7r7b7y7 k1k2* k9b9*", [
        "put r7 y7 in place of the jokers in k7 b7 * *",
        "lay k1 k2 *",
        "lay k9 b9 *",
    ]),
    (FOUR_JOKERS, "r4**r7 | r5 k1 k2", "r4r5*r7 k1k2*", [
        "put r5 in place of a joker in r4 * * r7",
        "lay k1 k2 *",
    ]),
    ("easy-rummy", "r3r4*r6r7r8 | k1 k2 k3", "r3r4* r6r7r8 k1k2k3", [
        "split r3 r4 * r6 r7 r8 after * (r5)",
        "lay k1 k2 k3",
    ]),
    ("easy-rummy", "=r5** | r3", "r3*r5*", [
        "take apart r5 * *",
        "lay r3 * r5 *",
    ]),
    # k7 b7 * stands there afterwards as it did before, yet r7 has to replace its joker: k7 r7 * has become it
    (FOUR_JOKERS, "k7b7* k7r7* r8r9r10 r8r9r10 k8k9k10 | r7 k8 b8",
     "k7b7* k8b8* r7r8r9r10 r7r8r9r10 k7k8k9k10", [
        "put r7 in place of the joker in k7 b7 *",
        "move r7 from k7 r7 * to r8 r9 r10",
        "take apart k7 r7 b7",
        "add k7 to k8 k9 k10",
        "add r7 to r8 r9 r10",
        "add b7 to k7 *",
        "lay k8 b8 *",
    ]),
]  # fmt: skip


@pytest.mark.parametrize(("rules", "position", "after", "sentences"), EXAMPLES)
def test_sentences(rules, position, after, sentences):
    position = Position.parse(position, rules)
    move = position.move_to(after)
    assert [str(step) for step in replayed(position, move)] == sentences


def test_steps_are_values():
    position = Position.parse("r4*r6 y1y2y3y4 | r5 k4 b4", "dutch-rummy")
    steps = steps_to(position, "r4r5r6 y1y2y3 k4b4y4*")
    assert steps[0] == Step(
        kind="put",
        tiles=("r5",),
        before=("r4*r6",),
        after=("r4r5r6",),
        text="put r5 in place of the joker in r4 * r6",
    )
    for other in (eval(repr(steps), {"Step": Step}), pickle.loads(pickle.dumps(steps))):
        assert other == steps
        assert hash(other) == hash(steps)
    with pytest.raises(FrozenInstanceError):
        steps[0].text = "lay r5"


def test_steps_of_a_move_of_another_position():
    position = Position.parse("r4r5r6 | r7 r8", "easy-rummy")
    move = position.move_to("r4r5r6r7")
    with pytest.raises(IllegalMove, match="tile 'r7' is played, and not in the hand") as caught:
        move.steps(Position.parse("r4r5r6 | r8", "easy-rummy"))
    assert [problem.code for problem in caught.value.problems] == ["tile_not_in_hand"]
    with pytest.raises(IllegalMove, match="move of another position"):
        move.steps(Position.parse("r5r6r7 | r4", "easy-rummy"))
    with pytest.raises(TypeError):
        move.steps("r4r5r6 | r7")
