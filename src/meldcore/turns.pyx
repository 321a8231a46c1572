"""The turns of the card game, Rummy 40 (RULES.md 7), as a lazy sequence.

A turn's outcome is the table afterwards and the discard. What can lie on the table does not depend on what is
discarded, but for one thing: that card is still in the hand. So the turns with one discard are the arrangements of the
other cards, and all turns are those of one discard after the other.
"""

from bisect import bisect_right
from itertools import accumulate
from typing import NamedTuple

from meldcore.card_referee import least_rescued
from meldcore.errors import BadRequest, BadRules, MeldcoreError

from meldcore.sequence import remake

cimport cython
from libc.string cimport memcpy

from meldcore.bits cimport from_python, to_python, u32, u128
from meldcore.changes cimport fewest_changes
from meldcore.count cimport count_arrangements
from meldcore.diagram cimport Diagram, Walk, build_diagram
from meldcore.moves cimport gain_of
from meldcore.objective cimport Objective, drop_ties
from meldcore.position cimport Move, Position, move_of, need_equal, need_legal
from meldcore.problem cimport COLOURS, MAX_SETS, ROOM, Problem
from meldcore.sequence cimport LazySequence
from meldcore.sets cimport JOKER, format_tiles, read_table, sort_codes, tile_text
from meldcore.stop cimport Stop, flag_of


class CardMove(NamedTuple):
    """One turn of the card game.

    played: the cards laid. table: the sets afterwards. points: what the cards laid are worth in the hand, less what
    jokers are that came into it. unchanged: how many sets of the table before stand as they were. discard: the card
    discarded. net: how many cards fewer the hand has, before the discard; a joker that was rescued and not laid is in
    the hand.
    """

    played: tuple
    table: tuple
    points: int
    unchanged: int
    discard: str
    net: int

    def goes_out(self, position):
        """Is every card of the hand of `position` laid, but for the discard?"""
        return self.net == len(position.hand) - 1

    def cuts(self, position):
        """Is it a cut 40? The player of `position`, who had laid nothing before, goes out with new sets alone."""
        new = list(self.table)
        for old in position.table:
            if old not in new:
                return False
            new.remove(old)
        return bool(new) and not position.opened and self.goes_out(position)

    def rescued(self, position):
        """How many jokers of the table of `position`, of which this is a legal turn, have to have been rescued."""
        return least_rescued(table_turn(position, self.table))


cdef object discards(Position position):
    """What might be discarded, in the order of the hand: colour * ROOM + number, or JOKER."""
    cdef int i
    found = [i for i in range(COLOURS * ROOM) if (&position.hand_tiles[0][0])[i]]
    if position.hand_jokers + position.table_jokers:        # one of the table may be rescued
        found.append(JOKER)
    return found


cdef int fill(Position position, int discard, Problem* p) except -1:
    """Everything but the card discarded may be laid, or left. The turn that lays nothing is one of those of a player
    who has opened.
    """
    position.fill_cards(p)
    if discard == JOKER:
        p.jokers -= 1
    else:
        (&p.most[0][0])[discard] -= 1
    return 0


cdef bint may_lay_nothing(Position position, int discard):
    """Where it is no arrangement of the search: the initial meld has still to be laid, and no card was taken."""
    return (position.is_opening() and not position.has_taken()
            and (discard != JOKER or position.hand_jokers > 0))


def count_turns(Position position not None, Stop stop=None):
    """How many turns of the card game there are, laying nothing included; an exact int."""
    cdef Problem p
    cdef int discard
    total = 0
    for discard in discards(position):
        fill(position, discard, &p)
        p.stop = flag_of(stop)
        total += count_arrangements(&p, position.tables_of(&p)) + may_lay_nothing(position, discard)
    return total


def turn_to(Position position not None, after, discard):
    """The CardMove that leaves the table `after` and discards this card. Raises IllegalMove where none does."""
    cdef u32 codes[MAX_SETS]
    cdef list no_sets = []
    cdef int count = read_table(after, "after", position.core, codes, no_sets)
    card = position.read_discard(discard)
    if card is None:
        raise BadRequest("discard is missing: a turn of the card game ends with one", path="$.discard")
    sort_codes(codes, count)
    need_legal(position.verdict(codes, count, no_sets, card))
    return card_move(position, codes, count, card)


