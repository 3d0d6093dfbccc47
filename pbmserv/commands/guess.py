"""Guessing the command that was meant by words that are none: candidates, one score for all.

Whatever any of the words, or several as one, may mean is a candidate: the name of a command, a
slip for one, what people say for it, a board or a cell by itself. Its score is how like that is
(1 for the same word), what its place is worth, less what is left over or missing once the other
words are put in the command's places (``filling.py``). The best above a threshold is the answer;
what others notice, or what ends something, asks more of it. A distance of letters by itself (as
git and click have it) knows neither places nor what else stands in the line. The weights were
found on lists of slips; each is worth less than the one that it must not outweigh.

>>> from pbmserv.commands.command_table import root
>>> guess(root(), (), ["shwo", "101"])
Meant(line='star show 101')
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher, get_close_matches
from typing import TYPE_CHECKING, NamedTuple

from pbmserv.club.player import ME, USERID
from pbmserv.club.word_forms import one_edit, slip_of, stems
from pbmserv.commands.filling import (
    MAX_WORDS,
    TURN,
    UNPROPOSED,
    Filling,
    fill,
    first_command,
    own_line,
    takes_text,
)
from pbmserv.commands.grammar import Command, Group, follow
from pbmserv.commands.help_files import page_of_game
from pbmserv.commands.synonyms import (
    ANY_GAME,
    CELL,
    MIN_DIGITS,
    Audience,
    Meaning,
    Phrase,
    board_among,
    fillers,
    is_known,
    is_name,
    is_own_name,
    meant_by,
    no_notes,
    phrases,
    plain,
    telling,
    words_of,
)
from pbmserv.engine.games import SAMPLE_GAME, find_game, game_names
from pbmserv.errors import may_quote

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

SHELL_ONLY = "login"
"""A command that no tree has but that of the shell."""

HELP = "help"
EXPORT = "export"
"""The command of a game, and of the server."""
MAX_JOINED = 6
"""How many words people say as one."""

THRESHOLD = 0.75
REPLACING = 0.9
"""The same for what is meant by words behind a command that is known."""

LIKENESS = 0.75
"""How much of a word must be that of another to be a slip for it."""

GAME_LIKENESS = 0.6
"""The same for the name of a game before the name of a command of games."""

ALONE = 0.875
"""The same for a slip for what people say where nothing else is said."""

MIN_SLIP = 5
"""How many letters a word has at least that is one letter from what people say."""

MIN_SLIP_OF_NAME = 3
"""How many a word has at least that may be a slip for a name."""

SURE = 0.85
"""How like a name a word must be for what others notice."""

GLUED = re.compile(r"([A-Za-z*][A-Za-z*-]+)[#:/.(]?([0-9]{2,7}(?:#-?[0-9]+)?)", re.ASCII)
"""A word with the number of a board behind it."""

PIECES = re.compile(r"\*?[a-z]+\*?|[0-9]+(?:#-?[0-9]+)?", re.ASCII)
MAX_ASKING = 3
"""A question of so many words may be one of the words that people say."""

MAX_CANDIDATES = 6
"""How many are loaded, and filled with the other words."""


NO_PAGES = frozenset({Meaning((HELP,)), Meaning(("--version",))})
"""Rows without a page of their own."""


class Meant(NamedTuple):
    """A line that was likely meant."""

    line: str


class Elsewhere(NamedTuple):
    """A sentence that says where to look, where no line can be proposed."""

    sentence: str


class Line(NamedTuple):
    """Words that are not understood, also in plain letters, and where they stand.

    ``home`` are the names before them that are, ``*`` for that of any game, the last of which is
    the ``group``. A ``game`` is named by them, or before them.
    """

    tree: Group
    home: tuple[str, ...]
    words: tuple[str, ...]
    said: tuple[str, ...]
    game: str = ""
    is_game_said: bool = False
    group: str = ""

    @property
    def has_cell(self) -> bool:
        """Whether a cell is named."""
        return any(map(CELL.fullmatch, self.words))

    @property
    def has_place(self) -> bool:
        """Whether a board or a cell is named."""
        return self.has_cell or len(board_among(self.words)) >= MIN_DIGITS

    @property
    def is_question(self) -> bool:
        """Whether something is asked that is told on a page."""
        asking = self.said[0]
        is_mine = not {"my", "mine"}.isdisjoint(self.said) and asking in {"what", "which"}
        is_long = len(self.words) > MAX_ASKING or self.said[1:2] == ("about",)
        is_asked = asking in words_of("asking") - words_of("personal") and is_long
        return is_asked and not is_mine and not self.has_place

    def names(self, row: Meaning) -> tuple[str, ...]:
        """Return the names of a command, with the game that is named, or a usual one."""
        return tuple(self.game or SAMPLE_GAME if n == ANY_GAME else n for n in row.command)

    def left(self, used: Collection[int]) -> list[str]:
        """Return the words that say something and are not used."""
        rest = [word for n, word in enumerate(self.words) if n not in used]
        return telling(rest, words_of("noise") | words_of("asking") | {ME})


class Guess(NamedTuple):
    """A candidate meaning: a phrase, its likeness to the words, and the words that say it.

    Once its places are filled with the others it has a path, and a command unless it is a page.
    """

    score: float
    likeness: float
    phrase: Phrase
    used: frozenset[int]
    path: str = ""
    verb: Command | None = None
    filling: Filling | None = None

    @property
    def row(self) -> Meaning:
        """The row of the meaning."""
        return self.phrase.row


def guess(tree: Group, home: Sequence[str], words: Sequence[str]) -> Meant | Elsewhere | None:
    """Return the likely meaning of words after these names; None if nothing is likely."""
    line = read_line(tree, home, words)
    if line is None:
        return None
    if (hint := no_notes(line.words)) and home[:1] != ("admin",):
        return Elsewhere(hint)
    for tell in (_another_game, _game_alone, _help_of_group, _answer):
        if found := tell(line):
            return found
    cut = len(first_command(line.words))
    return _answer(line._replace(words=line.words[:cut], said=line.said[:cut]))


def guess_behind(tree: Group, names: Sequence[str], words: Sequence[str]) -> Meant | None:
    """Return the likely meaning of words after a command: its line, or another one in full."""
    said = [word for word in words if not word.startswith("-")]
    game = next((w for w in said[:1] + said[-1:] if w.lower() in game_names()), "")
    is_other = bool(game) and names[0] in game_names() and game.lower() != names[0]
    if names[0] == EXPORT and board_among(said):  # of a board, not of the sender's games
        names, is_other = (SAMPLE_GAME, EXPORT), True
    if is_other:
        names = (game.lower() or names[0], *names[1:])
        words = [word for word in words if word is not game]
    found = follow(tree, names)
    if not isinstance(found.command, Command):
        return None
    in_shell = tree.has(SHELL_ONLY)
    mine = own_line(found.command, found.context, words, in_shell=in_shell, is_new=is_other)
    if mine and found.command.name not in UNPROPOSED:
        return Meant(mine)
    synonyms = found.command.entry.synonyms
    for name in (names[-1], *synonyms):
        line = read_line(tree, names[:-1], [name, *words])
        least = 2 if name in synonyms else 0
        if line is not None and (answer := _in_full(line, least)):
            return answer
    return None


def page_meant(tree: Group, words: Sequence[str]) -> tuple[tuple[str, ...], bool] | None:
    """Return the names of the page that words likely ask for; None if none is likely.

    Behind them stands whether several words together say it.
    """
    group = tree.get_command(None, words[0])
    is_group = words[1:] and isinstance(group, Group) and group.find_game is None
    line = read_line(tree, words[:1] if is_group else (HELP,), words[bool(is_group) :])
    if line is None:
        return None
    best = _best(line) if is_group else _best_page(line)
    if best is None:
        is_game = line.game and not is_group and not telling(line.words)
        return ((line.game,), False) if is_game else None
    names = best.row.words if best.row.is_page else line.names(best.row)
    if best.row.is_page and len(names) == 1:
        names = (page_of_game(names[0], line.game),)
    names = names[: len(names) - (names[-1] == HELP)]
    return names, bool(is_group) or len(best.used) > 1


def _best_page(line: Line) -> Guess | None:
    """Return the page that the words likely ask for, or None."""
    best, most = None, THRESHOLD
    for each in candidates(line) if line.words else ():
        first = "".join((*each.row.words, *each.row.command)[:1])
        is_title = each.phrase.is_own and isinstance(line.tree.get_command(None, first), Group)
        score = each.score - (0.4 if is_title else 0.07) * len(line.left(each.used))
        is_there = follow(line.tree, line.names(each.row)).is_whole and each.row not in NO_PAGES
        if each.likeness >= 1 and is_there and score >= most:
            best, most = each, score
    return best


def read_line(tree: Group, home: Sequence[str], words: Sequence[str]) -> Line | None:
    """Return the words parted as they were meant; None if the first may be a secret."""
    words = [word.strip(",;:()") or word for word in words[:MAX_WORDS]]
    words = _without_politeness(words)
    if re.search("[0-9]{4}", words[0]) and not may_quote(words[0]):
        return None  # rather a password than a board
    pieces = [p for n, word in enumerate(words) for p in _pieces(word, is_first=not n)]
    if slip_of(pieces[0], [tree.name or ""]) and pieces[1:] and tree.has(pieces[1]):
        pieces = pieces[1:]
    pieces, said = _without_game(pieces, tuple(home))
    game = said or next((name for name in home if name in game_names()), "")
    names = tuple(ANY_GAME if name in game_names() else name for name in home if name != "all")
    group = plain("".join(home[-1:]))
    return Line(tree, names, (*pieces,), (*map(plain, pieces),), game, bool(said), group)


def _without_politeness(words: list[str]) -> list[str]:
    """Return the words without those before them that only ask for what they say: ``send me``."""
    at = next((n for n, word in enumerate(words) if plain(word) not in fillers()), 0)
    rest = words[at + 2 :]
    is_for_me = [plain(word) for word in words[at + 1 : at + 2]] == [ME]
    if not rest or not is_for_me or plain(words[at]) not in words_of("giving"):
        return words
    if board_among(rest):
        return [words[at], *rest]
    return ["rules", *rest] if {*map(plain, telling(rest))} <= {*game_names()} else rest


def _pieces(word: str, *, is_first: bool) -> list[str]:
    """Return the parts of a word that were written as one: ``hexshow``, ``star101``, ``@bob``."""
    glued, said = GLUED.fullmatch(word), word.lower()
    if glued and (may_quote(word) or len(glued[2]) == MIN_DIGITS):
        parts = _pieces(glued[1], is_first=is_first)
        is_open = may_quote(word) or all(is_known(part, game_names()) for part in parts)
        if (is_first and is_open) or glued[1].lower() in game_names():
            return [*parts, glued[2]]
    if is_first and word.startswith("@") and USERID.fullmatch(word[1:]):
        return ["message", word[1:]]
    if not is_first or plain(said) in phrases():
        return [word]
    ways = [PIECES.findall(said)] + [[said[:cut], said[cut:]] for cut in range(2, len(said) - 1)]
    return next((way for way in ways if way[1:] and all(map(is_name, way))), [word])


def _without_game(words: list[str], home: tuple[str, ...]) -> tuple[list[str], str]:
    """Return the words without the name of a game, and that game; as they are if none is named."""
    games = [find_game(name) for name in game_names()]
    names = {plain(nick): game.name for game in games for nick in (*game.aliases, *game.nicknames)}
    names |= {name: name for name in game_names()}
    for at in range(len(words) - 1):
        pair = [*map(plain, words[at : at + 2])]
        if all(map(str.isalnum, pair)) and (game := _named_game(names, "".join(pair), home)):
            return [*words[:at], *words[at + 2 :]], game
    for at, word in enumerate(words):
        is_own = word.lower() in game_names()
        if game := word.lower() if is_own else _named_game(names, plain(word), home):
            return [*words[:at], *words[at + 1 :]], game
    first, second = plain("".join(words[:1])), phrases().get("".join(words[1:2]), ())
    is_verb = any(each.row.home == (ANY_GAME,) for each in second)
    if home or len(first) < MIN_SLIP_OF_NAME - is_verb or first in phrases():
        return words, ""
    near = get_close_matches(first, names, 1, GAME_LIKENESS if is_verb else LIKENESS)
    return (words[1:], names[near[0]]) if near else (words, "")


def _named_game(names: Mapping[str, str], said: str, home: tuple[str, ...]) -> str:
    """Return the game of which something is said that is not its name, or nothing."""
    is_open = not home or (home == (HELP,) and said not in phrases())
    return names.get(said, "") * is_open


def _another_game(line: Line) -> Elsewhere | None:
    """Return which games there are, where the words name one that is played elsewhere."""
    names = {"".join(line.said[:count]) for count in (2, 3)} | {*line.said}
    is_elsewhere = names & words_of("elsewhere") - {*game_names()}
    return Elsewhere(f"Games: {', '.join(game_names())}.") if is_elsewhere else None


def _game_alone(line: Line) -> Meant | None:
    """Return a game, or its page, where the words say no more, and what tells how to play."""
    asking = words_of("asking")
    others = {*map(plain, telling(line.words, asking | {"cd", "i", "and"} | {*game_names()}))}
    is_asked, is_how = any(word in asking for word in line.said), line.said[:1] == ("how",)
    if line.home or others - {"play"} or not (is_how if others else line.game):
        return None
    page = line.game or "tutorial"
    return Meant(f"{line.tree.name} {f'{HELP} ' * (is_asked or is_how)}{page}")


def _help_of_group(line: Line) -> Meant | None:
    """Return the list of commands of a group where help is asked for behind it."""
    meant = phrases().get(line.said[0], ()) if line.said else ()
    is_help = any(each.is_own and each.row == Meaning((HELP,)) for each in meant)
    is_group = line.home not in ((), (ANY_GAME,))
    path = " ".join((line.tree.name or "", *line.home, "-h"))
    return Meant(path) if is_group and (is_help or line.said == ("?",)) else None


def _answer(line: Line) -> Meant | Elsewhere | None:
    """Return the most likely meaning of the words, if it may be proposed."""
    best = _best(line)
    return None if best is None else _answer_for(line, best)


def _best(line: Line) -> Guess | None:
    """Return the most likely meaning of the words; None if nothing is likely enough."""
    best: Guess | None = None
    for each in sorted(candidates(line), key=_order)[:MAX_CANDIDATES] if line.words else ():
        # To fill places only costs, and to load a command takes time; a group may lead to more.
        if best is not None and each.score <= best.score and not each.row.is_group:
            continue
        filled = _fill_candidate(line, each)
        if filled is not None and (best is None or filled.score > best.score):
            best = filled
    return best if best is not None and best.score >= THRESHOLD else None


def _in_full(line: Line, least: int) -> Meant | None:
    """Return the meaning of words that begin with a known command, if they say it in full.

    At least so many of them say it.
    """
    found = [each for each in candidates(line) if _may_replace(each) and len(each.used) >= least]
    sure = [each for each in found if each.score >= (REPLACING if each.used else THRESHOLD)]
    best: Guess | None = None
    for each in sorted(sure, key=_order)[:MAX_CANDIDATES]:
        filled = _fill_candidate(line, each) if best is None or each.score > best.score else None
        if filled is not None and _is_full(filled) and (best is None or filled.score > best.score):
            best = filled
    if best is None or best.score < (REPLACING if best.used else THRESHOLD):
        return None
    answer = _answer_for(line, best)
    return answer if isinstance(answer, Meant) else None


def _may_replace(candidate: Guess) -> bool:
    """Tell whether more is said than the name of a command that is known."""
    is_more = candidate.used != {0} or candidate.phrase.before_number
    is_page = HELP in candidate.row.command and 0 not in candidate.used
    return not candidate.used or (candidate.likeness >= 1 and is_more and not is_page)


def _is_full(candidate: Guess) -> bool:
    """Tell whether all that was said has a place in a command."""
    filling, is_phrase = candidate.filling, candidate.used != {0}
    return filling is None or (not filling.dropped and (is_phrase or not filling.missing))


def _order(candidate: Guess) -> tuple[float, int]:
    return (-candidate.score, candidate.row.audience)


def candidates(line: Line) -> Iterator[Guess]:
    """Yield the candidate meanings of the words, each row once."""
    found: dict[tuple[Meaning, bool], Guess] = {}
    for phrase, likeness, used in _meanings(line):
        is_numbered = bool(board_among(line.words[max(used, default=0) + 1 :]))
        is_out = line.home[:1] == ("admin",) != phrase.row.command[:1]
        if is_out or (phrase.before_number and not is_numbered):
            continue
        score = likeness + _place_value(line, phrase, likeness, used)
        known = found.get((phrase.row, phrase.is_own))
        if known is None or score > known.score:
            found[phrase.row, phrase.is_own] = Guess(score, likeness, phrase, used)
    yield from found.values()


def _meanings(line: Line) -> Iterator[tuple[Phrase, float, frozenset[int]]]:
    """Yield each phrase that some of the words may say, how like it they are, and which."""
    asked = [n for n, word in enumerate(line.said) if word and word not in fillers()]
    exact: set[int] = set()
    for phrase, likeness, used in _exact_meanings(line, asked):
        is_here = phrase.row.command[:1] == ("admin",) or line.home[:1] != ("admin",)
        if is_here and (phrase.is_own or not line.home or phrase.row.home == line.home):
            exact |= used
        yield phrase, likeness, used
    for at in asked[:2]:
        if at not in exact | {n for n in asked if line.said[n] in _unsaid_words()}:
            yield from _slips(line, at)
    yield from _meanings_of_places(line)


def _slips(line: Line, at: int) -> Iterator[tuple[Phrase, float, frozenset[int]]]:
    """Yield each phrase that a word may be a slip for, by itself or with the next one."""
    word, after = line.said[at], "".join(line.said[at + 1 : at + 2])
    least = LIKENESS if line.said[1:] else ALONE
    for name in (word, f"all{word}" if line.group == "all" else ""):
        for phrase, likeness in _alike(name):
            if phrase.is_own or likeness >= least:
                yield phrase, likeness, frozenset({at})
    for phrase, likeness in _alike(f"{word}{after}") if after else ():
        if phrase.is_own:
            yield phrase, likeness - 0.02, frozenset({at, at + 1})


def _unsaid_words() -> frozenset[str]:
    """Return the words that say nothing by themselves where others stand beside them."""
    return words_of("asking") | {ME, "my", "mine", "i"}


def _exact_meanings(
    line: Line, asked: Sequence[int]
) -> Iterator[tuple[Phrase, float, frozenset[int]]]:
    """Yield each phrase that some of the words say, those before them that are known too."""
    said, greeting = line.said, Meaning((HELP,))
    for used in _spans(said, asked):
        is_alone = len(used) == 1 and asked[1:]
        if not all(said[n] for n in used) or (is_alone and said[used[0]] in _unsaid_words()):
            continue
        text = "".join(said[n] for n in used)
        for before in ("", line.group) if line.group and not used[0] else ("",):
            likeness = 1 + 0.07 * (len(used) - 1) + 0.25 * bool(before)
            for phrase in meant_by(f"{before}{text}"):
                # A greeting is said first.
                if phrase.row != greeting or phrase.is_own or used[0] == asked[0]:
                    yield phrase, likeness, frozenset(used)


def _spans(said: Sequence[str], asked: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield the numbers of words that may be said as one: in a row, or with others between."""
    for at in range(len(said)):
        for count in range(1, min(MAX_JOINED, len(said) - at) + 1):
            yield tuple(range(at, at + count))
    for first in asked[:2]:
        yield from ((first, after) for after in range(first + 2, len(said)))
    if asked[1:]:
        yield from (tuple(asked[:count]) for count in (2, 3))


