"""The manual: each page of help, and the list of all by who reads them."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, count
from typing import Any, NamedTuple

from pbmserv.club.wording import with_count
from pbmserv.club.written_text import Heading, Paragraph, Subheading, parse_page, unwrap_block
from pbmserv.commands.help import INDEX
from pbmserv.commands.help_files import read_page, topic_names
from pbmserv.commands.page_examples import (
    REMARK,
    PageExample,
    example_topics,
    examples_of,
    page_title,
)
from pbmserv.engine.games import find_game, game_names
from pbmserv.render.picture import NO_MARKS, LegendText, draw
from pbmserv.site.pages import Pages
from pbmserv.site.replay import board_svg

TAGS = {Heading: "h2", Subheading: "h3", Paragraph: "p", str: "pre"}
"""The element of each kind of block."""

EACH_GAME = "GAME"
"""The row that stands for the page of every game."""

OVERVIEW = "overview"
"""The file of the list of topics; index.html is the list by readers."""

FEW_CHAPTERS = 5
"""Chapters of a page that needs no list of them."""

MAX_WORDS = 5
"""Words of a heading in its anchor."""

SCRIPTED = ("main", "game", "pulse", "puzzle", "search")
"""The parts of pages that links and the script know by these names."""

MOMENT = re.compile(r"(.+)-([1-9]\d*)-(0|[1-9]\d*)", re.ASCII)
"""The name of the page of a moment: the topic, the example, and the number of moves."""

A_TOPIC = re.compile(r"^    (\w+) +(.+(?:\n {5,}.+)*)", re.MULTILINE)

NAMES = (
    *("GTP", "JSON", "PgBouncer", "PostgreSQL", "SGF", "X", "O", "I"),
    *(find_game(n).title for n in game_names()),
)
"""Words that keep their capitals when a heading in capitals is put into small letters."""


class Topic(NamedTuple):
    """A page of the manual: its file, its name, and what it gives."""

    name: str
    title: str
    gives: str


class Steps(NamedTuple):
    """The way through an example: its ``name``, moves so far and in all, and the last one."""

    name: str
    at: int
    total: int
    move: str


Part = tuple[str, Any, str]
"""A part of a page: its element, or "figure", "steps" or "remark"; its text; its anchor or link."""


def readers() -> dict[str, list[Topic]]:
    """Return the topics by readers, as the page of all topics lists them."""
    found: dict[str, list[Topic]] = {}
    reader = ""
    for block in parse_page(read_page(INDEX)):
        if isinstance(block, Subheading):
            reader = str(block)
        elif isinstance(block, Heading):
            reader = ""
        elif reader:
            rows = A_TOPIC.findall(block)
            found[reader] = [topic for name, gives in rows for topic in _topics(name, gives)]
    return found


def _topics(name: str, gives: str) -> Iterator[Topic]:
    if name == EACH_GAME:
        for game in map(find_game, game_names()):
            yield Topic(game.name, game.title, game.gist)
        return
    yield Topic(name, title_case(name.upper()), " ".join(gives.split()))
    for game in map(find_game, game_names()):
        for page in topic_names():
            if f"{page}-".startswith(f"{name}-{game.name}-"):
                yield Topic(page, title_case(page_title(page)), game.gist)


def title_case(heading: str) -> str:
    """Return a heading as pages have it, without words in capitals.

    >>> title_case("DOUBLE *STAR"), title_case("PAGES: site")
    ('Double *Star', 'Pages: site')
    """
    names = {name.upper(): name for name in NAMES}
    words = [names.get(word, word.lower() if word.isupper() else word) for word in heading.split()]
    told = " ".join(words)
    return told[:1].upper() + told[1:]


def manual_names() -> list[str]:
    """Return the names of the files of the manual, of which each moment of an example has one."""
    return [
        *("index", *(OVERVIEW if name == INDEX else name for name in topic_names())),
        *(
            f"{example.name}-{ply}"
            for topic in example_topics()
            for example in examples_of(topic)
            for ply in range(example.record.ply + 1)
            if example.record.moves
        ),
    ]


def manual_page(pages: Pages, name: str) -> str:
    """Return one of the pages of :func:`manual_names`, "" for any other."""
    if name not in manual_names():
        return ""
    if name == "index":
        return pages.page("manual.html", "Manual", "../", readers=readers())
    if moment := MOMENT.fullmatch(name):
        example = examples_of(moment[1])[int(moment[2]) - 1]
        return _moment_page(pages, moment[1], example, int(moment[3]))
    topic = INDEX if name == OVERVIEW else name
    first, *blocks = parse_page(read_page(topic))
    if type(first) is not Heading:
        first, blocks = Heading(topic.upper()), [str(first), *blocks]  # how it is called
    parts = [*anchored(blocks)]
    chapters = [(text, anchor) for tag, text, anchor in parts if tag == TAGS[Heading]]
    listed = chapters if len(chapters) > FEW_CHAPTERS else ()
    if topic in example_topics():
        parts = [*_with_boards(examples_of(topic), parts)]
    game = topic if topic in game_names() else ""
    more = {"parts": parts, "chapters": listed, "game": game, "whole": ()}
    return pages.page("manual_page.html", title_case(first), "../", **more)


def _with_boards(examples: Sequence[PageExample], parts: Sequence[Part]) -> Iterator[Part]:
    """Yield the parts of a page with the board of each example, and links in its remarks."""
    drawn = {example.blocks.start - 1: example for example in examples}  # without the first heading
    left = {number for example in examples for number in example.blocks}
    moments = {
        text: f"{example.name}-{ply}.html"
        for example in examples
        for ply, text in example.remarks.items()
        if ply
    }
    for number, (tag, text, anchor) in enumerate(parts):
        if number in drawn:
            yield from _session(drawn[number])
        elif number + 1 not in left:
            link = moments.get(text, "")
            yield ("remark", REMARK.match(text), link) if link else (tag, text, anchor)


def _session(example: PageExample) -> Iterator[Part]:
    """Yield the parts of an example: what is typed, the board, what is printed behind it."""
    yield "pre", example.before.strip("\n"), ""
    yield from _board_parts(example, example.record.ply, has_names=False)
    if example.after:
        yield "pre", example.after.strip("\n"), ""


def _board_parts(example: PageExample, ply: int, *, has_names: bool) -> Iterator[Part]:
    """Yield the board of an example after so many moves, and the way to its other moments."""
    record = example.record
    marks = example.marks if ply == record.ply else NO_MARKS
    caption = LegendText(f"{example.view.title}, {with_count(ply, 'move')}")
    picture = draw(record.game, record.positions[ply], caption=caption, marks=marks)
    yield "figure", board_svg(picture, "../", is_replayed=False, has_names=has_names), example.name
    if record.moves:
        move = f"{record.sides[ply - 1]} {record.texts[ply - 1]}" if ply else ""
        yield "steps", Steps(example.name, ply, record.ply, move), ""


def _moment_page(pages: Pages, topic: str, example: PageExample, ply: int) -> str:
    """Return the page of an example after so many moves, with what is said of it there."""
    parts = [*_board_parts(example, ply, has_names=True), ("p", example.view.remark(ply), "")]
    whole = f"{topic}.html#{example.name}", title_case(page_title(topic))
    more = {"parts": parts, "chapters": (), "game": "", "whole": whole}
    return pages.page("manual_page.html", example.view.title, "../", **more)


def anchored(blocks: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """Yield element, text and anchor of each block; each heading has another anchor."""
    used = {*SCRIPTED}
    for block in blocks:
        text = title_case(block) if type(block) is Heading else unwrap_block(block)
        anchor = ""
        if isinstance(block, Heading):
            stem = "-".join(re.findall(r"\w+", text.lower())[:MAX_WORDS])
            others = (f"{stem}-{number}" for number in count(2))
            anchor = next(one for one in chain([stem], others) if one not in used)
            used.add(anchor)
        yield TAGS[type(block)], text, anchor
