"""Wrong words put in the places of a command: which goes where, what is left over, what is missing.

The words are tidied first: signs around them, ``--board=101``, ``101 after 2``, ``size 7``. Then
each pair of a place and a word has a likeness, by what the word looks like; the surest pairs are
joined first, of equals those that stand where they belong. Whether the line is right is judged by
the grammar alone.

>>> from pbmserv.commands.slots import BOARD, MOVE, USERID
>>> place_words((slot(BOARD), slot(USERID), slot(MOVE)), ["F6", "101", "bob"])
{0: [1], 2: [0], 1: [2]}
"""

from __future__ import annotations

import re
from itertools import pairwise, product, takewhile
from typing import TYPE_CHECKING, NamedTuple

import click

from pbmserv.club.player import ME, may_be_password
from pbmserv.club.player import USERID as USERID_FORM
from pbmserv.club.selectors import CHOOSING
from pbmserv.commands.help_files import topic_names
from pbmserv.commands.slots import FILE, Kind, Slot, Term, slot
from pbmserv.commands.synonyms import BOARD as BOARD_FORM
from pbmserv.commands.synonyms import (
    CELL,
    MIN_DIGITS,
    board_among,
    fillers,
    is_name,
    is_said,
    option_meant,
    plain,
    player_meant,
    words_of,
)
from pbmserv.engine.games import game_names
from pbmserv.errors import PbmservError, may_quote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from pbmserv.commands.grammar import Command
    from pbmserv.commands.words import OptionName

    Words = Sequence[str]

UNPROPOSED = frozenset({"signoff", "delete"})
"""Commands that no other word is taken for: they end an account."""

SIGNS = "[](){}<>\"'`.,;!?$=|&"
APART = re.compile(r"[,;/&|]+")
TURN = re.compile(rf"{CELL.pattern}(?:\+{CELL.pattern})*(?:#[0-9]+)?", re.ASCII)
PLAN = re.compile(rf"{TURN.pattern}(?:[:/]{TURN.pattern})*", re.ASCII)
VOTES = frozenset({"accept", "none", "pass", "propose", "reject", "swap", "undo"})
"""Words that may stand for a move and lose nothing."""

NAMED_WORD = re.compile(r"-*([a-z]+)(?:[=:](.*))?", re.ASCII | re.IGNORECASE | re.DOTALL)
ARROW = re.compile(r"(\w)[-=]+>(\w)", re.ASCII)
SQUARE = re.compile(r"([0-9]{1,2})[x*]\1", re.ASCII)
GLUED = re.compile(r"([a-z]+)([0-9]+)", re.ASCII | re.IGNORECASE)
RANGE = re.compile(r"([0-9]{3,6})-([0-9]{3,6})", re.ASCII)
MAX_BOARDS = 20
BOARD_LIKE = re.compile(r"[0-9][0-9oOlI]{2}", re.ASCII)
MOMENT = re.compile(r"#?(-?[0-9]{1,3})|(-[0-9]{1,3})", re.ASCII)
NUMBER = re.compile(r"#?-?[0-9]{1,7}(?:#-?[0-9]{1,7})?", re.ASCII)
DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
SPOKEN = re.compile(r"[A-Za-z']+[.,:;!?]*", re.ASCII)
"""A word of a language, rather than a password."""

MAX_WORDS = 30
"""A line of more words is hardly a slip for a command."""

MIN_SAID = 3
"""From so many words on, a long one is rather said than a password."""

OWN_WORDS = CHOOSING | {"until", "off", "on"}
"""Words of the language that stand in place of others."""

NO_VALUE = "\0"
"""A value that no option with a list of values takes."""


class Filling(NamedTuple):
    """A line that a command understands or does not, made of words that stood in any order.

    ``shown`` is it as far as it may be printed, nothing where it cannot be; ``dropped`` are the
    words that have no place, ``missing`` how many places have no word.
    """

    words: tuple[str, ...]
    shown: str
    dropped: tuple[str, ...]
    missing: int
    is_whole: bool


def fill(
    verb: Command, ctx: click.Context, words: Words, *, in_shell: bool, given: Words = ()
) -> Filling:
    """Return the line that the words most likely make behind a command.

    The words ``given`` are meant so; in a shell ``me`` may sign.
    """
    tidy = [*tidy_words(verb, words), *given]
    options = [word for word in tidy if re.match("-+[a-z]", word, re.IGNORECASE)]
    others = [word for word in tidy if word not in options and not (given and TURN.fullmatch(word))]
    fillings = [
        _fill_way(verb, ctx, way, said, options, in_shell=in_shell)
        for way, said in _ways_of(verb, ctx, others, in_shell=in_shell)
    ]
    return max(
        fillings,
        key=lambda f: (f.is_whole, -len(f.dropped), -f.missing, bool(f.shown or not f.words)),
    )


