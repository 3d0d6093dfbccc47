"""Help answers the word that was asked: on its page, on the page of words, or by a search."""

import re
from functools import cache
from itertools import pairwise

import pytest

from pbmserv.cli.main import run
from pbmserv.cli.shell_commands import SHELL, shell_families
from pbmserv.commands.command_table import root
from pbmserv.commands.help import page
from pbmserv.commands.help_files import read_page, search, topic_names
from pbmserv.commands.synonyms import rows
from pbmserv.engine.games import game_names
from pbmserv.errors import EXIT_DONE, EXIT_REFUSED
from tests.local_server import LocalServer

SYNONYMS = [
    word
    for row, words in rows().items()
    if row.is_page
    for word in words
    if word.rstrip("#").isalnum()
]
MOST_JOINED = 4
SCREEN = 24

GLOSSARY = """
board, game, match, cell, stone, chain, star, peri, quark, quark peri, external, rim, edge, side,
turn, move, swap, undo, offer, winning chance, certain, link, lost on time, verified, mail, comment,
chat, message, computer player, accept challenges, look for opponents, mute, score sheet,
game record, web site, home page, internal error, spark, bridge, komi, handicap, tie, rated,
provisional, userid, forfeit
"""
TERMS = [" ".join(term.split()) for term in GLOSSARY.split(",")]


@cache
def words_of(text: str) -> set[str]:
    """Return the words of a page, and up to four that follow one another written as one."""
    words = re.findall("[a-z0-9]+", text.lower())
    spans = range(1, MOST_JOINED + 1)
    return {"".join(words[at : at + count]) for at in range(len(words)) for count in spans}


def asked(*words: str) -> tuple[str, str]:
    """Return the topic and the text to which ``help`` and these words lead."""
    return page(root(SHELL, shell_families()), words)


def has(word: str, text: str) -> bool:
    """Tell whether a page has the word, or the same of one or of several."""
    return bool({word, f"{word}s", word.removesuffix("s")} & words_of(text))


@pytest.mark.costly(stay=39)
@pytest.mark.parametrize("word", SYNONYMS)
def test_what_people_say_for_a_page_stands_on_it(word: str) -> None:
    said = word.removesuffix("#")
    found, text = asked(said)

    assert has(said, text), f"help {said} leads to {found}, which does not say it"


def test_no_page_has_a_word_that_another_one_has_too() -> None:
    words = sorted(SYNONYMS)

    assert [] == [word for word, other in pairwise(words) if word == other]


@pytest.mark.parametrize(
    ("word", "topic"),
    [
        ("cheating", "questions"),
        ("privacy", "questions"),
        ("telephone", "questions"),
        ("report", "report"),
        ("sgf", "records"),
        ("pgn", "records"),
        ("handicap", "handicap"),
        ("tie", "words"),
        ("website", "pages"),
        ("web", "web"),
        ("forfeit", "ending"),
        ("mails", "mail"),
        ("league", "tournaments"),
        ("ladder", "strategy"),
        ("tactics", "strategy"),
        ("openings", "strategy"),
        ("bridge", "strategy"),
        ("history", "history"),
        ("HANDICAPS", "handicap"),
        ("Ties?", "words"),
        ("peries", "words"),
    ],
)
def test_a_word_leads_to_a_page_that_tells_of_it(word: str, topic: str) -> None:
    found, text = asked(word)

    assert found == topic
    assert has(re.sub("[^a-z]", "", word.lower()), text)


@pytest.mark.parametrize("term", TERMS)
def test_the_page_of_words_has_every_term(term: str) -> None:
    text = read_page("words")

    assert re.search(rf"(?m)^  {term}  +\S" if term != "forfeit" else r"\bforfeit\b", text)


def test_the_page_of_words_sends_its_reader_to_pages_that_are_there() -> None:
    named = {*re.findall(r"help ([a-z]+)[.,]", " ".join(read_page("words").split()))}

    assert {"star", "tournaments", "challenge"} <= named
    assert [] == [word for word in named if asked(word)[0].rpartition(" ")[2] != word]


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("who wins a tie", "questions"),
        ("what is stored about me", "questions"),
        ("no mails for a week", "questions"),
        ("how does a game end", "ending"),
        ("is computer help allowed", "computer"),
        ("opening theory", "strategy"),
        ("strategy star", "strategy-star"),
        ("star strategy", "strategy-star"),
        ("Strategy of *Star?", "strategy-starstar"),
        ("strategy *star", "strategy-starstar"),
        ("tactics in star", "strategy-star"),
        ("how to win at star", "strategy-star"),
        ("star bridge", "strategy-star"),
        ("strategy-starstar", "strategy-starstar"),
        ("star history", "star history"),
        ("history of star", "history"),
    ],
)
def test_a_question_leads_to_its_answer(question: str, topic: str) -> None:
    assert asked(*question.split())[0] == topic


