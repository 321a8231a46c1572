"""The arena: mirrored deals, programs that misbehave, and files of results that are gone on with."""

import json
import math
import signal
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from meldcore import PRESETS, BadRequest, Rules
from meldcore.arena import Outcome, Slip, Standings, Tournament, _elo, play, play_all, run
from meldcore.cli import main
from meldcore.programs import Program, ProgramFault

RUMMI_Q = PRESETS["rummi-q"]


@pytest.fixture
def threads():
    with ThreadPoolExecutor(2) as executor:
        yield executor


def program(tmp_path: Path, body: str) -> str:
    """A bot that runs this for each question, which it has as `question`."""
    path = tmp_path / f"bot{len(list(tmp_path.glob('bot*')))}.py"
    loop = "".join(f"    {line}\n" for line in body.splitlines())
    text = f"import json, os, sys, time\nfor line in sys.stdin:\n    question = json.loads(line)\n{loop}"
    path.write_text(text)
    return f"cmd:{sys.executable} {path}"


ANSWER = 'print(json.dumps({"id": question["id"], "ok": True, "result": %s}), flush=True)'
DRAW = ANSWER % '{"action": "draw" if question["view"]["pool_size"] else "pass"}'


# ---- the schedule


@pytest.mark.parametrize(("bots", "players"), [("ab", 2), ("abc", 2), ("abc", 3), ("abcd", 3)])
def test_every_lineup_plays_every_deal_from_every_seat(bots, players):
    names = ["greedy", "points", "random", "patient"][: len(bots)]
    tournament = Tournament(tuple(names), RUMMI_Q, 50, seed=3, players=players)
    step = players * math.comb(len(bots), players)
    assert tournament.total % step == 0
    assert 50 <= tournament.total < 50 + step
    by_seed: dict[int, Counter[Any]] = {}
    for game in range(tournament.total):
        by_seed.setdefault(tournament.seed_of(game), Counter())[tournament.seats(game)] += 1
    assert len(by_seed) == tournament.total // step
    for played in by_seed.values():
        assert set(played.values()) == {1}
        assert {seats[0] for seats in played} == set(names)
        assert len(played) == step


@pytest.mark.parametrize("wrong", [
    {"bots": ("greedy",)}, {"bots": ("greedy", "greedy")}, {"bots": ("greedy", "greed")}, {"bots": ()},
    {"games": 0}, {"seed": -1}, {"clock": 0}, {"players": 5}, {"rounds": 0},
])  # fmt: skip
def test_what_cannot_be_played(wrong):
    with pytest.raises(BadRequest):
        Tournament(**{"bots": ("greedy", "points"), "rules": RUMMI_Q, "games": 2} | wrong)


# ---- games and standings


def test_a_tournament_is_the_same_everywhere(threads):
    tournament = Tournament(("greedy", "random", "patient"), RUMMI_Q, 30, seed=1)
    reported = []
    table = run(tournament, executor=threads, jobs=2, report=reported.append).to_json()
    assert table == run(tournament).to_json()
    assert sum(reported) == tournament.total == table["games"] == 30
    assert sum(row["wins"] for row in table["bots"]) == 30
    assert math.isclose(sum(row["score"] * row["games"] for row in table["bots"]), 0, abs_tol=0.01)


@pytest.mark.parametrize(
    ("rules", "players"), [("rummy-o", 3), ("tile-rummy", 4), ("rummi-q", 1), ("rummy-40", 2), ("rummy-40", 4)]
)
def test_other_games(rules, players):
    tournament = Tournament(("greedy", "points", "random", "patient"), PRESETS[rules], 4, players=players, rounds=2)
    outcomes = play_all(tournament, range(4))
    standings = Standings(tournament)
    for outcome in outcomes:
        standings.add(outcome)
        assert outcome.seats == tournament.seats(outcome.game)
        assert not outcome.slips
    assert standings.games == 4


