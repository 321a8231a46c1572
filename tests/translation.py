"""What the reference model says, as values of meldcore."""

import reference as ref
from meldcore import Move, Position


def position_of(drawn):
    """The position of a drawn example: fields of rules, the sets of a table, a hand, has the player opened?"""
    fields, table, hand, opened = drawn
    return Position(ref.table_text(table, ref.read_rules(fields)), list(map(str, hand)), fields, opened)


def as_move(move, rules):
    return Move(
        list(map(str, move.played)),
        ref.table_text(move.table, rules),
        move.points,
        move.unchanged,
        rules.numbers,
    )
