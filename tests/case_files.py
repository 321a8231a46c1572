"""The lines of tests/data, for every test that asks them. It knows neither the library nor the reference."""

import json
from pathlib import Path

import pytest

DATA = Path(__file__).parent / "data"


def cases(name):
    return [json.loads(line) for line in (DATA / name).read_text().splitlines()]


def real_cases(asked, rules_class, cards=False):
    """The questions of real.jsonl, of those `asked`, with their other readings: pytest parameters.

    They are about tile games, or else about the card game.
    """
    for case in cases("real.jsonl"):
        if (case["rules"] == "rummy-40") == cards and asked(case):
            yield pytest.param(case, id=case["id"])
            yield from other_readings(case, rules_class)


def other_readings(case, rules_class):
    """The case with a field of the rules changed, where that is what `other_readings` names."""
    for change, answer in case.get("other_readings", {}).items():
        field, _, value = change.partition("=")
        if value and field in rules_class.__dataclass_fields__:
            rules = {"preset": case["rules"], field: json.loads(value.lower())}
            yield pytest.param(case | {"rules": rules, "answer": answer}, id=f"{case['id']}, {change}")
