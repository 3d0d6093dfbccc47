"""The pages of openings: first moves in the club, and the computer's table of first stones."""

from collections.abc import Iterable, Sequence
from typing import Any

from pbmserv.computer.openings import chance_after, has_chances, specs_with_chances, table
from pbmserv.computer.review import percent
from pbmserv.engine.game import Game
from pbmserv.engine.games import find_game
from pbmserv.engine.position import Side
from pbmserv.engine.spec import parse_game
from pbmserv.render.picture import LegendText, draw
from pbmserv.render.svg import Tint, svg_file, svg_tinted
from pbmserv.render.view import options_words
from pbmserv.site.pages import A_ROW, Pages, chosen_page, game_titles
from pbmserv.site.replay import ground_path
from pbmserv.store.matches.published import FirstMove

FAVOURITES = 5
MAX_VARIANTS = 8
MAX_FIRST_MOVES = 30

FAINTEST = 0.3
"""How strong the faintest tint is, of 1."""

ENDS = (*(side.value for side in Side), None)
"""Who may have won."""

TABLE = "table-"
"""The start of the name of a page of the table, before the game's."""


def openings_page(pages: Pages, game: str, found: Iterable[FirstMove], number: int) -> str:
    """Return a page of the first moves on each board of a game, those played most first."""
    shown = [
        _opening(parse_game(spec), moves) for spec, moves in _by_most(found, "spec")[:MAX_VARIANTS]
    ]
    sizes = ((len(one["picture"]) + A_ROW * len(one["rows"]), one) for one in shown)
    title = f"Openings in {find_game(game).title}"
    return pages.several(
        *("openings.html", title, *chosen_page(game, number, sizes)),
        games=game_titles(),
        has_table=bool(specs_with_chances(game)),
    )


def first_stones_page(pages: Pages, game: str) -> str:
    """Return the page of the boards of a game that the table has, "" without any."""
    title = f"First stones in {find_game(game).title}"
    found = [(spec, parse_game(spec)) for spec in specs_with_chances(game)]
    found.sort(key=lambda row: len(row[1].board))
    boards = [(spec, _title(board), _extremes(spec)) for spec, board in found]
    games = [(f"{TABLE}{name}", words) for name, words in game_titles() if specs_with_chances(name)]
    more = {"stem": f"{TABLE}{game}", "games": games, "game": game}
    return pages.page("first_stones.html", title, "../", boards=boards, **more) if boards else ""


def _extremes(spec: str) -> str:
    """Return the best and the worst first stone on a board of the table, in words."""
    chances = table()["chances"][spec]
    ends = {"highest": max(chances, key=chances.get), "lowest": min(chances, key=chances.get)}
    return ", ".join(f"{end} {name} {percent(chances[name] / 1000)}" for end, name in ends.items())


def first_stones_picture(spec: str) -> str:
    """Return X's chances after each first stone on a board of the table, "" for any other."""
    if spec not in table()["chances"]:
        return ""
    game = parse_game(spec)
    shown = {name: _chance_words(game, name).removesuffix(" %") for name in game.board.names}
    leads = {name: int(words) - 50 for name, words in shown.items()}
    most = max(map(abs, leads.values()))
    tints = {
        name: Tint(_ahead(leads[name]), _strength(abs(leads[name]) / most), words)
        for name, words in shown.items()
    }
    picture = draw(game, game.start(), caption=LegendText(f"{_title(game)}: {_extremes(spec)}"))
    return svg_file(svg_tinted(picture, tints))


def favourites(found: Iterable[FirstMove]) -> list[tuple[str, str]]:
    """Return a player's favourite first moves on the boards that they play most."""
    rows = []
    for spec, moves in sorted(_by_most(found, "spec")[:MAX_VARIANTS]):
        most = _by_most(moves, "text")[:FAVOURITES]
        words = ", ".join(f"{text} ({_total(of_move)})" for text, of_move in most)
        rows.append((_title(parse_game(spec)), words))
    return rows


def _title(game: Game) -> str:
    return f"{game.title}, {options_words(game)}"


def _by_most(found: Iterable[FirstMove], name: str) -> list[tuple[str, list[FirstMove]]]:
    """Return first moves by their ``spec`` or ``text``, those of most games first."""
    groups: dict[str, list[FirstMove]] = {}
    for one in found:
        groups.setdefault(getattr(one, name), []).append(one)
    return sorted(groups.items(), key=lambda item: (-_total(item[1]), item[0]))


def _total(moves: Iterable[FirstMove]) -> int:
    return sum(one.games for one in moves)


def _opening(game: Game, moves: Sequence[FirstMove]) -> dict[str, Any]:
    """Return the first moves on a board: a picture of who won more often, and a table."""
    rows, tints = [], {}
    groups = _by_most(moves, "text")
    for text, of_move in groups:
        count = _total(of_move)
        swapped = _total(one for one in of_move if one.is_swapped)
        x, o, drawn = (_total(one for one in of_move if one.winner == who) for who in ENDS)
        rows.append((text, count, swapped, x, o, drawn, _chance_words(game, text)))
        ahead = _ahead(x - o)
        tints[text] = Tint(ahead, _strength(count / _total(groups[0][1])), "" if ahead else "=")
    heard = f"First moves in {game.title}, most often {rows[0][0]}"
    picture = draw(game, game.start(), caption=LegendText(heard))
    return {
        "title": _title(game),
        "picture": svg_tinted(picture, tints, f"../{ground_path(game)}"),
        "rows": rows[:MAX_FIRST_MOVES],
        "has_chances": has_chances(game),
    }


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
