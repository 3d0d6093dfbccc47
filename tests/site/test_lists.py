"""What players, tournaments, games and the manual promise on their pages."""

import html
import re

import pytest

from pbmserv.cli.shell_commands import command_tree
from pbmserv.club.written_text import Heading, Paragraph
from pbmserv.commands.game_page import pictured_rules
from pbmserv.commands.help_files import topic_names
from pbmserv.commands.page_examples import page_title
from pbmserv.computer.openings import chance_after, specs_with_chances
from pbmserv.computer.proof import KeptLink, kept_links
from pbmserv.computer.review import percent
from pbmserv.engine.games import find_game, game_names
from pbmserv.engine.position import Side
from pbmserv.engine.score import Reason
from pbmserv.engine.spec import parse_game
from pbmserv.render.picture import draw
from pbmserv.render.svg import description
from pbmserv.site.game_pages import pictured_steps, rules_steps, sample_board
from pbmserv.site.manual_pages import anchored, readers, title_case
from pbmserv.site.opening_pages import openings_page
from pbmserv.site.people_pages import player_rows
from pbmserv.store.matches.published import FirstMove, PublicPlayer, RatingLine
from tests.databases import ONE_DATABASE
from tests.site.conftest import WISHES, Club
from tests.site.test_sizes import line
from tests.test_named_commands import is_command, named

DISC = re.compile(r'<a class="disc[^"]*" href="../([^"]*)" aria-label="(\w+) against (\w+)"')
EACH = pytest.mark.parametrize("name", game_names())
SENTENCE = re.compile(r"[.!?](?: |$)")


@ONE_DATABASE
def test_the_page_of_finished_boards_links_the_archive_of_games(club: Club) -> None:
    club.build()
    before = club.page("archive/index.html")
    club.wishes = WISHES._replace(archive="https://example.org/games&more/")
    club.build()

    assert "example.org" not in before
    assert 'href="https://example.org/games&amp;more/"' in club.page("archive/index.html")
    assert "example.org" not in club.page("index.html")


@pytest.mark.costly
@ONE_DATABASE
def test_a_result_in_a_cross_table_leads_to_its_board(club: Club) -> None:
    local = club.local
    local.sign_up("carol")
    local.do('tournament create carol secret-carol hex "Both Ways" -size=4 -both')
    for userid in ("alice", "bob", "carol"):
        local.do(f"tournament join 2 {userid} secret-{userid}")
    local.do("tournament start 2 carol secret-carol")
    local.game = "hex"
    for board, moves in ((103, "B2 C3 resign"), (104, "B2 C3 C2 resign"), (105, "B2")):
        local.clock.seconds += 1
        local.play(board, moves)
    club.build()
    page = club.page("tournaments/2.html")
    rows = [row for row in page.split("<tr>") if "disc" in row]
    found = {
        (name, other, path): verdict
        for row in rows
        for name in re.findall(r'players/\d+.html">(\w+)<', row)[:1]
        for path, verdict, other in DISC.findall(row)
    }
    expected = {}
    for board in range(103, 109):
        shown = local.show(board)
        winner = shown["winner"]
        for side, other in (("X", "O"), ("O", "X")):
            verdict = "running" if winner is None else "won" if winner == side else "lost"
            players = shown["players"]
            expected[players[side], players[other], f"boards/hex/{board}.html"] = verdict

    assert expected == found
    assert {path for _, _, path in found} <= club.files().keys()
    assert "2 of 6 boards ended" in page
    running, ended = page.partition("<h2>Finished boards</h2>")[::2]
    assert [105, 106, 107, 108] == squares(running)
    assert [104, 103] == squares(ended)
    assert ended.count('won</b><small>by resignation</small><small><time class="day"') == 2


