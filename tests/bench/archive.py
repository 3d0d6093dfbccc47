"""How long the archive of a large club takes, how large it is, and whether it is the same twice.

Run it as `python -m tests.bench.archive [--games=100000] [--url=postgresql+psycopg://...]`. Games
have some 50 moves on middling boards of every kind, copied from 197 random ones of each. Seconds
are of the processor; behind them is the most memory that the program had.
"""

import argparse
import gzip
import os
import sys
import tempfile
from hashlib import sha256
from multiprocessing import Process
from pathlib import Path

from tests.bench.club_database import build

SPECS = (
    *("star(size=5)", "hex(size=8)", "y(size=9)"),
    *("polyy(size=5)", "starweb(size=5)", "starstar(size=4)"),
)
KINDS = {"specs": SPECS, "copied": 197}
PROGRAM = str(Path(sys.executable).with_name("pbmserv"))


def archive(url: str, folder: Path) -> tuple[float, float]:
    """Write the archive; return the seconds of the processor that it took, and its megabytes."""
    words = [PROGRAM, f"--database={url}", "archive", str(folder)]
    _, status, used = os.wait4(os.posix_spawn(PROGRAM, words, os.environ), 0)
    if status:
        raise SystemExit(1)
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1000


def measure(url: str, folder: Path) -> None:
    """Write it twice and print the figures."""
    sums = []
    for name in ("first", "second"):
        seconds, megabytes = archive(url, folder / name)
        files = [*sorted((folder / name).glob("*.gz")), folder / name / "manifest.json"]
        content = [file.read_bytes() for file in files]
        sums.append(sha256(b"".join(content)).hexdigest())
        print(f"{seconds:.1f} s, {megabytes:.0f} MB of memory", flush=True)
    for ending in ("jsonl", "sgf"):
        packed = [file for file in files if f".{ending}." in file.name]
        whole = sum(len(gzip.decompress(file.read_bytes())) for file in packed)
        size = sum(file.stat().st_size for file in packed)
        print(f"{ending}: {whole / 1e6:.1f} MB, packed {size / 1e6:.1f} MB")
    print("the same bytes twice" if sums[0] == sums[1] else "OTHER BYTES THE SECOND TIME")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--games", type=int, default=100_000)
    parser.add_argument("--url", help="an empty database; by default a file that is thrown away")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        url = given.url or str(Path(name, "club.sqlite"))
        # The memory of a process counts as that of those that it begins.
        made = Process(target=build, args=(url, given.games), kwargs=KINDS)
        made.start()
        made.join()
        measure(url, Path(name))


if __name__ == "__main__":
    main()
