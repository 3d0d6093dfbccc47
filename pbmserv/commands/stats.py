"""Figures of the club and of its players."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pbmserv.club.statistics import Statistics
from pbmserv.commands.answer import Answer
from pbmserv.commands.declaration import Word, command
from pbmserv.commands.slots import GAME, USERID, maybe
from pbmserv.engine.games import find_game
from pbmserv.engine.spec import option_values, parse_game
from pbmserv.errors import Misunderstood, NotFound
from pbmserv.render.blocks import Block, Table
from pbmserv.render.heat_map import heat_lines
from pbmserv.render.view import options_words
from pbmserv.services.lookup import find_player
from pbmserv.services.session import ReadSession

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pbmserv.club.statistics import Results
    from pbmserv.store.matches.figures import Figures, PlayerFigures

RIGHT = (1, 2, 3, 4, 5, 6, 7, 8)
WON = "X and O: games that this side won, without and after a swap."


def _one_word(words: tuple[str, ...]) -> None:
    """Raise :class:`Misunderstood` for a second word."""
    if len(words) > 1:
        raise Misunderstood("Unexpected argument.", code="surplus-word", about=words[1])


@command(check=_one_word)
def stats(
    session: ReadSession, words: Annotated[tuple[str, ...], Word(maybe(USERID, GAME))] = ()
) -> Answer:
    """Print statistics of the club, of a game, or of a player: results by side and swap, length.

    With a game, every kind of board played in it is listed separately, with a picture of the first
    moves: 9 marks the most frequent one. Without an argument, only the most popular board of each
    game is shown. Sides are those at the end: after a swap, X is the player who swapped.
    """
    if not words:
        return _club(session)
    try:
        game = find_game(words[0]).name
    except NotFound:
        return _player(session, words[0])
    return _game(session, game)


def _club(session: ReadSession) -> Answer:
    """Return all games, with the first moves on the board most played of each."""
    figures = session.records.figures
    games = _by_game(figures.of_club())
    document = _club_document(figures, games)
    counts = ", ".join(f"{number} {state}" for state, number in document["boards"].items())
    sums = {game: _sum(found.values()) for game, found in games.items()}
    blocks: list[Block] = [
        f"Players: {document['players']}. Boards: {counts}.",
        _table("game", sums),
        WON,
    ]
    blocks += [_picture(next(iter(specs.items()))) for specs in games.values()]
    return Answer(tuple(blocks), document)


def _game(session: ReadSession, game: str) -> Answer:
    """Return one game, with the first moves on every board it was played on."""
    figures = session.records.figures
    games = _by_game(figures.of_club())
    specs = games.get(game, {})
    named = {options_words(parse_game(spec)): found for spec, found in specs.items()}
    blocks: list[Block] = [_table("options", named), WON]
    blocks += [_picture(item) for item in specs.items()]
    chosen = {game: specs} if specs else {}
    return Answer(tuple(blocks), _club_document(figures, chosen))


def _by_game(specs: Mapping[str, Statistics]) -> dict[str, dict[str, Statistics]]:
    """Return the figures by game and spec, games by name and the specs most played first."""
    games: dict[str, dict[str, Statistics]] = {}
    for spec, found in sorted(specs.items(), key=lambda item: (-item[1].games, item[0])):
        games.setdefault(parse_game(spec).name, {})[spec] = found
    return dict(sorted(games.items()))


def _club_document(
    figures: Figures, games: Mapping[str, Mapping[str, Statistics]]
) -> dict[str, Any]:
    return {
        "players": figures.players(),
        "boards": figures.boards(),
        "games": [
            {"game": game, **_document(_sum(specs.values())), "variants": _variants(specs)}
            for game, specs in games.items()
        ],
    }


def _player(session: ReadSession, userid: str) -> Answer:
    player = find_player(session, userid)
    found = dict(sorted(session.records.figures.of_player(player.id).items()))
    listed: list[dict[str, Any]] = [
        {
            "game": game,
            "games": figures.games,
            "all": _own(figures.all.won, figures.all.lost, figures.all.drawn),
            "swapped": _own(figures.swapped.won, figures.swapped.lost, figures.swapped.drawn),
            "sides": {
                "X": _own(figures.all.with_x.x, figures.all.with_x.o, figures.all.with_x.drawn),
                "O": _own(figures.all.with_o.o, figures.all.with_o.x, figures.all.with_o.drawn),
            },
            "average": round(_average(figures), 2),
        }
        for game, figures in found.items()
    ]
    heads = ("game", "games", "won", "lost", "drawn", "as X", "as O", "with swap", "turns a game")
    rows = tuple(
        (
            *(row["game"], str(row["games"]), *map(str, row["all"].values())),
            *("-".join(map(str, o.values())) for o in (*row["sides"].values(), row["swapped"])),
            f"{_average(figures):.1f}",
        )
        for row, figures in zip(listed, found.values(), strict=True)
    )
    table = Table(heads, rows, right=RIGHT, empty="No finished games yet.")
    said = f"Statistics of {player.name}; 3-1-0 means 3 won, 1 lost, none drawn."
    return Answer((said, table), {"userid": player.userid, "games": listed})


def _sum(found: Iterable[Statistics]) -> Statistics:
    return sum(found, Statistics())


def _table(what: str, figures: dict[str, Statistics]) -> Table:
    heads = (
        *(what, "games", "X, no swap", "O, no swap", "drawn", "swapped"),
        *("X, swapped", "O, swapped", "turns a game"),
    )
    rows = tuple(
        (
            name,
            str(found.games),
            str(found.plain.x),
            str(found.plain.o),
            str(found.plain.drawn + found.swapped.drawn),
            str(found.swapped.games),
            str(found.swapped.x),
            str(found.swapped.o),
            f"{found.average_turns:.1f}",
        )
        for name, found in figures.items()
    )
    return Table(heads, rows, right=RIGHT, empty="No finished games yet.")


def _picture(item: tuple[str, Statistics]) -> str:
    spec, found = item
    game = parse_game(spec)
    options = options_words(game)
    title = f"First moves in {game.title}{f' ({options})' if options else ''}"
    return "\n".join([title, "", *heat_lines(game, found.first_moves)])


def _variants(specs: Mapping[str, Statistics]) -> list[dict[str, Any]]:
    return [
        {
            "options": option_values(parse_game(spec)),
            **_document(found),
            "first_moves": dict(sorted(found.first_moves.items())),
        }
        for spec, found in specs.items()
    ]


def _document(found: Statistics) -> dict[str, Any]:
    return {
        "games": found.games,
        "plain": _sides(found.plain),
        "swapped": _sides(found.swapped),
        "average": round(found.average_turns, 2),
    }


def _sides(results: Results) -> dict[str, int]:
    return {"X": results.x, "O": results.o, "drawn": results.drawn}


def _own(won: int, lost: int, drawn: int) -> dict[str, int]:
    return {"won": won, "lost": lost, "drawn": drawn}


def _average(figures: PlayerFigures) -> float:
    return figures.turns / figures.games if figures.games else 0.0
