"""Who is known by the way in says what a mail of theirs could, as themselves, and looks."""

import pytest

from pbmserv.cli.shell_commands import SHELL, shell_families
from pbmserv.commands.command_table import SERVER, SHELL_WORDS, root
from pbmserv.commands.parse import parse
from pbmserv.desk.rights import require_no_password, require_right, words_of_line
from pbmserv.errors import Denied, Refused
from pbmserv.services.session import Source

TREE = root()
WEB, GATE = Source.WEB, Source.GATE


def refusal(line: str, source: Source = WEB, userid: str | None = "alice") -> Refused:
    with pytest.raises(Refused) as caught:
        require_right(parse(TREE, words_of_line(line, TREE, source)), userid, source)
    return caught.value


@pytest.mark.parametrize("userid", ["alice", "ALICE"])
@pytest.mark.parametrize(
    "line",
    [
        *(
            "star move 101 me F6",
            "star resign 101 me",
            "message me bob hello",
            "star games me next",
        ),
        *("star challenge me bob", "star challenge bob Alice", "pbmserv star seek me 1", "list"),
        *("star show 101", "all show bob", "help star", "private me on"),
    ],
)
def test_a_player_says_what_concerns_them_and_looks(line: str, userid: str) -> None:
    for source in (WEB, GATE):
        require_right(parse(TREE, words_of_line(line, TREE, source)), userid, source)


@pytest.mark.parametrize(
    ("line", "code", "in_browser", "at_gate"),
    [
        (
            "star move 101 bob secret-bob F6",
            "not-your-gate",
            "You are signed in as alice.",
            "This gate is for alice only.",
        ),
        (
            "signup carol secret-carol",
            "not-your-gate",
            "You are signed in as alice.",
            "This gate is for alice only.",
        ),
        (
            "star challenge bob carol",
            "not-your-challenge",
            "You are signed in as alice, who must be one of the two players.",
            "At this gate alice must be one of the two players.",
        ),
        (
            "star hint 101",
            "shell-only",
            "This command is not available in a browser.",
            "This command is not available over ssh.",
        ),
        ("star show 1\nlist", "several-lines", "A command is one line.", "A command is one line."),
    ],
)
def test_what_is_refused_is_told_for_the_way_in(
    line: str, code: str, in_browser: str, at_gate: str
) -> None:
    told = [refusal(line, source) for source in (WEB, GATE)]

    assert all(isinstance(each, Denied) for each in told)
    assert [(code, in_browser), (code, at_gate)] == [(each.code, each.message) for each in told]


@pytest.mark.parametrize(
    "line",
    [
        *("star move 101 alice secret-alice F6", "star showas ALICE secret-alice 101"),
        *("change password alice secret-alice other-secret", "signup alice secret-alice"),
        *("reset alice 0123456789 other-secret", "signoff alice secret-alice"),
    ],
)
def test_a_line_with_a_password_is_known_and_nothing_of_it_told(line: str) -> None:
    call = parse(TREE, words_of_line(line, TREE, WEB))
    require_right(call, "alice", WEB)
    with pytest.raises(Denied) as caught:
        require_no_password(call)

    assert "no-passwords-here" == caught.value.code
    assert "secret" not in repr((caught.value.words, caught.value.about))


@pytest.mark.parametrize("line", ["star move 101 me F6", "star show 101", "reset alice"])
def test_a_line_without_a_password_is_free(line: str) -> None:
    require_no_password(parse(TREE, words_of_line(line, TREE, WEB)))


@pytest.mark.parametrize("source", [WEB, GATE])
def test_a_stranger_says_who_they_are_by_their_words_alone(source: Source) -> None:
    assert "not-signed-in" == refusal("star challenge alice bob", source, None).code
    assert "shell-only" == refusal("star hint 101", source, None).code
    for line in ("signup carol secret-carol", "star move 101 bob secret-bob F6", "star show 101"):
        require_right(parse(TREE, words_of_line(line, TREE, source)), None, source)


@pytest.mark.parametrize("line", ["", "  ", "pbmserv", "**"])
def test_a_line_without_a_command_shows_one(line: str) -> None:
    assert "Write it as in: star move 101 me F6" == refusal(line).hint
    assert "ssh HOST" in refusal(line, GATE).hint


@pytest.mark.parametrize("source", [WEB, GATE], ids=["web", "gate"])
@pytest.mark.parametrize("word", sorted(SHELL_WORDS))
def test_no_command_of_a_shell_is_said(word: str, source: Source) -> None:
    for line in (word, f"pbmserv {word.upper()} -x"):
        assert ("shell-only", word) == (refusal(line, source).code, refusal(line, source).about)


def test_the_words_of_shells_are_known_below_them() -> None:
    assert SHELL_WORDS == {*SHELL, *shell_families()} - SERVER.keys()
