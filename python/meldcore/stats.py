"""How much work the searches of a position are: figures that depend on the code alone, unlike times."""

from __future__ import annotations

from typing import NamedTuple


class Stats(NamedTuple):
    """What ``position.stats()`` counts.

    ``frontiers``: those that ``count()`` keeps in a list, over all layers; ``cells``: the entries of the matrices that
    it takes instead where there are many. ``nodes`` and ``edges``: of the diagram behind ``moves()``. ``steps``: those
    of ``best()`` in depth; ``gave_up``: the rest of its work was such a diagram.
    """

    frontiers: int
    cells: int
    nodes: int
    edges: int
    steps: int
    gave_up: bool
