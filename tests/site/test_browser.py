"""The pages in a real browser: replay, trying moves, search, and nothing a page may not do."""

import re
import shutil
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pbmserv.club.puzzles import Puzzle, puzzle_of_day, puzzles
from pbmserv.engine.moments import parse_moment, utc
from pbmserv.render.geometry import geometry_of
from pbmserv.render.svg import svg_ground
from pbmserv.site.replay import ground_path
from tests import browser
from tests.databases import copy_template
from tests.local_server import DAY, NOW, LocalServer
from tests.render.sample_letters import played as played_match
from tests.site.conftest import HOSTILE_NAME, MOVES, SMALL, WISHES, Club, settle_in

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

pytestmark = pytest.mark.slow

LISTS = (
    *("index", "boards/index", "archive/index", "archive/2027-1", "players/index", "players/1"),
    *("standings/star", "openings/polyy", "games/index", "games/polyy", "games/star"),
    *("tournaments/index", "manual/index", "manual/play", "manual/star", "puzzle/1"),
)

LARGE_AND_SMALL = (
    *("hex(size=4)", "hex(size=14)", "star(size=4)", "star(size=10)", "starstar(size=4)"),
    *("starstar(size=10)", "starweb(size=10)", "polyy(sides=9,size=10)", "y(size=26)"),
)
SCREENS = ((380, 560), (380, 800), (860, 1000), (1280, 560), (1280, 800), (1920, 1080))

LABELS = """() => [...document.querySelectorAll("svg.b")].flatMap(board => {
    const scale = board.getScreenCTM().a, texts = [...board.querySelectorAll(".lb text")];
    return texts.map(text => {
        const box = text.getBoundingClientRect();
        const size = parseFloat(getComputedStyle(text).fontSize) * scale;
        const x = box.x + box.width / 2, y = box.y + box.height / 2;
        const stones = [...board.querySelectorAll("#cells circle")].map(cell => {
            const {left, right, top, bottom} = cell.getBoundingClientRect();
            const away = Math.hypot(x - (left + right) / 2, y - (top + bottom) / 2);
            return away - (right - left) / 2;
        });
        return [size, x, y, box.width, Math.min(...stones)];
    });
})"""
"""Each label's size in pixels of the screen, its middle and width, and how far stones are away."""

FEW = 4
"""So many moves are made by buttons and keys; the slider goes through all."""

SHOWN = """() => [...document.querySelectorAll("#cells circle")].map(
    cell => ({e: 0, x: 1, o: 2})[cell.getAttribute("class").split(" ")[0]])"""

OVERFLOWING = """() => [...document.querySelectorAll(".card, .card *, td, li, dt")].filter(
    part => !part.closest("svg") && part.scrollWidth > part.clientWidth + 1
        && getComputedStyle(part).overflowX === "visible").map(part => part.outerHTML)"""
"""What runs out of its card, cell of a table or line."""


@pytest.fixture(scope="module")
def chromium() -> Iterator["Browser"]:
    with browser.started() as found:
        yield found


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def served(made: Club) -> Iterator[str]:
    handler = partial(Quiet, directory=str(made.root))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def elsewhere(url: str, served: str) -> list[str]:
    return [] if url.startswith((served, "file:")) else [url]


@pytest.fixture
def page(chromium: "Browser", served: str) -> Iterator["Page"]:
    """A page that may say nothing on its console and ask no other host for anything."""
    opened = chromium.new_page()
    said: list[str] = []
    opened.on("console", lambda message: said.append(message.text))
    opened.on("pageerror", lambda error: said.append(str(error)))
    opened.on(
        "request",
        lambda request: (
            None if request.url.startswith((served, "file:")) else said.append(request.url)
        ),
    )
    yield opened
    opened.close()

    assert [] == said


def stones_of(club: Club, game: str, board: int) -> list[list[int]]:
    with club.local.desk.store.reading() as records:
        found = records.matches.find(game, board)

    assert found is not None
    return [list(position.stones) for position in found.record.positions]


