"""Tiles and sets: reading and writing the notation, and what one text can be read as.

Source: RULES.md 1; the notation of PROTOCOL.md.
"""

import re
from collections import namedtuple

from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_New, PyTuple_SET_ITEM

from meldcore.bits cimport popcount, u8, u32
from meldcore.problem cimport COLOURS, MAX_SETS, ROOM

from meldcore.errors import BadPosition, BadRequest, BadRules, BadSet, BadTile
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
    JOKER = -1
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


cdef CoreRules largest_edition(int numbers):
    cdef CoreRules core = CoreRules.__new__(CoreRules)
    core.fields.colours = COLOURS
    core.fields.numbers = numbers
    core.fields.max_jokers_per_set = ROOM
    core.fields.joker_meld_value = -1
    return core


cdef CoreRules core_rules(object rules):
    cdef object known = getattr(rules, "_core", None)
    if known is not None:
        return known
    if rules.cards:
        raise BadRules("rummy-40, the card game, is not supported yet", path="$.rules", token="cards")
    cdef CoreRules core = CoreRules.__new__(CoreRules)
    cdef RuleFields* fields = &core.fields
    fields.colours = rules.colours
    fields.numbers = rules.numbers
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


cdef inline Fault scan_tile(const char* text, Py_ssize_t* at, Py_ssize_t end, const RuleFields* fields,
                            int* colour, int* number) noexcept nogil:
    """Read the tile at `at`, which is below `end`, and move `at` behind it; a joker has the colour JOKER."""
    cdef Py_ssize_t i = at[0]
    cdef char letter = text[i]
    if letter == c"*":
        colour[0] = JOKER
        at[0] = i + 1
        return NO_FAULT
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
    cdef int value = 0
    cdef Py_ssize_t first = i
    while i < end and c"0" <= text[i] <= c"9":
        value = min(10 * value + text[i] - c"0", 100)
        i += 1
    if i == first:
        return NO_TILE
    if value > fields.numbers or text[first] == c"0":
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
    if run and first >= 1 and first + length - 1 <= fields.numbers:
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
    for item in as_sequence(table, name, "set strings"):
        place += 1
        if not isinstance(item, str):
            raise BadRequest(f"a set is a string like 'r4r5r6', not {item!r}", path=f"$.{name}[{place}]",
                             token=repr(item))
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
        raise BadRequest(f"a tile is a string like 'r4', not {text!r}", path=path, token=repr(text))
    cdef Fault fault = scan_only_tile(text, &core.fields, &colour, number)
    if fault != NO_FAULT:
        raise tile_error(fault, text, text, f" ({where})", path, core)
    return colour


cdef int read_tiles(object tiles, str name, CoreRules core, u8 (*counts)[ROOM]) except -1:
    cdef Py_ssize_t n = 0
    cdef int colour = 0, number = 0, jokers = 0
    if isinstance(tiles, str):
        return read_tiles_text(str(tiles), 0, len(tiles), name, core, counts)
    for item in as_sequence(tiles, name, "tile strings"):
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
            raise tile_error(fault, first_token(text[start:end]), text[start:end],
                             f" ({name}[{n}], character {start + 1})", f"$.{name}[{n}]", core)
        jokers += take(counts, colour, number)
        n += 1
    return jokers


cdef object as_sequence(object items, str name, str what):
    if type(items) is tuple or type(items) is list:
        return items
    try:
        return tuple(items)
    except TypeError:
        raise BadRequest(f"{name} is a string or a sequence of {what}, not {items!r}", path=f"$.{name}",
                         token=repr(items)) from None


cdef int check_copies(const u8 (*counts)[ROOM], int jokers, const u32* codes, int n, object tiles, str name,
                      CoreRules core) except -1:
    cdef const u8* flat = &counts[0][0]
    cdef bint over = jokers > core.fields.jokers
    cdef int i
    for i in range(COLOURS * ROOM):
        over |= flat[i] > core.fields.copies
    if over:
        raise copies_error([(f"table[{i}]", tile) for i in range(n) for tile in set_tiles(codes[i])]
                           + [(f"{name}[{i}]", tile) for i, tile in enumerate(loose_tiles(tiles))], core)
    return 0


# ---- errors: said once, after the fast reading has failed

cdef tuple ORDINALS = ("first", "second", "third", "fourth", "fifth")


cdef str first_token(str text):
    """The letter at the start of `text` with the digits behind it: what was meant to be a tile."""
    return text[0] + re.match(r"[0-9]*", text[1:])[0]


