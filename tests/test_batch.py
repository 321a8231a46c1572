"""Batches answer what their positions answer one by one."""

import threading
from collections import Counter
from itertools import islice

import numpy
import pytest
from hypothesis import given

import test_card_turns
from case_files import cases
from meldcore import (
    PRESETS,
    BadPosition,
    BadRequest,
    BadRules,
    BadTile,
    Cancelled,
    Position,
    Stop,
    TimeLimit,
    batch,
    set_text,
)
from strategies import choosy, joker_positions
from translation import position_of

ALL_TILES = [tile for tile in batch.columns() for _ in range(2)]


def some(file, step):
    """Every so manieth position of a file of shared cases."""
    for case in islice(cases(file), 0, None, step):
        yield Position(case["table"], case["hand"], case["rules"], case.get("opened", True), taken=case.get("taken"))


FREE = [position for position in some("turns.jsonl", 3) if position.opened and position.rules == PRESETS["easy-rummy"]]
BOUND = [*some("turns.jsonl", 5), *some("openings.jsonl", 5)]
CARDS = list(some("rummy40.jsonl", 6))


def agrees(positions, objective="tiles", **how):
    found = batch.best(positions, objective, **how)
    columns = batch.columns(positions[0].rules)
    for row, position in enumerate(positions):
        move = position.best(objective)
        played = Counter(dict(zip(columns, map(int, found.played[row]), strict=True)))
        assert +played == Counter(move.played if move else ())
        assert found.tiles[row] == (len(move.played) if move else 0)
        assert found.points[row] == (move.points if move else 0)
        assert sorted(found.table(row)) == sorted(move.table if move else ())
        discard = getattr(move, "discard", None)
        assert found.discards[row] == (-1 if discard is None else columns.index(discard))
    counts = batch.count(positions, **how)
    assert counts.tolist() == [position.count() for position in positions]


@pytest.mark.parametrize("positions", [FREE, BOUND, CARDS], ids=["free", "bound", "cards"])
@pytest.mark.parametrize("threads", [1, 3])
def test_shared_cases(positions, threads):
    assert len(positions) > 80
    agrees(positions, threads=threads)


@pytest.mark.parametrize("objective", ["points", {"weights": {"r7": 5, "*": -20, "k1": 3}}])
def test_objectives(objective):
    agrees(FREE[:100], objective)
    agrees(BOUND[:100], objective)


@choosy
@given(joker_positions())
def test_positions_under_joker_rules(drawn):
    position = position_of(drawn)
    agrees([position])
    marks = batch.playable([position])[0]
    laid = {tile for move in position.moves() for tile in move.played}
    assert laid == {tile for tile, lies in zip(batch.columns(position.rules), marks, strict=True) if lies}


@given(test_card_turns.positions())
def test_turns_of_cards(drawn):
    agrees([test_card_turns.to_core(*drawn)])


def test_boards_are_their_positions():
    boards = batch.Boards.of(FREE)
    for threads in (1, 2):
        one, other = batch.best(boards, threads=threads), batch.best(FREE)
        for field in ("tiles", "points", "played", "sets", "discards"):
            assert (getattr(one, field) == getattr(other, field)).all()
        assert (batch.count(boards, threads=threads) == batch.count(FREE)).all()
        assert (batch.playable(boards, threads=threads) == batch.playable(FREE)).all()
    columns = batch.columns()
    for position, marks in zip(FREE, batch.playable(boards), strict=True):
        assert {columns[i] for i in marks.nonzero()[0]} == {tile for play in position.plays() for tile in play.played}


def test_other_editions():
    fields = {"preset": "easy-rummy", "copies": 3, "jokers": 4, "numbers": 15, "colours": 3}
    position = Position(["k13k14k15", "r2r3*"], ["k12", "b2", "b3", "b4", "*", "*"], fields)
    agrees([position, position])
    boards = batch.Boards.of([position], fields)
    assert batch.best(boards).table(0) == batch.best([position]).table(0)
    assert batch.count(boards)[0] == position.count()


def test_counts_beyond_64_bits():
    everything = Position((), ALL_TILES, "easy-rummy")
    counts = batch.count([everything, FREE[0]])
    assert counts.dtype == object
    assert list(counts) == [everything.count(), FREE[0].count()]
    assert counts[0] > 2**64


