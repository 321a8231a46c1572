"""The `meldcore` command: answers for people, and `meldcore serve` for programs."""

import argparse
import os
import sys
from collections.abc import Callable
from contextlib import ExitStack, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from ._version import __version__
from .errors import BadRequest, BadRules, MeldcoreError

if TYPE_CHECKING:
    from .position import Move, Position
    from .puzzles import Puzzle
    from .turns import CardMove

_DONE, _NO, _BAD_INPUT = 0, 1, 2

_MANY = 10
"""Progress is shown where so many puzzles are made, and not printed on the same terminal."""

_NOTATION = """\
A position is "TABLE | HAND": sets separated by spaces, then tiles. A tile is a colour letter (k black, r red,
b blue, y yellow) and a number, a joker is *; in rummy-40 a card is a rank and a suit, like 10H. "=" before a set
says group: =r5**. A third field, "| opening", says that the player has not opened yet. "-" reads the position
from standard input.
"""

_EXAMPLES = """\
examples:
  meldcore best "k7b7y7 r4r5r6 | r7 k8 b8 y8"
  meldcore best --objective points "r4r5r6 | r7 r8"
  meldcore count --rules easy-rummy "| k10 k11 k12 r3 * | opening"
  meldcore show --move best "k7b7y7 r4r5r6 | r7 k8 b8 y8"
  meldcore moves --limit 5 "r4r5r6 r8r9r10 | r7 b1"
  meldcore puzzle --level hard --seed 7
  meldcore convert --from krbo1 "k7 b7 o7; r4 r5 r6 | r7 j"
  meldcore partitions "r1r2r3r4r5r6 | b6 k6"
  meldcore partitions --rules rummy-40 "QS KS AS * 10H 10D"
  meldcore count --rules '{"preset": "rummi-q", "initial_meld": 0}' "| r1 r2 r3"
  meldcore arena --games 20 --bot greedy --bot random --seed 1
  echo '{"id": 1, "op": "best", "table": "r4r5r6", "hand": "r7"}' | meldcore serve

exit codes: 0 answered, 1 there is no legal turn (or no partition), or a record does not follow, 2 bad input
"""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One line, like any other bad input."""
        self.exit(_BAD_INPUT, f"{self.prog}: {message} (see {self.prog} --help)\n")


def main(arguments: list[str] | None = None) -> int:
    """Run the command with these arguments (default: those of the process). Returns the exit code."""
    options = _parser().parse_args(arguments)
    try:
        return options.run(options)  # type: ignore[no-any-return]
    except MeldcoreError as error:
        print(f"meldcore: {error}", file=sys.stderr)
        return _BAD_INPUT
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # whoever read has seen enough; Python would complain once more when it flushes at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return _DONE
    except (OSError, MemoryError, OverflowError) as error:
        print(f"meldcore: {error or type(error).__name__}", file=sys.stderr)
        return _BAD_INPUT


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="meldcore",
        description="What can be laid? Exact answers for tile rummy.",
        epilog=f"{_NOTATION}\n{_EXAMPLES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"meldcore {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=_Parser)

    def question(
        name: str, help: str, *, paged: bool, about: str = "TABLE | HAND", what: str = "the position"
    ) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=help, description=f"Print {help}.", epilog=_NOTATION)
        command.add_argument("position", metavar=f'"{about}"', help=f"{what}, or - for standard input")
        _add_rules(command)
        if paged:
            command.add_argument(
                "--limit", type=int, default=20, help="list at most so many (default 20, at most 10000)"
            )
            command.add_argument("--offset", type=int, default=0, help="leave out so many at the start")
        if about == "TABLE | HAND":
            command.add_argument("--taken", metavar="CARD", help="in rummy-40, the card taken from the discard pile")
        command.add_argument("--json", action="store_true", help="the result as the protocol gives it")
        command.set_defaults(run=_ask, op=name)
        return command

    question("count", "the number of legal turns", paged=False)
    best = question("best", "the best turn", paged=False)
    best.add_argument(
        "--objective", choices=["tiles", "points"], default="tiles", help="lay the most of (default tiles)"
    )
    question("moves", "the legal turns", paged=True)
    question("plays", "the parts of the hand that can be laid", paged=True)
    question(
        "partitions",
        "the ways to split all these tiles into valid sets",
        paged=True,
        about="TILES",
        what="loose tiles, or a position whose tiles are meant",
    )

    show = commands.add_parser(
        "show",
        help="a picture of a position, or of a move",
        description="Show a position, or a move of it, as tiles here or as a picture in a file.",
        epilog=_NOTATION,
    )
    show.add_argument("position", metavar='"TABLE | HAND"', help="the position, or - for standard input")
    _add_rules(show)
    show.add_argument("--taken", metavar="CARD", help="in rummy-40, the card taken from the discard pile")
    show.add_argument(
        "--move", type=_move, metavar="best|K", help="the best move, or the K-th of meldcore moves, counted from 0"
    )
    show.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="an .svg, or a .png (which needs the extra pictures)"
    )
    _add_look(show)
    show.set_defaults(run=_show)

    puzzle = commands.add_parser(
        "puzzle",
        help="positions with a unique best turn to find",
        description="Make puzzles: positions in which one turn alone lays the most tiles.",
        epilog="Easy: 2 sets change and there is at most 1 near-miss, a part of the hand with one tile fewer than the "
        "solution lays. Medium: 3 sets, 1 or more; hard: 4 or 5, 2 or more; expert: 6 or more, 3 or more.",
    )
    _add_rules(puzzle)
    puzzle.add_argument("--seed", type=int, default=0, metavar="N", help="the same seed, the same puzzle (default 0)")
    puzzle.add_argument(
        "--level", choices=["easy", "medium", "hard", "expert"], default="medium", help="default medium"
    )
    puzzle.add_argument(
        "--count", type=_positive, default=1, metavar="N", help="make so many, of the seeds that follow (default 1)"
    )
    puzzle.add_argument("--format", choices=["text", "json", "svg"], default="text", help="default text")
    puzzle.add_argument("--unsolved", action="store_true", help="leave out the solution")
    puzzle.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        help="default standard output; of pictures NAME.svg, or NAME.png, which needs the extra pictures: to NAME are "
        "added the seed, where there are many, and 'solution'",
    )
    _add_look(puzzle)
    puzzle.set_defaults(run=_puzzle)

    convert = commands.add_parser(
        "convert",
        help="positions and tiles from and to the notations of other programs",
        description="Read a position, or tiles alone, in one notation and print them in another.",
        epilog="A notation is 'meldcore', or the letters of black, red, blue and yellow and a 1 where the number "
        'stands: krbo1 is like "K7 O7 R7; r4 j r6 | b8", 1bruo like "7b 7o 7r | 8u". Sets are parted by semicolons. A '
        "text in braces is JSON: a table, a list of lists of tiles, and a hand, a list of tiles; one in brackets is "
        "such a list.",
    )
    convert.add_argument("text", metavar='"TABLE | HAND"', help="a position, or tiles, or - for lines of these")
    convert.add_argument("--from", dest="source", default="meldcore", metavar="NAME", help="default meldcore")
    convert.add_argument("--to", default="meldcore", metavar="NAME", help="default meldcore")
    _add_rules(convert)
    convert.add_argument(
        "--loose", action="store_true", help="the sets of the table are not known: arrange its tiles somehow"
    )
    convert.add_argument("--json", action="store_true", help="lists of tiles as JSON")
    convert.set_defaults(run=_convert)

    replay = commands.add_parser(
        "replay",
        help="verify the record of a game",
        description="Play the record of a game again, and report the first line that does not follow.",
    )
    replay.add_argument("record", metavar="FILE", help="JSON lines, or - for standard input")
    replay.add_argument("--json", action="store_true", help="the result as JSON")
    replay.set_defaults(run=_replay)

    arena = commands.add_parser(
        "arena",
        help="a tournament of bots",
        description="Let bots play many games, every deal from each seat, and print who is better.",
        epilog="A bot is one of those built in, or 'cmd:' and the command line of a program that answers the op choose "
        "of the protocol on its standard input. A crash, a hang, garbage and an illegal turn cost the bot its penalty.",
    )
    _add_rules(arena)
    arena.add_argument("--bot", action="append", required=True, metavar="BOT", help="who plays; once for each")
    arena.add_argument(
        "--games", type=_positive, default=100, metavar="N", help="default 100; rounded up to whole deals"
    )
    arena.add_argument("--players", type=_positive, default=2, metavar="N", help="seats of a game (default 2)")
    arena.add_argument("--rounds", type=_positive, default=1, metavar="N", help="rounds of a game (default 1)")
    arena.add_argument("--seed", type=int, default=0, metavar="N", help="of all deals (default 0)")
    arena.add_argument(
        "--clock", type=float, default=10.0, metavar="SECONDS", help="what a program has for a turn (default 10)"
    )
    arena.add_argument("--jobs", type=_threads, default=1, metavar="N", help="processes (default 1, at most 64)")
    arena.add_argument("--out", type=Path, metavar="FILE", help="results, a JSON line a game; gone on with if there")
    arena.add_argument("--json", action="store_true", help="the table as JSON")
    arena.set_defaults(run=_arena)

    rules = commands.add_parser(
        "rules", help="the presets", description="Show the presets, or every field of one."
    )
    rules.add_argument("preset", nargs="?", help="the preset whose fields to show")
    rules.add_argument("--json", action="store_true", help="as the protocol gives them")
    rules.set_defaults(run=_show_rules)

    serve = commands.add_parser(
        "serve",
        help="answer JSON requests on standard input",
        description="Answer JSON requests, one a line, until standard input ends.",
    )
    later = argparse.SUPPRESS  # the server has its own defaults
    serve.add_argument(
        "--threads", type=_threads, default=later, metavar="N", help="searches at a time (default 1, at most 64)"
    )
    serve.add_argument(
        "--max-line",
        type=_positive,
        default=later,
        metavar="N",
        help="bytes of a request, at most (default 1 MiB)",
    )
    serve.set_defaults(run=_serve)

    schema = commands.add_parser(
        "schema",
        help="the JSON Schema of all requests",
        description="Print the JSON Schema of the requests that meldcore serve answers.",
    )
    schema.set_defaults(run=_schema)

    bench = commands.add_parser(
        "bench",
        help="one number that stands for every count",
        description="Print the signature of behaviour: the sum of all counts and best moves of fixed positions. "
        "Builds that print different numbers give different answers.",
    )
    bench.set_defaults(run=_bench)
    return parser


def _add_rules(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--rules", default="rummi-q", help="a preset (see meldcore rules) or a JSON object of fields; default rummi-q"
    )


def _add_look(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--theme", choices=["auto", "light", "dark"], default="auto", help="of pictures; default auto, the reader's"
    )
    command.add_argument(
        "--columns", type=int, default=18, metavar="N", help="of pictures: room for so many tiles a row (default 18)"
    )
    command.add_argument("--width", type=int, metavar="PIXELS", help="of pictures (default: as it comes)")


def _move(text: str) -> str | int:
    """The name of the best move, or the number of one."""
    if text == "best":
        return text
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"'best' or a number, not {text!r}")
    return int(text)


def _threads(text: str) -> int:
    number = _positive(text)
    if number > 64:
        raise argparse.ArgumentTypeError(f"at most 64, not {number}")
    return number


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"at least 1, not {number}")
    return number


def _ask(options: argparse.Namespace) -> int:
    """Put one question through the protocol's own op, so that both give the same answer."""
    from . import protocol, rendering
    from .stop import Stop

    text = _text(options.position)
    fields: dict[str, Any] = {"rules": _rules(options.rules)}
    if options.op == "partitions":
        fields["tiles"] = text.replace("|", " ").replace("=", " ")
    else:
        fields["position"] = text
    for name in ("objective", "limit", "offset", "taken"):
        if name in options:
            fields[name] = getattr(options, name)
    result = protocol.OPS[options.op](id=0, **fields).answer(Stop())
    if options.json:
        _print_json(result)
    else:
        show = rendering.printer()
        for line in rendering.LINES[options.op](result):
            show(line)
    found = result["move"] if options.op == "best" else result["count"]
    return _DONE if found else _NO


