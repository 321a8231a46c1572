"""The lists of cases that suites run on: parameters of the fixture `cases`, for `parametrize` with `indirect`."""

import pytest

from .cases import by_class, by_preset

NTH = 4  # of the cases under joker rules is enough: each position comes once a preset
SMALL = ("self", "rand2_20", "rand2_40")  # the plays of larger tables take seconds

FREE = [pytest.param(cases, id=cls) for cls, cases in by_class().items()]


def restricted(classes):
    """Some cases under joker rules, by preset and class."""
    return [
        pytest.param(of_preset[cls][::NTH], id=f"{preset}-{cls}")
        for preset, of_preset in by_preset().items()
        for cls in classes
    ]


RESTRICTED = restricted((*SMALL, "rand2_60", "rand2_80"))
RESTRICTED_SMALL = restricted(SMALL)
