"""How well wrong words are guessed: ``python -m tests.bench.guessing``.

Lists that a machine makes, so that nobody learns them by heart: the name of every command with one
random edit, ordinary words where they mean nothing, plain English at four places, and names of what
is private or ends something. ``tests/commands/test_guessing.py`` holds the bars.
"""

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pbmserv.cli.shell_commands import command_tree
from pbmserv.commands.grammar import Command, Group
from pbmserv.commands.guess import Meant, guess
from pbmserv.commands.synonyms import is_said, plain
from pbmserv.engine.games import SAMPLE_GAME, game_names
from tests.test_architecture import ROOT

SEED = 35
PLACES = ((), (SAMPLE_GAME,), ("tournament",), ("admin",))
LETTERS = "abcdefghijklmnopqrstuvwxyz"
NOISE_SOURCES = ("LICENSE", "help/questions.txt")
"""Their words are tried at each place."""


class Typos(NamedTuple):
    """How many misspelt names of commands were led to their command, to another, to nothing."""

    right: int
    wrong: int
    silent: int


def commands(family: Group, *path: str) -> Iterator[tuple[str, ...]]:
    """Yield the names of every command below a family, of one game alone."""
    for name in family.list_commands(None):
        found = family.get_command(None, name)
        if isinstance(found, Group):
            if name == SAMPLE_GAME or name not in game_names():
                yield from commands(found, *path, name)
        elif isinstance(found, Command):
            yield (*path, name)


def misspelt(word: str, chance: random.Random) -> str:
    """Return a word with one letter left out, doubled, exchanged with the next, or another."""
    at = chance.randrange(len(word))
    kind = chance.randrange(4)
    if kind == 0 and len(word) > 2:
        return word[:at] + word[at + 1 :]
    if kind == 1:
        return word[:at] + word[at] + word[at:]
    if kind == 2 and at + 1 < len(word):
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    return word[:at] + chance.choice(LETTERS) + word[at + 1 :]


def line_of(answer: object) -> str:
    """Return the line of an answer as words behind ``pbmserv``, without what asks for its page."""
    line = answer.line if isinstance(answer, Meant) else ""
    return line.removeprefix("pbmserv ").removeprefix("help ")


def typos(edits: int, seed: int = SEED) -> Typos:
    """Return how the names of all commands are guessed, each with so many random edits."""
    chance, tree, found = random.Random(seed), command_tree(), Counter[str]()
    for *home, name in commands(tree):
        family: object = tree
        for word in home:
            family = family.get_command(None, word) if isinstance(family, Group) else None
        for _ in range(edits):
            word = misspelt(name, chance)
            if not isinstance(family, Group) or family.has(word):
                continue
            line = line_of(guess(tree, home, [word]))
            is_right = line == " ".join((*home, name)) or line.startswith(
                f"{' '.join((*home, name))} "
            )
            found["right" if is_right else "wrong" if line else "silent"] += 1
    return Typos(found["right"], found["wrong"], found["silent"])


def ordinary_words() -> list[str]:
    """Return words of running text that say nothing to a server, always the same."""
    texts = [(ROOT / name).read_text(encoding="utf-8") for name in NOISE_SOURCES]
    known = {*re.findall("[a-z]{4,}", " ".join(texts).lower())}
    return sorted(word for word in known if not is_said(word))


def noise(words: Sequence[str]) -> dict[tuple[str, ...], list[str]]:
    """Return which of the words something is proposed for, at each place."""
    tree = command_tree()
    return {
        place: [word for word in words if plain(word) and guess(tree, place, [word])]
        for place in PLACES
    }


def main() -> None:
    """Print all figures."""
    found = typos(3)
    print(f"names of commands with one edit: right {found.right}, wrong {found.wrong}, "
          f"nothing {found.silent}")  # fmt: skip
    ordinary = ordinary_words()
    for place, words in noise(ordinary).items():
        where = " ".join(("pbmserv", *place))
        print(f"{len(ordinary)} ordinary words behind {where}: {len(words)} {words}")


if __name__ == "__main__":
    main()
