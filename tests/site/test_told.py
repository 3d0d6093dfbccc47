"""What stands on the pages of a small club, kept as files in ``told/``.

With ``PBMSERV_TEST_WRITE=1`` these tests write the files anew: read what has changed.
"""

import html
import os
import re
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest

from pbmserv.cli.shell_commands import SHELL, shell_families
from pbmserv.club.rating import Rating
from pbmserv.club.standing import RatingChange
from pbmserv.commands.command_table import root
from pbmserv.engine.settle import settled
from pbmserv.render.curve import ratings_svg
from pbmserv.site.opening_pages import favourites, openings_page
from pbmserv.site.pages import SiteOptions
from pbmserv.site.people_pages import curves_of
from pbmserv.site.replay import certain_since
from pbmserv.store.matches.published import FirstMove
from tests.databases import copy_template
from tests.local_server import DAY, LocalServer
from tests.render.sample_letters import played
from tests.site.conftest import SMALL, Club

TOLD = Path(__file__).parent / "told"
WRITES = bool(os.environ.get("PBMSERV_TEST_WRITE"))
PAGES = (
    "index.html",
    "feed.atom",
    "archive/index.html",
    "archive/2027-1.html",
    "archive/2027-1.js",
    "boards/star/101.html",
    "boards/star/101.atom",
    "boards/star/102.json",
    "boards/star/101.txt",
    "boards/star/102.html",
    "boards/hex/101.html",
    "boards/hex/103.atom",
    "boards/hex/103.html",
    "boards/hex/103.txt",
    "openings/hex.html",
    "openings/star.html",
    "openings/table-y.html",
    "players/1.html",
    "players/1.atom",
    "players/2.html",
    "players/index.html",
    "games/index.html",
    "games/hex.html",
    "games/star.html",
    "manual/index.html",
    "standings/hex.html",
    "standings/star.html",
    "tournaments/1.html",
    "tournaments/index.html",
)
BLOCKS = {"h1", "h2", "h3", "p", "li", "tr", "dt", "dd", "pre", "figure", "nav", "script"}
LINES_OF_PICTURES = {"polyline", "polygon"}
SHOWN = (
    *("href", "src", "data-preview", "data-try", "data-stones", "data-files", "max", "value"),
    *("points", "aria-label", "fill-opacity", "alt", "data-label"),
)
PREVIEW = re.compile('<meta property="(og:description|og:image)" content="([^"]*)">')