def _is_secret(word: str, count: int) -> bool:
    """Tell whether one of so many words is a password rather than said."""
    if word == "PASSWORD":
        return True
    is_word = word.lower() in OWN_WORDS or is_said(word) or TURN.fullmatch(word)
    is_likely = may_be_password(word) and not is_word
    return is_likely and (count < MIN_SAID or not SPOKEN.fullmatch(word))


def _names_me(verb: Command, ctx: click.Context) -> bool:
    """Tell whether ``me`` may be a player that the command is about, who need not sign."""
    return (
        verb.name not in {"gate", "login", "reset", "signup"} and " admin " not in ctx.command_path
    )


def own_line(
    verb: Command, ctx: click.Context, words: Words, *, in_shell: bool, is_new: bool = False
) -> str:
    """Return the line that the words make behind a command; nothing if they make none.

    One that was typed so is none, unless it ``is_new`` behind this command.
    """
    if len(words) > MAX_WORDS:
        return ""
    path = ctx.command_path if verb.game is None else ctx.command_path.partition(" ")[2]
    is_said = takes_text(verb) and (is_new or len(words) >= MIN_SAID or ME in words)
    in_shell = in_shell and (is_said or not takes_text(verb))
    for each in (words, first_command(words)):
        filling = fill(verb, ctx, each, in_shell=in_shell)
        is_other = is_new or filling.words != tuple(words)
        if is_other and filling.is_whole and not filling.dropped:
            return f"{path} {filling.shown}".rstrip() if filling.shown or not filling.words else ""
    return ""


def _ways_of(
    verb: Command, ctx: click.Context, words: list[str], *, in_shell: bool
) -> Iterator[tuple[list[Slot], list[str]]]:
    """Yield the places of each way of a command, with the words, where ``me`` may stand too."""
    is_me = ME in map(str.lower, words)
    if is_me and not in_shell:
        words, is_me = [word for word in words if word.lower() != ME], False
    takes_me = verb.login.takes_me if verb.login else _names_me(verb, ctx)
    takes_me = takes_me and in_shell
    takes_me = takes_me and (is_me or not any(_is_secret(word, len(words)) for word in words))
    with_me = words if is_me else [ME, *words]
    for way in _combine_places(verb):
        signed = _sign_as_me(way) if verb.login is not None else None
        if signed is None:
            yield way, words
            if takes_me and not is_me and verb.login is None:
                yield way, with_me
            continue
        is_first = takes_me and (is_me or any(Kind.TEXT in each.kinds for each in way))
        plainly = [(way, words)] * (not is_me or not takes_me)
        me = [(signed, with_me)] * takes_me
        yield from [*me, *plainly] if is_first else [*plainly, *me]


def _combine_places(verb: Command) -> Iterator[list[Slot]]:
    """Yield the places of all arguments of a command, in each of the ways that they may go on."""
    choices = [
        (*param.ways.ways, *[()] * (param.ways.is_optional or not param.required))
        for param in verb.arguments
    ]
    for parts in product(*choices):
        yield [each for part in parts for each in part]


def _sign_as_me(way: list[Slot]) -> list[Slot] | None:
    """Return the places with ``me`` for userid and password; None if these are not among them."""
    at = next((n for n, each in enumerate(way) if Kind.PASSWORD in each.kinds), 0)
    is_login = at > 0 and way[at - 1].kinds == {Kind.PLAYER}
    return [*way[: at - 1], slot(ME), *way[at + 1 :]] if is_login else None


def _fill_way(
    verb: Command,
    ctx: click.Context,
    way: Sequence[Slot],
    words: Words,
    options: Words,
    *,
    in_shell: bool,
) -> Filling:
    """Return the line that the words make in this way."""
    placed = place_words(way, words)
    said: list[str] = []
    shown: list[str] = []
    for number, place in enumerate(way):
        here = [_strip_board(words[at], place) for at in placed.get(number, ())]
        if here and place.before and said:
            said[-1], shown[-1] = f"{said[-1].rstrip(':')}:", f"{shown[-1].rstrip(':')}:"
        shown += [_show_word(word, place, in_shell=in_shell) for word in here]
        shown += [str(place).replace("...", "")] * (not here and not place.is_optional)
        said += here
    names = {verb.name, verb.game.name if verb.game else ""}
    used = {at for here in placed.values() for at in here}
    left = [w for at, w in enumerate(words) if at not in used and w.lower() not in names]
    shown += [_shown_option(option, in_shell=in_shell) for option in options]
    missing = sum(n not in placed and not place.is_optional for n, place in enumerate(way))
    return Filling(
        (*said, *options),
        " ".join(shown) if all(shown) else "",
        tuple(word for word in left if not says_nothing(word)),
        missing,
        not missing and _is_understood(verb, ctx, [*options, *said]),
    )


