"""Tiles and sets: reading and writing the notation, and what one text can be read as.

Source: RULES.md 1; the notation of PROTOCOL.md.
"""

import re
from collections import namedtuple

from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_New, PyTuple_SET_ITEM

from meldcore.bits cimport popcount, u8, u32
from meldcore.problem cimport COLOURS, MAX_SETS, ROOM

from meldcore.errors import BadPosition, BadRequest, BadSet, BadTile
from meldcore.rules import Rules

cdef extern from "Python.h":
    bint PyUnicode_IS_ASCII(str text)
    const char* PyUnicode_1BYTE_DATA "(const char*) PyUnicode_1BYTE_DATA" (str text)
    Py_ssize_t PyUnicode_GET_LENGTH(str text)

cdef enum Fault:
    NO_FAULT
    NO_TILE
    OTHER_COLOUR
    OTHER_NUMBER
    MORE_TILES
    NO_SET

cdef enum:
    TEN = 9                                         # ranks, as numbers
    ACE = 13
    LONGEST_TEXT = 3 * 15 + 1
    MOST_PIECES = 3 * COLOURS * (ROOM - 1) + 4      # the tiles of the largest edition, each by itself


SetInfo = namedtuple("SetInfo", "valid kind value readings problem", module="meldcore.sets")
SetInfo.__doc__ = """What one text is as a set (RULES.md 1).

valid: bool. kind: "run", "group" or None. value: its points in an initial meld, or None. readings: the
canonical texts of the sets that these tiles in this order can be, the one meant first. problem: why it is no
set, or None.
"""


# ---- rules

cdef class CoreRules:
    def __init__(self):
        raise TypeError("read from a Rules object by the core itself")


cdef object rules_of(object rules):
    return rules if type(rules) is Rules else Rules.from_json(rules)


cdef void set_notation(RuleFields* fields, Notation notation) noexcept nogil:
    """The notation, and with it what the tiles are worth: their numbers; cards 2 to 10, figures 10 and the ace 11."""
    cdef int n
    fields.notation = notation
    for n in range(ROOM):
        if not notation.cards:
            fields.value[n] = n
        elif n < ACE:
            fields.value[n] = min(n + 1, 10)
        else:
            fields.value[n] = 11


cdef Notation notation_of(object numbers, object cards) except *:
    if numbers not in range(3, ROOM):
        raise BadRequest(f"numbers goes from 3 to {ROOM - 1}, not {numbers!r}", path="$.numbers", token=str(numbers))
    if not isinstance(cards, bool):
        raise BadRequest(f"cards is true or false, not {cards!r}", path="$.cards", token=repr(cards))
    if cards and numbers != ACE:
        raise BadRequest(f"cards=True needs numbers={ACE}: ranks", path="$.cards")
    return Notation(numbers, cards)


cdef CoreRules largest_edition(Notation notation):
    cdef CoreRules core = CoreRules.__new__(CoreRules)
    set_notation(&core.fields, notation)
    core.fields.colours = COLOURS
    core.fields.max_jokers_per_set = ROOM
    core.fields.joker_meld_value = -1
    return core


cdef CoreRules core_rules(object rules):
    cdef object known = getattr(rules, "_core", None)
    if known is not None:
        return known
    cdef CoreRules core = CoreRules.__new__(CoreRules)
    cdef RuleFields* fields = &core.fields
    set_notation(fields, Notation(rules.numbers, rules.cards))
    fields.colours = rules.colours
    fields.copies = rules.copies
    fields.jokers = rules.jokers
    fields.max_jokers_per_set = ROOM if rules.max_jokers_per_set is None else rules.max_jokers_per_set
    fields.initial_meld = rules.initial_meld
    fields.joker_meld_value = -1 if rules.joker_meld_value is None else rules.joker_meld_value
    fields.joker_hand_value = rules.joker_hand_value
    fields.table_play_on_opening_turn = rules.table_play_on_opening_turn
    fields.joker_retrieval = {"free": FREE, "replace": REPLACE, "replace_from_hand": REPLACE_FROM_HAND}[
        rules.joker_retrieval]
    fields.joker_sets_locked = rules.joker_sets_locked
    fields.retrieved_joker_use = {"anywhere": ANYWHERE, "new_set": NEW_SET, "hand_only_set": HAND_ONLY_SET}[
        rules.retrieved_joker_use]
    fields.group_joker_needs_all = rules.group_joker_needs_all
    fields.group_rescue_needs_both = rules.group_rescue_needs_both
    fields.discard_needs_40_always = rules.discard_needs_40_always
    object.__setattr__(rules, "_core", core)
    return core


