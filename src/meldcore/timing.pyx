"""How long a search alone takes, without the Python objects around it. For benchmarks."""

from meldcore.bits cimport u32
from meldcore.count cimport count_seconds as sweep_seconds
from meldcore.diagram cimport best_of, build_diagram
from meldcore.objective cimport Objective
from meldcore.position cimport Position
from meldcore.problem cimport MAX_SETS, Problem
from meldcore.stop cimport now
from meldcore.tables cimport Tables


def best_seconds(Position position not None, objective="tiles", int repeats=5):
    """The least time, in seconds, of the search behind position.best(objective). Not for opening turns."""
    cdef Problem p
    cdef Objective o
    cdef u32 codes[MAX_SETS]
    cdef Tables tables
    cdef double start, least = 1e99
    position.fill_problem(&p)
    tables = position.tables_of(&p)
    position.read_objective(objective, &o)
    for _ in range(repeats):
        start = now()
        best_of(&p, tables, &o, codes)
        least = min(least, now() - start)
    return least


def count_seconds(Position position not None, int repeats=5):
    """The least time, in seconds, of the search behind position.count()."""
    cdef Problem p
    cdef Tables tables
    cdef double least = 1e99
    position.fill_problem(&p)
    tables = position.tables_of(&p)
    for _ in range(repeats):
        least = min(least, sweep_seconds(&p, tables))
    return least


def build_seconds(Position position not None, int repeats=5):
    """The least time, in seconds, to build the diagram behind position.moves()."""
    cdef Problem p
    cdef Tables tables
    cdef double start, least = 1e99
    position.fill_problem(&p)
    tables = position.tables_of(&p)
    for _ in range(repeats):
        start = now()
        build_diagram(&p, tables)
        least = min(least, now() - start)
    return least
