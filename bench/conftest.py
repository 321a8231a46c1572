import pytest

from .cases import position_of
from .suites import FREE


@pytest.fixture(scope="module", params=FREE)
def cases(request):
    """The cases of one class, each with its answers; free jokers unless a suite asks for other rules."""
    return request.param


@pytest.fixture(scope="module")
def positions(cases):
    return [position_of(case) for case in cases]