# ---- reading: one tile, one set

cdef inline str plain(object text):
    """`text` with "?" for what is not ASCII: one byte a character, so that places in both are the same."""
    if type(text) is str and PyUnicode_IS_ASCII(<str> text):
        return <str> text
    return str(text).encode("ascii", "replace").decode("ascii")


cdef inline bint is_separator(char letter) noexcept nogil:
    return letter == c" " or letter == c"," or c"\t" <= letter <= c"\r"


cdef inline int scan_digits(const char* text, Py_ssize_t* at, Py_ssize_t end) noexcept nogil:
    """Read a decimal number: 0 where it begins with 0, -1 where there are no digits."""
    cdef Py_ssize_t first = at[0]
    cdef int value = 0
    while at[0] < end and c"0" <= text[at[0]] <= c"9":
        value = min(10 * value + text[at[0]] - c"0", 100)
        at[0] += 1
    if at[0] == first:
        return -1
    return 0 if text[first] == c"0" else value


cdef Fault scan_card(const char* text, Py_ssize_t* at, Py_ssize_t end, int* colour, int* number) noexcept nogil:
    """As scan_tile, for cards: the rank, then the suit."""
    cdef Py_ssize_t i = at[0]
    cdef char letter = text[i] | 32
    cdef int digits = scan_digits(text, &i, end), rank
    if digits >= 0:
        rank = digits - 1
    elif letter == c"t":
        rank = TEN
    elif letter == c"j":
        rank = TEN + 1
    elif letter == c"q":
        rank = TEN + 2
    elif letter == c"k":
        rank = TEN + 3
    elif letter == c"a":
        rank = ACE
    else:
        return NO_TILE
    if digits < 0:
        i += 1
    if i == end:
        return NO_TILE
    letter = text[i] | 32
    if letter == c"s":
        colour[0] = 0
    elif letter == c"h":
        colour[0] = 1
    elif letter == c"c":
        colour[0] = 2
    elif letter == c"d":
        colour[0] = 3
    else:
        return NO_TILE
    if rank < 1 or digits > 10:
        return OTHER_NUMBER
    number[0] = rank
    at[0] = i + 1
    return NO_FAULT


cdef inline Fault scan_tile(const char* text, Py_ssize_t* at, Py_ssize_t end, const RuleFields* fields,
                            int* colour, int* number) noexcept nogil:
    """Read the tile at `at`, which is below `end`, and move `at` behind it; a joker has the colour JOKER."""
    cdef Py_ssize_t i = at[0]
    cdef char letter = text[i]
    cdef int value
    if letter == c"*":
        colour[0] = JOKER
        at[0] = i + 1
        return NO_FAULT
    if fields.notation.cards:
        return scan_card(text, at, end, colour, number)
    letter |= 32
    if letter == c"k":
        colour[0] = 0
    elif letter == c"r":
        colour[0] = 1
    elif letter == c"b":
        colour[0] = 2
    elif letter == c"y" or letter == c"o":
        colour[0] = 3
    else:
        return NO_TILE
    i += 1
    value = scan_digits(text, &i, end)
    if value < 0:
        return NO_TILE
    if not 1 <= value <= fields.notation.numbers:
        return OTHER_NUMBER
    if colour[0] >= fields.colours:
        return OTHER_COLOUR
    number[0] = value
    at[0] = i
    return NO_FAULT