@pytest.mark.costly
@ONE_DATABASE
def test_the_rounds_of_a_swiss_tournament_are_told_the_newest_first(club: Club) -> None:
    local = club.local
    local.sign_up("carol")
    for number, kind in ((2, "swiss"), (3, "round-robin")):
        local.do(f"tournament create carol secret-carol hex Cup{number} -size=4 -kind={kind}")
        for userid in ("alice", "bob", "carol"):
            local.do(f"tournament join {number} {userid} secret-{userid}")
        local.do(f"tournament start {number} carol secret-carol")
    shown = local.json("tournament show 2")
    (first,) = (board["board"] for board in shown["pools"][0]["boards"] if board["O"])
    local.game = "hex"
    local.play(first, "B2 C3 resign")
    club.build()
    pools = local.json("tournament show 2")["pools"]
    results = {None: "running", 1: "1-0", 0.5: "½-½", 0: "0-1"}
    expected: dict[int, list[tuple[str, ...]]] = {}
    for board in pools[0]["boards"]:
        end = results[board["score"]] if board["O"] else "bye"
        names = filter(None, (board["X"], board["O"]))
        expected.setdefault(board["round"], []).append((*names, end))
    page = club.page("tournaments/2.html")
    found = {
        int(part.partition("<")[0]): [
            tuple(re.findall(r">([^<>\s]+)</(?:a|td)>", row))
            for row in part.partition("</table>")[0].split("<tr>")[2:]
        ]
        for part in page.split("<h2>Round ")[1:]
    }

    assert [2, 1] == list(found)
    assert expected == found
    assert ["running", "bye"] == [end for *_, end in found[2]]
    assert f'<a href="../boards/hex/{first}.html">0-1</a>' in page
    assert page.index('class="cards cross"') < page.index("<h2>Round 2")
    assert "<h2>Round" not in club.page("tournaments/3.html")


def squares(page: str) -> list[int]:
    """Return the numbers of the boards that a page has as small pictures, in their order."""
    return [int(number) for number in re.findall(r'src="[^"]*boards/\w+/(\d+)\.svg"', page)]


@pytest.mark.costly
@ONE_DATABASE
def test_a_player_is_told_by_verdict_first_and_on_the_list_of_all(club: Club) -> None:
    club.local.do("star resign 102 alice secret-alice")
    club.build()
    results = re.findall(
        r"<b>(\w+)</b><small>([^<]*)</small><small><time", club.page("players/1.html")
    )
    listed = club.page("players/index.html")
    shown = [club.local.json(f"{game} show 101") for game in game_names()]
    won = sum(one["players"].get(one["winner"]) == "alice" for one in shown)

    assert ("Lost", "by resignation") in results
    assert len(game_names()) + 1 == len(results)
    assert won == sum(verdict == "Won" for verdict, _ in results)
    assert [1, 1] == [listed.count(f'players/{number}.html"') for number in (1, 2)]


def test_a_player_is_listed_with_the_games_of_their_highest_ratings() -> None:
    userids = ("dave", "Carol", "bob", "Alice")
    names = {n: PublicPlayer(name, True, False, 0, False) for n, name in enumerate(userids, 1)}
    best = {"star": 1500.0, "hex": 1700.0, "y": 1600.0, "polyy": 1400.0}
    ratings = {2: [RatingLine(game, value) for game, value in best.items()]}
    rows = player_rows(names, ratings, {3: 5})
    told = {one.name: best for _, one, best, _ in rows}

    assert list(userids) == list(told)
    assert [("Hex", "1700"), ("Y", "1600"), ("Star", "1500")] == told["Carol"]
    assert [] == told["bob"]
    assert {3: 5} == {number: boards for number, _, _, boards in rows if boards}


@pytest.mark.parametrize(
    ("winner", "how", "verdicts"),
    [
        ("X", "by resignation", ("Won", "Lost")),
        ("O", "after two passes", ("Lost", "Won")),
        ("", "by agreement", ("Draw", "Draw")),
        ("", Reason.DECLINED.words, ("Not played", "Not played")),
        ("", Reason.REMOVED.words, ("Not played", "Not played")),
    ],
)
def test_a_result_is_told_from_the_side_that_the_player_had_at_the_end(
    winner: str, how: str, verdicts: tuple[str, str]
) -> None:
    board = line(7)._replace(x=2, o=1, winner=winner, how=how)

    assert verdicts == (board.verdict(2), board.verdict(1))
    assert board.verdict() == (f"{winner} won" if winner else verdicts[0])


@EACH
def test_the_rules_in_pictures_are_moments_of_a_game_with_the_engines_score(
    name: str, made: Club
) -> None:
    kind = find_game(name)
    if kind.primer is None:
        assert f"{name}-1.svg" not in made.page(f"games/{name}.html")
        return
    game = kind(size=kind.primer.size)  # type: ignore[call-arg]
    page = html.unescape(made.page(f"games/{name}.html"))
    steps = rules_steps.__wrapped__(kind)  # made anew, for they are kept once made
    last = steps[-1].position

    assert [1, 2, 3, 4] == [step.number for step in steps]
    assert game.is_over(last)
    assert kind.primer.moves.split()[:2] == list(pictured_moves(name, 2))
    for step, told in zip(steps, pictured_rules(kind), strict=True):
        counts = step.number > 2
        picture = draw(game, step.position, owners=counts)

        assert step.position.stones == game.replay(pictured_moves(name, told.ply)).stones
        assert description(picture) == step.heard.strip()
        assert f'<img src="{name}-{step.number}.svg" alt="{step.heard}"' in page
        assert made.page(f"games/{name}-{step.number}.svg").startswith("<svg")
        assert step.words in page
        assert len(SENTENCE.findall(step.words)) <= 3
    score = game.score(last)
    if score.feat:
        assert f"{score.winner} {score.feat}." in page
    else:
        for side in Side:
            assert f"{side}: {score.points[side]}" in page
            earned = sum(points for owner, _, points in score.earned if owner is side)
            assert earned == score.points[side]


