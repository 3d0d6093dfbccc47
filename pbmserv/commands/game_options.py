"""The game of a command, its options, and the turn that is written by its rules."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NamedTuple

import click

from pbmserv.commands.declaration import Argument, Parameter, ParameterSpec
from pbmserv.commands.declaration import Option as ValueOption
from pbmserv.commands.slots import TURN, one_way, slot
from pbmserv.commands.types import NUMBER
from pbmserv.commands.words import OptionName
from pbmserv.engine.game import Game, GameOption
from pbmserv.engine.games import SAMPLE_GAME, find_game, game_names
from pbmserv.engine.position import Move
from pbmserv.errors import InvalidMove, Misunderstood, NotFound

GUARD = r"(?s)(.*)#(.*)"
DRESSED_CELL = r"[\[({<'\"=]*([A-Za-z*])[:,.]?([0-9]{1,3})(#[0-9]+)?[\])}>'\".,;:!]*"
PASTED = r"(?ai) *([0-9]{1,4})\. +[XO] +([^ #]+) *"
"""A move as the lists of moves have it, ``2. O F7``: it is meant as that move of the game."""

LONE_LETTER = r"[A-Za-z*]"
LONE_NUMBER = r"[0-9]{1,3}(?:#[0-9]+)?"

VOTE_WORDS = ("resign", "propose", "undo", "reject")
"""Words that may be sent as a move at any time, even out of turn."""

WORDS = (*VOTE_WORDS, "accept", "pass", "swap")
"""All words that may stand in place of a cell."""

ABOUT = re.compile(r"(?:propose|accept) .*|undo [0-9]{1,9}(?:#.*)?", re.IGNORECASE | re.DOTALL)
"""A vote word and what it is about: a result, or how many turns."""


class MoveWord(NamedTuple):
    """A player's turn as typed: a move's text or a vote word, and the guard's number.

    ``about`` is what a vote word is about: ``26-25`` behind propose or accept, ``2`` behind undo.
    """

    text: str
    number: int | None = None
    about: str = ""


class GameChoice(NamedTuple):
    """A game with the options that were given; those that were not have their defaults."""

    game: Game
    given: tuple[str, ...]


class GameBeforeVerb(ParameterSpec):
    """The game whose name stands before the verb."""

    gives = type[Game]

    def value(self, declared: Parameter, ctx: click.Context) -> Any:
        """Return the class of the game."""
        del declared
        return _game_of(ctx)


class GameOptions(ParameterSpec):
    """The options of the game whose name stands before the verb."""

    gives = GameChoice

    def params(self, declared: Parameter, game: type[Game] | None) -> list[click.Parameter]:
        """Return an option for each of the game's."""
        del declared
        return [] if game is None else game_params(game)

    def value(self, declared: Parameter, ctx: click.Context) -> Any:
        """Return the game so chosen."""
        del declared
        return choose_game(_game_of(ctx), ctx.params)


class OptionsOfNamedGame(GameOptions):
    """The options of the game that another word, ``game``, names; without it, of one for all."""

    usage = "[OPTIONS OF GAME]"

    def params(self, declared: Parameter, game: type[Game] | None) -> list[click.Parameter]:
        """Return the options of every game, for which it is shows only with the other words."""
        del declared, game
        return [
            # With False the value could be left out, and -2 would be an option.
            click.Option([f"--{name}"], is_flag=each.is_flag or None, help=each.help, hidden=True)
            for name, each in _options_of_games().items()
        ]

    narrows = True

    def narrowed(self, known: list[OptionName], words: Sequence[str]) -> list[OptionName]:
        """Mark the options that the game lacks which one of the words names."""
        named = [word.rpartition("=")[2] for word in (*words, SAMPLE_GAME)]
        game = next(game for word in named if (game := _find_game(word)))
        own = {option.name: option.parse for option in game.options()}
        others = _options_of_games().keys() - own.keys()
        return [
            option._replace(
                read=own.get(option.name, option.read), is_foreign=option.name in others
            )
            for option in known
        ]

    def value(self, declared: Parameter, ctx: click.Context) -> Any:
        """Return the game so chosen; raises :class:`Misunderstood` for an option of another."""
        game: type[Game] = ctx.params["game"] or find_game(SAMPLE_GAME)
        own = {option.name: option for option in game.options()}
        chosen = {}
        for param in self.params(declared, None):
            name = param.name or ""
            text = ctx.params[name]
            if text in (None, False):
                continue
            if name not in own:
                raise Misunderstood(
                    f"No such option for {game.name}.",
                    code="no-such-option",
                    hint=f"Options of {game.name}: {', '.join(f'-{option}' for option in own)}.",
                    about=f"-{name}",
                )
            chosen[name] = True if own[name].is_flag else own[name].parse(str(text))
        return choose_game(game, chosen)


