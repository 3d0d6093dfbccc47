"""The command that words which are none were likely meant to be."""

from __future__ import annotations

import re
from difflib import get_close_matches
from itertools import chain, pairwise, product
from typing import TYPE_CHECKING, NamedTuple

from pbmserv.club.player import ME, USERID
from pbmserv.club.selectors import SELECTORS
from pbmserv.club.word_forms import BETWEEN, SLIP, nearest, slip_of, stems
from pbmserv.commands.audiences import Audience, audience_of, is_ending, is_own_name
from pbmserv.commands.command_table import KEPT_FREE
from pbmserv.commands.grammar import Family, Verb, follow
from pbmserv.commands.help import verbs
from pbmserv.commands.help_files import topic_names
from pbmserv.commands.repairs import MADE, NOISE
from pbmserv.commands.said import (
    BOARD,
    CELL,
    DOING,
    FILLERS,
    GAME,
    HELP,
    LEAST_DIGITS,
    MOVE,
    UNPROPOSED,
    VERSION,
    board_among,
    by_word,
    is_known,
    is_said,
    meaning,
    meant,
    meant_together,
    no_notes,
    plain,
    without_fillers,
)
from pbmserv.engine.games import SAMPLE_GAME, game_names
from pbmserv.errors import PbmservError, may_quote

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    import click

SHELL_ONLY = "login"
"""A command that no tree has but that of the shell."""

GLUED = re.compile(r"([A-Za-z*][A-Za-z*-]+)[#:/.(]?([0-9]{2,7}(?:#-?[0-9]+)?)", re.ASCII)
"""A word with the number of a board behind it."""

FIRST = 100
"""No board has this number, or a smaller one."""

PIECES = re.compile(r"\*?[a-z]+\*?|[0-9]+(?:#-?[0-9]+)?", re.ASCII)
ACTIONS = frozenset(
    {"cancel", "check", "close", "create", "daily", "edit", "end", "enter", "get", "join", "leave"}
    | {"make", "new", "open", "print", "quit", "read", "remove", "run", "see", "set", "show"}
    | {"start", "stop", "view", "write"}
)
"""What people say is to be done with a thing that is named behind it."""

TALKING = frozenset({"chat", "hello", "say", "speak", "talk"})
BEFORE_OPPONENT = frozenset({"with", "against", "vs", "versus"})

PLAYED_ELSEWHERE = (
    "amazons backgammon baduk battleship bridge checkers chess connect4 connectfour dominoes"
    " draughts gomoku havannah lines mahjong mancala morris noughtsandcrosses othello poker renju"
    " reversi rummy scrabble shogi tictactoe twixt weiqi xiangqi"
)
OTHER_GAMES = frozenset(PLAYED_ELSEWHERE.split())
"""Games that people ask for; one that has a file is played here all the same."""

GIVING = frozenset({"explain", "get", "give", "mail", "send", "show", "teach", "tell"})
"""What people ask to be done with what they want to have: ``send me``."""

ASKING = frozenset({"does", "how", "what", "when", "where", "which", "who", "whos", "whose", "why"})
PERSONAL = frozenset({"when", "who", "whos"})
MOST_ASKING = 3
"""A question of so many words may be one of the words that people say."""

MESSAGE = "pbmserv message"
TUTORIAL = "tutorial"

IN_EVERY_LIST = frozenset({"next", "active"})
"""The selectors that every list of a player's boards takes."""

GAME_LIKENESS = 0.6
"""How like the name of a game a word must be that stands before a verb of the games."""

CLOSE = 0.85
"""How like a word that people say another must be to be taken for it before less like commands."""

SHORTEST_SLIP = 6
"""How many letters a word of the table has at least that another may be a slip for."""


class Where(NamedTuple):
    """Where a word stands: which commands may stand there, and what stands before it."""

    name: str
    family: Family
    path: str


class Slip(NamedTuple):
    """Words of which the first is no command of the family, and where they may belong."""

    tree: Family
    family: Family
    path: str
    places: Sequence[Where]
    words: Sequence[str]

    @property
    def game(self) -> Where | None:
        """The place behind the name of a game, if they may belong there."""
        return next((place for place in self.places if place.name == GAME), None)


