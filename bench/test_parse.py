from meldcore import Position

from .cases import RULES


def test_parse(benchmark, cases, positions):
    texts = [f"{' '.join(case['table'])} | {' '.join(case['hand'])}" for case in cases]
    assert benchmark(lambda: [Position.parse(text, RULES) for text in texts]) == positions


def test_from_lists(benchmark, cases, positions):
    given = [(case["table"], case["hand"]) for case in cases]
    assert benchmark(lambda: [Position(table, hand, RULES) for table, hand in given]) == positions


def test_format(benchmark, positions):
    texts = benchmark(lambda: list(map(str, positions)))
    assert [Position.parse(text, RULES) for text in texts] == positions
