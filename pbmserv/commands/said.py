"""What people say in place of the words of the language, as one table."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from pbmserv.club.player import ME
from pbmserv.club.selectors import SELECTORS
from pbmserv.club.word_forms import BETWEEN, is_slip, nearest, stems
from pbmserv.commands.audiences import is_ending, is_own_name
from pbmserv.engine.games import SAMPLE_GAME, find_game, game_names
from pbmserv.phrases import lists_in

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

GAME = "GAME"
"""The place behind the name of any game."""

HELP, VERSION, COMPUTER = "help", "--version", "play"
MOVE = "move BOARD USERID PASSWORD"
"""How a word is played that is no command of its own."""


def _rows(text: str) -> dict[str, str]:
    lines = re.sub(r"\n +", " ", text).splitlines()
    pairs = (line.partition(": ") for line in lines)
    return {meant.replace("{game}", SAMPLE_GAME): words for meant, _, words in pairs}


SAID: Mapping[str, Mapping[str, str]] = {
    place.replace("pbmserv", ""): _rows(text)
    for place, text in lists_in(Path(__file__).with_name("said.txt")).items()
}
"""What is meant, and what people say for it, by the place where they say it.

The places are behind ``pbmserv``, behind a game, behind another command, as the topic of help, a
player's and an option's. A word is written as :func:`plain` has it, several that people part as
one; one with ``#`` behind it is meant so where a number follows. ``#`` alone is any number, ``*``
any other word that may be a player's; what begins with a slash is meant from the root.
"""

DOING: Mapping[str, str] = {
    "stop": "cancel clear delete disable drop empty end erase no nomore off quit remove stop"
    " switchoff turnoff",
    "find": "find lookfor lookup search searchfor",
    "new": "add create make new open start",
    "show": "display list look print read see show view",
    "change": "change edit modify set switch update",
}
THINGS: Mapping[str, str] = {
    "account": "account accounts",
    "board": "board boards game games match matches",
    "challenge": "challenge challenges invitation invitations invite invites",
    "mail": "email emails mail mails notification notifications",
    "plan": "conditional conditionalmove conditionalmoves conditionals plan planned plannedmove"
    " plannedmoves plans premove premoves queue",
    "player": "member members player players user users",
    "robot": "bot bots robot robots",
    "vacation": "absence break holiday holidays vacation vacations",
    "watching": "following observing spectating subscription subscriptions watching",
}
"""What is done and to what, and the words that people say for either."""

NAMED = 'A name of several words stands in quotation marks: "Spring Cup"'
INSTEAD: Mapping[str, str] = {
    "accept": "To accept an offer: GAME move BOARD USERID PASSWORD accept; "
    "a challenge needs no answer",
    "reject": "To reject an offer: GAME move BOARD USERID PASSWORD reject; "
    "a challenge: pbmserv help GAME resign",
    "send": "To try the settings: pbmserv mail test ADDRESS",
    "chat": "To write to a player: pbmserv message alice PASSWORD bob: hello",
    "challenge": "Name both players, as in: GAME challenge alice bob",
    "challenge -": "The player who is named first plays X and moves first.",
    "message": "The password stands before the names, as in: message alice PASSWORD bob: hello",
    "import": "A record is read from standard input.",
    "reset": "For a token by mail: reset USERID",
}
"""What else a command with wrong words was likely meant to be, or an example of right ones."""

SEATING = frozenset(
    {"begin", "black", "color", "colour", "first", "seat", "side", "start", "white"}
)
"""What people ask of a challenge that the order of its players tells."""

KEPT_APART = frozenset(
    """
    bookmark diaries diary draft drafts journal jot memo memos note notebook notepad notes
    notetoself remember reminder scratchpad scribble secret thought thoughts whisper writedown
    """.split()  # noqa: SIM905 - a list to read
)
"""What people say for what nobody else is to read, which no command keeps."""

UNPROPOSED = frozenset({"signoff", "delete"})
"""What no other word is taken for: the end of an account."""

BOARD = re.compile(
    r"(?:(?:board|game|no|nr)[.:]?)?"
    r"[\[(<]?#?((?![0-9#-]{8})[0-9]{1,7}(?:#-?[0-9]+)?)[\])>]?[.,:;!?]*",
    re.IGNORECASE | re.ASCII,
)
"""A board as people write it, in no more digits than a password has characters."""

CELL = re.compile(r"[A-Za-z*]-?[0-9]{1,3}", re.ASCII)
MOST_JOINED = 4
"""How many words the table may have as one."""

LEAST_DIGITS = 3
"""No number of a board has fewer."""

DIGITS = str.maketrans("oOlI", "0011")

NOT_PLAIN = re.compile(r"[^a-z0-9]", re.ASCII)
FILLERS = frozenset(
    """
    a against am an and antw any are at aw be can command could dear do for from fw fwd going have i
    id im in is it just kindly let lets like many may much my need now of on our please pls re
    request should some subject sv that the then there this to want wants we wg whats will wish with
    would you your
    """.split()  # noqa: SIM905 - a list to read
) | {""}
"""Words, plain ones, that say nothing about what is meant."""


def plain(word: str) -> str:
    """Return a word without signs and capitals.

    >>> plain("Take-Back!")
    'takeback'
    """
    return NOT_PLAIN.sub("", word[:40].lower()) or ("?" if "?" in word else "")


def meaning(place: str, words: Sequence[str], fewest: int = 1) -> tuple[str, int]:
    """Return what the first words mean by the table of the place, and how many of them say it."""
    table = by_word(place)
    for count in range(min(MOST_JOINED, len(words)), fewest - 1, -1):
        joined = "".join(map(plain, words[:count]))
        is_numbered = bool(board_among(words[count : count + 2]))
        for said in (joined, _in_short(joined)):
            if found := (table.get(f"{said}#", "") if is_numbered else "") or table.get(said, ""):
                return found, count
    return "", 1


def _in_short(said: str) -> str:
    """Return what is done and to what in the words that the table has for both.

    >>> _in_short("turnoffmyemails")
    'stopmail'
    """
    pair = _pairs().fullmatch(said)
    if not pair:
        return said
    doing, thing = (pair[1], pair[2]) if pair[1] else ("off", pair[3])
    return f"{_first_of(DOING)[doing]}{_first_of(THINGS)[thing]}"


@cache
def _pairs() -> re.Pattern[str]:
    doing, things = ("|".join(_first_of(each)) for each in (DOING, THINGS))
    between = "(?:a|all|an|any|every|my|that|the|this|your)*"
    return re.compile(rf"({doing}){between}({things})|({things})off")


def _first_of(table: Mapping[str, str]) -> Mapping[str, str]:
    """Return for each word the one that stands for it and others."""
    return {word: first for first, words in table.items() for word in words.split()}


def meant(place: str, words: Sequence[str]) -> str:
    """Return what the first words mean by the table of the place, or nothing."""
    return meaning(place, words)[0]


def meant_together(place: str, words: Sequence[str]) -> str:
    """Return what the first words mean that the table of the place has as one, or nothing."""
    return meaning(place, words, 2)[0]


def without_fillers(words: Sequence[str], others: Collection[str] = ()) -> list[str]:
    """Return the words that say something about what is meant, none of those ``others``."""
    return [word for word in words if plain(word) not in FILLERS and word.lower() not in others]


def no_notes(words: Sequence[str]) -> str:
    """Return what is said of words that begin with one for what nobody else is to read."""
    known = {ME, *game_names()}
    said = [word for word in map(plain, without_fillers(words, known)) if not word.isdigit()][:2]
    forms = {*said, "".join(said), *(stem for word in said for stem in stems(word))}
    return "There are no private notes yet." * bool(forms & KEPT_APART)


@cache
def by_word(place: str) -> Mapping[str, str]:
    """Return what each word means in the place."""
    table = SAID.get(place, {})
    games = [] if place else [find_game(name) for name in game_names()]
    return {
        **{word: meaning for meaning, words in table.items() for word in words.split()},
        **{word: game.name for game in games for word in game.nicknames},
    }


def is_said(word: str) -> bool:
    """Tell whether people say the word for a command somewhere."""
    return any(plain(word) in by_word(place) for place in SAID)


def is_known(word: str, names: Iterable[str]) -> bool:
    """Tell whether a word is one of the language, or a slip for one, and so no secret."""
    is_one = is_said(word) or plain(word) in FILLERS
    return is_slip(word, [*names, *[plain(word)] * is_one])


def vote_hint(text: str, votes: Sequence[str]) -> str:
    """Return which of the words that may be sent as a move people say ``text`` for, or nothing."""
    said = meant(GAME, [text]).removeprefix(MOVE).strip()
    near = nearest(said if said in votes else text, votes)
    is_own = any(is_own_name(word, near) for word in text.lower().split())
    if is_ending(f"{SAMPLE_GAME} {near}") and not is_own:
        near = f"pbmserv {HELP} {near}"
    return f"Did you mean {near}?" if near else ""


def option_meant(name: str, known: Collection[str]) -> str:
    """Return the option of those known for which people say ``name``, or nothing."""
    said = plain(name)
    return next(
        (own for own, words in SAID["-"].items() if own in known and said in [own, *words.split()]),
        "",
    )


def player_hint(path: str, word: str, *, in_shell: bool) -> str:
    """Return what a word in the place of a userid was likely meant to be, where it is nobody's."""
    *before, verb = path.split(" ")
    board, is_in_game = BOARD.fullmatch(word), before[-1] in game_names()
    if board and (is_in_game or not word[0].isdigit()) and len(board[1]) >= LEAST_DIGITS:
        return f"Did you mean {f'{before[-1]} show ' * word[0].isdigit()}{board[1]}?"
    if is_in_game and word.lower() in game_names():
        return f"Did you mean {word.lower()} {verb}?"
    said = meant("player", [word])
    if said == ME and not in_shell:
        return "Write a userid."
    if said in SELECTORS:
        return f"Did you mean {f'{ME} ' * in_shell}{said}?"
    if said != COMPUTER:
        return f"Did you mean {said}?" if said else ""
    here = f"Play the computer with: pbmserv play {SAMPLE_GAME}\n" if in_shell else ""
    return f"{here}Computer players have userids too: pbmserv players"