def hint_for(tree: Family, family: Family, words: Sequence[str], path: str) -> str:
    """Return what words, of which the first is no command of the family, were likely meant to be.

    ``path`` is what stands before the words. No hint leads out of ``admin``, or to a command that
    the tree lacks.
    """
    words = [word.strip(",;:()") or word for word in words]
    words = [
        piece for at, word in enumerate(words) for piece in _unglued(tree, word, is_first=not at)
    ]
    if re.search("[0-9]{4}", words[0]) and not may_quote(words[0]):
        return ""  # rather a password than a board
    if slip_of(words[0], [tree.name or ""]) and words[1:] and tree.has(words[1]):
        words = words[1:]
    slip = Slip(tree, family, path, _places(tree, family, words, path), words)
    hint = no_notes(words)
    if hint and slip.places[0].name.partition(" ")[0] != "admin":
        return hint
    for tell in (_addressed, _played_with, _asked):
        if found := _proposed(slip, tell(slip)):
            return f"Did you mean {found}?"
    words = _without_politeness(words)
    slip = Slip(tree, family, path, _places(tree, family, words, path), words)
    for find, is_command in WAYS:
        said = find(slip)
        if found := _proposed(slip, said) if is_command else said:
            return f"Did you mean {_whole(slip, found)}?" if is_command else found
    return ""


def hint_behind(tree: Family, verb: Verb, full_path: str, words: Sequence[str]) -> str:
    """Return what the name of a command means together with the words behind it."""
    names = full_path.split(" ")
    family = follow(tree, names[1:-1]).command
    if not isinstance(family, Family):
        return ""
    path = " ".join(names[:-1] if verb.game is None else [verb.game.name])
    for name in (verb.name or "", *verb.entry.synonyms):
        said = [name, *words]
        places = _places(tree, family, said, path)
        places = [place for place in places if meant_together(place.name, said)]
        slip = Slip(tree, tree, path, places, said)
        if found := _proposed(slip, _said(tree, places, said) if places else ""):
            return f"Did you mean {_whole(slip, found)}?"
    return ""


def _proposed(slip: Slip, found: str) -> str:
    """Return what may be proposed of a command that was found: itself, its page, or nothing.

    A word that nobody says for a command may be private: nothing is proposed that others see.
    """
    names = found.split(" ")
    way = follow(slip.tree, names[names[0] == slip.tree.name :])
    verb = way.command
    if not isinstance(verb, Verb) or verb.name == HELP:
        return found
    others = NOISE | ASKING | {ME, *game_names()}
    words = [word for word in map(plain, slip.words) if word not in others and not word.isdigit()]
    command = way.path.partition(" ")[2]
    audience, is_last = audience_of(command), is_ending(command)
    is_operator = audience is Audience.OPERATOR
    is_below = is_operator and slip.family is not slip.tree and found.startswith(f"{slip.path} ")
    if not is_last and (audience is Audience.PRIVATE or is_below):
        return found
    is_own = verb.name not in UNPROPOSED and is_own_name("".join(words[:1]), verb.name or "")
    if not is_own and not _is_said_for(slip, words, verb, command):
        return ""
    is_home = not is_operator or way.path == f"{slip.path} {verb.name}"
    is_open = is_own and is_home if is_last else is_home or slip.places[0].name != GAME
    return found if is_open else f"{slip.tree.name} {HELP} {command}"


def _is_said_for(slip: Slip, words: Sequence[str], verb: Verb, command: str) -> bool:
    """Tell whether words begin with what people say for a command, its name, or a slip for it."""
    own = {verb.name or "", *verb.entry.synonyms}
    first, is_text = "".join(words[:1]), "text" in {option.name for option in verb.known}
    behind = [] if is_text and first not in ACTIONS else words[1:]
    ways = (slip.words, words, behind, *([stem] for stem in stems(first)))
    places = [*(place.name for place in slip.places), command.rpartition(" ")[0]]
    means = (meaning(place, way)[0] for place in places for way in ways)
    tables = chain(*(by_word(place).items() for place in places))
    said = [said for said, meant in tables if own & {*meant.strip("/").split()}]
    long = [word for word in said if len(word) >= SHORTEST_SLIP]
    is_move = any(map(CELL.fullmatch, slip.words)) or not BETWEEN.isdisjoint(slip.words)
    return (
        first in TALKING
        or slip.words[0].startswith("@")
        or (is_move and not is_text)
        or any(own & {*meant.strip("/").split()} for meant in means)
        or not own.isdisjoint(map(plain, slip.words[:2]) if is_text else words)
        or first.endswith(tuple(own))
        or bool(get_close_matches(first, [*own, *long], 1, CLOSE))
        or bool(nearest(first, own) and not is_ending(command))
    )


