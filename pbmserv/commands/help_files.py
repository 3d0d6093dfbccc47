"""The help pages that lie under help/ as plain files."""

import os
import re
from collections.abc import Sequence

SUFFIX = ".txt"
COMMAND = r"## (?:pbmserv )?((?:[a-z-]+(?:\s|$))+)"
SENTENCE_END = r"\n\n|\n(?= *\S+(?: \S+)*  +\S)|(?<=[.?!])\s+(?=[A-Z])"
"""The separators of sentences on a page and of rows of columns."""


def help_folder() -> str:
    """Return the folder of the help files: inside the package when installed, else beside it."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    inside = os.path.join(package, "help")
    return inside if os.path.isdir(inside) else os.path.join(os.path.dirname(package), "help")


def topic_names() -> list[str]:
    """Return the names of all help files, without their ending."""
    names = os.listdir(help_folder())
    return sorted(name.removesuffix(SUFFIX) for name in names if name.endswith(SUFFIX))


def page_of_game(topic: str, game: str) -> str:
    """Return the name of the page that a topic has for one game, else the topic."""
    name = f"{topic}-{game}"
    return name if name in topic_names() else topic


def read_page(name: str) -> str:
    """Return the text of a help file."""
    with open(os.path.join(help_folder(), f"{name}{SUFFIX}"), encoding="utf-8") as page:
        return page.read().rstrip("\n")


def search(words: Sequence[str]) -> list[tuple[str, str]]:
    """Return the pages and commands with a sentence that has all these words, each with it.

    The best comes first: one so called, one whose sentence begins with the words, has them whole.
    """
    text, found = " ".join(words).lower(), dict[str, tuple[tuple[bool, ...], str]]()
    parts = [re.compile(rf"(?i)(?<!\w){re.escape(word)}(s?(?!\w))?") for word in words]
    listed = re.findall(r"(?m)^    ([a-z]+) ", read_page("index"))  # those for players come first
    for name in sorted(topic_names(), key=[*listed, *topic_names()].index):
        page = name
        for row in re.split(SENTENCE_END, read_page(name)):
            if name in {"commands", "operators"} and (command := re.match(COMMAND, row)):
                page = command[1].strip()
            line = " ".join(row.strip("# \n").split())
            hits = [hit for part in parts if (hit := part.search(line))]
            is_whole = not line[150:] and all(hit[1] is not None for hit in hits)
            is_read = name not in {"gateway", "json", "limits", "schema"}
            rank = page == text, is_read, line.lower().startswith(f"{text} "), is_whole
            if words and len(hits) == len(words) and rank > found.get(page, ((), ""))[0]:
                found[page] = rank, line
    best = sorted(found.items(), key=lambda each: each[1][0], reverse=True)[::-1]
    return [(page, line) for line, page in {line: page for page, (_, line) in best}.items()][::-1]