@pytest.mark.parametrize("game", game_names())
def test_strategy_of_a_game_is_its_page_or_else_that_of_all(game: str) -> None:
    own = f"strategy-{game}"

    assert asked("strategy", game)[0] == (own if own in topic_names() else "strategy")
    assert asked(game, "strategy") == asked("strategy", game)
    assert asked("rules", game)[0] == asked(game)[0] == game


def found_by(local: LocalServer, line: str) -> list[tuple[str, str]]:
    return [(each["topic"], each["line"]) for each in local.json(line)["pages"]]


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize(
    ("text", "best"),
    [
        ("komi", "words"),
        ("KOMI", "words"),
        ("vacation", "vacation"),
        ("wins a tie", "questions"),
        ("telephone", "questions"),
        ("Sonneborn-Berger", "tournament standings"),
        ("*star", "words"),
        ("deadlines.ics", "calendar"),
    ],
)
def test_a_search_finds_pages_with_the_line_that_says_it(
    local: LocalServer, text: str, best: str
) -> None:
    found = found_by(local, f"help '-find={text}'")

    if text == "*star":
        assert best in [topic for topic, _ in found]
    else:
        assert found[0][0] == best
    for topic, line in found:
        assert all(word in line.lower() for word in text.lower().split())
        assert asked(*topic.split())
    assert len({line for _, line in found}) == len(found) == len({topic for topic, _ in found})
    assert (
        found == found_by(local, f"help -find {text}") == found_by(local, f"star help -find={text}")
    )


@pytest.mark.parametrize("text", ["board", "a", "password", "the game", "."])
def test_what_a_search_prints_fits_a_screen(local: LocalServer, text: str) -> None:
    lines = local.text(f"help '-find={text}'").splitlines()

    assert 2 < len(lines) < SCREEN
    assert max(map(len, lines)) < 80


@pytest.mark.parametrize("text", ["correct-horse", "frobnicate", "komi frobnicate", "k0mi", "*"])
def test_a_search_for_what_stands_nowhere_quotes_nothing(
    text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["help", f"-find={text}x"]) == EXIT_REFUSED
    assert capsys.readouterr().err == "pbmserv: No page has these words.\nTopics: pbmserv help\n"


@pytest.mark.costly
def test_each_page_and_command_that_a_search_finds_is_shown_by_its_name() -> None:
    names = {name for letter in "-aeiou" for name, _ in search([letter])}

    assert {"star move", "mail setup", "db upgrade", "tick", "account", "words", "hex"} < names
    assert [] == [name for name in names if asked(*name.split())[0] != name]


def test_a_search_for_nothing_finds_nothing(local: LocalServer) -> None:
    assert local.code("help -find=") == local.code("help '-find= '") == "no-such-page"


@pytest.mark.parametrize("form", ["", "--json"])
def test_whom_to_report_to_is_told_where_an_address_is_set(
    form: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PBMSERV_OPERATOR_ADDRESS", "olga@example.org")
    for words in ("help report", "help bug", "help contact"):
        assert run([*words.split(), *form.split()]) == EXIT_DONE
        assert "olga@example.org" in capsys.readouterr().out

    assert run(["help", "questions", *form.split()]) == EXIT_DONE
    assert "olga@" not in capsys.readouterr().out
    monkeypatch.setenv("PBMSERV_OPERATOR_ADDRESS", "")
    assert run(["help", "report", *form.split()]) == EXIT_DONE
    assert "operator's address" not in capsys.readouterr().out


def test_who_is_not_let_in_is_told_how_to_get_a_new_password(local: LocalServer) -> None:
    local.sign_up("alice", "bob")
    local.start()
    for line in ("star move 101 alice wrong-secret C1", "digest nobody wrong-secret on"):
        hint = local.refusal(line).advice
        assert "pbmserv reset USERID" in hint
        assert "operator" in hint
        assert "wrong-secret" not in hint