def _without_politeness(words: Sequence[str]) -> Sequence[str]:
    """Return the words without those before them that only ask for what they say."""
    if plain(words[0]) == "dear" and words[2:]:
        words = words[2:]
    telling = without_fillers(words)
    if telling and plain(words[0]) in FILLERS and plain("".join(words[:2])) not in by_word(""):
        words = telling
    is_asked = [plain(word) for word in words[1:2]] == [ME] and plain(words[0]) in GIVING
    if not is_asked or not words[2:]:
        return words
    return ["rules", *words[2:]] if {*map(plain, words[2:])} <= {*game_names()} else words[2:]


def _whole(slip: Slip, found: str) -> str:
    """Return the command that was found with the words that belong behind it, if they all do."""
    in_shell = slip.tree.has(SHELL_ONLY)
    if in_shell and {ME, "my", "mine", "i"} & {*map(str.lower, slip.words)}:
        found = found.replace("USERID PASSWORD", ME).replace("USERID", ME)
    names = found.split(" ")
    way = follow(slip.tree, names[names[0] == slip.tree.name :])
    if not isinstance(way.command, Verb) or way.command.name == HELP or ME in names:
        return found
    rest = _left_behind(slip, way.command, names)
    given = [word for word in way.left if word not in {"BOARD", "USERID", "PASSWORD"}]
    if not rest or (len(given) < len(way.left) and {*map(plain, rest)} <= NOISE):
        return found
    from pbmserv.commands.mended import mended

    words = [*rest, *given]
    return mended(way.command, way.context, words, in_shell=in_shell, is_new=True) or found


def _left_behind(slip: Slip, verb: Verb, names: Sequence[str]) -> list[str]:
    """Return the words that neither say the names of the command nor stand among them."""
    behind = slip.words[max(meaning(place.name, slip.words)[1] for place in slip.places) :]
    rest = [word for word in behind if not {word.lower(), board_among([word])} & {*names}]
    if verb.game is not None:
        return rest
    return [word for word in rest if int(f"0{board_among([word])}".partition("#")[0]) <= FIRST]


def _behind_a_game(slip: Slip) -> str:
    """Return where a verb of the games belongs that stands before, or without, a game."""
    words, game = slip.words, slip.game
    is_known = slip.family is not slip.tree or slip.tree.has(words[0])
    is_known = is_known or bool(meant_together("", words))
    if game is None or is_known or not game.family.has(words[0]):
        return ""
    if meant(GAME, words) or _game(slip.tree, words[1:]):
        return ""
    said = _command(game, words)
    whole = _whole(slip, said)
    return (
        f"It follows the name of a game, as in: {said} ..."
        if whole == said
        else f"Did you mean {whole}?"
    )


def _thing_in_a_shell(slip: Slip) -> str:
    """Return where a thing can be had that this door has not, if the first word says what to do."""
    if slip.words[1:] and slip.words[0].lower() in ACTIONS:
        return _in_a_shell(slip._replace(words=slip.words[1:]))
    return ""


def _in_a_shell(slip: Slip) -> str:
    """Return where a command works that this door has not."""
    is_elsewhere = slip.family is slip.tree and not slip.tree.has(SHELL_ONLY)
    said = meant("", slip.words).partition(" ")[0]
    known = {said, slip.words[0].lower()} & KEPT_FREE
    is_kept = is_elsewhere and not all(map(slip.tree.has, known))
    return "That works on the server's own command line only." if is_kept else ""


def _said_behind(slip: Slip) -> str:
    """Return what people say the words behind the first for."""
    is_open = slip.family is slip.tree or slip.game is not None
    is_other = is_open and slip.words[1:] and slip.words[1].lower() not in SELECTORS
    return _said_within(slip, slip.words[1:]) if is_other else ""


def _said_behind_another(slip: Slip) -> str:
    """Return the same where the first word is hardly a slip for a command."""
    known = [name for place in slip.places for name in place.family.known_words()]
    near = slip_of(slip.words[0], known) or nearest(slip.words[0], known)[:1] == slip.words[0][:1]
    return "" if near else _said_behind(slip)


