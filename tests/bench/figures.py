"""The figures of the manual and of DECISIONS, made anew: which are off by more than a third.

Run it as `python -m tests.bench.figures [--full] [WORD ...]`; with words only the figures whose
page or sentence has one of them, with --full those at a terminal, too, which take long. Times on
the pages are those of a machine on which bare Python takes 12 ms, so what is measured is multiplied
by 12 and divided by what bare Python takes here and now. Last come by name the paragraphs whose
figures nobody can make anew: experiments, and matches against programs that are gone.
"""

import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import product
from pathlib import Path
from random import Random
from statistics import fmean, median
from typing import NamedTuple

from pbmserv.computer.game_arrays import arrays_of
from pbmserv.computer.links import ALL, Links, fastest
from pbmserv.engine.game import Game
from pbmserv.engine.position import Position, Side
from pbmserv.engine.spec import parse_game
from pbmserv.mail.compose import MailIdentity, compose
from pbmserv.mail.keyring import Keyring
from pbmserv.render.blocks import BoardPicture, board_text
from pbmserv.render.board_letters import board_letters
from pbmserv.render.picture import draw
from pbmserv.render.png import pdf_sheet
from pbmserv.render.poster import poster
from pbmserv.render.svg import svg_picture
from pbmserv.store.mail.outbox import OutboxItem
from tests import databases
from tests.bench import batch, board, engine, mail, scale
from tests.mail.server_by_mail import ClubByMail
from tests.render.sample_letters import ALICE, BOB, TO_ALICE, TO_BOB, new_match

ROOT = Path(__file__).parents[2]
DECISIONS = "pbmserv/DECISIONS.md"
BARE_MS = 12.0
ROUNDS = 9
OFF = 1 / 3
PROGRAM = str(Path(sys.executable).with_name("pbmserv"))


class Figure(NamedTuple):
    """A figure: its page, the words around it with the figure as the one group, how it is made.

    ``is_ms`` if it is a time, as on a machine where bare Python takes 12 ms.
    """

    page: str
    words: str
    measure: Callable[[], float]
    is_ms: bool = True
    is_long: bool = False

    @property
    def told(self) -> float:
        """What the page says."""
        [found] = re.findall(self.words.replace(" ", r"\s+"), text_of(self.page))
        return float(found.replace(",", ""))


@lru_cache(maxsize=32)
def text_of(page: str) -> str:
    """Return a page of the project."""
    return (ROOT / page).read_text(encoding="utf-8")


def ms_of(work: Callable[[], object], times: int = 1) -> float:
    """Return the milliseconds of the processor that this takes here."""

    def once() -> float:
        start = time.process_time()
        for _ in range(times):
            work()
        return 1000 * (time.process_time() - start) / times

    work()
    return median(once() for _ in range(ROUNDS))


def ms_of_process(*words: str) -> float:
    """Return what a program takes, after the first time."""

    def once() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(words, stdout=subprocess.DEVNULL, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)

    once()
    return median(once() for _ in range(ROUNDS))


def bare_ms() -> float:
    """Return what bare Python takes now."""
    return ms_of_process(sys.executable, "-c", "pass")


def imported(module: str) -> float:
    """Return what an import takes in a process of its own."""
    return ms_of_process(sys.executable, "-c", f"import {module}") - bare_ms()


def times_bare(*words: str) -> float:
    """Return what a command costs, as a ratio to bare Python."""
    return ms_of_process(PROGRAM, *words) / bare_ms()


def letters_in_bare(spec: str) -> float:
    """Return the same as a ratio to bare Python."""
    before, found = bare_ms(), letters_of_a_move(spec)
    return 2 * found / (before + bare_ms())


@lru_cache(maxsize=32)
def letters_of_a_move(spec: str) -> float:
    """Return what the two letters of a move take, pictures and all, on average over a game."""
    game = parse_game(spec)
    with tempfile.TemporaryDirectory() as folder:
        url = str(Path(folder) / "bench.sqlite")
        databases.create(url)
        office = ClubByMail(url)
        office.join("alice", "bob")
        with office.desk.store.writing() as records:
            match = records.matches.add(game, ALICE, BOB, 0)
        letters = board_letters(match, (), (TO_ALICE, TO_BOB))
        taken = []
        for count in range(ROUNDS + 1):
            now = moment(game, 0.6 * count / ROUNDS)
            taken.append(2 * mail.sent(office, [mail.at_position(each, now) for each in letters]))
        office.close()
    return fmean(taken[1:])  # the first has drawn the empty board


