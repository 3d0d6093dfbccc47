"""Sixteen players at once, and the server killed between: every move is made once or not at all."""

import http.client
import os
import random
import re
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from urllib.parse import urlencode

import pytest

from pbmserv.engine.spec import parse_game
from tests.installed_program import PROGRAM, waited_for
from tests.local_server import LocalServer
from tests.web.own_server import TOKEN, SocketVisitor, environment_of, free_port, is_open

pytestmark = pytest.mark.slow

PAIRS = 8
SIZE = 9
SECONDS, FULL_SECONDS = 12, 600
KILLED_EACH = 4.0
CELL = re.compile(r'href="\?at=([A-Z][0-9]+)"')


@dataclass
class Player:
    """Somebody who plays a board of Hex for as long as there is time, whatever breaks."""

    visitor: SocketVisitor
    userid: str
    board: int
    is_first: bool
    made: list[str] = field(default_factory=list)
    """The moves of which the server has said that they were made."""
    lost: list[str] = field(default_factory=list)
    """Those of which nothing was heard: each may have been made or not."""

    def play(self, until: float) -> None:
        chance = random.Random(self.userid)
        while time.monotonic() < until:
            try:
                self.turn(chance)
            except (OSError, http.client.HTTPException):
                time.sleep(0.05)

    def turn(self, chance: random.Random) -> None:
        """Look at the board, and move if it is one's turn."""
        page = self.visitor.ask("GET", f"/boards/hex/{self.board}.html").text
        if "choose a cell" not in page:
            time.sleep(0.02)
            return
        token, cells = TOKEN.search(page), CELL.findall(page)
        assert token
        cell = chance.choice([one for one in cells if one not in self.made])
        ply = page.partition('id="moves"')[2].partition("</ol>")[0].count("<li>") + 1
        form = {"token": token[1], "key": str(chance.random()), "verb": "move", "text": cell}
        body = urlencode({**form, "ply": str(ply)})
        try:
            answer = self.visitor.ask("POST", f"/boards/hex/{self.board}/act", body)
        except (OSError, http.client.HTTPException):
            self.lost.append(cell)
            raise
        if answer.status == 303:
            self.made.append(cell)


def test_no_move_is_lost_or_doubled(local: LocalServer, *, full: bool) -> None:
    local.game, local.clock.seconds = "hex", int(time.time())
    players, names = [], parse_game(f"hex(size={SIZE})").board.names
    port, until = free_port(), time.monotonic() + (FULL_SECONDS if full else SECONDS)
    for pair in range(PAIRS):
        seats = (f"first{pair}", f"second{pair}")
        board = local.start(f"-size={SIZE}", *seats)
        for userid in seats:
            visitor = SocketVisitor(port, net=f"192.0.{pair}.7", host=f"127.0.0.1:{port}")
            with local.desk.store.writing() as records:
                account = records.players.find(userid)
                assert account is not None
                visitor.cookies["pbmserv"] = records.signin_keys.add(account, int(time.time()))
            players.append(Player(visitor, userid, board, userid.startswith("first")))
    local.desk.close()
    environ = environment_of(local.url, port)
    with ThreadPoolExecutor(len(players)) as pool:
        games = [pool.submit(player.play, until) for player in players]
        while time.monotonic() < until:
            process = subprocess.Popen([PROGRAM, "web"], env=environ, stderr=subprocess.DEVNULL)
            waited_for(lambda: is_open(port), while_runs=process)
            time.sleep(KILLED_EACH)
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
        for game in games:
            game.result()

    for player in players:
        moves = local.show(player.board)["moves"][0 if player.is_first else 1 :: 2]
        assert len({*moves}) == len(moves)
        assert {*moves} <= {*names}
        assert {*player.made} <= {*moves}, "a move that was confirmed is lost"
        assert {*moves} <= {*player.made, *player.lost}, "a move that nobody made"
    assert all(player.made for player in players)