def _alike(word: str) -> Iterator[tuple[Phrase, float]]:
    """Yield the phrases that a word may be a slip, a form or a beginning of, with a likeness."""
    if not word[1:] or word[0].isdigit():
        return
    matcher = SequenceMatcher(b=word, autojunk=False)
    for text, meant in phrases().items():
        is_own = any(phrase.is_own for phrase in meant)
        likeness = _form_likeness(word, text, is_own=is_own)
        if likeness < SURE and abs(len(text) - len(word)) <= len(word) // 2:
            matcher.set_seq1(text)
            if matcher.quick_ratio() >= LIKENESS:
                likeness = max(likeness, matcher.ratio() - 0.05 * (text[0] != word[0]))
        if likeness >= LIKENESS:
            yield from ((phrase, likeness - 0.05 * (not phrase.is_own)) for phrase in meant)


def _form_likeness(word: str, text: str, *, is_own: bool) -> float:
    """Return how like a phrase another form of it is, or one with a slip; 0 for neither."""
    is_kept = is_own or text[0] == word[0]
    is_slip = one_edit(word, text) and len(text) >= MIN_SLIP_OF_NAME
    if is_own and text.startswith(word):
        return 0.9 + 0.05 * len(word) / len(text)
    if text in stems(word) or f"{word}s" == text:
        return 0.92 if is_own else 0.9
    if is_kept and len(word) >= MIN_SLIP_OF_NAME and sorted(text) == sorted(word):
        return 0.93
    if is_slip and is_own:
        return 0.78
    return 0.93 * (is_slip and is_kept and len(word) >= MIN_SLIP)


