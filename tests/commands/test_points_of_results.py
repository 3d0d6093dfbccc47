"""Points stand in a result only if the rules ended the game or the players agreed on them."""

import re
from dataclasses import replace
from random import Random

import pytest

from pbmserv.board.frame import Size
from pbmserv.board.panel import panel_lines
from pbmserv.board.play_session import new_session
from pbmserv.board.screen import screen
from pbmserv.club.match import Match
from pbmserv.desk.tick import tick
from pbmserv.engine.formats.sgf import format_sgf
from pbmserv.engine.moments import DAY
from pbmserv.engine.position import Side
from pbmserv.engine.record import Record
from pbmserv.render.animation import animation
from pbmserv.render.blocks import BoardPicture
from pbmserv.render.view import turn_sentence, view_blocks, view_match
from pbmserv.site.pages import Names, Pages, SiteOptions, club_id
from tests.board.playing import text_of
from tests.databases import ONE_DATABASE
from tests.engine.sample_games import random_move
from tests.local_server import LocalServer

pytestmark = ONE_DATABASE

SMALL = {"star": 3, "starstar": 4, "starweb": 4, "polyy": 4, "y": 5, "hex": 5}
IN_A_TABLE = re.compile(r"(?<![\w-])-?[0-9]+-[0-9]+(?![\w-])")
AT_A_NAME = re.compile(r"\b(?:alice|bob|won|lost|a draw)\s+-?[0-9]")


def end(local: LocalServer, game: str, how: str) -> Match:
    """Return a match that has ended so, after some moves."""
    local.game = game
    board = local.start(f"-size={SMALL[game]}")
    chance, shown = Random(3), local.show(board)
    while shown["status"] == "running" and (how == "rules" or shown["ply"] < 4):
        with local.desk.store.reading() as records:
            match = records.matches.find(game, board)
        assert match is not None
        shown = local.play(board, random_move(match.game, match.position, chance).text)
    if how == "resign":
        local.move(board, "alice", "resign")
    elif how == "time":
        for _ in range(60):
            local.clock.seconds += DAY
            tick(local.desk)
    elif how != "rules":
        words = f"propose {how}".removesuffix(" draw")
        local.move(board, "alice", words)
        local.move(board, "bob", words.replace("propose", "accept"))
    with local.desk.store.reading() as records:
        match = records.matches.find(game, board)
    assert match is not None
    assert not match.is_running
    return match


def rows(local: LocalServer) -> list[str]:
    """Return the line of the one board in every table that has it."""
    game = local.game
    lines = (f"{game} games inactive", f"{game} history", f"{game} history bob", "list")
    return [row for line in lines for row in local.text(line).splitlines() if " 101 " in row]


def named(match: Match) -> Record[str]:
    return replace(match.record.with_players("alice", "bob"), outcome=match.outcome)


def page(local: LocalServer, match: Match) -> dict[str, str]:
    with local.desk.store.reading() as records:
        names = Names(records.published.names)
        pages = Pages(names, club_id(records.published.founded()), SiteOptions("1.0"))
        html = pages.board(match, ())
    return dict(re.findall(r'<b class="points" data-points="(.)">(.*?)</b>', html))


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("game", SMALL)
@pytest.mark.parametrize("how", ["resign", "time", "draw"])
def test_no_points_stand_where_none_decided(local: LocalServer, game: str, how: str) -> None:
    match = end(local, game, how)
    view = view_match(match)
    sitting = new_session(view)
    picture = next(block for block in view_blocks(view) if isinstance(block, BoardPicture))
    last = animation(picture, match.record).rpartition('<g class="l ')[2]
    panel = "\n".join("".join(s.text for s in row) for row in panel_lines(sitting, 30, 60, ()))

    assert len(rows(local)) == 4
    assert [] == [row for row in rows(local) if IN_A_TABLE.search(row)]
    assert [None] == [row["points"] for row in local.json(f"{game} history")["matches"]]
    assert not IN_A_TABLE.search(turn_sentence(view))
    assert not re.search("result: .*[0-9]", local.text(f"{game} export 101"))
    assert not re.search(r"RE\[[BW]\+[0-9]", format_sgf(named(match)))
    assert not AT_A_NAME.search(panel)
    assert not re.search(r"\bX -?[0-9]", text_of(screen(sitting, Size(50, 24))).split("\n")[0])
    assert not re.search(r">-?[0-9]+ : -?[0-9]+<", last)
    assert {"X": "", "O": ""} == page(local, match)
    assert local.show(101)["score"]["points"] == match.game.score(match.position).points


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("game", SMALL)
def test_points_stand_where_the_rules_gave_them(local: LocalServer, game: str) -> None:
    match = end(local, game, "rules")
    score = match.game.score(match.position)
    points, words = score.points, f"{score.points[Side.X]}-{score.points[Side.O]}"

    assert [points] == [row["points"] for row in local.json(f"{game} history")["matches"]]
    assert words in rows(local)[1]
    assert page(local, match) == {
        side: "" if score.feat else str(value) for side, value in points.items()
    }


def test_points_stand_as_they_were_agreed_on(local: LocalServer) -> None:
    match = end(local, "star", "4-8")
    sitting = new_session(view_match(match))
    panel = "\n".join("".join(s.text for s in row) for row in panel_lines(sitting, 30, 60, ()))

    assert [{"X": 4, "O": 8}] == [row["points"] for row in local.json("star history")["matches"]]
    assert all(re.search("4-8|, 8 to 4, by agreement", row) for row in rows(local))
    assert {"X": "4", "O": "8"} == page(local, match)
    assert ["4", "8"] == re.findall(r"(?:alice|bob) +([0-9]+)", panel)
    assert re.search(r"RE\[[BW]\+4\]", format_sgf(named(match)))