cdef Fault scan_set(const char* text, Py_ssize_t* at, Py_ssize_t end, const RuleFields* fields,
                    u32* code) noexcept nogil:
    """Read the set text[at:end]. A fault of a tile leaves `at` at that tile."""
    cdef bint run = True, group = True
    cdef int length = 0, colour = 0, number = 0, run_colour = 0, first = 0, group_number = 0
    cdef u32 jokers = 0, colours = 0
    cdef Fault fault
    if at[0] < end and text[at[0]] == c"=":
        run = False
        at[0] += 1
    while at[0] < end:
        fault = scan_tile(text, at, end, fields, &colour, &number)
        if fault != NO_FAULT:
            return fault
        if length == ROOM - 1:
            run = group = False
            continue
        if colour == JOKER:
            jokers |= 1u << length
        elif not colours:
            run_colour = colour
            first = number - length
            group_number = number
            colours = 1u << colour
        else:
            run = run and colour == run_colour and number - length == first
            group = group and number == group_number and not colours >> colour & 1
            colours |= 1u << colour
        length += 1
    if length < 3 or not colours or popcount(jokers) > fields.max_jokers_per_set:
        return NO_SET
    if run and first >= 1 and first + length - 1 <= fields.notation.numbers:
        code[0] = run_code(run_colour, first, length, jokers)
    elif group and length <= fields.colours:
        code[0] = group_code(group_number, colours, popcount(jokers))
    else:
        return NO_SET
    return NO_FAULT


# ---- reading: tables and loose tiles

cdef int read_table(object table, str name, CoreRules core, u32* codes, list no_sets=None) except -1:
    cdef Py_ssize_t at, place = -1, n = 0
    cdef Fault fault
    cdef str text
    if isinstance(table, str):
        return read_table_text(str(table), 0, len(table), name, core, codes, no_sets)
    for item in as_sequence(table, name, core, True):
        place += 1
        if not isinstance(item, str):
            raise BadRequest(f"a set is a string like {words_of(core).a_set!r}, not {item!r}",
                             path=f"$.{name}[{place}]", token=repr(item))
        if n == MAX_SETS or place == MOST_PIECES:
            raise too_many_sets(name, place)
        text = plain(item)
        at = 0
        fault = scan_set(PyUnicode_1BYTE_DATA(text), &at, PyUnicode_GET_LENGTH(text), &core.fields, &codes[n])
        if fault == NO_SET and no_sets is not None:
            no_sets.append((text, no_set_reason(text, core)))
            continue
        if fault != NO_FAULT:
            raise set_error(fault, str(item), at, f"{name}[{place}]", f"$.{name}[{place}]", core)
        n += 1
    return n


cdef int read_table_text(str text, Py_ssize_t start, Py_ssize_t end, str name, CoreRules core,
                         u32* codes, list no_sets=None) except -1:
    cdef str letters = plain(text)
    cdef const char* data = PyUnicode_1BYTE_DATA(letters)
    cdef Py_ssize_t at, stop
    cdef int n = 0, place = -1
    cdef Fault fault
    while True:
        place += 1
        while start < end and is_separator(data[start]):
            start += 1
        if start == end:
            return n
        stop = start
        while stop < end and not is_separator(data[stop]):
            stop += 1
        if n == MAX_SETS or place == MOST_PIECES:
            raise too_many_sets(name, place)
        at = start
        fault = scan_set(data, &at, stop, &core.fields, &codes[n])
        if fault == NO_SET and no_sets is not None:
            no_sets.append((letters[start:stop], no_set_reason(letters[start:stop], core)))
            start = stop
            continue
        if fault != NO_FAULT:
            at = start if fault == NO_SET else at
            raise set_error(fault, text[start:stop], at - start, f"{name}[{place}], character {at + 1}",
                            f"$.{name}[{place}]", core)
        start = stop
        n += 1


cdef inline int take(u8 (*counts)[ROOM], int colour, int number) noexcept nogil:
    """Count one tile; returns the number of jokers that it is."""
    if colour == JOKER:
        return 1
    if counts[colour][number] < MOST_COUNTED:
        counts[colour][number] += 1
    return 0


cdef inline Fault scan_only_tile(object item, const RuleFields* fields, int* colour, int* number):
    """Read an item that is one tile and nothing else."""
    cdef str text = plain(item)
    cdef Py_ssize_t at = 0, end = PyUnicode_GET_LENGTH(text)
    if not end:
        return NO_TILE
    cdef Fault fault = scan_tile(PyUnicode_1BYTE_DATA(text), &at, end, fields, colour, number)
    return fault if fault != NO_FAULT or at == end else MORE_TILES


