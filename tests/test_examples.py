"""Every example runs and says something sensible."""

import subprocess
import sys
from pathlib import Path

import pytest

from meldcore import PRESETS
from meldcore.arena import Tournament
from meldcore.arena import run as run_arena

EXAMPLES = Path(__file__).parent.parent / "examples"


def run(name: str, folder: Path | None = None) -> list[str]:
    done = subprocess.run([sys.executable, EXAMPLES / name], cwd=folder, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_client() -> None:
    lines = run("client.py")
    assert lines[0] == "turns: 25"
    assert lines[1].startswith("lay r7 r8 b8 *")
    assert lines[-1].startswith("refused: bad_set at $.table[0]: ")


def test_patience() -> None:
    greedy, at_random = run("patience.py")
    assert greedy.startswith("greedy: out in ")
    assert float(greedy.split()[-2]) < float(at_random.split()[-2])


def test_picture(tmp_path: Path) -> None:
    assert run("picture.py", tmp_path) == ["wrote best-turn.html"]
    page = (tmp_path / "best-turn.html").read_text(encoding="utf-8")
    assert page.count("<svg ") == page.count("</svg>") == 2
    assert "<li>put k3 in place of the joker in b3 y3 *</li>" in page


@pytest.mark.parametrize("rules", ["rummi-q", "rummy-40"])
def test_my_bot(rules: str) -> None:
    mine = f"cmd:{sys.executable} {EXAMPLES / 'my_bot.py'}"
    rows = run_arena(Tournament(("greedy", mine), PRESETS[rules], 4)).to_json()["bots"]
    assert [(row["games"], row["slips"]) for row in rows] == [(4, 0), (4, 0)]