@pytest.mark.parametrize("game", SMALL)
def test_a_board_is_replayed_by_button_key_slider_and_list(
    made: Club, served: str, page: "Page", game: str
) -> None:
    expected = stones_of(made, game, 101)
    last = len(expected) - 1
    page.goto(f"{served}boards/{game}/101.html")

    assert expected[-1] == page.evaluate(SHOWN)

    page.keyboard.press("Home")
    for ply in range(FEW):
        assert expected[ply] == page.evaluate(SHOWN), ply
        page.click("[data-go=on]")
    for ply in range(FEW, -1, -1):
        assert expected[ply] == page.evaluate(SHOWN), ply
        page.keyboard.press("ArrowLeft")
    for ply in range(last + 1):
        page.fill("#slider", str(ply))

        assert expected[ply] == page.evaluate(SHOWN), ply
    page.click("#moves li:nth-child(3)")

    assert expected[3] == page.evaluate(SHOWN)
    assert page.inner_text("#now").startswith("Move 3: ")


def test_a_swipe_goes_one_move_back(made: Club, served: str, chromium: "Browser") -> None:
    expected = stones_of(made, "star", 101)
    context = chromium.new_context(has_touch=True, viewport={"width": 380, "height": 800})
    page = context.new_page()
    page.goto(f"{served}boards/star/101.html")
    page.evaluate(
        """() => {
            const board = document.querySelector("#game .b");
            const touch = x => new Touch({identifier: 1, target: board, clientX: x, clientY: 5});
            board.dispatchEvent(new TouchEvent("touchstart", {touches: [touch(100)]}));
            board.dispatchEvent(new TouchEvent("touchend", {changedTouches: [touch(200)]}));
        }"""
    )

    assert expected[-2] == page.evaluate(SHOWN)

    context.close()


def test_moves_are_tried_taken_back_and_copied_as_a_command(
    made: Club, served: str, page: "Page"
) -> None:
    page.goto(f"{served}boards/star/102.html")
    page.click("[data-go=try]")
    empty = page.locator("#cells circle.e")
    names = [empty.nth(number).text_content() for number in (0, 1)]
    empty.nth(0).click()
    empty.nth(0).focus()
    page.keyboard.press("Enter")

    assert f"star preview 102 {names[0]} {names[1]}" == page.input_value("#line")

    page.click("[data-go=undo]")

    assert f"star preview 102 {names[0]}" == page.input_value("#line")
    made.local.do(page.input_value("#line"))


def test_without_scripts_the_final_position_and_the_moves_are_there(
    made: Club, served: str, chromium: "Browser"
) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{served}boards/star/101.html")
    expected = stones_of(made, "star", 101)

    assert len(expected) - 1 == page.locator("#moves li").count()
    assert expected[-1].count(1) == page.locator("#cells circle.x").count()
    assert not page.is_visible("#replay")

    context.close()


@pytest.mark.parametrize("scheme", ["file", "http"])
def test_the_archive_is_searched_without_a_server(
    made: Club, served: str, page: "Page", scheme: str
) -> None:
    root = served if scheme == "http" else f"{made.root.as_uri()}/"
    page.goto(f"{root}archive/index.html")
    page.fill("#wanted", "bob hex resignation")

    assert page.wait_for_selector("#found a").text_content() == "Hex Board 101 size 5"

    page.click("#found a")

    assert page.url == f"{root}boards/hex/101.html"


@pytest.mark.parametrize(
    ("width", "look"),
    [(380, "light"), (380, "dark"), (860, "dark"), (1280, "light"), (1280, "dark")],
)
def test_every_kind_of_page_fits_and_is_accessible(
    served: str, page: "Page", width: int, look: str
) -> None:
    axe_core = pytest.importorskip("axe_playwright_python.sync_playwright")
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme="dark" if look == "dark" else "light")
    for path in (*LISTS, "boards/star/101", "tournaments/1"):
        page.goto(f"{served}{path}.html")
        found = axe_core.Axe().run(page).response["violations"] if width != 860 else []

        assert [] == [one["id"] for one in found], path
        assert width >= page.evaluate("document.documentElement.scrollWidth"), path