def _text(argument: str) -> str:
    """The argument, or where it is "-" what standard input has."""
    return sys.stdin.buffer.read().decode(errors="replace").strip() if argument == "-" else argument


def _show(options: argparse.Namespace) -> int:
    from . import rendering
    from .position import Position

    position = Position.parse(_text(options.position), _rules(options.rules), taken=options.taken)
    move = None
    if options.move == "best":
        move = position.best()
        if move is None:
            print("no legal turn")
            return _NO
    elif options.move is not None:
        moves = position.moves()
        if options.move >= moves.total:
            message = f"there is no move {options.move}: there are {moves.total}, counted from 0"
            raise BadRequest(message, path="$.move", token=str(options.move))
        move = moves[options.move]
    if options.output is None:
        lines = rendering.position_lines(position) if move is None else rendering.move_lines(position, move)
        show = rendering.printer()
        for line in lines:
            show(line)
    else:
        _draw(options, options.output, position, move)
    return _DONE


def _draw(
    options: argparse.Namespace, output: Path, position: "Position", move: "Move | CardMove | None" = None
) -> None:
    """Write the picture to a file, as what its name says."""
    from . import svg
    from .drawing import Look

    suffix = output.suffix.lower()
    if suffix not in (".svg", ".png"):
        message = f"a picture is an .svg or a .png, not {output.name!r}"
        raise BadRequest(message, path="$.output", token=output.name)
    look: Look = {"theme": options.theme, "columns": options.columns, "width": options.width}
    picture = svg.position(position, **look) if move is None else svg.move(position, move, **look)
    if suffix == ".svg":
        output.write_bytes(picture.encode())
    else:
        output.write_bytes(svg.png(picture))


