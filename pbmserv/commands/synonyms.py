"""People's words for those of the command language, and the audience of each command.

``synonyms.txt`` has a row for each command; it is read when a word is wrong, never before.
"""

from __future__ import annotations

import re
from enum import IntEnum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pbmserv.club.player import ME
from pbmserv.club.word_forms import is_slip, nearest, one_edit, stems
from pbmserv.commands.command_table import GAME, SERVER
from pbmserv.commands.help_files import topic_names
from pbmserv.engine.games import game_names
from pbmserv.phrases import lists_in

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

ANY_GAME = "*"


class Audience(IntEnum):
    """The people who notice a command: each audience is wider than those before it."""

    PRIVATE = 1
    OPPONENT = 2
    PUBLIC = 3
    OPERATOR = 4


class Meaning(NamedTuple):
    """A command, and the words behind it for which people say something.

    ``command`` are its names, ``*`` for that of any game; a page of help has its topic behind.
    ``is_ending`` tells whether it ends or removes something.
    """

    command: tuple[str, ...]
    words: tuple[str, ...] = ()
    audience: Audience = Audience.PRIVATE
    is_ending: bool = False

    @property
    def home(self) -> tuple[str, ...]:
        """The names before the command's own."""
        return () if self.command[0] == "all" else self.command[:-1]

    @property
    def is_page(self) -> bool:
        """Whether it is a page of help."""
        return self.command == ("help",) and self.words != ()

    @property
    def is_group(self) -> bool:
        """Whether it is no command but what stands before commands."""
        return self.command not in commands()


class Phrase(NamedTuple):
    """A phrase for a row: its name if it ``is_own``, or a synonym.

    Some mean it only ``before_number``.
    """

    row: Meaning
    is_own: bool = False
    before_number: bool = False


NOT_PLAIN = re.compile(r"[^a-z0-9]", re.ASCII)
ROW = re.compile(r"([^(:]+?)(?: \((.+)\))?:(.*)")
GAME_BOARD = r"(?:(?:board|game|no|nr)[.:]?)?"
BOARD = re.compile(
    rf"{GAME_BOARD}[\[(<]?#?((?![0-9#-]{{8}})[0-9]{{1,7}}(?:#-?[0-9]+)?)[\])>]?[.,:;!?]*",
    re.IGNORECASE | re.ASCII,
)
"""A board as people write it, in no more digits than a password has characters."""

CELL = re.compile(r"[A-Za-z*]-?[0-9]{1,3}", re.ASCII)
MIN_DIGITS = 3
"""No number of a board has fewer."""

DIGITS = str.maketrans("oOlI", "0011")


def plain(word: str) -> str:
    """Return a word without signs and capitals.

    >>> plain("Take-Back!")
    'takeback'
    """
    return NOT_PLAIN.sub("", word[:40].lower()) or ("?" if "?" in word else "")


@cache
def _lists() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """Return the rows of each list of the file: what is meant, and what people say for it."""
    return {
        name: {
            key.strip(): tuple(said.split())
            for key, _, said in (line.rpartition(":") for line in _join_lines(text))
        }
        for name, text in lists_in(Path(__file__).with_name("synonyms.txt")).items()
    }


def _join_lines(text: str) -> list[str]:
    """Return the lines of a text, each with those that go on with it."""
    return re.sub(r"\n +", " ", text).splitlines()


@cache
def rows() -> Mapping[Meaning, tuple[str, ...]]:
    """Return every command with what people say for it."""
    found = {}
    for name, said in _lists().items():
        audience = Audience.__members__.get(name.partition(",")[0].upper())
        if audience is None:
            continue
        for key, words in said.items():
            before, _, behind = key.partition(" (")
            row = Meaning(tuple(before.split()), tuple(behind.rstrip(")").split()), audience)
            found[row._replace(is_ending=name.endswith(", for good"))] = words
    return found


@cache
def commands() -> frozenset[tuple[str, ...]]:
    """Return the names of every command."""
    return frozenset(row.command for row in rows())


def meaning_of(command: Sequence[str]) -> Meaning:
    """Return the row of a command by its names."""
    names = tuple(ANY_GAME if word in game_names() else word for word in command)
    return next(row for row in rows() if row.command == names and not row.words)


@cache
def phrases() -> Mapping[str, list[Phrase]]:
    """Return the phrases that each word may begin; words that people split count as one."""
    found: dict[str, list[Phrase]] = {}
    for row, words in rows().items():
        if not row.words:
            own = plain("".join(row.command[row.command[0] != "all" and -1 :]))
            found.setdefault(own, []).append(Phrase(row, is_own=True))
        for word in words:
            phrase = Phrase(row, before_number=word.endswith("#"))
            found.setdefault(plain(word), []).append(phrase)
    for topic in topic_names():
        found.setdefault(plain(topic), []).append(Phrase(Meaning(("help",), (topic,)), is_own=True))
    for name in game_names():
        found.setdefault(name, []).append(Phrase(Meaning((name,)), is_own=True))
    for home, table in (((), SERVER), ((ANY_GAME,), GAME)):
        for name, entry in table.items():
            for word in entry.synonyms:
                found.setdefault(plain(word), []).append(
                    Phrase(meaning_of((*home, name)), is_own=True)
                )
    groups = {row.command[:n] for row in rows() for n in range(1, len(row.command))}
    for names in groups - {(ANY_GAME,), ("all",)}:
        found.setdefault(plain(names[-1]), []).append(Phrase(Meaning(names), is_own=True))
    return found