cdef int read_tile(object text, str where, str path, CoreRules core, int* number) except -2:
    cdef int colour = 0
    if not isinstance(text, str):
        words = words_of(core)
        raise BadRequest(f"a {words.tile} is a string like {words.a_tile!r}, not {text!r}", path=path,
                         token=repr(text))
    cdef Fault fault = scan_only_tile(text, &core.fields, &colour, number)
    if fault != NO_FAULT:
        raise tile_error(fault, text, text, f" ({where})", path, core)
    return colour


cdef int read_tiles(object tiles, str name, CoreRules core, u8 (*counts)[ROOM]) except -1:
    cdef Py_ssize_t n = 0
    cdef int colour = 0, number = 0, jokers = 0
    if isinstance(tiles, str):
        return read_tiles_text(str(tiles), 0, len(tiles), name, core, counts)
    for item in repeatable(tiles, name, core):
        if not isinstance(item, str) or scan_only_tile(item, &core.fields, &colour, &number) != NO_FAULT:
            read_tile(item, f"{name}[{n}]", f"$.{name}[{n}]", core, &number)
        jokers += take(counts, colour, number)
        n += 1
    return jokers


cdef int read_tiles_text(str text, Py_ssize_t start, Py_ssize_t end, str name, CoreRules core,
                         u8 (*counts)[ROOM]) except -1:
    cdef str letters = plain(text)
    cdef const char* data = PyUnicode_1BYTE_DATA(letters)
    cdef Py_ssize_t n = 0
    cdef int colour = 0, number = 0, jokers = 0
    cdef Fault fault
    while start < end:
        if is_separator(data[start]):
            start += 1
            continue
        fault = scan_tile(data, &start, end, &core.fields, &colour, &number)
        if fault != NO_FAULT:
            raise tile_error(fault, first_token(text[start:end], core), text[start:end],
                             f" ({name}[{n}], character {start + 1})", f"$.{name}[{n}]", core)
        jokers += take(counts, colour, number)
        n += 1
    return jokers


cdef object as_sequence(object items, str name, CoreRules core, bint sets=False):
    if type(items) is tuple or type(items) is list:
        return items
    try:
        return tuple(items)
    except TypeError:
        noun = "set" if sets else words_of(core).tile
        raise BadRequest(f"{name} is a string or a sequence of {noun} strings, not {items!r}", path=f"$.{name}",
                         token=repr(items)) from None


cdef object repeatable(object tiles, str name, CoreRules core):
    return tiles if isinstance(tiles, str) else as_sequence(tiles, name, core)


cdef int check_copies(const u8 (*counts)[ROOM], int jokers, const u32* codes, int n, object tiles, str name,
                      CoreRules core) except -1:
    cdef const u8* flat = &counts[0][0]
    cdef bint over = jokers > core.fields.jokers
    cdef int i
    for i in range(COLOURS * ROOM):
        over |= flat[i] > core.fields.copies
    if over:
        placed = [(f"table[{i}]", tile) for i in range(n)
                  for tile in tiles_in(format_set(codes[i], core.fields.notation), core)]
        placed += [(f"{name}[{i}]", tile) for i, tile in enumerate(tiles_in(tiles, core))]
        raise copies_error(placed, core)
    return 0


# ---- errors: said once, after the fast reading has failed

cdef tuple ORDINALS = ("first", "second", "third", "fourth", "fifth")

Words = namedtuple("Words", "tile colour number a_tile a_set")

cdef object TILE_WORDS = Words("tile", "colour", "number", "r4", "r4r5r6")
cdef object CARD_WORDS = Words("card", "suit", "rank", "10H", "10HJHQH")


cdef inline object words_of(CoreRules core):
    return CARD_WORDS if core.fields.notation.cards else TILE_WORDS


cdef str first_token(str text, CoreRules core):
    """The start of `text` that was meant to be a tile: a letter and digits; of a card, either and a letter too."""
    shape = r"[0-9]+\w?|\w[0-9]+|\w\w?|." if core.fields.notation.cards else r".[0-9]*"
    return re.match(shape, text, re.ASCII | re.DOTALL)[0]