def _said_within(slip: Slip, words: Sequence[str]) -> str:
    """Return what people say any of the words for, several as one before one alone."""
    for fewest, at in product((2, 1), range(len(words))):
        rest = words[at:]
        places = [place for place in slip.places if meaning(place.name, rest, fewest)[0]]
        is_topic = meaning(HELP, rest, fewest)[0]
        found = (places or is_topic) and _said(slip.tree, places or slip.places, rest)
        if found:
            return found
    return _said(slip.tree, slip.places, words)


def _said_telling(slip: Slip) -> str:
    """Return what people say those of the words for that say anything."""
    telling = without_fillers(slip.words)
    return _said(slip.tree, slip.places, telling) if telling else ""


def _addressed(slip: Slip) -> str:
    """Return the message to whom words such as ``@bob hello`` are said to."""
    to = slip.words[0][1:].rstrip(":,")
    is_player = slip.words[0].startswith("@") and USERID.fullmatch(to) and slip.family is slip.tree
    return (
        _whole(slip._replace(words=["message", to, *slip.words[1:]]), MESSAGE) if is_player else ""
    )


def _asked(slip: Slip) -> str:
    """Return the command that a question is for: about one's own, about a board, else a page."""
    if slip.family is not slip.tree or plain(slip.words[0]) not in ASKING:
        return ""
    words = without_fillers(slip.words, ASKING)
    return next(filter(None, (way(slip, words) for way in ANSWERS)), "") if words else ""


def _asked_of_mine(slip: Slip, words: Sequence[str]) -> str:
    """Return the command for what is asked about one's own: my turn, my rating."""
    del words
    said = [word.lower() for word in slip.words]
    mine = said[said.index("my") :] if "my" in said else []
    return _said(slip.tree, slip.places, mine) if meant_together("", mine) else ""


def _asked_of_board(slip: Slip, words: Sequence[str]) -> str:
    """Return the command for what is asked about a board, if one is named."""
    if not words[1:] or not board_among(words):
        return ""
    places = [slip.game or slip.places[0]]
    is_joint = meant_together(GAME, slip.words)
    found = _said(slip.tree, places, slip.words if is_joint else words)
    found = found or _reordered(places, words)
    if not found or f" {HELP}" in found:
        found = f"{places[0].path} show {board_among(words)}"
    return _whole(slip._replace(words=words), found)


def _asked_of_game(slip: Slip, words: Sequence[str]) -> str:
    """Return the page of a game whose rules are asked for, or the tutorial for how to play."""
    games = [plain(word) for word in words if plain(word) in game_names()]
    others = [word for word in words if plain(word) not in {"play", *games}]
    is_of_game = all(meant(GAME, [word]) == HELP for word in others)
    if plain(slip.words[0]) in PERSONAL or not is_of_game or (others and not games):
        return ""
    return f"{slip.tree.name} {HELP} {games[0] if games else TUTORIAL}"


def _asked_otherwise(slip: Slip, words: Sequence[str]) -> str:
    """Return the command for what else is asked for, or the page that answers a longer question."""
    if any(meant_together(place.name, slip.words) for place in slip.places):
        return ""
    if plain(slip.words[0]) in PERSONAL:
        found = _said_within(slip, words)
        return _whole(slip._replace(words=words), found) if found else ""
    return _page_asked_for(slip) if len(slip.words) > MOST_ASKING else ""


ANSWERS = (_asked_of_mine, _asked_of_board, _asked_of_game, _asked_otherwise)
"""What may be asked for, the surest first."""


def _page_asked_for(slip: Slip) -> str:
    """Return the command for the page that answers a question, if there is one."""
    from pbmserv.commands.help import page

    try:
        topic, _ = page(slip.tree, slip.words)
    except PbmservError:
        return ""
    return f"{slip.tree.name} {HELP} {topic}" if topic != "index" else f"{slip.tree.name} {HELP}"


def _stemmed(slip: Slip) -> str:
    """Return the command for another form of its name, or of what people say for it."""
    first, *rest = slip.words
    for stem in stems(first.lower()) if not first.lower().endswith("s") else ():
        for place in slip.places:
            said = place.family.has(stem) or meant(place.name, [stem, *rest])
            if said and (found := _command(place, [stem, *rest])):
                return found
            if said and (found := _said(slip.tree, [place], [stem, *rest])):
                return found
    return ""