def misplaced_hint(word: str) -> str:
    """Return what is said of a word in the place of a userid that is a word of a sentence."""
    is_other = plain(word) and (is_said(word) or plain(word) in FILLERS or word in game_names())
    return "Only userids and boards stand there." if is_other else ""


def argument_hint(path: str, word: str, words: Sequence[str], hint: str) -> str:
    """Return what a word behind the command ``path`` was likely meant to be, else the ``hint``.

    ``words`` are all behind the command, of which one that says nothing is passed over.
    """
    place = path.partition(" ")[2]
    telling = without_fillers(words)
    if plain(word) in FILLERS and telling and not meant(place, [word]):
        word = telling[0]
    own = {meant(place, [mine]) for mine in map(plain, words) if mine in {ME, "mine", "my"}}
    if own - {""}:
        return f"Did you mean pbmserv {own.pop()}?"
    if place == COMPUTER and (move := _move_hint(SAMPLE_GAME, words)):
        return move
    if near := nearest(word, game_names()):
        return f"Did you mean {path} {near}?"
    if board := board_among([word]):
        said = by_word(place).get("#", f"{place} {SAMPLE_GAME} BOARD")
        return f"Did you mean pbmserv {said.replace('BOARD', board)}?"
    if said := meant(place, [word]):
        return f"Did you mean pbmserv {said}?"
    other = by_word(place).get("*")
    return f"{hint}\nIf you meant a player: pbmserv {other}" if other else hint


