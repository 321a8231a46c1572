"""What one player may know of a game. Source: RULES.md 6 and 7."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .actions import Draw, Lay, Pass
from .card_round import CardRound
from .dealing import edition, table_tiles
from .errors import BadPosition, MeldcoreError
from .position import Position
from .reading import bad_field, check_whole, fields_of, object_of
from .rounds import MOST_ROUNDS, Round, check_elapsed, check_totals
from .rules import Rules
from .tile_round import TileRound


class PlayerView(ABC):
    """Base of what one player may know: the own hand, and of the rest only what lies open and the counts.

    ``player``: whose view it is. ``to_move``: whose turn it is. ``position``: the table with the own hand, in which
    the player to move has to find a move. ``hand_sizes``: tiles. ``opened``, ``laid``, ``starter``, ``turn``: as in
    Round. ``round_number``, ``totals``, ``elapsed``: as in Game.
    """

    __slots__ = ()

    player: int
    to_move: int
    position: Position
    hand_sizes: tuple[int, ...]
    opened: tuple[bool, ...]
    laid: tuple[int, ...]
    starter: int
    turn: int
    round_number: int
    totals: tuple[int, ...]
    elapsed: float

    def _repr_svg_(self) -> str:
        from .svg import position

        return position(self.position)

    @property
    @abstractmethod
    def otherwise(self) -> Draw | Pass | Lay:
        """What is left to a player who lays nothing."""

    @property
    @abstractmethod
    def round_over(self) -> bool:
        """Has somebody gone out, or can nobody go on?"""

    @property
    @abstractmethod
    def unseen(self) -> tuple[str, ...]:
        """The tiles of which the player cannot tell where they are: in the other hands or to be drawn."""

    @abstractmethod
    def dealt(self, unseen: Sequence[str]) -> Round:
        """The round as it is if the unseen tiles lie in this order: in the other hands by player, then to be drawn."""

    def unseen_beside(self, seen: Sequence[str]) -> tuple[str, ...]:
        """The tiles of the edition, in canonical order, that are not on the table, in the own hand or in ``seen``."""
        position = self.position
        left = Counter(edition(position.rules))
        left.subtract(position.hand)
        left.subtract(table_tiles(position.table, position.rules).hand)
        left.subtract(seen)
        return tuple(left.elements())

    def to_json(self) -> dict[str, Any]:
        """Every field by name, the position as rules, table and hand; ``View.from_json`` reads it back."""
        from msgspec import to_builtins

        position = self.position
        view: dict[str, Any] = {"rules": position.rules.to_json(), "table": position.table, "hand": position.hand}
        return view | {name: to_builtins(getattr(self, name)) for name in self._fields()}

    @staticmethod
    def from_json(value: Mapping[str, Any], /) -> "View | CardView":
        """Read what ``to_json`` gave, and refuse with the reason what no play leads to.

        Raises BadRequest for a field that is missing, unknown or of another type, else what ``Round.validate`` raises.

        >>> from meldcore import Game
        >>> views = Game.new("rummi-q", players=3, seed=8).view(2), Game.new("rummy-40", seed=8).view(0)
        >>> all(View.from_json(view.to_json()) == view for view in views)
        True
        """
        from msgspec import ValidationError, convert

        rules = Rules.from_json(object_of(value, ("rules",), "$", "a view")["rules"])
        kind: type[View] | type[CardView] = CardView if rules.cards else View
        given = fields_of(value, ("rules", "table", "hand", *kind._fields()), "$", "a view")
        del given["rules"]
        try:
            texts = convert({name: given.pop(name) for name in ("table", "hand")}, dict[str, tuple[str, ...]])
            view: View | CardView = convert(given | {"position": Position((), (), rules)}, kind)
        except (ValidationError, UnicodeError) as error:
            raise bad_field(error) from None
        for name in ("player", "to_move"):
            check_whole(name, getattr(view, name), 0, len(view.hand_sizes) - 1)
        for name in ("opened", "totals"):
            if len(getattr(view, name)) != len(view.hand_sizes):
                raise BadPosition(f"{name}: there is one for each of {len(view.hand_sizes)} players", path=f"$.{name}")
        view = replace(view, position=view.own_position(texts["table"], texts["hand"]))
        view.validate()
        return view

    def validate(self) -> None:
        """Nothing, or the reason why no play leads to this view, as far as the player can tell."""
        tiles = self.unseen
        if min(self.hand_sizes) < 0 or self.hand_sizes[self.player] != len(self.position.hand):
            raise BadPosition(f"hand_sizes: {list(self.hand_sizes)} are not those of the hands", path="$.hand_sizes")
        if self._hidden != len(tiles):
            size, noun = ("stock_size", "card") if self.position.rules.cards else ("pool_size", "tile")
            raise BadPosition(f"{size}: {len(tiles)} {noun}s are unseen, not {self._hidden}", path=f"$.{size}")
        now = self.dealt(tiles)
        try:
            now.validate()
        except MeldcoreError as error:
            if error.path is not None:
                error.path = error.path.replace("$.round", "$", 1)
            raise
        if self.to_move != now.player:
            raise BadPosition(f"to_move: it is the turn of player {now.player}", path="$.to_move")
        check_whole("round_number", self.round_number, 1, MOST_ROUNDS)
        check_elapsed(self.elapsed)
        check_totals("totals", self.totals, self.position.rules, self.round_number - (not self.round_over))

    @property
    @abstractmethod
    def left_to_draw(self) -> int:
        """How many tiles the pool has, or cards the stock."""

    @property
    def _hidden(self) -> int:
        """How many tiles the player has not seen, by the counts."""
        return sum(self.hand_sizes) - self.hand_sizes[self.player] + self.left_to_draw

    @classmethod
    def _fields(cls) -> tuple[str, ...]:
        names: tuple[str, ...] = cls.__slots__
        return tuple(name for name in names if name != "position")

    @abstractmethod
    def own_position(self, table: Sequence[str], hand: Sequence[str]) -> Position:
        """The position that the table and the own hand make with the other fields."""


@dataclass(frozen=True, slots=True)
class View(PlayerView):
    """What one player may know of a tile game: the own hand, and of the rest only what lies open and the counts.

    See ``PlayerView`` for the fields that it shares with the card game. ``pool_size``: tiles. ``passes``: as in
    TileRound.
    """

    player: int
    to_move: int
    position: Position
    hand_sizes: tuple[int, ...]
    pool_size: int
    opened: tuple[bool, ...]
    laid: tuple[int, ...]
    passes: int
    starter: int
    turn: int
    round_number: int
    totals: tuple[int, ...]
    elapsed: float

    @property
    def otherwise(self) -> Draw | Pass:
        return Draw() if self.pool_size else Pass()

    @property
    def round_over(self) -> bool:
        return not all(self.hand_sizes) or self.passes == len(self.hand_sizes)

    @property
    def unseen(self) -> tuple[str, ...]:
        return self.unseen_beside(())

    @property
    def left_to_draw(self) -> int:
        return self.pool_size

    def own_position(self, table: Sequence[str], hand: Sequence[str]) -> Position:
        return Position(table, hand, self.position.rules, self.opened[self.player])

    def dealt(self, unseen: Sequence[str]) -> TileRound:
        position = self.position
        hands, pool = _dealt_out(self.hand_sizes, {self.player: position.hand}, unseen, position.rules)
        return TileRound(
            rules=position.rules,
            starter=self.starter,
            turn=self.turn,
            table=position.table,
            hands=hands,
            pool=pool,
            opened=self.opened,
            laid=self.laid,
            passes=self.passes,
        )


@dataclass(frozen=True, slots=True)
class CardView(PlayerView):
    """What one player may know of a card game: the own hand, what lies open, and the counts.

    See ``PlayerView`` for the fields that it shares with the tile games; ``position`` is that of the cards in hand by
    now, and its ``taken`` the card that has to be laid. ``stock_size``: cards. ``pile``: the discard pile, the top card
    last; everybody has seen each discard, so that all of it is known. ``has_drawn``: has the player to move drawn or
    taken a card, and still to lay and to discard? ``drawn``: the card that the player of this view has drawn in the
    turn under way; None where another has. ``taken``: the card that the player to move has taken. ``reshuffles``,
    ``cut_40``: as in CardRound.
    """

    player: int
    to_move: int
    position: Position
    hand_sizes: tuple[int, ...]
    stock_size: int
    pile: tuple[str, ...]
    opened: tuple[bool, ...]
    laid: tuple[int, ...]
    has_drawn: bool
    drawn: str | None
    taken: str | None
    reshuffles: int
    cut_40: bool
    starter: int
    turn: int
    round_number: int
    totals: tuple[int, ...]
    elapsed: float

    @property
    def taking(self) -> Position | None:
        """The position in which the top card of the discard pile has been taken; None once a card is drawn."""
        if self.has_drawn:
            return None
        position, card = self.position, self.pile[-1]
        return Position(position.table, (*position.hand, card), position.rules, position.opened, taken=card)

    @property
    def otherwise(self) -> Draw | Lay:
        card = self.taken if self.drawn is None else self.drawn
        return Draw() if card is None else Lay(self.position.table, card)

    @property
    def round_over(self) -> bool:
        return not all(self.hand_sizes) or not (self.stock_size or self.has_drawn)

    @property
    def unseen(self) -> tuple[str, ...]:
        return self.unseen_beside((*self.pile, *self._held))

    @property
    def _held(self) -> tuple[str, ...]:
        """A card of which everybody knows that another player holds it: that just taken."""
        return () if self.taken is None or self.player == self.to_move else (self.taken,)

    @property
    def left_to_draw(self) -> int:
        return self.stock_size

    @property
    def _hidden(self) -> int:
        return super(CardView, self)._hidden - len(self._held)

    def own_position(self, table: Sequence[str], hand: Sequence[str]) -> Position:
        taken = self.taken if self.player == self.to_move else None
        return Position(table, hand, self.position.rules, self.opened[self.player], taken=taken)

    def dealt(self, unseen: Sequence[str]) -> CardRound:
        """As for the tile games; the card that another has drawn is any card of that hand."""
        position = self.position
        known = {self.to_move: self._held, self.player: position.hand}
        hands, stock = _dealt_out(self.hand_sizes, known, unseen, position.rules)
        drawn = self.drawn
        if self.has_drawn and self.taken is None and self.player != self.to_move:
            drawn = next(iter(hands[self.to_move]), None)
        return CardRound(
            rules=position.rules,
            starter=self.starter,
            turn=self.turn,
            table=position.table,
            hands=hands,
            stock=stock,
            pile=self.pile,
            opened=self.opened,
            laid=self.laid,
            drawn=drawn,
            taken=self.taken,
            reshuffles=self.reshuffles,
            cut_40=self.cut_40,
        )

    def validate(self) -> None:
        if self.drawn is not None and self.player != self.to_move:
            raise BadPosition("drawn: nobody sees what another player draws", path="$.drawn", token=self.drawn)
        knows = self.taken is not None or self.player == self.to_move
        if knows and self.has_drawn != (self.drawn is not None or self.taken is not None):
            raise BadPosition("has_drawn: it says another thing than drawn and taken", path="$.has_drawn")
        super(CardView, self).validate()


def _dealt_out(
    sizes: Sequence[int], known: Mapping[int, Sequence[str]], unseen: Sequence[str], rules: Rules
) -> tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]:
    """The hands of these sizes, of which some cards are known, and what is left of the unseen tiles."""
    rest, hands = list(unseen), []
    for player, size in enumerate(sizes):
        there = known.get(player, ())
        more = max(size - len(there), 0)
        hands.append(Position((), (*there, *rest[:more]), rules).hand)
        del rest[:more]
    return tuple(hands), tuple(rest)