def _cell_on_board(slip: Slip) -> str:
    """Return the move for a line that says nothing but a board and a cell."""
    if slip.game is None or not board_among(slip.words):
        return ""
    words = [word.rstrip(".!") for word in slip.words]
    if [word.lower() for word in words[1:2]] == ["board"] and _game(slip.tree, words):
        return f"{slip.game.path} show {board_among(words)}"  # the Subject of a letter
    cells = [word for word in words if CELL.fullmatch(word)]
    others = {
        word.lower() for word in words if not CELL.fullmatch(word) and not board_among([word])
    }
    is_told = others <= NOISE | MADE | {*game_names(), ME}
    ordered = [board_among(words), *cells]
    found = _on_a_board(slip.tree, slip.game, ordered) if is_told and len(cells) == 1 else ""
    return found.replace("USERID PASSWORD", ME) if slip.tree.has(SHELL_ONLY) else found


def _behind_a_word(slip: Slip) -> str:
    """Return the whole command that follows a word which belongs behind it, if any does."""
    first, *rest = slip.words
    if slip.family is not slip.tree or not rest[1:] or not _game(slip.tree, rest):
        return ""
    found = _command(slip.places[0], rest)
    return found and _whole(slip._replace(words=[*rest, first]), found)


def _misnamed(slip: Slip) -> str:
    """Return the command of a game whose name is misspelt before a verb of the games."""
    first, *rest = slip.words
    games = get_close_matches(first.lower(), game_names(), 1, SLIP)
    if slip.family is not slip.tree or not games or not rest or slip.tree.has(first):
        return ""
    root = Where("", slip.tree, slip.tree.name or "")
    is_verb = slip.game is not None and slip.game.family.has(rest[0])
    return _command(root, [*games, *rest]) if is_verb else ""


def _played_with(slip: Slip) -> str:
    """Return the challenge of whoever stands behind ``play ... with``."""
    words = [word.lower() for word in slip.words if word.lower() not in {"a", "the", "my"}]
    is_talk = bool({*words} & TALKING) and not board_among(words)
    opponent = _opponent(words, BEFORE_OPPONENT | {"to"} if is_talk else BEFORE_OPPONENT)
    if slip.game is None or not opponent:
        return ""
    at_shell = slip.tree.has(SHELL_ONLY)
    shown = opponent if at_shell and may_quote(opponent) else "USERID2"
    if is_talk:
        return f"{MESSAGE} {ME if at_shell else 'USERID PASSWORD'} {shown}: ..."
    if "play" not in words:
        return ""
    return f"{slip.game.path} challenge {ME if at_shell else 'USERID1'} {shown}"


def _opponent(words: Sequence[str], before: Collection[str]) -> str:
    """Return the userid that stands behind one of the words ``before``, or nothing."""
    found = next((b for a, b in pairwise(words) if a in before), "").strip(".!?,")
    is_player = USERID.fullmatch(found) and not is_said(found) and found not in game_names()
    return found if is_player else ""


def _another_game(slip: Slip) -> str:
    """Return which games there are, where the words name one that is played elsewhere."""
    names = {plain("".join(slip.words[:count])) for count in (2, 3)} | {*map(plain, slip.words)}
    is_elsewhere = names & OTHER_GAMES - {*game_names()}
    return f"Games: {', '.join(game_names())}." if is_elsewhere else ""


def _pair(slip: Slip) -> str:
    """Return what is said by an action and its thing where other words stand between them."""
    first, *rest = without_fillers(slip.words, [ME]) or [""]
    if slip.family is not slip.tree or not rest or _is_told(slip.words):
        return ""
    pairs = ([first, *rest], [first, rest[-1], *rest[:-1]])
    told = next(filter(_is_told, pairs), None)
    return _said(slip.tree, slip.places, told) if told else ""


def _is_told(words: Sequence[str]) -> bool:
    """Tell whether the table has several of the first words as one."""
    return any(meant_together(name, words) for name in ("", GAME, HELP))


def _places_shown(slip: Slip, words: Sequence[str]) -> list[Where]:
    """Return the place behind a game if something is to be shown that is found there."""
    is_shown = words[0].lower() in DOING["show"].split() and meant(GAME, words[1:])
    return [slip.game] if slip.game is not None and is_shown else []


