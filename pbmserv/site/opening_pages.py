"""The pages of openings: first moves in the club."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from pbmserv.computer.openings import chance_after, has_chances
from pbmserv.computer.review import percent
from pbmserv.engine.game import Game
from pbmserv.engine.games import find_game
from pbmserv.engine.position import Side
from pbmserv.engine.spec import parse_game
from pbmserv.render.svg import Tint
from pbmserv.render.view import options_words
from pbmserv.site.pages import A_ROW, ListPlace, Pages, game_titles, paginate
from pbmserv.site.replay import tinted_svg
from pbmserv.store.matches.published import FirstMove

FAVOURITES = 5
MAX_VARIANTS = 8
MAX_FIRST_MOVES = 30

FAINTEST = 0.3
"""How strong the faintest tint is, of 1."""

EVEN = "="


def openings_page(pages: Pages, game: str, found: Iterable[FirstMove], number: int) -> str:
    """Return a page of the first moves on each board of a game, those played most first."""
    boards = sorted(_by_spec(found).items(), key=lambda item: -_total(item[1]))
    shown = [_opening(parse_game(spec), moves) for spec, moves in boards[:MAX_VARIANTS]]
    parts = paginate((len(one["picture"]) + A_ROW * len(one["rows"]), one) for one in shown)
    title, place = f"Openings in {find_game(game).title}", ListPlace(game, number)
    return pages.several("openings.html", title, place, parts, games=game_titles())


def favourites(found: Iterable[FirstMove]) -> list[tuple[str, str]]:
    """Return a player's favourite first moves on the boards that they play most."""
    rows = []
    boards = sorted(_by_spec(found).items(), key=lambda item: -_total(item[1]))
    for spec, moves in sorted(boards[:MAX_VARIANTS]):
        words = ", ".join(f"{move} ({count})" for move, count in _counts(moves)[:FAVOURITES])
        rows.append((_title(parse_game(spec)), words))
    return rows


def _title(game: Game) -> str:
    return f"{game.title}, {options_words(game)}"


def _by_spec(found: Iterable[FirstMove]) -> dict[str, list[FirstMove]]:
    specs: dict[str, list[FirstMove]] = {}
    for one in found:
        specs.setdefault(one.spec, []).append(one)
    return specs


def _total(moves: Iterable[FirstMove]) -> int:
    return sum(one.games for one in moves)


def _counts(moves: Iterable[FirstMove]) -> list[tuple[str, int]]:
    """Return the moves with the number of games that began so, those played most first."""
    counts = Counter[str]()
    for one in moves:
        counts[one.text] += one.games
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _opening(game: Game, moves: Sequence[FirstMove]) -> dict[str, Any]:
    """Return the first moves on a board: a picture of who won more often, and a table."""
    rows, tints = [], {}
    counts = _counts(moves)
    for text, count in counts:
        of_move = [one for one in moves if one.text == text]
        swapped = _total(one for one in of_move if one.is_swapped)
        x, o, drawn = (_total(one for one in of_move if one.winner == who) for who in _WINNERS)
        rows.append((text, count, swapped, x, o, drawn, _chance_words(game, text)))
        ahead = _ahead(x - o)
        tints[text] = Tint(ahead, _strength(count / counts[0][1]), "" if ahead else EVEN)
    heard = f"First moves in {game.title}, most often {rows[0][0]}"
    return {
        "title": _title(game),
        "picture": tinted_svg(game, tints, heard, "../"),
        "rows": rows[:MAX_FIRST_MOVES],
        "has_chances": has_chances(game),
    }


_WINNERS = (Side.X.value, Side.O.value, None)


def _ahead(lead: int) -> Side | None:
    """Return who is better off by X's lead, None for neither."""
    return None if lead == 0 else Side.X if lead > 0 else Side.O


def _strength(part: float) -> float:
    return FAINTEST + (1 - FAINTEST) * part


def _chance_words(game: Game, text: str) -> str:
    """Return the computer's chance of X after a first stone, "" if it is not known."""
    cell = game.board.index.get(text)
    chance = None if cell is None else chance_after(game, cell)
    return "" if chance is None else percent(chance)