def seen_labels(page: "Page", path: str) -> list[list[float]]:
    page.goto(path)
    found: list[list[float]] = page.evaluate(LABELS)

    assert found
    assert {size for size, *_ in found if not 10.9 < size < 22.1} == set()
    return found


@pytest.mark.parametrize("spec", LARGE_AND_SMALL)
def test_labels_are_of_the_size_of_words_on_every_screen(
    made: Club, chromium: "Browser", tmp_path: Path, spec: str
) -> None:
    match, _ = played_match(spec, [])
    file = tmp_path / "boards" / match.game.name / "1.html"
    ground = tmp_path / ground_path(match.game)
    for folder in (file.parent, ground.parent):
        folder.mkdir(parents=True)
    file.write_text(made.pages().board(match, ()), encoding="utf-8")
    ground.write_text(svg_ground(match.game), encoding="utf-8")
    shutil.copy(made.root / "site.css", tmp_path)
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    for width, height in SCREENS:
        page.set_viewport_size({"width": width, "height": height})
        found = seen_labels(page, file.as_uri())

        assert len(geometry_of(match.game).labels) == len(found)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        for size, x, _, wide, away in found:
            assert 0 <= x - wide / 2, (width, x)
            assert x + wide / 2 <= width, (width, x)
            assert away > size / 3, (width, x)
        for (size, x, y, wide, _), (_, a, b, wider, _) in combinations(found, 2):
            apart = abs(x - a) - (wide + wider) / 2, abs(y - b) - 0.73 * size
            assert max(apart) > -0.5, (width, x, y, a, b)
    context.close()