def _puzzle(options: argparse.Namespace) -> int:
    from . import puzzles, rendering

    if options.format == "svg" and options.output is None:
        raise BadRequest("a picture needs a file, -o NAME.svg", path="$.output")
    rules = _rules(options.rules)
    seeds = range(options.seed, options.seed + options.count)
    many = options.count >= _MANY and (options.output is not None or not sys.stdout.isatty())
    with ExitStack() as stack:
        report = stack.enter_context(rendering.progress(options.count, "puzzles") if many else nullcontext())
        show: Callable[[str], object] = rendering.printer()
        if options.format != "svg" and options.output is not None:
            show = partial(print, file=stack.enter_context(options.output.open("w", encoding="utf-8")))
        for seed in seeds:
            puzzle = puzzles.make(seed, options.level, rules)
            if options.format == "svg":
                _draw_puzzle(options, puzzle, f"-{seed}" if options.count > 1 else "")
            elif options.format == "json":
                show(_json({"seed": seed} | puzzle.to_json(solved=not options.unsolved)))
            else:
                for line in rendering.puzzle_lines(puzzle, seed, solved=not options.unsolved):
                    show(line)
            if report is not None:
                report(1)
    return _DONE


def _draw_puzzle(options: argparse.Namespace, puzzle: "Puzzle", addition: str) -> None:
    """Write the picture of a puzzle, and that of its solution beside it."""
    output = options.output.with_stem(f"{options.output.stem}{addition}")
    _draw(options, output, puzzle.position)
    if not options.unsolved:
        _draw(options, output.with_stem(f"{output.stem}-solution"), puzzle.position, puzzle.solution)


