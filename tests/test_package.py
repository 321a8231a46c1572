"""What `import meldcore` gives: its names, how light it is, and that everything pickles."""

import pickle
import subprocess
import sys

import meldcore
from meldcore import Position, Rules, partitions, read_set


def test_every_public_name_is_there():
    assert all(hasattr(meldcore, name) for name in meldcore.__all__)
    assert sorted(meldcore.__all__) == sorted(set(meldcore.__all__))


def test_values_pickle_and_their_reprs_evaluate_back():
    position = Position.parse("r4r5r6 k7b7y7 | r7 b8 *", rules=Rules.preset("easy-rummy", initial_meld=0))
    moves = position.moves()
    for value in (position, moves[0], moves, moves[1::2], position.rules, position.plays(), partitions("r1 r2 r3")):
        assert pickle.loads(pickle.dumps(value)) == value
        names = {name: getattr(meldcore, name) for name in meldcore.__all__}
        assert eval(repr(value), names) == value
    for value in (read_set("r5**"), position.plays()[0]):
        assert pickle.loads(pickle.dumps(value)) == value


def test_the_import_is_light():
    heavy = "import sys, meldcore; print([n for n in ('numpy', 'msgspec', 'argparse', 'rich') if n in sys.modules])"
    assert subprocess.run([sys.executable, "-c", heavy], capture_output=True, text=True).stdout == "[]\n"
