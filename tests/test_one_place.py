"""What is declared in one place is found wherever it shows: each test adds one there."""

import re
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from .installed_program import own_environment

ROOT = Path(__file__).parent.parent

RUN = """
import shlex, sys
from pbmserv.cli.completion import completions
from pbmserv.cli.main import run
for line in sys.argv[1:]:
    *before, last = shlex.split(line)
    if before[:1] == ["TAB"]:
        print(*(item.value for item in completions(before[1:], last)), flush=True)
    else:
        run([*before, last])
        sys.stdout.flush()
"""
"""Lines, of which one that begins with TAB asks what its last word may become."""


class Copy:
    """A copy of the program, to which something is added."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / "pbmserv", folder / "pbmserv", ignore=ignored)
        shutil.copytree(ROOT / "help", folder / "help")
        for name in ("migrations", "tests", "pyproject.toml"):
            (folder / name).symlink_to(ROOT / name)

    def add(self, file: str, after: str, row: str) -> None:
        """Write a row behind a line of a file."""
        path = self.folder / "pbmserv" / file
        before, found, rest = path.read_text(encoding="utf-8").partition(f"{after}\n")
        assert found, f"{file} has no line {after!r}"
        path.write_text(f"{before}{found}{row}\n{rest}", encoding="utf-8")

    def python(self, *words: str) -> str:
        """Return what a program printed on both streams."""
        done = subprocess.run(
            [sys.executable, *words],
            cwd=self.folder,
            env=own_environment(
                PYTHONPATH=str(self.folder),
                PBMSERV_DATABASE_URL=str(self.folder / "games.sqlite"),
                HOME=str(self.folder),
            ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=True,
        )
        return done.stdout

    def says(self, session: dict[str, str]) -> None:
        """Run lines; each prints, behind what the one before printed, what stands beside it."""
        printed = " ".join(self.python("-c", RUN, *session).split())
        for line, expected in session.items():
            before, found, printed = printed.partition(expected)
            assert found == expected, f"{line}: {before}"


@pytest.fixture
def copy(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    return Copy(tmp_path_factory.mktemp("copy"))


@pytest.mark.slow
def test_a_selector_is_one_row(copy: Copy) -> None:
    copy.add(
        "club/selectors.py",
        '        Selector("all"),',
        '        Selector("rated", has={"is_rated": True}),',
    )

    copy.says(
        {
            "signup alice correct-horse": "Welcome, alice",
            "signup bob battery-staple": "Welcome, bob",
            "signup rated battery-staple": "That word is reserved",
            "star challenge -size=5 -unrated alice bob": "New Star Board 101",
            "star challenge -size=5 alice bob": "New Star Board 102",
            "star games alice all": "time left 101 0",
            "star games alice rated": "time left 102 0",
            "TAB star games alice ra": "rated",
            "star games alice rated --json": '"noswap":false},"board":102',
            "star show alice rated": "Star Board 102",
            "star showas alice correct-horse rated": "Star Board 102",
            "star games rated all": "at most one of all, rated, active,",
            "help star games": "[USERID]... [all|rated|active|",
            "help star show": "USERID... [all|rated|active|",
        }
    )


@pytest.mark.slow
def test_a_setting_is_one_row_with_what_reads_it(copy: Copy) -> None:
    row = '    Setting("tea_minutes", "how long tea draws", "5", whole(1, 9, "minutes")),'
    copy.add("settings.py", "SETTINGS = (", row)
    (copy.folder / ".config" / "pbmserv").mkdir(parents=True)
    file = copy.folder / ".config" / "pbmserv" / "pbmserv.toml"

    copy.says({"doctor": "tea_minutes 5 (default)"})
    file.write_text("tea_minutes = 4\n")
    copy.says({"doctor": f"tea_minutes 4 ({file})"})
    file.write_text('tea_minutes = "long"\n')
    copy.says({"doctor": "The setting tea_minutes is not a number of minutes. It is a whole"})


@pytest.mark.slow
def test_a_way_out_for_letters_is_one_row(copy: Copy) -> None:
    row = '    "heap": Way("heap:", lambda _: MaildirTransport(Path("heap").absolute())),'
    copy.add("mail/transports.py", "WAYS = {", row)
    (copy.folder / ".config" / "pbmserv").mkdir(parents=True)
    file = copy.folder / ".config" / "pbmserv" / "pbmserv.toml"
    file.write_text('mail_address = "pbmserv@example.org"\nmail_out = "heap:"\n')

    copy.says(
        {
            "signup alice correct-horse alice@example.org": "Welcome, alice",
            "signup bob battery-staple": "Welcome, bob",
            "star challenge -size=5 bob alice": "New Star Board 101",
            "doctor": "mail transport heap",
            "mail send": "Sent: 1. Failed: 0.",
        }
    )
    assert len([*(copy.folder / "heap" / "new").iterdir()]) == 1
    file.write_text('mail_address = "pbmserv@example.org"\nmail_out = "heep:"\n')
    copy.says({"mail send": "The setting mail_transport cannot be read. It is heap:, smtp://USER"})


WORD_FORMAT = """
from pbmserv.engine.game_format import GameFormat, ReadGame
from pbmserv.engine.record_text import format_record, parse_records

