"""What commands cost beside a resident server, as ratios to bare Python.

Run it as `python -m tests.bench.resident [--rounds=15]`. Figures are medians of processor time of
the whole client process, and beside them the server's own for each command. Then requests a second
with 1, 4 and 16 clients, and the memory of the server before and after.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median

from tests.cli.serving import served, workers

from .club_database import build
from .startup import PROGRAM, Command, always, moving

TICK = 1 / os.sysconf("SC_CLK_TCK")
AIMS = {"help": 1.6, "star show": 1.6, "star games": 1.6, "star move": 2.0}


def server_seconds(pids: list[int]) -> float:
    """Return the processor time that these processes have used."""
    fields = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in pids]
    return sum(int(f[11]) + int(f[12]) for f in fields) * TICK


def resident_kib(pids: list[int]) -> int:
    # A worker that is one too many may be leaving.
    texts = [Path(f"/proc/{pid}/status").read_text() for pid in pids]
    return max(int(t.partition("VmRSS:")[2].split()[0]) for t in texts if "VmRSS:" in t)


def throughput(words: tuple[str, ...], clients: int, requests: int) -> float:
    start = time.perf_counter()
    with ThreadPoolExecutor(clients) as pool:
        for done in [
            pool.submit(subprocess.run, words, stdout=subprocess.DEVNULL, check=True)
            for _ in range(requests)
        ]:
            done.result()
    return requests / (time.perf_counter() - start)


def measure(folder: Path, rounds: int) -> None:
    url = str(folder / "club.sqlite")
    build(url, 0)
    database = f"--database={url}"
    commands = [
        Command("bare Python", always(sys.executable, "-c", "pass")),
        Command("help", always(PROGRAM, "help")),
        Command("star show", always(PROGRAM, database, "star", "show", "101")),
        Command("star games", always(PROGRAM, database, "star", "games", "alice", "next")),
        Command("star move", moving(database)),
    ]
    with served(url) as (environ, server):
        os.environ.update(environ)
        for command in commands:
            command.run()  # what is worked out once is not what a command costs
        print(
            f"{'':14}{'client ms':>10}{'server ms':>10}{'x bare':>8}{'with server':>12}{'aim':>6}"
        )
        bare = 0.0
        for command in commands:
            command.cpu.clear()
            before = server_seconds(workers(server))
            for _ in range(rounds):
                command.run()
            own = (server_seconds(workers(server)) - before) / rounds
            cost = median(command.cpu)
            bare = bare or cost
            print(
                f"{command.name:14}{cost * 1e3:10.1f}{own * 1e3:10.1f}{cost / bare:8.2f}"
                f"{(cost + own) / bare:12.2f}{AIMS.get(command.name, 1):6.1f}"
            )
        first = resident_kib(workers(server))
        for clients in (1, 4, 16):
            rate = throughput(next(commands[2].words), clients, rounds * 4)
            print(f"{clients:3} clients: {rate:.0f} requests a second")
        print(f"memory of the largest worker: {first} KiB, then {resident_kib(workers(server))}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryDirectory() as folder:
        measure(Path(folder), rounds)


if __name__ == "__main__":
    main()
