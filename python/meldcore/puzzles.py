"""Puzzles: positions in which one turn alone lays the most tiles, graded by how hard it is to find.

They come out of games that bots play against each other, so that they look like what is met at a table. The same seed
is the same puzzle everywhere.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from .bots import make as make_bot
from .dealing import edition
from .errors import BadRequest, BadRules, TooLarge, nearest, shown
from .game import Game
from .position import Move, Position
from .reading import check_whole
from .rules import AnyRules, Rules
from .steps import Step

_SEED_BITS, _GAME_BITS = 40, 12
"""A game has the seed of its puzzle, and below it the number of the game: together fewer bits than a seed may have."""

MOST_SEED = (1 << _SEED_BITS) - 1
"""The largest seed of a puzzle."""

MOST_HAND = 14
"""So many tiles are in the hand of a puzzle, at most."""


class Level(NamedTuple):
    """The bounds of a level: the fewest and the most sets that change, and near-misses; None: no bound."""

    changes: tuple[int, int | None]
    near_misses: tuple[int, int | None]

    def holds(self, changes: int, near_misses: int) -> bool:
        return _within(changes, self.changes) and _within(near_misses, self.near_misses)


def _within(number: int, bounds: tuple[int, int | None]) -> bool:
    low, high = bounds
    return low <= number and (high is None or number <= high)


LEVELS = {
    "easy": Level((2, 2), (0, 1)),
    "medium": Level((3, 3), (1, None)),
    "hard": Level((4, 5), (2, None)),
    "expert": Level((6, None), (3, None)),
}
"""Every level by its name, the easiest first. No position is of two."""


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A position with a unique best turn, and how hard that is to find.

    ``position``: of a player who has opened. ``solution``: the one move that lays the most tiles. ``changes``: how many
    sets of the table do not stand unchanged after it. ``near_misses``: how many different parts of the hand with one
    tile fewer can be laid; to lay nothing counts for none.
    """

    position: Position
    solution: Move
    changes: int
    near_misses: int

    @property
    def level(self) -> str | None:
        """The level that it belongs to, None for none: too easy, or between two."""
        return next((name for name, level in LEVELS.items() if level.holds(self.changes, self.near_misses)), None)

    @property
    def steps(self) -> tuple[Step, ...]:
        """How a person makes the solution: see ``Move.steps``."""
        return self.solution.steps(self.position)

    def to_json(self, solved: bool = True) -> dict[str, Any]:
        """The rules, the position, the grading and how many tiles to lay; ``solved``: the solution with its steps."""
        puzzle: dict[str, Any] = {
            "rules": self.position.rules.to_json(),
            "table": list(self.position.table),
            "hand": list(self.position.hand),
            "level": self.level,
            "changes": self.changes,
            "near_misses": self.near_misses,
            "tiles": len(self.solution.played),
        }
        if solved:
            puzzle["solution"] = {
                "played": list(self.solution.played),
                "table": list(self.solution.table),
                "points": self.solution.points,
                "steps": [str(step) for step in self.steps],
            }
        return puzzle

    def _repr_svg_(self) -> str:
        return self.position._repr_svg_()


def grade(position: Position) -> Puzzle | None:
    """The position as a puzzle; None where no turn, or more than one, lays the most tiles.

    Raises BadRules for a position of the card game.

    >>> from meldcore import Position
    >>> puzzle = grade(Position.parse("k2k3k4k5 r5b5y5 | k6 r2 b2", "easy-rummy"))
    >>> puzzle.solution.played, puzzle.changes, puzzle.near_misses, puzzle.level
    (('k6', 'r2', 'b2'), 1, 1, None)
    """
    _check_tiles(position.rules)
    best = position.best()
    if best is None or position.count_best() > 1:
        return None
    assert isinstance(best, Move)
    near_misses = sum(len(play.played) == len(best.played) - 1 for play in position.plays())
    return Puzzle(position, best, len(position.table) - best.unchanged, near_misses)


def make(seed: int, level: str = "medium", rules: AnyRules = "rummi-q") -> Puzzle:
    """The puzzle of this seed, 0 to 2^40 - 1, and this level of LEVELS; any rules but those of the card game.

    It is the first that comes up in games of the bot `patient` against itself, the first one with this seed. Raises
    BadRequest for a seed out of range, for a level that there is none of, and where 4096 games have no puzzle of this
    level, as under rules of very few tiles.

    >>> puzzle = make(7, "easy")
    >>> puzzle.position.count_best(), puzzle.changes
    (1, 2)
    """
    rules = Rules.from_json(rules)
    _check_tiles(rules)
    check_whole("seed", seed, 0, MOST_SEED)
    if level not in LEVELS:
        message = f"there is no level {shown(level)}; the nearest known one is {nearest(shown(level, str), LEVELS)!r}"
        raise BadRequest(message, path="$.level", token=shown(level, str))
    bounds = LEVELS[level]
    for game in range(1 << _GAME_BITS):
        for position in _positions(rules, seed, game):
            best = position.best()
            # what is quickly known comes first
            if best is not None and _within(len(position.table) - best.unchanged, bounds.changes):
                puzzle = grade(position)
                if puzzle is not None and puzzle.level == level:
                    return puzzle
    raise BadRequest(
        f"{1 << _GAME_BITS} games under these rules have no puzzle of the level {level!r}", path="$.level", token=level
    )


def _positions(rules: Rules, seed: int, number: int) -> Iterator[Position]:
    """The positions of one game in which a player who has opened is to move, with a hand that is not too large."""
    low, high = rules.players
    enough_for = len(edition(rules)) // rules.hand_size
    players = max(low, min(high, enough_for, 2 + number % 3))
    game = Game.new(rules, players, seed << _GAME_BITS | number)
    bot = make_bot("patient")
    try:
        while not game.over:
            position = game.position
            if position.opened and len(position.hand) <= MOST_HAND:
                yield position
            game, _ = game.act(bot.choose(game.view(game.player)))
    except TooLarge:
        return  # large editions have positions too crowded for a search


def _check_tiles(rules: Rules) -> None:
    if rules.cards:
        raise BadRules("puzzles are of the tile games, not of the card game", path="$.rules.cards", token="cards")