def _meanings_of_places(line: Line) -> Iterator[tuple[Phrase, float, frozenset[int]]]:
    """Yield the meaning of a lone board or cell: to show the one, to play the other."""
    if line.home not in ((), (ANY_GAME,), ("tournament",)):
        return
    if line.said[:1] != ("move",) and any(TURN.fullmatch(word) for word in line.words):
        yield Phrase(Meaning((ANY_GAME, "move"), (), Audience.OPPONENT)), 0.85, frozenset()
    if any(board_among([word]) for word in line.words):
        home = line.home or (ANY_GAME,)
        is_asked = line.said[0] in words_of("asking")
        yield Phrase(Meaning((*home, "show"))), 1.05 if is_asked else 0.77, frozenset()


def _place_value(line: Line, phrase: Phrase, likeness: float, used: frozenset[int]) -> float:
    """Return the score of a phrase for the position of its words."""
    row, is_joint = phrase.row, len(used) > 1
    is_operator = row.audience is Audience.OPERATOR
    if line.home == (HELP,):
        return 0.1 * row.is_page - (0.05 if phrase.is_own else 0.3) * is_operator
    is_name = phrase.is_own and likeness >= 1 and not row.is_page
    value = (0.08 * is_name + 0.02 * phrase.is_own) * (not is_joint)
    value += 0.05 * phrase.before_number - (0.01 if is_joint else 0.05) * row.is_ending
    if row.is_page:
        value += 0.15 * line.is_question - 0.15 * (not is_joint)
    elif row.is_group:
        value -= 0.2 * bool(row.home) + (0.05 if line.home else -0.05)
    elif _is_at_home(line, row, frozenset() if is_joint else used):
        value += 0.1 - 0.05 * (is_operator and line.home[:1] != row.command[:1])
    elif row.home == (ANY_GAME,):
        is_likely = line.game or line.has_place or is_name
        value += (0.05 if is_likely else -0.05) - 0.25 * bool(line.home)
    else:
        value -= _cost_outside(line, phrase, is_joint=is_joint)
    return value