FORMAT = GameFormat(
    "word",
    lambda text: text.startswith("word: "),
    lambda text: [ReadGame(one) for one in parse_records(text.removeprefix("word: "))],
    lambda record: f"word: {format_record(record)}",
)
"""


@pytest.mark.slow
def test_a_format_of_records_is_one_file(copy: Copy) -> None:
    formats = copy.folder / "pbmserv" / "engine" / "formats"
    (formats / "word.py").write_text(WORD_FORMAT, encoding="utf-8")
    record = "pbmserv record 2\ngame: hex(size=3)\nfirst: a\nsecond: b\nresult: running\n\n1. C2\n"
    (copy.folder / "game.wrd").write_text(f"word: {record}", encoding="utf-8")
    copy.says(
        {
            "signup alice correct-horse": "Welcome, alice",
            "signup bob battery-staple": "Welcome, bob",
            "hex challenge -size=3 alice bob": "New Hex Board 101",
            "hex move 101 alice correct-horse B2": "alice plays B2",
            "hex export 101 -format=word": "word: pbmserv record 2 game: hex(size=3)",
            "TAB hex export 101 -format=w": "word",
            "help export": "|word",
            "hex export 101 -format=pgn": "or word)",
            "hex preview game.wrd B2": "1. X C2 2. O B2",
        }
    )


@pytest.mark.slow
def test_a_kind_of_tournament_is_one_row_and_a_word_of_the_database(copy: Copy) -> None:
    copy.add(
        "club/tournament.py",
        '    TournamentKind("swiss", swiss_round, default_rounds, 50),',
        "    TournamentKind(\n"
        '        "final", lambda two, *_, **__: [Encounter(1, *(m.player_id for m in two))],'
        " lambda _: 1, 3),",
    )
    copy.says(
        {
            "signup olga correct-horse": "Welcome, olga",
            "signup alice correct-horse": "Welcome, alice",
            "signup bob battery-staple": "Welcome, bob",
            "tournament create olga correct-horse hex Cup -kind=finale": "round-robin or swiss or",
            "TAB tournament create -kind=f": "final",
            "help tournament create": "-kind=round-robin|swiss|final",
            "tournament create olga correct-horse hex Cup -kind=f -rounds=4": "with -kind=final",
        }
    )
    # What a migration does for a club that has a database.
    with closing(sqlite3.connect(copy.folder / "games.sqlite")) as database, database:
        database.execute("PRAGMA writable_schema = ON")
        words = "'swiss')", "'swiss', 'final')"
        database.execute("UPDATE sqlite_master SET sql = replace(sql, ?, ?)", words)
    copy.says(
        {
            "tournament create olga correct-horse hex Cup -kind=final -size=5": "is open",
            "tournament join Cup alice correct-horse": "alice takes part",
            "tournament join Cup bob battery-staple": "bob takes part",
            "tournament start Cup olga correct-horse": "started with 1 board.",
            "hex resign 101 bob battery-staple": "bob declines the game.",
            "tournament show Cup": "Tournament 1: Cup (finished)",
            "tournament list": "final",
        }
    )


MENU = """
from pbmserv.board.menu import setup_menu
print(*(row.values for row in setup_menu("computer", "ascii").rows if row.text == "Level"))
"""


@pytest.mark.slow
def test_a_level_is_one_row(copy: Copy) -> None:
    copy.add(
        "computer/level_list.py",
        '    Level(14, "master", 200_000, proof_depth=1, solves=True),',
        '    Level(15, "guessing", 9),',
    )

    copy.says(
        {
            "star hint new -size=3 -level=16": "Invalid value for -level: 16 (1 to 15, or a rating",
            "star hint new -size=3 -level=15 --json": '"level":15',
            "TAB star hint new -level=": "-level=14 -level=15",
            "TAB play -level=15": "-level=15",
            "help hint": "-level=1..15",
            "help gtp": "-level=1..15",
            "db upgrade": "Created",
            "admin robot add guesser -level=15": "level 15",
            "admin robot list --json": '"level":15',
        }
    )
    assert "name='guessing'" in copy.python("-c", MENU)
    assert "play.txt" in copy.python("-m", "tests.generators.manual")
    for name, words in PAGES.items():
        assert words in " ".join((copy.folder / "help" / f"{name}.txt").read_text().split())


PAGES = {
    "play": "14 master, 15 guessing.",
    "computer": "15 guessing 3,700 9 simulations You can",
    "robots": "-level=1..15 ",
    "commands": "-level=1..15",
}
"""What pages say of a level more."""


PALETTE = """
from pbmserv.board.canvas import Tone, palette
print(palette("full")[Tone.O])
"""
LETTER = """
from pbmserv.render import letter_board, letter_html
print("#123abc" in letter_board.STYLE, "#fedcba" in letter_html.DARK_STYLE)
"""

LOCALISED = """
from unittest.mock import Mock, patch
from pbmserv.cli.printing import with_local_times
from pbmserv.engine.moments import Moment, TimedText
with patch("sys.stdout", Mock(isatty=lambda: True)):
    found = with_local_times(TimedText("Until ", Moment(0), "."))