class TurnWords(ParameterSpec):
    """The words of a turn, as many as the game has stones in one, with a guard behind the last."""

    gives = MoveWord

    def params(self, declared: Parameter, game: type[Game] | None) -> list[click.Parameter]:
        """Return the one argument for all of them."""
        del game
        turn = one_way(slot(TURN))
        return [Argument(declared.name, turn, nargs=-1, required=True, callback=_read_turn)]


GameType = Annotated[type[Game], GameBeforeVerb()]
ChosenGame = Annotated[GameChoice, GameOptions()]
MoveText = Annotated[MoveWord, TurnWords()]


def parse_move_words(words: tuple[str, ...], most: int) -> MoveWord:
    """Return the move that these words make together, with the ``#n`` of the last.

    ``most`` is how many words a turn may have. Raises :class:`Misunderstood`.
    """
    if pasted := re.fullmatch(PASTED, " ".join(words)):
        words = (f"{pasted[2]}#{pasted[1]}",)
    words = join_cells(words)
    is_vote = len(words) == 2 and ABOUT.fullmatch(" ".join(words))
    if len(words) > most and not is_vote:
        from pbmserv.commands.synonyms import vote_meant

        one, two = "A move is one word, such as F6.", "A move is A50+T31 or A50 T31."
        vote = vote_meant(" ".join(words), WORDS)
        raise Misunderstood(
            "Unexpected argument.",
            code="surplus-word",
            meant=vote,
            hint=(one if most == 1 else two) * (not vote),
            about=words[most],
        )
    *before, last = (_bare_cell(word) for word in words)
    number = None
    guard = re.fullmatch(GUARD, last)
    if guard is not None:
        last = guard[1]
        if not NUMBER.fullmatch(guard[2]) or int(guard[2]) < 1:
            raise Misunderstood(
                "The text after # is not a move number.",
                code="bad-guard",
                hint="F6#7 plays F6 only as move 7; numbers begin at 1.",
            )
        number = int(guard[2])
    last = last.rstrip("*") or last
    if is_vote:
        return MoveWord(before[0], number, last)
    return MoveWord("+".join([*before, last]), number)


def _bare_cell(word: str) -> str:
    """Return a cell without what stands around it or between its parts: ``(F6)``, ``F:6,``."""
    dressed = re.fullmatch(DRESSED_CELL, word)
    return "".join(filter(None, dressed.groups())) if dressed else word


def read_move(game: Game, text: str) -> Move:
    """Return the move; raises :class:`InvalidMove`, with a vote word that is likely meant."""
    try:
        return game.parse_move(_bare_cell(text))
    except InvalidMove as error:
        from pbmserv.commands.synonyms import is_known, vote_meant

        if meant := vote_meant(text, WORDS):
            error.meant, error.hint = meant, ""
        error.is_harmless = is_known(text, WORDS)
        raise


def join_cells(words: Sequence[str]) -> tuple[str, ...]:
    """Return the words, a letter and a number that stand apart as one: ``F 6`` is F6."""
    joined: list[str] = []
    for word in words:
        after_a_letter = joined and re.fullmatch(LONE_LETTER, joined[-1])
        if after_a_letter and re.fullmatch(LONE_NUMBER, word):
            joined[-1] += word
        else:
            joined.append(word)
    return tuple(joined)


def _options_of_games() -> dict[str, GameOption]:
    """Return the options of all games by name."""
    options = (option for name in game_names() for option in find_game(name).options())
    return {option.name: option for option in options}


def _find_game(word: str) -> type[Game] | None:
    try:
        return find_game(word)
    except NotFound:
        return None


def parse_game_type(text: str) -> type[Game]:
    """Return the game so called, by file name or alias; raises :class:`NotFound`."""
    return find_game(text)


def parse_game_name(text: str) -> str:
    """Return the file name of the game so called; raises :class:`NotFound`."""
    return find_game(text).name


def game_params(game: type[Game]) -> list[click.Parameter]:
    """Return the options of a game as click options."""
    return [_game_option(option) for option in game.options()]


def choose_game(game: type[Game], params: Mapping[str, Any]) -> GameChoice:
    """Return the game with the options among ``params``; raises :class:`Misunderstood`."""
    names = [option.name for option in game.options()]
    given = {name: params[name] for name in names if params.get(name) is not None}
    return GameChoice(
        game(**given), tuple(name for name, value in given.items() if value is not False)
    )


def _read_turn(ctx: click.Context, param: click.Parameter, words: tuple[str, ...]) -> MoveWord:
    del param
    return parse_move_words(words, _game_of(ctx).most_stones_a_turn)


def _game_of(ctx: click.Context) -> type[Game]:
    game: type[Game] | None = getattr(ctx.command, "game", None)
    if game is None:
        raise TypeError(f"{ctx.command_path} is not a command of a game.")
    return game


def _game_option(option: GameOption) -> click.Option:
    if option.is_flag:
        return click.Option([f"--{option.name}"], is_flag=True, help=option.help)
    values = option.choices or option.numbers or "N"
    return ValueOption(values, option.help, option.parse).option(f"--{option.name}")
