"""Whoever looks a rule up finds it on the page of the game, and from there the line that keeps it.

A comment ``# RULES: ...`` in the engine stands at the line that keeps a rule, and quotes words of
the sentence on the page that tells it.
"""

import re
from collections import Counter
from pathlib import Path

import pytest

import pbmserv.engine
from pbmserv.commands.game_page import game_page
from pbmserv.commands.help_files import read_page
from pbmserv.engine.games import find_game, game_names
from pbmserv.engine.record_text import format_record, parse_record
from pbmserv.engine.spec import parse_game

EACH = pytest.mark.parametrize("name", game_names())


COMMON = " ".join(read_page("moves").split())


def told(name: str) -> str:
    """Return the page of a game as one line."""
    return " ".join(game_page(find_game(name)).split())


@pytest.mark.parametrize(
    "rule",
    [
        "X begins, and the sides take turns.",
        "A turn is one stone of your own on any empty cell",
        "A player who passes gives up only that turn",
        "Two passes in succession",
        "the second player may answer the first stone with swap",
        "the player who swaps is now X and owns the stone",
        "The swap counts as move 2.",
        "move BOARD USERID PASSWORD MOVE",
        "pass give up this turn, also written -- or -",
        "(pbmserv help clocks)",
    ],
)
def test_one_page_tells_how_every_game_is_played(rule: str) -> None:
    assert rule in COMMON


@EACH
def test_every_page_leads_to_the_rules_that_all_games_share(name: str) -> None:
    assert "how moves are written: pbmserv help moves." in told(name)


@EACH
def test_a_page_begins_with_the_goal_a_picture_and_an_example(name: str) -> None:
    heads = ["The end of a game", "# Examples", "# Rules", "Challenge options", "The empty board"]
    if find_game(name).primer is None:
        del heads[0]
    places = [told(name).find(head) for head in heads]

    assert 0 < places[0]
    assert sorted(places) == places


@EACH
def test_the_page_says_whether_two_passes_score_or_draw(name: str) -> None:
    game = find_game(name)()
    stone = next(game.legal_moves(game.start()))
    after_one_stone = game.replay([stone.text, "pass", "pass"])
    draws = game.score(after_one_stone).is_undecided

    assert ("the stones on the board are scored" in told(name)) == (not draws)
    assert ("two passes in succession end it as a draw" in told(name)) == draws


@pytest.mark.parametrize(
    ("size", "outer", "inner", "phrase"),
    [
        (
            10,
            6,
            3,
            "with 10 rings on S60 A60 *60 T60 R60 S30 A30 *30 T30 R30, filled in that order",
        ),
        (8, 5, 2, "with 8 rings on the rings 5 and 2 instead of 6 and 3"),
        (6, 4, 2, "with 6 on 4 and 2"),
        (4, 2, 1, "with 4 on 2 and 1"),
    ],
)
def test_the_page_lists_the_handicap_cells_in_their_order(
    size: int, outer: int, inner: int, phrase: str
) -> None:
    game = parse_game(f"starstar(size={size},handicap=10)")
    names = [game.board.names[cell] for cell in game.opening_stones()]

    assert names == [f"{ray}{ring}0" for ring in (outer, inner) for ray in "SA*TR"]
    assert phrase in told("starstar")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("starstar", "played on a pentagon"),
        ("starstar", "minus four for each of your stars, and 1 more for the quark peri"),
        ("starstar", "Games with komi or handicap have no swap."),
        ("starstar", "only a pass of the whole turn counts towards the end"),
        ("starweb", "O, or to X if X passed before there was any stone."),
        ("polyy", "has 190 cells here. The published picture of it has 208."),
        ("polyy", "of those 208 cells, after the published picture, built by us."),
        ("y", "on the bent board of Craige Schensted and Charles Titus."),
        *((name, "only by two passes or by agreement") for name in ("hex", "polyy", "y")),
    ],
)
def test_a_page_says_what_is_its_own(name: str, sentence: str) -> None:
    assert sentence in told(name)


