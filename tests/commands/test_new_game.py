"""A file dropped into the folder of games is a game of the server, with everything there is."""

import ast
from collections.abc import Iterator
from functools import partial
from importlib import invalidate_caches
from pathlib import Path

import pytest

import pbmserv
from pbmserv.commands.synonyms import words_of
from pbmserv.engine import games
from pbmserv.engine.record_text import parse_record
from pbmserv.engine.spec import format_game, parse_game
from tests.databases import copy_template
from tests.engine import test_contract as contract
from tests.engine.sample_games import random_game
from tests.local_server import LocalServer, refusal_of

SOURCE = '''
"""Tips: hold more of the three tips of a triangle."""

from dataclasses import dataclass
from typing import ClassVar

from pbmserv.engine.board import Board
from pbmserv.engine.game import Example, Game, option
from pbmserv.engine.lattices import triangle
from pbmserv.engine.position import Position, Side
from pbmserv.engine.score import Score, Tally, leader


@dataclass(frozen=True)
class Tips(Game):
    """Tips is played on a triangle; whoever holds more of its tips wins."""

    name: ClassVar[str] = "tips"
    title: ClassVar[str] = "Tips"
    source: ClassVar[str] = "nobody, made up for a test"
    aliases: ClassVar[tuple[str, ...]] = ("three-tips",)
    examples: ClassVar[tuple[Example, ...]] = (
        Example("tips preview new -size=3 C1", "[X]", "Take the top:"),
    )

    size: int = option(4, "rows of the triangle", low=3, high=6)
    worth: int = option(1, "points for a tip", choices=(1, 5))
    poor: bool = option(False, "whoever holds fewer wins")

    @property
    def board(self) -> Board:
        """The triangle."""
        return triangle(self.size)

    def score(self, position: Position) -> Score:
        """Return the tips of each side."""
        tips = (0, len(self.board) - self.size, len(self.board) - 1)
        held = {
            side: [tip for tip in tips if position.stones[tip] == side.stone] for side in Side
        }
        sign = -1 if self.poor else 1
        points = {side: sign * self.worth * len(held[side]) for side in Side}
        sheet = tuple(
            Tally(side, "tip", sign * self.worth, "a stone on it", (tip,), "Tips count.")
            for side in Side
            for tip in held[side]
        )
        tips_held = {side.value: self.board.sorted_names(held[side]) for side in Side}
        return Score(points, leader(points), position.is_full, sheet, {"tips": tips_held})
'''