@cache
def words_of(name: str) -> frozenset[str]:
    """Return the words of a list that has no meanings."""
    return frozenset(word for words in _lists()[name].values() for word in words)


@cache
def fillers() -> frozenset[str]:
    """Return the words, plain ones, that say nothing about what is meant."""
    return words_of("fillers") | {""}


@cache
def _pairs() -> tuple[re.Pattern[str], Mapping[str, str]]:
    """Return a pattern for what is done and to what, and one word for all that mean the same."""
    firsts = {
        word: key
        for name in ("doing", "things")
        for key, words in _lists()[name].items()
        for word in words
    }
    doing, things = ("|".join(words_of(name)) for name in ("doing", "things"))
    between = "(?:a|all|an|any|every|my|that|the|this|your)*"
    return re.compile(rf"({doing}){between}({things})|({things})off"), firsts


def meant_by(said: str) -> list[Phrase]:
    """Return the rows of a plain phrase: its own, or those of an action and an object."""
    found = phrases().get(said, [])
    pattern, firsts = _pairs()
    pair = pattern.fullmatch(said)
    if not pair:
        return found
    doing, thing = (pair[1], pair[2]) if pair[1] else ("stop", pair[3])
    short = f"{firsts[doing]}{firsts[thing]}"
    return found + phrases().get(short, []) * (short != said)


def words_behind(command: str, said: Sequence[str]) -> str:
    """Return the words behind a command for which people say the first of these, or nothing."""
    texts = {plain("".join((command, *said[:count]))) for count in (1, 2)}
    return next(
        (
            " ".join(row.words)
            for row, words in rows().items()
            if row.command == tuple(command.split()) and row.words
            if texts & {*map(plain, words)}
        ),
        "",
    )


def player_meant(word: str) -> str:
    """Return the meaning of a word in the place of a userid, or nothing."""
    said = plain(word)
    return next((key for key, words in _lists()["players"].items() if said in words), "")


def option_meant(name: str, known: Collection[str]) -> str:
    """Return the option of those known for which people say ``name``, or nothing."""
    said = plain(name)
    found = _lists()["options"].items()
    return next((own for own, words in found if own in known and said in (own, *words)), "")


def is_name(word: str) -> bool:
    """Tell whether a word is the name of a game or a command, or a board."""
    is_own = any(phrase.is_own for phrase in phrases().get(word, ()))
    return is_own or word in game_names() or len(board_among([word])) >= MIN_DIGITS


def is_said(word: str) -> bool:
    """Tell whether people say the word for a command somewhere."""
    said = plain(word)
    return said in phrases() or said in words_of("players") or said in words_of("options")


def is_known(word: str, names: Iterable[str]) -> bool:
    """Tell whether a word is one of the language, or a slip for one, and so no secret."""
    is_one = is_said(word) or plain(word) in fillers()
    return is_slip(word, [*names, *[plain(word)] * is_one])


def is_own_name(word: str, name: str) -> bool:
    """Tell whether a word is the name of a command, or nothing but a slip for it.

    >>> [is_own_name(word, "resign") for word in ("resgin", "reign", "resigns", "iresign")]
    [True, False, False, False]
    """
    is_form = name in word and word not in {name, f"{name}{name[-1:]}"}
    # In a short name only letters that changed places are surely a slip.
    is_sure = len(name) > len("close") or sorted(word) == sorted(name)
    return one_edit(word, name) and is_sure and not is_form and word not in words_of("no slips")


def telling(words: Sequence[str], others: Collection[str] = ()) -> list[str]:
    """Return the words that say something about what is meant, none of those ``others``."""
    return [word for word in words if plain(word) not in fillers() and word.lower() not in others]


def no_notes(words: Sequence[str]) -> str:
    """Return the answer to words that ask for private notes, or nothing."""
    known = {ME, *game_names()}
    said = [word for word in map(plain, telling(words, known)) if not word.isdigit()][:2]
    forms = {*said, "".join(said), *(stem for word in said for stem in stems(word))}
    private = {*map(plain, words_of("apart"))}
    return "There are no private notes yet." * bool(forms & private)


def vote_meant(text: str, votes: Sequence[str]) -> str:
    """Return which word that may be sent as a move people say ``text`` for, or its page."""
    said = plain(text)
    rows_ = [phrase.row for phrase in phrases().get(said, ()) if phrase.row.command[0] == ANY_GAME]
    meant = next((w for row in rows_ for w in (*row.words[:1], row.command[1]) if w in votes), "")
    near = meant or nearest(text, votes)
    if near != "resign" or any(is_own_name(word, near) for word in text.lower().split()):
        return near
    return "pbmserv help resign"


def board_among(words: Sequence[str]) -> str:
    """Return the number of the first board among the words, or nothing."""
    found = [match[1] for match in map(BOARD.fullmatch, map(_in_digits, words)) if match]
    long = (number for number in found if len(number.partition("#")[0]) >= MIN_DIGITS)
    return next(long, found[0]) if found else ""


def _in_digits(word: str) -> str:
    """Return a number with digits for the letters that are taken for them."""
    return word.translate(DIGITS) if word[:1].isdigit() else word