def test_the_page_about_records_has_a_record_that_is_read() -> None:
    example = read_page("records").partition("# OUR FORMAT\n")[2].partition("Alice moved")[0]
    text = "\n".join(line.removeprefix("    ") for line in example.strip("\n").split("\n"))
    record = parse_record(text)

    assert format_record(record).strip() == text.strip()
    assert set(record.seats.values()) == {"alice", "bob"}


ENGINE = Path(pbmserv.engine.__file__).parent
LINK = re.compile(r"^ *# RULES: (.+)$", re.MULTILINE)
END = re.compile(r"(?<=[.;]) (?=\S)")

NO_RULES = {
    "hex": ("On a board of size 11", "Moving first is a great advantage"),
    "polyy": (
        "It has cut the corner off",
        "Their number is odd, so somebody wins;",
        "A60 is the corner A",
        "A61 is its neighbour",
        "With -sides=3 the game is Y",
        "The board with nine sides",
        "The published picture",
        "Its corners are A1, A7,",
    ),
    "star": (
        "Empty cells and enclosed areas score nothing;",  # no line counts them
        "So every chain that reaches the rim costs two points",
    ),
    "starstar": (
        "what counts is who owns the outermost ring.",
        "So every star costs you two points",
        "All three have the same margin and the same winner;",
        "Scores can be equal only after early passes;",
        "S00 is the corner S of the full board",
        "a negative number favours X.",
    ),
    "starweb": (
        "A group with k corners is worth",
        "So it pays to join groups",
        "So a draw is possible only by agreement",
        "The standard board (10 with notch 3)",
    ),
    "y": (
        "On a board of size 11",
        "Moving first is a great advantage",
        "On size 9 the corners",
        "B1 touches A1, A2, A24,",
    ),
}
"""Sentences about the rules that no line keeps: what follows from others, examples, advice."""

NO_COMMON_RULES = (
    "In Double *Star a turn is two stones.",
    "Two passes in succession end the game (help ending).",
    "The first stone is an advantage.",
)
"""The same on the page of what all games share."""


def sentences(name: str) -> list[str]:
    """Return what the page says of the rules of the game, and what is common to all."""
    page = told(name).removeprefix(f"# {find_game(name).title.upper()} ")
    goal, _, rest = page.partition(" # Examples ")
    own = rest.partition(" # Rules ")[2].partition(" Turns, passing, swap and how ")[0]
    common = COMMON.partition(" # TURNS ")[2].partition(" # WRITING MOVES ")[0]
    goal = goal.partition(" The end of a game ")[0]
    return END.split(f"{goal} {own} {common.replace(' # SWAP ', ' ')}")


def links(name: str) -> list[str]:
    """Return the links of the game's own file, and of all that the games share."""
    files = [*ENGINE.glob("*.py"), ENGINE / "games" / f"{name}.py"]
    return [link for file in files for link in LINK.findall(file.read_text(encoding="utf-8"))]


@EACH
def test_every_rule_on_the_page_has_the_line_that_keeps_it(name: str) -> None:
    linked = links(name)
    kept = {one: any(link in one for link in linked) for one in sentences(name)}
    no_rules = (*NO_RULES.get(name, ()), *NO_COMMON_RULES)

    assert [] == [one for one in kept if not kept[one] and not one.startswith(no_rules)]
    assert [1] * len(no_rules) == [sum(s.startswith(o) for s in kept) for o in no_rules]
    assert [] == [one for one in kept if kept[one] and one.startswith(no_rules)]


@pytest.mark.costly
def test_every_link_leads_to_one_sentence_of_a_page() -> None:
    found: Counter[str] = Counter()
    for name in game_names():
        counts = {link: sum(link in one for one in sentences(name)) for link in links(name)}
        own = set(LINK.findall((ENGINE / "games" / f"{name}.py").read_text(encoding="utf-8")))

        assert [] == [link for link, count in counts.items() if count > 1]
        assert [] == [link for link in own if not counts[link]]
        found.update(counts)

    assert [] == [link for link, count in found.items() if not count]
