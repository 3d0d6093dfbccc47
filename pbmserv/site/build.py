"""One run: finds what has changed since the last one, and makes only those pages."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from hashlib import blake2b
from itertools import groupby
from typing import Any, NamedTuple

from pbmserv.club.clock import deadline
from pbmserv.club.match import Match
from pbmserv.club.puzzles import puzzles
from pbmserv.club.time_limits import format_limits
from pbmserv.club.tournament import Tournament
from pbmserv.club.wording import with_count
from pbmserv.commands.game_records import FORMATS
from pbmserv.engine.game import Game
from pbmserv.engine.games import SAMPLE_GAME, find_game, game_names
from pbmserv.engine.moments import utc
from pbmserv.engine.position import Side
from pbmserv.engine.record import Record
from pbmserv.engine.score import Reason
from pbmserv.engine.spec import option_words, parse_game
from pbmserv.render.colours import paper_style
from pbmserv.render.crosstable import terms_lines, tournament_document
from pbmserv.render.curve import CURVE_RULES
from pbmserv.render.picture import LegendText, draw
from pbmserv.render.png import png_picture
from pbmserv.render.svg import RULES, style, svg_file, svg_ground, svg_sign
from pbmserv.render.view import options_words, standing_words, view_match
from pbmserv.site.folder import BoardLine, Folder
from pbmserv.site.game_pages import (
    game_page,
    games_page,
    picture_path,
    rules_steps,
    sample,
    sheet_path,
    sheet_to_print,
)
from pbmserv.site.manual_pages import manual_pages
from pbmserv.site.pages import (
    MAX_ENTRIES,
    MAX_SQUARES,
    TEMPLATES,
    YOU,
    FeaturedGame,
    FeedEntry,
    Pages,
    SiteOptions,
    archive_script,
    board_entry,
    club_id,
    entry_id,
    favourites,
    turn_entries,
)
from pbmserv.site.people_pages import player_page, player_rows, players_pages, result_of
from pbmserv.site.replay import ground_path, square_svg
from pbmserv.site.tournament_pages import tournament_pages
from pbmserv.store.matches.published import PublicPlayer, RatingLine
from pbmserv.store.people.seeks import Seek
from pbmserv.store.progress import teller
from pbmserv.store.store import Records

AT_ONCE = 200
"""Boards read in one transaction: a reader that stays open blocks commits."""

BETWEEN_COMMITS = 5_000
LISTED = 50
LATEST = 24
"""Running boards, and finished ones, on a player's page."""

SHOWN = 12
"""Running boards on the page of a game."""

SQUARES, RESULTS, SEEKS, TOURNAMENTS = 12, 5, 5, 5
"""How many of each the home page has."""

WORTH_A_REPLAY = 20
"""Turns from which a board may be replayed there."""

PREVIEWS = 1_000
PREVIEW_ZOOM = 0.75
MAX_RUNNING = 10_000
REMARKS = re.compile(r"^ *(?:/\*.*\*/\n *)?", re.MULTILINE)
"""Indents and comments of the style sheet and the script, which are not published."""

PICTURES = ("png", "svg")
RECORDS = ("html", *(form.ending for form in FORMATS), "atom")

Ratings = dict[int, list[RatingLine]]
Reading = Callable[[], AbstractContextManager[Records]]


class BuildReport(NamedTuple):
    """How many pages a run has written and deleted."""

    written: int
    deleted: int