@EACH
def test_the_page_of_a_game_leads_to_its_strategy_or_else_to_that_of_all(
    name: str, made: Club
) -> None:
    own = f"strategy-{name}"
    topic = own if own in topic_names() else "strategy"
    (found,) = re.findall(r'href="../(manual/strategy[^"]*)"', made.page(f"games/{name}.html"))

    assert f"manual/{topic}.html" == found
    assert title_case(page_title(topic)) in html.unescape(made.page(found))


@EACH
def test_the_page_of_a_game_shows_a_pair_as_it_is_proven(name: str, made: Club) -> None:
    kind = find_game(name)
    rules, steps = rules_steps(kind), pictured_steps.__wrapped__(kind)
    assert rules == steps[: len(rules)]
    if kind.primer is None:
        assert rules == steps
        return
    (pair,) = steps[len(rules) :]
    (link,) = (link for link in kept_links(sample_board(kind), pair.position) if is_pair(link))
    page = html.unescape(made.page(f"games/{name}.html"))
    names = sample_board(kind).board.names
    one, other = (names[cell] for cell in link.cells)

    assert f"stay joined by {one} or {other}." in pair.words
    assert pair.words in page
    assert f'<img src="{name}-{pair.number}.svg" alt="{pair.heard}"' in page
    drawn = made.page(f"games/{name}-{pair.number}.svg")
    assert 2 == drawn.count(">a</text>")


def is_pair(link: KeptLink) -> bool:
    return len(link.cells) == 2 and min(link.ends) >= 0


def pictured_moves(name: str, ply: int) -> list[str]:
    primer = find_game(name).primer
    assert primer is not None
    return primer.moves.split()[:ply]


@EACH
def test_the_page_of_a_game_shows_where_it_is_played(name: str, made: Club) -> None:
    page = made.page(f"games/{name}.html")

    assert {name} == {*re.findall(r"\bboards/(\w+)/", page)}
    assert f"boards/{name}/102.svg" in page
    assert f"boards/{name}/101.html" in page
    assert f"{name} challenge me" in page
    assert "210mm" in made.page(f"games/{name}-blank.svg")
    (paper,) = re.findall("<code>(.* -blank) -pdf=board.pdf</code>", page)
    made.local.do(paper.removesuffix(" -blank"))

    assert f'href="{name}.html"' in made.page("games/index.html")
    assert f'href="../games/{name}.html"' in made.page(f"openings/{name}.html")
    assert f'href="../games/{name}.html"' in made.page(f"manual/{name}.html")


def test_every_page_of_the_manual_is_listed_once_under_its_reader(made: Club) -> None:
    found = readers()
    listed = [topic.name for topics in found.values() for topic in topics]
    sections = made.page("manual/index.html").partition("<footer>")[0].split("<section>")[1:]
    linked = [name for part in sections for name in re.findall('<a href="(.*?).html"', part)]

    assert sorted({*topic_names()} - {"index"}) == sorted(listed)
    assert list(found) == [re.findall("<h2>(.*?)</h2>", part)[0] for part in sections]
    assert ["First steps", "Rules", "Playing well", "At the board"] == list(found)[:4]
    assert "For operators" == list(found)[-1]
    gists = {name: find_game(name).gist for name in game_names()}
    assert all(topic.gives or gists.get(topic.name) == "" for t in found.values() for topic in t)
    assert listed == linked


def test_each_heading_of_the_manual_has_an_anchor_and_many_are_listed(made: Club) -> None:
    scripted = {*re.findall(r'if \(byId\("(\w+)"\)\)', made.page("site.js"))}
    listed = {}
    for name in ("overview", *topic_names()):
        if name == "index":
            continue
        page = made.page(f"manual/{name}.html")
        headings = re.findall('<(h[23])(?: id="(.*?)")?>(.*?)</h[23]>', page)
        anchors = [anchor for _, anchor, _ in headings]
        chapters = [anchor for tag, anchor, _ in headings if tag == "h2"]
        links = re.findall('href="#(.*?)"', page.partition('<div class="manual">')[0])[1:]
        listed[name] = len(links)

        assert {"puzzle", "search"} < scripted
        assert len({*anchors, *scripted, "main"}) == len(anchors) + len(scripted) + 1, name
        assert all(re.fullmatch(r"\w+(-\w+)*", anchor) for anchor in anchors), name
        assert all(f'<a href="#{anchor}">' in inside for _, anchor, inside in headings)
        assert links == (chapters if len(chapters) > 5 else []), name

    assert listed["gateway"] == 8
    assert listed["clocks"] == 0


