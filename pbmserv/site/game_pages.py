"""The page of each game: its rules in pictures, how to begin, and where it is played now."""

import math
from collections.abc import Iterator, Sequence
from functools import cache
from statistics import fmean
from typing import NamedTuple

from pbmserv.commands.game_page import pictured_rules
from pbmserv.computer.game_arrays import EDGE, arrays_of
from pbmserv.computer.proof import kept_links
from pbmserv.desk.proofs import link_lines, link_marks
from pbmserv.engine.game import Game
from pbmserv.engine.games import find_game, game_names, shell_name
from pbmserv.engine.position import Position, Side
from pbmserv.engine.record import Record, played
from pbmserv.engine.score import Score
from pbmserv.render.blocks import BoardPicture
from pbmserv.render.colours import LIGHT
from pbmserv.render.picture import LegendText, draw
from pbmserv.render.poster import blank_board, poster
from pbmserv.render.score_lines import headline
from pbmserv.render.svg import DrawingOptions, description, svg_board, svg_file
from pbmserv.site.board_lines import BoardLine
from pbmserv.site.pages import YOU, Pages

THEM = "THEIR-USERID"
"""What visitors replace by the opponent's userid."""

PAIR = "If O plays on one of the two, X takes the other. Many players call this a bridge."

COUNTING = 3
"""The first step about counting, from which on ownership is shown."""


class RulesStep(NamedTuple):
    """A step of the rules: words, picture, score, and in ``sums`` what earned the points."""

    number: int
    title: str
    words: str
    position: Position
    picture: str
    heard: str
    score: str
    sums: Sequence[tuple[str, int, str]]


@cache
def rules_steps(kind: type[Game]) -> tuple[RulesStep, ...]:
    """Return the rules of a game step by step, () without a primer."""
    record, steps = sample(kind), list[RulesStep]()
    game = record.game
    has_letters = bool(game.ownership(record.position).corners)
    for number, step in enumerate(pictured_rules(kind), 1):
        position, counts = record.positions[step.ply], number >= COUNTING
        picture = draw(game, position, owners=counts, caption=LegendText(step.title))
        frame = DrawingOptions(has_labels=has_letters, has_names=False)
        score = game.score(position)
        is_over = game.outcome(position) is not None
        headlined = headline(score, is_over=is_over).replace("   ", " · ")
        steps.append(
            RulesStep(
                *(number, step.title, step.words, position),
                svg_file(svg_board(picture, frame)),
                description(picture),
                headlined if counts else "",
                list(_sums(score)) if is_over and not score.feat else (),
            )
        )
    return tuple(steps)


@cache
def pictured_steps(kind: type[Game]) -> tuple[RulesStep, ...]:
    """Return the rules step by step, and last a pair of cells that keeps two stones joined."""
    steps, game = rules_steps(kind), sample_board(kind)
    arrays, places = arrays_of(game), game.board.places
    inner = [bridge for bridge in arrays.bridges if EDGE not in bridge.ends] if arrays else []
    middle = [fmean(place) for place in zip(*places, strict=True)]
    inner.sort(key=lambda bridge: max(math.dist(middle, places[end]) for end in bridge.ends))
    for bridge in inner:
        names = [game.board.names[end] for end in bridge.ends]
        position = game.position_of({Side.X: names, Side.O: []})
        found = [each for each in kept_links(game, position) if each.cells == bridge.pair]
        if found:
            told = link_lines(game, found)[0].partition("  ")[2]
            title = "A pair keeps stones joined"
            picture = draw(game, position, caption=LegendText(title), marks=link_marks(found))
            drawn = svg_file(svg_board(picture, DrawingOptions())), description(picture)
            step = RulesStep(len(steps) + 1, title, f"{told} {PAIR}", position, *drawn, "", ())
            return (*steps, step)
    return steps


def _sums(score: Score) -> Iterator[tuple[str, int, str]]:
    """Yield each side, its points, and what earned them, the same things together."""
    for side in Side:
        found: dict[str, list[int]] = {}
        for owner, title, points in score.earned:
            if owner is side and points:
                found.setdefault(title, []).append(points)
        words = ", ".join(
            f"{title} {' '.join(f'{points:+d}' for points in each)}"
            for title, each in found.items()
        )
        yield side.value, score.points[side], words


def sample_board(kind: type[Game]) -> Game:
    """Return the board of the rules in pictures, the usual one if there are none."""
    # The size is the first option of every game.
    return kind(size=kind.primer.size) if kind.primer else kind()  # type: ignore[call-arg]


def sample(kind: type[Game]) -> Record[str]:
    """Return the sample game of the rules, or a game without moves if there is none."""
    return played(sample_board(kind), kind.primer.moves.split() if kind.primer else ())


def sheet_to_print(kind: type[Game]) -> str:
    """Return the usual board of a game without stones, on paper of its own."""
    game = kind()
    return svg_file(poster(blank_board(BoardPicture(game, game.start()))), LIGHT)


def game_page(
    pages: Pages, game: str, running: Sequence[BoardLine], over: Sequence[BoardLine]
) -> str:
    """Return the page of a game; ``running`` are boards that go on, ``over`` the last to end."""
    kind = find_game(game)
    line = f"{game} challenge {YOU} {THEM}"
    sizes, *others = kind.options()
    boards = f"{sizes.values} {sizes.help}" if sizes.values else sizes.help
    return pages.page(
        "game.html",
        kind.title,
        "../",
        name=game,
        shell_name=shell_name(game),
        gist=kind.gist,
        boards=boards,
        options=[(option.name, option.help) for option in others],
        steps=pictured_steps(kind),
        command=f"{shell_name(game)} challenge me {THEM}",
        paper=f"{shell_name(game)} preview new -{sizes.name}={sizes.default} -blank -pdf=board.pdf",
        mail=pages.mail_link(line),
        running=running,
        over=over,
    )


def games_page(pages: Pages) -> str:
    """Return the list of all games, each with its board at the end of its rules."""
    games = [(kind, len(rules_steps(kind))) for kind in map(find_game, game_names())]
    return pages.page("games.html", "Games", "../", games=games)
