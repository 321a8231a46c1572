"""A bot of one's own: a class with one method. It lays high tiles first and keeps its jokers.

It plays the card game, too, in which a turn is two choices: draw or take a card, then lay and discard.

usage: meldcore arena --bot greedy --bot 'cmd:python examples/my_bot.py'
"""

from meldcore import CardView, Draw, Lay, Take
from meldcore.programs import serve
from meldcore.scoring import hand_points


class MyBot:
    def choose(self, view):
        if isinstance(view, CardView) and not view.has_drawn:
            return Take() if view.taking.best() else Draw()
        rules = view.position.rules
        weights = {tile: -20 if tile == "*" else hand_points(tile, rules) for tile in view.position.hand}
        move = view.position.best({"weights": weights})
        return Lay(move) if move else view.otherwise


if __name__ == "__main__":
    serve(MyBot())