def _is_understood(verb: Command, ctx: click.Context, words: Words) -> bool:
    """Tell whether the grammar takes the words for the command."""
    try:
        verb.tried(click.Context(verb, info_name=ctx.info_name, obj=ctx.obj), words)
    except (PbmservError, click.UsageError):
        return False
    return True


def place_words(way: Sequence[Slot], words: Words) -> dict[int, list[int]]:
    """Return which words belong in which places, both by their numbers, the surest first."""
    text_at = next((n for n, place in enumerate(way) if place.kinds == {Kind.TEXT}), None)
    found: dict[int, list[int]] = {}
    taken: set[int] = set()
    for number, at in _likely_pairs(way, words):
        here = found.setdefault(number, [])
        is_text = text_at is not None
        is_one = not way[number].repeats or (is_text and not _is_listed(words, here, at))
        if number != text_at and at not in taken and not (here and is_one):
            here.append(at)
            taken.add(at)
    if text_at is not None:
        last = max(taken, default=-1)
        free = [at for at in range(len(words)) if at not in taken]
        found[text_at] = [at for at in free if at > last or not says_nothing(words[at])]
    return {number: sorted(here) for number, here in found.items() if here}


def _likely_pairs(way: Sequence[Slot], words: Words) -> Iterator[tuple[int, int]]:
    """Yield the numbers of a place and a word that may stand there, the surest first."""
    pairs = (
        (-place_likeness(place, word), abs(number - at), number, at)
        for number, place in enumerate(way)
        for at, word in enumerate(words)
    )
    yield from ((number, at) for likeness, _, number, at in sorted(pairs) if likeness)


def _is_listed(words: Words, before: Sequence[int], at: int) -> bool:
    """Tell whether a colon behind a word, or behind one after it, says that all are names."""
    return bool(before) and any(word.endswith(":") for word in words[at:])


def place_likeness(place: Slot, word: str) -> float:
    """Return how likely a word stands in a place, from 0 to 1."""
    if word.lower() in place.words:
        return 1
    return max((_likeness(part, word) for part in place.parts if isinstance(part, Term)), default=0)


def _likeness(term: Term, word: str) -> float:
    """Return how likely a word is what a term names, by what it looks like."""
    kind, low = term.kind, word.lower()
    is_word = says_nothing(word) or low in OWN_WORDS or is_said(word)
    is_free = not is_word and not TURN.fullmatch(word)
    if kind is Kind.PLAYER and low == ME:
        return 0.55
    if term.name in {"ADDRESS", "NAME"}:
        return 0.4 if term.name == "NAME" else 0.9 * ("@" in word)
    is_it, likeness = LOOKS.get(kind, (lambda _: not is_word, 0.4))
    needs_freedom = kind in {Kind.PLAYER, Kind.PASSWORD} and word not in {"anyone", "PASSWORD"}
    is_likely = bool(is_it(word)) and (is_free or not needs_freedom)
    return likeness if is_likely else 0


LOOKS: Mapping[Kind, tuple[Callable[[str], object], float]] = {
    Kind.BOARD: (NUMBER.fullmatch, 1),
    Kind.PLAYER: (lambda word: USERID_FORM.fullmatch(word.rstrip(":")), 0.6),
    Kind.PASSWORD: (may_be_password, 0.7),
    Kind.GAME: (lambda word: word.lower() in game_names(), 1),
    Kind.MOVE: (lambda word: TURN.fullmatch(word) or word.lower() in VOTES - {"none"}, 1),
    Kind.PLAN: (PLAN.fullmatch, 0.95),
    Kind.NUMBER: (NUMBER.fullmatch, 0.9),
    Kind.DATE: (DATE.fullmatch, 1),
    Kind.TOURNAMENT: (lambda word: NUMBER.fullmatch(word) or " " in word, 0.9),
    Kind.FILE: (lambda word: "." in word or "/" in word, 0.8),
    Kind.TOPIC: (lambda word: word.lower() in topic_names() or is_name(word.lower()), 0.5),
}
"""The look of a word of each kind, and the likelihood that such a word is one."""


