"""A bot of one's own: a class with one method. It lays high tiles first and keeps its jokers.

usage: meldcore arena --bot greedy --bot 'cmd:python examples/my_bot.py'
"""

from meldcore import Lay
from meldcore.programs import serve


class MyBot:
    def choose(self, view):
        weights = {tile: -20 if tile == "*" else int(tile[1:]) for tile in view.position.hand}
        move = view.position.best({"weights": weights})
        return Lay(move) if move else view.otherwise


if __name__ == "__main__":
    serve(MyBot())