cdef object tile_error(Fault fault, str token, str rest, str where, str path, CoreRules core):
    """`rest` is the text from the faulty tile on."""
    cdef str noun = words_of(core).tile
    if fault == MORE_TILES:
        reason = f"one {noun} is meant to stand here"
    elif rest.startswith("="):
        reason = f"only before the {noun}s of a set, = says that it is a group"
    elif rest and rest[0].isascii() and is_separator(ord(rest[0])):
        reason = f"{noun}s that belong together are joined, without separators"
    elif core.fields.notation.cards:
        reason = card_reason(fault, token)
    else:
        reason = tile_reason(fault, token, core)
    return BadTile(f"{noun} {token!r}{where}: {reason}", path=path, token=token)


cdef str tile_reason(Fault fault, str token, CoreRules core):
    colours = ", ".join("krby"[:core.fields.colours])
    if fault == OTHER_NUMBER:
        reason = f"numbers go from 1 to {core.fields.notation.numbers}"
        return f"{reason}, without leading zeros" if token[1] == "0" and token[1:].strip("0") else reason
    if fault == OTHER_COLOUR:
        return f"the colours of this edition are {colours}"
    if not token:
        return "a tile is a colour and a number, like r4, or a joker, *"
    if token[0] in "krbyoKRBYO":
        return "the number is missing"
    return f"a tile is one of the colours {colours} and a number, like r4, or a joker, *"


cdef str card_reason(Fault fault, str token):
    if fault == OTHER_NUMBER:
        return "ranks are 2 to 10, J, Q, K and A"
    if re.fullmatch("[0-9]+|[TJQKA]", token, re.IGNORECASE):
        return "the suit is missing"
    if re.fullmatch("([0-9]+|[TJQKA])[A-Z]", token, re.IGNORECASE):
        return "suits are S, H, C and D"
    return "a card is a rank, then a suit, like 10H, or a joker, *"


cdef object set_error(Fault fault, str text, Py_ssize_t at, str where, str path, CoreRules core):
    """`at` is where in `text` the faulty tile begins."""
    if fault == NO_SET:
        return BadSet(f"set {text!r} ({where}): {no_set_reason(text, core)}", path=path, token=text)
    return tile_error(fault, first_token(text[at:], core), text[at:], f" in set {text!r} ({where})", path, core)


cdef str no_set_reason(str text, CoreRules core):
    """Why the tiles of `text`, all of the edition, form no set in this order."""
    cdef const RuleFields* fields = &core.fields
    cdef bint cards = fields.notation.cards
    words = words_of(core)
    marked = text.startswith("=")
    tiles = scan_tiles(text, core)
    naturals = [(place, *divmod(tile, ROOM)) for place, tile in enumerate(tiles) if tile != JOKER]
    jokers = len(tiles) - len(naturals)
    if len(tiles) < 3:
        return f"a set has at least 3 {words.tile}s"
    if not naturals:
        return f"a set holds at least one {words.tile} that is no joker"
    if jokers > fields.max_jokers_per_set:
        return f"max_jokers_per_set is {fields.max_jokers_per_set}, and this set holds {jokers} jokers"
    colours = [colour for _, colour, _ in naturals]
    same_number = len({number for _, _, number in naturals}) == 1
    if marked or (same_number and len(naturals) > 1):
        if not same_number:
            return f"= says that it is a group, and the {words.tile}s of a group have one {words.number}"
        if len(set(colours)) < len(colours):
            return f"the {words.tile}s of a group have different {words.colour}s"
        return f"a group has at most {fields.colours} {words.tile}s, one of each {words.colour}"
    if len(set(colours)) > 1:
        return f"neither a run, of one {words.colour}, nor a group, of one {words.number}"
    place, colour, number = naturals[0]
    start = number - place
    for place, _, number in naturals:
        if number != start + place:
            tile = tile_text(colour * ROOM + number, cards)
            return f"{tile} stands where a run has {run_tile(colour, start + place, cards)}"
    if start < 1:
        tile, least = run_tile(colour, start, cards), "2" if cards else 1
        return f"the first {words.tile} of this run would be {tile}, and {words.number}s begin with {least}"
    tile, most = run_tile(colour, start + len(tiles) - 1, cards), "A" if cards else fields.notation.numbers
    return f"the last {words.tile} of this run would be {tile}, and {words.number}s end with {most}"