def kilobytes_of_letter(spec: str) -> float:
    """Return how large the letter is to whoever is to move, halfway through a game."""
    game = parse_game(spec)
    letters = board_letters(new_match(spec), (), (TO_ALICE, TO_BOB))
    with tempfile.TemporaryDirectory() as folder:
        identity = MailIdentity("pbmserv@example.org", Keyring(Path(folder) / "k").signing_keys(0))
        posted = (
            OutboxItem(1, mail.at_position(each, moment(game, 0.5)), 0, 0, 0) for each in letters
        )
        return max(len(compose(each, identity).content) for each in posted) / 1000


def moment(game: Game, share: float) -> Position:
    """Return a position in which so large a share of the cells has stones, of each side half."""
    cells = Random(share).sample(range(len(game.board)), round(share * len(game.board)))
    stones = bytearray(len(game.board))
    for number, cell in enumerate(cells):
        stones[cell] = 1 + number % 2
    return Position(bytes(stones), ply=9, last=tuple(cells[-1:]))


def look(spec: str) -> float:
    """Return what it takes to look for the links of both sides, on average over a game."""
    game = parse_game(spec)
    arrays = arrays_of(game)
    if arrays is None:
        raise SystemExit(f"no links are known in {spec}")
    found, shares = fastest(Links)(arrays), [number / 20 for number in range(12)]
    moments = [moment(game, share) for share in shares]

    def both() -> None:
        for position, side in product(moments, Side):
            found.look(found.read(position.stones), side.stone, ALL)

    return ms_of(both) / len(moments)


@lru_cache(maxsize=1)
def largest_game() -> engine.Figures:
    """Return the paces of the engine on *Star with ten rings."""
    return engine.measure("starstar(size=10)", 0.5)


@lru_cache(maxsize=1)
def a_batch() -> tuple[float, ...]:
    """Return the milliseconds of a move in a batch, of its writes alone, and its statements."""
    with tempfile.TemporaryDirectory() as folder:
        return batch.measured(
            1_000, lambda stack: str(Path(stack.enter_context(batch.folder(folder))) / "p")
        )


@lru_cache(maxsize=1)
def a_club_by_mail() -> dict[str, float]:
    """Return the figures of `tests.bench.scale`, times and paces as the page has them."""
    before, found = bare_ms(), scale.measured()
    slower = (before + bare_ms()) / (2 * BARE_MS)
    factors = {"ms": 1 / slower, "/s": slower}
    return {name: figure * factors.get(name[-2:], 1) for name, figure in found.items()}


def on_the_page(words: str, name: str) -> Figure:
    """Return a figure of the page `scale`."""
    return Figure(
        "help/scale.txt", words, lambda: a_club_by_mail()[name], is_ms=False, is_long=True
    )


def at_the_board(words: Sequence[str], what: str) -> float:
    """Return what a key costs, an idle second, or the first screen."""
    with tempfile.TemporaryDirectory() as folder:
        if what == "key":
            return 1000 * board.keys([*words], folder, 100, thinking=False)[0]
        if what == "idle":
            return 1000 * board.idle([*words], folder, 10.0)
        return 1000 * board.first_screen([*words], folder) / bare_ms()


def password_check() -> float:
    """Return what it takes to find that a password is right."""
    from pbmserv.desk.passwords import Passwords

    return ms_of(lambda: Passwords().verify("correct-horse", None))


def of_star_6(work: Callable[..., object]) -> float:
    """Return what this takes of Star with six rings, in microseconds."""
    game = parse_game("star(size=6)")
    picture = BoardPicture(game, moment(game, 0.5))
    return 1000 * ms_of(lambda: work(picture), 500)


def an_svg() -> float:
    """Return what the SVG of Star with six rings takes."""
    game = parse_game("star(size=6)")
    position = moment(game, 0.5)
    return ms_of(lambda: svg_picture(draw(game, position)), 10)


def kilobytes_of_poster() -> float:
    """Return how large the poster of Star with six rings is as a PDF file, halfway through."""
    game = parse_game("star(size=6)")
    sheet = poster(BoardPicture(game, moment(game, 0.5)), is_flat=True)
    return len(pdf_sheet(sheet, game.title)) / 1000


