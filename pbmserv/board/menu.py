"""The start screen: a short list of what can be done, and the choices of a new game."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from pbmserv.board.frame import Frame, Hit, Line, Size, Span, Tone, line_of, told_lines, width_of
from pbmserv.board.play_session import Wish
from pbmserv.board.table import Look, table_of
from pbmserv.commands.words import SAMPLE_GAME
from pbmserv.computer.level_list import LEVELS, Level
from pbmserv.engine.game import Game, Option
from pbmserv.engine.games import find_game, game_names
from pbmserv.engine.position import Position, Side
from pbmserv.engine.spec import parse_game
from pbmserv.errors import Refused
from pbmserv.render.text import Style

TITLE = "pbmserv: the Star family of connection games"


class Row(NamedTuple):
    """A line that can be chosen: it makes a wish, or it has a value that can be changed.

    ``about`` is told under the menu while the line is chosen.
    """

    text: str
    wish: Wish | None = None
    values: tuple[Any, ...] = ()
    at: int = 0
    about: str = ""

    @property
    def value(self) -> Any:
        """The value that is chosen."""
        return self.values[self.at]


@dataclass(frozen=True)
class Menu:
    """Rows of which one is chosen, and a board beside them; no method changes one.

    A row with values makes the wish ``changed``, by which its menu is laid out anew.
    """

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
        return replace(menu, rows=rows, wish=Wish("changed", row.text))
    if key in {"enter", " "}:
        return replace(menu, wish=row.wish)
    if key in {"escape", "q"}:
        return replace(menu, wish=Wish("leave"))
    return menu


def menu_screen(menu: Menu, size: Size) -> Frame:
    """Return what is shown of a menu."""
    label = max((len(row.text) for row in menu.rows if row.values), default=0)
    lines: list[Line] = []
    for number, row in enumerate(menu.rows):
        text = f"{row.text:<{label}}  < {_shown(row.value)} >" if row.values else row.text
        is_at = number == menu.at
        lines.append(
            (Span(" > " if is_at else "   "), Span(text, Tone.CHOSEN if is_at else Tone.PLAIN))
        )
    table = table_of(menu.game, menu.position, Look(menu.style))
    width = max(map(width_of, lines))
    bottom = told_lines(menu.note or menu.row.about, size, Tone.STRONG)
    bottom += told_lines(menu.hint, size, Tone.DIM)
    height = size.height - 2 - len(bottom)
    has_board = width + table.width + 8 <= size.width and table.height <= height
    top = max(2, (height - (table.height if has_board else len(lines))) // 2 + 2)
    first = max(0, menu.at - (height - top + 1))
    left = 2 + (max(0, size.width - width - table.width - 8) // 4 if has_board else 0)
    screen: list[Line] = [line_of(f" {menu.title}".ljust(size.width), Tone.TITLE)]
    screen += [()] * (top - 1)
    hits = []
    shown = lines[first : first + height - top + 2]
    board = list(table.rows) if has_board else []
    offset = max(0, (len(board) - len(shown)) // 2)
    for number in range(max(len(shown) + offset, len(board))):
        at = number - offset
        line: Line = (Span(" " * left), *shown[at]) if 0 <= at < len(shown) else ()
        if 0 <= at < len(shown):
            hits.append(Hit(len(screen), left, left + width + 2, f"row {at + first}"))
        if number < len(board):
            gap = left + width + 6 - width_of(line)
            line = (*line, Span(" " * gap), *board[number])
        screen.append(line)
    screen = screen[: height + 2]
    screen += [()] * (height + 2 - len(screen))
    return Frame((*screen, *bottom), tuple(hits), (left + 1, top + offset + menu.at - first))


DEMO = ("E1", "G1", "F1", "F2", "D2", "E3", "D3", "E4", "D4", "D5", "C5", "C6", "F3")
"""What stands on the board beside the start screen."""


def start_menu(kept: str, style: Style, *, has_server: bool) -> Menu:
    """Return the start screen; ``kept`` names the unfinished game, if there is one."""
    rows = [Row(f"Go on with {kept}", Wish("resume"))] if kept else []
    rows += [Row("Play against the computer", Wish("setup", "computer"))]
    rows += [Row("Two at one keyboard", Wish("setup", "two"))]
    if has_server:
        rows += [Row("My boards on the server", Wish("boards"))]
    rows += [Row("Learn: ten small lessons", Wish("lesson", "1")), Row("Leave", Wish("leave"))]
    game = parse_game(f"{SAMPLE_GAME}(size=5)")
    position = game.replay(DEMO)
    return Menu(TITLE, tuple(rows), game, position, style=style)


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
    from pbmserv.computer.arena import require_arena

    opponent = "computer" if any(row.text == "Level" for row in menu.rows) else "two"
    kind = picked(menu, "Game")
    if kind is not type(menu.game):
        return replace(setup_menu(opponent, menu.style, kind()), at=0)
    try:
        game = kind(**{o.name: picked(menu, o.name.capitalize()) for o in kind.options()})
        if opponent == "computer":
            require_arena(game)
    except Refused as error:
        return replace(menu, note=error.message, wish=None)
    return replace(menu, game=game, position=game.start(), wish=None)


def picked(menu: Menu, text: str) -> Any:
    """Return the value of the row with this text."""
    return next(row.value for row in menu.rows if row.text == text)


def values_of(option: Option) -> tuple[Any, ...]:
    """Return what can be chosen for an option."""
    if option.is_flag:
        return (False, True)
    return option.choices or tuple(range(option.low or 0, (option.high or 0) + 1))


def _shown(value: Any) -> str:
    """Return a value in a word or two."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Level):
        return f"{value.number} {value.name}"
    is_game = isinstance(value, type) and issubclass(value, Game)
    return str(value.title if is_game else value)


def boards_menu(boards: Sequence[tuple[str, Wish]], style: Style) -> Menu:
    """Return the player's boards as rows to choose from."""
    rows = tuple(Row(text, wish) for text, wish in boards)
    game = parse_game(f"{SAMPLE_GAME}(size=5)")
    back = Row("Back" if rows else "You have no running boards. Back", Wish("leave"))
    return Menu("My boards", (*rows, back), game, game.start(), style=style)


def unfinished_menu(kept: str, game: Game, style: Style) -> Menu:
    """Return the question what becomes of the unfinished game when another one is to begin."""
    rows = (
        Row(f"Go on with {kept}", Wish("resume")),
        Row(f"Give it up for a new game of {game.title}", Wish("replace")),
        Row("Leave", Wish("leave")),
    )
    return Menu("There is an unfinished game", rows, game, game.start(), style=style)
