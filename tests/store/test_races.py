import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

from pbmserv.store.store import Store

from .sample_rows import find, new_match

RACER = Path(__file__).parent / "racer.py"
PROCESSES = 8


def race(url: str, turns: int, how: str = "ours") -> Counter[str]:
    """Let the processes fight, and return how often what happened to them."""
    words = [sys.executable, str(RACER), url, str(turns), how]
    pipe = subprocess.PIPE
    racers = [subprocess.Popen(words, stdin=pipe, stdout=pipe, text=True) for _ in range(PROCESSES)]
    for racer in racers:
        assert racer.stdout is not None
        assert racer.stdout.readline() == "ready\n"
    for racer in racers:
        assert racer.stdin is not None
        racer.stdin.write("go\n")
        racer.stdin.flush()
    reports = [json.loads(racer.communicate()[0]) for racer in racers]
    longest = max(report["longest"] for report in reports)
    total: Counter[str] = sum((Counter(report["counts"]) for report in reports), Counter())
    print(f"{dict(total)}, longest wait {longest * 1000:.0f} ms")
    return total


def test_eight_processes_get_every_turn_exactly_once(
    store: Store, database_url: str, *, full: bool
) -> None:
    match = new_match(store, "star(size=14)")
    turns = 1000 if full else 24
    counts = race(database_url, turns)
    found = find(store, match)

    assert counts["accepted"] == turns
    assert [code for code in counts if code.startswith("fault")] == []
    assert found.ply == turns
    assert found.position.ply == turns


def test_the_race_notices_transactions_that_are_wrong(store: Store, database_url: str) -> None:
    new_match(store, "star(size=14)")
    mistake = "unlocked" if "postgresql" in database_url else "default"
    counts = race(database_url, 24, mistake)

    assert [code for code in counts if code.startswith("fault")] != []


def test_of_several_programs_that_create_one_database_one_does(empty_url: str) -> None:
    code = (
        "import sys; from pbmserv.store.store import Store; Store.open(sys.argv[1], notice=print)"
    )
    words = [sys.executable, "-c", code, empty_url]
    makers = [subprocess.Popen(words, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    said = [maker.communicate()[0] for maker in makers]

    assert [maker.returncode for maker in makers] == [0] * 3
    assert [len(lines.splitlines()) for lines in sorted(said)] == [0, 0, 1]
