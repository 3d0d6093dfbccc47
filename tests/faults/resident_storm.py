"""A storm of commands beside a resident server, while parts of it and of its clients are killed.

Each player plays on boards of their own, one process a move. What a client says that lives is
final: it was done once. After a client's own death the move is sent again, with its number.
"""

import json
import os
import signal
import subprocess
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from threading import Lock

from tests.daemon.resident_process import start, workers

from .killed_servers import CELLS
from .two_players import PASSWORD, program

VICTIMS = ("keeper", "workers", "client")
A_BOARD = 200
"""So many moves are played on one board."""


class Service:
    """A server that is started again whenever it is killed, as systemd would."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self.environ = environ
        self._lock = Lock()
        self._server = start(environ)

    def kill(self, victim: str) -> None:
        """Kill the keeper, which is then started again, or all workers that there are."""
        with self._lock:
            if victim == "workers":
                for pid in workers(self._server):
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
            else:
                self._server.kill()
                self._server.communicate()
                self._server = start(self.environ)

    def stop(self) -> None:
        """Have it end in order."""
        self._server.terminate()
        self._server.communicate()


@dataclass
class Player:
    """Somebody who plays both sides of some boards; ``kills`` tells who dies at which move."""

    url: str
    service: Service
    first_board: int
    kills: Mapping[int, str]
    random: Random
    pace: float = 0.05
    """The seconds that the last move took: a kill falls somewhere into such a time."""
    resent: int = 0
    """Moves sent again because their client was killed."""
    found_played: int = 0
    """Moves sent again that turned out to have been played."""
    in_doubt: int = 0
    """Moves of which a client said that they were carried out, but that the server ended."""
    played: dict[int, list[str]] = field(default_factory=dict)

    def play(self, moves: int) -> None:
        """Play so many moves, whatever happens to the server and its clients."""
        for number in range(moves):
            board, ply = self.first_board + number // A_BOARD, number % A_BOARD + 1
            victim = self.kills.get(number)
            if not self._move(board, ply, victim):
                self.resent += 1
                assert self._move(board, ply, None, again=True)
            self.played.setdefault(board, []).append(CELLS[ply - 1])

    def _move(self, board: int, ply: int, victim: str | None, *, again: bool = False) -> bool:
        """Send a move; tell whether its client lived to the end."""
        userid = "alice" if ply % 2 else "bob"
        words = ("star", "move", str(board), userid, PASSWORD, f"{CELLS[ply - 1]}#{ply}")
        began = time.perf_counter()
        client = subprocess.Popen(
            program(self.url, *words), env=self.service.environ, stdout=subprocess.PIPE
        )
        if victim is not None:
            time.sleep(self.random.uniform(0, 1.2 * self.pace))
            if victim == "client":
                client.kill()
            else:
                self.service.kill(victim)
        out, _ = client.communicate(timeout=120)
        if client.returncode == -signal.SIGKILL:
            assert victim == "client"
            return False
        if client.returncode == 1 and again:
            assert json.loads(out)["error"]["code"] == "wrong-move-number"
            self.found_played += 1
            return True
        assert client.returncode in {0, 3}, out
        self.in_doubt += client.returncode == 3
        if victim is None:
            self.pace = time.perf_counter() - began
        return True


def resident_storm(url: str, service: Service, *, moves: int, kills: int) -> list[Player]:
    """Let four players play so many moves each, with so many kills among all of them."""
    chance = Random(moves)
    places = chance.sample([(n, number) for n in range(4) for number in range(moves)], kills)
    crowd = [
        Player(
            url,
            service,
            101 + n * -(-moves // A_BOARD),
            {number: VICTIMS[at % 3] for at, (m, number) in enumerate(places) if m == n},
            Random(n),
        )
        for n in range(4)
    ]
    with ThreadPoolExecutor(len(crowd)) as pool:
        for done in [pool.submit(player.play, moves) for player in crowd]:
            done.result()
    return crowd
