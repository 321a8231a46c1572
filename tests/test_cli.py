"""The command: what it prints for people and for pipes, and its exit codes."""

import json
import os
import pty
import re
import subprocess
import sys
from typing import Any

import pytest

from meldcore import __version__
from meldcore.cli import main
from meldcore.rules import PRESETS

EASY = ["--rules", "easy-rummy"]


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    """The exit code and what was printed; nothing may go to stderr."""
    code = main(list(arguments))
    printed = capsys.readouterr()
    assert printed.err == ""
    return code, printed.out


def refuse(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What the command says about bad input: one line, exit code 2."""
    try:
        code = main(list(arguments))
    except SystemExit as end:
        code = end.code  # type: ignore[assignment]
    printed = capsys.readouterr()
    assert code == 2
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert printed.err.startswith("meldcore")
    return printed.err


def test_count(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "count", "r4r5r6 | r7 r8 k1", *EASY) == (0, "2\n")
    assert run(capsys, "count", "r4r5r6 | k1", *EASY) == (1, "0\n")


def test_best(capsys: pytest.CaptureFixture[str]) -> None:
    code, text = run(capsys, "best", "r4r5r6 k7b7y7 | r7", *EASY)
    assert code == 0
    assert text.splitlines() == [
        "lay    r7",
        "table  r4r5r6 k7r7b7y7",
        "       1 tile, 7 points, 1 set unchanged, goes out",
    ] or text.splitlines() == [
        "lay    r7",
        "table  r4r5r6r7 k7b7y7",
        "       1 tile, 7 points, 1 set unchanged, goes out",
    ]
    assert run(capsys, "best", "r4r5r6 | k1", *EASY) == (1, "no legal turn\n")


def test_best_by_points(capsys: pytest.CaptureFixture[str]) -> None:
    position = "r1b1y1 r12b12y12 | k1 k2 k3 k4 k12 k13 y13 r13 b13"
    for objective in ("tiles", "points"):
        code, text = run(capsys, "best", position, *EASY, "--objective", objective, "--json")
        assert code == 0
        assert json.loads(text)["move"]["points"] == json.loads(text)["points"]


def test_moves(capsys: pytest.CaptureFixture[str]) -> None:
    code, text = run(capsys, "moves", "r4r5r6 | r7 r8 k1", *EASY)
    assert code == 0
    first, *moves = text.splitlines()
    assert first == "2 legal turns"
    assert sorted(moves) == ["r7 -> r4r5r6r7", "r7 r8 -> r4r5r6r7r8"]
    assert run(capsys, "moves", "r4r5r6 | k1", *EASY) == (1, "0 legal turns\n")


def test_limit_and_offset(capsys: pytest.CaptureFixture[str]) -> None:
    _, whole = run(capsys, "moves", "r4r5r6 | r7 r8 r9 r10", *EASY)
    _, page = run(capsys, "moves", "r4r5r6 | r7 r8 r9 r10", *EASY, "--limit", "2", "--offset", "1")
    assert page.splitlines() == [*whole.splitlines()[:1], *whole.splitlines()[2:4], "..."]


def test_plays(capsys: pytest.CaptureFixture[str]) -> None:
    code, text = run(capsys, "plays", "r4r5r6 | r7 k1", *EASY)
    assert (code, text) == (0, "1 play\nr7  (7 points, 1 arrangement)\n")


def test_partitions(capsys: pytest.CaptureFixture[str]) -> None:
    for tiles in ("r1 r2 r3 r4 r5 r6", "r1r2r3r4 | r5r6", "r1r2r3r4r5r6"):
        code, text = run(capsys, "partitions", tiles)
        assert code == 0
        assert text.splitlines()[0] == "2 partitions"
        assert sorted(text.splitlines()[1:]) == ["r1r2r3 r4r5r6", "r1r2r3r4r5r6"]
    assert run(capsys, "partitions", "=r5**")[1].splitlines()[0] == "4 partitions"
    assert run(capsys, "partitions", "r1 r2") == (1, "0 partitions\n")


def test_json_is_what_the_protocol_answers(capsys: pytest.CaptureFixture[str]) -> None:
    position = "r4r5r6 | r7 r8 k1"
    for op in ("count", "best", "moves", "plays"):
        code, text = run(capsys, op, position, *EASY, "--json")
        assert code == 0
        request = {"id": 1, "op": op, "position": position, "rules": "easy-rummy"}
        assert json.loads(text) == serve(request)["result"]


def serve(request: dict[str, Any]) -> Any:
    command = [sys.executable, "-m", "meldcore", "serve"]
    return json.loads(
        subprocess.run(command, input=json.dumps(request).encode(), capture_output=True, check=True).stdout
    )


def test_rules_as_an_object(capsys: pytest.CaptureFixture[str]) -> None:
    position = "| r1 r2 r3 | opening"
    assert run(capsys, "count", position)[0] == 1
    assert run(capsys, "count", position, "--rules", '{"preset": "rummi-q", "initial_meld": 0}') == (0, "1\n")


def test_position_from_standard_input() -> None:
    command = [sys.executable, "-m", "meldcore", "count", "-", *EASY]
    done = subprocess.run(command, input=b"r4r5r6 | r7 r8 k1\n", capture_output=True, check=True)
    assert done.stdout == b"2\n"
    done = subprocess.run(command, input=b"r4r5r6 | \xff\n", capture_output=True, check=False)
    assert done.returncode == 2
    assert done.stderr.count(b"\n") == 1


def test_rules(capsys: pytest.CaptureFixture[str]) -> None:
    code, text = run(capsys, "rules")
    assert code == 0
    assert [line.split()[0] for line in text.splitlines()[1:]] == list(PRESETS)
    _, text = run(capsys, "rules", "rummi-q")
    assert dict(line.split(maxsplit=1) for line in text.splitlines())["retrieved_joker_use"] == '"new_set"'
    _, text = run(capsys, "rules", "--json")
    assert json.loads(text)["tiles-50"]["initial_meld"] == 50


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ([], "COMMAND"),
        (["cuont", "| r1"], "cuont"),
        (["count"], "TABLE | HAND"),
        (["count", "r4r5"], "r4r5"),
        (["count", "r4r5 | r1"], "'r4r5'"),
        (["count", "| r1 q2"], "'q2'"),
        (["count", "| r1 r1 r1"], "third copy"),
        (["count", "| r1", "--rules", "rumi-q"], "'rummi-q'"),
        (["count", "| r1", "--rules", '{"initial_meld": '], "initial_meld"),
        (["moves", "| r1", "--limit", "10001"], "10000"),
        (["moves", "| r1", "--limit", "-1"], "-1"),
        (["moves", "| r1", "--limit", "x"], "'x'"),
        (["best", "| r1", "--objective", "most"], "most"),
        (["rules", "rumi-q"], "'rummi-q'"),
        (["show", "| r1 r2", "--move", "0"], "no move 0"),
        (["show", "| r1", "--move", "worst"], "'worst'"),
        (["show", "| r1", "-o", "x.gif"], "'x.gif'"),
        (["show", "| r1", "-o", "x.svg", "--columns", "0"], "columns goes from 1"),
        (["show", "| r1", "-o", "no/such/folder/x.svg"], "no/such/folder"),
        (["serve", "--threads", "0"], "at least 1"),
    ],
)
def test_bad_input(capsys: pytest.CaptureFixture[str], arguments: list[str], named: str) -> None:
    assert named in refuse(capsys, *arguments)


def test_cards(capsys: pytest.CaptureFixture[str]) -> None:
    cards = ["--rules", "rummy-40"]
    assert run(capsys, "partitions", "10H JH QH 5S 5C *", *cards) == (0, "1 partition\n10HJHQH 5S5C*\n")
    position = "5S*7S 9H9C* | 6S 9S 9D KS KH"
    assert run(capsys, "best", position, *cards) == (
        0,
        "lay    9S KS KH 9D\ntable  5S*7S 9S9H9C9D KSKH*\ndiscard 6S\n"
        "       4 cards, 38 points, 1 set unchanged, 1 joker rescued, goes out\n",
    )
    assert run(capsys, "moves", "5S6S7S | 8S 2H", *cards) == (
        0,
        "3 legal turns\nnothing -> 5S6S7S, discard 8S\n8S -> 5S6S7S8S, discard 2H\nnothing -> 5S6S7S, discard 2H\n",
    )
    assert run(capsys, "count", "5S6S7S | 8S 2H", *cards, "--taken", "2H") == (1, "0\n")
    assert "'5H', is not in the hand" in refuse(capsys, "best", "| 5S 6S 7S", *cards, "--taken", "5H")
    assert "only the card game" in refuse(capsys, "best", "| r5", "--taken", "r5")


def test_show(capsys: pytest.CaptureFixture[str]) -> None:
    position = "k3*k5k6 b3y3* k8r8b8y8 | k3 k5 k6"
    assert run(capsys, "show", position) == (
        0,
        "table  k3*k5k6 k8r8b8y8 b3y3*\nhand   k3 k5 k6\n       a joker of k3*k5k6 stands for k4\n"
        "       a joker of b3y3* stands for k3 or r3, freed by k3\n",
    )
    assert run(capsys, "show", position, "--move", "1") == (
        0,
        "lay    k3 k5 k6\ntable  k3*k5k6 k5k6* k3b3y3 k8r8b8y8\nhand\n"
        "    1. put k3 in place of the joker in b3 y3 *\n    2. lay k5 k6 *\n",
    )
    assert run(capsys, "show", "| k1 k2 | opening") == (
        0,
        "table\nhand   k1 k2\n       not opened yet: the initial meld is 30 points\n",
    )
    assert run(capsys, "show", "| k1", "--move", "best") == (1, "no legal turn\n")
    cards = ["--rules", "rummy-40"]
    assert run(capsys, "show", "5S6S7S | 8S 2H", *cards, "--taken", "8S", "--move", "best") == (
        0,
        "lay    8S\ntable  5S6S7S8S\nhand\ndiscard  2H\n",
    )
    assert "8S was taken" in run(capsys, "show", "5S6S7S | 8S 2H", *cards, "--taken", "8S")[1]


@pytest.mark.parametrize(
    "command", [[], ["count"], ["best"], ["moves"], ["show"], ["serve"], ["rules"], ["bench"]]
)
def test_help(capsys: pytest.CaptureFixture[str], command: list[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main([*command, "--help"])
    assert end.value.code == 0
    assert "usage: meldcore" in capsys.readouterr().out


def test_the_examples_in_help_run(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    lines = capsys.readouterr().out.splitlines()
    examples = [line.strip() for line in lines if line.startswith("  meldcore ")]
    assert len(examples) >= 5
    for example in examples:
        command = example.replace("meldcore", f"{sys.executable} -m meldcore", 1)
        done = subprocess.run(command, shell=True, capture_output=True, check=False)
        assert done.returncode == 0, (example, done.stderr)


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"meldcore {__version__}\n"


BEST = ["best", "r4r5r6 k7b7y7 | r7 *", *EASY]


def on_a_terminal(*arguments: str, **environment: str) -> str:
    """What `meldcore` writes to a terminal."""
    parent, child = pty.openpty()
    command = [sys.executable, "-m", "meldcore", *arguments]
    variables = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    variables |= {"TERM": "xterm-256color", "COLUMNS": "40", **environment}
    process = subprocess.Popen(command, stdout=child, env=variables)
    os.close(child)
    text = b""
    try:
        while chunk := os.read(parent, 4096):
            text += chunk
    except OSError:
        pass  # Linux reports the end of a terminal as an error
    os.close(parent)
    assert process.wait(30) == 0
    return text.decode()


def test_colour_on_a_terminal_only() -> None:
    pytest.importorskip("rich")
    assert "\x1b[" in on_a_terminal(*BEST)
    assert "\x1b[" not in on_a_terminal(*BEST, NO_COLOR="1")
    assert "\x1b[" not in on_a_terminal(*BEST, TERM="dumb")


def test_tiles_on_a_terminal_are_cells_that_end_with_a_set() -> None:
    shown = on_a_terminal("show", "r4r5r6 k7b7y7 k1k2k3k4 | r7 *", *EASY)
    lines = [re.sub(r"\x1b\[[\d;]*m", "", line).rstrip() for line in shown.splitlines()]
    assert lines == [
        "table   k1  k2  k3  k4   r4  r5  r6",
        "        k7  b7  y7",
        "hand    r7   *",
    ]


def test_suits_are_symbols_where_there_is_colour() -> None:
    pytest.importorskip("rich")
    cards = ["partitions", "10H JH QH 5S 5C *", "--rules", "rummy-40"]
    shown = on_a_terminal(*cards, PYTHONUTF8="1")
    assert "10♥" in shown
    assert "5♠" in shown
    for environment in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        shown = on_a_terminal(*cards, PYTHONUTF8="1", **environment)
        assert "10HJHQH 5S5C*" in shown
    assert "10H" in on_a_terminal(*cards, PYTHONIOENCODING="ascii")


def test_a_reader_that_has_seen_enough_is_no_fault() -> None:
    hand = "r1 r2 r3 r4 r5 r6 r7 r8 r9 b1 b2 b3 b4 b5 b6 b7 b8 b9 k1 k2 k3 k4 k5 k6 k7 k8 k9"
    command = f"{sys.executable} -m meldcore moves '| {hand}' --rules easy-rummy --limit 10000 | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, check=True)
    assert done.stdout.endswith(b" legal turns\n")
    assert done.stderr == b""


def test_schema(capsys: pytest.CaptureFixture[str]) -> None:
    code, text = run(capsys, "schema")
    assert code == 0
    assert json.loads(text)["$defs"]["Count"]["required"] == ["op", "id"]