def says_nothing(word: str) -> bool:
    """Tell whether a word may be left out of a line that is not understood with it."""
    said = plain(word)
    return word.isascii() and word != "" and (said in fillers() or said in words_of("noise"))


def _strip_board(word: str, place: Slot) -> str:
    """Return a word as it stands in its place: a board without signs."""
    is_number = place.kinds & {Kind.BOARD, Kind.TOURNAMENT} and NUMBER.fullmatch(word)
    return word.lstrip("#") if is_number else word.upper() if TURN.fullmatch(word) else word


def _shown_option(option: str, *, in_shell: bool) -> str:
    """Return an option as it is shown, or nothing where its value may be a secret."""
    value = option.partition("=")[2]
    is_open = not value or NUMBER.fullmatch(value) or (in_shell and may_quote(value))
    return f"-{option.lstrip('-')}" if is_open else ""


def _show_word(word: str, place: Slot, *, in_shell: bool) -> str:
    """Return a word as it is shown in its place, its name where it may not be shown."""
    kinds = place.kinds
    name = FILE.name if Kind.FILE in kinds else str(place.parts[0])
    is_open = may_quote(word) and (in_shell or bool(NUMBER.fullmatch(word)))
    if Kind.PASSWORD in kinds and word.lower() != ME:
        return "PASSWORD" if may_be_password(word) else ""
    if word.lower() in place.words or word.lower() in {*CHOOSING, ME}:
        return word
    if Kind.TEXT in kinds:
        return word if is_open else "..."
    if kinds & {Kind.MOVE, Kind.PLAN}:
        return word * bool(PLAN.fullmatch(word) or word.lower() in VOTES)
    if Kind.DATE in kinds and DATE.fullmatch(word):
        return "YYYY-MM-DD"
    return word if is_open else name * bool(kinds & {Kind.PLAYER, Kind.FILE})


def tidy_words(verb: Command, words: Words) -> list[str]:
    """Return the words as they are written behind a command, as far as that can be told."""
    found = _write_plan(verb, _drop_names(verb, words))
    found = [piece for word in found for part in APART.split(word) for piece in _expand_range(part)]
    return _said_plainly(verb, _with_dashes(verb, _strip_signs(_with_moments(verb, found))))


def first_command(words: Words) -> Words:
    """Return the words up to where another command may begin."""
    lower, parting = [word.lower() for word in words], words_of("parting") | {*game_names()}
    signs = (at for at, word in enumerate(lower) if at and word in parting)
    ends = (at + 1 for at, word in enumerate(lower) if word[-1:] in {";", ","})
    return words[: min([*signs, *ends, len(words)])]


def _drop_names(verb: Command, words: Words) -> list[str]:
    """Return the words without the names of those that stand by themselves: ``--board=101``."""
    known = {option.name for option in verb.known}
    found: list[str] = []
    for word in words:
        named = NAMED_WORD.fullmatch(word)
        is_marked = word.startswith("-") or (named is not None and named[2])
        if named is None or not is_marked or named[1].lower() not in words_of("named") - known:
            found.append(word)
        elif named[2]:
            found.append(named[2])
    return found


def _write_plan(verb: Command, words: Words) -> list[str]:
    """Return a plan as it is written: ``if F6 then G7`` and ``F6 -> G7`` as one word."""
    if Kind.PLAN not in _kinds(verb):
        return [*words]
    found: list[str] = []
    is_answer = False
    for word in (ARROW.sub(r"\1:\2", word) for word in words):
        sign = word.lower()
        is_answer = is_answer or sign == "if"
        if sign in {"->", "=>", ":"} or (sign == "then" and is_answer):
            found.append(":")
        elif found[1:] and found[-1] == ":":
            found[-2:] = [f"{found[-2]}:{word}"]
        elif sign != "if":
            found.append("none" if sign in words_of("cleared") else word)
    return found


def _expand_range(word: str) -> list[str]:
    """Return the numbers from the first to the last of a few boards, else the word."""
    ends = RANGE.fullmatch(word)
    boards = range(int(ends[1]), int(ends[2]) + 1) if ends else range(0)
    return [*map(str, boards)] if len(boards) in range(2, MAX_BOARDS) else [word]


def _strip_signs(words: Words) -> list[str]:
    """Return the words without signs around them, and numbers in digits."""
    bare = [word.strip(SIGNS) for word in words]
    return [
        board_among([word]) if BOARD_LIKE.fullmatch(word) else word
        for word, after in pairwise([*bare, ""])
        if word and (word != "-" or not after.isalpha())
    ]