def _thing(slip: Slip) -> str:
    """Return the command for a thing that the second word names, if the first says what to do."""
    tree, words = slip.tree, without_fillers(slip.words, [ME])
    is_told = _is_told(words) or _is_told(slip.words)
    if slip.family is not tree or not words[1:] or is_told or words[0].lower() not in ACTIONS:
        return ""
    root, action, name = Where("", tree, tree.name or ""), words[0].lower(), _group(words[1:])
    head = tree.get_command(None, name)
    if not isinstance(head, Family):
        places = [root] if meant("", words[1:]) else _places_shown(slip, words)
        return _command(root, words[1:]) or (_said(tree, places, words[1:]) if places else "")
    said = action if head.has(action) else meant(name, [action])
    if head.find_game is not None or said.startswith("/"):
        return ""
    return f"{root.path} {name} {said or '-h'}"


def _group(words: Sequence[str]) -> str:
    """Return the group whose things one of the words names, else the first of them."""
    listed = (meant("", [word]).partition(" list") for word in words)
    return next((group for group, is_list, _ in listed if is_list), words[0].lower())


def _unglued(tree: Family, word: str, *, is_first: bool) -> Sequence[str]:
    """Return a word parted from the number behind it, if it comes first or names a game."""
    glued = re.fullmatch(GLUED, word)
    if glued is None or not (may_quote(word) or len(glued[2]) == LEAST_DIGITS):
        return [word]
    said, games = glued[1].lower(), game_names()
    known = [
        *tree.known_words(),
        *(f"{game}{verb}" for game in ("", *games) for verb in verbs(tree)),
    ]
    is_open = is_first and (may_quote(word) or is_known(said, known))
    return [*glued.groups()] if is_open or said in games else [word]


def _places(tree: Family, family: Family, words: Sequence[str], path: str) -> list[Where]:
    """Return where words that are wrong in a family may belong, its own place first."""
    root = Where("", tree, tree.name or "")
    if family is not tree and family.find_game is None:
        name = path.partition(" ")[2]
        own = Where(name, family, path)
        return [own] if name.partition(" ")[0] == "admin" else [own, root._replace(name="-")]
    if family is not tree:
        return [Where(GAME, family, path), root]
    named = (word.lower() for word in words if word.lower() in game_names())
    game = tree.get_command(None, next(named, SAMPLE_GAME))
    return [root, *([Where(GAME, game, game.name or "")] if isinstance(game, Family) else [])]


def _game(tree: Family, words: Sequence[str]) -> str:
    """Return the name of the game that the first word is, or nothing."""
    found = tree.get_command(None, words[0]) if words else None
    return found.name or "" if isinstance(found, Family) and found.find_game else ""


def _said(tree: Family, places: Sequence[Where], words: Sequence[str]) -> str:
    """Return what the table has for the words, as far as the tree has it too."""
    for fewest, place in product((2, 1), places):
        found, count = meaning(place.name, words, fewest)
        at = Where("", tree, tree.name or "") if found.startswith("/") else place
        said = found.removeprefix("/")
        if said and _is_there(tree, at, said):
            return _in_full(tree, at, said, words[count:])
    if places[-1].name not in ("", GAME):
        asks = plain(words[0]) in by_word("") and meant("", words[:1]) == HELP
        return f"{places[0].path} -h" if asks or words[0].lower() == HELP else ""
    topic = words[0].lower() if words[0].lower() in topic_names() else meant(HELP, words)
    return f"{tree.name} {HELP} {topic}" if topic and not tree.has(words[0]) else ""


def _in_full(tree: Family, at: Where, said: str, rest: Sequence[str]) -> str:
    """Return in full what the table has for words, with the rest of them behind it."""
    group = said.partition(" ")[0]
    if rest and _has(at.family.get_command(None, group), rest[0]):
        return _command(at, [group, *rest])
    if rest and (game := _game(tree, [said])) and not _has(tree.get_command(None, game), rest[0]):
        return _said(tree, _places(tree, tree, [game], "")[1:], rest) or f"{tree.name} {game}"
    if said == HELP and (about := _asked_about(tree, at, rest)):
        return f"{at.path} {HELP} {about}"
    if " " not in said and said != VERSION:
        return _command(at, [said, *rest])
    board = board_among(rest)
    whole = said.replace("BOARD", board) if board else said
    return whole if group in game_names() else f"{at.path} {whole}"


def _asked_about(tree: Family, place: Where, words: Sequence[str]) -> str:
    """Return the command or game about which the words of a question are, or nothing."""
    game = tree.get_command(None, SAMPLE_GAME)
    families = [place.family, *([game] if isinstance(game, Family) else [])]
    known = (word.lower() for word in words if any(family.has(word) for family in families))
    topics = (meant(HELP, [word]) for word in words)
    return next(filter(None, [*known, *topics]), "")