def test_labels_have_their_size_wherever_a_board_is(served: str, page: "Page") -> None:
    for width in (380, 860, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        for path in ("index", "boards/polyy/101", "openings/star"):
            seen_labels(page, f"{served}{path}.html")


def test_the_ground_of_light_letters_is_printed(served: str, page: "Page") -> None:
    page.goto(f"{served}boards/star/101.html")
    page.emulate_media(media="print")
    printed = "part => getComputedStyle(part).printColorAdjust"

    assert page.locator("#moves [aria-current]").evaluate(printed) == "exact"
    assert (
        page.locator("body")
        .evaluate("part => getComputedStyle(part).background")
        .startswith("rgba(0, 0, 0, 0)")
    )


def test_nothing_hostile_runs(served: str, page: "Page") -> None:
    page.goto(f"{served}tournaments/1.html")

    assert page.inner_text("h1") == HOSTILE_NAME
    assert page.evaluate("window.hurt") is None


def test_a_folder_is_a_site(made: Club, page: "Page") -> None:
    page.goto(Path(made.root / "index.html").as_uri())
    page.click("a:has(small:text-matches('^Star 101'))")

    assert stones_of(made, "star", 101)[-1] == page.evaluate(SHOWN)


def box_of(page: "Page", query: str) -> dict[str, float]:
    found = page.locator(query).bounding_box()

    assert found is not None
    return dict(found)


@pytest.mark.parametrize("height", [560, 640, 1000])
def test_the_board_and_what_moves_it_are_in_view_together(
    served: str, page: "Page", height: int
) -> None:
    page.set_viewport_size({"width": 1280, "height": height})
    for game in SMALL:
        page.goto(f"{served}boards/{game}/101.html")
        board, bar = box_of(page, ".play svg.b"), box_of(page, "#replay")

        assert board["y"] >= 0, game
        assert board["y"] + board["height"] <= bar["y"] + 1, game
        assert bar["y"] + bar["height"] <= height, game
        assert board["height"] >= 17 * 16, game


def test_a_line_of_the_score_lights_its_chain_and_its_rim_alone(
    made: Club, served: str, page: "Page"
) -> None:
    page.goto(f"{served}boards/star/101.html")
    line = page.locator("[data-cells]").first
    cells = [int(cell) for cell in (line.get_attribute("data-cells") or "").split()]
    lit = """() => {
        const names = [...document.querySelectorAll("#cells circle")].map(cell => cell.textContent);
        const found = [...document.querySelectorAll("#lit circle")];
        return found.map(cell => names.indexOf(cell.textContent));
    }"""
    faint = """() => [".shade", "#cords *", "#cells *", "#lit", "#lit *"].map(
        query => [...document.querySelectorAll(query)].map(one => getComputedStyle(one).opacity))"""
    match = made.match("star", 101)
    whole = match.game.ownership(match.position).externals
    touched = [one for one in whole if one.sides]

    for way in ("mouse", "keys"):
        if way == "mouse":
            line.hover()
        else:
            line.focus()

        assert cells == page.evaluate(lit)
        board, *within = page.evaluate(faint)
        assert ["0.22"] == board  # all that is faint is so at once, and nothing within it once more
        assert {"1"} == {each for part in within for each in part}
        assert 0 < page.locator("#ext .bd").count() <= len(touched)

        page.mouse.move(1, 1)
        line.blur()

        assert [] == page.evaluate(lit)
        assert ["1"] == page.evaluate(faint)[0]


def test_the_first_page_replays_a_board_until_it_is_told_to_pause(
    served: str, page: "Page"
) -> None:
    page.emulate_media(reduced_motion="no-preference")
    page.goto(f"{served}index.html")
    page.locator("#count", has_text="2 /").wait_for()
    page.click("[data-go=play]")
    paused = page.inner_text("#count")
    page.wait_for_timeout(1500)

    assert page.inner_text("#count") == paused
    assert page.get_attribute("[data-go=play]", "aria-label") == "Play"

    page.click("[data-go=play]")
    page.locator("#count").filter(has_not_text=paused).wait_for()


def test_the_first_page_stands_still_for_whoever_wants_that(served: str, page: "Page") -> None:
    page.emulate_media(reduced_motion="reduce")
    page.goto(f"{served}index.html")
    page.wait_for_timeout(1500)
    ply, turns = page.inner_text("#count").split(" / ")

    assert ply == turns
    assert page.get_attribute("[data-go=play]", "aria-label") == "Play"


def test_the_first_page_is_whole_without_scripts(served: str, chromium: "Browser") -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{served}index.html")
    ply, turns = page.inner_text("#count").split(" / ")

    assert ply == turns
    assert page.locator("#cells .x, #cells .o").count() > 0
    assert not page.is_visible("[data-go=play]")
    assert not page.is_visible("#guess")
    assert "until 2027-" in page.locator(".few .card").first.inner_text()

    page.click("summary")

    assert f"{puzzle_of_day(NOW).solution} is the only winning move." in page.inner_text("details")

    context.close()


def test_a_deadline_is_told_as_the_days_that_are_left(served: str, page: "Page") -> None:
    page.clock.set_fixed_time(utc(NOW))
    page.goto(f"{served}boards/star/102.html")
    time = page.locator(".seats time")
    days = (parse_moment(time.get_attribute("datetime") or "") - NOW) // DAY

    assert time.inner_text() == f"{days} days left"
    assert re.search(r"^Feb .* \(20..-..-.. ..:.. UTC\)$", time.get_attribute("title") or "")

    page.clock.set_fixed_time(utc(NOW + (days + 1) * DAY))
    page.reload()

    assert time.inner_text() == "overdue"


@pytest.mark.parametrize(
    ("path", "puzzle"), [("index", puzzle_of_day(NOW)), ("puzzle/1", puzzles()[0])]
)
def test_a_puzzle_is_answered_by_a_click_or_by_typing(
    served: str, page: "Page", path: str, puzzle: Puzzle
) -> None:
    page.goto(f"{served}{path}.html")
    told = page.locator("#guess output")
    right = page.locator("#puzzle circle.e").filter(
        has=page.locator(f"title:text-is('{puzzle.solution}')")
    )
    right.click()

    assert told.inner_text() == f"{puzzle.solution} wins. Right!"

    wrong = page.locator("#puzzle circle.e").nth(0)
    wrong.click()

    assert told.inner_text() == f"{wrong.text_content()} does not win."

    page.fill("#guess input", puzzle.solution.lower())
    page.keyboard.press("Enter")

    assert told.inner_text() == f"{puzzle.solution} wins. Right!"


def test_the_curve_goes_with_the_replay_and_leads_to_a_move(
    made: Club, page: "Page", tmp_path: Path
) -> None:
    match = made.match("star", 101)
    looks = [[0.5, "C3", 0.9, ["C3"]] for _ in range(match.ply + 1)]
    looked_back = made.pages().board(match, (), {"settled_at": None, "looks": looks})
    shutil.copytree(made.root, tmp_path / "site")
    file = tmp_path / "site" / "boards/star/101.html"
    file.write_text(looked_back, encoding="utf-8")
    page.goto(file.as_uri())
    box = box_of(page, ".curve")
    page.mouse.click(box["x"] + box["width"] * 3 / match.ply, box["y"] + 9)

    assert page.input_value("#slider") == "3"
    assert page.get_attribute("#at", "d") == f"M{600 * 3 / match.ply:g} 0V100"

    page.click("[data-ply] >> nth=0")

    assert page.input_value("#slider") == page.get_attribute("[data-ply] >> nth=0", "data-ply")


@pytest.fixture
def crowded(sqlite_template: Path, tmp_path: Path) -> Iterator[Club]:
    """A club with as many boards as its first page has to bear."""
    local = LocalServer(copy_template(sqlite_template, tmp_path))
    found = Club(
        settle_in(local), tmp_path / "pages", WISHES._replace(mail="play@example.org", chat=True)
    )
    for number in range(14):
        local.game = sorted(SMALL)[number % len(SMALL)]
        local.start(SMALL[local.game], x="alice", o="bartholomew")
    for userid in ("alice", "bob", "bartholomew"):
        local.do(f"starweb seek {userid} secret-{userid} 1 -size=5")
    found.build()
    yield found
    local.desk.close()


def test_the_first_page_of_a_busy_club_has_at_most_five_screens_of_a_telephone(
    crowded: Club, page: "Page"
) -> None:
    page.set_viewport_size({"width": 380, "height": 800})
    page.goto((crowded.root / "index.html").as_uri())

    assert "21 boards running" in page.inner_text(".hero")
    assert page.evaluate("document.documentElement.scrollHeight") <= 5 * 800
    assert page.evaluate("document.documentElement.scrollWidth") <= 380
    assert page.evaluate("document.querySelector('.top ul').clientHeight") < 2 * 35


def test_words_without_a_blank_are_no_wider_than_the_screen(crowded: Club, page: "Page") -> None:
    local = crowded.local
    local.do(f"tournament create alice secret-alice star {'M' * 60} -size=3")
    local.do("star chat 102 alice secret-alice -", "W" * 2000)
    crowded.build()
    for width in (380, 860, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        for path in ("index", "tournaments/index", "tournaments/2", "boards/star/102"):
            page.goto((crowded.root / f"{path}.html").as_uri())

            assert page.evaluate("document.documentElement.scrollWidth") <= width, path


LONG_NAMES = ("W" * 24, "christopher.featherstone", "m" * 24)
"""As long as a name may be: the widest there is, one that people have, and another that is wide."""


@pytest.fixture(scope="module")
def long_named(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Club]:
    """A club of people whose names are as long as may be: rated, seeking, in a tournament."""
    folder = tmp_path_factory.mktemp("long")
    local = LocalServer(copy_template(sqlite_template, folder))
    wishes = WISHES._replace(mail="play@example.org", chat=True)
    found = Club(local, folder / "pages", wishes)
    local.sign_up(*LONG_NAMES)
    for number, game in enumerate(sorted(SMALL)):
        x, o = (LONG_NAMES[(number + more) % len(LONG_NAMES)] for more in (0, 2))
        local.game = game
        board = local.start(f"{SMALL[game]} -rated", x, o)
        found.play_on(game, board, MOVES, seed=number)
        if local.show(board)["status"] == "running":
            local.do(f"{game} resign {board} {x} secret-{x}")
        found.play_on(game, local.start(SMALL[game], x, o), 3, seed=number)
    local.do(f"tournament create {x} secret-{x} star {'M' * 60} -size=3")
    for name in LONG_NAMES:
        local.do(f"tournament join 1 {name} secret-{name}")
        local.do(f"y seek {name} secret-{name} 1")
    local.do(f"tournament start 1 {x} secret-{x}")
    found.build()
    yield found
    local.desk.close()


@pytest.mark.parametrize("width", [380, 860, 1280])
def test_no_page_is_wider_than_its_screen_whatever_the_names_are(
    long_named: Club, chromium: "Browser", width: int
) -> None:
    page = chromium.new_page(viewport={"width": width, "height": 800})
    paths = [
        file for file in sorted(long_named.root.rglob("*.html")) if file.parent.name != "manual"
    ]

    assert len(paths) > 40
    for path in paths:
        page.goto(path.as_uri())

        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
        assert [] == page.evaluate(OVERFLOWING), path
    page.close()


@pytest.mark.parametrize(("width", "height"), [(860, 800), (380, 800), (960, 600)])
def test_what_moves_a_board_is_never_over_it(
    served: str, page: "Page", width: int, height: int
) -> None:
    page.set_viewport_size({"width": width, "height": height})
    for game in SMALL:
        page.goto(f"{served}boards/{game}/101.html")
        bar = box_of(page, "#replay")

        assert bar["y"] + bar["height"] <= height, game  # seen at once
        for scrolled in (0, 120, 400):
            page.evaluate(f"window.scrollTo(0, {scrolled})")
            board, bar = box_of(page, ".play svg.b"), box_of(page, "#replay")

            assert bar["y"] + bar["height"] <= board["y"] + 1, (game, scrolled)


@pytest.mark.parametrize("game", SMALL)
def test_a_board_is_one_stop_of_the_tab_key_and_arrows_lead_to_every_cell(
    served: str, page: "Page", game: str
) -> None:
    stops = '#cells [tabindex="0"]'
    page.goto(f"{served}boards/{game}/102.html")

    assert 0 == page.locator("#cells [tabindex]").count()

    page.click("[data-go=try]")
    empty = page.locator("#cells circle.e")
    count = page.input_value("#slider")

    assert 1 == page.locator(stops).count()

    seen, new = set[str](), [page.locator(stops).text_content() or ""]
    while new:
        name = new.pop()
        seen.add(name)
        for key in ("Left", "Right", "Up", "Down"):
            page.locator("#cells circle").filter(
                has=page.locator(f"title:text-is('{name}')")
            ).focus()
            page.keyboard.press(f"Arrow{key}")
            found = page.evaluate("document.activeElement.textContent")

            assert 1 == page.locator(stops).count()
            assert found == page.locator(stops).text_content()

            new += [found] if found not in {*seen, *new} else []

    assert empty.count() == len(seen)
    assert count == page.input_value("#slider")

    page.keyboard.press("Enter")

    assert empty.count() == len(seen) - 1
    assert page.evaluate("document.activeElement.classList.contains('e')")


def test_a_moment_is_told_in_the_readers_zone_with_utc_in_its_title(
    served: str, chromium: "Browser"
) -> None:
    times = (("moment", "2027-01-16 20:00 UTC"), ("day", "2027-01-16"))
    said = "".join(
        f'<p id="t{n}"><time class="{kind}" datetime="2027-01-16T20:00:00Z">{words}</time></p>'
        for n, (kind, words) in enumerate(times)
    )

    def with_chat(route: "Route") -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=answer.text().replace("</main>", f"{said}</main>"))

    context = chromium.new_context(timezone_id="Asia/Tokyo", locale="en-GB")
    page = context.new_page()
    page.route("**/boards/star/102.html", with_chat)
    page.goto(f"{served}boards/star/102.html")

    assert [page.inner_text(f"#t{n}") for n in (0, 1)] == ["17 Jan 2027, 05:00", "17 Jan 2027"]
    assert {page.get_attribute(f"#t{n} time", "title") for n in (0, 1)} == {"2027-01-16 20:00 UTC"}
    assert " UTC)" in (page.get_attribute(".seats time", "title") or "")

    context.close()
