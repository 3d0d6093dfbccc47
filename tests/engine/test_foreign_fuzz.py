"""Whatever a text is, it is read or refused: nothing else is raised, and nothing takes for ever."""

from random import Random

import pytest

from pbmserv.engine.formats import formats, read_games
from pbmserv.engine.game_format import ReadGame
from pbmserv.engine.record_text import format_record
from pbmserv.errors import Refused

from .sample_games import spread
from .test_foreign_links import BAD, GOOD, WIKI
from .test_round_trips import random_record

PIECES = (
    *("\n", " ", "\t", "\r\n", "\x00", "\x1b[2J", "\u2028", "\ud800", "\ufeff", "\u0661", "\xb2"),
    *("(;", ")", "[", "]", "{", "}", '"', "'", "\\", ",", ":", "#", "<", ">", "=", "%", "//"),
    *(":s", ":S", ":p", ":rb", ":fw", "swap", "swap-pieces", "pass", "resign", "A1", "zz99", "a0"),
    *("0", "-1", "1e999", "NaN", "null", "true", "[[[[", '{"":', "9" * 5000, "x11", "19", "-"),
    *("B[", "W[aa]", "AB[a1]", "SZ[", "GM[11]", "RE[B+R]", "hex(", "y(board_size=5)", "game: "),
    *('"moves":', '"header":', '"stack":', '"boardsize":', '"options":', '"result":', "<hexboard "),
)
"""What is put into texts at random: the words of all formats, and what no format has."""

TEXTS = [row[0] for row in GOOD] + [row[0] for row in WIKI] + [row[0] for row in BAD]
SEEDS = [text for text in TEXTS if 0 < len(text) < 2_000]


def written_texts(count: int) -> list[str]:
    """Return random games in every form that can be written."""
    texts = []
    games = list(spread())
    for number in range(count):
        record = random_record(games[number % len(games)], number, most=40)
        for form in formats().values():
            try:
                texts.append(form.write(record) if form.write else format_record(record))
            except Refused:
                continue
    return texts


def mutated(text: str, others: list[str], chance: Random) -> str:
    """Return a text with some of it left out, doubled, exchanged or put in from elsewhere."""
    for _ in range(chance.randint(1, 4)):
        start = chance.randint(0, len(text))
        end = min(len(text), start + chance.choice((0, 1, 1, 3, 20)))
        put = chance.choice((*PIECES[:60], text[start:end] * 2, chance.choice(others)[:60], ""))
        if chance.random() < 0.3:
            put = chance.choice(PIECES)
        text = text[:start] + put + text[end:]
    return text


def outcome_of(text: str) -> list[ReadGame] | Refused:
    """Return the games of a text, or why it is refused."""
    try:
        return read_games(text)
    except Refused as refusal:
        return refusal


@pytest.mark.costly
def test_any_text_is_read_or_refused(*, full: bool) -> None:
    chance = Random(20_261_128)
    seeds = SEEDS + written_texts(30)
    count = {"read": 0, "refused": 0}
    for number in range(1_000_000 if full else 3_000):
        text = mutated(seeds[number % len(seeds)], seeds, chance)
        try:
            found = outcome_of(text)
        except BaseException as failure:
            failure.add_note(f"This was with {text!r}.")
            raise
        count["read" if isinstance(found, list) else "refused"] += 1
        assert isinstance(found, Refused) or found

    assert min(count.values()) > 100, "both kinds are tried"


BEGINNINGS = (
    "",
    "#9,",
    "#9 ",
    "(;GM[11]",
    '{"boardsize":',
    "a5 ",
    "y(",
    "pbmserv record 2\nfirst: x",
)


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("before", BEGINNINGS)
def test_long_texts_are_done_with(before: str, *, full: bool) -> None:
    size = 1_000_000 if full else 20_000
    for piece in (
        *PIECES,
        *SEEDS,
        "a1",
        "a",
        "(;B[a1]",
        '[{"a":',
        "{}",
        "a=",
        "swap a ",
        "<hexboard a",
    ):
        for after in ("", "!", ">"):
            outcome_of(before + piece * (size // len(piece)) + after)
