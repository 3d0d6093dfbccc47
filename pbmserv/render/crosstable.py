"""Tournaments for people and programs: terms, cross-tables and boards, as text, HTML and JSON."""

from collections.abc import Mapping

from pbmserv.club.pairing import Encounter
from pbmserv.club.time_limits import format_limits
from pbmserv.club.tournament import Tournament, TournamentStatus, rounds_of
from pbmserv.club.tournament_standings import CrossTable, TournamentStanding, format_cell
from pbmserv.club.wording import with_count
from pbmserv.club.written_text import escape_html
from pbmserv.engine.moments import Moment, TimedText
from pbmserv.engine.spec import option_values
from pbmserv.render.blocks import Block, Table
from pbmserv.render.document import Document
from pbmserv.render.html_page import html_page, paragraphs
from pbmserv.render.view import options_words

SCORES = ("points", "Berger score", "head-to-head")
TIE_BREAK = "Ties are broken by Sonneborn-Berger score, then by the games between the tied players."
STYLE = (
    "body{max-width:70em}table{border-collapse:collapse;margin:1em 0}"
    "th,td{border:1px solid;padding:.2em .5em;text-align:center}"
    "td.name{text-align:left}td.self{background:currentColor}"
)


def terms_lines(tournament: Tournament, organiser: str) -> list[str]:
    """Return the terms of a tournament."""
    terms = tournament.terms
    options = options_words(terms.game)
    parts = [terms.kind.value]
    parts += ["both colours"] if terms.both_colours else []
    parts += [with_count(terms.rounds, "round")] if terms.rounds else []
    parts += [f"pools of {terms.pool_size}"] if terms.pool_size else []
    starts = terms.start_at if tournament.status is TournamentStatus.OPEN else None
    lines = [
        f"Tournament {tournament.id}: {tournament.name} ({tournament.status.value})",
        (
            f"{terms.game.title}{f' ({options})' if options else ''}, {', '.join(parts)}, "
            f"time {format_limits(terms.limits)}, organised by {organiser}"
        ),
    ]
    lines += [TimedText("Starts on ", Moment(starts))] if starts is not None else []
    entered = [f"{entrant.userid} ({entrant.rating:.0f})" for entrant in tournament.entrants]
    if not tournament.pools:
        lines.append(f"Players: {', '.join(entered) or 'none yet'}")
    return lines


def cross_blocks(tournament: Tournament, numbers: Mapping[int, int]) -> list[Block]:
    """Return for each pool its cross-table and its boards; ``numbers`` are theirs, by place."""
    blocks: list[Block] = []
    for pool, table in enumerate(tournament.tables()):
        blocks += [_heading(tournament, pool), _cross_block(table)]
        blocks.append(_boards_block(tournament, pool, numbers))
    return blocks


def standings_block(tournament: Tournament, pool: int) -> Table:
    """Return who stands where in a pool."""
    rows = tuple(
        (
            str(line.place),
            _name(line),
            *_scores(line),
            *(str(n) for n in (line.won, line.drawn, line.lost, line.byes)),
        )
        for line in tournament.tables()[pool].standings
    )
    heads = ("place", "player", *SCORES, "won", "drawn", "lost", "byes")
    return Table(heads, rows, right=(0, 2, 3, 4, 5, 6, 7, 8))


def tournament_document(
    tournament: Tournament, organiser: str, numbers: Mapping[int, int]
) -> Document:
    """Return a tournament for programs."""
    terms = tournament.terms
    return {
        "tournament": tournament.id,
        "name": tournament.name,
        "organiser": organiser,
        "game": terms.game.name,
        "options": option_values(terms.game),
        "kind": terms.kind.value,
        "rounds": terms.rounds,
        "pool_size": terms.pool_size,
        "both_colours": terms.both_colours,
        "limits": format_limits(terms.limits).partition(",")[0],
        "vacation": terms.limits.has_vacation,
        "starts": terms.start_at,
        "status": tournament.status.value,
        "entrants": [
            {
                "userid": entrant.userid,
                "rating": round(entrant.rating),
                "withdrawn": entrant.is_withdrawn,
            }
            for entrant in tournament.entrants
        ],
        "pools": [
            {
                "rounds": rounds_of(tournament, pool),
                "standings": [
                    _line_document(table, place) for place in range(len(table.standings))
                ],
                "boards": _boards(tournament, pool, numbers),
            }
            for pool, table in enumerate(tournament.tables())
        ],
    }


