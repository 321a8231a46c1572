"""Plays a patience: one player, 14 tiles, draws while nothing can be laid. Greedy against random turns.

usage: python examples/patience.py [SEED]
"""

import random
import sys

from meldcore import Move, Position

POOL = [f"{colour}{number}" for colour in "krby" for number in range(1, 14)] * 2 + ["*", "*"]


def greedy(position: Position, chance: random.Random) -> Move | None:
    return position.best("tiles")


def at_random(position: Position, chance: random.Random) -> Move | None:
    moves = position.moves()
    return moves[chance.randrange(moves.total)] if moves else None


def play(choose, seed: int) -> int | None:
    """How many turns it takes to go out, drawing included; None where the pool is empty first."""
    chance = random.Random(seed)
    pool = chance.sample(POOL, len(POOL))
    hand = [pool.pop() for _ in range(14)]
    position = Position(hand=hand, rules="easy-rummy", opened=False)
    turns = 0
    while position.hand:
        turns += 1
        move = choose(position, chance)
        if move is not None:
            position = position.play(move)
        elif pool:
            position = Position(position.table, (*position.hand, pool.pop()), position.rules, position.opened)
        else:
            return None
    return turns


def main(seed: int = 1) -> None:
    games = range(seed, seed + 20)
    for choose in (greedy, at_random):
        out = [turns for game in games if (turns := play(choose, game)) is not None]
        print(f"{choose.__name__}: out in {len(out)} of {len(games)} games, after {sum(out) / len(out):.1f} turns")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