def _is_at_home(line: Line, row: Meaning, used: frozenset[int]) -> bool:
    """Tell whether a command's group stands before the words, or is named by those not used."""
    is_group = row.home[-1:] == (line.group.removesuffix("s"),)
    return row.home == line.home or is_group or bool(_naming_words(line, row) - used)


def _cost_outside(line: Line, phrase: Phrase, *, is_joint: bool) -> float:
    """Return the cost of a phrase that belongs after other names."""
    row, is_in_game = phrase.row, line.home == (ANY_GAME,)
    if line.home and row.home[: len(line.home)] == line.home:
        return -0.05 * is_joint
    cost = 0.05 * (row.audience is Audience.OPERATOR)
    if not row.home:
        return cost + (0.05 if is_in_game else 0.2)
    cost += 0.3 if phrase.is_own else 0.04 if is_joint else 0.08
    cost += 0.05 if is_in_game else 0.2 * bool(line.home)
    cost += 0.15 * (row.is_ending and line.home not in ((), (ANY_GAME,)))
    return cost + 0.03 * (len(row.home) - 1)


def _naming_words(line: Line, row: Meaning) -> set[int]:
    """Return which words name the group of a command."""
    group = {name.removesuffix("s") for name in row.home[-1:] if name != ANY_GAME}
    return {n for n, word in enumerate(line.said) if word.removesuffix("s") in group}