def _convert(options: argparse.Namespace) -> int:
    if options.text != "-":
        print(_converted(options, options.text))
        return _DONE
    for number, line in enumerate(sys.stdin.buffer, 1):
        text = line.decode(errors="replace").strip()
        if text:
            try:
                print(_converted(options, text))
            except MeldcoreError as error:
                print(f"meldcore: line {number}: {error}", file=sys.stderr)
                return _BAD_INPUT
    return _DONE


def _converted(options: argparse.Namespace, text: str) -> str:
    from . import notations

    rules = _rules(options.rules)
    given: Any = text
    if text.lstrip()[:1] in ("{", "["):
        given = _from_json(text, dict[str, Any] | list[Any], "position", BadRequest)
    if not isinstance(given, dict) and "|" not in given:
        tiles = notations.read_tiles(given, options.source, rules)
        written = notations.write_tiles(tiles, options.to)
        return _json(written) if options.json else " ".join(written)
    position = notations.read(given, options.source, rules, loose=options.loose)
    return _json(notations.to_lists(position, options.to)) if options.json else notations.write(position, options.to)


def _rules(text: str) -> str | dict[str, Any]:
    """A preset's name as it is, or the JSON object that a text with a brace is."""
    if not text.lstrip().startswith("{"):
        return text
    return _from_json(text, dict[str, Any], "rules", BadRules)  # type: ignore[no-any-return]


