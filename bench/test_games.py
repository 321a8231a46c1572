"""Self-play of two: the turns of whole games, the choice of moves and the checks of the rules included."""

import pytest

from meldcore import PRESETS
from meldcore.bots import BOTS

from .games import self_play

GAMES = 5


@pytest.mark.parametrize("rules", [name for name, rules in PRESETS.items() if not rules.cards])
@pytest.mark.parametrize("bot", BOTS)
def test_self_play(benchmark, rules, bot):
    turns = benchmark(self_play, bot, rules, range(GAMES))
    assert turns == self_play(bot, rules, range(GAMES)) > 20 * GAMES
    benchmark.extra_info["turns"] = turns
    if benchmark.stats:  # None where nothing is timed
        benchmark.extra_info["turns a second"] = round(turns / benchmark.stats.stats.median)