def _is_there(tree: Family, place: Where, said: str) -> bool:
    """Tell whether the tree has what is meant, and so the door at which it was said."""
    if said == VERSION:
        return tree.has(SHELL_ONLY)
    first, *more = said.split(" ")
    found = place.family.get_command(None, first)
    return found is not None and (not isinstance(found, Family) or not more or found.has(more[0]))


def _numbered(place: Where, word: str) -> str:
    """Return what a number stands for in the place of a command."""
    said = by_word(place.name).get("#", "") if BOARD.fullmatch(word) else ""
    return said and f"{place.path} {said.replace('BOARD', board_among([word]))}"


def _joined(place: Where, words: Sequence[str]) -> str:
    """Return the command whose name was written in two words, or with signs in it."""
    names = {plain(name): name for name in place.family.known_words()}
    for count in (3, 2, 1):
        name = names.get("".join(map(plain, words[:count])))
        is_longer = meaning(place.name, words, count + 1)[0]
        if name and not is_longer and (found := _command(place, [name, *words[count:]])):
            return found
    return ""


def _respelled(tree: Family, places: Sequence[Where], words: Sequence[str]) -> str:
    """Return the command that the words are when they are parted or ordered otherwise."""
    first, rest = words[0].lower(), [*words[1:]]
    ways = [[first, *rest], PIECES.findall(first) + rest]
    ways += [[first[:cut], first[cut:], *rest] for cut in range(1, len(first))]
    if (game := _game(tree, rest)) and _goes_on(tree.get_command(None, game), first):
        ways.insert(0, [rest[0], first, *rest[1:]])
    for place in places:
        for way in ways:
            head = place.family.get_command(None, way[0]) if way else None
            if head is None or (len(way) > len(words) and not _goes_on(head, way[1])):
                continue
            if found := _command(place, way):
                return found
    return ""


def _reordered(places: Sequence[Where], words: Sequence[str]) -> str:
    """Return the command whose name stands behind other words."""
    for place in places:
        for at, word in enumerate(words):
            head, way = place.family.get_command(None, word), [*words[at:], *words[:at]]
            is_group = isinstance(head, Family) and head.find_game is None
            if head is None or (is_group and not _goes_on(head, way[1])):
                continue
            if found := _command(place, way):
                return found
    return ""


def _has(head: click.Command | None, word: str) -> bool:
    """Tell whether the head of a command is a group that has a command so called."""
    return isinstance(head, Family) and head.has(word)


def _goes_on(head: click.Command | None, word: str) -> bool:
    """Tell whether the word may stand behind the head of a command."""
    return _has(head, word) or (isinstance(head, Family) and bool(BOARD.fullmatch(word)))


def _command(place: Where, words: Sequence[str]) -> str:
    """Return the command that the words begin with in full, with the board that it shows."""
    command: click.Command = place.family
    names, left = place.path.split(" "), [*words]
    while isinstance(command, Family) and left:
        found = command.get_command(None, left[0])
        if found is None:
            break
        command = found
        names.append(found.name or "")
        left.pop(0)
    if len(names) == place.path.count(" ") + 1:
        return ""
    is_game = isinstance(command, Family) and command.find_game is not None
    if board := board_among(left[:1]):
        shows_board = isinstance(command, Verb) and command.shows_board
        names += ["show", board] if is_game else [board] * shows_board
    starts_with_game = len(names) > 2 and (is_game or getattr(command, "game", None) is not None)
    return " ".join(names[1:] if starts_with_game and place.name != GAME else names)


def _on_a_board(tree: Family, game: Where, words: Sequence[str]) -> str:
    """Return the whole of a command for a board or a cell that stands in place of its name."""
    board = board_among(words)
    is_board = bool(board_among(words[:1]))
    cell = next(filter(CELL.fullmatch, words if is_board else words[:1]), "")
    if cell:
        return f"{game.path} {MOVE.replace('BOARD', board or 'BOARD')} {cell.upper()}"
    if not is_board:
        return ""
    turned = [*words[1:], words[0]]
    found = (_said(tree, [game], turned) or _reordered([game], turned)) if words[1:] else ""
    return found or f"{game.path} show {board}"


