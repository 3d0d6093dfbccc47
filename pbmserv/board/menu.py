"""The start screen: a short list of what can be done, and the choices of a new game."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from textwrap import shorten
from typing import TYPE_CHECKING, Any, NamedTuple

from pbmserv.board.frame import (
    Frame,
    Hit,
    Line,
    Size,
    Span,
    Tone,
    columns_of,
    line_of,
    named_within,
    told_lines,
    width_of,
)
from pbmserv.board.play_session import Wish
from pbmserv.board.table import Look, table_of
from pbmserv.club.puzzles import count_puzzles
from pbmserv.computer.arena import require_arena
from pbmserv.computer.level_list import LEVELS, Level
from pbmserv.engine.game import Game, Option
from pbmserv.engine.games import SAMPLE_GAME, find_game, game_names
from pbmserv.engine.position import Position, Side
from pbmserv.engine.spec import parse_game
from pbmserv.errors import Refused
from pbmserv.render.text import Style

if TYPE_CHECKING:
    from pbmserv.board.lessons import Tasks

TITLE = "pbmserv: the Star family of connection games"


class Row(NamedTuple):
    """A line that can be chosen: it makes a wish, opens a menu, or has a value that can be changed.

    ``about`` is told under the menu while the line is chosen.
    """

    text: str
    wish: Wish | Callable[[], Menu] | None = None
    values: tuple[Any, ...] = ()
    at: int = 0
    about: str = ""

    @property
    def value(self) -> Any:
        """The value that is chosen."""
        return self.values[self.at]


@dataclass(frozen=True)
class Menu:
    """Rows of which one is chosen, and a board beside them; no method changes one."""

    title: str
    rows: tuple[Row, ...]
    game: Game
    position: Position
    at: int = 0
    note: str = ""
    wish: Wish | None = None
    style: Style = "ascii"
    hint: str = "Up and down choose, Enter does it, q leaves."

    @property
    def is_start(self) -> bool:
        """Whether it is the start screen."""
        return self.title == TITLE

    @property
    def row(self) -> Row:
        """The row that is chosen."""
        return self.rows[self.at]


def press_menu(menu: Menu, key: str) -> Menu:
    """Return the menu after a key."""
    menu = replace(menu, wish=None, note="")
    verb, _, number = key.partition(" ")
    if verb == "row" and number:
        menu = replace(menu, at=int(number))
        return press_menu(menu, "enter")
    step = {"up": -1, "down": 1, "k": -1, "j": 1, "tab": 1}.get(key)
    if step is not None:
        return replace(menu, at=(menu.at + step) % len(menu.rows))
    turn = {"left": -1, "right": 1, "-": -1, "+": 1}.get(key)
    row = menu.row
    if row.values and (turn is not None or key in {"enter", " "}):
        row = row._replace(at=(row.at + (turn or 1)) % len(row.values))
        rows = (*menu.rows[: menu.at], row, *menu.rows[menu.at + 1 :])
        return chosen_again(replace(menu, rows=rows))
    if key in {"enter", " "}:
        return row.wish() if callable(row.wish) else replace(menu, wish=row.wish)
    if key in {"escape", "q"}:
        return replace(menu, wish=Wish("leave"))
    return menu


def menu_screen(menu: Menu, size: Size) -> Frame:
    """Return what is shown of a menu: its rows, and the board beside them where it has room."""
    rows = _row_lines(menu, size)
    table = table_of(menu.game, menu.position, Look(menu.style))
    width = max(map(width_of, rows))
    bottom = told_lines(menu.note or menu.row.about, size, Tone.STRONG)
    bottom += told_lines(menu.hint, size, Tone.DIM)
    height = size.height - 2 - len(bottom)
    room = size.width - width - table.width - 8
    board = table.rows if room >= 0 and table.height <= height else ()
    top = max(2, (height - len(board or rows)) // 2 + 2)
    left = 2 + (room // 4 if board else 0)
    first = max(0, menu.at - (height - top + 1))
    shown = rows[first : first + height - top + 2]
    offset = max(0, (len(board) - len(shown)) // 2)
    body: list[Line] = [*[()] * offset, *((Span(" " * left), *row) for row in shown)]
    body += [()] * (len(board) - len(body))
    for number, row in enumerate(board):
        gap = left + width + 6 - width_of(body[number])
        body[number] = (*body[number], Span(" " * gap), *row)
    title = line_of(f" {named_within(menu.title, size.width - 2)}".ljust(size.width), Tone.TITLE)
    screen: list[Line] = [title, *[()] * (top - 1), *body, *[()] * height][: height + 2]
    at = top + offset - first
    hits = [
        Hit(at + n, left, left + width + 2, f"row {n}") for n in range(first, first + len(shown))
    ]
    return Frame((*screen, *bottom), tuple(hits), (left + 1, at + menu.at))


def _row_lines(menu: Menu, size: Size) -> list[Line]:
    label = max((len(row.text) for row in menu.rows if row.values), default=0)
    texts = [
        f"{row.text:<{label}}  < {_shown(row.value)} >" if row.values else row.text
        for row in menu.rows
    ]
    room = size.width - 5
    fitted = [t if columns_of(t) <= room else shorten(t, room, placeholder=" ...") for t in texts]
    lines: list[Line] = [(Span("   "), Span(text)) for text in fitted]
    lines[menu.at] = (Span(" > "), Span(fitted[menu.at], Tone.CHOSEN))
    return lines


DEMO = ("E1", "G1", "F1", "F2", "D2", "E3", "D3", "E4", "D4", "D5", "C5", "C6", "F3")
"""What stands on the board beside the start screen."""


def _list_menu(
    title: str, rows: Iterable[Row], style: Style, back: str = "Back", moves: Sequence[str] = DEMO
) -> Menu:
    """Return rows to choose from beside a board of no meaning."""
    game = parse_game(f"{SAMPLE_GAME}(size=5)")
    rows = (*rows, Row(back, Wish("leave")))
    return Menu(title, rows, game, game.replay(moves), style=style)


def start_menu(
    kept: Sequence[str], style: Style, *, has_server: bool, done: tuple[int, int] = (0, 0)
) -> Menu:
    """Return the start screen.

    ``kept`` names the unfinished games, the newest first; ``done`` is how many lessons and puzzles
    were solved.
    """
    rows = [Row(f"Go on with {words}", Wish("resume", "0")) for words in kept[:1]]
    if len(kept) > 1:
        rows += [Row(f"All unfinished games ({len(kept)})", partial(games_menu, kept, style))]
    rows += [Row("Play against the computer", partial(setup_menu, "computer", style))]
    rows += [Row("Two at one keyboard", partial(setup_menu, "two", style))]
    if has_server:
        rows += [Row("My boards on the server", Wish("boards"))]
    learnt, solved = (f" ({count} solved)" if count else "" for count in done)
    rows += [Row(f"Learn: ten lessons{learnt}", Wish("tasks", "Lesson"))]
    rows += [Row(f"Puzzles: {count_puzzles()}{solved}", Wish("tasks", "Puzzle"))]
    return _list_menu(TITLE, rows, style, "Leave")


def tasks_menu(tasks: Tasks, solved: Collection[int], style: Style) -> Menu:
    """Return the tasks as rows to choose from; the first that is not solved is chosen."""
    titles = dict(enumerate(tasks.titles, start=1))
    digits = len(str(len(titles)))
    rows = [
        Row(
            f"{'*' if n in solved else ' '} {n:>{digits}}. {title}",
            Wish("task", f"{tasks.word} {n}"),
        )
        for n, title in titles.items()
    ]
    return replace(
        _list_menu(tasks.title, rows, style),
        at=next((n - 1 for n in titles if n not in solved), 0),
        hint="* marks what is solved. Up and down choose, Enter does it, q leads back.",
    )


def games_menu(kept: Sequence[str], style: Style) -> Menu:
    """Return the unfinished games as rows to choose from."""
    rows = [Row(words, Wish("resume", str(number))) for number, words in enumerate(kept)]
    return _list_menu("Unfinished games", rows, style)


def boards_menu(boards: Sequence[tuple[str, Wish]], style: Style) -> Menu:
    """Return the player's boards as rows to choose from."""
    back = "Back" if boards else "You have no running boards. Back"
    return _list_menu("My boards", (Row(*board) for board in boards), style, back, ())