def outcomes_of(tournament, wins):
    """Two players; the first bot wins so many deals of two games."""
    for game in range(tournament.total):
        seats = tournament.seats(game)
        winner = seats.index(tournament.bots[0 if game // 2 < wins else 1])
        scores = (10, -10) if winner == 0 else (-10, 10)
        yield Outcome(game, 0, seats, scores, (winner,), 50, "out")


def test_rates_intervals_and_elo():
    tournament = Tournament(("greedy", "points"), RUMMI_Q, 200)
    standings = Standings(tournament)
    for outcome in outcomes_of(tournament, 60):
        standings.add(outcome)
        standings.add(outcome)  # no game counts twice
    first, second = standings.to_json()["bots"]
    assert (first["bot"], first["games"], first["wins"], first["rate"], first["score"]) == ("greedy", 200, 120, 0.6, 2)
    margin = 1.96 * math.sqrt(0.6 * 0.4 / 99)
    assert first["interval"] == pytest.approx((0.6 - margin, 0.6 + margin), abs=1e-4)
    assert first["elo"] - second["elo"] == pytest.approx(400 * math.log10(120.5 / 80.5), abs=1)


def test_fewest_points_against_win():
    tournament = Tournament(("greedy", "points"), PRESETS["rummy-40"], 20)
    standings = Standings(tournament)
    for game in range(tournament.total):
        seats = tournament.seats(game)
        winner = seats.index("greedy")
        scores = (0, 40) if winner == 0 else (40, 0)
        standings.add(Outcome(game, 0, seats, scores, (winner,), 50, "out"))
    first, second = standings.to_json()["bots"]
    assert (first["bot"], first["rate"], first["score"], second["score"]) == ("greedy", 1, 0, 40)
    assert first["elo"] > second["elo"]


def test_the_order_of_results_changes_nothing():
    tournament = Tournament(("greedy", "points", "random"), RUMMI_Q, 30, seed=5, players=3)
    outcomes = play_all(tournament, range(30))
    tables = []
    for some in (outcomes, outcomes[::-1], outcomes[1::2] + outcomes[::2]):
        standings = Standings(tournament)
        for outcome in some:
            standings.add(outcome)
        tables.append(standings.to_json())
    assert tables[0] == tables[1] == tables[2]


def test_elo_of_bots_that_never_met_and_of_one_that_always_wins():
    assert _elo(("a", "b"), Counter()) == {"a": 0, "b": 0}
    ratings = _elo(("a", "b", "c"), Counter({("a", "b"): 200, ("b", "c"): 100, ("c", "b"): 100}))
    assert ratings["a"] > 400 + ratings["b"]
    assert ratings["b"] == ratings["c"]


# ---- programs


@pytest.mark.parametrize("rules", [RUMMI_Q, PRESETS["rummy-40"]], ids=["rummi-q", "rummy-40"])
def test_the_server_is_a_program(rules):
    served = f"cmd:{sys.executable} -m meldcore serve"
    names, programs = (play_all(Tournament(("greedy", bot), rules, 4), range(4)) for bot in ("patient", served))
    assert not any(outcome.slips for outcome in programs)
    assert [outcome.seed for outcome in names] == [outcome.seed for outcome in programs]


@pytest.mark.parametrize(("body", "what", "message"), [
    ("sys.exit('I am lost')", "crash", "I am lost"),
    ("os._exit(3)", "crash", "without a word"),
    ("time.sleep(60)", "hang", "no answer in 0.5 seconds"),
    ("print('{', flush=True)", "garbage", "'{'"),
    ("print('x' * 3_000_000, flush=True)", "garbage", "a line of more than"),
    ("print('x' * 3_000, end='', flush=True)", "hang", "no answer"),
    ("print(json.dumps({'id': 0, 'ok': True}), flush=True)", "garbage", "an answer to 0"),
    ("print(json.dumps({'id': question['id'], 'ok': False, 'error': {'message': 'oh'}}), flush=True)", "garbage", "oh"),
    (ANSWER % "{'action': 'dance'}", "garbage", "no action 'dance'"),
    (ANSWER % "{'action': 'lay'}", "garbage", "a lay needs a table"),
    ("sys.stdout.buffer.write(b'\\xff\\n'); sys.stdout.flush()", "garbage", ""),
])  # fmt: skip
def test_what_programs_do_wrong(tmp_path, body, what, message):
    bad = program(tmp_path, body)
    rules = PRESETS["rummy-40"] if what == "garbage" else RUMMI_Q
    outcome = play(Tournament(("greedy", bad), rules, 2), 0, {bad: Program(bad.removeprefix("cmd:"), 0.5)})
    assert outcome.ended
    assert [(slip.bot, slip.what) for slip in outcome.slips] == [(bad, what)] * 3
    assert all(message in slip.message for slip in outcome.slips)


def test_a_program_that_does_not_start():
    bad = "cmd:no-such-program-at-all"
    (outcome,) = play_all(Tournament((bad, "greedy"), RUMMI_Q, 1), [0])
    assert {slip.what for slip in outcome.slips} == {"crash"}


LAY_IT_NOT = '{"action": "lay", "table": [], "discard": "KS"}'


@pytest.mark.parametrize("draws", [0, 3])
@pytest.mark.parametrize("turn", [
    '{"action": "take"}', '{"action": "draw"}', '{"action": "pass"}', '{"action": "lay", "table": ["2S2S"]}',
    '{"action": "lay", "table": ["2S2X"], "discard": "KX"}',
    LAY_IT_NOT + ' if question["view"]["has_drawn"] else {"action": "take"}',
])  # fmt: skip
def test_illegal_turns_of_cards_end_the_game_all_the_same(tmp_path, draws, turn):
    bad = program(tmp_path, ANSWER % f"({turn})")
    rules = Rules.preset("rummy-40", illegal_draw=draws, max_reshuffles=0, hand_size=40)
    (outcome,) = play_all(Tournament((bad, "random"), rules, 1), [0])
    assert {slip.what for slip in outcome.slips} == {"illegal"}


@pytest.mark.parametrize("rules", [RUMMI_Q, Rules.preset("rummi-q", illegal_draw=0)])
def test_illegal_turns_are_slips_and_end_the_game_all_the_same(tmp_path, rules):
    for turn in ({"action": "lay", "table": ["r1r2"]}, {"action": "lay", "table": ["r14"]}, {"action": "pass"}):
        bad = program(tmp_path, ANSWER % turn)
        (outcome,) = play_all(Tournament((bad, "greedy"), rules, 1), [0])
        assert {slip.what for slip in outcome.slips} == {"illegal"}
        assert len(outcome.slips) > 3


def test_a_crash_costs_three_tiles_and_a_hang_one(tmp_path):
    crashing, hanging = program(tmp_path, "os._exit(1)"), program(tmp_path, "time.sleep(60)")
    drawing = program(tmp_path, DRAW)
    tournament = Tournament((crashing, hanging), RUMMI_Q, 1, clock=0.3)
    programs = {bot: Program(bot.removeprefix("cmd:"), 0.3) for bot in (crashing, hanging)}
    slips = play(tournament, 0, programs).slips
    assert Counter(slip.what for slip in slips) == {"crash": 3, "hang": 3}
    (outcome,) = play_all(Tournament((drawing, "greedy"), RUMMI_Q, 1), [0])
    assert outcome.slips == ()


def test_a_program_is_started_anew_and_ended_with_what_it_started(tmp_path):
    child = tmp_path / "child"
    body = f"import subprocess\np = subprocess.Popen(['sleep', '60'])\nopen({str(child)!r}, 'w').write(str(p.pid))\n"
    bot = Program(program(tmp_path, body + "time.sleep(60)").removeprefix("cmd:"), 3.0)
    from meldcore import Game

    view = Game.new(seed=1).view(0)
    with pytest.raises(ProgramFault, match="no answer"):
        bot.choose(view)
    status = Path(f"/proc/{child.read_text()}/stat")
    while status.exists() and status.read_text().split()[2] != "Z":  # what is killed still has to die
        time.sleep(0.01)
    bot.end()


# ---- files of results


def arena(out: Path, *more: str) -> list[str]:
    command = [sys.executable, "-m", "meldcore", "arena", "--bot", "greedy", "--bot", "patient", "--seed", "7"]
    return [*command, "--jobs", "2", "--out", str(out), *more]


def test_killed_in_the_middle_and_started_again(tmp_path):
    out = tmp_path / "results.jsonl"
    tournament = Tournament(("greedy", "patient"), RUMMI_Q, 400, seed=7)
    process = subprocess.Popen(arena(out, "--games", "400"), stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    while process.poll() is None and (not out.exists() or out.read_bytes().count(b"\n") < 40):
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    with out.open("ab") as file:
        file.write(b'{"game":399,"se')  # a line cut off
    before = out.read_bytes().count(b"\n")
    again = subprocess.run(arena(out, "--games", "400", "--json"), capture_output=True, check=True)
    assert json.loads(again.stdout) == json.loads(json.dumps(run(tournament).to_json()))
    numbers = [json.loads(line)["game"] for line in out.read_text().splitlines()[1:]]
    assert 40 <= before < 401
    assert sorted(numbers) == list(range(400))


def test_a_finished_tournament_may_be_made_longer(tmp_path):
    out = tmp_path / "results.jsonl"
    short, long = (Tournament(("greedy", "points"), RUMMI_Q, games, seed=2) for games in (6, 20))
    with ThreadPoolExecutor(1) as executor:
        run(short, out, executor)
        assert run(long, out, executor).to_json() == run(long, None, executor).to_json()
        assert run(short, out, executor).to_json() == run(short, None, executor).to_json()
    assert len(out.read_text().splitlines()) == 21


def test_results_of_another_tournament_are_left_alone(tmp_path, capsys):
    out = tmp_path / "results.jsonl"
    command = ["arena", "--games", "2", "--bot", "greedy", "--out", str(out)]
    assert main([*command, "--bot", "points"]) == 0
    held = out.read_bytes()
    assert main([*command, "--bot", "random"]) == 2
    assert "that of another tournament" in capsys.readouterr().err
    assert out.read_bytes() == held
    out.write_bytes(held + b"no results\n")
    assert main([*command, "--bot", "points"]) == 2
    assert "line 4" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("winners", []),
        ("winners", [5]),
        ("slips", [{"bot": "nobody", "turn": 1, "what": "crash", "message": ""}]),
    ],
)
def test_a_spoilt_result_is_named(tmp_path, capsys, field, value):
    out = tmp_path / "results.jsonl"
    command = ["arena", "--games", "2", "--bot", "greedy", "--bot", "points", "--out", str(out)]
    assert main(command) == 0
    heading, first, second = out.read_text().splitlines()
    spoilt = json.dumps(json.loads(second) | {field: value})
    out.write_text("\n".join([heading, first, spoilt, ""]))
    assert main(command) == 2
    assert "line 3: game 1" in capsys.readouterr().err


def test_the_command(capsys):
    assert main(["arena", "--games", "2", "--bot", "greedy", "--bot", "points"]) == 0
    printed = capsys.readouterr()
    assert printed.out.splitlines()[0].split() == ["bot", "games", "wins", "rate", "95", "%", "score", "Elo", "slips"]
    assert printed.err.endswith("2 of 2 games\n")
    assert main(["arena", "--games", "2", "--bot", "greedy", "--bot", "greed"]) == 2
    assert capsys.readouterr().err.startswith("meldcore: there is no bot 'greed'")


def test_slips_are_counted_by_bot():
    tournament = Tournament(("greedy", "points"), RUMMI_Q, 2)
    standings = Standings(tournament)
    slips = (Slip("points", 3, "illegal", "no"), Slip("points", 5, "hang", "late"))
    for outcome in outcomes_of(tournament, 1):
        outcome.slips = slips if outcome.game == 0 else ()
        standings.add(outcome)
    assert {row["bot"]: row["slips"] for row in standings.to_json()["bots"]} == {"greedy": 0, "points": 2}
