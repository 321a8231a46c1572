"""Pictures: valid, the same everywhere, with every tile in its place, and readable."""

import random
import re
import subprocess
import sys
from collections import Counter
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meldcore import PRESETS, BadRequest, Draw, Game, IllegalMove, Lay, Position, Rules, svg
from meldcore.cli import main
from meldcore.steps import tiles_in
from playing import new_game, play_round
from strategies import joker_positions, positions
from translation import position_of

SVG = "{http://www.w3.org/2000/svg}"
LATE = Position.parse(
    "b1k1r1 b8b9b10 b11r11y11 b13k13r13 b13k13r13 b2r2* b4b5b6 b4k4y4 k10k11k12 k3k4k5 k5r5y5 k6k7k8 k7k8k9 r10r11r12 "
    "r7r8r9 y7y8y9 | b8 b2 r3 y1 b3 b5 r4 y10 y13 r12 y13 y1 r6 b11 r3 b12 r1",
    "easy-rummy",
)
CARDS = Position.parse("5S*7S 9H9C* | 6S 9S 9D KS KH", "rummy-40")
NOT_TILES = {"slot", "laid", "moved", "out", "laid-sign", "moved-sign", "out-sign"}


def uses(root):
    """What is drawn where: the name of each shared element used, and its place."""
    for use in root.iter(f"{SVG}use"):
        yield use.get("href").removeprefix("#mc-"), int(use.get("x")), int(use.get("y"))


def tiles_drawn(root):
    """Every tile and its place; of the parts of a joker that stands for something, its face."""
    for name, x, y in uses(root):
        if name not in NOT_TILES and not name.startswith(("small-", "asked-")):
            yield "*" if name.startswith("joker") else name, x, y


def examine(picture):
    """The picture as a tree, if it is sound."""
    root = ElementTree.fromstring(picture)
    assert root.get("role") == "img"
    assert root.get("aria-label")
    assert root.find(f"{SVG}title").text
    shared = [element.get("id").removeprefix("mc-") for element in root.find(f"{SVG}defs")]
    assert len(shared) == len(set(shared))
    assert set(shared) == {name for name, _, _ in uses(root)}
    assert not list(root.iter(f"{SVG}text"))  # no font is asked for
    left, top, width, height = map(int, root.get("viewBox").split())
    assert (left, top) == (0, 0)
    places = [(x, y) for _, x, y in tiles_drawn(root)]
    assert all(0 < x <= width - 40 and 0 < y <= height - 56 for x, y in places)
    assert all(abs(x - u) >= 40 or abs(y - v) >= 56 for (x, y), (u, v) in combinations(places, 2))
    return root


def colours_in(picture):
    return set(re.findall(r"#[0-9a-f]{3,6}\b", picture))


@pytest.mark.parametrize("preset", PRESETS)
def test_every_state_of_a_game_has_a_sound_picture(preset):
    chance = random.Random(preset)
    for number, (game, _) in enumerate(play_round(new_game(preset, 3), 7)):
        if number % 20 or game.round_over:
            continue
        position = game.position
        root = examine(svg.position(position, columns=chance.randint(1, 40)))
        lying = [tile for text in position.table for tile in tiles_in(text)]
        assert Counter(tile for tile, _, _ in tiles_drawn(root)) == Counter([*lying, *position.hand])
        assert [group.get("data-set") for group in root.iter(f"{SVG}g") if group.get("data-set")] == [*position.table]
        asked = [name for name, _, _ in uses(root) if name.startswith("asked-")]
        assert asked == ([] if position.opened else [f"asked-{position.rules.initial_meld}"])


@pytest.mark.parametrize("preset", PRESETS)
def test_the_tiles_of_a_move_are_marked(preset):
    for number, (game, _) in enumerate(play_round(new_game(preset, 5), 8)):
        move = None if number % 10 or game.round_over else game.position.best()
        if move is None:
            continue
        names = Counter(name for name, _, _ in uses(examine(svg.move(game.position, move))))
        assert names["laid"] == len(move.played)
        assert names["out"] == hasattr(move, "discard")
        assert names["moved"] <= sum(len(tiles_in(text)) for text in game.position.table)
        if move.unchanged == len(game.position.table):
            assert names["moved"] == 0


@given(positions() | joker_positions(), st.integers(1, 30))
def test_positions_of_every_edition(drawn, columns):
    position = position_of(drawn)
    examine(svg.position(position, columns=columns))
    move = position.best()
    if move is not None:
        names = Counter(name for name, _, _ in uses(examine(svg.move(position, move, columns=columns))))
        assert names["laid"] == len(move.played)