cdef str run_tile(int colour, int number, bint cards):
    """What a run has at a place, or would have there if numbers went on."""
    if not cards:
        return f"{'krby'[colour]}{number}"
    if number < 1:
        return f"a card below {tile_text(colour * ROOM + 1, cards)}"
    if number > ACE:
        return f"a card above {tile_text(colour * ROOM + ACE, cards)}"
    return tile_text(colour * ROOM + number, cards)


cdef object too_many_sets(str name, Py_ssize_t most):
    return BadPosition(f"more than {most} sets: no edition has the tiles for them", path=f"$.{name}")


cdef object copies_error(list placed, CoreRules core):
    """`placed` pairs every tile, in the order given, with its place, like "table[0]"."""
    cdef const RuleFields* fields = &core.fields
    cdef int size = fields.colours * fields.notation.numbers * fields.copies + fields.jokers
    cdef str tile_noun = words_of(core).tile
    if len(placed) > size:
        path = "$." + placed[len(placed) - 1][0].partition("[")[0]
        return BadPosition(f"{len(placed)} {tile_noun}s, and this edition has {size}", path=path)
    seen = {}
    for place, tile in placed:
        seen[tile] = seen.get(tile, 0) + 1
        noun, most = ("joker", fields.jokers) if tile == "*" else ("copy", fields.copies)
        if seen[tile] > most:
            return BadPosition(f"{tile_noun} {tile!r} ({place}): a {ORDINALS[most]} {noun}, "
                               f"and this edition has {most}", path=f"$.{place}", token=tile)
    raise AssertionError("no tile too many")


cdef list scan_tiles(str text, CoreRules core):
    """The tiles of a text that was read without fault, in the order given: colour * ROOM + number, or JOKER."""
    cdef str letters = plain(text)
    cdef const char* data = PyUnicode_1BYTE_DATA(letters)
    cdef Py_ssize_t at = 0, end = len(letters)
    cdef int colour = 0, number = 0
    cdef list tiles = []
    while at < end:
        if is_separator(data[at]) or data[at] == c"=":
            at += 1
        else:
            scan_tile(data, &at, end, &core.fields, &colour, &number)
            tiles.append(JOKER if colour == JOKER else colour * ROOM + number)
    return tiles


cdef list tiles_in(object tiles, CoreRules core):
    """The same of a text or a sequence, in canonical text."""
    text = tiles if isinstance(tiles, str) else " ".join(tiles)
    return [JOKER_TEXT if tile == JOKER else tile_text(tile, core.fields.notation.cards)
            for tile in scan_tiles(text, core)]


# ---- writing

cdef inline char* write_tile(char* out, int colour, int number, bint cards) noexcept nogil:
    if cards:
        if number == TEN:
            out[0] = c"1"
            out += 1
        out[0] = b"-234567890JQKA--"[number]
        out[1] = b"SHCD"[colour]
        return out + 2
    out[0] = b"krby"[colour]
    if number >= 10:
        out[1] = c"1"
        out[2] = c"0" + number - 10
        return out + 3
    out[1] = c"0" + number
    return out + 2


