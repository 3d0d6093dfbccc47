"""What an operator does for a club: accounts suspended, everybody told, maintenance."""

import pytest

from .shell import Shell


def refusal(shell: Shell, line: str) -> tuple[str, int]:
    done = shell.run(f"{line} --json")
    return done.document["error"]["code"], done.code


@pytest.mark.parametrize(
    "line",
    [
        "star move 101 alice secret-alice C3",
        "star showas alice secret-alice 101",
        "change password alice secret-alice another-secret",
        "star challenge -size=3 bob alice",
    ],
)
def test_a_suspended_player_can_sign_nothing_and_be_challenged_by_nobody(
    playing: Shell, line: str
) -> None:
    suspended = playing.json("admin suspend ALICE")
    refused = refusal(playing, line)
    resumed = playing.json("admin resume alice")

    assert suspended == {"userid": "alice", "suspended": True}
    assert refused == ("suspended", 1)
    assert resumed == {"userid": "alice", "suspended": False}
    assert playing.run(line).code == 0


def test_me_stands_for_no_suspended_player(playing: Shell) -> None:
    playing.run("login alice", "secret-alice\n")
    playing.run("admin suspend alice")

    assert refusal(playing, "star move 101 me C3") == ("suspended", 1)
    assert refusal(playing, "star games me next") == ("suspended", 1)


def test_whoever_is_suspended_seeks_no_more_opponents(playing: Shell) -> None:
    playing.run("star seek alice secret-alice 2 -size=3")
    playing.run("admin suspend alice")

    assert playing.json("list")["seeks"] == []


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("admin suspend nobody", "no-such-player"),
        ("admin resume alice", "not-suspended"),
        ("admin suspend bob", "suspended"),
    ],
)
def test_a_suspension_that_changes_nothing_is_refused(
    playing: Shell, line: str, code: str
) -> None:
    playing.run("admin suspend bob")

    assert refusal(playing, line) == (code, 1)
