"""Help pages: files under help/, and pages made from the command tree."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any

import click

from pbmserv.club.word_forms import nearest, stems
from pbmserv.club.written_text import WIDTH, parse_page, wrap_line
from pbmserv.commands.answer import Answer
from pbmserv.commands.declaration import Option, Parameter, ParameterSpec, Word, command
from pbmserv.commands.grammar import Group, follow
from pbmserv.commands.help_files import page_of_game, read_page, search, topic_names
from pbmserv.commands.slots import Kind, Term, maybe
from pbmserv.engine.games import SAMPLE_GAME, find_game, game_names
from pbmserv.errors import Misunderstood, NotFound, may_quote

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pbmserv.engine.game import Game

INDEX = "index"


class WholeTree(ParameterSpec):
    """The tree of commands in which the line was understood."""

    gives = Group

    def value(self, declared: Parameter, ctx: click.Context) -> Any:
        """Return its root."""
        del declared
        return ctx.obj


class Topics(Word):
    """The words of a page, behind the game before the command."""

    def value(self, declared: Parameter, ctx: click.Context) -> Any:
        """Return them."""
        game = ctx.command_path.split()[1:-1] if ctx.params["find"] is None else ()
        return (*game, *ctx.params[declared.name])


@command()
def show_page(
    tree: Annotated[Group, WholeTree()],
    topics: Annotated[tuple[str, ...], Topics(maybe(Term("TOPIC", Kind.TOPIC), many=True))] = (),
    find: Annotated[str | None, Option("TEXT", "list the pages with these words")] = None,
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
    head = "Pages with these words, the best first. Read one with: pbmserv help PAGE"
    pages = [{"topic": name, "line": line} for name, line in found]
    return Answer((head, "\n".join(chain(*rows))), {"pages": pages}, is_page=True)


def page(tree: Group, words: Sequence[str]) -> tuple[str, str]:
    """Return the topic and the text of a help page with its mark-up.

    Raises :class:`NotFound`, and :class:`Misunderstood` for words behind those that name a page.
    """
    words = [word.lower().rstrip("?!.,") or word for word in words]
    if words[:1] == [tree.name]:
        words = words[1:]
    if not words:
        return INDEX, read_page(INDEX)
    if found := _named_page(tree, words):
        return found
    from pbmserv.commands.synonyms import plain, telling, words_of

    said = telling(words, words_of("asking"))
    if 0 < len(said) < len(words):
        return page(tree, said)
    if found := _likely_page(tree, words):
        return found
    if any(map(plain, words)) and not said:
        return page(tree, [])
    raise _no_page(tree, words)


def _named_page(tree: Group, words: Sequence[str]) -> tuple[str, str] | None:
    """Return the page of which the words are the name, None if there is none."""
    if len(words) == 1:
        if (game := _find_game(words[0])) is not None:
            from pbmserv.commands.game_page import game_page

            return game.name, game_page(game)
        return (words[0], read_page(words[0])) if words[0] in topic_names() else None
    if len(words) == 2 and (topic := _topic_of_game(*words) or _topic_of_game(*words[::-1])):
        return topic, read_page(topic)
    exact = follow(tree, words)
    return _command_page(tree, words) if exact.is_whole and not exact.left else None


def _likely_page(tree: Group, words: Sequence[str]) -> tuple[str, str] | None:
    """Return the page that is likely meant, where the words are not just the name of one.

    Raises :class:`Misunderstood` for words behind those that name a page.
    """
    from pbmserv.commands.guess import page_meant

    single = words[0].removesuffix("s")
    if len(words) == 1 and single != words[0] and single in verbs(tree):
        return page(tree, [SAMPLE_GAME, single])
    forms = [words, *([stem, *words[1:]] for stem in stems(words[0]))]
    pages = (page_meant(tree, form) for form in forms)
    meant = next((each for each in pages if each and each[0] != (*words,)), None)
    names, is_phrase = meant or ((), False)
    titles = {*words} & {*topic_names()} - {*game_names()}
    if meant and (is_phrase or {*names} <= titles):
        return page(tree, names)
    return (
        _command_page(tree, words, ["".join(words)], [SAMPLE_GAME, *words])
        or _page_found(tree, [word for word in words if word not in game_names()])
        or (page(tree, names) if meant else None)
    )


def _page_found(tree: Group, words: Sequence[str]) -> tuple[str, str] | None:
    """Return the page that has all of several words, the best first; None if none has."""
    found = search(words) if words[1:] else ()
    return next((page(tree, [topic]) for topic, _ in found), None)


def _command_page(tree: Group, *paths: Sequence[str]) -> tuple[str, str] | None:
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
                meant=f"pbmserv help {topic}",
                about=found.left[0],
            )
        return topic, command_page(found.command, found.context)
    return None


def _no_page(tree: Group, words: Sequence[str]) -> NotFound:
    """Return the error for words that name no page, with a likely one."""
    from pbmserv.commands.filling import UNPROPOSED
    from pbmserv.commands.synonyms import is_known, no_notes

    group = tree.get_command(None, words[0]) if len(words) > 1 else None
    if isinstance(group, Group):
        known, before = group.known_words(), f"pbmserv help {words[0]} "
    else:
        known = [*topic_names(), *game_names(), *tree.known_words(), *verbs(tree)]
        before = "pbmserv help "
    about = " ".join(words[1:] if isinstance(group, Group) else words)
    notes = no_notes(words)
    near = nearest(words[-1], (word for word in known if word not in UNPROPOSED)) * (not notes)
    return NotFound(
        "No such help page.",
        code="no-such-page",
        meant=f"{before}{near}" if near else "",
        hint=notes or "All help pages: pbmserv help" * (not near),
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


def _topic_of_game(topic: str, word: str) -> str:
    """Return the name of the page of a topic for one game, the topic's if the game has none.

    "" unless the topic has such pages and the word names a game.
    """
    if not any(name.startswith(f"{topic}-") for name in topic_names()):
        return ""
    game = _find_game(word)
    return page_of_game(topic, game.name) if game else ""


def verbs(tree: Group) -> list[str]:
    """Return the names of the commands that follow the name of a game."""
    found = tree.get_command(None, SAMPLE_GAME)
    return found.list_commands(None) if isinstance(found, Group) else []