def _cost_of(line: Line, candidate: Guess, dropped: Sequence[str]) -> float:
    """Return the cost of words without a place, and of words before the name."""
    if candidate.row.command == (ANY_GAME, "move"):
        dropped = [word for word in dropped if not CELL.fullmatch(word)]
    before = line.left(range(min(candidate.used, default=0), len(line.words)))
    before = [word for word in before if word not in dropped and not _is_place(word)]
    return 0.07 * len(before) + sum(map(_cost_of_word, dropped))


def _cost_of_word(word: str) -> float:
    """Return the cost of leaving a word out."""
    if _is_place(word):
        return 0.25 if CELL.fullmatch(word) else 0.14
    if plain(word) in words_of("doing"):
        return 0.07
    return 0.2 if plain(word) in phrases() else 0.15


def _is_place(word: str) -> bool:
    """Tell whether a word is a board, a cell or an option, which may stand anywhere."""
    return bool(board_among([word]) or CELL.fullmatch(word)) or word.startswith("-")


def _fill_candidate(line: Line, candidate: Guess) -> Guess | None:
    """Return a candidate with its places filled; None if the tree has no such command."""
    row, names = candidate.row, line.names(candidate.row)
    if "--version" in names:
        path = f"{line.tree.name} --version"
        return candidate._replace(path=path) if line.tree.has(SHELL_ONLY) else None
    found = follow(line.tree, names)
    used = candidate.used | _naming_words(line, row)
    if not found.is_whole:
        return _shell_command(line, candidate, used)
    path, verb = " ".join(names) if ANY_GAME in row.command else found.path, found.command
    if not isinstance(verb, Command):
        return _guess_in_group(line, candidate._replace(path=path))
    used |= {n for n, word in enumerate(line.said) if word == plain(names[-1])}
    if row.is_page or (names[-1] == HELP and row.home):
        return _guess_page(line, candidate._replace(path=path), used)
    rest = _rest(line, candidate, verb, used)
    words = [word for n, word in rest if line.said[n] not in words_of("asking")]
    if line.is_game_said and ANY_GAME not in row.command:
        words.append(line.game)
    in_shell = line.tree.has(SHELL_ONLY)
    filling = fill(verb, found.context, words, in_shell=in_shell, given=row.words)
    is_shown = not candidate.used and names[-1] == "show"
    left = line.left({n for n, _ in rest}) if is_shown else [*filling.dropped]
    cost = _cost_of(line, candidate, left) + 0.02 * filling.missing * bool(words)
    cost += 0.2 * (not filling.missing and not filling.is_whole and bool(words))
    return candidate._replace(score=candidate.score - cost, path=path, verb=verb, filling=filling)


