"""Positions: a table, a hand, the rules, and whether the player has opened. Moves: what one turn does to it.

Source: RULES.md 2; the names and the notation of PROTOCOL.md.
"""

cimport cython
from libc.string cimport memcmp, memcpy, memset

from meldcore.bits cimport u8, u32, u64
from meldcore.cards cimport table_cards
from meldcore.changes cimport fewest_changes
from meldcore.claims cimport TAKEN_JOKER
from meldcore.count cimport count_arrangements
from meldcore.diagram cimport Diagram, best_of, build_diagram
from meldcore.jokers cimport table_jokers
from meldcore.objective cimport Objective, read_objective as read_any_objective
from meldcore.problem cimport COLOURS, MAX_SETS, ROOM, Problem, Work
from meldcore.sets cimport (
    FREE, JOKER, CoreRules, Notation, RuleFields, add_tiles, check_copies, core_rules, format_set, format_table,
    format_tiles, hand_value, is_group, largest_edition, notation_of, read_table, read_table_text, read_tile,
    read_tiles, read_tiles_text, repeatable, rules_of, set_colour, set_detail, set_jokers, set_length, set_value,
    sort_codes, tile_text,
)
from meldcore.stop cimport Stop, flag_of
from meldcore.tables cimport Tables, tables_for

from functools import partial

from meldcore.errors import BadPosition, BadRequest, BadRules, IllegalMove
from meldcore.card_referee import CardTurn, judge_cards
from meldcore.referee import Turn, judge, roles
from meldcore.stats import Stats

cdef enum:
    FLAT = COLOURS * ROOM

cdef object DEFAULT_RULES = rules_of("rummi-q")
cdef CoreRules DEFAULT_CORE = core_rules(DEFAULT_RULES)


cdef inline u64 mixed(u64 seed, u64 value) noexcept nogil:
    seed = (seed ^ value) * 0x9e3779b97f4a7c15u
    return seed ^ seed >> 29


