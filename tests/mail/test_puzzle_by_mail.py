"""A puzzle is asked for by mail, and answered by a reply."""

from pbmserv.club.puzzles import Puzzle, puzzles
from tests.mail.server_by_mail import ClubByMail

FIRST = puzzles()[0]


def other_move(puzzle: Puzzle) -> str:
    position = puzzle.position
    return next(
        name
        for cell, name in enumerate(puzzle.game.board.names)
        if not position.stones[cell] and name != puzzle.solution
    )


def test_a_puzzle_is_asked_for_and_solved_by_mail(office: ClubByMail) -> None:
    office.join("alice")
    sender = "alice@example.net"

    assert office.mail(sender, f"puzzle {FIRST.number}") == "done"

    (asked,) = office.collect()

    assert asked.subject == f"Puzzle {FIRST.number}"
    assert office.mail(sender, f"Re: {asked.subject}", FIRST.solution) == "done"

    (solved,) = office.collect()

    assert "solved." in solved.text
    assert office.mail(sender, f"Re: {asked.subject}", other_move(FIRST)) == "done"

    (wrong,) = office.collect()

    assert "can still win" in wrong.text