def _rest(line: Line, guess: Guess, verb: Command, used: Collection[int]) -> list[tuple[int, str]]:
    """Return the words with their numbers that may stand in a command's places."""
    rest = [(n, word) for n, word in enumerate(line.words) if n not in used]
    if not takes_text(verb) and (guess.used or verb.name != "show"):
        return rest
    # Words before the name hardly name the recipient.
    start = min(guess.used, default=len(line.words))
    return [(n, word) for n, word in rest if n > start or _is_place(word) or word.lower() == ME]


def _guess_page(line: Line, candidate: Guess, used: Collection[int]) -> Guess:
    """Return a page of help, or a game's rules, at the cost of what else is said."""
    row = candidate.row
    left = [word for word in line.left(used) if not _is_place(word)]
    cost = (0.5 if row.is_page else 1) * sum(map(_cost_of_word, left))
    topic = [line.game or SAMPLE_GAME if word == ANY_GAME else word for word in row.words]
    if len(topic) == 1:
        topic = [page_of_game(topic[0], line.game)]
    path = " ".join([candidate.path, *topic])
    return candidate._replace(score=candidate.score - cost, path=path)


def _shell_command(line: Line, candidate: Guess, used: Collection[int]) -> Guess | None:
    """Return a command that only a shell has, without a path; None if it is not surely meant."""
    is_named = not candidate.row.home or len(used) > len(candidate.used)
    is_sure = not line.home and candidate.likeness >= SURE and is_named
    cost = (0.05 if candidate.row.home else 0.2) + _cost_of(line, candidate, line.left(used))
    other = candidate._replace(score=candidate.score - cost)
    return other if is_sure and not line.tree.has(SHELL_ONLY) else None