@dataclass
class Build:
    """One run over one folder."""

    reading: Reading
    folder: Folder
    options: SiteOptions
    dirty_players: set[int] = field(default_factory=set)
    dirty_chunks: set[tuple[int, int]] = field(default_factory=set)
    renamed: set[int] = field(default_factory=set)
    due: dict[int, int] = field(default_factory=dict)
    ratings: Ratings = field(default_factory=dict)

    def run(self) -> BuildReport:
        """Bring the folder up to date."""
        mark = self._mark()
        if self.folder.note("mark") != mark:
            self._take_up()
            self._everything()
            self.folder.sweep()
            self.folder.keep_note("mark", mark)
            self.folder.keep_note("due", "")
        return BuildReport(self.folder.written, self.folder.deleted)

    def _mark(self) -> str:
        """Return a text that changes with the database, the program and the options."""
        with self.reading() as records:
            published = records.published
            reviewed = published.reviewed().values()
            seen = published.founded(), published.newest_entry(), len(reviewed), sum(reviewed)
        return f"{self._made_by} {seen} {self.options.puzzle}"

    @cached_property
    def _made_by(self) -> str:
        templates = (file.read_bytes() for file in sorted(TEMPLATES.iterdir()))
        options = repr(self.options._replace(puzzle=0)).encode()
        return blake2b(b"".join([*templates, options]), digest_size=8).hexdigest()

    def _everything(self) -> None:
        with self.reading() as records:
            names = records.published.names()
            ratings = records.published.ratings()
            revisions = records.published.revisions()
            said = records.published.talked() if self.options.chat else {}
            seen = records.published.reviewed()
            founded = records.published.founded()
            rated, seated = records.published.rated(), records.published.seated()
        self.due = self._deadlines()
        members = frozenset(
            number for number, one in names.items() if one.is_member and not one.is_private
        )
        options = self.options
        self.pages = Pages(
            *(names, club_id(founded), options.url, options.mail, members),
            *(options.club, options.sentence),
        )
        self.ratings = ratings
        wanted = {
            number: f"{rev} {said.get(number, 0)} {seen.get(number) == rev} {rated.get(number)}"
            for number, rev in revisions.items()
        }
        for number, (game, *players) in seated.items():
            values = [self._rating(player, game) for player in players]
            wanted[number] += f" {self.due.get(number)} {values}"
        texts = {
            file: REMARKS.sub("", (TEMPLATES / file).read_text("utf-8"))
            for file in ("site.css", "site.js")
        }
        texts["site.css"] = paper_style() + texts["site.css"] + style(rules=RULES + CURVE_RULES)
        texts["icon.svg"] = svg_file(svg_sign())
        for file, text in texts.items():
            self.folder.write(file, text)
        self._note_players(names, ratings)
        self._boards(wanted)
        self._previews()
        self._players(names)
        self._lists(ratings)

    def _deadlines(self) -> dict[int, int]:
        """Return the deadline of each running board that has a clock."""
        found: dict[int, int] = {}
        last, more = 0, True
        while more:
            with self.reading() as records:
                chunk = records.clocks.running(last, AT_ONCE)
                away = records.absences.of(stored.clock.player_id for stored in chunk)
            for number, limits, clock in chunk:
                found[number] = deadline(clock, limits, away[clock.player_id]).at
                last = number
            more = len(chunk) == AT_ONCE
        return found

    def _rating(self, player_id: int, game: str) -> str:
        """Return a player's rating in a game as it is shown, "" without one."""
        values = (line.value for line in self.ratings.get(player_id, ()) if line.game == game)
        return "".join(f"{value:.0f}" for value in values)

    def _ratings_shown(
        self, match: Match, changes: Mapping[tuple[int, int], tuple[float, float]]
    ) -> dict[int, str]:
        """Return the ratings of both players: today's, or the change by a finished board."""
        found = {}
        for seat in (match.first, match.second):
            if match.is_running:
                found[seat.player_id] = self._rating(seat.player_id, match.game.name)
            elif change := changes.get((match.id, seat.player_id)):
                before, after = change
                found[seat.player_id] = f"{after:.0f} ({after - before:+.0f})"
        return found

    def _note_players(self, names: dict[int, PublicPlayer], ratings: Ratings) -> None:
        """Note the players whose pages change, and those whose name has changed."""
        before = self.folder.signatures("player")
        for number, one in names.items():
            name = f"{one.name} {number in self.pages.members} {self._made_by}"
            signature = f"{name} {ratings.get(number)}"
            old = before.get(number)
            if old == signature:
                continue
            self.dirty_players.add(number)
            if old is None or not old.startswith(f"{name} "):
                self.renamed.add(number)
            self.folder.keep_player(number, signature)
        for gone in before.keys() - names.keys():
            self.folder.forget_player(gone)
            self._delete_player(gone)

    def _boards(self, wanted: dict[int, str]) -> None:
        before = self.folder.signatures("board")
        for gone in before.keys() - wanted.keys():
            path, players, chunks = self.folder.forget_board(gone)
            for suffix in (*RECORDS, *PICTURES):
                self.folder.delete(f"{path}.{suffix}")
            self.dirty_players |= players
            self.dirty_chunks |= chunks
        dirty = {number for number, sign in wanted.items() if before.get(number) != sign}
        dirty |= self.folder.boards_of(self.renamed) & wanted.keys()
        ordered = sorted(dirty)
        tell = teller(lambda: len(ordered))
        for start in range(0, len(ordered), AT_ONCE):
            ids = ordered[start : start + AT_ONCE]
            with self.reading() as records:
                matches = records.published.matches(ids)
                said = records.published.said(ids) if self.options.chat else {}
                reviews = records.published.reviews(ids)
                changes = records.published.changes(ids)
            names = self.pages.names
            for number, match in enumerate(matches, start + 1):
                talk = [(names[who].name, at, text) for who, at, text in said.get(match.id, ())]
                named = self.pages.named(match)
                page = self.pages.board(
                    *(named, talk, reviews.get(match.id)),
                    due_at=self.due.get(match.id) if match.is_running else None,
                    ratings=self._ratings_shown(match, changes),
                )
                self._board(named, wanted[match.id], page)
                tell(number)
            if start % BETWEEN_COMMITS == 0:
                self._commit()

    def _commit(self) -> None:
        due = [sorted(found) for found in (self.dirty_players, self.dirty_chunks, self.renamed)]
        self.folder.keep_note("due", json.dumps(due))
        self.folder.commit()

    def _take_up(self) -> None:
        if text := self.folder.note("due"):
            players, chunks, renamed = json.loads(text)
            self.dirty_players |= set(players)
            self.dirty_chunks |= {(year, number) for year, number in chunks}
            self.renamed |= set(renamed)

    def _board(self, match: Match, signature: str, page: str) -> None:
        path = f"boards/{match.game.name}/{match.number}"
        write = self.folder.write
        self._ground(match.game)
        write(f"{path}.html", page)
        for form in FORMATS:
            write(f"{path}.{form.ending}", form.write(match))
        self._feed(path, match.title, turn_entries(self.pages.club, match, path))
        self.dirty_players |= {match.first.player_id, match.second.player_id}
        line = board_line(match, signature, path, self.due.get(match.id))
        self.dirty_chunks |= self.folder.keep_board(line)

    def _feed(self, path: str, title: str, entries: list[FeedEntry]) -> None:
        own = entry_id(self.pages.club, path)
        feed = self.pages.feed(own, title, f"{path}.atom", f"{path}.html", entries)
        self.folder.write(f"{path}.atom", feed)

    def _ground(self, game: Game) -> None:
        # All boards of this kind share the picture below their stones.
        self.folder.write(ground_path(game), svg_file(svg_ground(game, has_labels=False)))

    def _previews(self) -> None:
        """Draw the running boards and the newest others, for links from elsewhere."""
        wanted = {line.path: line for line in self.folder.newest(PREVIEWS)}
        wanted |= {line.path: line for line in self.folder.newest(MAX_RUNNING, are_running=True)}
        for path in self.folder.notes("boards/"):
            if path not in wanted:
                for suffix in PICTURES:
                    self.folder.delete(f"{path}.{suffix}")
                self.folder.forget_note(path)
        due = [
            line
            for line in wanted.values()
            if self.folder.note(line.path) != _drawn(line, self._made_by)
        ]
        tell = teller(lambda: len(due))
        for start in range(0, len(due), AT_ONCE):
            some = {line.id: line for line in due[start : start + AT_ONCE]}
            with self.reading() as records:
                matches = records.published.matches(list(some))
            for number, match in enumerate(matches, start + 1):
                line = some[match.id]
                self.folder.write(f"{line.path}.png", preview_png(self.pages.named(match)))
                if match.is_running:
                    square = square_svg(match.game, match.position, match.title, owners=False)
                    self.folder.write(f"{line.path}.svg", square)
                else:
                    self.folder.delete(f"{line.path}.svg")
                self.folder.keep_note(line.path, _drawn(line, self._made_by))
                tell(number)

    def _players(self, names: dict[int, PublicPlayer]) -> None:
        dirty = sorted(self.dirty_players & names.keys())
        tell = teller(lambda: len(dirty))
        for start in range(0, len(dirty), AT_ONCE):
            with self.reading() as records:
                for player_id in dirty[start : start + AT_ONCE]:
                    if player_id in self.pages.members:
                        self._player(records, player_id)
                    else:
                        self._delete_player(player_id)
            tell(min(start + AT_ONCE, len(dirty)))

    def _player(self, records: Records, player_id: int) -> None:
        over = self.folder.newest_of(player_id, LATEST + 1, are_running=False)
        running = self.folder.newest_of(player_id, LATEST + 1, are_running=True)
        figures = records.figures.of_player(player_id)
        rated = sorted(records.ratings.of_player(player_id))
        page = player_page(
            self.pages,
            player_id,
            figures=figures,
            histories={game: records.ratings.history(player_id, game) for game in rated},
            favourites=favourites(records.published.first_moves(player_id)),
            running=running[:LATEST],
            more_running=len(running) > LATEST,
            results=[result_of(line, player_id) for line in over[:LATEST]],
            more_results=len(over) > LATEST,
        )
        path = f"players/{player_id}"
        self.folder.write(f"{path}.html", page)
        lines = self.folder.newest_of(player_id, MAX_ENTRIES)
        entries = [board_entry(self.pages.club, line) for line in lines]
        self._feed(path, self.pages.names[player_id].name, entries)

    def _delete_player(self, player_id: int) -> None:
        for suffix in ("html", "atom"):
            self.folder.delete(f"players/{player_id}.{suffix}")

    def _lists(self, ratings: Ratings) -> None:
        self._archive()
        leaders = self._standings(ratings)
        members = player_rows(self.pages, ratings, self.folder.running_counts())
        self._list("players/index", members, lambda: players_pages(self.pages, members))
        self._games()
        with self.reading() as records:
            self._openings(records)
            tournaments = self._tournaments(records)
            names, seeks = self.pages.names, records.people.seeks()
            seeks = [seek for seek in seeks if not names[seek.player_id].is_private]
            boards, players = records.figures.boards(), records.figures.players()
        puzzle = puzzles()[self.options.puzzle - 1]
        self._ground(puzzle.game)
        finished = self.folder.newest(LISTED, are_running=False)
        running = self.folder.newest(MAX_SQUARES + 1, are_running=True)
        featured = self._featured([*finished, *running])
        page = self.pages.club_page(
            counts=(
                with_count(players, "player"),
                f"{with_count(boards['running'], 'board')} running",
                f"{boards['finished']} finished",
            ),
            featured=featured,
            puzzle=puzzle,
            running=self._squares(),
            finished=finished[:RESULTS],
            seeks=list(map(self._seek, seeks[:SEEKS])),
            more_seeks=len(seeks) > SEEKS,
            tournaments=tournaments[:TOURNAMENTS],
            leaders=leaders,
        )
        self.folder.write("index.html", page)
        self.folder.write("boards/index.html", self.pages.running(running))
        club = self.pages.club
        entries = [board_entry(club, line) for line in self.folder.newest(MAX_ENTRIES)]
        own = entry_id(club, "club")
        feed = self.pages.feed(own, self.options.club, "feed.atom", "index.html", entries)
        self.folder.write("feed.atom", feed)
        self._manual()

    def _featured(self, lines: list[BoardLine]) -> FeaturedGame:
        """Return the first full board of these, else a long one, else the sample game."""
        full = Reason.FULL_BOARD.words
        worth = [line for line in lines if full in line.how or line.ply >= WORTH_A_REPLAY]
        chosen = max(worth, key=lambda line: full in line.how, default=None)
        if chosen is None:
            kind = find_game(SAMPLE_GAME)
            found: Record[Any] = sample(kind)
            featured = FeaturedGame(found, f"games/{kind.name}.html", kind.title)
        else:
            with self.reading() as records:
                (match,) = records.published.matches([chosen.id])
            featured = FeaturedGame(match.record, f"{chosen.path}.html", chosen.title, chosen.names)
        self._ground(featured.record.game)
        return featured

    def _squares(self) -> list[BoardLine]:
        """Return running boards for the first page: one of each game, then others with stones."""
        found = list[tuple[int, BoardLine]]()
        for game in game_names():
            lines = self.folder.of_game(game, MAX_SQUARES, are_running=True)
            found += enumerate(sorted(lines, key=lambda line: not line.ply))
        found.sort(key=lambda one: (one[0] > 0, not one[1].ply, one[0], -one[1].changed_at))
        return [line for _, line in found[:SQUARES]]

    def _list(self, stem: str, rows: Sequence[object], make: Callable[[], list[str]]) -> None:
        """Write the pages of a long list, unless its rows are those of the last run."""
        made_from = f"{self._made_by} {rows}".encode()
        sign, note = blake2b(made_from, digest_size=8).hexdigest(), f"list {stem}"
        if self.folder.note(note) != sign:
            self.folder.write_several(stem, make())
            self.folder.keep_note(note, sign)

    def _seek(self, seek: Seek) -> dict[str, object]:
        game = seek.game
        line = f"{game.name} challenge {YOU} {seek.userid}{option_words(game)}"
        return {
            "id": seek.player_id,
            "name": self.pages.names[seek.player_id].name,
            "words": f"{game.title}, {options_words(game)}, time {format_limits(seek.limits)}",
            "link": self.pages.mail_link(line) if self.pages.mail else "",
        }

    def _archive(self) -> None:
        for year, number in sorted(self.dirty_chunks):
            path = f"archive/{year}-{number}"
            lines = self.folder.chunk(year, number)
            if not lines:
                self.folder.delete(f"{path}.html")
                self.folder.delete(f"{path}.js")
                continue
            title = f"Boards of {year}, page {number}"
            page = self.pages.page("archive_page.html", title, "../", lines=lines)
            self.folder.write(f"{path}.html", page)
            self.folder.write(f"{path}.js", archive_script(lines))
        self.folder.write("archive/index.html", self.pages.archive(self.folder.chunks()))

    def _standings(self, ratings: Ratings) -> list[tuple[str, str, list[tuple[int, str, str]]]]:
        """Write the standings of each game; return the best three of each."""
        leaders, names = [], self.pages.names
        for game in game_names():
            found = [
                (line.value, number, line)
                for number, lines in ratings.items()
                for line in lines
                if line.game == game and self.pages.names[number].is_member
            ]
            found.sort(key=lambda one: (-one[0], one[1]))
            rows = [
                (place, number, names[number].name, f"{value:.0f}", line.won, line.lost, line.drawn)
                for place, (value, number, line) in enumerate(found, 1)
            ]
            self._list(f"standings/{game}", rows, partial(self._standings_of, game, rows))
            if rows:
                leaders.append((game, find_game(game).title, [row[1:4] for row in rows[:3]]))
        return leaders

    def _standings_of(self, game: str, rows: Sequence[tuple[Any, ...]]) -> list[str]:
        pages = self.pages.standings(game, rows)
        if game == game_names()[0]:
            self.folder.write("standings/index.html", pages[0])
        return pages

    def _openings(self, records: Records) -> None:
        if not self.dirty_chunks and self.folder.note("openings") == self._made_by:
            return  # no other game has ended
        self.folder.keep_note("openings", self._made_by)
        found = records.published.first_moves()
        found.sort(key=lambda one: one._replace(winner=one.winner or ""))
        games = {game: list(moves) for game, moves in groupby(found, key=lambda one: one.game)}
        for game in game_names():
            pages = self.pages.openings(game, games.get(game, []))
            self.folder.write_several(f"openings/{game}", pages)
            if game == game_names()[0]:
                self.folder.write("openings/index.html", pages[0])

    def _tournaments(self, records: Records) -> list[dict[str, object]]:
        rows = []
        for number, name, spec, status in records.published.tournaments():
            title = parse_game(spec).title
            rows.append({"id": number, "name": name, "game": title, "status": status.value})
            sign, note = f"{self._made_by} {status.value}", f"tournament {number}"
            is_same = status.is_over and self.folder.note(note) == sign
            if is_same and not self.renamed:
                continue
            found = records.tournaments.find(number)
            if found is None:
                continue
            players = {found.organiser_id, *(one.player_id for one in found.entrants)}
            if is_same and not players & self.renamed:
                continue
            self.folder.keep_note(note, sign)
            shown = self._named(found)
            organiser = self.pages.names[found.organiser_id].name
            numbers = records.tournaments.numbers(number)
            paths = [f"boards/{found.terms.game.name}/{board}" for board in numbers.values()]
            boards = {line.number: line for line in self.folder.with_paths(paths)}
            document = tournament_document(shown, organiser, numbers)
            _, *terms = terms_lines(shown, organiser)
            terms = [status.value.capitalize(), *terms]
            pages = tournament_pages(self.pages, number, document, terms, boards)
            self.folder.write_several(f"tournaments/{number}", pages)
        self.folder.write_several("tournaments/index", self.pages.tournaments(rows))
        return rows

    def _named(self, found: Tournament) -> Tournament:
        names = self.pages.names
        entrants = (replace(one, userid=names[one.player_id].name) for one in found.entrants)
        return replace(found, entrants=tuple(entrants))

    def _manual(self) -> None:
        if self.folder.note("manual") == self._made_by:
            return
        for path, page in manual_pages(self.pages):
            self.folder.write(path, page)
        self.folder.keep_note("manual", self._made_by)

    def _games(self) -> None:
        if self.folder.note("games") != self._made_by:
            for game in game_names():
                for step in rules_steps(find_game(game)):
                    self.folder.write(picture_path(game, step.number), step.picture)
                small = sample(find_game(game))
                square = square_svg(small.game, small.position, small.game.title, owners=True)
                self.folder.write(f"games/{game}.svg", square)
                self.folder.write(sheet_path(game), sheet_to_print(find_game(game)))
            self.folder.keep_note("games", self._made_by)
        for game in game_names():
            running = self.folder.of_game(game, SHOWN, are_running=True)
            over = self.folder.of_game(game, RESULTS, are_running=False)
            self.folder.write(f"games/{game}.html", game_page(self.pages, game, running, over))
        self.folder.write("games/index.html", games_page(self.pages))


