"""Help pages: files under help/, and pages made from the command tree."""

from __future__ import annotations

from itertools import chain, takewhile
from typing import TYPE_CHECKING, Annotated, Any

import click

from pbmserv.club.word_forms import likely, stems
from pbmserv.club.written_text import WIDTH, parse_page, wrap_line
from pbmserv.commands.answer import Answer
from pbmserv.commands.declaration import Annotation, Declared, Option, Word, command
from pbmserv.commands.grammar import Family, follow
from pbmserv.commands.help_files import read_page, search, topic_names
from pbmserv.commands.slots import Kind, Term, maybe
from pbmserv.engine.games import SAMPLE_GAME, find_game, game_names
from pbmserv.errors import Misunderstood, NotFound, may_quote

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pbmserv.engine.game import Game

INDEX = "index"
MANY_WORDS = 3
"""From so many words on, the first one or two do not say what is meant."""

ASKING = frozenset({"does", "how", "mean", "means", "what", "where", "why", "work", "works"})
"""Words of a question that say nothing of what it is about."""


class WholeTree(Annotation):
    """The tree of commands in which the line was understood."""

    gives = Family

    def value(self, declared: Declared, ctx: click.Context) -> Any:
        """Return its root."""
        del declared
        return ctx.obj


class Topics(Word):
    """The words of a page, behind the game before the command."""

    def value(self, declared: Declared, ctx: click.Context) -> Any:
        """Return them."""
        game = ctx.command_path.split()[1:-1] if ctx.params["find"] is None else ()
        return (*game, *ctx.params[declared.name])


@command()
def show_page(
    tree: Annotated[Family, WholeTree()],
    topics: Annotated[tuple[str, ...], Topics(maybe(Term("TOPIC", Kind.TOPIC), many=True))] = (),
    find: Annotated[str | None, Option("TEXT", "list the pages that have these words")] = None,
) -> Answer:
    """Print a help page: of a command, a game, or one of the topics that help lists."""
    return answer_of(*page(tree, topics)) if find is None else _pages_with([find, *topics])


def answer_of(topic: str, text: str) -> Answer:
    """Return the page of this text, in the mark-up of such pages, as an answer."""
    blocks = parse_page(text)
    return Answer(blocks, {"topic": topic, "text": "\n\n".join(blocks)}, is_page=True)


def _pages_with(texts: Sequence[str]) -> Answer:
    """Return which pages have all words of the texts, as many as a screen has room for."""
    found = search(" ".join(texts).split())
    if not found:
        raise NotFound("No page has these words.", code="no-such-page", hint="Topics: pbmserv help")
    rows = [wrap_line(f"  {name:21} {line}", WIDTH, " " * 24)[:3] for name, line in found]
    rows[6:] = [[f"  More pages: {len(rows) - 6}"]] * bool(rows[6:])
    head = "Pages with these words, the best first (read one with pbmserv help PAGE):"
    pages = [{"topic": name, "line": line} for name, line in found]
    return Answer((head, "\n".join(chain(*rows))), {"pages": pages}, is_page=True)


def page(tree: Family, words: Sequence[str]) -> tuple[str, str]:
    """Return the topic and the text of a help page with its mark-up.

    Raises :class:`NotFound`, and :class:`Misunderstood` for words behind those that name a page.
    """
    words = [word.lower().rstrip("?!.,") or word for word in words]
    if words[:1] == [tree.name]:
        words = words[1:]
    if not words:
        return INDEX, read_page(INDEX)
    if len(words) == 1:
        if (game := _find_game(words[0])) is not None:
            from pbmserv.commands.game_page import game_page

            return game.name, game_page(game)
        if words[0] in topic_names():
            return words[0], read_page(words[0])
    from pbmserv.commands.said import plain, without_fillers

    if (telling := without_fillers(words, ASKING)) and len(telling) < len(words):
        return page(tree, telling)
    if found := _likely_page(tree, words):
        return found
    if any(map(plain, words)) and not without_fillers(words):
        return page(tree, [])
    raise _no_page(tree, words)


def _likely_page(tree: Family, words: Sequence[str]) -> tuple[str, str] | None:
    """Return the page that is likely meant, where the words are not just the name of one.

    A command in full comes first, then what people say for a page, then parts of both.
    """
    from pbmserv.commands.said import meant, meant_together

    game = _find_game(words[0]) if words[1:] else None
    said = words[1:] if game else words
    return (
        _page_of(tree, meant_together("help", words), "help")
        or _command_page(tree, words, ["".join(words)], [SAMPLE_GAME, *words])
        or (page(tree, [game.name]) if game and meant("GAME", said) == "help" else None)
        or _page_said(tree, said, "help")
        or _page_of_parts(tree, words, said)
    )