def _guess_in_group(line: Line, candidate: Guess) -> Guess:
    """Return the likely meaning within a named group; the candidate itself if there is none."""
    start = max(candidate.used, default=-1) + 1
    inner = line._replace(
        home=candidate.row.command,
        words=line.words[start:],
        said=line.said[start:],
        group=plain(candidate.row.command[-1]),
    )
    if (found := _best(inner)) is not None:
        return found._replace(score=found.score - 1 + candidate.likeness)
    cost = _cost_of(line, candidate, line.left(candidate.used))
    return candidate._replace(score=candidate.score - cost)


def _answer_for(line: Line, candidate: Guess) -> Meant | Elsewhere | None:
    """Return the answer that a candidate is: its line, its page or nothing, by who notices it."""
    row, names = candidate.row, line.names(candidate.row)
    if not candidate.path:
        return Elsewhere("This works only on the server's own command line.")
    is_asked = line.is_question and names != (HELP,)
    is_home = row.audience is not Audience.OPERATOR or row.home == line.home
    is_page = is_asked and not row.is_page
    if row.is_ending:
        is_page = is_page or not (is_home and _is_named(line, candidate))
        is_likely = candidate.phrase.is_own or candidate.likeness >= SURE
    else:
        is_page = is_page or (not is_home and line.home in ((ANY_GAME,), ("tournament",)))
        is_likely = row.audience is Audience.PRIVATE or is_asked or _is_sure(line, candidate)
    if not is_likely:
        return None
    names = names[: len(names) - (is_asked and names[-1] == HELP)]
    page = " ".join((line.tree.name or "", HELP, *names))
    return Meant(page if is_page else _shown(line, candidate))


