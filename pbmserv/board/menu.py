"""The start screen: a short list of actions, and the options of a new game."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from textwrap import shorten
from typing import Any, NamedTuple

from pbmserv.board.drawn_board import BoardStyle, draw_board
from pbmserv.board.frame import (
    Frame,
    Hit,
    Line,
    Size,
    Span,
    Tone,
    columns_of,
    line_of,
    note_lines,
    shorten_name,
    width_of,
)
from pbmserv.board.lessons import LESSONS, Tasks
from pbmserv.board.panel import bar_text
from pbmserv.board.play_session import Intent
from pbmserv.board.server_host import MyBoard
from pbmserv.club.puzzles import count_puzzles
from pbmserv.commands.page_examples import example_topics, examples_of, page_title
from pbmserv.computer.game_arrays import require_arrays
from pbmserv.computer.level_list import DEFAULT_LEVEL, LEVELS, Level
from pbmserv.engine.game import Game, GameOption
from pbmserv.engine.games import SAMPLE_GAME, find_game, game_names
from pbmserv.engine.position import Position, Side
from pbmserv.engine.spec import parse_game
from pbmserv.errors import Refused
from pbmserv.render.text import Style

TITLE = "pbmserv: the Star family of connection games"


class Row(NamedTuple):
    """A line of a menu: it has an intent, opens a menu, or has a value to change.

    ``about`` is shown below the menu, ``heading`` above the row, ``parts`` in columns for ``text``.
    """

    text: str
    intent: Intent | Callable[[], Menu] | None = None
    values: tuple[Any, ...] = ()
    at: int = 0
    about: str = ""
    heading: str = ""
    parts: tuple[str, ...] = ()
    is_urgent: bool = False

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
    intent: Intent | None = None
    style: Style = "ascii"
    reader: str = ""
    hint: str = "Up/Down: choose. Enter: open. q: quit."

    @property
    def is_start(self) -> bool:
        """Whether it is the start screen."""
        return self.title == TITLE

    @property
    def row(self) -> Row:
        """The row that is chosen."""
        return self.rows[self.at]

    def keep_choice(self, before: Menu) -> Menu:
        """Return the menu with the row chosen that was so before, unless it was the first."""
        texts = [row.text for row in self.rows]
        at = texts.index(before.row.text) if before.at and before.row.text in texts else 0
        return replace(self, at=at)


def press_menu(menu: Menu, key: str) -> Menu:
    """Return the menu after a key."""
    menu = replace(menu, intent=None, note="")
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
        return apply_choices(replace(menu, rows=rows))
    if key in {"enter", " "}:
        return row.intent() if callable(row.intent) else replace(menu, intent=row.intent)
    if key in {"escape", "q"}:
        back = menu.rows[-1].intent
        return back() if callable(back) else replace(menu, intent=Intent("leave"))
    return menu


def menu_screen(menu: Menu, size: Size) -> Frame:
    """Return the screen of a menu: its rows, and a board beside them if it fits."""
    lines, places = _lines_of(menu, size)
    bottom = note_lines(menu.note or menu.row.about, size, Tone.STRONG)
    bottom += note_lines(menu.hint, size, Tone.DIM)
    height = size.height - 1 - len(bottom)
    longest = max(map(width_of, lines))
    left, top = max(2, (size.width - longest) // 8), max(1, (height - len(lines)) // 2)
    for scale in (2, 1):
        table = draw_board(menu.game, menu.position, BoardStyle(menu.style, scale))
        column = min(left + longest + 6, size.width - table.width - 2)
        if column == left + longest + 6 and table.height <= height:
            break
    first = max(0, top + places[menu.at] - height + 1)
    shown = ((Span(" " * left), *line) if line else () for line in lines[first:])
    body: list[Line] = [*[()] * top, *shown]
    body = [*body[:height], *[()] * (height - len(body))]
    beside = _place_beside(body, column, table.height, top + len(lines))
    for number, row in enumerate(table.rows if beside is not None else (), start=beside or 0):
        gap = column - width_of(body[number])
        body[number] = (*body[number], Span(" " * gap), *row)
    title = shorten_name(menu.title, size.width - columns_of(menu.reader) - 5)
    right = f"{menu.reader} ".rjust(size.width - columns_of(title) - 1)
    head = line_of(f" {title}{right}", Tone.TITLE)
    hits = [
        Hit(1 + top + line - first, left, left + longest + 2, f"row {number}")
        for number, line in enumerate(places)
        if line >= first
    ]
    cursor = (left + 1, 1 + top + places[menu.at] - first)
    return Frame((head, *body, *bottom), tuple(hits), cursor)


def _place_beside(body: Sequence[Line], column: int, height: int, end: int) -> int | None:
    """Return a line at which a board of this height fits beside the rows, nearest the middle."""
    last = min(len(body) - height, end - height // 2)
    widths = [width_of(line) for line in body]
    free = [
        top
        for top in range(last + 1)
        if all(width + 2 <= column for width in widths[top : top + height])
    ]
    return min(free, key=lambda top: abs(2 * top + height - len(body)), default=None)


def _lines_of(menu: Menu, size: Size) -> tuple[list[Line], list[int]]:
    """Return the rows with their headings as lines, and the line of each row."""
    lines, places = list[Line](), list[int]()
    for row, text in zip(menu.rows, _texts_of(menu, size.width - 5), strict=True):
        if row.heading:
            lines += [*([()] if lines else []), line_of(f" {row.heading}", Tone.STRONG)]
        is_chosen = len(places) == menu.at
        tone = Tone.CHOSEN if is_chosen else Tone.STRONG if row.is_urgent else Tone.PLAIN
        places.append(len(lines))
        lines.append((Span(" > " if is_chosen else "   "), Span(text, tone)))
    return lines, places


def _texts_of(menu: Menu, room: int) -> list[str]:
    """Return the texts of the rows, in columns and cut to ``room``."""
    label = max((len(row.text) for row in menu.rows if row.values), default=0)
    parts = [row.parts for row in menu.rows if row.parts]
    wide = [max(map(columns_of, column)) for column in zip(*parts, strict=True)]
    kept = set(range(len(wide)))
    for part in DROP_ORDER:
        if sum(wide[part] + 2 for part in kept) - 2 > room:
            kept.discard(part)
    texts = []
    for row in menu.rows:
        text = f"{row.text:<{label}}  < {_shown(row.value)} >" if row.values else row.text
        if row.parts:
            text = "  ".join(row.parts[part].ljust(wide[part]) for part in sorted(kept)).rstrip()
        texts.append(text if columns_of(text) <= room else shorten(text, room, placeholder=" ..."))
    return texts


DROP_ORDER = (2, 3, 1)
"""Parts of a board's row, the first to be dropped first: how full it is, time, opponent."""
MAX_BOARDS = 7
"""Boards on the start screen; all are in a menu of their own."""


