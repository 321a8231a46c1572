"""Rules: the edition, what a turn may do, and the game around the turn. Presets by name.

Source: RULES.md 4 (presets), 5 (fields), 6 and 7 (fields of the game around the turn, and of the card game).
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Any, Literal, get_args

from .errors import BadRules, nearest, shown

JokerRetrieval = Literal["free", "replace", "replace_from_hand"]
RetrievedJokerUse = Literal["anywhere", "new_set", "hand_only_set"]
Timeout = Literal["judge_draw_3", "restore_draw_1"]
Direction = Literal["clockwise", "anticlockwise"]
Scoring = Literal["zero_sum", "laid_minus_left", "points_against"]


class _Compiled:
    """Room for what the core derives from a Rules object on its first use; no part of its value."""

    __slots__ = ("_core",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules(_Compiled):
    """One set of rules, immutable and compared by value.

    ``Rules()`` has the defaults of RULES.md 5, those of ``easy-rummy``; ``Rules.preset`` starts from a named
    one. A value out of range, or fields that contradict each other, raise BadRules with the reason.

    The edition
        ``colours`` 1..4, ``numbers`` 3..15 (the highest one), ``copies`` 1..3 of each tile, ``jokers`` 0..4.

    The turn
        ``max_jokers_per_set``: None for no limit.
        ``initial_meld``: points a player's first sets must be worth together; 0: there is no opening to make.
        ``joker_meld_value``: points of a joker in an initial meld; None: those of the tile it stands for.
        ``table_play_on_opening_turn``: the opening turn may also use the table. Then some part of the tiles played has
        to make sets worth ``initial_meld`` by itself; these sets need not be on the table afterwards.
        ``must_play``: a player who can lay must lay; no effect on which turns are legal.

    Jokers that lie on the table before the turn (RULES.md 3)
        ``joker_retrieval``: when one may be taken from its set. ``free``: always; ``replace``: a tile that it may
        stand for is played, or lies on the table; ``replace_from_hand``: such a tile is played, one for each joker.
        ``joker_sets_locked``: a set whose joker is not taken stays together; tiles may be added to it.
        ``retrieved_joker_use``: where one that was taken may go. ``anywhere``; ``new_set``: a new set, which it
        forms with two or more hand tiles, whatever is added then; ``hand_only_set``: a set with two or more hand
        tiles and nothing else.
        ``group_joker_needs_all``: one leaves a group only when hand tiles complete that group to all colours.

    The game around the turn; but for ``joker_hand_value`` no effect on any answer
        ``players``: fewest and most. ``hand_size``: tiles dealt to each.
        ``turn_seconds``: None for no clock.
        ``timeout``: ``judge_draw_3``: the table is judged as it stands, a legal lay stays, anything else is
        restored and 3 tiles are drawn, 1 where nothing was laid; ``restore_draw_1``: the table is restored
        and 1 tile is drawn.
        ``illegal_draw``: tiles drawn after an illegal turn.
        ``direction``: the order of play; no effect on what is legal.
        ``joker_hand_value``: points of a joker that leaves or stays in a hand.
        ``scoring``: ``zero_sum``: the winner gains what the losers lose; ``laid_minus_left``: each player
        scores the value laid minus the value left in hand; ``points_against``: the value left in hand counts
        against its holder.

    Rummy 40
        ``cards``: the game is played with cards (RULES.md 7); the fields below need it. Its turns end with a
        discard; of the fields above, those on jokers of the table have no say in it.
        ``group_rescue_needs_both``: what rescues a joker from a group of three.
        ``discard_needs_40_always``: a taken discard lies in a new set worth the initial meld by itself.
        ``max_reshuffles``: how often the discard pile becomes the stock.
        ``prize_shares``: in what parts a stake is split, by final rank; None: there is no stake.
    """

    colours: int = 4
    numbers: int = 13
    copies: int = 2
    jokers: int = 2
    max_jokers_per_set: int | None = None
    initial_meld: int = 30
    joker_meld_value: int | None = None
    table_play_on_opening_turn: bool = False
    must_play: bool = False
    joker_retrieval: JokerRetrieval = "free"
    joker_sets_locked: bool = False
    retrieved_joker_use: RetrievedJokerUse = "anywhere"
    group_joker_needs_all: bool = False
    players: tuple[int, int] = (2, 4)
    hand_size: int = 14
    turn_seconds: int | None = None
    timeout: Timeout = "judge_draw_3"
    illegal_draw: int = 3
    direction: Direction = "clockwise"
    joker_hand_value: int = 30
    scoring: Scoring = "zero_sum"
    cards: bool = False
    group_rescue_needs_both: bool = True
    discard_needs_40_always: bool = False
    max_reshuffles: int = 3
    prize_shares: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        for name, (low, high) in _RANGES.items():
            _check_integer(name, getattr(self, name), low, high)
        for name, choices in _CHOICES.items():
            value = getattr(self, name)
            if value not in choices:
                known = ", ".join(map(repr, choices))
                raise BadRules(
                    f"{name} is one of {known}, not {shown(value)}", path=f"$.rules.{name}", token=shown(value, str)
                )
        for name in _FLAGS:
            value = getattr(self, name)
            if not isinstance(value, bool):
                raise BadRules(
                    f"{name} is true or false, not {shown(value)}", path=f"$.rules.{name}", token=shown(value, str)
                )
        self._check_pair()
        self._check_shares()
        self._check_together()

    def _check_pair(self) -> None:
        value = self.players
        if not isinstance(value, (tuple, list)) or len(value) != 2:
            raise BadRules(
                f"players is a pair, the fewest and the most, not {shown(value)}",
                path="$.rules.players",
                token=shown(value, str),
            )
        for number in value:
            _check_integer("players", number, 1, 4)
        if value[0] > value[1]:
            raise BadRules(
                f"players names the fewest first, then the most, not {shown(value)}",
                path="$.rules.players",
                token=shown(value, str),
            )
        object.__setattr__(self, "players", tuple(value))

    def _check_shares(self) -> None:
        value = self.prize_shares
        if value is None:
            return
        if not isinstance(value, (tuple, list)) or not value:
            raise BadRules(
                f"prize_shares is a list of whole parts, the winner's first, not {shown(value)}",
                path="$.rules.prize_shares",
                token=shown(value, str),
            )
        for number in value:
            _check_integer("prize_shares", number, 0, _MOST)
        object.__setattr__(self, "prize_shares", tuple(value))

    def _check_together(self) -> None:
        """The mixes that RULES.md 5 and 7 exclude, each with its reason."""
        wishes: list[tuple[str, str, object]] = []
        if self.joker_sets_locked:
            wishes.append(("joker_sets_locked", "joker_retrieval", "replace_from_hand"))
        if self.retrieved_joker_use != "anywhere":
            wish = f"retrieved_joker_use={self.retrieved_joker_use!r}"
            wishes += [(wish, "joker_retrieval", "replace_from_hand"), (wish, "joker_sets_locked", True)]
        if self.group_joker_needs_all:
            wish = "group_joker_needs_all"
            wishes += [(wish, "joker_retrieval", "replace_from_hand"), (wish, "joker_sets_locked", True)]
        for name in ("discard_needs_40_always", "prize_shares"):
            if getattr(self, name):
                wishes.append((name, "cards", True))
        if not self.group_rescue_needs_both:
            wishes.append(("group_rescue_needs_both=False", "cards", True))
        for wish, name, needed in wishes:
            if getattr(self, name) != needed:
                field = wish.partition("=")[0]
                raise BadRules(f"{wish} needs {name}={needed!r}", path=f"$.rules.{field}", token=field)
        if self.cards and (self.colours, self.numbers) != (4, 13):
            raise BadRules("cards=True needs colours=4 and numbers=13: suits and ranks", path="$.rules.cards")

    @classmethod
    def preset(cls, name: str, /, **changes: Any) -> "Rules":
        """The preset ``name``, with the fields in ``changes`` set otherwise.

        >>> Rules.preset("rummi-q", initial_meld=0).initial_meld
        0
        """
        try:
            base = PRESETS[name]
        except (KeyError, TypeError):
            raise _unknown_preset(name, "$.rules") from None
        return base._changed(changes) if changes else base

    @classmethod
    def from_json(cls, value: "AnyRules", /) -> "Rules":
        """Read what the protocol calls ``rules``: the name of a preset, or an object of fields.

        An object may name a ``preset`` to start from; without one the fields that it leaves out have the
        defaults of ``Rules()``. A Rules object is returned as it is.
        """
        if isinstance(value, Rules):
            return value
        if isinstance(value, str):
            return cls.preset(value)
        if not isinstance(value, Mapping):
            raise BadRules(
                f"rules are the name of a preset or an object of fields, not {shown(value)}",
                path="$.rules",
                token=shown(value, str),
            )
        changes = dict(value)
        name = changes.pop("preset", None)
        if name is None:
            return PRESETS["easy-rummy"]._changed(changes)
        if not isinstance(name, str) or name not in PRESETS:
            raise _unknown_preset(name, "$.rules.preset")
        return PRESETS[name]._changed(changes)

    def to_json(self) -> dict[str, Any]:
        """Every field by name, as JSON values; ``Rules.from_json`` reads it back."""
        values = {name: getattr(self, name) for name in _FIELDS}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}

    def _changed(self, changes: dict[str, Any]) -> "Rules":
        for name in changes:
            if name not in _FIELDS:
                raise BadRules(
                    f"rules have no field {name!r}; the nearest known one is {nearest(str(name), _FIELDS)!r}",
                    path=f"$.rules.{name}",
                    token=str(name),
                )
        return replace(self, **changes)

    def _origin(self) -> tuple[str, dict[str, Any]]:
        """The preset that differs from these rules in the fewest fields, and those fields."""
        return min(
            (
                (
                    name,
                    {
                        field: value
                        for field in _FIELDS
                        if (value := getattr(self, field)) != getattr(base, field)
                    },
                )
                for name, base in PRESETS.items()
            ),
            key=lambda origin: len(origin[1]),
        )

    def __repr__(self) -> str:
        name, changes = self._origin()
        arguments = [repr(name), *(f"{field}={value!r}" for field, value in changes.items())]
        return f"Rules.preset({', '.join(arguments)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Rules.from_json, (self.to_json(),)


_FIELDS = tuple(field.name for field in fields(Rules))

# Points and counts beyond this are mistakes; it keeps every sum of points within 32 bits.
_MOST = 10_000

_RANGES = {
    "colours": (1, 4),
    "numbers": (3, 15),
    "copies": (1, 3),
    "jokers": (0, 4),
    "max_jokers_per_set": (0, _MOST),
    "initial_meld": (0, _MOST),
    "joker_meld_value": (0, _MOST),
    "hand_size": (1, 184),
    "turn_seconds": (1, 86_400),
    "illegal_draw": (0, 184),
    "joker_hand_value": (0, _MOST),
    "max_reshuffles": (0, _MOST),
}

_OPTIONAL = ("max_jokers_per_set", "joker_meld_value", "turn_seconds")

_CHOICES = {
    "joker_retrieval": get_args(JokerRetrieval),
    "retrieved_joker_use": get_args(RetrievedJokerUse),
    "timeout": get_args(Timeout),
    "direction": get_args(Direction),
    "scoring": get_args(Scoring),
}

_FLAGS = (
    "table_play_on_opening_turn",
    "must_play",
    "joker_sets_locked",
    "group_joker_needs_all",
    "cards",
    "group_rescue_needs_both",
    "discard_needs_40_always",
)


def _check_integer(name: str, value: Any, low: int, high: int) -> None:
    if value is None and name in _OPTIONAL:
        return
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        none = " or is none" if name in _OPTIONAL else ""
        raise BadRules(
            f"{name} goes from {low} to {high}{none}, not {shown(value)}",
            path=f"$.rules.{name}",
            token=shown(value, str),
        )


def _unknown_preset(name: object, path: str) -> BadRules:
    return BadRules(
        f"there is no preset {shown(name)}; the nearest known one is {nearest(shown(name, str), PRESETS)!r}",
        path=path,
        token=shown(name, str),
    )


def _presets() -> dict[str, Rules]:
    easy = Rules()
    dutch = replace(easy, joker_retrieval="replace_from_hand")
    locked = replace(dutch, joker_sets_locked=True)
    clocked = replace(
        locked,
        retrieved_joker_use="new_set",
        turn_seconds=120,
        timeout="restore_draw_1",
        direction="anticlockwise",
    )
    return {
        "easy-rummy": easy,
        "pup-rummy": easy,
        "tile-rummy": replace(easy, joker_retrieval="replace"),
        "dutch-rummy": dutch,
        "rrrummy": locked,
        "rummi-q": replace(clocked, players=(1, 4)),
        "rummi-q-tournament": replace(clocked, group_joker_needs_all=True),
        "rummy-o": replace(clocked, initial_meld=50, joker_meld_value=30, scoring="laid_minus_left"),
        "tiles-50": replace(locked, initial_meld=50, retrieved_joker_use="hand_only_set"),
        "rummy-40": replace(
            easy, initial_meld=40, hand_size=13, joker_hand_value=25, scoring="points_against", cards=True
        ),
    }


AnyRules = Rules | str | Mapping[str, Any]
"""What stands for rules: a Rules object, the name of a preset, or an object of fields."""

PRESETS: Mapping[str, Rules] = MappingProxyType(_presets())
"""The presets of RULES.md 4 by name. ``pup-rummy`` and ``easy-rummy`` are two names of one set of rules."""
