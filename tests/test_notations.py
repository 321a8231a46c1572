"""Notations of other programs: what is written is read again, and what is wrong is named as it was written."""

import json
import re
import subprocess
import sys
from collections import Counter
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meldcore import BadPosition, BadRequest, BadRules, BadSet, BadTile, MeldcoreError, Position, Rules, notations
from meldcore.cli import main
from meldcore.dealing import table_tiles
from strategies import joker_positions, positions
from translation import position_of

ALPHABET = "abcdefghiklmnopqrstuvwxyz"

letters = st.permutations(ALPHABET).map(lambda order: "".join(order[:4]))
cased = st.one_of(letters, letters.map(str.upper), st.sampled_from(["Brbo", "bRBy"]))
names = st.builds(lambda word, first: f"1{word}" if first else f"{word}1", cased, st.booleans())
either = st.one_of(positions(), joker_positions())


@given(either, names)
def test_what_is_written_is_read_again(drawn, name):
    position = position_of(drawn)
    assert notations.read(notations.write(position, name), name, position.rules) == position
    lists = notations.to_lists(position, name)
    assert notations.read(json.loads(json.dumps(lists)), name, position.rules) == position
    tiles = notations.write_tiles(position.hand, name)
    assert notations.read_tiles(tiles, name, position.rules) == position.hand
    assert notations.read_tiles(" ".join(tiles), name, position.rules) == position.hand
    assert notations.read_tiles("".join(tiles), name, position.rules) == position.hand


@given(either, names, st.sampled_from([" ", ",", ", ", "\t", ""]), st.booleans())
def test_separators_and_case_do_not_matter(drawn, name, separator, swapped):
    position = position_of(drawn)
    text = notations.write(position, name)
    text = re.sub(r"(?<=\w) (?=\w)", separator, text).replace("; ", ";\n")
    if swapped and (name.islower() or name.isupper()):
        text = re.sub(r"[^|]*", lambda part: part[0] if part[0] == " opening" else part[0].swapcase(), text)
    assert notations.read(text, name, position.rules) == position


@given(either, names)
def test_loose_tables_keep_their_tiles(drawn, name):
    position = position_of(drawn)
    rules = position.rules
    lying = table_tiles(position.table, rules).hand
    text = f"{' '.join(notations.write_tiles(lying, name))} | {' '.join(notations.write_tiles(position.hand, name))}"
    for source, notation in ((text, name), (str(position), "meldcore")):
        read = notations.read(source, notation, rules, loose=True)
        assert Counter(table_tiles(read.table, rules).hand) == Counter(lying)
        assert read.hand == position.hand


def test_the_name_says_what_a_letter_is():
    for order in permutations("krby"):
        text = "b7"
        assert notations.read_tiles(text, "".join(order) + "1") == (f"{'krby'[order.index('b')]}7",)
    assert notations.read_tiles("7b 7B", "1Brbo") == ("b7", "k7")
    assert notations.read_tiles("b7 B7", "brly1") == ("k7", "k7")


def test_this_notation_is_one_of_them():
    position = Position.parse("k3*k5k6 b3y3* | k3 k5 k6 | opening")
    assert notations.read(str(position), "meldcore") == position
    assert notations.write(position, "meldcore") == str(position)
    assert notations.read(notations.to_lists(position, "meldcore"), "meldcore") == position
    assert notations.to_lists(position, "meldcore")["table"] == [["k3", "*", "k5", "k6"], ["b3", "y3", "*"]]
    assert notations.write_tiles(position.hand, "meldcore") == [*position.hand]


def test_shorthands():
    assert notations.read("r5-8; kbo7 | j ro1-2", "krbo1") == Position.parse("r5r6r7r8 k7b7y7 | * r1 r2 y1 y2")
    assert notations.read_tiles("R05 jJ*", "krbo1", Rules(jokers=3)) == ("r5", "*", "*", "*")


