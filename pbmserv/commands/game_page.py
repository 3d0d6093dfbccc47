"""The page of a game, made from its class."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pbmserv.club.written_text import WIDTH
from pbmserv.commands.command_pages import columns, option_words, paragraphs
from pbmserv.commands.game_options import game_params
from pbmserv.engine.game import JOINT, Step
from pbmserv.engine.games import shell_name

if TYPE_CHECKING:
    from pbmserv.engine.game import Game, GameOption

BEGINNING = (
    "X begins, and the sides take turns. A turn is one stone of your own on any empty cell;"
    " stones are never moved and never taken off."
)
PASSING = "A player who passes gives up only that turn and may play again on the next."
SWAPPING = (
    "Swap: the second player may answer the first stone with swap instead of a stone of their"
    " own, once and only then. The players exchange sides: the player who swaps is now X and owns"
    " the stone, which stays where it is; the other is now O and moves next. The swap counts as"
    " move 2. After a pass there is no swap."
)
SWAPPED = "Instead of placing the second stone, O may swap: the players exchange sides."
CLOSING = (
    "A game also ends when somebody resigns, when both agree on the result, or when somebody's time"
    " is up (pbmserv help clocks)."
)


def game_page(game: type[Game]) -> str:
    """Return a game's page, made from its class: rules, options, board, examples."""
    from pbmserv.render.picture import draw
    from pbmserv.render.text import text_picture

    sample = game()
    rows = [
        (option_words(p), _option_help(option))
        for p, option in zip(game_params(game), game.options(), strict=True)
        if isinstance(p, click.Option)
    ]
    names = " or ".join([shell_name(game.name), *game.aliases])
    commands = f"Commands begin with {names}; help commands lists them."
    lines = [f"# {game.title.upper()}", "", commands, "", *paragraphs(game.__doc__ or "")]
    lines += ["", "# Rules of play", "", *_rules_lines(sample)]
    lines += ["", "Challenge options and board size (also of preview, score)", *columns(rows)]
    lines += ["", "The empty board (how to read it: pbmserv help pictures)", ""]
    lines.append(text_picture(draw(sample, sample.start())))
    lines += ["", "# Examples"]
    for example in game.examples:
        told = paragraphs(example.text, WIDTH - 2)
        lines += ["", *(f"  {line}" for line in told), *_example_lines(game.name, example.line)]
    return "\n".join([*lines, "", *paragraphs(f"Source: {game.source}.")])


def pictured_rules(game: type[Game]) -> tuple[Step, ...]:
    """Return the steps of the rules in pictures: turns, chains, then those of the game."""
    primer = game.primer
    if primer is None:
        return ()
    group = primer.group
    touching = (
        f"Stones of one colour whose cells touch are one {group}. The drawing joins what touches,"
        f" so a {group} looks like one body."
    )
    return (
        Step(primer.turns, "Take turns", f"{BEGINNING} {SWAPPED}"),
        Step(primer.touching, f"Stones that touch are a {group}", touching),
        *primer.steps,
    )


def _rules_lines(game: Game) -> list[str]:
    """Return the rules that hold in every game of the family, and how moves are written."""
    names = [name for name in game.board.names if name.isalnum()]
    here, there = names[len(names) // 2 :][:2]
    rows = [
        (here, f"a stone on {here}; small letters will do"),
        ("pass", "give up this turn, also written -- or -"),
        ("swap", "as the second move: take over the first stone"),
        ("resign", "give up the game; before the second move, decline it"),
        ("propose", "offer a draw"),
        _result_row(game),
        ("undo", "ask to undo your last move; undo 2, the last two moves"),
        ("accept", "agree to what your opponent offers; or reject it"),
    ]
    if game.most_stones_a_turn > 1:
        rows.insert(1, (f"{here}{JOINT}{there}", "two stones, where a turn has two"))
    rules = (
        f"{BEGINNING} {game.ending} {PASSING}\n\n{SWAPPING}\n\nA move is made with"
        f" {shell_name(game.name)} move BOARD USERID PASSWORD MOVE, or as the answer to a mail."
        " MOVE is one of these:"
    )
    return [*paragraphs(rules), "", *columns(rows), "", *paragraphs(CLOSING)]


def _result_row(game: Game) -> tuple[str, str]:
    """Return how a result is offered: as points, or as a winner where only a winner counts."""
    if game.points_to_agree(game.score(game.start())) is None:
        return "propose X", "offer that X wins; accept X answers it; so with O"
    total = game.full_board_sum or 30
    words = f"{total // 2 + 1}-{total - total // 2 - 1}"
    return f"propose {words}", f"offer these points, X's first; accept {words} answers it"


def _example_lines(game: str, line: str) -> list[str]:
    """Return a command in lines that a shell reads as one, broken before its last options."""
    line = line.replace(game, shell_name(game), 1)
    if len(line) + 4 <= WIDTH:
        return [f"    {line}"]
    first, *options = line.split(" --")
    return " \\\n".join([f"    {first}", *(f"        --{option}" for option in options)]).split(
        "\n"
    )


def _option_help(option: GameOption) -> str:
    if option.is_flag or option.default is None:
        return option.help
    return f"{option.help} (default {option.default})"