def _is_named(line: Line, candidate: Guess) -> bool:
    """Tell whether the words are the name of what ends something, or nothing but a slip for it."""
    word, name = "".join(line.said[n] for n in sorted(candidate.used)), candidate.row.command[-1]
    return candidate.phrase.is_own and is_own_name(word, name) and name not in UNPROPOSED


def _is_sure(line: Line, candidate: Guess) -> bool:
    """Tell whether words say surely enough what others notice: at once, and with no slip."""
    before = line.left(range(min(candidate.used, default=0), len(line.words)))
    placed = candidate.filling.words if candidate.filling is not None else ()
    late = [word for word in before if {word, f"-{word}"}.isdisjoint(placed)]
    is_late = any(plain(word) not in words_of("doing") for word in late)
    is_operator = candidate.row.audience is Audience.OPERATOR
    is_loud = not is_operator or (candidate.verb is not None and takes_text(candidate.verb))
    return (candidate.phrase.is_own or candidate.likeness >= SURE) and not (is_late and is_loud)


def _shown(line: Line, candidate: Guess) -> str:
    """Return the line that is proposed: whole if it is understood, else the command's name."""
    filling, verb, row = candidate.filling, candidate.verb, candidate.row
    if filling is None or verb is None:
        return candidate.path
    is_told = row.words or (row.command[1:] == ("move",) and line.has_cell)
    if is_told or (filling.is_whole and filling.shown):
        return f"{candidate.path} {filling.shown or ' '.join(row.words)}"
    if filling.is_whole and not filling.words:
        return candidate.path
    return f"{candidate.path} {board_among(line.words) if verb.shows_board else ''}".rstrip()