LARGE = ("play", "starstar", "-size=10", "-two")
HELP, PREVIEW = ("help", "move"), ("star", "preview", "new", "F6")
decided = partial(Figure, DECISIONS)
FIGURES = (
    decided(r"Importing sqlite3 costs ([\d.]+) ms", partial(imported, "sqlite3")),
    decided(r"ms, click (\d+),", partial(imported, "click")),
    decided(r"click 4, Rich (\d+),", partial(imported, "rich.console")),
    decided(r"argon2 6, psycopg (\d+),", partial(imported, "psycopg")),
    decided(r"SQLAlchemy Core (\d+),", partial(imported, "sqlalchemy")),
    decided(r"its ORM (\d+), Alembic", partial(imported, "sqlalchemy.orm")),
    decided(r"its ORM 28, Alembic (\d+)", partial(imported, "alembic.command")),
    decided(r"page of help costs ([\d.]+) times", partial(times_bare, *HELP), is_ms=False),
    decided(r"and a preview ([\d.]+):", partial(times_bare, *PREVIEW), is_ms=False),
    decided(r"a move costs ([\d.]+) ms of processor time and 7", lambda: a_batch()[0]),
    decided(r"processor time and (\d+) statements on", lambda: a_batch()[3], is_ms=False),
    decided(r"on PostgreSQL: ([\d.]+) and", lambda: a_batch()[0] / a_batch()[1], is_ms=False),
    decided(r"A check takes (\d+) ms", password_check),
    decided(
        r"scores a whole game of 275 moves in ([\d.]+) ms",
        lambda: 1000 * largest_game().replay.engine,
    ),
    decided(r"rings it takes (\d+) microseconds", partial(of_star_6, board_text)),
    decided(r"of Star with six rings is (\d+) kB of lines", kilobytes_of_poster, is_ms=False),
    decided(r"An SVG takes (\d) to 2 ms", an_svg),
    decided(
        r"A letter of Star with six rings is (\d+) kB",
        partial(kilobytes_of_letter, "star(size=6)"),
        is_ms=False,
    ),
    decided(r"kB, with ten (\d+),", partial(kilobytes_of_letter, "star(size=10)"), is_ms=False),
    decided(
        r"of \*Star with ten (\d+):", partial(kilobytes_of_letter, "starstar(size=10)"), is_ms=False
    ),
    decided(r"together in ([\d.]+) ms on Hex 7", partial(look, "hex(size=7)")),
    decided(r"ms on Hex 7, ([\d.]+) on Hex 9", partial(look, "hex(size=9)")),
    decided(r"on Hex 9, ([\d.]+) on Hex 11 and 0.4", partial(look, "hex(size=11)")),
    decided(r"on Hex 11 and ([\d.]+) on Y 11", partial(look, "y(size=11)")),
    decided(
        r"first screen stands after (\d+) to",
        lambda: at_the_board(["play"], "screen"),
        is_ms=False,
        is_long=True,
    ),
    decided(r"with ten rings costs ([\d.]+) to", lambda: at_the_board(LARGE, "key"), is_long=True),
    decided(r"an idle second (\d) to 3", lambda: at_the_board(LARGE, "idle"), is_long=True),
    decided(
        r"of a bare Python, ([\d.]+) on Star 6,",
        partial(letters_in_bare, "star(size=6)"),
        is_ms=False,
    ),
    decided(r"([\d.]+) on Star 10, 5", partial(letters_in_bare, "star(size=10)"), is_ms=False),
    decided(r"([\d.]+) on \*Star 6, 5", partial(letters_in_bare, "starstar(size=6)"), is_ms=False),
    decided(
        r"([\d.]+) on \*Star 10, 3", partial(letters_in_bare, "starstar(size=10)"), is_ms=False
    ),
    decided(r"([\d.]+) on Hex 11, 4", partial(letters_in_bare, "hex(size=11)"), is_ms=False),
    decided(r"([\d.]+) on Y 17,", partial(letters_in_bare, "y"), is_ms=False),
    decided(r"([\d.]+) on Poly-Y 7 and", partial(letters_in_bare, "polyy"), is_ms=False),
    decided(r"and ([\d.]+) on Starweb 10,", partial(letters_in_bare, "starweb"), is_ms=False),
    Figure(
        "help/scale.txt",
        r"a letter that is sent +([\d.]+)",
        lambda: letters_of_a_move("star(size=6)") / 2,
    ),
    on_the_page(r"a mail with a move +([\d.]+)", "mail ms"),
    on_the_page(r"a mail with a move +[\d.]+ +([\d.]+)", "mail database ms"),
    on_the_page(r"a letter that is sent +[\d.]+ +([\d.]+)", "letter database ms"),
    on_the_page(r"accepted (\d+) mails a second on one connection", "mails/s"),
    on_the_page(r"One process sends (\d+) letters a second", "letters/s"),
    on_the_page(r"answered (\d+) board views a second", "1 views/s"),
    on_the_page(r"and (\d+) for sixteen", "16 views/s"),
    on_the_page(r"it writes ([\d.]+) kB to PostgreSQL's log", "log kB"),
    on_the_page(r"commits +463 x (\d+)", "commits"),
    on_the_page(r"it takes (\d+) bytes permanently", "move bytes"),
    on_the_page(r"permanently and (\d+) in the audit", "audit bytes"),
    on_the_page(r"for some weeks (\d+) in the inbox", "inbox bytes"),
    on_the_page(r"in the inbox and ([\d,]+) in the outbox", "outbox bytes"),
    on_the_page(r"Without its moves a game takes ([\d,]+) bytes", "game bytes"),
)
"""What one run makes anew."""

