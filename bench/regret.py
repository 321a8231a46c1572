"""Where greedy play loses games: the regret of its turns, by what is left in both hands.

usage: python -m bench.regret [--seed N] [--seconds N] [--playouts N]

From games of two greedy players some turns are taken, those that lay without going out, of every class as many. Each
turn that `strong` would try is played out on the same hands and pools. Half of the playouts chooses, the other half
says what the choice wins more often than the greedy turn, and the other way round: so chance is not taken for a gain.
"""

import argparse
import random
import time
from collections import Counter, defaultdict
from statistics import fmean, stdev

from meldcore import Game, Lay
from meldcore.bots import Strong
from meldcore.playouts import sample, share

CLASSES = ((3, "1-3"), (8, "4-8"), (999, "9+"))
TURNS_OF_A_GAME = 3


def class_of(view):
    """Have both opened, and how many tiles do they hold?"""
    player, other = view.player, 1 - view.player
    own, others = (next(name for most, name in CLASSES if view.hand_sizes[p] <= most) for p in (player, other))
    if not view.opened[player]:
        return "the other has opened" if view.opened[other] else "nobody has opened"
    return f"own {own}, other {others}" if view.opened[other] else "the other has not opened"


def decisions(seed):
    """The views of one game in which greedy lays tiles and keeps some, each with its move."""
    game = Game.new("rummi-q", seed=seed)
    while not game.over:
        view = game.view(game.player)
        most = view.position.best()
        if most is not None and len(most.played) < len(view.position.hand):
            yield view, most
        game, _ = game.act(Lay(most) if most else game.otherwise)


def regret(view, most, playouts, chance):
    """What the best turn wins more often than the greedy one, and the same for drawing alone."""
    turns = Strong(chance.getrandbits(32)).turns(view, most)
    halves = []
    for _ in range(2):
        wins = [0.0] * len(turns)
        for _ in range(playouts // 2):
            now = sample(view, chance)
            for number, turn in enumerate(turns):
                wins[number] += share(now, view.player, turn)
        halves.append([won / (playouts // 2) for won in wins])
    crosswise = (halves, halves[::-1])
    best = fmean(judge[choose.index(max(choose))] - judge[0] for choose, judge in crosswise)
    return best, fmean(half[-1] - half[0] for half in halves)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--playouts", type=int, default=200)
    wanted = parser.parse_args()
    chance = random.Random(wanted.seed)
    due = time.monotonic() + wanted.seconds
    found, there, games = defaultdict(list), Counter(), 0
    while time.monotonic() < due:
        views = list(decisions(chance.getrandbits(32)))
        games += 1
        there.update(class_of(view) for view, _ in views)
        chance.shuffle(views)
        views.sort(key=lambda pair: len(found[class_of(pair[0])]))
        for view, most in views[:TURNS_OF_A_GAME]:
            found[class_of(view)].append(regret(view, most, wanted.playouts, chance))
    print("| class | turns a game and player | regret | 95 % | drawing | sample |")
    print("|---|---|---|---|---|---|")
    for name in sorted(there):
        if len(found[name]) > 1:
            best, drawing = zip(*found[name], strict=True)
            width = 1.96 * stdev(best) / len(best) ** 0.5
            gains = f"{fmean(best):+.3f} | ±{width:.3f} | {fmean(drawing):+.3f}"
            print(f"| {name} | {there[name] / games / 2:.2f} | {gains} | {len(best)} |")


if __name__ == "__main__":
    main()
