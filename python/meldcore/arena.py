"""Tournaments of bots: many games, seats rotated, with a table at the end.

Every deal is played once from each rotation of the seats, so that luck of the deal and of the seat is the same for all.
A game depends on the tournament and on its number alone: it may be played anywhere, in any order, and what a file of
results already holds need not be played again.
"""

import math
import os
import signal
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, islice
from multiprocessing import connection, get_context, parent_process
from pathlib import Path
from random import Random
from threading import Thread
from typing import Any, BinaryIO

import msgspec
from msgspec import Struct

from .actions import Action, Draw, Ending, Lay, TimeOut, TurnResult
from .bots import Bot, make
from .errors import BadRequest, MeldcoreError, TooLarge
from .game import SEED_BITS, Game
from .programs import Fault, Program, ProgramFault
from .rules import Rules
from .scoring import match_ranks

FORMAT = 1
"""The number of the format of results."""

PROGRAM = "cmd:"
"""What a bot begins with that is a command line and no name."""

_FAULTS_UNTIL_SILENCE = 3
_NO_SET = ("2S2S",)  # makes a lay of cards illegal in any state, where to lay nothing is legal
_CHUNK = 16
_NORMAL_95 = 1.96


@dataclass(frozen=True, slots=True)
class Tournament:
    """What is played. ``bots``: names of built-in bots, or ``cmd:`` and a command line (see ``meldcore.programs``).

    ``games``: how many, rounded up to whole deals for every line-up. ``players``: seats of a game; more bots than
    seats meet in every combination. ``rounds`` of a game. ``clock``: seconds that a program has for a turn.

    Raises BadRequest for what cannot be played, a bot named twice included.
    """

    bots: tuple[str, ...]
    rules: Rules
    games: int
    seed: int = 0
    players: int = 2
    rounds: int = 1
    clock: float = 10.0

    def __post_init__(self) -> None:
        if self.games < 1 or self.clock <= 0 or not 0 <= self.seed < 2**32:
            raise BadRequest("games and clock are more than 0, a seed goes from 0 to 2^32 - 1", path="$.games")
        if len(set(self.bots)) < max(len(self.bots), self.players):
            raise BadRequest(
                f"{self.players} seats need as many bots, each named once, not {', '.join(self.bots) or 'none'}",
                path="$.bots",
            )
        for bot in self.bots:
            if not bot.startswith(PROGRAM):
                make(bot)
        Game.new(self.rules, self.players, rounds=self.rounds)

    @property
    def lineups(self) -> tuple[tuple[str, ...], ...]:
        """Who meets whom."""
        return tuple(combinations(self.bots, self.players))

    @property
    def total(self) -> int:
        """How many games there are."""
        step = self.players * len(self.lineups)
        return -(-self.games // step) * step

    def deal_of(self, game: int) -> int:
        """Games of the same line-up with the same tiles, one for each rotation, are one deal."""
        return game // self.players

    def seats(self, game: int) -> tuple[str, ...]:
        """Who sits where in the game of this number, from 0."""
        lineups = self.lineups
        lineup = lineups[self.deal_of(game) % len(lineups)]
        turned = game % self.players
        return lineup[turned:] + lineup[:turned]

    def seed_of(self, game: int) -> int:
        """What the tiles of a game follow from. All line-ups get the same."""
        deal = self.deal_of(game) // len(self.lineups)
        return int(Random(self.seed << 32 | deal).random() * 2**SEED_BITS)


class Slip(Struct):
    """A turn that a bot did not make, or made illegally. ``what``: crash, hang, garbage or illegal."""

    bot: str
    turn: int
    what: Fault
    message: str


class Outcome(Struct):
    """What came of one game. ``scores`` by seat; ``winners``: seats."""

    game: int
    seed: int
    seats: tuple[str, ...]
    scores: tuple[int, ...]
    winners: tuple[int, ...]
    turns: int
    ended: Ending
    slips: tuple[Slip, ...] = ()


class _Heading(Struct):
    """The first line of a file of results: what has to be the same for it to be gone on with."""

    format: int
    rules: dict[str, Any]
    bots: tuple[str, ...]
    seed: int
    players: int
    rounds: int
    clock: float

    @classmethod
    def of(cls, tournament: Tournament) -> "_Heading":
        return cls(
            FORMAT,
            tournament.rules.to_json(),
            tournament.bots,
            tournament.seed,
            tournament.players,
            tournament.rounds,
            tournament.clock,
        )


# ---- one game


def play(tournament: Tournament, number: int, programs: dict[str, Program] | None = None) -> Outcome:
    """The game of this number. Whatever a bot does, the game goes on: the fault is its slip and costs its penalty.

    Built-in bots take no time. A program that hangs is timed out; one that crashes or talks garbage has made an
    illegal turn, and after three such faults it is not asked again in this game.
    """
    seats = tournament.seats(number)
    seed = tournament.seed_of(number)
    programs = {} if programs is None else programs
    bots: list[Bot] = [
        programs[name] if name in programs else make(name, number * tournament.players + seat)
        for seat, name in enumerate(seats)
    ]
    game = Game.new(tournament.rules, tournament.players, seed, rounds=tournament.rounds)
    slips: list[Slip] = []
    faults: Counter[str] = Counter()
    turns = 0
    while True:
        name = seats[game.player]
        silent = faults[name] >= _FAULTS_UNTIL_SILENCE
        found = None if silent else _ask(bots[game.player], game)
        if isinstance(found, ProgramFault):
            faults[name] += 1
            slips.append(Slip(name, game.round.turn, found.what, str(found)))
        turn = game.round.turn
        if found is None or isinstance(found, ProgramFault):
            game, result = _penalty(game, found)
        else:
            game, result, reason = _turn(game, found)
            if reason is not None:
                slips.append(Slip(name, turn, "illegal", reason))
        turns += not game.has_drawn
        if game.over:
            assert result.ended is not None
            return Outcome(number, seed, seats, game.totals, game.winners, turns, result.ended, tuple(slips))
        if game.round_over:
            game = game.next_round()


def _ask(bot: Bot, game: Game) -> Action | ProgramFault:
    try:
        return bot.choose(game.view(game.player))
    except ProgramFault as fault:
        return fault
    except TooLarge:
        return game.otherwise  # too crowded to find anything in


def _penalty(game: Game, fault: ProgramFault | None) -> tuple[Game, TurnResult]:
    """The turn of a bot that made none: it hung, or what it did counts as an illegal turn."""
    if fault is not None and fault.what == "hang":
        return game.act(TimeOut())
    return _illegal(game)


def _turn(game: Game, action: Action) -> tuple[Game, TurnResult, str | None]:
    """The game after this action, and why it was illegal.

    What is no turn at all counts as an illegal one.
    """
    try:
        after, result = game.act(action)
    except MeldcoreError as error:
        return *_illegal(game), str(error)
    if not result.problems:
        return after, result, None
    reason = result.problems[0].message
    if not game.rules.illegal_draw:
        after, result = game.act(TimeOut())
    return after, result, reason


def _illegal(game: Game) -> tuple[Game, TurnResult]:
    """An illegal turn. Each turn brings the round nearer to its end: where rules draw nothing for that, a time-out."""
    if not game.rules.illegal_draw:
        return game.act(TimeOut())
    if not game.rules.cards:
        return game.act(Lay(()))
    if not game.has_drawn:
        game, _ = game.act(Draw())
    return game.act(Lay(_NO_SET, game.position.hand[0]))


def play_all(tournament: Tournament, numbers: Sequence[int]) -> list[Outcome]:
    """These games, one after the other. Programs live from the first to the last."""
    commands = [bot for bot in tournament.bots if bot.startswith(PROGRAM)]
    with ExitStack() as ends:
        programs = {bot: Program(bot.removeprefix(PROGRAM), tournament.clock) for bot in commands}
        for program in programs.values():
            ends.callback(program.end)
        return [play(tournament, number, programs) for number in numbers]


# ---- all games


def run(
    tournament: Tournament,
    out: Path | None = None,
    executor: Executor | None = None,
    *,
    jobs: int = 1,
    report: Callable[[int], object] = lambda games: None,
) -> "Standings":
    """Play the tournament, and say how all stand at the end.

    out: a file of results, a line each as it comes. The games that it holds already are not played again; BadRequest
    where it is that of another tournament. executor: what plays (default: as many processes as ``jobs``); it has twice
    as many pieces of work as ``jobs`` at a time. report: is told how many more games are there.
    """
    standings = Standings(tournament)
    with ExitStack() as ends:
        file = None if out is None else ends.enter_context(_results(out, tournament, standings))
        report(standings.games)
        if executor is None:
            executor = ends.enter_context(_processes(jobs))
        pieces = _pieces(tournament, standings.done, jobs)
        at_work: set[Future[list[Outcome]]] = set()
        try:
            while True:
                for piece in islice(pieces, 2 * jobs - len(at_work)):
                    at_work.add(executor.submit(play_all, tournament, piece))
                if not at_work:
                    return standings
                finished, at_work = wait(at_work, return_when=FIRST_COMPLETED)
                for future in finished:
                    outcomes = future.result()
                    if file is not None:
                        file.write(b"".join(_encode(outcome) + b"\n" for outcome in outcomes))
                        file.flush()
                    for outcome in outcomes:
                        standings.add(outcome)
                    report(len(outcomes))
        finally:
            for future in at_work:
                future.cancel()


def _pieces(tournament: Tournament, done: bytearray, jobs: int) -> Iterator[list[int]]:
    """The games that are to be played, in pieces of work: small enough to keep all jobs busy to the end."""
    left = (number for number in range(tournament.total) if not done[number])
    size = max(1, min(_CHUNK, tournament.total // (4 * jobs)))
    while piece := list(islice(left, size)):
        yield piece


@contextmanager
def _processes(jobs: int) -> Iterator[Executor]:
    executor = ProcessPoolExecutor(jobs, get_context("spawn"), _worker)
    try:
        yield executor
    finally:
        executor.shutdown(cancel_futures=True)


def _worker() -> None:
    """A process that plays leaves interrupts to the one that gives it work, and does not outlive it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()
    if parent is not None:
        Thread(target=_follow, args=(parent.sentinel,), daemon=True).start()


def _follow(sentinel: int) -> None:
    connection.wait([sentinel])
    os._exit(1)


_encode = msgspec.json.Encoder().encode
_read_heading = msgspec.json.Decoder(_Heading).decode
_read_outcome = msgspec.json.Decoder(Outcome).decode


@contextmanager
def _results(path: Path, tournament: Tournament, standings: "Standings") -> Iterator[BinaryIO]:
    """The file of results, open to go on. What it holds is added; a last line without an end is cut off."""
    heading = _Heading.of(tournament)
    with path.open("a+b") as file:
        file.seek(0)
        end = 0
        for number, line in enumerate(file):
            if not line.endswith(b"\n"):
                break
            try:
                if number:
                    standings.add(_read_outcome(line))
                elif _read_heading(line) != heading:
                    raise BadRequest("it is that of another tournament", path="$.out")
            except (msgspec.DecodeError, UnicodeError, BadRequest) as error:
                raise BadRequest(f"{path}, line {number + 1}: {error}", path="$.out") from None
            end += len(line)
        file.truncate(end)
        if not end:
            file.write(_encode(heading) + b"\n")
            file.flush()
        yield file


# ---- who is better


class Standings:
    """Wins, scores and slips by bot, of the games so far. The order in which they are added changes nothing.

    ``done``: by game, whether it has been added.
    """

    def __init__(self, tournament: Tournament) -> None:
        self.tournament = tournament
        self.done = bytearray(tournament.total)
        self.games = 0
        self._open: dict[int, list[Outcome]] = defaultdict(list)
        self._tallies = {bot: _Tally() for bot in tournament.bots}
        self._beaten: Counter[tuple[str, str]] = Counter()

    def add(self, outcome: Outcome) -> None:
        """Count a game, once. One beyond the last of the tournament is left out."""
        tournament = self.tournament
        number = outcome.game
        if not 0 <= number < len(self.done) or self.done[number]:
            return
        if outcome.seats != tournament.seats(number) or len(outcome.scores) != len(outcome.seats):
            raise BadRequest(f"game {number} is that of another tournament", path="$.out")
        ranks = match_ranks(outcome.scores, tournament.rules)
        winners = tuple(seat for seat, rank in enumerate(ranks) if rank == 0)
        if outcome.winners != winners:
            raise BadRequest(f"game {number}: these winners do not have the best score", path="$.out")
        for slip in outcome.slips:
            if slip.bot not in outcome.seats:
                raise BadRequest(f"game {number}: {slip.bot!r} does not take part in it", path="$.out")
        self.done[number] = 1
        self.games += 1
        for slip in outcome.slips:
            self._tallies[slip.bot].slips += 1
        for one, other in combinations(range(len(outcome.seats)), 2):
            ahead = (ranks[one] < ranks[other]) - (ranks[one] > ranks[other])
            self._beaten[outcome.seats[one], outcome.seats[other]] += 1 + ahead
            self._beaten[outcome.seats[other], outcome.seats[one]] += 1 - ahead
        deal = tournament.deal_of(number)
        self._open[deal].append(outcome)
        if len(self._open[deal]) == tournament.players:
            self._close(self._open.pop(deal))

    def _close(self, outcomes: list[Outcome]) -> None:
        """Count a deal that has been played from every seat: what is equal in it is luck of the tiles."""
        for bot in outcomes[0].seats:
            seats = [(outcome, outcome.seats.index(bot)) for outcome in outcomes]
            shares = [Fraction(seat in outcome.winners, len(outcome.winners)) for outcome, seat in seats]
            score = sum(outcome.scores[seat] for outcome, seat in seats)
            self._tallies[bot].add(sum(shares, Fraction()), score, len(outcomes))

    def to_json(self) -> dict[str, Any]:
        """By bot, the best first: games, wins (shared ones in part), their rate with the 95 % interval, the mean score,
        Elo (the mean of all bots is 0) and slips. Deals that are not complete are left out.
        """
        elo = _elo(self.tournament.bots, self._beaten)
        rows = [{"bot": bot, **tally.to_json(), "elo": elo[bot]} for bot, tally in self._tallies.items()]
        rows.sort(key=lambda row: -row["elo"])
        return {"games": self.games, "bots": rows}


class _Tally:
    """What one bot has won: sums over deals, exact, so that their order changes nothing."""

    def __init__(self) -> None:
        self.games = self.deals = self.score = self.slips = 0
        self.won = self.squares = Fraction()

    def add(self, won: Fraction, score: int, games: int) -> None:
        self.games += games
        self.deals += 1
        self.score += score
        self.won += won
        self.squares += (won / games) ** 2

    def to_json(self) -> dict[str, Any]:
        mean = self.won / max(self.games, 1)
        spread = self.squares / max(self.deals, 1) - mean**2
        margin = _NORMAL_95 * math.sqrt(spread / (self.deals - 1)) if self.deals > 1 else 1.0
        rate = float(mean)
        return {
            "games": self.games,
            "wins": round(float(self.won), 3),
            "rate": round(rate, 4),
            "interval": (round(max(rate - margin, 0), 4), round(min(rate + margin, 1), 4)),
            "score": round(self.score / self.games, 2) if self.games else 0.0,
            "slips": self.slips,
        }


def _elo(bots: Sequence[str], beaten: Counter[tuple[str, str]]) -> dict[str, int]:
    """Ratings by the model of Bradley and Terry, fitted by minorisation. A drawn game more keeps them finite.

    beaten: twice the games that the first of the pair finished ahead of the second, a draw counting half.
    """
    met = [(one, other) for one in bots for other in bots if one != other and beaten[one, other] + beaten[other, one]]
    strength = dict.fromkeys(bots, 1.0)
    for _ in range(1000):
        last = dict(strength)
        for bot in bots:
            pairs = [other for one, other in met if one == bot]
            if not pairs:
                continue
            won = sum(beaten[bot, other] / 2 + 0.5 for other in pairs)
            expected = sum(
                ((beaten[bot, other] + beaten[other, bot]) / 2 + 1) / (strength[bot] + strength[other])
                for other in pairs
            )
            strength[bot] = won / expected
        if all(math.isclose(strength[bot], last[bot], rel_tol=1e-9) for bot in bots):
            break
    ratings = {bot: 400 * math.log10(value) for bot, value in strength.items()}
    mean = sum(ratings.values()) / len(ratings)
    return {bot: round(rating - mean) for bot, rating in ratings.items()}