print(found)
"""


@pytest.mark.slow
def test_how_a_moment_is_written_is_one_row(copy: Copy) -> None:
    copy.add("engine/moments.py", 'MOMENT = f"{DATE} %H:%M"', 'MOMENT = "noon of the day"')

    copy.says(
        {
            "signup alice correct-horse": "Welcome, alice",
            "signup bob battery-staple": "Welcome, bob",
            "star challenge -size=5 alice bob": "New Star Board 101",
            "star show 101": "alice must move by noon of the day UTC:",
            "vacation alice correct-horse 5": "until noon of the day UTC",
            "star move 101 alice correct-horse C3": "on vacation until noon of the day UTC",
            "admin audit": "noon of the day:",
            "doctor": "noon of the day:",
        }
    )
    assert "Until noon of the day" in copy.python("-c", LOCALISED)


@pytest.mark.slow
def test_a_colour_is_one_row(copy: Copy) -> None:
    path = copy.folder / "pbmserv" / "render" / "colours.py"
    text = path.read_text(encoding="utf-8")
    for old, new in (("LIGHT.x", "#123abc"), ("DARK.o", "#abc123"), ("DARK_PAPER.link", "#fedcba")):
        look, name = old.split(".")
        row = rf'(?ms)(^{look} = \w+\(.*?\b{name}=")#\w+'
        text = re.sub(row, rf"\g<1>{new}", text)
    path.write_text(text, encoding="utf-8")
    play = ("signup alice correct-horse", "signup bob battery-staple", "star challenge alice bob")
    copy.python("-c", RUN, *play, "star move 101 alice correct-horse F6", "site folder")
    copy.python("-c", RUN, "star preview new F6 -svg=board.svg")
    page = (copy.folder / "folder" / "site.css").read_text(encoding="utf-8")
    picture = (copy.folder / "board.svg").read_text(encoding="utf-8")
    terminal = copy.python("-c", PALETTE)

    assert [colour for colour in ("#123abc", "#abc123", "#fedcba") if colour not in page] == []
    assert "#123abc" in picture
    assert "#abc123" in picture
    assert "#abc123" in terminal
    assert copy.python("-c", LETTER) == "True True\n"


def test_colours_stand_in_one_file() -> None:
    told = re.compile(r"[ \":]#[0-9a-fA-F]{6}\b|:#[0-9a-fA-F]{3}\b")
    files = [
        *(ROOT / "pbmserv").rglob("*.py"),
        *(ROOT / "pbmserv" / "site" / "templates").iterdir(),
    ]
    others = [path for path in files if path.is_file() and path.name != "colours.py"]

    found = {str(p.relative_to(ROOT)): told.findall(p.read_text(encoding="utf-8")) for p in others}
    assert {} == {path: colours for path, colours in found.items() if colours}


@pytest.mark.costly
def test_lengths_and_forms_of_time_stand_in_one_file() -> None:
    others = [path for path in (ROOT / "pbmserv").rglob("*.py") if path.name != "moments.py"]
    told = re.compile(r"%[YHM]\b|%-?[dHMSY][-:]|\b86_?400\b|\b24 \* (?:3_?600|60)\b|\b3_?600\b")

    found = {str(p.relative_to(ROOT)): told.findall(p.read_text(encoding="utf-8")) for p in others}
    assert {} == {path: forms for path, forms in found.items() if forms}


@pytest.mark.slow
def test_the_width_of_pages_and_answers_is_one_row(copy: Copy) -> None:
    copy.add("club/written_text.py", "WIDTH = 78", "WIDTH = 50")

    copy.python("-m", "tests.generators.manual")
    page = (copy.folder / "help" / "play.txt").read_text(encoding="utf-8")
    lines = ("help challenge", "hex hint new -size=5 -level=1", "hex preview new -size=5 A1")
    printed = copy.python("-c", RUN, *lines)

    assert "3 novice, 4\nlearner" in page
    assert "challenge USERID1 " in printed
    assert "Best: " in printed
    assert "Change of score" in printed
    assert [] == [line for line in printed.splitlines() if len(line) > 50]


PART = """
import sqlalchemy as sa
from pbmserv.store.connection import Repository
from pbmserv.store.tables import player

class Crowd(Repository):
    def size(self) -> int:
        return self._connection.execute(sa.select(sa.func.count()).select_from(player)).scalar_one()
"""
ASK = """
import sys
from pbmserv.store.store import PARTS, Store
store = Store.open(sys.argv[1])
is_early = "pbmserv.store.crowd" in sys.modules
with store.reading() as records:
    print(is_early, records.crowd.size(), records.crowd is records.crowd, PARTS["crowd"].module)
store.close()
"""


@pytest.mark.slow
def test_a_part_of_the_store_is_one_line_beside_its_file(copy: Copy) -> None:
    (copy.folder / "pbmserv" / "store" / "crowd.py").write_text(PART, encoding="utf-8")
    copy.add(
        "store/store.py",
        '    outbox: Outbox = lazy("mail.outbox")',
        '    crowd: Crowd = lazy("crowd")',
    )

    copy.says({"signup alice correct-horse": "Welcome, alice"})
    asked = copy.python("-c", ASK, str(copy.folder / "games.sqlite"))
    assert asked == "False 1 True pbmserv.store.crowd\n"
