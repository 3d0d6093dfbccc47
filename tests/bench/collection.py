"""Games of the computer's levels against each other, as an archive for researchers.

Run it as `python -m tests.bench.collection [--games=10000] [--board="hex(size=11)"] DIR`;
`--level=8 --level=9` takes other levels than those that move at once. Every game is drawn from the
seed and its number: who plays, and every move. The same seed makes the same bytes, and a smaller
collection is the beginning of a larger one. DIR is filled as `pbmserv archive` fills it. Games that
were played are kept in a file in it until all are: a run that was broken off goes on from there.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

from pbmserv.cli.progress_bar import progress_bar
from pbmserv.computer.level_list import LEVELS, Level
from pbmserv.computer.levels import choose
from pbmserv.engine.formats.own_rows import row_of
from pbmserv.engine.game import Game
from pbmserv.engine.record import Record, played
from pbmserv.engine.record_text import format_outcome, parse_outcome
from pbmserv.engine.score import Outcome, Reason
from pbmserv.engine.spec import format_game, parse_game
from pbmserv.operators.archive import ArchivedGame, write_archive
from pbmserv.store.files.new_file import own_folder
from pbmserv.store.progress import teller

QUICK = [level for level in LEVELS if level.simulations <= 500]
"""Levels that need some milliseconds a move."""


def play(game: Game, levels: Sequence[Level], seed: str) -> Record[str]:
    """Return a whole game between two of these levels, or of one with itself."""
    chance = Random(seed)
    pair = chance.choice(levels), chance.choice(levels)
    record = Record(game, *pair)
    while record.outcome is None:
        mover = record.position.to_move
        move = choose(game, record.position, record.seats[mover], chance.getrandbits(32)).move
        if move is None:
            record = replace(record, outcome=Outcome(mover.other, Reason.RESIGNATION))
        else:
            record = record.play(move)
    return record.with_players(*(level.label for level in pair))


def collection(
    game: Game, levels: Sequence[Level], seed: int, count: int, kept: Path
) -> Iterator[ArchivedGame]:
    """Yield so many games, those first that are kept in the file."""
    tell = teller(lambda: count)
    text = kept.read_text("ascii") if kept.exists() else ""
    lines = text.split("\n")[:-1]  # the last one may have been broken off
    with kept.open("w", encoding="ascii") as file:
        file.writelines(f"{line}\n" for line in lines)
        for number in range(1, count + 1):
            if number <= len(lines):
                first, second, moves, end = json.loads(lines[number - 1])
                record = replace(played(game, moves, first, second), outcome=parse_outcome(end))
            else:
                record = play(game, levels, f"{seed} {number}")
                end = format_outcome(record.outcome)
                file.write(json.dumps([record.first, record.second, record.texts, end]) + "\n")
                file.flush()
            robots = f"{record.first} {record.second}"
            record = replace(record, board=f"{seed}-{number}", computer=robots)
            yield ArchivedGame(f"seed-{seed}", row_of(record), record)
            tell(number)


def make(root: Path, spec: str, levels: Sequence[Level], seed: int, count: int) -> int:
    """Fill the folder, and return how many bytes its games have."""
    game = parse_game(spec)
    names = "-".join(level.label for level in levels)
    kept = root / f".{format_game(game)}-{names}-seed-{seed}.jsonl"
    games = collection(game, levels, seed, count, kept)
    manifest = write_archive(root, games)
    kept.unlink()
    return sum(int(file["bytes"]) for file in manifest["files"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="a new folder, or one that was made so")
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--board", default="hex(size=7)", help="a spec")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--level", action="append", default=[], type=int)
    given = parser.parse_args()
    levels = [level for level in LEVELS if level.number in given.level] or QUICK
    with progress_bar("Games"), own_folder(given.folder, "archive") as root:
        size = make(root, given.board, levels, given.seed, given.games)
    print(f"{given.games} games of {given.board}, seed {given.seed}: {size} bytes", file=sys.stderr)


if __name__ == "__main__":
    main()
