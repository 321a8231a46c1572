"""Which arrangement of a diagram leaves most sets of the table as they are."""

from meldcore.bits cimport u32
from meldcore.diagram cimport Diagram
from meldcore.stop cimport StopPointer

# The first of the arrangements that have most sets in common with a table, `old_sets` set codes, sorted. Writes its
# sets to `codes` and returns how many they are; -1 where the diagram is empty. TooLarge where too much has to be told
# apart.
cdef int fewest_changes(Diagram diagram, const u32* old, int old_sets, u32* codes, StopPointer stop) except -2