@given(st.lists(st.sampled_from(range(106)), unique=True), st.integers(1, 60))
def test_hands_of_any_size_fit(places, columns):
    every_tile = [colour + str(number) for colour in "krby" for number in range(1, 14)] * 2 + ["*", "*"]
    tiles = [every_tile[place] for place in places]
    root = examine(svg.hand(tiles, columns=columns))
    assert Counter(tile for tile, _, _ in tiles_drawn(root)) == Counter(tiles)


def test_a_joker_shows_what_it_stands_for():
    def small(text, **edition):
        names = [name for name, _, _ in uses(examine(svg.table(text, Rules(**edition))))]
        return [name.removeprefix("small-") for name in names if name.startswith("small-")]

    assert small("k3*k5k6") == ["4", "k"]
    assert small("*r12r13") == ["11", "r"]
    assert small("b3y3*") == ["k", "r"]
    assert small("=r5**") == ["k", "b", "y"] * 2
    assert small("r5**") == ["6", "r", "7", "r"]
    assert small("b3y3* b3y3*") == ["k", "r"] * 2
    assert small("k3r3b3*") == ["3", "y"]
    cards = [name for name, _, _ in uses(examine(svg.table("10S*QS", "rummy-40")))]
    assert [name for name in cards if name.startswith("small-")] == ["small-J", "small-S"]


def test_what_is_seen_is_said():
    root = examine(svg.position(Position.parse("k3*k5 b3y3* | r10 r11 y1 | opening")))
    assert root.find(f"{SVG}title").text == "table k3*k5 b3y3*, hand before the initial meld r10 r11 y1"
    assert root.get("aria-label") == (
        "table: black 3 joker 5; blue 3 yellow 3 joker. hand before the initial meld: red 10; red 11; yellow 1"
    )
    move = Position.parse("5S6S7S | 8S KH", "rummy-40").best()
    root = examine(svg.move(Position.parse("5S6S7S | 8S KH", "rummy-40"), move))
    assert root.get("aria-label") == "laid: spades 8. table: spades 5 6 7 8. hand: empty. discarded: hearts K"


def test_empty_table_and_hand():
    for picture in (svg.table(""), svg.hand(""), svg.position(Position())):
        assert "slot" in {name for name, _, _ in uses(examine(picture))}


def test_a_taken_card_is_framed():
    position = Position.parse("5S6S7S | 8S 2H", "rummy-40", taken="8S")
    assert [name for name, _, _ in uses(examine(svg.position(position)))].count("moved") == 1


def test_the_same_text_in_every_process():
    code = f"from meldcore import *; from meldcore import svg; p = {LATE!r}; print(svg.move(p, p.best()), end='')"
    pictures = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout.decode()
        for seed in ("1", "2")
    }
    assert pictures == {svg.move(LATE, LATE.best())}


def test_pictures_of_one_page_share_what_they_share():
    shared = {}
    for preset in PRESETS:
        game = Game.new(preset, seed=2)
        for picture in (svg.position(game.position), svg.position(LATE, theme="dark"), svg.move(CARDS, CARDS.best())):
            for element in ElementTree.fromstring(picture).find(f"{SVG}defs"):
                text = ElementTree.tostring(element)
                assert shared.setdefault(element.get("id"), text) == text
            theme = ElementTree.fromstring(picture).get("class")
            rules = re.findall(r"\.[^{}]*(?=\{)", re.search("<style>(.*)</style>", picture)[1])
            assert all(re.fullmatch(rf"\.{theme} \.mc-[a-z]+", rule) for rule in rules)


def test_the_picture_in_the_readme_is_the_one_drawn_now():
    root = Path(__file__).parent.parent
    text = (root / "README.md").read_text(encoding="utf-8")
    first = re.search(r'Position\.parse\(\n\.\.\. +"([^"]+)",\n\.\.\. +rules="([^"]+)"', text)
    position = Position.parse(first[1], first[2])
    assert (root / "docs" / "move.svg").read_text() == svg.move(position, position.best())


def test_large_tables_stay_small_files():
    assert len(svg.position(LATE)) < 300 * (len(LATE.hand) + 3 * len(LATE.table)) + 8000


# ---- themes


