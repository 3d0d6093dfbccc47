"""A storm of moves by clients whose servers are killed at random moments.

Each client plays on a board of its own through a ``pbmserv batch -`` of its own. An answer that
was read to its end is an acknowledgement. A client whose server dies starts another one and sends
the same line again: the move's number in it makes that safe.
"""

import json
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from threading import Timer
from typing import Any

from pbmserv.engine.games.star import Star

from .two_players import PASSWORD, program

CELLS = Star(14).board.names

REST = 0.5
"""Seconds before what ended for want of a database is started again, as a service manager rests."""


@dataclass
class Client:
    """One client; ``kills`` are the moves, by number, in which its server is to be killed."""

    url: str
    board: int
    kills: frozenset[int]
    random: Random
    pace: float = 0.01
    """The seconds that the last answer took: a kill falls somewhere into such a time."""
    acknowledged: list[str] = field(default_factory=list)
    resent: int = 0
    """Moves sent again because no answer came."""
    found_played: int = 0
    """Moves sent again that turned out to have been played."""

    def run(self, moves: int) -> None:
        """Play so many moves, whatever happens to the servers."""
        server = self._start()
        for ply in range(1, moves + 1):
            text = CELLS[ply - 1]
            answer = self._send(server, ply, text, is_killed=ply in self.kills)
            while answer is None:
                bury(server)
                server = self._start()
                self.resent += 1
                answer = self._send(server, ply, text, is_killed=False)
                if answer is not None and "error" in answer:
                    assert answer["error"]["code"] == "wrong-move-number"
                    self.found_played += 1
                    answer = {"ply": ply, "moves": [text]}
            assert (answer["ply"], answer["moves"][-1]) == (ply, text)
            self.acknowledged.append(text)
        bury(server)

    def _start(self) -> "subprocess.Popen[str]":
        pipe = subprocess.PIPE
        words = program(self.url, "batch", "-")
        return subprocess.Popen(words, stdin=pipe, stdout=pipe, text=True)

    def _send(
        self, server: "subprocess.Popen[str]", ply: int, text: str, *, is_killed: bool
    ) -> dict[str, Any] | None:
        """Send a move and return its answer, or None if server or database die before that."""
        userid = "alice" if ply % 2 else "bob"
        assert server.stdin is not None
        assert server.stdout is not None
        killer = Timer(self.random.uniform(0, 1.5 * self.pace), server.kill)
        start = time.perf_counter()
        try:
            server.stdin.write(f"star move {self.board} {userid} {PASSWORD} {text}#{ply}\n")
            server.stdin.flush()
            if is_killed:
                killer.start()
            line = server.stdout.readline()
        except BrokenPipeError:
            return None
        finally:
            if is_killed:
                killer.join()
        if not line.endswith("\n"):
            return None
        self.pace = time.perf_counter() - start
        answer: dict[str, Any] = json.loads(line)
        if answer.get("error", {}).get("code", "").startswith("database-"):
            time.sleep(REST)
            return None
        return answer


def bury(server: "subprocess.Popen[str]") -> None:
    """Let go of a server that is dead, or will leave at the end of its input."""
    assert server.stdin is not None
    assert server.stdout is not None
    with suppress(BrokenPipeError):
        server.stdin.close()
    server.stdout.close()
    server.wait()


def storm(url: str, *, clients: int, moves: int, kills: int) -> list[Client]:
    """Let the clients play so many moves each, with so many kills among all of them."""
    # Never two moves in a row: a server that is dead already cannot be killed.
    places = [(n, ply) for n in range(clients) for ply in range(2, moves, 2)]
    chosen = Random(moves).sample(places, kills)
    crowd = [
        Client(url, 101 + n, frozenset(ply for m, ply in chosen if m == n), Random(n))
        for n in range(clients)
    ]
    with ThreadPoolExecutor(clients) as pool:
        for done in [pool.submit(client.run, moves) for client in crowd]:
            done.result()
    return crowd