OTHER_BENCHES = {
    "A server that stays, and workers that stay.": "resident",
    "Lists along an index.": "growth",
    "Guests are answered in the thread that asks.": "web --guests",
    "Pages are views, alive or as files.": "site",
    "Our own reading of mails.": "mail, and python -m tests.bench.side_by_side lmtp",
}
"""Paragraphs whose figures another bench prints with an aim or in a table of its own."""

RECORDS = {
    "The table is learned from unequal levels, and grows with strength.": "tables before this one",
    "`BEGIN IMMEDIATE` behind two lock files.": "ways that were tried before this one",
    "The journal of SQLite is chosen once.": "counted once, by strace",
    "One daemon, whose settings say what it does.": "lines of a way that was not taken",
    "Arrow keys follow links within 75 degrees": "counted once, over all boards",
    "A film is an SVG with a delay for each turn.": "the size of one film",
    "A token in somebody's words is known by its form, not by our address": "counted once",
    "Programs are entry points.": "the share of one import",
    "Games from outside are named by a setting": "a way that was not taken",
    "Our own Glicko-2.": "the paper's example, which a test holds",
    "What a win needs is remembered.": "matches against programs that are gone",
    "Moves of which little is expected wait.": "a share of time in a program that is gone",
    "Playouts reply to the last stone in Hex and Y alone.": "matches of ways not taken",
    "Links that share no cell bound every score.": "matches against programs that are gone",
    "A tree for each move.": "matches against programs that are gone",
    "Threads search trees of their own": "matches against programs that are gone",
    "A level is so many simulations on every board": "no figure of a measurement",
    "Low levels draw their moves": "matches against levels that are gone",
}
"""Paragraphs whose figures are records, and of what."""


def paragraphs() -> Iterator[tuple[str, str]]:
    """Yield the heading of each paragraph of DECISIONS that has one, and its text."""
    for block in text_of(DECISIONS).split("\n\n"):
        if found := re.match(r"\*\*(.+?),?\*\*", block, re.DOTALL):
            yield " ".join(found[1].split()), block


def main() -> None:
    """Print each figure as it is told and as it is now, then what cannot be made anew."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--full", action="store_true", help="also what takes long")
    parser.add_argument("words", nargs="*", help="only figures whose page or sentence has one")
    chosen = parser.parse_args()
    # Compiled modules are kept by every installation; without them imports cost many times as much.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    count = off = 0
    for figure in FIGURES:
        name = f"{figure.page} {figure.words}"
        if chosen.words and not any(word in name for word in chosen.words):
            continue
        if figure.is_long and not chosen.full:
            print(f"{'left out':9}{figure.page}: {figure.words}")
            continue
        told, before, found = figure.told, bare_ms(), figure.measure()
        now = found * (2 * BARE_MS / (before + bare_ms()) if figure.is_ms else 1)
        is_off = not told / (1 + OFF) <= now <= told * (1 + OFF)
        count, off = count + 1, off + is_off
        print(
            f"{'OFF' if is_off else 'holds':9}{told:9.2f}{now:9.2f}  {figure.page}: {figure.words}",
            flush=True,
        )
    print(f"{off} of {count} figures are off by more than a third.")
    if not chosen.words:
        for name, bench in OTHER_BENCHES.items():
            print(f"python -m tests.bench.{bench}: {name}")
        for name, why in RECORDS.items():
            print(f"record ({why}): {name}")


if __name__ == "__main__":
    main()