def _page_of_parts(
    tree: Family, words: Sequence[str], said: Sequence[str]
) -> tuple[str, str] | None:
    """Return the page for other forms of the words, or for parts of them; None if for none.

    ``said`` are those without the name of a game before them.
    """
    forms = [[stem, *words[1:]] for stem in stems(words[0])]
    groups = [name for name in tree.families if name not in game_names()]
    paths = [
        *chain.from_iterable((["".join(each)], each) for each in forms),
        *([SAMPLE_GAME, *each] for each in forms),
        *([name, *words] for name in groups),
    ]
    is_topic = words[0] in topic_names() and not tree.has(words[0])
    return (
        _command_page(tree, *paths)
        or _page_said(tree, words[1:], words[0])
        or (page(tree, words[:1]) if is_topic else None)
        or (_page_said(tree, said, "GAME", "") if len(said) < MANY_WORDS else None)
        or next(filter(None, (_page_said(tree, each, "help", "GAME", "") for each in forms)), None)
        or _page_of(tree, next((found for found, _ in search(said if said[1:] else ())), ""), "")
    )


def _command_page(tree: Family, *paths: Sequence[str]) -> tuple[str, str] | None:
    """Return the page of the command or group to which one of the paths leads, None if none does.

    Raises :class:`Misunderstood` for words behind it.
    """
    from pbmserv.commands.command_pages import command_page

    for path in paths:
        found = follow(tree, path)
        if not found.is_whole or found.command is tree:
            continue
        topic = found.path.partition(" ")[2]
        if found.left:
            raise Misunderstood(
                "Unexpected argument.",
                code="surplus-word",
                hint=f"Did you mean pbmserv help {topic}?",
                about=found.left[0],
            )
        return topic, command_page(found.command, found.context)
    return None


def _page_said(tree: Family, words: Sequence[str], *places: str) -> tuple[str, str] | None:
    """Return the page of what people say the words for in these places, None if for nothing."""
    from pbmserv.commands.said import meant

    said = next(filter(None, (meant(place, words) for place in places if words)), "")
    if said == "help" and meant("", words) != said:
        return page(tree, [SAMPLE_GAME])
    return _page_of(tree, said, places[-1])


def _page_of(tree: Family, said: str, place: str) -> tuple[str, str] | None:
    """Return the page of what the table of a place has for what people say, None for nothing."""
    topic = list(takewhile(str.islower, said.strip("/").removeprefix("help ").split()))
    if topic == ["help"]:
        return page(tree, [])
    is_page = topic and not said.startswith("-")
    is_group = isinstance(tree.get_command(None, place), Family)
    group = [place] if is_group and not said.startswith("/") else []
    return page(tree, [*group, *topic]) if is_page else None


def _no_page(tree: Family, words: Sequence[str]) -> NotFound:
    """Return the error for words that name no page, with a likely one."""
    from pbmserv.commands.said import UNPROPOSED, is_known, no_notes

    group = tree.get_command(None, words[0]) if len(words) > 1 else None
    if isinstance(group, Family):
        known, before = group.known_words(), f"pbmserv help {words[0]} "
    else:
        known = [*topic_names(), *game_names(), *tree.known_words(), *verbs(tree)]
        before = "pbmserv help "
    about = " ".join(words[1:] if isinstance(group, Family) else words)
    return NotFound(
        "No such help page.",
        code="no-such-page",
        hint=no_notes(words)
        or likely(words[-1], (word for word in known if word not in UNPROPOSED), before)
        or "All help pages: pbmserv help",
        about=about if about.strip() else None,
        is_harmless=all(may_quote(word) or is_known(word, known) for word in about.split()),
    )


def _find_game(word: str) -> type[Game] | None:
    if word in topic_names() and word not in game_names():
        return None  # to know the other names of games is to load them all
    try:
        return find_game(word)
    except NotFound:
        return None


def verbs(tree: Family) -> list[str]:
    """Return the names of the commands that follow the name of a game."""
    found = tree.get_command(None, SAMPLE_GAME)
    return found.list_commands(None) if isinstance(found, Family) else []