def setup_menu(opponent: str, style: Style, game: Game | None = None) -> Menu:
    """Return the choices of a new game against the ``computer``, or between ``two``."""
    chosen = game or find_game(SAMPLE_GAME)()
    kinds = tuple(map(find_game, game_names()))
    rows = [Row("Game", None, kinds, kinds.index(type(chosen)))]
    for option in type(chosen).options():
        values = values_of(option)
        at = values.index(getattr(chosen, option.name))
        about = f"{option.name.capitalize()}: {option.help}."
        rows.append(Row(option.name.capitalize(), None, values, at, about))
    if opponent == "computer":
        rows += [Row("Level", None, LEVELS), Row("Your side", None, (*Side, "random"))]
    rows.append(Row("Start", Wish("start", opponent)))
    against = "against the computer" if opponent == "computer" else "for two"
    return Menu(
        f"A new game {against}",
        tuple(rows),
        chosen,
        chosen.start(),
        at=len(rows) - 1,
        style=style,
        hint="Up and down choose a line, left and right change it, Enter on Start begins.",
    )


def chosen_again(menu: Menu) -> Menu:
    """Return the choices after one was changed: another game has other options."""
    opponent = "computer" if any(row.text == "Level" for row in menu.rows) else "two"
    kind = picked(menu, "Game")
    if kind is not type(menu.game):
        return replace(setup_menu(opponent, menu.style, kind()), at=0)
    try:
        game = kind(**{o.name: picked(menu, o.name.capitalize()) for o in kind.options()})
        if opponent == "computer":
            require_arena(game)
    except Refused as error:
        return replace(menu, note=error.message)
    return replace(menu, game=game, position=game.start())


def picked(menu: Menu, text: str) -> Any:
    """Return the value of the row with this text."""
    return next(row.value for row in menu.rows if row.text == text)


def values_of(option: Option) -> tuple[Any, ...]:
    """Return what can be chosen for an option."""
    if option.is_flag:
        return (False, True)
    return option.choices or tuple(range(option.low or 0, (option.high or 0) + 1))


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Level):
        return f"{value.number} {value.name}"
    is_game = isinstance(value, type) and issubclass(value, Game)
    return str(value.title if is_game else value)


def unfinished_menu(kept: str, game: Game, style: Style) -> Menu:
    """Return the question what becomes of the unfinished game when another one is to begin."""
    rows = (
        Row(f"Go on with {kept}", Wish("resume", "0")),
        Row("Give it up for a new game", Wish("resume", "1")),
        Row("Leave", Wish("leave")),
    )
    return Menu("There is an unfinished game", rows, game, game.start(), style=style)