def test_groups_are_marked():
    for text in ("=r5 J J | k1", "= r5 J J | k1", "=r5JJ|k1"):
        assert notations.read(text, "krbo1") == Position.parse("=r5** | k1")
    assert notations.read("r5 J J | k1", "krbo1") == Position.parse("r5** | k1")


@pytest.mark.parametrize(
    ("source", "error", "path", "token", "message"),
    [
        ("k1 k2 k3 | x5", BadTile, "$.hand", "x5", "tile 'x5' (hand, character 12): a tile is one of k, r, b, o and a"),
        ("k1 z k3 | r5", BadTile, "$.table[0]", "z", "tile 'z' (table[0], character 4): a tile is"),
        ("k1k2k3; o1o14o2|", BadTile, "$.table[1]", "o1o14o2", "(table[1], character 9): numbers go from 1 to 13"),
        ("k1k2k3; o1 o2|", BadSet, "$.table[1]", "o1 o2", "set 'o1 o2' (table[1], character 9): a set has at least 3"),
        ("o1 o3 o4|", BadSet, "$.table[0]", "o1 o3 o4", "o3 stands where a run has o2"),
        ("k7 |", BadSet, "$.table[0]", "k7", "set 'k7' (table[0], character 1): a set has"),
        ("| k1 k1, K1", BadPosition, "$.hand[2]", "K1", "tile 'K1' (hand[2], character 10): a third copy"),
        ("k3-999 |", BadTile, "$.table[0]", "k3-999", "no number is higher than 15"),
        ("k3-1 |", BadTile, "$.table[0]", "k3-1", "1 is lower than 3"),
        ("k1 k2 k3", BadPosition, "$.position", "k1 k2 k3", "a bar parts the table from the hand"),
        ("| r1 | opned", BadPosition, "$.position", "opned", "the third field is 'opening' or absent"),
        ("| r1 | opening |", BadPosition, "$.position", "| r1 | opening |", "a bar parts"),
        ("| r9999", BadTile, "$.hand", "r9999", "tile 'r9999' (hand, character 3)"),
        ({"table": [["k1", "k2", "k3"], ["r1", "z"]], "hand": []}, BadTile, "$.table[1][1]", "z", "(table[1][1])"),
        ({"table": [["o1", "o3", "o4"]], "hand": []}, BadSet, "$.table[0]", "o1 o3 o4", "has o2"),
        ({"table": [], "hand": ["o9", "o9", "o9"]}, BadPosition, "$.hand[2]", "o9", "tile 'o9' (hand[2])"),
        ({"table": [], "hand": ["o9", ""]}, BadTile, "$.hand[1]", "", "hand[1]"),
        ({"table": [[]], "hand": []}, BadSet, "$.table[0]", "", "at least 3"),
        ({"table": 3, "hand": []}, BadRequest, "$.table", None, "Expected `array`"),
        ({"table": []}, BadRequest, "$", None, "hand"),
        ({"table": [], "hand": [], "pool": []}, BadRequest, "$", None, "pool"),
        (7, BadRequest, "$", "7", "not 7"),
    ],
)
def test_faults_are_named_as_they_were_written(source, error, path, token, message):
    with pytest.raises(error, match=re.escape(message)) as caught:
        notations.read(source, "krbo1")
    assert (type(caught.value), caught.value.path, caught.value.token) == (error, path, token)


def test_faults_of_loose_tables():
    with pytest.raises(BadPosition, match="form no sets"):
        notations.read("k1 k2 | r5", "krbo1", loose=True)
    with pytest.raises(BadPosition, match="third copy") as caught:
        notations.read("k1 o7; o7 o7 | r5", "krbo1", loose=True)
    assert (caught.value.path, caught.value.token) == ("$.table[1]", "o7")


