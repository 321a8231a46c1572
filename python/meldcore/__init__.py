"""meldcore: exact move generation for tile rummy.

>>> from meldcore import Position
>>> position = Position.parse("r4r5r6 k7b7y7 | r7 b8", rules="easy-rummy")
>>> position.count()
2
"""

from ._version import __version__
from .actions import CardTurnResult, Draw, Lay, Pass, Take, TimeOut, TurnResult
from .card_round import CardRound
from .errors import (
    BadPosition,
    BadRequest,
    BadRules,
    BadSet,
    BadTile,
    Cancelled,
    IllegalMove,
    MeldcoreError,
    TimeLimit,
    TooLarge,
)
from .game import Game
from .moves import Moves, Partitions, normalise, partitions
from .plays import Play, Plays
from .position import Move, Position
from .referee import JokerRole, Problem, TableJoker, Verdict
from .rules import PRESETS, Rules
from .sets import SetInfo, read_set, set_text
from .stats import Stats
from .steps import Step
from .stop import Stop
from .tile_round import TileRound
from .turns import CardMove, CardMoves
from .views import CardView, View

__all__ = [
    "PRESETS",
    "BadPosition",
    "BadRequest",
    "BadRules",
    "BadSet",
    "BadTile",
    "Cancelled",
    "CardMove",
    "CardMoves",
    "CardRound",
    "CardTurnResult",
    "CardView",
    "Draw",
    "Game",
    "IllegalMove",
    "JokerRole",
    "Lay",
    "MeldcoreError",
    "Move",
    "Moves",
    "Partitions",
    "Pass",
    "Play",
    "Plays",
    "Position",
    "Problem",
    "Rules",
    "SetInfo",
    "Stats",
    "Step",
    "Stop",
    "TableJoker",
    "Take",
    "TileRound",
    "TimeLimit",
    "TimeOut",
    "TooLarge",
    "TurnResult",
    "Verdict",
    "View",
    "__version__",
    "normalise",
    "partitions",
    "read_set",
    "set_text",
]
