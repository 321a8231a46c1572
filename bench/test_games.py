"""Self-play of two: the turns of whole games, the choice of moves and the checks of the rules included."""

import pytest

from meldcore import PRESETS
from meldcore.bots import BOTS

from .games import self_play

GAMES = 5


@pytest.mark.parametrize("rules", [name for name, rules in PRESETS.items() if not rules.cards])
@pytest.mark.parametrize("bot", BOTS)
def test_self_play(benchmark, rules, bot):
    games = 1 if bot == "strong" else GAMES  # it takes a thousand times as long as the others
    turns = benchmark(self_play, bot, rules, range(games))
    assert turns == self_play(bot, rules, range(games)) > 20 * games
    benchmark.extra_info["turns"] = turns
    if benchmark.stats:  # None where nothing is timed
        benchmark.extra_info["turns a second"] = round(turns / benchmark.stats.stats.median)
