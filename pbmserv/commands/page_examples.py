"""Examples of help pages: sessions of a shell that draw a board, read as games to step through.

A line ``$ command`` is typed; the lines behind it, up to the next one or to a line that is indented
less, are what it prints. The paragraph before a session says what it shows. Paragraphs behind it
that begin with ``Move 7`` belong to that moment of its game.
"""

import re
import shlex
from bisect import bisect, bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import accumulate
from typing import NamedTuple

from pbmserv.club.written_text import Heading, Paragraph, parse_page, unwrap_block
from pbmserv.commands.help_files import read_page, topic_names
from pbmserv.commands.record_words import first_game
from pbmserv.engine.board import Cell
from pbmserv.engine.games import find_game
from pbmserv.engine.position import Side
from pbmserv.engine.record import Record
from pbmserv.engine.record_text import replay
from pbmserv.engine.spec import parse_game
from pbmserv.render.picture import draw
from pbmserv.render.text import drawn
from pbmserv.render.view import View, view_record

STRATEGY = "strategy"
"""The topic with the pages whose examples can be stepped through."""

COMMAND = re.compile(r"( *)\$ (.*)")
FENCE = "```"
REMARK = re.compile(r"Move (\d+)\b")


class SessionStep(NamedTuple):
    """A command and what it prints; ``start`` is its line, ``first`` and ``last`` bound the output.

    Of ``expected`` the ``indent`` is removed.
    """

    command: str
    expected: str
    indent: str
    start: int
    first: int
    last: int


def read_steps(lines: Sequence[str]) -> Iterator[SessionStep]:
    """Yield every command of a text with its output; lines ``> more`` belong to the command."""
    number = 0
    while number < len(lines):
        start, found = number, COMMAND.fullmatch(lines[number])
        number += 1
        if found is None:
            continue
        indent, command = found[1], found[2]
        while number < len(lines) and lines[number].startswith(f"{indent}> "):
            command = f"{command}\n{lines[number].removeprefix(f'{indent}> ')}"
            number += 1
        first = number
        while number < len(lines) and _is_output(lines[number], indent):
            number += 1
        last = number
        while last > first and not lines[last - 1].strip():
            last -= 1
        text = "\n".join(line.removeprefix(indent).rstrip() for line in lines[first:last])
        yield SessionStep(command, text, indent, start, first, last)


def _is_output(line: str, indent: str) -> bool:
    if COMMAND.fullmatch(line) or line.startswith(FENCE):
        return False
    return not line.strip() or line.startswith(indent)


class PageExample(NamedTuple):
    """A session with a board: its game, the lines around the board, and the marks on it.

    ``name`` is that of its page with its number there, ``blocks`` are its blocks of the page.
    ``remarks`` are what is said of moments by the number of moves, and of all of it by 0.
    """

    name: str
    heading: str
    record: Record[str]
    remarks: Mapping[int, str]
    blocks: range
    before: str
    after: str
    marks: Mapping[Cell, str]

    @property
    def view(self) -> View:
        """The game with what is said of it."""
        title = f"{self.record.game.title}, example {self.name.rpartition('-')[2]}"
        marks = tuple(self.marks.items())
        return replace(view_record(self.record), title=title, remarks=self.remarks, marks=marks)


def example_topics() -> list[str]:
    """Return the topics that have examples."""
    return [name for name in topic_names() if name.startswith(STRATEGY) and examples_of(name)]


def page_title(topic: str) -> str:
    """Return the heading of a page."""
    return parse_page(read_page(topic))[0]


@cache
def examples_of(topic: str) -> tuple[PageExample, ...]:
    """Return the examples of a page, in its order."""
    text = read_page(topic)
    blocks = parse_page(text)
    starts = [*accumulate((block.count("\n") + 2 for block in blocks), initial=0)]
    found = list[PageExample]()
    for step in read_steps(text.split("\n")):
        record = _record_of(step.command)
        if record is None:
            continue
        blocks_of = range(bisect(starts, step.start) - 1, bisect_left(starts, step.last))
        above = blocks[: blocks_of.start]
        paragraph, heading = (
            next(block.strip() for block in above[::-1] if isinstance(block, kind))
            for kind in (Paragraph, Heading)
        )
        remarks = {0: " ".join(paragraph.split())} | _remarks(blocks[blocks_of.stop :])
        name, parts = f"{topic}-{len(found) + 1}", _parts(record, step)
        found.append(PageExample(name, heading, record, remarks, blocks_of, *parts))
    return tuple(found)


def _remarks(blocks: Sequence[str]) -> dict[int, str]:
    """Return what is said of moments, up to the next heading or session."""
    found = {}
    for block in blocks:
        if isinstance(block, Heading) or block.lstrip().startswith("$ "):
            break
        if isinstance(block, Paragraph) and (moment := REMARK.match(block)):
            found[int(moment[1])] = unwrap_block(block)
    return found


def _record_of(command: str) -> Record[str] | None:
    """Return the game that a command is about, None unless it names or holds one."""
    line, _, text = command.replace("\\\n", " ").partition("\n")
    words = [word for word in shlex.split(line) if word != "pbmserv"]
    if text:
        return first_game(text.rpartition("\n")[0]).record
    if "new" not in words:
        return None
    game = find_game(words[0])
    options = dict(word.lstrip("-").partition("=")[::2] for word in words if word[0] == "-")
    own = [option.name for option in game.options() if option.name in options]
    spec = ",".join(f"{name}={options[name]}".removesuffix("=") for name in own)
    board = parse_game(f"{game.name}({spec})" if spec else game.name)
    stones = {side: options.get(side.lower(), "").split() for side in Side}
    start = board.position_of(stones) if any(stones.values()) else board.start()
    moves = [word for word in words[words.index("new") + 1 :] if word[0] != "-"]
    return replay(Record(board, "", "", known=(start,)), moves)


def _parts(record: Record[str], step: SessionStep) -> tuple[str, str, Mapping[Cell, str]]:
    """Return the lines before and behind the board of a session, and the marks on its cells."""
    command = "\n> ".join(step.command.split("\n"))
    lines = step.expected.split("\n")
    for owners in (False, True):
        rows, places = drawn(draw(record.game, record.position, owners=owners))
        board = ["".join(run.text for run in row).rstrip() for row in rows]
        for start in range(len(lines) - len(board) + 1):
            shown = lines[start : start + len(board)]
            if _without(shown, places) == _without(board, places):
                marks = {
                    cell: shown[line][column]
                    for cell, (column, line) in enumerate(places)
                    if shown[line][column] != board[line][column]
                }
                before, after = lines[:start], lines[start + len(board) :]
                return "\n".join([f"$ {command}", *before]), "\n".join(after), marks
    return "\n".join([f"$ {command}", *lines]), "", {}


def _without(lines: Sequence[str], places: Sequence[tuple[int, int]]) -> list[str]:
    """Return lines without what stands at these columns and lines."""
    found = [list(line) for line in lines]
    for column, line in places:
        found[line][column : column + 1] = " "
    return ["".join(line).rstrip() for line in found]