def _from_json(text: str, kind: Any, name: str, failure: type[MeldcoreError]) -> Any:
    import msgspec

    try:
        return msgspec.json.decode(text, type=kind)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise failure(f"{name} {text[:60]!r}: {error}", path=f"$.{name}", token=text) from None


def _replay(options: argparse.Namespace) -> int:
    from . import rendering
    from .records import replay

    with nullcontext(sys.stdin.buffer) if options.record == "-" else open(options.record, "rb") as lines:
        result = replay(lines).to_json()
    if options.json:
        _print_json(result)
    else:
        for line in rendering.replay_lines(result):
            print(line)
    return _DONE if result["follows"] else _NO


def _arena(options: argparse.Namespace) -> int:
    from . import arena, rendering
    from .rules import Rules

    tournament = arena.Tournament(
        bots=tuple(options.bot),
        rules=Rules.from_json(_rules(options.rules)),
        games=options.games,
        seed=options.seed,
        players=options.players,
        rounds=options.rounds,
        clock=options.clock,
    )
    with rendering.progress(tournament.total) as report:
        standings = arena.run(tournament, options.out, jobs=options.jobs, report=report)
    result = standings.to_json()
    if options.json:
        _print_json(result)
    else:
        for line in rendering.arena_lines(result):
            print(line)
    return _DONE


def _show_rules(options: argparse.Namespace) -> int:
    from . import rendering
    from .rules import PRESETS, Rules

    if options.preset is not None:
        fields = Rules.preset(options.preset).to_json()
        lines = rendering.fields_lines(fields)
        result = fields
    else:
        result = {name: rules.to_json() for name, rules in PRESETS.items()}
        lines = rendering.presets_lines(result)
    if options.json:
        _print_json(result)
    else:
        for line in lines:
            print(line)
    return _DONE


def _json(result: object) -> str:
    import msgspec

    return msgspec.json.encode(result).decode()


def _print_json(result: dict[str, Any]) -> None:
    print(_json(result))


def _serve(options: argparse.Namespace) -> int:
    from .server import serve

    serve(**{name: getattr(options, name) for name in ("threads", "max_line") if name in options})
    return _DONE


def _schema(_: argparse.Namespace) -> int:
    from .protocol import schema

    _print_json(schema())
    return _DONE


def _bench(_: argparse.Namespace) -> int:
    from . import signature

    return signature.main()