@pytest.fixture(autouse=True)
def tips(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Have the server find one file more, for the time of a test."""
    folder = tmp_path / "more_games"
    folder.mkdir()
    (folder / "tips.py").write_text(SOURCE, encoding="utf-8")
    monkeypatch.setattr(games, "__path__", [*games.__path__, str(folder)])
    forget()
    yield
    monkeypatch.undo()
    forget()


def forget() -> None:
    """Make the next question for a game look at the folders again."""
    import sys

    invalidate_caches()
    for name in ("tips", *words_of("elsewhere")):
        sys.modules.pop(f"{games.__name__}.{name}", None)
    games.game_names.cache_clear()
    games.find_game.cache_clear()


def test_it_has_a_help_page_with_its_rules_options_board_and_examples(local: LocalServer) -> None:
    page = local.text("tips help")

    assert "tips" in games.game_names()
    assert page == local.text("help three-tips")
    assert "TIPS" in page
    assert "whoever holds more of its tips wins" in page
    assert "-size=" in page
    assert "-worth=1|5" in page
    assert "points for a tip" in page
    assert "-poor" in page
    assert "1-   ." in page
    assert "Source: nobody, made up for a test." in page


def test_it_is_played_from_challenge_to_record(local: LocalServer) -> None:
    local.sign_up("alice", "bob")
    local.game = "tips"
    started = local.json("three-tips challenge alice bob -size=3 -wor=5 --poor")
    shown = local.play(101, "c1 swap A3 c3 pass pass")
    record = local.json("tips export 101")["record"]
    imported = local.json("tips import bob secret-bob", record)

    assert started["options"] == {"size": 3, "worth": 5, "poor": True, "noswap": False}
    assert (shown["moves"][1], shown["winner"], shown["reason"]) == ("swap", "O", "two-passes")
    assert shown["score"]["tips"] == {"X": ["C1", "C3"], "O": ["A3"]}
    assert "game: tips(size=3,worth=5,poor)" in record
    assert parse_record(record).position.ply == 6
    assert {**imported, "board": 101} == {**shown, "time": None, "ratings": None}
    assert "alice (O) wins Tips Board 101, -5 to -10, after two passes." in local.text(
        "tips show 101"
    )
    assert local.json("list tips")["matches"][0]["game"] == "tips"


def test_it_is_previewed_and_scored_without_a_database(local: LocalServer) -> None:
    preview = local.json("tips preview new -size=3 C1 A3 C3")
    text = local.text("tips preview new -size=3 C1 A3 C3")
    explained = local.text('tips score new -worth=5 --x="D1" --o="A4 D4" --explain')

    assert preview["change"] == {"X": 2, "O": 1}
    assert "     new: tip +1 (a stone on it)" in text
    assert "X: 5   O: 10   O is ahead by 5" in explained
    assert explained.count("Tips count.") == 1


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("tips preview new -size=7", "bad-option-value"),
        ("tips preview new -worth=2", "bad-option-value"),
        ("tips preview new -corners=2", "no-such-option"),
        ("tips preview new Z1", "invalid-move"),
        ("tips show 101", "no-such-board"),
        ("signup tips secret-tips", "userid-reserved"),
        ("signup three-tips secret-tips", "userid-reserved"),
    ],
)
def test_its_mistakes_are_told_like_any_other(local: LocalServer, line: str, code: str) -> None:
    assert local.code(line) == code


@pytest.mark.parametrize("spec", ["tips(size=3)", "tips(size=6)", "tips(size=3,poor)"])
def test_it_keeps_the_contract_of_every_game(spec: str) -> None:
    game = parse_game(spec)
    promises = [promise.on for promise in vars(contract).values() if hasattr(promise, "on")]

    assert format_game(game) == spec
    assert len(promises) > 10
    for promise in promises:
        promise(game)


def test_a_random_game_of_it_replays(local: LocalServer) -> None:
    game = parse_game("tips")
    moves = [move.text for move, _ in random_game(game, 1) if move is not None]
    local.sign_up("alice", "bob")
    local.game = "tips"
    local.do("tips challenge alice bob")

    assert local.play(101, moves)["moves"] == moves


# The game of the demonstration, a key of the keyboard, and cells that others count from an edge.
MAY_NAME_A_GAME = {
    "cli/demo.py": {"star"},
    "board/actions.py": {"y"},
    "engine/game_format.py": {"y"},
}
ABOUT_GAMES = ("engine/games/", "engine/formats/")
"""The folders of games, and of records by programs that play some of them."""


@pytest.mark.costly
def test_a_game_that_is_known_from_elsewhere_is_a_file_like_any_other(
    tmp_path: Path, sqlite_template: Path
) -> None:
    names = sorted(words_of("elsewhere"))
    for name in names:
        file = tmp_path / "more_games" / f"{name}.py"
        file.write_text(SOURCE.replace("tips", name).replace("Tips", name.title()))
    forget()
    local = LocalServer(copy_template(sqlite_template, tmp_path / "database"))

    assert {*names} < {*games.game_names()}
    for name in names:
        assert name.upper() in local.text(f"{name} help")
        assert "[X]" in local.text(f"{name} preview new -size=3 C1")
        assert not refusal_of(partial(local.do, f"star {name}")).advice.startswith("Games: ")
    local.desk.close()
    test_no_other_file_knows_a_game_by_its_name()


@pytest.mark.costly
def test_no_other_file_knows_a_game_by_its_name() -> None:
    package = Path(pbmserv.__file__).parent
    found = {}
    for path in package.rglob("*.py"):
        place = path.relative_to(package).as_posix()
        words = set(named_games(ast.parse(path.read_text(encoding="utf-8"))))
        if not place.startswith(ABOUT_GAMES) and words:
            found[place] = words

    assert found == MAY_NAME_A_GAME


def named_games(tree: ast.Module) -> Iterator[str]:
    """Yield the games whose module is imported or whose name is a text, docstrings left out."""
    found = [games.find_game(name) for name in games.game_names()]
    # Those are words of other meanings, too: a bridge of Hex, lines of a page.
    names = {name for game in found for name in (game.name, *game.aliases)} - words_of("elsewhere")
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(
            f"{games.__name__}."
        ):
            yield str(node.module)
        if isinstance(node, ast.Constant) and str(node.value) in names:
            yield str(node.value)