def luminance(colour):
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    light, dark = sorted([luminance(one), luminance(other)], reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_inks_stand_out(theme):
    """WCAG 2: large text needs a contrast of 3 to its ground."""
    tiles = svg.position(Position.parse("k1r1b1y1 | r5 * | opening"), theme=theme)
    move = svg.move(LATE, LATE.best(), theme=theme)
    cards = svg.move(CARDS, CARDS.best(), theme=theme)
    styles = [dict(re.findall(r"\.mc-([a-z]+)\{(?:fill|color):(#[0-9a-f]+)", each)) for each in (tiles, move, cards)]
    for ink in ("k", "r", "b", "y", "joker"):
        assert contrast(styles[0][ink], styles[0]["tile"]) >= 3
    for ink in ("k", "r", "joker"):
        assert contrast(styles[2][ink], styles[2]["card"]) >= 3
    for mark in ("laid", "moved"):
        assert contrast(styles[1][mark], styles[1]["table"]) >= 3
        assert contrast(styles[1][mark], styles[1]["on"]) >= 3
    assert contrast(styles[2]["out"], styles[2]["rack"]) >= 3
    assert contrast(styles[0]["asked"], styles[0]["rack"]) >= 3


def test_auto_has_both_themes():
    auto, light, dark = (svg.position(LATE, theme=theme) for theme in ("auto", "light", "dark"))
    assert "@media (prefers-color-scheme:dark)" in auto
    assert colours_in(auto) == colours_in(light) | colours_in(dark)
    assert "@media" not in light + dark


@pytest.mark.parametrize(
    ("look", "named"),
    [
        ({"theme": "drak"}, "'dark'"),
        ({"theme": None}, "None"),
        ({"columns": 0}, "columns goes from 1"),
        ({"columns": "9"}, "'9'"),
        ({"width": 0}, "width goes from 1"),
    ],
)
def test_looks_that_there_are_none_of(look, named):
    with pytest.raises(BadRequest, match=re.escape(named)) as caught:
        svg.position(LATE, **look)
    assert caught.value.path == f"$.{next(iter(look))}"


def test_width_keeps_the_proportions():
    root = examine(svg.position(LATE, width=300))
    _, _, width, height = map(int, root.get("viewBox").split())
    assert root.get("width") == "300"
    assert abs(int(root.get("height")) - 300 * height / width) <= 0.5


# ---- PNG


def size_of(png):
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    return int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")


def test_png():
    picture = svg.position(CARDS)
    root = ElementTree.fromstring(picture)
    assert size_of(svg.png(picture)) == (int(root.get("width")), int(root.get("height")))
    assert size_of(svg.png(picture, 1000))[0] == 1000
    assert svg.png(picture) == svg.png(svg.position(CARDS, theme="light")) != svg.png(svg.position(CARDS, theme="dark"))
    with pytest.raises(BadRequest, match="width"):
        svg.png(picture, -1)
    with pytest.raises(BadRequest, match="'<svg>' is no picture"):
        svg.png("<svg>")
    with pytest.raises(BadRequest, match=r"20000 x \d+ pixels is too large"):
        svg.png(svg.position(LATE, columns=1), 20000)


def test_png_without_resvg():
    code = "import sys; sys.modules['resvg_py'] = None; from meldcore.cli import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", code, "show", "| k1", "-o", "x.png"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "meldcore: a PNG is drawn by resvg-py: pip install 'meldcore[pictures]'\n"


# ---- notebooks


def test_notebooks_show_pictures():
    assert LATE._repr_svg_() == svg.position(LATE)
    move = LATE.best()
    assert move._repr_svg_() == svg.move(LATE, move)
    made = eval(repr(move), {"Move": type(move)})
    assert made._repr_svg_() is None  # it does not know its position
    game = Game.new("rummi-q", seed=8)
    assert game._repr_svg_() == svg.position(game.position)
    assert game.view(1)._repr_svg_() == svg.position(game.view(1).position)
    cards, _ = Game.new("rummy-40", seed=8).act(Draw())
    assert cards._repr_svg_() == svg.position(cards.position)


def test_a_game_that_is_over_has_a_picture():
    game = Game.new("easy-rummy", seed=3)
    while not game.over:
        move = game.position.best()
        game, _ = game.act(Lay(move) if move else game.otherwise)
    examine(game._repr_svg_())


def test_a_move_of_another_position_is_refused():
    with pytest.raises(IllegalMove):
        svg.move(Position.parse("| k1 k2 k3"), LATE.best())


def test_the_import_stays_light():
    heavy = "import sys, meldcore; print([n for n in ('meldcore.svg', 'xml', 'resvg_py') if n in sys.modules])"
    assert subprocess.run([sys.executable, "-c", heavy], capture_output=True, text=True).stdout == "[]\n"


# ---- the command


def test_show_writes_pictures(tmp_path, capsys):
    for options, expected in (
        ([], svg.position(LATE)),
        (["--move", "best"], svg.move(LATE, LATE.best())),
        (["--move", "7", "--theme", "dark"], svg.move(LATE, LATE.moves()[7], theme="dark")),
        (["--columns", "9", "--width", "200"], svg.position(LATE, columns=9, width=200)),
    ):
        for name, content in (("x.svg", expected.encode()), ("x.png", svg.png(expected))):
            assert main(["show", str(LATE), "--rules", "easy-rummy", *options, "-o", str(tmp_path / name)]) == 0
            assert (tmp_path / name).read_bytes() == content
    assert capsys.readouterr() == ("", "")