cdef u64 mixed_bytes(u64 seed, const void* data, size_t size) noexcept nogil:
    """`size` is a multiple of 4."""
    cdef const u32* words = <const u32*> data
    cdef size_t i
    for i in range(size // 4):
        seed = mixed(seed, words[i])
    return seed


@cython.final
cdef class Position:
    """Position(table=(), hand=(), rules="rummi-q", opened=True, *, taken=None)

    A table, a hand, the rules, and whether the player has opened. Immutable, compared by value.

    table: a sequence of set strings, or one string. hand: a sequence of tile strings, or one string. rules: a
    Rules object, the name of a preset, or an object of fields. opened: has this player laid the initial meld?
    taken: in the card game, the card of the hand that was just taken from the discard pile, None after a draw.

    Raises BadTile, BadSet, BadPosition (more of a tile than the edition has) or BadRules, each with the token
    and the place at fault.

    >>> position = Position(["r4r5r6", "k7b7y7"], ["r7", "b8"], "easy-rummy")
    >>> position.count()
    2
    """

    def __cinit__(self):
        self.rules = DEFAULT_RULES
        self.core = DEFAULT_CORE
        self.opened = True
        self.taken_card = NOT_TAKEN

    def __init__(self, table=(), hand=(), rules="rummi-q", opened=True, *, taken=None):
        if not isinstance(opened, bool):
            raise BadRequest(f"opened is true or false, not {opened!r}", path="$.opened", token=repr(opened))
        self.rules = rules_of(rules)
        self.core = core_rules(self.rules)
        self.opened = opened
        self.sets = read_table(table, "table", self.core, self.codes)
        hand = repeatable(hand, "hand", self.core)
        self.hand_jokers = read_tiles(hand, "hand", self.core, self.hand_tiles)
        self.settle(hand, "hand")
        self.read_taken(taken)

    @staticmethod
    def parse(text, rules="rummi-q", *, taken=None):
        """Read the notation `table | hand`, or `table | hand | opening` for a player who has not opened.

        taken: as in Position; the notation has no place for it.

        >>> Position.parse("r4*r6 k7b7y7 | r7 b8").hand
        ('r7', 'b8')
        """
        if not isinstance(text, str):
            raise BadRequest(f"a position is a string like 'r4r5r6 | r7', not {text!r}", path="$.position",
                             token=repr(text))
        cdef Position self = Position.__new__(Position)
        cdef str line = str(text)
        cdef Py_ssize_t bar = line.find("|"), end = line.find("|", bar + 1)
        if bar < 0:
            raise BadPosition(f"position {line!r}: a bar parts the table from the hand, 'table | hand'",
                              path="$.position", token=line)
        if end < 0:
            end = len(line)
        else:
            last = line[end + 1:].strip()
            if last.lower() != "opening":
                raise BadPosition(f"field {last!r} (character {end + 2}) of position {line!r}: "
                                  "the third field is 'opening' or absent", path="$.position", token=last)
            self.opened = False
        self.rules = rules_of(rules)
        self.core = core_rules(self.rules)
        self.sets = read_table_text(line, 0, bar, "table", self.core, self.codes)
        self.hand_jokers = read_tiles_text(line, bar + 1, end, "hand", self.core, self.hand_tiles)
        self.settle(line[bar + 1:end], "hand")
        self.read_taken(taken)
        return self

    cdef int settle(self, object hand, str name) except -1:
        """Derive the rest from the table as it was read, in the order given, and the hand, called `name`."""
        cdef u8 all_tiles[COLOURS][ROOM]
        cdef int i
        for i in range(self.sets):
            self.table_jokers += add_tiles(self.codes[i], self.table_tiles)
        for i in range(FLAT):
            (&all_tiles[0][0])[i] = (&self.table_tiles[0][0])[i] + (&self.hand_tiles[0][0])[i]
        check_copies(all_tiles, self.table_jokers + self.hand_jokers, self.codes, self.sets, hand, name,
                     self.core)
        sort_codes(self.codes, self.sets)
        return 0

    cdef int read_taken(self, object taken) except -1:
        cdef int colour, number = 0
        if taken is None:
            return 0
        if not self.core.fields.notation.cards:
            raise BadPosition(f"taken is {taken!r}: only the card game has a discard pile to take from", path="$.taken",
                              token=str(taken))
        colour = read_tile(taken, "taken", "$.taken", self.core, &number)
        self.taken_card = JOKER if colour == JOKER else colour * ROOM + number
        if not (self.hand_jokers if colour == JOKER else self.hand_tiles[colour][number]):
            raise BadPosition(f"the card taken, {self.taken!r}, is not in the hand", path="$.taken", token=taken)
        return 0

    # ---- what it is

    @property
    def table(self):
        """The sets on the table: canonical texts in canonical order."""
        return format_table(self.codes, self.sets, self.core.fields.notation)

    @property
    def hand(self):
        """The tiles in hand, in canonical order."""
        return format_tiles(self.hand_tiles, self.hand_jokers, self.core.fields.notation)

    @property
    def hand_points(self):
        """What the hand is worth: tiles count their numbers, a joker counts `joker_hand_value`."""
        return hand_value(self.hand_tiles, self.hand_jokers, &self.core.fields)

    @property
    def taken(self):
        """The card just taken from the discard pile, or None."""
        if self.taken_card == NOT_TAKEN:
            return None
        return "*" if self.taken_card == JOKER else tile_text(self.taken_card, True)

    def __str__(self):
        text = f"{' '.join(self.table)} | {' '.join(self.hand)}".strip()
        return text if self.opened else f"{text} | opening"

    def __repr__(self):
        name, changes = self.rules._origin()
        taken = "" if self.taken is None else f", taken={self.taken!r}"
        return f"Position.parse({str(self)!r}, rules={self.rules if changes else name!r}{taken})"

    def _repr_svg_(self):
        from meldcore import svg
        return svg.position(self)

    def __reduce__(self):
        make = Position if self.taken is None else partial(Position, taken=self.taken)
        return make, (" ".join(self.table), " ".join(self.hand), self.rules, self.opened)

    def __hash__(self):
        cdef u64 seed = mixed(mixed(self.opened, self.hand_jokers), <u64> self.taken_card)
        seed = mixed_bytes(seed, self.codes, self.sets * sizeof(u32))
        return <Py_hash_t> mixed_bytes(seed, self.hand_tiles, sizeof(self.hand_tiles))

    def __eq__(self, other):
        if type(other) is not Position:
            return NotImplemented
        cdef Position that = other
        return (self.sets == that.sets and self.opened == that.opened and self.hand_jokers == that.hand_jokers
                and self.taken_card == that.taken_card
                and not memcmp(self.codes, that.codes, self.sets * sizeof(u32))
                and not memcmp(self.hand_tiles, that.hand_tiles, sizeof(self.hand_tiles))
                and (self.rules is that.rules or self.rules == that.rules))

    # ---- what can be laid

    def count(self, Stop stop=None):
        """How many legal turns there are that lay something: different tables afterwards, an exact int.

        In the card game: how many outcomes, which are tables with a discard, laying nothing included.

        `stop`, here and below, ends the search early: TimeLimit or Cancelled.
        """
        cdef Problem p
        if self.core.fields.notation.cards:
            from meldcore.turns import count_turns
            return count_turns(self, stop)
        self.fill_problem(&p)
        p.stop = flag_of(stop)
        return count_arrangements(&p, self.tables_of(&p))

    def moves(self, Stop stop=None):
        """All legal turns as a lazy sequence; nothing is listed until it is asked for."""
        if self.core.fields.notation.cards:
            from meldcore.turns import CardMoves
            return CardMoves(self, stop=stop)
        from meldcore.moves import Moves
        return Moves(self, stop=stop)

    def best_moves(self, objective="tiles", Stop stop=None):
        """All moves that reach the best value of the objective, ties not broken, as a lazy sequence like moves().

        objective: as in best().

        >>> position = Position.parse("k5k6k7k8k9 | r5 b5", "easy-rummy")
        >>> [move.played for move in position.best_moves()]
        [('r5', 'b5')]
        """
        if self.core.fields.notation.cards:
            from meldcore.turns import CardMoves
            return CardMoves(self, objective, stop)
        from meldcore.moves import Moves
        return Moves(self, objective, stop)

    def count_best(self, objective="tiles", Stop stop=None):
        """How many moves reach the best value of the objective, ties not broken: 1 means a unique solution."""
        return self.best_moves(objective, stop).total

    def plays(self, Stop stop=None):
        """The distinct parts of the hand that can be laid, with their points and numbers of arrangements."""
        from meldcore.plays import Plays
        return Plays(self, stop)

    def best(self, objective="tiles", prefer=None, Stop stop=None):
        """The best legal Move, or CardMove; None where nothing can be laid, or no turn is legal.

        objective: "tiles" (lay the most), "points" (lay the most, a joker counts `joker_hand_value`), or
        {"weights": {"r7": 3, "*": -5, ...}}, integers for each tile laid, 0 where a tile is not named. Among
        equally good moves: the other of tiles and points, or tiles, then points; then, with
        prefer="fewest_changes", the most sets of the table unchanged; then the first in moves().
        """
        if prefer not in (None, "fewest_changes"):
            raise BadRequest(f"prefer is 'fewest_changes' or absent, not {prefer!r}", path="$.prefer",
                             token=str(prefer))
        cdef Problem p
        cdef Objective wish
        cdef u32 codes[MAX_SETS]
        cdef int n
        if self.core.fields.notation.cards:
            return self.moves(stop).best(objective, prefer, stop)
        self.fill_problem(&p)
        p.stop = flag_of(stop)
        self.read_objective(objective, &wish)
        if prefer is not None and not self.table_is_fixed():
            n = fewest_changes(build_diagram(&p, self.tables_of(&p), &wish), self.codes, self.sets, codes, p.stop)
        elif p.threshold:
            return self.moves(stop).best(objective)
        else:
            n = best_of(&p, self.tables_of(&p), &wish, codes)
        return None if n < 0 else make_move(self, codes, n)

    def stats(self, objective="tiles", Stop stop=None):
        """The Stats of this position: how much work count(), moves() and best(objective) are. It does all of them.

        >>> Position.parse(" | k1 k2 k3", "easy-rummy").stats().steps
        3
        """
        cdef Problem p
        cdef Objective wish
        cdef Work work
        cdef u32 codes[MAX_SETS]
        cdef Diagram diagram
        self.fill_problem(&p)
        p.stop = flag_of(stop)
        self.read_objective(objective, &wish)
        diagram = build_diagram(&p, self.tables_of(&p))
        memset(&work, 0, sizeof(work))
        p.work = &work
        count_arrangements(&p, self.tables_of(&p))
        if p.threshold:
            work.gave_up = True
        else:
            best_of(&p, self.tables_of(&p), &wish, codes)
        return Stats(work.frontiers, work.cells, diagram.nodes, diagram.edges(), work.steps, work.gave_up)

    def validate(self):
        """Nothing: a Position that exists is valid, its construction raises the error."""

    def check(self, after, discard=None):
        """The Verdict of the referee on the turn that leaves the table `after`: legal, or every reason why not.

        after: a sequence of set strings, or one string; tiles that form no set are a problem of the turn. discard:
        in the card game, the card discarded; None asks only that one is left. No tables are searched. Raises BadTile
        for what is no tile.

        >>> position = Position.parse("r4*r6 k7b7y7 | r7 k8 k9", "rummi-q")
        >>> [problem.message for problem in position.check("r4r5r6 k7b7y7 *k8k9").problems]
        ["tile 'r5' is played, and not in the hand"]
        """
        cdef u32 codes[MAX_SETS]
        cdef list no_sets = []
        cdef int sets = read_table(after, "after", self.core, codes, no_sets)
        sort_codes(codes, sets)
        return self.verdict(codes, sets, no_sets, self.read_discard(discard))

    def jokers(self):
        """A JokerRole for every joker on the table: what it stands for, and the hand tiles that free it now.

        >>> Position.parse("r4*r6 k7b7* | r5 r7 y7", "rummi-q").jokers()[1].freed_by
        (('r7',), ('y7',))
        """
        return roles(self.rules, joker_sets(self.codes, self.sets), tile_counts(self.hand_tiles),
                     tile_counts(self.table_tiles), self.table_is_fixed())

    def move_to(self, after, discard=None):
        """The Move that leaves the table `after`, a sequence of set strings, one string, or that of a Move; in the card
        game the CardMove that discards this card as well.

        Raises IllegalMove, with every reason, where no legal turn of this position does (RULES.md 2 and 7).
        """
        if self.core.fields.notation.cards:
            from meldcore.turns import turn_to
            return turn_to(self, after, discard)
        self.read_discard(discard)
        cdef u32 codes[MAX_SETS]
        cdef list no_sets = []
        if type(after) is Move:
            if self.knows(after):
                return after
            after = (<Move> after).table
        cdef int sets = read_table(after, "after", self.core, codes, no_sets)
        sort_codes(codes, sets)
        return self.judged(codes, sets, no_sets)

    def play(self, move not None):
        """The position after this Move, or CardMove: what was played has left the hand, and the player has opened.

        In the card game the discard has left it too; a player who laid nothing has not opened by that. Raises
        IllegalMove, with every reason, where it is no legal turn of this position (RULES.md 2 and 7).
        """
        cdef int i
        if self.core.fields.notation.cards:
            from meldcore.turns import play_turn
            return play_turn(self, move)
        cdef Move own = <Move?> move
        self.check_move(own)
        cdef Position after = Position.__new__(Position)
        after.rules = self.rules
        after.core = self.core
        after.sets = own.sets
        memcpy(after.codes, own.codes, own.sets * sizeof(u32))
        for i in range(FLAT):
            (&after.table_tiles[0][0])[i] = (&self.table_tiles[0][0])[i] + (&own.tiles[0][0])[i]
            (&after.hand_tiles[0][0])[i] = (&self.hand_tiles[0][0])[i] - (&own.tiles[0][0])[i]
        after.table_jokers = self.table_jokers + own.jokers
        after.hand_jokers = self.hand_jokers - own.jokers
        return after

    # ---- for the searches

    cdef int read_objective(self, object objective, Objective* out) except -1:
        return read_any_objective(objective, &self.core.fields, out)

    cdef int need_tiles(self) except -1:
        """BadRules for the card game: its turns are none of the searches of tiles."""
        if self.core.fields.notation.cards:
            raise BadRules("the card game has no plays, and no Moves: its turns are CardMoves, position.moves()",
                           path="$.rules", token="cards")
        return 0

    cdef bint has_taken(self) noexcept:
        return self.taken_card != NOT_TAKEN

    cdef int fill_cards(self, Problem* p) except -1:
        """The tables after a turn of the card game, whatever is discarded."""
        cdef int taken = 0
        self.fill_table_and_hand(p)
        p.lay = False
        p.part = False
        p.threshold = 0
        p.must_jokers = 0                   # one that was rescued may stay in the hand
        if self.has_taken():
            taken = TAKEN_JOKER if self.taken_card == JOKER else self.taken_card
        if self.demands is None:
            self.demands = table_cards(&self.core.fields, self.codes, self.sets, self.table_tiles, self.hand_tiles,
                                       self.hand_jokers, taken, self.is_opening())
        p.joker_rules = &self.demands.rules
        return 0

    cdef int fill_problem(self, Problem* p) except -1:
        self.need_tiles()
        if self.table_is_fixed():
            self.fill_initial_meld(p, self.hand_tiles, self.hand_jokers)
            return 0
        self.fill_table_and_hand(p)
        p.part = self.is_opening()
        p.threshold = self.core.fields.initial_meld if p.part else 0
        if self.table_jokers and self.core.fields.joker_retrieval != FREE:
            if self.demands is None:
                self.demands = table_jokers(&self.core.fields, self.codes, self.sets, self.table_tiles, self.hand_tiles,
                                            self.hand_jokers)
            p.joker_rules = &self.demands.rules
        return 0

    cdef void fill_table_and_hand(self, Problem* p) noexcept:
        """What lies on the table has to be used, and what is in the hand may be."""
        cdef int i
        fill_edition(p, &self.core.fields)
        memcpy(p.must, self.table_tiles, sizeof(p.must))
        for i in range(FLAT):
            (&p.most[0][0])[i] = (&self.table_tiles[0][0])[i] + (&self.hand_tiles[0][0])[i]
        p.must_jokers = self.table_jokers
        p.jokers = self.table_jokers + self.hand_jokers

    cdef void fill_initial_meld(self, Problem* p, const u8 (*tiles)[ROOM], int jokers) noexcept:
        """The sets that are together worth the initial meld and hold nothing but some of these tiles."""
        fill_edition(p, &self.core.fields)
        memset(p.must, 0, sizeof(p.must))
        memcpy(p.most, tiles, sizeof(p.most))
        p.must_jokers = 0
        p.jokers = jokers
        p.part = False
        p.threshold = self.core.fields.initial_meld

    cdef void fill_partition(self, Problem* p) noexcept:
        self.fill_initial_meld(p, self.hand_tiles, self.hand_jokers)
        memcpy(p.must, p.most, sizeof(p.must))
        p.must_jokers = p.jokers
        p.lay = False
        p.threshold = 0

    cdef Tables tables_of(self, const Problem* p):
        return tables_for(p.colours, self.core.fields.copies, p.jokers, self.rules.max_jokers_per_set)

    cdef int searched_sets(self, Move move, u32* codes) noexcept:
        cdef int i, kept = 0, n = 0
        if not self.table_is_fixed():
            memcpy(codes, move.codes, move.sets * sizeof(u32))
            return move.sets
        for i in range(move.sets):
            if kept < self.sets and self.codes[kept] == move.codes[i]:
                kept += 1
            else:
                codes[n] = move.codes[i]
                n += 1
        return n if kept == self.sets else -1

    cdef Move judged(self, const u32* codes, int sets, list no_sets):
        """The move to the table of `codes`, sorted, and `no_sets`; IllegalMove where it is no legal turn."""
        need_legal(self.verdict(codes, sets, no_sets))
        return move_of(self, codes, sets)

    cdef bint knows(self, Move move):
        """Was `move` found to be legal in this position, or in one like it?"""
        return move.origin is not None and (move.origin is self or move.origin == self)

    cdef int check_move(self, Move move) except -1:
        """IllegalMove, with every reason, where `move` is no legal turn of this position."""
        cdef int i
        if self.knows(move):
            return 0
        for i in range(move.sets):
            if (not same_notation(move.notation, self.core.fields.notation)
                    or not is_set_of(move.codes[i], &self.core.fields)):
                text = format_set(move.codes[i], move.notation)
                raise IllegalMove(f"set {text!r} belongs to another edition", path="$.after", token=text)
        own = self.judged(move.codes, move.sets, [])
        return need_equal(move, own)

    cdef object read_discard(self, object discard):
        """A card as colour * ROOM + number, or JOKER; None stays None."""
        cdef int colour, number = 0
        if discard is None:
            return None
        if not self.core.fields.notation.cards:
            raise BadRequest(f"discard is {discard!r}: only turns of the card game end with one", path="$.discard",
                             token=str(discard))
        colour = read_tile(discard, "discard", "$.discard", self.core, &number)
        return JOKER if colour == JOKER else colour * ROOM + number

    cdef object verdict(self, const u32* codes, int sets, list no_sets, object discard=None):
        """The Verdict on the turn to the table of `codes`, sorted, and `no_sets`, pairs of tiles and why."""
        turn = self.turn_to(codes, sets, no_sets, discard)
        return judge_cards(turn) if self.core.fields.notation.cards else judge(turn)

    cdef object turn_to(self, const u32* codes, int sets, list no_sets, object discard=None):
        """What the referee is told about the turn to this table: a Turn, or a CardTurn."""
        cdef u8 after[COLOURS][ROOM]
        cdef u8 laid[COLOURS][ROOM]
        cdef u8 own[COLOURS][ROOM]      # what is laid and in the hand
        cdef const u8* table = &self.table_tiles[0][0]
        cdef const u8* hand = &self.hand_tiles[0][0]
        cdef list missing = [], foreign = []
        cdef bint cards = self.core.fields.notation.cards
        cdef int i, more, jokers = 0
        memset(after, 0, sizeof(after))
        memset(laid, 0, sizeof(laid))
        memset(own, 0, sizeof(own))
        for i in range(sets):
            jokers += add_tiles(codes[i], after)
        for text, _ in no_sets:
            jokers += read_tiles(text.lstrip("="), "after", self.core, after)
        jokers -= self.table_jokers
        for i in range(FLAT):
            more = (&after[0][0])[i] - table[i]
            if more < 0:
                missing.append(tile_text(i, cards))
            elif more > 0:
                if more > hand[i]:
                    foreign.append(tile_text(i, cards))
                (&laid[0][0])[i] = more
                (&own[0][0])[i] = min(more, hand[i])
        if jokers > self.hand_jokers:
            foreign.append("*")

        told = {
            "rules": self.rules,
            "opening": self.is_opening(),
            "no_sets": no_sets,
            "played": format_tiles(laid, max(jokers, 0), self.core.fields.notation),
            "missing": missing,
            "foreign": foreign,
            "laid": tile_counts(laid),
            "on_table": tile_counts(self.table_tiles),
            "jokers_laid": jokers,
        }
        if cards:
            return CardTurn(
                **told,
                hand=tile_counts(self.hand_tiles),
                hand_jokers=self.hand_jokers,
                before=[self.codes[i] for i in range(self.sets)],
                after=[codes[i] for i in range(sets)],
                taken=self.taken_card if self.has_taken() else None,
                discard=discard,
            )

        cdef u32 changed[MAX_SETS]
        cdef u32 fresh[MAX_SETS]
        cdef int old = sets_only_in(self.codes, self.sets, codes, sets, changed)
        cdef int new = sets_only_in(codes, sets, self.codes, self.sets, fresh)
        cdef int value = hand_made_value(fresh, new, laid, max(jokers, 0), &self.core.fields)
        if self.is_opening() and not self.table_is_fixed():
            value = self.most_worth(own, min(max(jokers, 0), self.hand_jokers))
        return Turn(
            **told,
            meld_value=value,
            changed=[changed[i] for i in range(old)],
            before=joker_sets(self.codes, self.sets),
            after=joker_sets(codes, sets),
        )

    cdef int most_worth(self, const u8 (*tiles)[ROOM], int jokers) except -1:
        """The most that the sets are worth together which some part of these tiles can be split into."""
        cdef Problem p
        cdef const RuleFields* fields = &self.core.fields
        cdef int least = 0, most = jokers * max(<int> fields.value[fields.notation.numbers], fields.joker_meld_value)
        most += hand_value(tiles, 0, fields)
        self.fill_initial_meld(&p, tiles, jokers)
        while least < most:
            p.threshold = (least + most + 1) // 2
            if count_arrangements(&p, self.tables_of(&p)):
                least = p.threshold
            else:
                most = p.threshold - 1
        return least


cdef void fill_edition(Problem* p, const RuleFields* fields) noexcept:
    p.colours = fields.colours
    p.numbers = fields.notation.numbers
    memcpy(p.value, fields.value, sizeof(p.value))
    p.joker_value = fields.joker_meld_value
    p.joker_rules = NULL
    p.stop = NULL
    p.work = NULL
    p.lay = True


@cython.no_gc           # it refers to its position, which refers to no moves
@cython.final
cdef class Move:
    """Move(played, table, points, unchanged, numbers=13, cards=False)

    One turn that lays tiles: what is played, and the whole table afterwards. Immutable, compared by value.

    played: the tiles laid. table: the sets afterwards. points: what leaves the hand, a joker counting
    `joker_hand_value`. unchanged: how many sets of the table before stand as they were. numbers: the highest
    number of the edition. cards: is it one of cards? Positions make moves; one made by hand is read, and
    `Position.play` judges it.
    """

    def __cinit__(self):
        self.notation = Notation(13, False)

    def __init__(self, played, table, points, unchanged, numbers=13, cards=False):
        self.notation = notation_of(numbers, cards)
        cdef CoreRules core = largest_edition(self.notation)
        self.points = points
        self.unchanged = unchanged
        self.sets = read_table(table, "table", core, self.codes)
        sort_codes(self.codes, self.sets)
        self.jokers = read_tiles(played, "played", core, self.tiles)

    @property
    def played(self):
        """The tiles laid, in canonical order."""
        return format_tiles(self.tiles, self.jokers, self.notation)

    @property
    def table(self):
        """The sets on the table afterwards: canonical texts in canonical order."""
        return format_table(self.codes, self.sets, self.notation)

    def steps(self, Position position not None):
        """How a person makes this move at the table of `position`: a tuple of Step, whose `str` is a sentence.

        An old set becomes at most one new set. Sets that stand unchanged are not named, and of the others as many
        tiles as can be stay where they lie; where hand tiles have to replace jokers (RULES.md 3), that comes
        first. From start to end every tile of the table lies on it or is held ready for a later step.

        Raises IllegalMove, with every reason, where this is no legal turn of `position` (RULES.md 2).

        >>> position = Position.parse("r3r4r5r6r7 y1y2y3y4 | r5 k4 b4", "easy-rummy")
        >>> for step in position.best().steps(position):
        ...     print(step)
        split r3 r4 r5 r6 r7 after r5
        take y4 from y1 y2 y3 y4
        add r5 to r6 r7
        lay k4 b4 y4
        """
        from meldcore.steps import steps_of
        position.check_move(self)
        return steps_of(position.turn_to(self.codes, self.sets, []), position.table, self.table)

    def __repr__(self):
        edition = f", numbers={self.notation.numbers}" if self.notation.numbers != 13 else ""
        if self.notation.cards:
            edition = ", cards=True"
        return (f"Move(played={self.played!r}, table={self.table!r}, points={self.points}, "
                f"unchanged={self.unchanged}{edition})")

    def _repr_svg_(self):
        from meldcore import svg
        return None if self.origin is None else svg.move(self.origin, self)

    def __reduce__(self):
        return Move, (" ".join(self.played), " ".join(self.table), self.points, self.unchanged,
                      self.notation.numbers, bool(self.notation.cards))

    def __hash__(self):
        return <Py_hash_t> mixed_bytes(mixed(self.jokers, self.points), self.codes, self.sets * sizeof(u32))

    def __eq__(self, other):
        if type(other) is not Move:
            return NotImplemented
        cdef Move that = other
        return (self.sets == that.sets and self.jokers == that.jokers and self.points == that.points
                and self.unchanged == that.unchanged and same_notation(self.notation, that.notation)
                and not memcmp(self.codes, that.codes, self.sets * sizeof(u32))
                and not memcmp(self.tiles, that.tiles, sizeof(self.tiles)))


cdef int need_legal(object verdict) except -1:
    if not verdict.legal:
        first = verdict.problems[0]
        raise IllegalMove(first.message, path="$.after", token=first.set, problems=verdict.problems)
    return 0


cdef int need_equal(object move, object own) except -1:
    if own != move:
        raise IllegalMove(f"{move!r} is a move of another position: here this table comes of {own!r}", path="$.after")
    return 0


cdef Position loose_position(object tiles, str name, object rules):
    cdef Position position = Position.__new__(Position)
    position.rules = rules_of(rules)
    position.core = core_rules(position.rules)
    tiles = repeatable(tiles, name, position.core)
    position.hand_jokers = read_tiles(tiles, name, position.core, position.hand_tiles)
    position.settle(tiles, name)
    return position


cdef Move make_move(Position position, const u32* codes, int n):
    cdef u32 table[MAX_SETS]
    memcpy(table, codes, n * sizeof(u32))
    if position.table_is_fixed():
        memcpy(table + n, position.codes, position.sets * sizeof(u32))
        n += position.sets
    sort_codes(table, n)
    return move_of(position, table, n)


cdef Move move_of(Position position, const u32* codes, int n):
    cdef Move move = Move.__new__(Move)
    cdef int i, old = 0
    move.origin = position
    move.notation = position.core.fields.notation
    move.sets = n
    memcpy(move.codes, codes, n * sizeof(u32))
    for i in range(n):
        move.jokers += add_tiles(codes[i], move.tiles)
        while old < position.sets and position.codes[old] < codes[i]:
            old += 1
        if old < position.sets and position.codes[old] == codes[i]:
            move.unchanged += 1
            old += 1
    for i in range(FLAT):
        (&move.tiles[0][0])[i] -= (&position.table_tiles[0][0])[i]
    move.jokers -= position.table_jokers
    move.points = hand_value(move.tiles, move.jokers, &position.core.fields)
    return move


cdef inline bint same_notation(Notation one, Notation other) noexcept nogil:
    return one.numbers == other.numbers and one.cards == other.cards


cdef bint is_set_of(u32 code, const RuleFields* fields) noexcept nogil:
    """Is this set, valid in the largest edition of the same numbers, valid under `fields`?"""
    if set_jokers(code) > fields.max_jokers_per_set:
        return False
    if is_group(code):
        return set_length(code) <= fields.colours and not set_detail(code) >> 4 >> fields.colours
    return set_colour(code) < fields.colours


cdef int sets_only_in(const u32* codes, int sets, const u32* others, int other_sets, u32* out) noexcept nogil:
    """The sets of one table, sorted, without those of another; returns their number."""
    cdef int i, j = 0, n = 0
    for i in range(sets):
        while j < other_sets and others[j] < codes[i]:
            j += 1
        if j < other_sets and others[j] == codes[i]:
            j += 1
        else:
            out[n] = codes[i]
            n += 1
    return n


cdef int hand_made_value(const u32* codes, int sets, const u8 (*laid)[ROOM], int jokers,
                         const RuleFields* fields) noexcept nogil:
    """What the sets are worth together that the tiles `laid` suffice for, each tile used once."""
    cdef u8 used[COLOURS][ROOM]
    cdef u8 trial[COLOURS][ROOM]
    cdef int i, k, needed, value = 0
    cdef bint fits
    memset(used, 0, sizeof(used))
    for i in range(sets):
        memcpy(trial, used, sizeof(used))
        needed = add_tiles(codes[i], trial)
        fits = needed <= jokers
        for k in range(FLAT):
            fits = fits and (&trial[0][0])[k] <= (&laid[0][0])[k]
        if fits:
            memcpy(used, trial, sizeof(used))
            jokers -= needed
            value += set_value(codes[i], fields)
    return value


cdef list joker_sets(const u32* codes, int sets):
    return [codes[i] for i in range(sets) if set_jokers(codes[i])]


cdef bytes tile_counts(const u8 (*tiles)[ROOM]):
    """How often each natural tile is there, at colour << 4 | number."""
    return (<const char*> tiles)[:FLAT]