class Reading(HTMLParser):
    """The words of a page and where its links lead, a line for each block; boards by their name."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = ""
        self.is_in_board = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        is_shown = "fill-opacity" in found or tag == "image"
        if self.is_in_board and not is_shown:
            return
        if tag in BLOCKS | LINES_OF_PICTURES:
            self.text += "\n"
        if tag in ("td", "th"):
            self.text += " | "
        told = (f"<{name}={found[name]}>" for name in SHOWN if name in found)
        self.text += "".join(told)
        if tag == "svg" and found.get("class") not in {"curve", "rating"}:
            self.is_in_board = True

    def handle_endtag(self, tag: str) -> None:
        self.is_in_board = self.is_in_board and tag != "svg"

    def handle_data(self, data: str) -> None:
        if not self.is_in_board:
            self.text += data


def read(path: str, page: str) -> str:
    """Return a page as it reads: without marks and empty lines, and one entry of a feed a line."""
    if path.endswith(".atom"):
        return html.unescape(page).replace("<link", "\n<link") + "\n"
    if not path.endswith(".html"):
        return page.replace('],["', '],\n["')
    head, _, body = page.partition("<main")
    preview = [": ".join(found) for found in PREVIEW.findall(head)]
    lines = (re.sub(r"\s+", " ", line).strip() for line in Reading(f"<main{body}").text.split("\n"))
    return "".join(f"{line}\n" for line in (*preview, *lines) if line)


@pytest.fixture(scope="module")
def told(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Club]:
    """A club in which everything is that a page can show."""
    folder = tmp_path_factory.mktemp("told")
    local = LocalServer(copy_template(sqlite_template, folder))
    local.desk.tree = root(SHELL, shell_families())
    local.sign_up("alice", "bob", "carol", "dave")
    local.do("private dave secret-dave on")
    local.do("admin robot add robot4 -level=4")
    for x, o, moves, last in (
        ("alice", "bob", "C1 C2 C3", "pass pass"),
        ("bob", "alice", "C1 swap D1", "resign"),
        ("alice", "carol", "B3 C2", "resign"),
    ):
        board = local.start("-size=3 -rated", x=x, o=o)
        local.play(board, moves)
        local.clock.seconds += DAY
        local.play(board, last)
    local.game = "hex"
    for x, o, moves in (
        ("carol", "bob", "B2 A3"),
        ("dave", "alice", "B2 A3"),
        ("bob", "robot4", ""),
    ):
        board = local.start("-size=4", x=x, o=o)
        local.clock.seconds += DAY
        local.play(board, moves)
    local.do("hex chat 101 carol secret-carol -", "Good luck & <have> fun!")
    local.do("hex resign 102 dave secret-dave")
    local.do("y seek bob secret-bob 1 -size=7 -nagtime=2 -totaltime=90")
    local.do("hex seek dave secret-dave 1")
    local.do('tournament create carol secret-carol star "Winter Cup" -size=3')
    local.do('tournament create alice secret-alice y "Next Cup" -size=5')
    for userid in ("alice", "bob", "carol"):
        local.do(f"tournament join 1 {userid} secret-{userid}")
    local.do("tournament start 1 carol secret-carol")
    local.do("star resign 104 alice secret-alice")
    with local.desk.store.writing() as records:
        found = records.matches.find("star", 102)
        assert found is not None
        looks = [[0.5, "C3", 0.9, ["C3"]], [0.4, "B3", 0.6, ["B3"]]] * found.ply
        document = {"settled_at": None, "looks": looks[: found.ply + 1]}
        records.reviews.keep(found.id, found.revision, document)
    wishes = SiteOptions("1.0", chat=True, url="https://club.example.org/", mail="play@example.org")
    club = Club(local, folder / "pages", wishes)
    club.build()
    yield club
    local.desk.close()


def test_every_page_reads_as_the_kept_one(told: Club) -> None:
    for path in PAGES:
        kept = TOLD / f"{path.replace('/', '-')}.txt"
        found = read(path, told.page(path))
        if WRITES:
            kept.write_text(found, encoding="utf-8")

        assert found == kept.read_text(encoding="utf-8"), path


def began(spec: str, text: str, games: int, winner: str | None = "X") -> FirstMove:
    return FirstMove(spec, winner, text == "C3", text, games)


def test_favourites_are_the_five_moves_made_most_on_the_eight_boards_played_most() -> None:
    moves = [began("hex(size=5)", cell, 3) for cell in ("C3", "A1", "E5", "B2", "D4", "C1")]
    moves += [began("hex(size=5)", cell, games) for cell, games in (("A2", 4), ("A2", 5))]
    boards = [began(f"hex(size={size})", "A1", size) for size in range(6, 15)]
    found = dict(favourites([*moves, *boards]))

    assert found["Hex, size 5"] == "A2 (9), A1 (3), B2 (3), C1 (3), C3 (3)"
    assert {f"Hex, size {size}" for size in (5, *range(8, 15))} == found.keys()


def test_openings_are_told_by_their_ends_on_the_boards_played_most(told: Club) -> None:
    ends = (("X", 4), ("O", 2), (None, 1))
    moves = [began("hex(size=5)", "C3", games, winner) for winner, games in ends]
    moves += [began("hex(size=5)", "B2", 9, "O")]
    many = [began("hex(size=6)", f"{c}{n}", 2) for c in "ABCDEF" for n in range(1, 7)]
    few = [began(f"hex(size={size})", "A1", size) for size in range(7, 15)]
    page = openings_page(told.pages(), "hex", [*moves, *many, *few], 1)
    lines = re.sub("<data-label=[^>]*>", "", read("hex.html", page)).splitlines()
    boards = [line for line in lines if re.fullmatch("Hex, size .*", line)]
    rows = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")]
    largest = [row for row in rows if row[1] == "2"]

    assert [f"Hex, size {size}" for size in (6, 5, *range(14, 8, -1))] == boards
    assert ["B2", "9", "0", "0", "9", "0", "77 %"] in rows
    assert ["C3", "7", "7", "4", "2", "1", "80 %"] in rows
    assert [["A1", *"20200", "30 %"], ["A2", *"20200", "32 %"]] == largest[:2]
    assert len(largest) == 30
    assert len(largest) == 30
    assert sum("<fill-opacity=0.84>" in line for line in lines) == 1


def histories(**ratings: Sequence[float]) -> dict[str, list[RatingChange]]:
    """Return the changes of ratings that were these, each from 1500 on, a game a day by turns."""
    found = {}
    for place, (game, values) in enumerate(ratings.items()):
        found[game] = [
            RatingChange(n, 1, before, Rating(value, last_at=n * DAY + place))
            for n, (before, value) in enumerate(zip((1500.0, *values), values, strict=False))
        ]
    return found


def drawn(**ratings: Sequence[float]) -> dict[str, list[tuple[float, float]]]:
    """Return the dots of each curve of these ratings, by its name."""
    picture = ratings_svg(curves_of(histories(**ratings)))
    return {
        name: [(float(x), float(y)) for x, y in (dot.split(",") for dot in dots.split())]
        for dots, name in re.findall(
            '<polyline points="([^"]*)"/>.*?<text [^>]*>(.*?) \\d+<', picture
        )
    }


def test_the_curves_of_all_games_are_one_picture_with_one_scale() -> None:
    found = drawn(star=[1600, 1700, 1800], hex=[1600], y=[1300])
    starts, ends = ({name: dots[at] for name, dots in found.items()} for at in (0, -1))
    heights = {name: y for name, (_, y) in ends.items()}

    assert ["Star", "Hex", "Y"] == list(found)
    assert heights["Star"] < heights["Hex"] < heights["Y"]
    assert heights["Hex"] == found["Star"][1][1]
    assert len({y for _, y in starts.values()}) == 1
    assert len({x for x, _ in ends.values()}) == 1
    assert starts["Star"] < starts["Hex"] < starts["Y"]


def test_a_rating_holds_until_the_next_game_of_its_kind() -> None:
    games = curves_of(histories(star=[1600, 1700], hex=[1450]))

    assert {
        "Star": [(0, 1500), (1, 1600), (2, 1600), (3, 1700)],
        "Hex": [(1, 1500), (2, 1450)],
    } == {name: [(point.at, point.value) for point in curve] for name, curve in games.items()}


def test_a_clock_that_went_back_leaves_the_games_of_a_kind_in_their_order() -> None:
    changes = histories(star=[1600, 1700], hex=[1450])
    changes["star"][1] = changes["star"][1]._replace(after=Rating(1700, last_at=0))
    ats = {name: [point.at for point in curve] for name, curve in curves_of(changes).items()}

    assert {"Star": [0, 1, 1, 2], "Hex": [2, 3]} == ats


def test_a_game_without_a_rated_board_has_no_curve() -> None:
    one, other = drawn(star=[], hex=[1600]), drawn(star=[1600], hex=[])

    assert (["Hex"], ["Star"]) == (list(one), list(other))
    assert one["Hex"] == other["Star"]


def test_a_scale_has_whole_hundreds_around_what_everybody_begins_with() -> None:
    picture = ratings_svg(curves_of(histories(star=[1723.4], y=[1500, 1510])))
    lines = re.findall(r'<path( class="start")? [^>]*/><text[^>]*>(\d+)<', picture)

    assert ["1400", "1500", "1600", "1700", "1800"] == [value for _, value in lines]
    assert ["1500"] == [value for kind, value in lines if kind]
    assert (
        'aria-label="Y from 1500 to 1510 in 2 games; Star from 1500 to 1723 in 1 game"' in picture
    )


def test_names_of_equal_ratings_stand_apart_and_within_the_picture() -> None:
    for value in (1400, 1500, 1600):
        picture = ratings_svg(curves_of(histories(**{name: [value] for name in SMALL})))
        places = sorted(float(y) for y in re.findall(r'<text x="370" y="(.*?)"', picture))

        assert len(SMALL) == len(places)
        assert all(after - before > 16 for before, after in pairwise(places))
        assert places[0] > 0
        assert places[-1] < 270


def test_a_long_curve_has_few_points_and_ends_with_the_last_game() -> None:
    (long,) = drawn(star=range(1501, 1901)).values()
    (short,) = drawn(star=[1500.0] * 99).values()

    assert (201, 199) == (len(long), len(short))
    assert long[-1][0] == short[-1][0]
    assert long[-1][1] == min(y for _, y in long)


@pytest.mark.parametrize(
    ("spec", "moves"),
    [
        ("star(size=3)", "C1 C2 D1 B3 D2 C3 D3 B4 C4 A3"),
        ("star(size=3)", "C1 C2 D1 B3 D2 C3 D3 B4 C4"),
    ],
)
def test_what_is_settled_was_so_from_its_first_moment_on(spec: str, moves: str) -> None:
    match, _ = played(spec, moves.split())
    bounds = [settled(match.game, position) for position in match.record.positions]
    certain = [ply for ply, found in enumerate(bounds) if found and found.is_certain]

    assert certain_since(match) == certain[0]
    assert 0 < certain[0] <= match.ply