DEMO = ("E1", "G1", "F1", "F2", "D2", "E3", "D3", "E4", "D4", "D5", "C5", "C6", "F3")
"""The moves on the board beside the start screen."""


def _list_menu(
    title: str, rows: Iterable[Row], style: Style, back: str = "Back", moves: Sequence[str] = DEMO
) -> Menu:
    """Return rows to choose from beside the board of the demo."""
    game = parse_game(f"{SAMPLE_GAME}(size=5)")
    rows = (*rows, Row(back, Intent("leave")))
    return Menu(title, rows, game, game.replay(moves), style=style)


def start_menu(
    kept: Sequence[str],
    style: Style,
    *,
    has_server: bool,
    boards: Sequence[MyBoard] | None = None,
    done: tuple[int, int] = (0, 0),
    level: Level = DEFAULT_LEVEL,
) -> Menu:
    """Return the start screen: the player's boards, those that wait first, and the other choices.

    ``boards`` is None until they are known; ``done`` counts solved lessons and puzzles.
    ``level`` is what is chosen at first for a game against the computer.
    """
    mine = [_board_row(board, style) for board in (boards or ())[:MAX_BOARDS]]
    waiting = sum(board.is_mine for board in boards or ())
    rows = [Row(f"Go on with {words}", Intent("resume", "0")) for words in kept[:1]]
    if len(kept) > 1:
        rows += [Row(f"All unfinished games ({len(kept)})", partial(games_menu, kept, style))]
    rows = [*mine[:waiting], *rows, *mine[waiting:]]
    if has_server and (boards is None or len(boards) > MAX_BOARDS):
        count = f" ({len(boards)})" if boards else ""
        rows += [Row(f"My boards on the server{count}", Intent("boards"))]
    told = f": {waiting} waiting for you" if waiting > 1 else ": one waiting for you"
    rows = _headed(f"YOUR BOARDS{told if waiting else ''}", rows)
    play = [
        Row("Play against the computer", partial(setup_menu, "computer", style, level=level)),
        Row("Two players at one keyboard", partial(setup_menu, "two", style)),
    ]
    learn = [
        Row(f"{word}  {count:>3} of {most:<3}  {bar_text(style, count / most, 10)}", intent)
        for word, count, most, intent in (
            ("Lessons", done[0], len(LESSONS), Intent("tasks", "Lesson")),
            ("Puzzles", done[1], count_puzzles(), Intent("tasks", "Puzzle")),
        )
    ]
    learn.append(Row("Strategy, with examples", partial(strategy_menu, style)))
    rows += [*_headed("PLAY", play), *_headed("LEARN", learn)]
    menu = _list_menu(TITLE, rows, style, "Leave")
    return replace(menu, hint=f"{menu.hint} All commands: pbmserv help")


def _headed(heading: str, rows: Sequence[Row]) -> list[Row]:
    """Return rows of which the first one has a heading above it."""
    return [row._replace(heading=heading if row is rows[0] else "") for row in rows]