cdef object tile_error(Fault fault, str token, str rest, str where, str path, CoreRules core):
    """`rest` is the text from the faulty tile on."""
    cdef str colours = "krby"[:core.fields.colours]
    if fault == OTHER_NUMBER:
        reason = f"numbers go from 1 to {core.fields.numbers}"
        if token[1] == "0" and token[1:].strip("0"):
            reason += ", without leading zeros"
    elif fault == OTHER_COLOUR:
        reason = f"the colours of this edition are {', '.join(colours)}"
    elif fault == MORE_TILES:
        reason = "one tile is meant to stand here"
    elif not token:
        reason = "a tile is a colour and a number, like r4, or a joker, *"
    elif rest[0] == "=":
        reason = "only before the tiles of a set, = says that it is a group"
    elif rest[0].isascii() and rest[0] in "krbyoKRBYO":
        reason = "the number is missing"
    elif is_separator(ord(rest[0]) if rest[0].isascii() else 0):
        reason = "tiles that belong together are joined, without separators"
    else:
        reason = f"a tile is one of the colours {', '.join(colours)} and a number, like r4, or a joker, *"
    return BadTile(f"tile {token!r}{where}: {reason}", path=path, token=token)


cdef object set_error(Fault fault, str text, Py_ssize_t at, str where, str path, CoreRules core):
    """`at` is where in `text` the faulty tile begins."""
    if fault == NO_SET:
        return BadSet(f"set {text!r} ({where}): {no_set_reason(text, core)}", path=path, token=text)
    return tile_error(fault, first_token(text[at:]), text[at:], f" in set {text!r} ({where})", path, core)


cdef str no_set_reason(str text, CoreRules core):
    """Why the tiles of `text`, all of the edition, form no set in this order."""
    cdef const RuleFields* fields = &core.fields
    marked = text.startswith("=")
    tiles = [None if tile == "*" else (tile[0], int(tile[1:])) for tile in loose_tiles(text)]
    naturals = [(place, *tile) for place, tile in enumerate(tiles) if tile is not None]
    jokers = len(tiles) - len(naturals)
    if len(tiles) < 3:
        return "a set has at least 3 tiles"
    if not naturals:
        return "a set holds at least one tile that is no joker"
    if jokers > fields.max_jokers_per_set:
        return f"max_jokers_per_set is {fields.max_jokers_per_set}, and this set holds {jokers} jokers"
    colours = [colour for _, colour, _ in naturals]
    same_number = len({number for _, _, number in naturals}) == 1
    if marked or (same_number and len(naturals) > 1):
        if not same_number:
            return "= says that it is a group, and the tiles of a group have one number"
        if len(set(colours)) < len(colours):
            return "the tiles of a group have different colours"
        return f"a group has at most {fields.colours} tiles, one of each colour"
    if len(set(colours)) > 1:
        return "neither a run, of one colour, nor a group, of one number"
    place, colour, number = naturals[0]
    start = number - place
    for place, _, number in naturals:
        if number != start + place:
            return f"{colour}{number} stands where a run has {colour}{start + place}"
    if start < 1:
        return f"the first tile of this run would be {colour}{start}, and numbers begin with 1"
    last = start + len(tiles) - 1
    return f"the last tile of this run would be {colour}{last}, and numbers end with {fields.numbers}"


cdef object too_many_sets(str name, Py_ssize_t most):
    return BadPosition(f"more than {most} sets: no edition has the tiles for them", path=f"$.{name}")


cdef object copies_error(list placed, CoreRules core):
    """`placed` pairs every tile, in the order given, with its place, like "table[0]"."""
    cdef const RuleFields* fields = &core.fields
    size = fields.colours * fields.numbers * fields.copies + fields.jokers
    if len(placed) > size:
        path = "$." + placed[len(placed) - 1][0].partition("[")[0]
        return BadPosition(f"{len(placed)} tiles, and this edition has {size}", path=path)
    seen = {}
    for place, tile in placed:
        seen[tile] = seen.get(tile, 0) + 1
        noun, most = ("joker", fields.jokers) if tile == "*" else ("copy", fields.copies)
        if seen[tile] > most:
            return BadPosition(f"tile {tile!r} ({place}): a {ORDINALS[most]} {noun}, "
                               f"and this edition has {most}", path=f"$.{place}", token=tile)
    raise AssertionError("no tile too many")