def _nearest(slip: Slip) -> str:
    """Return the command whose name, or what people say for it, is nearest to the first word."""
    words, places = slip.words, slip.places
    is_root = places[0].family is slip.tree
    games = get_close_matches(words[0], game_names(), 1, GAME_LIKENESS)
    if is_root and games and any(map(places[-1].family.has, words[1:2])):
        return _command(places[0], [*games, *words[1:]])
    groups = [places] if is_root else [[place] for place in places if place.name != "-"]
    return _alike(slip) or next(filter(None, (_named(group, words) for group in groups)), "")


def _alike(slip: Slip) -> str:
    """Return what is meant by what people say that is more like the first word than any command."""
    word, places = slip.words[0].lower(), slip.places
    said = {
        said: place for place in reversed(places) for said in by_word(place.name) if len(said) > 3
    }
    own = [name for place in places for name in place.family.known_words()]
    (best,) = get_close_matches(word, [*own, *said], 1, CLOSE) or [""]
    if best not in said or best in own or any(name.startswith(word) for name in own):
        return ""
    return _said(slip.tree, [said[best]], [best, *slip.words[1:]])


def _named(places: Sequence[Where], words: Sequence[str]) -> str:
    """Return the command of these places whose name the first word is a slip for."""
    homes = {name: place for place in reversed(places) for name in place.family.known_words()}
    if near := nearest(words[0], homes):
        return _command(homes[near], [near, *words[1:]])
    near = slip_of("".join(words[:2]), homes)
    return _command(homes[near], [near, *words[2:]]) if near else ""


def _misspelt(slip: Slip) -> str:
    """Return what is meant by a long word that people say, or a topic, misspelt."""
    words, places = slip.words, slip.places
    for place in places:
        longer = [said for said in by_word(place.name) if len(said) >= SHORTEST_SLIP]
        if near := slip_of(words[0], longer):
            return _said(slip.tree, [place], [near, *words[1:]])
    near = slip_of(words[0], topic_names()) if places[-1].name in ("", GAME) else ""
    return f"{slip.tree.name} {HELP} {near}" if near else ""


def _elsewhere(slip: Slip) -> str:
    """Return what is said of words that are a command elsewhere."""
    tree, family, path, _, words = slip
    word, place = words[0], path.partition(" ")[2]
    own = family.list_commands(None)
    if len(own) == 1 and not is_ending(f"{place} {own[0]}"):
        return f"Did you mean {path} {own[0]}?"
    if family is tree:
        return ""
    said = meant_together("", words) or ("" if tree.has(word) else meant("", words))
    if said and said != HELP and tree.has(said):
        return f"Without {place} before it there is {said}."
    return f"That is a command without {place} before it." if tree.has(word) else ""


def _of_a_player(slip: Slip) -> str:
    """Return where a player's boards are shown, where the first word may be a userid."""
    tree, place, words = slip.tree, slip.places[0], slip.words
    selector = "".join(words[1:2]).lower()
    if place.family is tree and selector not in SELECTORS:
        return ""
    other = by_word(place.name).get("*", "")
    if not other or not USERID.fullmatch(words[0]):
        return ""
    start = tree.name if other.startswith("/") else place.path
    shown = selector if selector in IN_EVERY_LIST else ""
    path = f"{start} {other.removeprefix('/')} {shown}".rstrip()
    return f"All commands: {place.path} -h\nIf you meant a player: {path}"


WAYS: tuple[tuple[Callable[[Slip], str], bool], ...] = (
    (_another_game, False),
    (_cell_on_board, True),
    (_misnamed, True),
    (_pair, True),
    (_thing, True),
    (_thing_in_a_shell, False),
    (_behind_a_game, False),
    (lambda slip: _numbered(slip.places[0], slip.words[0]), True),
    (lambda slip: _joined(slip.places[0], slip.words), True),
    (lambda slip: _said(slip.tree, slip.places, slip.words), True),
    (_said_telling, True),
    (_stemmed, True),
    (lambda slip: _respelled(slip.tree, slip.places, slip.words), True),
    (lambda slip: _on_a_board(slip.tree, slip.game, slip.words) if slip.game else "", True),
    (_in_a_shell, False),
    (_behind_a_word, True),
    (_said_behind_another, True),
    (_nearest, True),
    (_misspelt, True),
    (lambda slip: _reordered(slip.places, slip.words), True),
    (_said_behind, True),
    (_elsewhere, False),
    (_of_a_player, False),
)
"""Ways to find out what was meant, the surest first, and whether they find a command."""