def _move_hint(game: str, words: Sequence[str]) -> str:
    """Return the move that words behind ``play`` say, or nothing."""
    cell = next(filter(CELL.fullmatch, words), "")
    move = MOVE.replace("BOARD", board_among(words) or "BOARD")
    return f"Did you mean {game} {move} {cell}?" if cell else ""


def play_hint(game: str, words: Sequence[str]) -> str:
    """Return what words behind ``play`` and a game were likely meant to be, or nothing."""
    first, *rest = without_fillers(words, BETWEEN) or words
    if option := option_meant(first, ("size", "side", "level")):
        return f"Did you mean -{option}={rest[0] if rest else '...'}?"
    if move := _move_hint(game, words):
        return move
    said = meant("play", [first])
    is_play = said.partition(" ")[0] == "play"
    return f"Did you mean pbmserv {said.replace('play', f'play {game}')}?" if is_play else ""


def option_told(verb: str, word: str) -> str:
    """Return what is said of a word, or an option, that people look for but that is none."""
    return INSTEAD.get(f"{verb} -", "") if plain(word) in SEATING else ""


def instead_hint(path: str, about: str, words: Sequence[str]) -> str:
    """Return what else the command may have been meant to be, or an example of it.

    ``about`` is the one of the ``words`` that was wrong, if one was.
    """
    *before, verb = path.split(" ")
    is_named = words[1:] and before[-1] == "tournament"
    line = NAMED if is_named else option_told(verb, about) or INSTEAD.get(verb, "")
    line = line.replace("GAME", before[-1])
    return line.replace("BOARD", board_among([about]) or "BOARD")


def board_among(words: Sequence[str]) -> str:
    """Return the number of the first board among the words, or nothing."""
    found = [match[1] for match in map(BOARD.fullmatch, map(_in_digits, words)) if match]
    return (
        next(
            (number for number in found if len(number.partition("#")[0]) >= LEAST_DIGITS), found[0]
        )
        if found
        else ""
    )


def _in_digits(word: str) -> str:
    """Return a number with digits for the letters that are taken for them."""
    return word.translate(DIGITS) if word[:1].isdigit() else word