def play_turn(Position position not None, move):
    """The position after this CardMove, its discard gone. Raises IllegalMove where it is no legal turn."""
    if not isinstance(move, CardMove):
        raise TypeError(f"a turn of the card game is a CardMove, not {move!r}")
    own = turn_to(position, move.table, move.discard)
    need_equal(move, own)
    hand = [card for card in position.hand if card != "*"]
    for card in own.played:
        if card != "*":
            hand.remove(card)
    hand += ["*"] * (len(position.hand) - own.net - len(hand))
    hand.remove(own.discard)
    return Position(own.table, hand, position.rules, position.opened or own.table != position.table)


cdef object table_turn(Position position, object table):
    """What the referee is told about the turn to this table."""
    cdef u32 codes[MAX_SETS]
    cdef int count = read_table(table, "table", position.core, codes)
    sort_codes(codes, count)
    return position.turn_to(codes, count, [])


cdef class Turns:
    """The turns with one discard: first the one that lays nothing, where `nothing` says so, then those of the diagram.
    """
    cdef int discard
    cdef bint nothing
    cdef Diagram diagram
    cdef Walk walk

    cdef object total(self):
        return to_python(self.diagram.graph.count) + int(self.nothing)


@cython.final
cdef class CardMoves(LazySequence):
    """All turns of a position of the card game, each once, as a sequence of CardMove tuples, laying nothing included.

    objective: only the turns that reach its best value, as Position.best_moves; None: all of them. The order: by the
    card discarded, in the order of the hand; laying nothing first, then as in Moves.

    >>> from meldcore import Position
    >>> moves = Position.parse("5S6S7S | 8S 2H", "rummy-40").moves()
    >>> [(move.played, move.discard) for move in moves]
    [((), '8S'), (('8S',), '2H'), ((), '2H')]
    """
    cdef readonly Position position
    cdef readonly object objective
    cdef list turns
    cdef list ends                  # how many turns there are up to each of them

    def __init__(self, Position position not None, objective=None, Stop stop=None):
        cdef Problem p
        cdef Turns turns
        cdef Objective wish
        cdef int discard
        if not position.core.fields.notation.cards:
            raise BadRules("CardMoves are of the card game: the turns of tile games are Moves, position.moves()",
                           path="$.rules", token="cards")
        self.position = position
        self.objective = objective
        self.turns = []
        for discard in discards(position):
            turns = Turns()
            turns.discard = discard
            turns.nothing = may_lay_nothing(position, discard)
            fill(position, discard, &p)
            p.stop = flag_of(stop)
            turns.diagram = build_diagram(&p, position.tables_of(&p))
            if turns.total():
                self.turns.append(turns)
        if objective is not None:
            position.read_objective(objective, &wish)
            drop_ties(&wish)
            self.keep_best(&wish, stop)
        for turns in self.turns:
            turns.walk = Walk(turns.diagram)
        self.ends = list(accumulate((<Turns> turns).total() for turns in self.turns))
        self.ranks = self.whole()

    cdef int keep_best(self, const Objective* wish, Stop stop) except -1:
        """Keep only the turns that reach the best value of the objective."""
        cdef Problem p
        cdef Turns turns
        found = [best_in(self.position, turns, wish) for turns in self.turns]
        most = most_gained(self.turns, found)
        for turns, best in zip(self.turns, found):
            turns.nothing = turns.nothing and most == 0
            if best is not None and best[0] == most:
                fill(self.position, turns.discard, &p)
                p.stop = flag_of(stop)
                turns.diagram = build_diagram(&p, self.position.tables_of(&p), wish)
            else:
                turns.diagram = Diagram()
        self.turns = [turns for turns in self.turns if (<Turns> turns).total()]
        return 0

    cdef object whole(self):
        return range(self.ends[len(self.ends) - 1] if self.ends else 0)

    cdef LazySequence part(self, object ranks):
        cdef CardMoves that = CardMoves.__new__(CardMoves)
        that.position = self.position
        that.objective = self.objective
        that.turns = self.turns
        that.ends = self.ends
        that.ranks = ranks
        return that

    cdef object at(self, object rank):
        cdef int k = bisect_right(self.ends, rank)
        cdef Turns turns = self.turns[k]
        rank -= self.ends[k] - turns.total()
        if turns.nothing and rank == 0:
            return nothing_laid(self.position, turns.discard)
        turns.walk.seek(from_python(rank - int(turns.nothing)))
        return card_move(self.position, turns.walk.sets, turns.walk.count, turns.discard)

    cdef object rank_of(self, object item):
        cdef u32 codes[MAX_SETS]
        cdef u128 rank = 0
        cdef Turns turns
        cdef int k, count
        try:
            count = read_table(item.table, "table", self.position.core, codes)
        except (MeldcoreError, AttributeError):
            return None
        for k in range(len(self.turns)):
            turns = self.turns[k]
            if card_text(turns.discard) != item.discard:
                continue
            first = self.ends[k] - turns.total()
            sort_codes(codes, count)
            if card_move(self.position, codes, count, turns.discard) != item:
                return None
            if turns.nothing and not item.played and item.table == self.position.table:
                return first
            if turns.walk.find(codes, count, &rank):
                return first + int(turns.nothing) + to_python(rank)
        return None

    def best(self, objective="tiles", prefer=None, Stop stop=None):
        """The best of all turns, whatever part of them this is: see Position.best. None where there is none.

        Cards are counted net: a joker that is rescued and kept is in the hand.
        """
        cdef bint fewest = prefer is not None
        cdef Objective wish
        cdef Problem p
        cdef Turns turns
        cdef u32 codes[MAX_SETS]
        cdef int count
        self.position.read_objective(objective, &wish)
        found = [best_in(self.position, turns, &wish) for turns in self.turns]
        most = most_gained(self.turns, found)
        best = None
        for turns, reached in zip(self.turns, found):
            if turns.nothing and most == 0:
                move = nothing_laid(self.position, turns.discard)
            elif reached is None or reached[0] != most:
                continue
            elif fewest:
                fill(self.position, turns.discard, &p)
                p.stop = flag_of(stop)
                count = fewest_changes(build_diagram(&p, self.position.tables_of(&p), &wish), self.position.codes,
                                       self.position.sets, codes, p.stop)
                move = card_move(self.position, codes, count, turns.discard)
            else:
                turns.walk.seek(from_python(reached[1]))
                move = card_move(self.position, turns.walk.sets, turns.walk.count, turns.discard)
            if not fewest:
                return move
            if best is None or move.unchanged > best.unchanged:
                best = move
        return best

    def __repr__(self):
        objective = "" if self.objective is None else f", {self.objective!r}"
        return f"CardMoves({self.position!r}{objective}){self.sliced()}"

    def __eq__(self, other):
        if not isinstance(other, CardMoves):
            return NotImplemented
        return (self.position == (<CardMoves> other).position and self.objective == (<CardMoves> other).objective
                and self.ranks == (<CardMoves> other).ranks)

    def __hash__(self):
        return hash((self.position, self.ranks))

    def __reduce__(self):
        return remake, (CardMoves, (self.position, self.objective), self.ranks)