def board_line(match: Match, signature: str, path: str, due_at: int | None = None) -> BoardLine:
    """Return the board in one line, its players named as the pages name them."""
    x, o = match.seats[Side.X], match.seats[Side.O]
    outcome, seat = match.outcome, match.next_seat
    winner = outcome.winner if outcome else None
    how = (outcome.score_words(match.record.points), outcome.reason.words) if outcome else ()
    return BoardLine(
        *(match.id, signature, path, match.title, options_words(match.game)),
        *(match.first.player_id, match.second.player_id, x.player_id, o.player_id),
        (x.name, o.name),
        f"{seat.name} to move" if seat else match.record.result_sentence(),
        *(match.ply, match.is_running, match.changed_at),
        utc(match.changed_at).year if outcome else None,
        to_move=match.position.to_move.value if seat else "",
        due_at=due_at if seat else None,
        winner=winner.value if winner else "",
        how=", ".join(filter(None, how)),
    )


def preview_png(match: Match) -> bytes:
    """Return a small picture of a board, whose players are named already."""
    view = view_match(match)
    score = match.game.score(match.position)
    x, o = (match.seats[side].name for side in Side)
    caption = LegendText(match.title, x, o, standing_words(view, score))
    picture = draw(match.game, match.position, owners=not match.is_running, caption=caption)
    return png_picture(picture, zoom=PREVIEW_ZOOM)


def _drawn(line: BoardLine, made_by: str) -> str:
    return f"{line.signature.partition(' ')[0]} {line.names} {made_by}"