def _board_row(board: MyBoard, style: Style) -> Row:
    left = f"{board.left} !" if board.is_urgent else board.left
    full = bar_text(style, board.share, 5)
    parts = (board.title, board.opponent, full, left, board.turn)
    return Row(board.title, board.intent, parts=parts, is_urgent=board.is_urgent)


def tasks_menu(tasks: Tasks, solved: Collection[int], style: Style) -> Menu:
    """Return the tasks as rows to choose from; the first that is not solved is chosen."""
    titles = dict(enumerate(tasks.titles, start=1))
    digits = len(str(len(titles)))
    rows = [
        Row(
            f"{'*' if n in solved else ' '} {n:>{digits}}. {title}",
            Intent("task", f"{tasks.word} {n}"),
        )
        for n, title in titles.items()
    ]
    return replace(
        _list_menu(tasks.title, rows, style),
        at=next((n - 1 for n in titles if n not in solved), 0),
        hint="* solved. Up/Down: choose. Enter: open. q: back.",
    )


def strategy_menu(style: Style, at: int = 0) -> Menu:
    """Return the pages whose examples can be stepped through as rows to choose from."""
    rows = [
        Row(page_title(topic), partial(examples_menu, topic, style)) for topic in example_topics()
    ]
    return replace(_list_menu("Strategy: examples to step through", rows, style), at=at)


def examples_menu(topic: str, style: Style, number: int = 1) -> Menu:
    """Return the examples of a page as rows to choose from, below the headings of the page."""
    rows, heading = list[Row](), ""
    for n, example in enumerate(examples_of(topic), start=1):
        intent = Intent("example", f"{topic} {n}")
        new = example.heading if example.heading != heading else ""
        rows.append(Row(f"{n}. {example.remarks[0]}", intent, heading=new))
        heading = example.heading
    rows.append(Row("Back", partial(strategy_menu, style, example_topics().index(topic))))
    menu = _list_menu(page_title(topic), rows, style)
    hint = "Up/Down: choose. Enter: open. q: back."
    return replace(menu, rows=tuple(rows), at=number - 1, hint=hint)


def games_menu(kept: Sequence[str], style: Style) -> Menu:
    """Return the unfinished games as rows to choose from."""
    rows = [Row(words, Intent("resume", str(number))) for number, words in enumerate(kept)]
    return _list_menu("Unfinished games", rows, style)


def boards_menu(boards: Sequence[MyBoard], style: Style) -> Menu:
    """Return the player's boards as rows to choose from."""
    back = "Back" if boards else "You have no running boards. Back"
    rows = [_board_row(board, style) for board in boards]
    return _list_menu("My boards", rows, style, back, ())


def setup_menu(
    opponent: str, style: Style, game: Game | None = None, level: Level = DEFAULT_LEVEL
) -> Menu:
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
        rows += [
            Row("Level", None, LEVELS, LEVELS.index(level)),
            Row("Your side", None, (*Side, "random")),
        ]
    rows.append(Row("Start", Intent("start", opponent)))
    against = "against the computer" if opponent == "computer" else "for two"
    return Menu(
        f"A new game {against}",
        tuple(rows),
        chosen,
        chosen.start(),
        at=len(rows) - 1,
        style=style,
        hint="Up/Down: choose a line. Left/Right: change it. Enter on Start: begin.",
    )


def apply_choices(menu: Menu) -> Menu:
    """Return the choices after one was changed: another game has other options."""
    opponent = "computer" if any(row.text == "Level" for row in menu.rows) else "two"
    kind = value_in(menu, "Game")
    if kind is not type(menu.game):
        level = value_in(menu, "Level") if opponent == "computer" else DEFAULT_LEVEL
        return replace(setup_menu(opponent, menu.style, kind(), level), at=0)
    chosen = {o.name: value_in(menu, o.name.capitalize()) for o in kind.options()}
    try:
        game = kind(**chosen)
        if opponent == "computer":
            require_arrays(game)
    except Refused as error:
        name = menu.rows[menu.at].text.lower()
        if isinstance(chosen.get(name), str):  # another shape, which has sizes of its own
            level = value_in(menu, "Level") if opponent == "computer" else DEFAULT_LEVEL
            usual = setup_menu(opponent, menu.style, kind(**{name: chosen[name]}), level)
            return replace(usual, at=menu.at)
        return replace(menu, note=error.message)
    return replace(menu, game=game, position=game.start())


def value_in(menu: Menu, text: str) -> Any:
    """Return the value of the row with this text."""
    return next(row.value for row in menu.rows if row.text == text)


def values_of(option: GameOption) -> tuple[Any, ...]:
    """Return the values of an option."""
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
    """Return the question whether to resume the unfinished game, before another one begins."""
    rows = (
        Row(f"Go on with {kept}", Intent("resume", "0")),
        Row("Abandon it and start a new game", Intent("resume", "1")),
        Row("Leave", Intent("leave")),
    )
    return Menu("There is an unfinished game", rows, game, game.start(), style=style)