cdef list loose_tiles(object tiles):
    """The tiles of a text or sequence that was read without fault, in canonical text, in the order given."""
    text = tiles if isinstance(tiles, str) else " ".join(tiles)
    return re.findall(r"\*|[krby][0-9]+", text.lower().replace("o", "y"))


cdef list set_tiles(u32 code):
    return loose_tiles(format_set(code, ROOM - 1))


# ---- writing

cdef tuple tile_texts():
    return tuple(["" if not number else f"{colour}{number}" for colour in "krby" for number in range(ROOM)])

cdef tuple TILES = tile_texts()
cdef str JOKER_TEXT = "*"


cdef inline char* write_tile(char* out, int colour, int number) noexcept nogil:
    out[0] = b"krby"[colour]
    if number >= 10:
        out[1] = c"1"
        out[2] = c"0" + number - 10
        return out + 3
    out[1] = c"0" + number
    return out + 2


cdef str format_set(u32 code, int numbers):
    cdef char text[LONGEST_TEXT]
    cdef char* out = text
    cdef int i, number = set_number(code), length = set_length(code)
    cdef u32 colours, detail = set_detail(code)
    if is_group(code):
        colours = detail >> 4
        if not colours & (colours - 1) and number + length - 1 <= numbers:
            out[0] = c"="
            out += 1
        for i in range(COLOURS):
            if colours >> i & 1:
                out = write_tile(out, i, number)
        for i in range(set_jokers(code)):
            out[i] = c"*"
        out += set_jokers(code)
    else:
        for i in range(length):
            if detail >> i & 1:
                out[0] = c"*"
                out += 1
            else:
                out = write_tile(out, set_colour(code), number + i)
    return text[:out - text].decode("ascii")


cdef tuple format_table(const u32* codes, int n, int numbers):
    cdef tuple table = PyTuple_New(n)
    cdef int i
    for i in range(n):
        text = format_set(codes[i], numbers)
        Py_INCREF(text)
        PyTuple_SET_ITEM(table, i, text)
    return table


cdef tuple format_tiles(const u8 (*counts)[ROOM], int jokers):
    cdef const u8* flat = &counts[0][0]
    cdef int i, n = jokers
    for i in range(COLOURS * ROOM):
        n += flat[i]
    cdef tuple tiles = PyTuple_New(n)
    n = 0
    for i in range(COLOURS * ROOM):
        for _ in range(flat[i]):
            text = TILES[i]
            Py_INCREF(text)
            PyTuple_SET_ITEM(tiles, n, text)
            n += 1
    for i in range(n, n + jokers):
        Py_INCREF(JOKER_TEXT)
        PyTuple_SET_ITEM(tiles, i, JOKER_TEXT)
    return tiles


# ---- for Python

def read_set(text, rules="rummi-q"):
    """What `text`, one set in the notation, is under `rules`: a SetInfo.

    Tiles that form no set are an answer, with `valid` False and the problem; what is no tile raises BadTile.
    A joker counts as `joker_meld_value` says, or as the tile it stands for.

    >>> read_set("r5**").readings
    ('r5**', '=r5**')
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
    readings = [format_set(code, core.fields.numbers)]
    if not is_group(code):
        letters = "=" + letters
        at = 0
        if scan_set(PyUnicode_1BYTE_DATA(letters), &at, end + 1, &core.fields, &other) == NO_FAULT:
            readings.append(format_set(other, core.fields.numbers))
    return SetInfo(True, "group" if is_group(code) else "run", set_value(code, core.fields.joker_meld_value),
                   tuple(readings), None)


def set_text(u32 code, int numbers=13):
    """The canonical text of a set code, as the arrays of `Moves.codes` hold them; BadSet for a number that is none.

    `numbers`: the highest number of the edition, on which it depends whether a group needs its "=".

    >>> from meldcore import Position
    >>> [[set_text(code) for code in row] for row in Position((), "r4 r5 r6", "easy-rummy").moves().codes()]
    [['r4r5r6']]
    """
    cdef int number = set_number(code), length = set_length(code)
    cdef u32 detail = set_detail(code), colours = detail >> 4
    cdef bint valid
    if is_group(code):
        valid = (1 <= number <= numbers and 0 < colours < 1 << COLOURS and 3 <= length <= COLOURS
                 and code == group_code(number, colours, detail & 15))
    else:
        valid = number >= 1 and length >= 3 and number + length - 1 <= numbers < ROOM and detail < (1u << length) - 1
    if not valid:
        raise BadSet(f"{code} is no set code", token=str(code))
    return format_set(code, numbers)