cdef tuple best_in(Position position, Turns turns, const Objective* wish):
    """The most that a turn of the diagram gains, and the rank of the first that does; None where there is none."""
    cdef Walk walk
    if not turns.diagram.graph.count:
        return None
    rank = turns.diagram.best_rank(wish)
    walk = Walk(turns.diagram)
    walk.seek(from_python(rank))
    return gain_of(table_move(position, walk.sets, walk.count), wish), rank


cdef object most_gained(list all_turns, list found):
    """The most of what best_in has found, and of laying nothing, which gains nothing; None without turns."""
    cdef Turns turns
    gains = [best[0] for best in found if best is not None]
    gains += [0 for turns in all_turns if turns.nothing]
    return max(gains, default=None)


cdef str card_text(int card):
    return "*" if card == JOKER else tile_text(card, True)


cdef Move table_move(Position position, const u32* codes, int count):
    """The turn without its discard; below 0 are the jokers played where more were rescued than laid."""
    cdef u32 table[MAX_SETS]
    memcpy(table, codes, count * sizeof(u32))
    sort_codes(table, count)
    return move_of(position, table, count)


cdef object card_move(Position position, const u32* codes, int count, int discard):
    cdef Move move = table_move(position, codes, count)
    cdef int i, net = move.jokers
    for i in range(COLOURS * ROOM):
        net += (&move.tiles[0][0])[i]
    return CardMove(format_tiles(move.tiles, max(move.jokers, 0), move.notation), move.table, move.points,
                    move.unchanged, card_text(discard), net)


cdef object nothing_laid(Position position, int discard):
    return card_move(position, position.codes, position.sets, discard)
