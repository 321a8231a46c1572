"""The most hand tiles one turn can lay, as an integer program solved by HiGHS.

One integer variable a set says how often it lies on the table after the turn. Of each kind of tile the
sets take at least what lies on the table and at most what is at hand, and as many tiles as possible in
all. Runs of 3 to 5 tiles are enough, for a longer one falls into these. The two models differ in how
they see jokers: in the columns.
"""

from functools import cache

import highspy
import numpy as np

from .tiles import COPIES, JOKER, KINDS, amounts, natural_sets, with_jokers

# Presolve costs more than it saves in programs this small.
SETTINGS = {"output_flag": False, "threads": 1, "presolve": "off"}
# Most of the time goes into a heuristic for a first solution, which few would think of switching off.
TUNED = {**SETTINGS, "mip_heuristic_run_feasibility_jump": False}


@cache
def natural_columns():
    sets = list(natural_sets(longest=5))
    columns = np.zeros((KINDS, len(sets)), dtype=np.int8)
    for column, tiles in enumerate(sets):
        columns[list(tiles), column] = 1
    return columns


@cache
def substitution_columns():
    """One column a tile: a joker stands for it, so that one natural tile less and one joker more is taken."""
    columns = -np.eye(KINDS, JOKER, dtype=np.int8)
    columns[JOKER] = 1
    return columns


@cache
def joker_columns():
    sets = {tiles for natural in natural_sets(longest=5) for tiles in with_jokers(natural)}
    return np.array([np.bincount(tiles, minlength=KINDS) for tiles in sorted(sets)], dtype=np.int8).T


def compact(table, hand, options=SETTINGS):
    """Sets without jokers, and a variable a tile for the jokers that stand for it."""
    atleast, atmost = bounds(table, hand)
    sets = natural_columns()
    sets = sets[:, (sets > atmost[:, None]).sum(axis=0) <= atmost[JOKER]]
    if atmost[JOKER]:
        sets = np.hstack([sets, substitution_columns()[:, sets[:JOKER].any(axis=1)]])
    return most_laid(sets, atleast, atmost, options)


def all_sets(table, hand, options=SETTINGS):
    """Every set with and without jokers, told apart by their tiles (den Hertog and Hulshof 2006)."""
    atleast, atmost = bounds(table, hand)
    sets = joker_columns()
    return most_laid(sets[:, (sets <= atmost[:, None]).all(axis=0)], atleast, atmost, options)


def bounds(table, hand):
    table = amounts(table)
    return table, table + amounts(hand)


def most_laid(columns, atleast, atmost, options):
    if not columns.size:
        return 0
    count = columns.shape[1]
    column, row = np.nonzero(columns.T)
    lp = highspy.HighsLp()
    lp.num_row_, lp.num_col_ = columns.shape
    lp.sense_ = highspy.ObjSense.kMaximize
    lp.col_cost_ = columns.sum(axis=0).astype(float)
    lp.col_lower_ = np.zeros(count)
    lp.col_upper_ = np.full(count, float(COPIES))
    lp.row_lower_ = atleast.astype(float)
    lp.row_upper_ = atmost.astype(float)
    lp.integrality_ = [highspy.HighsVarType.kInteger] * count
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_ = np.searchsorted(column, np.arange(count + 1))
    lp.a_matrix_.index_ = row
    lp.a_matrix_.value_ = columns[row, column].astype(float)
    solver = highspy.Highs()
    for name, value in options.items():
        solver.setOptionValue(name, value)
    solver.passModel(lp)
    solver.run()
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        raise ValueError(f"no optimum: {solver.modelStatusToString(solver.getModelStatus())}")
    return round(solver.getInfo().objective_function_value) - int(atleast.sum())