def _with_moments(verb: Command, words: Words) -> list[str]:
    """Return the words with what follows a board put behind it: ``101 after 2`` as 101#2."""
    slots = [each for param in verb.arguments for each in param.ways.slots]
    terms = [part for each in slots for part in each.parts if isinstance(part, Term)]
    if not any(term.has_moment and term.kind is Kind.BOARD for term in terms):
        return [*words]
    found: list[str] = []
    waiting, between = [*reversed(words)], words_of("before a moment")
    while waiting:
        word = waiting.pop()
        skipped = len([*takewhile(lambda w: w.lower() in between, reversed(waiting))])
        after = waiting[-skipped - 1] if len(waiting) > skipped else ""
        moment = MOMENT.fullmatch(after) if BOARD_FORM.fullmatch(word) and "#" not in word else None
        if moment and (skipped or after[0] in "#-"):
            del waiting[-skipped - 1 :]
            word = f"{word}#{after.lstrip('#')}"
        found.append(word)
    return found


def _with_dashes(verb: Command, words: Words) -> list[str]:
    """Return the words with options where their names, or a size, stand without a dash."""
    known = {option.name: option for option in verb.known}
    own = {word for param in verb.arguments for word in param.ways.words}
    is_size = "size" in known and _kinds(verb).isdisjoint({Kind.BOARD, Kind.NUMBER})
    found: list[str] = []
    for word in words:
        name = found[-1].lstrip("-:/").lower() if found else ""
        before = name if name in known else option_meant(name, known)
        if before and word.isdigit() and known[before].has_value(word):
            found[-1] = f"-{before}={word}"
        elif is_size and word.lstrip("-").isdigit():
            found.append(f"-size={word.lstrip('-')}")
        elif word.lower() in {"empty", "blank"} and "new" in own:
            found.append("new")
        else:
            found.append(word if word in own else _add_dashes(known, word))
    return found


def _add_dashes(known: Mapping[str, OptionName], word: str) -> str:
    """Return the option that a word is without a dash, else the word."""
    square, glued = SQUARE.fullmatch(word), GLUED.fullmatch(word)
    if square and "size" in known:
        return f"-size={square[1]}"
    if glued and glued[1].lower() in known and known[glued[1].lower()].has_value(glued[2]):
        return f"-{glued[1].lower()}={glued[2]}"
    if word.lower() in known and known[word.lower()].is_flag:
        return f"-{word.lower()}"
    if says_nothing(word):
        return word
    takers = [o for o in known.values() if o.has_value(word) and not o.has_value(NO_VALUE)]
    return f"-{takers[0].name}={word}" if len(takers) == 1 and word.isalpha() else word


def _said_plainly(verb: Command, words: Words) -> list[str]:
    """Return the words with a comment in place of what is said behind a move, and ``me`` for my."""
    words = [ME if word.lower() in {"my", "mine"} else word for word in words]
    if not takes_text(verb):
        words = [_selector(verb, word) for word in words]
    if Kind.MOVE not in _kinds(verb):
        return words
    before = [*takewhile(lambda word: not TURN.fullmatch(word), words)]
    turn = words[len(before) :]
    if turn:
        before = [word for word in before if word.lower() not in words_of("made")]
        if before[2:] and before[-1].isdigit() and len(before[-1]) < MIN_DIGITS:
            before.pop()  # the number of a move
    words, said = [*before, *turn], turn[1:]
    is_said_aloud = bool(said) and re.sub(r"[' ]", "", "".join(said)).isalpha()
    takes_comment = "comment" in [option.name for option in verb.known]
    others = words_of("apart") | words_of("noise") | fillers() | {ME}
    if not takes_comment or not is_said_aloud or {*map(plain, said)} & others:
        return words
    return [*before, turn[0], '-comment="TEXT"']


def _selector(verb: Command, word: str) -> str:
    """Return the selector that people say a word for, where the command takes it, else the word."""
    said = player_meant(word)
    own = {each for param in verb.arguments for each in param.ways.words}
    return said if said in own - {ME} else word


def takes_text(verb: Command) -> bool:
    """Tell whether what somebody says may stand behind a command."""
    return Kind.TEXT in _kinds(verb)


def _kinds(verb: Command) -> frozenset[Kind]:
    """Return the kinds of all words of a command."""
    return frozenset().union(*(param.ways.kinds for param in verb.arguments))