@pytest.mark.parametrize("name", ["", "krby", "1krby1", "kkrb1", "krbj1", "KkrB", "krb1", "krbyo1", "kr1by", None, 1])
def test_names_of_no_notation(name):
    position = Position.parse("| k1")
    for call in (
        lambda: notations.read("| k1", name),
        lambda: notations.read_tiles("k1", name),
        lambda: notations.write(position, name),
        lambda: notations.to_lists(position, name),
        lambda: notations.write_tiles(["k1"], name),
    ):
        with pytest.raises(BadRequest) as caught:
            call()
        assert caught.value.path == "$.notation"


def test_cards_have_no_other_notation():
    with pytest.raises(BadRules):
        notations.read("| k1", "krbo1", "rummy-40")
    cards = Position.parse("| 10H", "rummy-40")
    with pytest.raises(BadRules):
        notations.write(cards, "krbo1")
    assert notations.write(cards, "meldcore") == "| 10H"


@given(st.text(alphabet="krbo1239 jJ*=;|,-\n[]x", max_size=30), st.booleans())
def test_any_text_is_read_or_refused(text, loose):
    try:
        position = notations.read(text, "krbo1", loose=loose)
    except MeldcoreError:
        return
    assert notations.read(notations.write(position, "krbo1"), "krbo1") == position


# ---- the command


def run(capsys, *arguments):
    code = main(["convert", *arguments])
    printed = capsys.readouterr()
    assert code == (2 if printed.err else 0)
    return printed.out + printed.err


def test_convert(capsys):
    assert run(capsys, "--from", "krbo1", "k7 b7 o7; r4 r5 r6 | r7 j") == "r4r5r6 k7b7y7 | r7 *\n"
    assert run(capsys, "--to", "1BRUO", "k3*k5k6 | k3 | opening") == "3B J 5B 6B | 3B | opening\n"
    assert run(capsys, "--from", "1bruo", "--to", "krbo1", "7b 8U J") == "k7 b8 j\n"
    assert run(capsys, "--to", "krbo1", "--json", "k3*k5k6 | k3") == (
        '{"table":[["k3","j","k5","k6"]],"hand":["k3"],"opened":true}\n'
    )
    assert run(capsys, "--to", "krbo1", "--json", "y3 *") == '["o3","j"]\n'
    assert run(capsys, "--from", "krbo1", '["o3","J"]') == "y3 *\n"
    assert run(capsys, "--from", "krbo1", '{"table":[["k1","k2","k3"]],"hand":["j"]}') == "k1k2k3 | *\n"
    assert run(capsys, "--from", "krbo1", "--loose", "k1 k2 k3 k4 | j") == "k1k2k3k4 | *\n"
    house = ["--rules", '{"jokers": 4}']
    assert run(capsys, "--from", "krbo1", *house, "| j j j j") == "| * * * *\n"


def test_convert_lines():
    command = [sys.executable, "-m", "meldcore", "convert", "--from", "krbo1", "-"]
    done = subprocess.run(command, input="| k1 o2\n\nk3 j\n| z9\n", capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "| k1 y2\nk3 *\n")
    assert done.stderr.startswith("meldcore: line 4: tile 'z9' (hand, character 3): a tile is")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--from", "krbo", "| k1"], "'krbo'"),
        (["--to", "krko1", "| k1"], "'krko1'"),
        (["--from", "krbo1", "| y1"], "tile 'y1' (hand, character 3)"),
        (["--from", "krbo1", '{"table": '], "position"),
        (["--from", "krbo1", '["k1", 2]'], "a tile is a string, not 2 (tiles[1])"),
        (["--from", "krbo1", '{"table": [], "hand": ["y1"]}'], "tile 'y1' (hand[0])"),
        (["--rules", "rummy-40", "--to", "krbo1", "| 5S"], "not of cards"),
    ],
)
def test_bad_input(capsys, arguments, named):
    shown = run(capsys, *arguments)
    assert shown.startswith("meldcore: ")
    assert shown.count("\n") == 1
    assert named in shown
