"""The page of a game, made from its class."""

from __future__ import annotations

from inspect import cleandoc
from typing import TYPE_CHECKING

import click

from pbmserv.club.written_text import WIDTH
from pbmserv.commands.command_pages import columns, option_words, paragraphs
from pbmserv.commands.game_options import game_params
from pbmserv.engine.game import Step
from pbmserv.engine.games import shell_name
from pbmserv.render.picture import draw
from pbmserv.render.score_lines import headline
from pbmserv.render.text import text_picture

if TYPE_CHECKING:
    from pbmserv.engine.game import Game, GameOption

BEGINNING = (
    "X begins, and the sides take turns. A turn is one stone of your own on any empty cell;"
    " stones are never moved or removed."
)
SWAPPED = "Instead of placing the second stone, O may swap: the players exchange sides."
GOAL = 2
"""Paragraphs of a game's docstring that come before the picture: its goal."""

COMMON = "Turns, passing, swap and how moves are written: pbmserv help moves."
PLAYED_WELL = "How the game is played well: pbmserv help strategy"


def game_page(game: type[Game]) -> str:
    """Return a game's page, made from its class: goal, examples, rules, options, board."""
    sample = game()
    rows = [
        (option_words(p), _option_help(option))
        for p, option in zip(game_params(game), game.options(), strict=True)
        if isinstance(p, click.Option)
    ]
    parts = cleandoc(game.__doc__ or "").split("\n\n")
    goal, rules = "\n\n".join(parts[:GOAL]), "\n\n".join(parts[GOAL:])
    names = " or ".join([shell_name(game.name), *game.aliases])
    lines = [f"# {game.title.upper()}", "", *paragraphs(goal), *_final_lines(game)]
    lines += ["", "# Examples", "", f"Commands begin with {names}; help commands lists them."]
    for example in game.examples:
        told = paragraphs(example.text, WIDTH - 2)
        lines += ["", *(f"  {line}" for line in told), *_example_lines(game.name, example.line)]
    lines += ["", "# Rules", "", *paragraphs(f"{rules}\n\n{game.ending} {COMMON}".strip())]
    lines += ["", "Challenge options and board size (also of preview, score)", *columns(rows)]
    lines += ["", "The empty board (how to read it: pbmserv help pictures)", ""]
    lines.append(text_picture(draw(sample, sample.start())))
    shapes = next((option for option in game.options() if option.name == "shape"), None)
    for shape in shapes.choices[1:] if shapes else ():
        other = game(shape=shape)  # type: ignore[call-arg]
        lines += ["", f"The empty board with -shape={shape}", ""]
        lines.append(text_picture(draw(other, other.start())))
    strategy = f"{PLAYED_WELL} {game.name}."
    return "\n".join([*lines, "", strategy, *paragraphs(f"Source: {game.source}.")])


def _final_lines(kind: type[Game]) -> list[str]:
    """Return the last picture of the rules with its score, no lines without one."""
    if kind.primer is None:
        return []
    game = kind(size=kind.primer.size)  # type: ignore[call-arg]  # the first option of every game
    position = game.replay(kind.primer.moves.split())
    score = headline(game.score(position), is_over=game.outcome(position) is not None)
    head = f"The end of a game on a small board (-size={kind.primer.size}). {score}"
    return ["", *paragraphs(head), "", text_picture(draw(game, position))]


def pictured_rules(game: type[Game]) -> tuple[Step, ...]:
    """Return the steps of the rules in pictures: turns, chains, then those of the game."""
    primer = game.primer
    if primer is None:
        return ()
    group = primer.group
    touching = (
        f"Stones of one colour whose cells touch are one {group}. The picture joins touching"
        f" stones, so a {group} looks like one piece."
    )
    return (
        Step(primer.turns, "Take turns", f"{BEGINNING} {SWAPPED}"),
        Step(primer.touching, f"Stones that touch are a {group}", touching),
        *primer.steps,
    )


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
    if option.is_flag or option.default is None or "default" in option.help:
        return option.help
    return f"{option.help} (default {option.default})"
