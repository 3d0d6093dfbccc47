"""The pages of a tournament: everybody against everybody, each result leading to its board."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pbmserv.club.tournament import TournamentStatus, parse_kind
from pbmserv.club.tournament_standings import SCORE_TEXTS
from pbmserv.render.crosstable import TIE_BREAK
from pbmserv.render.document import Document
from pbmserv.site.board_lines import BoardLine
from pbmserv.site.pages import A_ROW, Pages, chosen_page, paginate

A_RESULT = 240
"""Characters of a result, about; below, of an empty cell and of a running board."""
A_CELL = 40
A_SQUARE = 600

MAX_CROSS = 12
"""Players of a cross-table that fits a small screen; with more, results are listed in rows."""

Part = tuple[int, dict[str, Any]]
"""The size in characters of a part of the pages, about, and what its template shows."""

ROUND_RESULTS = {1: "1-0", 0.5: "½-½", 0: "0-1", None: "running"}
VERDICTS = {1: "won", 0.5: "drew", 0: "lost", None: "running"}


class TableResult(NamedTuple):
    """A player's score on a board, as it is shown and in a word; ``path`` is the board's page."""

    other: str
    path: str
    text: str
    verdict: str


def tournament_page(
    pages: Pages,
    document: Document,
    terms: Sequence[str],
    lines: Sequence[BoardLine],
    number: int,
) -> str:
    """Return a page of the cross-tables, rounds, running boards and finished boards."""
    played = [board for pool in document["pools"] for board in pool["boards"] if board["O"]]
    over = sum(board["score"] is not None for board in played)
    facts = [*terms, f"{over} of {len(played)} boards ended"] if played else terms
    return pages.several(
        "tournament.html",
        document["name"],
        *chosen_page(str(document["tournament"]), number, _parts(pages, document, lines)),
        facts=facts,
        tie_break=TIE_BREAK,
        entry=_entry(pages, document),
    )


def _parts(pages: Pages, document: Document, lines: Sequence[BoardLine]) -> Iterator[Part]:
    """Yield what the pages have, in parts that fit on one."""
    boards = {line.number: line for line in lines}
    ids = {one.name: number for number, one in pages.names.items()}
    pools = list(enumerate(document["pools"], 1))
    names = {number: f"Pool {number}" if len(pools) > 1 else "" for number, _ in pools}
    for number, pool in pools:
        yield from _tables(names[number], pool, ids, boards)
    if parse_kind(document["kind"]).max_chosen:  # rounds follow one another
        for number, pool in pools:
            yield from _rounds(names[number], pool["boards"], ids, boards)
    newest = sorted(lines, key=lambda line: (-line.changed_at, -line.id))
    running = [line for line in lines if line.is_running]
    ended = [line for line in newest if not line.is_running]
    for heading, found in (("Running boards", running), ("Finished boards", ended)):
        if found:
            yield from _split("boards", heading, found, lambda _: A_SQUARE)


def _split(
    kind: str, heading: str, rows: Sequence[Any], size_of: Callable[[Any], int], **more: Any
) -> Iterator[Part]:
    """Yield rows as parts that fit on a page."""
    for page in paginate((size_of(row), row) for row in rows):
        yield sum(map(size_of, page)), {"kind": kind, "heading": heading, "rows": page, **more}


def _entry(pages: Pages, document: Document) -> str:
    """Return the word by which the visitor joins or leaves, "" if there is neither."""
    if pages.visitor is None or TournamentStatus(document["status"]).is_over:
        return ""
    own = pages.names[pages.visitor.player_id].name
    entered = [one["withdrawn"] for one in document["entrants"] if one["userid"] == own]
    if entered:
        return "" if entered[0] else "leave"
    return "join" if document["status"] == TournamentStatus.OPEN.value else ""


def _tables(
    heading: str, pool: Document, ids: Mapping[str, int], boards: Mapping[int, BoardLine]
) -> Iterator[Part]:
    """Yield the table of a pool in parts that fit on pages."""
    met = _met(pool["boards"], boards)
    standings = pool["standings"]
    names = [str(line["userid"]) for line in standings]
    is_cross = len(names) <= MAX_CROSS
    lines = []
    for row, line in enumerate(standings):
        own = met.get(names[row], {})
        cells = [(other, own.get(other, ())) for other in names] if is_cross else ()
        results = [result for each in own.values() for result in each]
        found = {"id": ids.get(line["userid"], 0), "row": row, "cells": cells, "results": results}
        lines.append({"byes": 0, **line, **found})

    def size_of(line: Mapping[str, Any]) -> int:
        return A_ROW + A_RESULT * len(line["results"]) + A_CELL * len(line["cells"])

    yield from _split("table", heading, lines, size_of, columns=names if is_cross else ())


def _rounds(
    pool: str,
    played: Sequence[Mapping[str, Any]],
    ids: Mapping[str, int],
    boards: Mapping[int, BoardLine],
) -> Iterator[Part]:
    """Yield the pairings of each round, the newest first, in parts that fit on pages."""
    for number in sorted({board["round"] for board in played}, reverse=True):
        rows = [
            {
                "players": [(ids.get(name, 0), name) for name in (board["X"], board["O"]) if name],
                "path": boards[board["board"]].path if board["board"] in boards else "",
                "result": ROUND_RESULTS[board["score"]] if board["O"] else "bye",
            }
            for board in played
            if board["round"] == number
        ]
        heading = f"{pool}, round {number}" if pool else f"Round {number}"
        yield from _split("round", heading, rows, lambda _: A_ROW + A_RESULT)


def _met(
    played: Sequence[Mapping[str, Any]], boards: Mapping[int, BoardLine]
) -> dict[str, dict[str, list[TableResult]]]:
    """Return the results of everybody against everybody, by name, in the order of the rounds."""
    met: dict[str, dict[str, list[TableResult]]] = {}
    for board in played:
        if board["O"] is None:
            continue
        line = boards.get(board["board"])
        path = line.path if line else ""
        score = board["score"]
        for one, other, own in (
            (board["X"], board["O"], score),
            (board["O"], board["X"], None if score is None else 1 - score),
        ):
            text = "·" if own is None else SCORE_TEXTS[own]
            result = TableResult(other, path, text, VERDICTS[own])
            met.setdefault(one, {}).setdefault(other, []).append(result)
    return met