@pytest.mark.parametrize(
    ("headings", "anchors"),
    [
        (("OPENINGS",), ["openings"]),
        (("STAR", "STAR 2", "*STAR", "Star!"), ["star", "star-2", "star-3", "star-4"]),
        (("SEARCH", "MAIN"), ["search-2", "main-2"]),
        (("A, B: C (D) E F",), ["a-b-c-d-e"]),
    ],
)
def test_an_anchor_is_made_of_the_words_of_its_heading(
    headings: tuple[str, ...], anchors: list[str]
) -> None:
    found = [anchor for _, _, anchor in anchored([*map(Heading, headings), Paragraph("Words.")])]

    assert [*anchors, ""] == found


@pytest.mark.parametrize(
    ("heading", "told"),
    [
        ("CLOCKS, VACATIONS AND PLANS", "Clocks, vacations and plans"),
        ("DOUBLE *STAR", "Double *Star"),
        ("A HINT: hint", "A hint: hint"),
        ("JSON", "JSON"),
        ("How it is played", "How it is played"),
    ],
)
def test_a_heading_in_capitals_is_told_without_them(heading: str, told: str) -> None:
    assert told == title_case(heading)


def test_a_cell_shows_who_won_more_of_the_games_that_began_there(made: Club) -> None:
    ends = (("C3", "X", 4), ("C3", "O", 2), ("B2", "O", 9), ("D4", "O", 1), ("D4", None, 3))
    even = (("A1", "X", 2), ("A1", "O", 2), ("E5", None, 1))
    found = [FirstMove("hex(size=5)", who, False, text, n) for text, who, n in (*ends, *even)]
    found += [FirstMove("hex(size=5)", "X", False, "pass", 9)]
    page = openings_page(made.pages(), "hex", found, 1)
    marks = re.findall(r'<g><title>(\w+)</title><(?:circle|text) class="(\w+)"', page)
    tints = re.findall('class="(o[xo]|ht)" fill-opacity="(.*?)"', page)

    assert {"C3": "gx", "D4": "go", "B2": "go", "A1": "n", "E5": "n"} == dict(marks)
    assert {("oo", "1.00"), ("oo", "0.61"), ("ox", "0.77"), ("ht", "0.61"), ("ht", "0.38")} == {
        *tints
    }


@pytest.mark.parametrize("name", [name for name in game_names() if specs_with_chances(name)])
def test_every_board_of_the_computers_table_is_drawn_with_its_chances(
    name: str, made: Club
) -> None:
    specs = specs_with_chances(name)
    page = made.page(f"openings/table-{name}.html")

    assert sorted(re.findall('<img src="(.*?)[.]svg"', page)) == sorted(specs)
    assert f'href="table-{name}.html"' in made.page(f"openings/{name}.html")
    for spec in specs[:3] + specs[-1:]:
        game = parse_game(spec)
        drawn = re.findall(
            r"<title>([^<]+)</title><text [^>]*>(\d+)<", made.page(f"openings/{spec}.svg")
        )
        chances = {cell: chance_after(game, number) for number, cell in enumerate(game.board.names)}

        assert {cell: percent(chance or 0) for cell, chance in chances.items()} == {
            cell: f"{words} %" for cell, words in drawn
        }
    answers = made.app().test_client()

    assert answers.get(f"/openings/{specs[0]}.svg").status_code == 200
    for other in ("hex(size=27)", "star", "star(size=7,handicap=2)", "x"):
        assert answers.get(f"/openings/{other}.svg").status_code == 404


@EACH
def test_what_a_page_of_the_club_says_can_be_typed(made: Club, name: str) -> None:
    pages = [made.page(f"games/{name}.html"), made.page(f"boards/{name}/102.html")]
    typed = [*named("".join(pages)), *re.findall('data-preview="([^"]*)"', pages[1])]
    mailed = re.findall(r"subject=(\w+)%20", pages[0])

    assert {"challenge", "seek", "play", "preview"} <= {*" ".join(typed).split()}
    assert [] == [line for line in typed if not is_command(line, command_tree())]
    assert {*mailed} <= {name}