cdef tuple tile_texts(bint cards):
    """Texts at colour * ROOM + number."""
    cdef char text[3]
    cdef int i
    return tuple([text[:write_tile(text, i // ROOM, i % ROOM, cards) - text].decode("ascii")
                  for i in range(COLOURS * ROOM)])

cdef tuple TILES = tile_texts(False)
cdef tuple CARDS = tile_texts(True)
cdef str JOKER_TEXT = "*"


cdef str format_set(u32 code, Notation notation):
    cdef char text[LONGEST_TEXT]
    cdef char* out = text
    cdef int i, number = set_number(code), length = set_length(code)
    cdef u32 colours, detail = set_detail(code)
    if is_group(code):
        colours = detail >> 4
        if not colours & (colours - 1) and number + length - 1 <= notation.numbers:
            out[0] = c"="
            out += 1
        for i in range(COLOURS):
            if colours >> i & 1:
                out = write_tile(out, i, number, notation.cards)
        for i in range(set_jokers(code)):
            out[i] = c"*"
        out += set_jokers(code)
    else:
        for i in range(length):
            if detail >> i & 1:
                out[0] = c"*"
                out += 1
            else:
                out = write_tile(out, set_colour(code), number + i, notation.cards)
    return text[:out - text].decode("ascii")


cdef tuple format_table(const u32* codes, int n, Notation notation):
    cdef tuple table = PyTuple_New(n)
    cdef int i
    for i in range(n):
        text = format_set(codes[i], notation)
        Py_INCREF(text)
        PyTuple_SET_ITEM(table, i, text)
    return table


cdef tuple format_tiles(const u8 (*counts)[ROOM], int jokers, Notation notation):
    cdef tuple texts = CARDS if notation.cards else TILES
    cdef const u8* flat = &counts[0][0]
    cdef int i, n = jokers
    for i in range(COLOURS * ROOM):
        n += flat[i]
    cdef tuple tiles = PyTuple_New(n)
    n = 0
    for i in range(COLOURS * ROOM):
        for _ in range(flat[i]):
            text = texts[i]
            Py_INCREF(text)
            PyTuple_SET_ITEM(tiles, n, text)
            n += 1
    for i in range(n, n + jokers):
        Py_INCREF(JOKER_TEXT)
        PyTuple_SET_ITEM(tiles, i, JOKER_TEXT)
    return tiles


# ---- for Python

cpdef str tile_text(int tile, bint cards=False):
    """The canonical text of a natural tile or card, given as colour << 4 | number."""
    return (CARDS if cards else TILES)[tile]


def read_set(text, rules="rummi-q"):
    """What `text`, one set in the notation, is under `rules`: a SetInfo.

    Tiles that form no set are an answer, with `valid` False and the problem; what is no tile raises BadTile.
    A joker counts as `joker_meld_value` says, or as the tile it stands for.

    >>> read_set("r5**").readings
    ('r5**', '=r5**')
    >>> read_set("QH*AH", "rummy-40").value
    31
    """
    if not isinstance(text, str):
        raise BadRequest(f"a set is a string like 'r4r5r6', not {text!r}", path="$.set", token=repr(text))
    cdef CoreRules core = core_rules(rules_of(rules))
    cdef str letters = plain(text)
    cdef u32 code = 0, other = 0
    cdef Py_ssize_t at = 0, end = len(letters)
    cdef Fault fault = scan_set(PyUnicode_1BYTE_DATA(letters), &at, end, &core.fields, &code)
    if fault == NO_SET:
        return SetInfo(False, None, None, (), no_set_reason(letters, core))
    if fault != NO_FAULT:
        raise set_error(fault, str(text), at, "set", "$.set", core)
    readings = [format_set(code, core.fields.notation)]
    if not is_group(code):
        letters = "=" + letters
        at = 0
        if scan_set(PyUnicode_1BYTE_DATA(letters), &at, end + 1, &core.fields, &other) == NO_FAULT:
            readings.append(format_set(other, core.fields.notation))
    return SetInfo(True, "group" if is_group(code) else "run", set_value(code, &core.fields), tuple(readings), None)


def set_text(u32 code, numbers=13, cards=False):
    """The canonical text of a set code, as the arrays of `Moves.codes` hold them; BadSet for a number that is none.

    `numbers`: the highest number of the edition, on which it depends whether a group needs its "=". `cards`: is it
    one of cards?

    >>> from meldcore import Position
    >>> [[set_text(code) for code in row] for row in Position((), "r4 r5 r6", "easy-rummy").moves().codes()]
    [['r4r5r6']]
    """
    cdef Notation notation = notation_of(numbers, cards)
    cdef int number = set_number(code), length = set_length(code), last = number + length - 1
    cdef u32 detail = set_detail(code), colours = detail >> 4
    cdef bint valid
    if is_group(code):
        valid = (1 <= number <= notation.numbers and 0 < colours < 1 << COLOURS and 3 <= length <= COLOURS
                 and code == group_code(number, colours, detail & 15))
    else:
        valid = number >= 1 and length >= 3 and last <= notation.numbers and detail < (1u << length) - 1
    if not valid:
        raise BadSet(f"{code} is no set code", token=str(code))
    return format_set(code, notation)
