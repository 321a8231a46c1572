from collections.abc import Mapping
from typing import Literal, TypeAlias

# For other stubs alone: nothing here is for Python.
_Objective: TypeAlias = Literal["tiles", "points"] | Mapping[str, Mapping[str, int]]
