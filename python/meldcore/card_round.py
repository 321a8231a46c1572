"""One round of the card game, from the deal until somebody goes out or the stock is at its end. Source: RULES.md 7.

A player sees the card drawn before deciding what to lay, so a turn is two actions: ``Draw`` or ``Take``, then ``Lay``.
"""

from collections import Counter
from dataclasses import dataclass, replace

from .actions import Action, CardTurnResult, Draw, Ending, Lay, Pass, Take, TimeOut
from .dealing import dealt, edition, generator, mixed, table_tiles
from .errors import BadRequest, IllegalMove
from .position import Position
from .referee import Problem
from .rounds import DRAWN_FOR_TIME_OUT, Round, changed, impossible
from .rules import Rules
from .turns import CardMove

# Problems that a table has which nobody has touched.
_OF_DISCARD = {"taken_card_not_laid", "tile_not_in_hand", "no_discard"}

_OPEN = 2
"""The card turned up, and one in the stock at least: without it nobody could begin."""


@dataclass(frozen=True, slots=True)
class CardRound(Round):
    """A state of one round of the card game: see ``Round`` for the fields that it shares with the tile games.

    ``stock``: the cards that are left to draw, the next one first. ``pile``: the discard pile, the top card last.
    ``drawn`` or ``taken``: the card with which the turn under way began, from the stock or from the pile, which is in
    the hand; None for both before that. ``spent``: seconds that this turn has taken by now. ``reshuffles``: how often
    the pile has become the stock. ``cut_40``: did the player who went out cut 40?

    As soon as a turn leaves the stock empty, the pile but its top card becomes the stock. Where that cannot be, the
    round is over.
    """

    rules: Rules
    starter: int
    turn: int
    table: tuple[str, ...]
    hands: tuple[tuple[str, ...], ...]
    stock: tuple[str, ...]
    pile: tuple[str, ...]
    opened: tuple[bool, ...]
    laid: tuple[int, ...]
    drawn: str | None = None
    taken: str | None = None
    spent: float = 0.0
    reshuffles: int = 0
    cut_40: bool = False

    @classmethod
    def deal(cls, rules: Rules, players: int, starter: int, seed: int, number: int) -> "CardRound":
        """The start of round ``number`` of the match with this seed: the card after the hands is turned up."""
        hands, (up, *stock) = dealt(rules, players, seed, number, _OPEN)
        return cls(
            rules=rules,
            starter=starter,
            turn=1,
            table=(),
            hands=tuple(Position((), hand, rules).hand for hand in hands),
            stock=tuple(stock),
            pile=(up,),
            opened=(False,) * players,
            laid=(0,) * players,
        )

    # ---- what it is

    def position_of(self, player: int) -> Position:
        """The table with the hand of one player, in which ``taken`` is the card that has to be laid."""
        taken = self.taken if player == self.player else None
        return Position(self.table, self.hands[player], self.rules, self.opened[player], taken=taken)

    @property
    def has_drawn(self) -> bool:
        return self.drawn is not None or self.taken is not None

    @property
    def otherwise(self) -> Draw | Lay:
        """Draw, or lay nothing and discard the card drawn; after a card was taken, which has to be laid, illegal."""
        card = self.taken if self.drawn is None else self.drawn
        return Draw() if card is None else Lay(self.table, card)

    @property
    def ended(self) -> Ending | None:
        """How the round ended, None while it goes on."""
        if not all(self.hands):
            return "cut_40" if self.cut_40 else "out"
        return None if self.stock or self.has_drawn else "exhausted"

    # ---- turns

    def act_in(self, action: Action, seconds: float, seed: int, number: int) -> tuple["CardRound", CardTurnResult]:
        after, result = self.act(action, self.too_long(self.spent + seconds), seed=seed, number=number)
        return replace(after, spent=self.spent + seconds) if after.has_drawn else after, result

    def act(
        self, action: Action, late: bool = False, *, seed: int = 0, number: int = 1
    ) -> tuple["CardRound", CardTurnResult]:
        """The round after an action of the player to move, and what came of it. See ``Game.act``.

        ``seed``, ``number``: of the match and of the round in it, from which each reshuffle follows.
        """
        if self.ended is not None:
            raise IllegalMove("the round is over", path="$.action")
        if isinstance(action, Pass):
            raise IllegalMove("nobody passes in the card game: a turn ends with a discard", path="$.action")
        if not isinstance(action, (Lay, Draw, Take, TimeOut)):
            raise BadRequest(f"an action is Draw, Take, Lay or TimeOut, not {action!r}", path="$.action")
        if isinstance(action, TimeOut) or late:
            after, result = self._time_out(action if isinstance(action, (Lay, TimeOut)) else TimeOut())
        elif isinstance(action, Lay):
            if not self.has_drawn:
                raise IllegalMove("a turn begins with a card of the stock or of the discard pile", path="$.action")
            after, result = self._lay(action)
        elif self.has_drawn:
            raise IllegalMove("the turn has begun: it goes on with a lay and its discard", path="$.action")
        else:
            return self._begin(action)
        return after._turned_over(result, seed, number)

    def _begin(self, action: Draw | Take) -> tuple["CardRound", CardTurnResult]:
        if isinstance(action, Draw):
            card, stock = self.stock[0], self.stock[1:]
            after = replace(self._with_hand((card,)), stock=stock, drawn=card)
            return after, CardTurnResult(self.player, drawn=(card,))
        card = self.pile[-1]
        after = replace(self._with_hand((card,)), pile=self.pile[:-1], taken=card)
        return after, CardTurnResult(self.player, taken=card)

    def _lay(self, action: Lay) -> tuple["CardRound", CardTurnResult]:
        try:
            move = self._judged(action.table, action.discard)
        except IllegalMove as error:
            return self._restored(self.rules.illegal_draw, error.problems)
        if self.rules.must_play and not move.played and self.can_lay():
            raise IllegalMove("must_play: a player who can lay has to", path="$.action")
        return self._play(move)

    def _time_out(self, action: Lay | TimeOut) -> tuple["CardRound", CardTurnResult]:
        """RULES.md 6. A lay stands together with its discard; the draw that a turn begins with is made up for."""
        due = 0 if self.drawn is not None else 1
        if action.table is None or self.rules.timeout == "restore_draw_1":
            return self._restored(due, timed_out=True)
        verdict = self.position.check(action.table, action.discard)
        if verdict.legal and action.discard is not None and self.has_drawn:
            return self._play(self._judged(action.table, action.discard), timed_out=True)
        touched = verdict.played or {problem.code for problem in verdict.problems} - _OF_DISCARD
        return self._restored(DRAWN_FOR_TIME_OUT if touched else due, verdict.problems, timed_out=True)

    def _judged(self, table: tuple[str, ...], discard: str | None) -> CardMove:
        move = self.position.move_to(table, discard)
        assert isinstance(move, CardMove)
        return move

    def _lays_something(self, position: Position) -> bool:
        """The best turn gains where any lays: a joker laid counts, and a natural card more than all the jokers that it
        may rescue, which may be kept.
        """
        gains = dict.fromkeys(position.hand, 1 + self.rules.jokers) | {"*": 1}
        move = position.best({"weights": gains})
        return move is not None and move.table != position.table

    def _play(self, move: CardMove, timed_out: bool = False) -> tuple["CardRound", CardTurnResult]:
        player, position = self.player, self.position
        played = position.play(move)
        after = replace(
            self,
            table=move.table,
            hands=changed(self.hands, player, played.hand),
            pile=(*self.pile, move.discard),
            opened=changed(self.opened, player, played.opened),
            laid=changed(self.laid, player, self.laid[player] + move.points),
            cut_40=move.cuts(position),
        )
        return after, CardTurnResult(player, move.played, timed_out=timed_out, discarded=move.discard)

    def _restored(
        self, count: int, problems: tuple[Problem, ...] = (), timed_out: bool = False
    ) -> tuple["CardRound", CardTurnResult]:
        """A turn that lays and discards nothing: a card taken goes back, and so many are drawn, or what is left."""
        drawn = self.stock[:count]
        before = self._without_taken()
        after = replace(before._with_hand(drawn), stock=self.stock[count:])
        return after, CardTurnResult(self.player, drawn=drawn, problems=problems, timed_out=timed_out)

    def _without_taken(self) -> "CardRound":
        if self.taken is None:
            return self
        hand = list(self.hands[self.player])
        hand.remove(self.taken)
        return replace(self, hands=changed(self.hands, self.player, tuple(hand)), pile=(*self.pile, self.taken))

    def _with_hand(self, cards: tuple[str, ...]) -> "CardRound":
        """These cards come into the hand of the player to move."""
        player = self.player
        return replace(
            self, hands=changed(self.hands, player, Position((), self.hands[player] + cards, self.rules).hand)
        )

    def _turned_over(
        self, result: CardTurnResult, seed: int, number: int
    ) -> tuple["CardRound", CardTurnResult]:
        """The end of a turn: a stock that is empty is renewed, and the next player moves unless the round is over."""
        after = replace(self, drawn=None, taken=None, spent=0.0)
        renewed = after._is_renewed
        if renewed:
            stock = mixed(after.pile[:-1], generator(seed, number, after.reshuffles + 1))
            after = replace(after, stock=tuple(stock), pile=after.pile[-1:], reshuffles=after.reshuffles + 1)
        if after.ended is None:
            after = replace(after, turn=self.turn + 1)
        return after, replace(result, ended=after.ended, scores=after.scores, reshuffled=renewed)

    @property
    def _is_renewed(self) -> bool:
        """Between turns: is the stock empty, and may the pile become the stock?"""
        out = not all(self.hands)
        return not self.stock and not out and self.reshuffles < self.rules.max_reshuffles and len(self.pile) > 1

    # ---- what cannot be

    def validate(self) -> None:
        self.validate_players()
        if not 0 <= self.reshuffles <= self.rules.max_reshuffles:
            raise impossible("reshuffles", f"they go from 0 to {self.rules.max_reshuffles}, not {self.reshuffles}")
        if self.drawn is not None and self.taken is not None:
            raise impossible("taken", "a turn begins with a card drawn or with one taken, not with both")
        if not (0 <= self.spent < float("inf") and (self.has_drawn or not self.spent)):
            raise impossible("spent", f"the turn under way cannot have taken {self.spent!r} seconds")
        if self.too_long(self.spent):
            raise impossible("spent", f"a turn ends after {self.rules.turn_seconds} seconds, not {self.spent!r}")
        self._validate_places()
        self.validate_tiles("stock", self.stock + self.pile)
        self.validate_laid()
        self._validate_turns()

    def _validate_places(self) -> None:
        """Where no card can lie, and where one has to."""
        if self.drawn is not None and self.drawn not in self.hands[self.player]:
            raise impossible("drawn", f"{self.drawn!r} is not in the hand of player {self.player}")
        out = [player for player, hand in enumerate(self.hands) if not hand]
        if out and (self.has_drawn or out != [self.player]):
            raise impossible(f"hands[{out[-1]}]", "it is empty, and the round went on")
        if self.cut_40 and not out:
            raise impossible("cut_40", "nobody has gone out")
        if not self.pile and self.taken is None:
            raise impossible("pile", "it is empty, and nobody has taken its last card")
        if not self.stock and (self.taken is not None or (self.drawn is None and self._is_renewed)):
            raise impossible("stock", "it is empty, and the turn before would have renewed it")

    def _validate_turns(self) -> None:
        """What lies where says how many turns there have been, each of one of three kinds.

        One that draws and discards adds a card to the pile, or to one that has become the stock since. One that is
        illegal or timed out adds to the cards in the hands and on the table. One that takes a card does neither, but
        lays a natural card that stays on the table, or a joker.
        """
        cards = table_tiles(self.table, self.rules).hand
        size, players = self.rules.hand_size, len(self.hands)
        finished = self.turn - (self.ended is None)
        most = 1 + max(DRAWN_FOR_TIME_OUT, self.rules.illegal_draw)
        for player, (hand, opened) in enumerate(zip(self.hands, self.opened, strict=True)):
            turns = self.turns_of(player, finished)
            more = len(hand) - size - (self.has_drawn and player == self.player)
            if more > most * turns or (more < 0 and not opened) or (opened and not turns):
                raise impossible("turn", f"after {finished} turns player {player} cannot hold {len(hand)} cards")
        extra = sum(map(len, self.hands)) - self.has_drawn + len(cards) - players * size
        if not 0 <= extra <= most * finished:
            raise impossible("turn", f"{finished} turns cannot have drawn {extra} cards without a discard")
        stock = len(edition(self.rules)) - players * size - 1
        discards = len(self.pile) - 1 + (self.taken is not None)
        fewest = discards + self.reshuffles * max(stock - extra, 1) + -(-extra // most)
        takes = len(cards) + len(cards) - cards.count("*")
        illegal = extra if self.rules.illegal_draw else finished
        if not fewest <= finished <= discards + self.reshuffles * stock + illegal + takes:
            raise impossible("turn", f"{finished} turns do not lead to a discard pile of {len(self.pile)}")

    def validate_deal(self, seed: int, number: int) -> None:
        if self.reshuffles:
            return  # what lay in the pile by then is not known
        first = CardRound.deal(self.rules, len(self.hands), self.starter, seed, number)
        gone = len(first.stock) - len(self.stock)
        drawn = first.stock[:gone]
        if self.stock != first.stock[gone:]:
            raise impossible("stock", "it is not what is left of the deal of this seed")
        if self.drawn not in (None, *drawn[-1:]):
            raise impossible("drawn", f"the last card drawn from this seed's stock is {drawn[-1]!r}")
        pile = self.pile if self.taken is None else (*self.pile, self.taken)
        if not self.table and pile[:1] != first.pile:
            raise impossible("pile", f"the card turned up was {first.pile[0]!r}, and nobody can have laid it")
        for player, hand in enumerate(self.hands):
            foreign = Counter(hand) - Counter(first.hands[player]) - Counter(drawn)
            if player == self.player and self.taken is not None:
                foreign -= Counter([self.taken])
            del foreign["*"]  # it may have been rescued
            if foreign:
                raise impossible(f"hands[{player}]", f"{min(foreign)!r} was neither dealt to the player nor drawn")
