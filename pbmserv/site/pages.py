"""The pages: values from the database, put into the templates."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any
from urllib.parse import quote
from uuid import UUID

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from pbmserv.club.match import Match
from pbmserv.club.play import utc_date
from pbmserv.club.puzzles import Puzzle
from pbmserv.club.standing import RatingChange
from pbmserv.commands.words import SAMPLE_GAME
from pbmserv.engine.game import Game
from pbmserv.engine.games import find_game, game_names
from pbmserv.engine.position import Side
from pbmserv.engine.record import format_moment
from pbmserv.engine.spec import named_options, parse_game
from pbmserv.render.document import Document
from pbmserv.render.score_lines import sheet_lines
from pbmserv.render.view import options_words, score_words, standing_words, view_match
from pbmserv.render.wording import counted, moment_words
from pbmserv.site.board_drawing import board_svg, curve_svg, heat_svg
from pbmserv.site.feeds import Entry
from pbmserv.site.folder import BoardLine
from pbmserv.site.replay import replay_document, settled_since, worth
from pbmserv.store.published import FirstMove, Named

TEMPLATES = Path(__file__).parent / "templates"
PLACES = (
    ("Club", "index.html"),
    ("Standings", "standings/index.html"),
    ("Tournaments", "tournaments/index.html"),
    ("Openings", "openings/index.html"),
    ("Archive", "archive/index.html"),
    ("Manual", "manual/index.html"),
)
"""The words of the bar over every page, and where they lead."""

YOU = "YOUR-USERID"
"""What visitors replace in the Subject of a mail that is made ready for them."""

FAVOURITES = 5
MOST_VARIANTS = 8
MOST_FIRST_MOVES = 30
MOST_CURVE_POINTS = 200


@dataclass(frozen=True)
class Pages:
    """Whatever the templates are told of everybody: names, and where the club is found.

    ``url`` is where the site will be served, with a slash at its end, or nothing; ``mail`` the
    address that takes commands, or nothing.
    """

    names: Mapping[int, Named]
    club: UUID
    url: str = ""
    mail: str = ""
    members: frozenset[int] = field(default_factory=frozenset)

    @cached_property
    def templates(self) -> Environment:
        """The templates, which escape whatever is put into them."""
        return Environment(
            loader=FileSystemLoader(TEMPLATES),
            autoescape=True,
            trim_blocks=True,
            undefined=StrictUndefined,
        )

    def page(self, template: str, title: str, root: str, **values: Any) -> str:
        """Return one page; ``root`` leads from it to the folder of the site."""
        common = {"places": PLACES, "members": self.members}
        return self.templates.get_template(template).render(
            title=title, root=root, **common, **values
        )

    def feed(self, feed_id: str, title: str, own: str, page: str, entries: Sequence[Entry]) -> str:
        """Return an Atom feed; ``own`` and ``page`` are paths from the root of the site."""
        root = self.url or "../" * own.count("/")
        return self.templates.get_template("feed.atom").render(
            id=feed_id,
            title=title,
            own=own,
            page=page,
            base=root,
            updated=max((entry.updated for entry in entries), default=format_moment(0)),
            entries=entries,
        )

    def named(self, match: Match) -> Match:
        """Return the match with its players as the pages may name them."""
        first, second = (
            seat._replace(userid=self.names[seat.player_id].userid)
            for seat in (match.first, match.second)
        )
        return replace(match, first=first, second=second)

    def board(
        self,
        match: Match,
        said: Iterable[tuple[str, int, str]],
        review: Mapping[str, Any] | None = None,
    ) -> str:
        """Return the page of a board, whose players are named already.

        ``review`` is what was kept of the computer's thoughts about it.
        """
        game, position = match.game, match.position
        view = view_match(match)
        score = game.score(position)
        standing = match.result if not match.is_running else standing_words(view, score)
        path = f"{game.name}/{match.number}"
        return self.page(
            "board.html",
            match.title,
            "../../",
            name=match.number,
            image=f"{self.url}boards/{path}.png" if self.url else f"{match.number}.png",
            x=_seat(match, Side.X),
            o=_seat(match, Side.O),
            options=options_words(game),
            standing=standing,
            board=board_svg(game, position, f"{match.title}. {worth(score)}", "../../"),
            turns=[
                (before.to_move.value, turn.text)
                for turn, before in zip(match.turns, match.positions, strict=False)
            ],
            preview=f"{game.name} preview {match.number}"
            if match.is_running
            else f"{game.name} preview new{option_words(game)}",
            try_from=match.ply if match.is_running else 0,
            stones=game.stones_due(replace(game.start(), ply=1)),
            settled=settled_since(match),
            **_looked_back(match, review),
            sheet="\n".join(sheet_lines(game, score, score_words(view, score))),
            said=[(who, moment_words(at), text) for who, at, text in said],
            document=replay_document(match),
        )

    def club_page(self, *, puzzle: Puzzle, **values: Any) -> str:
        """Return the first page."""
        words = f"{puzzle.game.title}, {options_words(puzzle.game)}: {puzzle.side} to move and win."
        drawn = board_svg(puzzle.game, puzzle.position, words, "")
        shown = {"number": puzzle.number, "words": words, "board": drawn}
        return self.page("club.html", "The club", "", puzzle=shown, **values)

    def player(self, player_id: int, **values: Any) -> str:
        """Return the page of a member."""
        one = self.names[player_id]
        userid = one.name.partition(" ")[0]  # without the mark of a robot
        line = f"{SAMPLE_GAME} challenge {YOU} {userid}"
        challenge = self.mail_link(line) if self.mail else ""
        return self.page(
            "player.html",
            one.name,
            "../",
            id=player_id,
            since=utc_date(one.since),
            challenge=challenge,
            **values,
        )

    def mail_link(self, line: str) -> str:
        """Return the address that opens a mail with this command as its Subject."""
        return f"mailto:{quote(self.mail, safe='@')}?subject={quote(line)}"

    def standings(self, game: str, rows: Sequence[tuple[Any, ...]]) -> str:
        """Return who stands where in a game."""
        title = find_game(game).title
        return self.page(
            "standings.html", f"Standings in {title}", "../", games=_games(), rows=rows, game=title
        )

    def openings(self, game: str, found: Iterable[FirstMove]) -> str:
        """Return how games began on each board of a game, those most played first."""
        boards = sorted(_by_spec(found).items(), key=lambda item: -_total(item[1]))
        return self.page(
            "openings.html",
            f"Openings in {find_game(game).title}",
            "../",
            games=_games(),
            boards=[_opening(spec, moves) for spec, moves in boards[:MOST_VARIANTS]],
        )

    def tournament(self, document: Document, terms: Sequence[str], paths: Mapping[int, str]) -> str:
        """Return the cross-tables of a tournament; ``paths`` leads from board numbers to pages."""
        ids = {one.name: number for number, one in self.names.items()}
        return self.page(
            "tournament.html",
            document["name"],
            "../",
            terms=terms,
            pools=[_pool(pool, ids, paths) for pool in document["pools"]],
        )

    def archive(self, chunks: Sequence[tuple[int, int, int]]) -> str:
        """Return the years, newest first, and the search through all of them."""
        years = [
            (year, [(number, count) for _, number, count in pages])
            for year, pages in groupby(chunks, key=lambda chunk: chunk[0])
        ]
        files = " ".join(f"{year}-{number}.js" for year, number, _ in chunks)
        return self.page(
            "archive.html", "Archive", "../", years=sorted(years, reverse=True), files=files
        )


def option_words(game: Game) -> str:
    """Return the options of a game as one would type them, each after a blank."""
    return "".join(
        f" -{option.name}" if option.is_flag else f" -{option.name}={value}"
        for option, value in named_options(game)
    )


def rating_curve(changes: Sequence[RatingChange]) -> tuple[str, str]:
    """Return a player's rating over their games as a picture, and what it says in words."""
    values = [changes[0].before, *(change.after.value for change in changes)]
    step = max(1, -(-len(changes) // MOST_CURVE_POINTS))
    shown = values[::-step][::-1]  # the newest always among them
    words = f"From {values[0]:.0f} to {values[-1]:.0f} in {counted(len(changes), 'game')}"
    spread = max(max(values) - min(values), 50)
    low = (max(values) + min(values) - spread) / 2
    return curve_svg(shown, words, low=low, high=low + spread), words


def favourites(found: Iterable[FirstMove]) -> list[tuple[str, str]]:
    """Return the first moves that somebody makes most, by board."""
    rows = []
    for spec, moves in sorted(_by_spec(found).items()):
        counts = _counts(moves)
        best = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:FAVOURITES]
        game = parse_game(spec)
        words = ", ".join(f"{move} ({count})" for move, count in best)
        rows.append((f"{game.title}, {options_words(game)}", words))
    return rows


def archive_script(lines: Iterable[BoardLine]) -> str:
    """Return a page of the archive as the search reads it."""
    import json

    rows = [
        [
            line.path,
            f"{line.title} {line.options}".strip(),
            *line.names,
            line.result,
            utc_date(line.changed_at),
        ]
        for line in lines
    ]
    return f"pbmservBoards({json.dumps(rows, separators=(',', ':'))});\n"


def _looked_back(match: Match, document: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the curve of the chances and where the game turned, for a board that has them."""
    if document is None:
        return {"curve": "", "turning": ()}
    from pbmserv.computer.review import review_from

    moves = [turn.text for turn in match.turns]
    found = review_from(match.game, moves, document)
    heard = f"The chances of X, move by move: {found.chances[-1]:.0%} at the end"
    turning = [
        f"Move {turn.number}, {turn.side.value} {turn.played}: {turn.better} was better "
        f"({turn.before:.0%}, not {turn.after:.0%})."
        for turn in found.turning_points()
    ]
    return {"curve": curve_svg(found.chances, heard, low=0.0, high=1.0), "turning": turning}


def _seat(match: Match, side: Side) -> dict[str, Any]:
    seat = match.seats[side]
    return {"id": seat.player_id, "name": seat.name}


def _games() -> list[tuple[str, str]]:
    return [(name, find_game(name).title) for name in game_names()]


def _by_spec(found: Iterable[FirstMove]) -> dict[str, list[FirstMove]]:
    specs: dict[str, list[FirstMove]] = {}
    for one in found:
        specs.setdefault(one.spec, []).append(one)
    return specs


def _total(moves: Iterable[FirstMove]) -> int:
    return sum(one.games for one in moves)


def _counts(moves: Iterable[FirstMove]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for one in moves:
        counts[one.text] = counts.get(one.text, 0) + one.games
    return counts


def _opening(spec: str, moves: Collection[FirstMove]) -> dict[str, Any]:
    game = parse_game(spec)
    counts = _counts(moves)
    most = max(counts.values())
    rows = []
    for text, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        of_move = [one for one in moves if one.text == text]
        rows.append(
            (
                text,
                count,
                _total(one for one in of_move if one.is_swapped),
                *(_total(one for one in of_move if one.winner == winner) for winner in _WINNERS),
            )
        )
    degrees = {text: count / most for text, count in counts.items()}
    heard = f"First moves in {game.title}, most often {rows[0][0]}"
    return {
        "title": f"{game.title}, {options_words(game)}",
        "picture": heat_svg(game, degrees, heard, "../"),
        "rows": rows[:MOST_FIRST_MOVES],
    }


_WINNERS = (Side.X.value, Side.O.value, None)
_CELLS = {1: "1", 0.5: "½", 0: "0", None: ""}


def _pool(pool: Document, ids: Mapping[str, int], paths: Mapping[int, str]) -> dict[str, Any]:
    return {
        "standings": [
            {
                "place": line["place"],
                "id": ids.get(line["userid"], 0),
                "name": line["userid"],
                "points": f"{line['points']:g}",
                "berger": f"{line['sonneborn_berger']:g}",
                "cells": [" ".join(_CELLS[score] for score in cell) for cell in line["against"]],
            }
            for line in pool["standings"]
        ],
        "boards": [
            {
                "round": board["round"],
                "number": board["board"],
                "path": paths.get(board["board"], ""),
                "x": board["X"],
                "o": board["O"] or "bye",
                "result": {None: "running", 1: "1-0", 0.5: "½-½", 0: "0-1"}[board["score"]],
            }
            for board in pool["boards"]
        ],
    }
