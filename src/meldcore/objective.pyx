"""See objective.pxd."""

from collections.abc import Mapping

from meldcore.errors import BadRequest

from meldcore.bits cimport i64
from meldcore.sets cimport Notation, RuleFields, largest_edition, read_tile


cdef int read_objective(object objective, const RuleFields* fields, Objective* out) except -1:
    cdef i64 weight[4][16]
    cdef i64 joker_weight = 0
    cdef int c, n
    out.joker_points = fields.joker_hand_value
    out.ties = True
    if isinstance(objective, str):
        if objective not in ("tiles", "points"):
            raise unknown(objective)
        out.kind = TILES if objective == "tiles" else POINTS
        for c in range(4):
            for n in range(16):
                out.tile[c][n] = combined(out.kind, 0, fields.value[n])
        out.joker = combined(out.kind, 0, out.joker_points)
        return 0
    if not isinstance(objective, Mapping) or list(objective) != ["weights"]:
        raise unknown(objective)
    out.kind = WEIGHTS
    read_weights(objective["weights"], fields.notation, weight, &joker_weight)
    for c in range(4):
        for n in range(16):
            out.tile[c][n] = combined(WEIGHTS, weight[c][n], fields.value[n])
    out.joker = combined(WEIGHTS, joker_weight, out.joker_points)
    return 0


cdef void drop_ties(Objective* objective) noexcept:
    cdef int c, n, bits = POINT_BITS if objective.kind == TILES else TILE_BITS
    if objective.kind == WEIGHTS:
        bits += POINT_BITS
    for c in range(4):
        for n in range(16):
            objective.tile[c][n] >>= bits       # rounds down, and what breaks ties is never negative
    objective.joker >>= bits
    objective.ties = False


cdef i64 combined(ObjectiveKind kind, i64 weight, i64 points) noexcept:
    if kind == TILES:
        return (<i64> 1 << POINT_BITS) + points
    if kind == POINTS:
        return (points << TILE_BITS) + 1
    return (weight << (TILE_BITS + POINT_BITS)) + (<i64> 1 << POINT_BITS) + points


cdef int read_weights(object weights, Notation notation, i64 (*weight)[16], i64* joker_weight) except -1:
    cdef int c, n = 0
    for c in range(4):
        for n in range(16):
            weight[c][n] = 0
    if not isinstance(weights, Mapping):
        raise BadRequest(f"weights is an object of tiles, {{'r7': 3, '*': -5}}, not {weights!r}",
                         path="$.objective.weights", token=str(weights))
    core = largest_edition(notation)
    for tile, value in weights.items():
        path = f"$.objective.weights.{tile}"
        if isinstance(value, bool) or not isinstance(value, int) or abs(value) > LARGEST_WEIGHT:
            raise BadRequest(f"the weight of {tile!r} is a whole number of at most {LARGEST_WEIGHT} either way, "
                             f"not {value!r}", path=path, token=str(value))
        c = read_tile(tile, "objective", path, core, &n)
        if c < 0:
            joker_weight[0] = value
        else:
            weight[c][n] = value
    return 0


cdef object unknown(object objective):
    return BadRequest(f"objective is 'tiles', 'points' or {{'weights': {{...}}}}, not {objective!r}",
                      path="$.objective", token=str(objective))
