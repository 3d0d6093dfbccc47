import pytest

from pbmserv.club.letter import TokenScope
from pbmserv.errors import Misunderstood
from pbmserv.mail.subjects import CommandLine, command_line

from .sample_mails import read

HEADS = frozenset({"star", "*star", "starstar", "y", "help", "multiple", "message"})


def is_whole(text: str) -> bool:
    return text.partition(" ")[0].lower() in HEADS


CLAIM = TokenScope(1, 2, 3)
BOARD = ("star", 101)
REPLY = "Re: Star Board 101 alice"


def line_of(subject: str, body: str = "", claim: TokenScope | None = CLAIM) -> CommandLine:
    return command_line(read(f"Subject: {subject}", body=body), claim, is_whole)


@pytest.mark.parametrize(
    ("subject", "board"),
    [
        (REPLY, BOARD),
        ("Star Board 101 alice", BOARD),
        ("AW: Re: New Star Board 101 alice", BOARD),
        ("Re: Reminder: Star Board 101 alice", BOARD),
        ("Re: Star Board 101 alice **", BOARD),
        ("Re: Star Board 101", BOARD),
        ("Re: Star Board 101: not accepted", BOARD),
        ("Re: *Star Board 101 a.b-c", ("*star", 101)),
        ("Re: Poly-Y Board 7 alice", ("poly-y", 7)),
        ("", None),
        ("Re:", None),
    ],
)
def test_an_untouched_subject_leaves_the_word_to_the_body(
    subject: str, board: tuple[str, int] | None
) -> None:
    expected = CommandLine("F6", "Good luck!\n\nBob", is_short=True, board=board)

    assert expected == line_of(subject, "\n\n  F6 \n\nGood luck!\n\nBob\n")


def test_an_untouched_subject_over_nothing_is_an_empty_command() -> None:
    expected = CommandLine("", "", is_short=True, board=BOARD)

    assert expected == line_of(REPLY, "> F6\n-- \nAlice")


@pytest.mark.parametrize("text", ["F6", "A50+T31#12", "resign", "**  undo", "F6 **"])
def test_one_word_added_to_our_subject_is_a_short_command(text: str) -> None:
    word = text.replace("**", "").strip()
    expected = CommandLine(word, "Hello", is_short=True, board=BOARD)

    assert expected == line_of(f"{REPLY} {text}", "Hello")


def test_password_and_move_added_to_our_subject_are_a_whole_command() -> None:
    text = "Star Board 101 alice secret-word F6"
    expected = CommandLine(text, "Hello", board=BOARD)

    assert expected == line_of(f"Re: {text}", "Hello")
    assert CommandLine(text, "Hello") == line_of(f"Re: {text}", "Hello", claim=None)


@pytest.mark.parametrize("text", ["F6", "resign", "chat", "queue F6:G7"])
def test_a_subject_of_the_senders_own_is_short_beside_a_token(text: str) -> None:
    assert CommandLine(text, "Hello", is_short=True) == line_of(f"Re: {text}", "Hello")


@pytest.mark.parametrize("text", ["star games alice", "help", "Y show 101", "*STAR show 7"])
def test_a_whole_command_stays_one_beside_a_token(text: str) -> None:
    assert CommandLine(text, "Hello") == line_of(text, "Hello")


def test_a_whole_command_may_stand_in_the_body_below_our_subject() -> None:
    expected = CommandLine("help star", "", board=BOARD)

    assert expected == line_of(REPLY, "help star")


@pytest.mark.parametrize("text", ["F6 please", "-F6-F6-F6 now", "zukunftstr\u00e4chtig F6"])
def test_words_added_to_our_subject_are_short_where_the_first_is_no_password(text: str) -> None:
    expected = CommandLine(text, "Hello", is_short=True, board=BOARD)

    assert expected == line_of(f"{REPLY} {text}", "Hello")


@pytest.mark.parametrize("subject", [REPLY, "F6", ""])
def test_without_a_token_the_subject_is_the_command(subject: str) -> None:
    text = subject.removeprefix("Re: ")

    assert CommandLine(text, "F6") == line_of(subject, "F6", claim=None)


@pytest.mark.parametrize("subject", ["Star Board 101x alice", "Stars 101 alice", "Board 101 alice"])
def test_a_subject_only_like_ours_is_the_command(subject: str) -> None:
    assert CommandLine(subject, "F6", is_short=subject[:5] != "Star ") == line_of(subject, "F6")


def test_what_is_wrong_with_the_mail_is_said_here() -> None:
    with pytest.raises(Misunderstood) as refusal:
        line_of("x" * 501)
    assert refusal.value.code == "line-too-long"


def test_a_first_line_too_long_is_refused() -> None:
    with pytest.raises(Misunderstood):
        line_of(REPLY, "x " * 300)


def test_a_command_line_shows_neither_command_nor_comment() -> None:
    line = line_of("Star Board 101 alice secret-word F6", "secret-word")

    assert "secret" not in repr(line)
