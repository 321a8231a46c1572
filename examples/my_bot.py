"""A bot of one's own: a class with one method. It lays high tiles first and keeps its jokers.

usage: python examples/my_bot.py
"""

from meldcore import Game, Lay
from meldcore.bots import make


class MyBot:
    def choose(self, view):
        hand = view.position.hand
        weights = {tile: -20 if tile == "*" else int(tile[1:]) for tile in hand}
        move = view.position.best({"weights": weights})
        return Lay(move) if move else view.otherwise


def main() -> None:
    game = Game.new("rummi-q", players=2, seed=1)
    bots = [MyBot(), make("greedy")]
    while not game.over:
        game, _ = game.act(bots[game.player].choose(game.view(game.player)))
    print("my bot:", game.totals[0], "greedy:", game.totals[1])


if __name__ == "__main__":
    main()
