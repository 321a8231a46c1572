import pytest

from meldcore import Position

from .cases import RULES, by_class


@pytest.fixture(scope="module", params=by_class())
def cases(request):
    """The cases of one class, each with its answers."""
    return by_class()[request.param]


@pytest.fixture(scope="module")
def positions(cases):
    return [Position(case["table"], case["hand"], RULES) for case in cases]
