"""What makes a move good: a weight for each tile laid from the hand, ties included."""

from meldcore.bits cimport i64
from meldcore.sets cimport RuleFields

cdef enum ObjectiveKind:
    TILES
    POINTS
    WEIGHTS

cdef enum:
    POINT_BITS = 16         # the points of all tiles and jokers fit
    TILE_BITS = 8           # their number fits
    LARGEST_WEIGHT = 1000000000

cdef struct Objective:
    ObjectiveKind kind
    bint ties               # are ties broken?
    int joker_points        # what a joker counts when points are compared
    # What is gained by each tile: the objective itself in the upper bits, then what breaks ties, so that the move with
    # the largest sum is the best: most tiles, then points; most points, then tiles; most weight, then tiles, points.
    i64 tile[4][16]
    i64 joker

# From "tiles", "points" or {"weights": {tile: integer, ...}}; a tile that is not named weighs 0.
cdef int read_objective(object objective, const RuleFields* fields, Objective* out) except -1

# The same without what breaks ties: two moves with equal sums are equally good.
cdef void drop_ties(Objective* objective) noexcept