def test_tables_of_nothing():
    boards = batch.Boards(numpy.zeros((0, 53), int), numpy.zeros((0, 53), int))
    assert batch.count(boards).shape == (0,)
    assert batch.best(iter([])).sets.shape == (0, 0)
    loose = batch.Boards(numpy.eye(53, dtype=int)[:1], numpy.zeros((1, 53), int))
    assert batch.count(loose)[0] == batch.best(loose).tiles[0] == 0


def test_progress_is_told_in_the_thread_that_called():
    told = []
    batch.count(FREE[:10] * 60, threads=2, progress=lambda done: told.append((done, threading.get_ident())))
    assert told == [(done, threading.get_ident()) for done in (256, 512, 600)]


def test_what_stops_a_batch():
    stop = Stop()
    stop.cancel()
    for ask in (batch.best, batch.count, batch.playable):
        with pytest.raises(Cancelled):
            ask([Position((), ALL_TILES, "easy-rummy")], stop=stop)
        with pytest.raises(TimeLimit):
            ask([Position((), ALL_TILES, "easy-rummy")] * 1000, threads=2, stop=Stop(time_limit=1e-6))


zeros = numpy.zeros((2, 53), dtype=int)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: batch.Boards(zeros[:, 1:], zeros), BadPosition, r"tables is an array .* \(positions, 53\)"),
        (lambda: batch.Boards(zeros, zeros + 0.5), BadPosition, "hands is an array of whole numbers"),
        (lambda: batch.Boards([[0, 1], [0]], zeros), BadPosition, r"tables is an array .*, and its rows differ"),
        (lambda: batch.Boards(zeros, zeros[:1]), BadPosition, "1 rows do not go with 2 tables"),
        (lambda: batch.Boards(zeros, zeros - 1), BadPosition, "hands 0: -1 of k1, and the edition has 2"),
        (lambda: batch.Boards(zeros + 1, zeros + 2), BadPosition, "position 0: 3 of k1, and the edition has 2"),
        (lambda: batch.Boards(zeros + 300, zeros), BadPosition, "tables 0: 300 of k1"),
        (lambda: batch.Boards(zeros, zeros, "rummy-40"), BadRules, "boards are of tiles"),
        (lambda: batch.Boards(zeros + 1, zeros, "rummi-q"), BadRules, "position 0: a joker lies on the table"),
        (lambda: batch.Boards.of(["r1r2r3 | k4 | opening"]), BadPosition, "position 0: the player has not opened"),
        (lambda: batch.count(FREE[:1] + CARDS[:1]), BadRequest, "of another edition"),
        (lambda: batch.count(["r1r2r3 | r4"]), BadRequest, "position 0 is 'r1r2r3"),
        (lambda: batch.count(FREE[:1], threads=0), BadRequest, "threads go from 1"),
        (lambda: batch.count(FREE[:1], threads=1.5), BadRequest, "threads go from 1"),
        (lambda: batch.best(FREE[:1], "most"), BadRequest, "objective is"),
        (lambda: batch.playable(CARDS[:1]), BadRules, "tile games alone"),
    ],
)
def test_what_is_refused(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_an_error_names_its_position():
    crowded = Position((), ALL_TILES, "easy-rummy")
    with pytest.raises(TimeLimit):
        batch.playable([FREE[0], crowded], stop=Stop(time_limit=0.01))
    with pytest.raises(BadTile, match="tile 'r99'"):
        batch.best(FREE[:1], {"weights": {"r99": 1}})


def test_codes_are_those_of_moves():
    [position] = [Position.parse("r4r5r6 k7b7y7 | r7 b8", "easy-rummy")]
    found = batch.best([position])
    assert {set_text(int(code)) for code in found.sets[0] if code} == set(position.best().table)


def test_boards_keep_what_was_checked():
    """Counts beyond the edition would lead the searches astray."""
    tables = numpy.zeros((1, 53), dtype=numpy.uint8)
    hands = batch.Boards.of(["| k1 k2 k3"]).hands.copy()
    boards = batch.Boards(tables, hands)
    hands[:] = 99
    assert batch.count(boards).tolist() == [1]
    with pytest.raises(ValueError, match="read-only"):
        boards.hands[0, 0] = 99