def tournament_page(tournament: Tournament, organiser: str) -> str:
    """Return a page of HTML with the cross-tables, which stands on its own."""
    head, *terms = terms_lines(tournament, organiser)
    parts = paragraphs(terms)
    for pool, table in enumerate(tournament.tables()):
        parts += [f"<h2>{escape_html(_heading(tournament, pool))}</h2>", _html_table(table)]
    return html_page(head, parts, STYLE)


def _heading(tournament: Tournament, pool: int) -> str:
    rounds = rounds_of(tournament, pool)
    now = max((board.round for board in tournament.boards(pool)), default=0)
    title = f"Pool {pool + 1}, " if len(tournament.pools) > 1 else ""
    return (
        f"{title}round {now} of {rounds}" if now < rounds else title + with_count(rounds, "round")
    )


def _cross_block(table: CrossTable) -> Table:
    rows = tuple(
        (str(line.place), _name(line), *_cells(table, row), *_scores(line))
        for row, line in enumerate(table.standings)
    )
    count = len(table.standings)
    heads = ("place", "player", *(str(n + 1) for n in range(count)), *SCORES)
    return Table(heads, rows, right=(0, *range(count + 2, count + 5)))


def _cells(table: CrossTable, row: int) -> list[str]:
    return [
        "*" if row == column else format_cell(scores).replace("½", "=")
        for column, scores in enumerate(table.cells[row])
    ]


def _boards_block(tournament: Tournament, pool: int, numbers: Mapping[int, int]) -> Table:
    rows = tuple(
        (
            str(board["round"]),
            "" if board["board"] is None else str(board["board"]),
            str(board["X"]),
            str(board["O"] or "(bye)"),
            {None: "running", 1: "1-0", 0.5: "=-=", 0: "0-1"}[board["score"]],
        )
        for board in _boards(tournament, pool, numbers)
    )
    return Table(("round", "board", "X", "O", "result"), rows, right=(0, 1))


def _boards(tournament: Tournament, pool: int, numbers: Mapping[int, int]) -> list[Document]:
    names = {entrant.player_id: entrant.userid for entrant in tournament.entrants}
    found: list[tuple[int, Encounter]] = [
        (place, board) for place, board in enumerate(tournament.encounters) if board.pool == pool
    ]
    return [
        {
            "round": board.round,
            "board": numbers.get(place),
            "X": names[board.x],
            "O": None if board.o is None else names[board.o],
            "score": board.score,
        }
        for place, board in sorted(found, key=lambda pair: (pair[1].round, pair[0]))
    ]


def _line_document(table: CrossTable, row: int) -> Document:
    line = table.standings[row]
    return {
        "place": line.place,
        "userid": line.entrant.userid,
        "points": line.points,
        "sonneborn_berger": line.sonneborn_berger,
        "direct": line.direct,
        "won": line.won,
        "drawn": line.drawn,
        "lost": line.lost,
        "byes": line.byes,
        "against": [list(scores) for scores in table.cells[row]],
    }


def _name(line: TournamentStanding) -> str:
    return f"{line.entrant.userid} (left)" if line.entrant.is_withdrawn else line.entrant.userid


def _scores(line: TournamentStanding) -> tuple[str, ...]:
    return tuple(f"{value:g}" for value in (line.points, line.sonneborn_berger, line.direct))


def _html_table(table: CrossTable) -> str:
    numbers = "".join(f"<th>{number + 1}</th>" for number in range(len(table.standings)))
    scores = "".join(f"<th>{name}</th>" for name in SCORES)
    lines = ["<table>", f"<tr><th>place</th><th>player</th>{numbers}{scores}</tr>"]
    for row, line in enumerate(table.standings):
        cells = "".join(
            '<td class="self"></td>' if row == column else f"<td>{format_cell(cell)}</td>"
            for column, cell in enumerate(table.cells[row])
        )
        ends = "".join(f"<td>{value}</td>" for value in _scores(line))
        name = f'<td class="name">{escape_html(_name(line))}</td>'
        lines.append(f"<tr><td>{line.place}</td>{name}{cells}{ends}</tr>")
    return "\n".join([*lines, "</table>"])
