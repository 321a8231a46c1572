"""Every shared case of the tile games, under every preset."""

from __future__ import annotations

from itertools import groupby

import pytest

from case_files import cases, real_cases
from meldcore import IllegalMove, MeldcoreError, Position, Rules, partitions
from meldcore.sets import read_set


def rules_of(case):
    return Rules.from_json(case["rules"])


def position_of(case):
    return Position(case["table"], case["hand"], rules_of(case), case["opened"])


def by_preset(case):
    return case["rules"] if isinstance(case["rules"], str) else case["rules"]["preset"]


def grouped(found, key):
    """One test for each kind of case: thousands of tests would take longer to name than to run."""
    return [pytest.param(list(some), id=name) for name, some in groupby(sorted(found, key=key), key)]


# ---- positions


def check_turn(case):
    position = position_of(case)
    best_tiles, best_points = position.best("tiles"), position.best("points")
    plays = position.plays()
    answer = {
        "count": position.count(),
        "plays": plays.total,
        "best_tiles": len(best_tiles.played) if best_tiles else 0,
        "best_points": best_points.points if best_points else 0,
    }
    assert case | answer == case
    assert sum(play.arrangements for play in plays) == case["count"]
    moves = position.moves()
    assert moves.total == case["count"]
    assert moves.best("tiles") == best_tiles
    assert moves.best("points") == best_points


TURNS = [*cases("turns.jsonl"), *cases("openings.jsonl")]


@pytest.mark.parametrize("found", grouped(TURNS, by_preset))
def test_turns(found):
    for case in found:
        check_turn(case)


FREE = {
    "joker_retrieval": "free",
    "joker_sets_locked": False,
    "retrieved_joker_use": "anywhere",
    "group_joker_needs_all": False,
}


@pytest.mark.parametrize("found", grouped([case for case in TURNS if "*" in "".join(case["table"])], by_preset))
def test_the_referee_lets_through_as_many_turns(found):
    """Of the turns that are legal with free jokers it accepts those that are legal under the joker rules."""
    judged = 0
    for case in found:
        position = position_of(case)
        free = Rules.from_json(rules_of(case).to_json() | FREE)
        moves = Position(case["table"], case["hand"], free, case["opened"]).moves()
        if moves.total <= 250:
            judged += 1
            assert sum(position.check(move.table).legal for move in moves) == case["count"], case["id"]
    assert judged > 0.8 * len(found)


def check_free(case):
    position = Position(case["table"], case["hand"], "easy-rummy")
    best = position.best()
    answer = {
        "count": position.count(),
        "partitions_of_table": partitions("".join(case["table"]).replace("=", "")).total,
        "best_tiles": len(best.played) if best else 0,
    }
    asked = {name: int(case[name]) for name in answer}  # counts above 2**53 are texts
    assert answer == asked, case["id"]
    moves = position.moves()
    assert moves.total == answer["count"]
    assert moves.best() == best


@pytest.mark.parametrize("found", grouped(cases("free.jsonl"), lambda case: case["cls"]))
def test_free(found):
    for case in found:
        check_free(case)


@pytest.mark.parametrize("found", grouped(cases("jokers.jsonl"), by_preset))
def test_jokers(found):
    for case in found:
        position = position_of(case)
        moves = position.moves()
        assert position.count() == moves.total == int(case["count"]), case["id"]  # above 2**53 it is a text
        best = position.best()
        assert moves.best() == best
        assert (best is None) == (not moves)
        assert best is None or position.check(best.table).legal
        assert all(position.check(move.table).legal for move in moves[:: max(1, moves.total // 3)])


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in cases("partitions.jsonl")])
def test_partitions(case):
    split = partitions(case["tiles"])
    assert split.total == case["count"]
    for place in {0, split.total // 3, split.total - 1} if split else ():
        assert split.index(split[place]) == place


# ---- real positions


def is_valid(case):
    try:
        position_of(case)
    except MeldcoreError:
        return False
    return True


def legal_as_laid(case, texts):
    position = position_of(case)
    verdict = position.check(texts)
    if verdict.legal:
        assert position.play(position.move_to(texts)).table == Position(texts, (), rules_of(case)).table
    else:
        with pytest.raises(IllegalMove):
            position.move_to(texts)
    return verdict.legal


def loose(case):
    return partitions(case["hand"], rules_of(case))


def most_tiles(case):
    best = position_of(case).best()
    return len(best.played) if best else 0


def most_on_the_face(case):
    weights = {f"{colour}{number}": number for colour in "krby" for number in range(1, 14)}
    best = position_of(case).best({"weights": weights})
    return sum(int(tile[1:]) for tile in best.played if tile != "*") if best else 0


QUESTIONS = {
    "valid_set": lambda case: read_set(case["table"][0], rules_of(case)).valid,
    "valid_table": is_valid,
    "state_valid": is_valid,
    "set_value": lambda case: read_set(case["table"][0], rules_of(case)).value,
    "count_readings": lambda case: sum(len(table) == 1 for table in loose(case)),
    "count_arrangements": lambda case: loose(case).total,
    "can_all_be_arranged": lambda case: bool(loose(case)),
    "can_open": lambda case: position_of(case).count() > 0,
    "can_go_out": lambda case: most_tiles(case) == len(case["hand"]),
    "max_tiles": most_tiles,
    "max_face_value": most_on_the_face,
    "legal_turn": lambda case: legal_as_laid(case, case["after"]),
    "opening_as_laid_is_legal": lambda case: legal_as_laid(case, case["laid"]),
}


@pytest.mark.parametrize("case", list(real_cases(lambda case: case["ask"] in QUESTIONS, Rules)))
def test_real(case):
    assert QUESTIONS[case["ask"]](case) == case["answer"], case["why"]
