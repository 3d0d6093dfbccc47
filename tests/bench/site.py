"""What the club's pages cost: a first run, a run with nothing new, and one after a single move.

Run it as `python -m tests.bench.site [--matches=1000,10000]`; 10000,100000 is the full size. Times
are processor seconds of this process, start-up not counted; its memory is the most it ever had.
Databases are those of `tests.bench.club_database`.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from resource import RUSAGE_SELF, getrusage

from pbmserv.desk.door import Desk
from pbmserv.desk.request import Request
from pbmserv.site.pages import SiteOptions
from pbmserv.store.store import Store
from pbmserv.web.app import make_app
from pbmserv.web.club import Club
from pbmserv.web.freeze import FreezeReport, freeze
from tests.bench.club_database import PASSWORD

WISHES = SiteOptions("bench")


def timed(what: str, run: Callable[[], FreezeReport]) -> float:
    """Print what a run cost and did; return its processor seconds."""
    start = time.process_time()
    report = run()
    spent = time.process_time() - start
    sys.stdout.write(f"  {what:<24} {spent:8.2f} s   {report.written} files written\n")
    sys.stdout.flush()
    return spent


def measure(matches: int, folder: Path) -> None:
    """Make the pages of a club with so many matches, three times."""
    file = folder / f"{matches}.sqlite"
    words = [
        sys.executable,
        "-m",
        "tests.bench.club_database",
        str(file),
        f"--matches={matches}",
        "--real",
    ]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    store = Store.open(str(file))
    desk = Desk(lambda: store)
    app, root = make_app(Club(WISHES, lambda: desk)), folder / f"pages-{matches}"

    def run() -> FreezeReport:
        return freeze(app, root)

    sys.stdout.write(f"{matches} matches\n")
    first = timed("the first run", run)
    timed("a run with nothing new", run)
    desk.handle(Request(("star", "move", "101", "alice", PASSWORD, "T1"), body=str))
    timed("a run after one move", run)
    most = getrusage(RUSAGE_SELF).ru_maxrss // 1024
    sys.stdout.write(f"  {1000 * first / matches:.2f} ms a board, all else included; {most} MB\n")
    held = sum(file.stat().st_size for file in root.rglob("*") if file.is_file())
    sys.stdout.write(
        f"  {held / 1e6:.0f} MB of files, {file.stat().st_size / 1e6:.0f} MB database\n"
    )


def main() -> None:
    """Measure each size that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", default="1000,10000")
    chosen = parser.parse_args().matches
    with tempfile.TemporaryDirectory() as folder:
        for matches in map(int, chosen.split(",")):
            measure(matches, Path(folder))


if __name__ == "__main__":
    main()
