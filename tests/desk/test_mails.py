"""Mails at the door: whose they are, what they may do, who is written to, and who is not."""

import pytest

from pbmserv.club.letter import LetterKind, TokenScope
from pbmserv.desk.mail_answers import MAX_BOARDS, _cut
from pbmserv.desk.mail_desk import MailCase, seconds_to_wait
from pbmserv.desk.request import MailRequest
from pbmserv.desk.tick import tick
from pbmserv.engine.games import find_game
from pbmserv.errors import Denied
from pbmserv.render.board_letters import Reader, board_letters
from pbmserv.store.mail.budgets import Purpose, Requester, max_letters
from pbmserv.store.people.guesses import MAIL_PATIENCE
from pbmserv.store.tables import outbox
from tests.commands.passing_days import pass_days, with_letters
from tests.databases import ONE_DATABASE, made_once
from tests.local_server import DAY, LocalServer

from .mail_desk import MailDesk

pytestmark = ONE_DATABASE

ALICE, BOB, DORA = (f"{userid}@example.org" for userid in ("alice", "bob", "dora"))
MALLORY = "mallory@elsewhere.example"


@pytest.fixture
@made_once
def club(local: LocalServer) -> LocalServer:
    """Alice (X) and bob at Star 101 and 102 after two moves; carol too has a proven address."""
    with_letters(local, "alice", "bob", "carol")
    for board in (101, 102):
        local.do("star challenge -size=3 alice bob")
        local.play(board, "C1 C2")
    return local


@pytest.fixture
def office(club: LocalServer) -> MailDesk:
    desk = MailDesk(club)
    desk.letters()
    return desk


def moves(office: MailDesk, board: int = 101) -> list[str]:
    return [turn.text for turn in office.match(board).turns]


# Addresses


def test_an_answer_to_its_letter_proves_an_address_and_one_to_a_board_does_not(
    office: MailDesk,
) -> None:
    office.mail(DORA, "signup dora secret-dora")
    assert [] == office.proven("dora")
    office.mail(ALICE, "add alice secret-alice second@example.org")
    office.letters()
    office.answer("alice", "B3", sender="second@example.org")
    assert [ALICE] == office.proven("alice")
    assert "verified" == office.prove("dora")
    assert [DORA] == office.proven("dora")
    assert [("dora@example.org", LetterKind.ANSWER)] == [
        letter[:2] for letter in office.letters() if letter[0] == DORA
    ]


def test_a_proof_is_audited_once_and_by_whose_it_is(office: MailDesk) -> None:
    office.mail(DORA, "signup dora secret-dora other@example.org")
    office.prove("dora", MALLORY)
    office.prove("alice", DORA)
    assert 0 == office.local.audit().count(("verify", "done"))
    for sender in (DORA, "DORA@example.org", DORA):
        office.prove("dora", sender)
    assert 1 == office.local.audit().count(("verify", "done"))
    office.prove("dora", "Other@example.org")
    assert 2 == office.local.audit().count(("verify", "done"))


def test_who_changes_their_address_from_elsewhere_is_told_at_the_one_before(
    office: MailDesk,
) -> None:
    assert "done" == office.mail(MALLORY, f"change address alice secret-alice {DORA}")
    told = {address: kind for address, kind, _ in office.letters()}

    assert LetterKind.ANSWER is told[ALICE]
    assert MALLORY not in told


def test_whoever_asks_for_cells_by_a_token_of_somebody_else_is_in_the_audit(
    office: MailDesk,
) -> None:
    assert "not-your-token" == office.answer("alice", "cells D", sender=BOB)

    assert ("", "not-your-token") == office.local.audit()[-1]


def test_nobody_proves_an_address_of_somebody_else(office: MailDesk) -> None:
    office.mail(DORA, "signup dora secret-dora")
    office.prove("dora", MALLORY)
    office.prove("alice", DORA)

    assert [] == office.proven("dora")
    assert [ALICE] == office.proven("alice")


def test_with_the_first_address_the_others_of_that_player_are_asked_and_never_again(
    office: MailDesk,
) -> None:
    office.mail(DORA, "signup dora secret-dora other@example.org third@example.org")
    office.letters()
    office.prove("dora", "Dora@Example.org")

    assert ["other@example.org", "third@example.org"] == waiting(office)
    with office.local.desk.store.writing() as records:
        for address in waiting(office):
            records.proof_queue.remove(address)
    office.prove("dora", "other@example.org")
    assert [] == waiting(office)


def waiting(office: MailDesk) -> list[str]:
    with office.local.desk.store.reading() as records:
        found = records.proof_queue.waiting(office.local.clock.now())
    return sorted(row.address for row in found)


def test_who_answers_unsubscribe_gets_no_mail_until_they_answer_otherwise(
    office: MailDesk,
) -> None:
    office.mail(DORA, "signup dora secret-dora other@example.org")
    office.letters()
    assert "unsubscribed" == office.prove("dora", DORA, "Unsubscribe")
    assert [] == office.letters()
    assert [] == waiting(office)
    assert [True] == [
        row.stopped_at is not None for row in office.rows("dora") if row.address == DORA
    ]
    assert "verified" == office.prove("dora")
    assert [True] == [row.is_open for row in office.rows("dora") if row.address == DORA]


def test_who_may_be_reached_is_answered_where_they_wrote_from_or_at_a_proven_address(
    office: MailDesk,
) -> None:
    office.mail(ALICE, "add alice secret-alice second@example.org")
    office.letters()
    line = "star move 101 alice secret-alice ZZ9"
    office.mail(ALICE, line)
    office.mail("second@example.org", line)
    office.mail(MALLORY, line)

    assert ["alice", "alice", "alice"] == office.to()


@pytest.mark.parametrize(
    ("line", "subject"),
    [
        ("star games alice", "Star games"),
        ("hex standings", "Hex standings"),
        ("*star standings", "*Star standings"),
        ("players", "pbmserv players"),
        ("digest alice secret-alice on", "pbmserv digest"),
    ],
)
def test_an_answer_names_the_game_or_the_server_and_what_was_asked(
    office: MailDesk, line: str, subject: str
) -> None:
    assert "done" == office.mail(ALICE, line)
    ((address, kind, words),) = office.letters()

    assert (ALICE, LetterKind.ANSWER, subject) == (address, kind, words.partition("\n")[0])


def test_of_two_players_with_one_address_the_one_who_signs_is_answered(office: MailDesk) -> None:
    office.local.do("add carol secret-carol alice@example.org")
    for userid in ("carol", "alice"):
        office.mail(ALICE, f"star showas {userid} secret-{userid} 102")
    ids = [office.player(userid).id for userid in ("carol", "alice")]
    with office.local.desk.store.reading() as records:
        rows = records.connection.execute(outbox.select().order_by(outbox.c.id.desc()).limit(2))
        assert ids[::-1] == [row.player_id for row in rows]
    assert "done" == office.answer("alice", "B3")
    assert ["C1", "C2", "B3"] == moves(office)


# Tokens


def test_a_token_is_good_from_an_address_of_its_player_for_its_board_and_moment_alone(
    office: MailDesk,
) -> None:
    assert "not-your-token" == office.answer("alice", "B3", sender=BOB)
    assert "done" != office.answer("alice", "B3", sender=MALLORY)
    assert ["C1", "C2"] == moves(office)
    old = TokenScope(office.match().id, office.player("alice").id, office.match().revision - 1)
    assert "stale-token" == office.answer("alice", "B3", proof=old)
    assert "done" == office.answer("alice", "B3")
    assert ["C1", "C2", "B3"] == moves(office)
    assert ["C1", "C2"] == moves(office, 102)


@pytest.mark.parametrize("named", [("star", 102), ("hex", 101), ("nogame", 101)])
def test_the_subject_may_name_no_other_board_than_the_token(
    office: MailDesk, named: tuple[str, int]
) -> None:
    match, player = office.match(), office.player("alice")
    proof = TokenScope(match.id, player.id, match.revision)
    words = {"proof": proof, "is_short": True, "board": named}

    assert "other-board" == office.mail(ALICE, "B3", **words)
    assert "done" == office.mail(ALICE, "B3", **words | {"board": ("STAR", 101)})


def test_a_closed_account_has_no_token(office: MailDesk) -> None:
    match = office.match()
    proof = TokenScope(match.id, office.player("alice").id, match.revision)
    office.local.damage("UPDATE player SET status = 'closed' WHERE userid = 'alice'")

    assert "done" != office.mail(ALICE, "B3", proof=proof, is_short=True)
    assert ["C1", "C2"] == moves(office)


def test_what_may_follow_a_change_may_not_follow_the_end(office: MailDesk) -> None:
    match, player = office.match(), office.player("alice")
    old = TokenScope(match.id, player.id, match.revision)
    office.answer("alice", "B3")

    assert "done" == office.answer("alice", "chat", proof=old, comment="Hello")
    assert "stale-token" == office.answer("alice", "pass", proof=old)
    office.answer("bob", "resign")
    assert "done" != office.answer("alice", "resign", proof=old)


def test_who_resigns_by_an_old_letter_is_told_that_they_have_not_while_the_game_runs(
    office: MailDesk,
) -> None:
    match, player = office.match(), office.player("alice")
    old = TokenScope(match.id, player.id, match.revision)
    told = []
    for between in ("B3", "resign"):
        office.answer("alice", between)
        office.letters()
        assert "stale-token" == office.answer("alice", "Resign", proof=old)
        told += [words for address, _, words in office.letters() if address == ALICE]

    assert [True, False] == ["You have not resigned." in words for words in told]


def test_an_address_is_the_same_in_any_letters(office: MailDesk) -> None:
    sender = "Alice@EXAMPLE.org"
    for number in (1, 2, 3):
        assert "unconfirmed" == office.mail(sender, "star challenge alice bob -size=3")
        assert [ALICE] == [address for address, _, _ in office.letters()]
        assert "done" == confirm(office, "alice", number, "yes")
        office.letters()
    assert "done" == office.mail(sender, "star show 101")
    assert [ALICE] == [address for address, _, _ in office.letters()]


@pytest.mark.parametrize("line", ["help STAR", "HELP star MOVE", "Help Mail"])
def test_a_page_is_the_same_in_any_letters_for_a_stranger(office: MailDesk, line: str) -> None:
    assert "done" == office.mail(MALLORY, line)
    assert [MALLORY] == [address for address, _, _ in office.letters()]
    assert "unknown-sender" == office.mail("other@elsewhere.example", f"{line} nonsense")


def test_only_a_word_that_switches_off_is_a_short_answer_to_a_notice(office: MailDesk) -> None:
    proof = TokenScope(0, office.player("alice").id, 0)
    office.local.do("digest alice secret-alice on")

    assert "verified" == office.mail(ALICE, "signoff alice", proof=proof, is_short=True)
    assert "alice" in office.local.userids()
    assert "active" == office.player("alice").status.value
    assert "done" == office.mail(ALICE, "digest off", proof=proof, is_short=True)


# Several lines


def test_a_line_knows_the_account_that_the_line_before_it_opened(office: MailDesk) -> None:
    assert "unknown-sender" == office.mail(DORA, "star games")
    assert [] == office.letters()
    assert "done" == office.mail(DORA, "signup dora secret-dora", "star games", "star show 101")
    assert "unknown-sender" == office.mail(MALLORY, "star games")


def test_whoever_signs_first_is_told_what_became_of_all_lines(office: MailDesk) -> None:
    outcome = office.mail(
        ALICE,
        "star show 101",
        "star move 101 alice secret-alice B3",
        "star move 101 bob secret-bob D2",
        "star move 101 bob secret-bob D3",
        "star show 101",
    )
    told = {to: text for to, kind, text in office.letters() if kind is LetterKind.TRANSCRIPT}

    assert "not-your-turn" == outcome
    assert [ALICE] == [*told]
    assert ["C1", "C2", "B3", "D2"] == moves(office)
    assert 1 == told[ALICE].count("not tried")
    assert "secret" not in told[ALICE]


def test_lines_behind_one_that_is_refused_are_not_done(office: MailDesk) -> None:
    lines = ("star move 101 alice wrong-word B3", "star move 101 alice secret-alice B3")
    assert "wrong-login" == office.mail(ALICE, *lines)

    assert ["C1", "C2"] == moves(office)


def test_each_line_is_signed_by_itself_or_needs_nobody_s_word(office: MailDesk) -> None:
    lines = (
        "star games alice",
        "star move 101 alice secret-alice B3",
        "star show 101",
        "star move 101 bob secret-bob D2",
        "help mail",
    )

    assert "done" == office.mail(ALICE, *lines)
    assert ["C1", "C2", "B3", "D2"] == moves(office)
    assert any("5 of 5 commands done" in words for *_, words in office.letters())
    assert "done" == office.mail(ALICE, *lines[:1], "players")
    assert "done" != office.mail(ALICE, *lines[:1], "star move 102 alice wrong-secret B3")
    assert ["C1", "C2"] == moves(office, 102)


@pytest.mark.costly
def test_a_mail_opens_ten_boards_and_not_one_more(office: MailDesk) -> None:
    line = "star challenge alice secret-alice bob -size=3"

    assert "done" == office.mail(ALICE, *[line] * MAX_BOARDS)
    assert "too-many-boards" == office.mail(ALICE, *[line] * (MAX_BOARDS + 1))
    assert 2 + 2 * MAX_BOARDS == len(office.local.tables()["match"])


# The same mail again


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize(
    ("sender", "line"),
    [
        (ALICE, "star move 101 alice secret-alice B3"),
        (ALICE, "star move 101 alice secret-alice ZZ9"),
        (ALICE, "star show 101"),
        (DORA, "signup dora secret-dora"),
        (MALLORY, "help star"),
        (ALICE, "change password alice secret-alice another-secret"),
    ],
)
def test_a_mail_that_comes_again_does_nothing_and_is_not_answered(
    office: MailDesk, sender: str, line: str
) -> None:
    first = office.mail(sender, line, key="same", digest="one")
    assert "duplicate" != first
    office.letters()
    before = office.local.tables()

    assert ["duplicate"] * 2 == [
        office.mail(sender, line, key="same", digest="one") for _ in range(2)
    ]
    assert before == office.local.tables()


def test_another_ones_mail_under_the_same_number_is_another_mail(office: MailDesk) -> None:
    words = {"key": "same", "digest": "one"}

    assert "done" == office.mail(ALICE, "star move 101 alice secret-alice B3", **words)
    assert "done" == office.mail(BOB, "star move 101 bob secret-bob D2", **words)
    assert "duplicate" == office.mail(ALICE, "star show 101", key="same", digest="two")
    assert "done" == office.mail("carol@example.org", "star show 101", key="same", digest="two")
    assert ["C1", "C2", "B3", "D2"] == moves(office)


# Strangers


@pytest.mark.parametrize(
    ("lines", "more"),
    [
        (("star show 101",), {}),
        (("help star",), {"is_bare": False}),
        (("help nothing-such",), {}),
        (("help me please",), {}),
        (("nonsense",), {}),
        (("star move 101 alice wrong-word B3",), {}),
        (("nonsense", "signup dora secret-dora"), {}),
        ((), {}),
        (("star challenge alice bob",), {}),
    ],
)
def test_a_stranger_is_not_answered_and_leaves_no_row(
    office: MailDesk, lines: tuple[str, ...], more: dict[str, bool]
) -> None:
    before = office.local.tables(but=("audit", "throttle", "ignored_mail"))

    assert "done" != office.mail(MALLORY, *lines, **more)
    assert [] == office.letters()
    assert before == office.local.tables(but=("audit", "throttle", "ignored_mail"))


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize(
    "line", ["help", "help star", "help star move", "signup dora short", "signup alice secret-word"]
)
def test_a_stranger_is_answered_once_a_day_for_help_and_signup(office: MailDesk, line: str) -> None:
    office.mail(MALLORY, line)
    assert [MALLORY] == [to for to, _, _ in office.letters()]
    office.mail(MALLORY, line)
    assert [] == office.letters()
    pass_days(office.local, 1)
    office.mail(MALLORY, line)
    assert [MALLORY] == [to for to, _, _ in office.letters()]


def test_a_wrong_password_is_counted_for_its_userid_whoever_sends_it(office: MailDesk) -> None:
    for _ in range(6):
        office.mail(MALLORY, "star move 101 alice wrong-word B3")
    right = "star move 101 {0} secret-{0} B3"

    assert "wait-for-password" == office.mail("x@other.example", right.format("alice"))
    assert "done" == office.mail("x@other.example", "star showas carol secret-carol 101")


def test_where_nobody_can_forge_an_address_the_guesses_of_others_hold_nobody_up(
    office: MailDesk,
) -> None:
    for number in range(6):
        office.mail(f"m{number}@elsewhere.example", "star move 101 alice wrong-word B3")
    line = "star move 101 alice secret-alice B3"

    assert "wait-for-password" == office.mail(MALLORY, line, is_authenticated=True)
    assert "done" == office.mail(ALICE, line, is_authenticated=True)


def test_wrong_passwords_from_home_count_against_nobody(office: MailDesk) -> None:
    for _ in range(9):
        office.mail(ALICE, "star move 101 alice wrong-word B3", is_authenticated=True)
    assert "done" == office.mail(MALLORY, "star move 101 alice secret-alice B3")


# Challenges


def test_a_challenge_needs_its_player_a_proof_or_a_yes(office: MailDesk) -> None:
    line = "star challenge alice bob -size=3"

    assert "not-your-challenge" == office.mail("carol@example.org", line)
    assert "unconfirmed" == office.mail(ALICE, line)
    assert ["alice", "carol"] == office.to()
    assert "done" == office.mail(BOB, line, is_authenticated=True)
    assert ["alice", "bob"] == office.to()


def confirm(office: MailDesk, userid: str, number: int, text: str) -> str:
    proof = TokenScope(0, office.player(userid).id, 0)
    sender = f"{userid}@example.org"
    return office.mail(
        sender, f"confirm challenge {number}", proof=proof, is_short=True, comment=text
    )


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("yes", "done"),
        (" YES \nreally", "done"),
        ("no", "challenge-dropped"),
        ("oh yes", "challenge-dropped"),
        ("\nno\nyes", "challenge-dropped"),
        ("", "challenge-dropped"),
    ],
)
def test_only_a_first_line_that_is_yes_confirms(office: MailDesk, text: str, outcome: str) -> None:
    office.mail(ALICE, "star challenge alice bob -size=3", comment="Fancy a game?")
    office.letters()

    assert outcome == confirm(office, "alice", 1, text)
    told = office.letters()
    assert (outcome == "done") == any("Fancy a game?" in words for _, _, words in told)
    assert (outcome != "done") == any("there is nothing more to do" in words for *_, words in told)
    assert "nothing-asked" == confirm(office, "alice", 1, "yes")


def test_nobody_confirms_what_another_was_asked_about(office: MailDesk) -> None:
    office.mail(ALICE, "star challenge alice bob -size=3")

    assert "nothing-asked" == confirm(office, "bob", 1, "yes")
    assert "done" == confirm(office, "alice", 1, "yes")


def test_several_challenges_are_asked_about_at_once_and_only_those_of_one_player(
    office: MailDesk,
) -> None:
    office.local.do("add carol secret-carol alice@example.org")
    lines = ("star challenge alice bob -size=3", "star challenge carol bob -size=3")
    assert "unconfirmed" == office.mail(ALICE, *lines)
    told = [text for _, _, text in office.letters()]

    assert 1 == len(told)
    assert 1 == told[0].count("star challenge")
    assert "too-many-boards" == office.mail(BOB, *["star challenge bob alice"] * 11)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_as_many_boards_as_were_asked_about_are_opened_by_one_yes(
    office: MailDesk, count: int
) -> None:
    lines = ["star challenge alice bob -size=3"] * count
    assert "unconfirmed" == office.mail(ALICE, *lines)
    office.letters()

    assert "done" == confirm(office, "alice", 1, "yes")
    assert 2 + count == len(office.local.tables()["match"])
    told = [words for address, _, words in office.letters() if address == ALICE]
    done = f"{count} of {count} commands done"
    assert int(count > 1) == sum(done in words for words in told)


@pytest.mark.parametrize(
    ("word", "outcome"),
    [("secret-alice", "done"), ("secret-bob", "wrong-login"), ("ab", "surplus-word")],
)
def test_only_what_may_be_a_password_signs_a_challenge_behind_its_first_player(
    office: MailDesk, word: str, outcome: str
) -> None:
    assert outcome == office.mail(ALICE, f"star challenge alice {word} bob -size=3")
    assert 2 + (outcome == "done") == len(office.local.tables()["match"])


def test_an_address_that_is_not_proven_challenges_nobody(office: MailDesk) -> None:
    office.mail(DORA, "signup dora secret-dora")

    assert "unproven-address" == office.mail(DORA, "star challenge dora bob -size=3")
    office.local.damage("UPDATE address SET stopped_at = 1 WHERE address = 'alice@example.org'")
    assert "unproven-address" == office.mail(ALICE, "star challenge alice bob -size=3")


@pytest.mark.parametrize(
    "words", ["alice secret-alice bob -size=3", "bob secret-bob alice", "ALICE secret-alice bob"]
)
def test_a_challenge_with_a_password_opens_a_board_whatever_its_sender(
    office: MailDesk, words: str
) -> None:
    assert "done" == office.mail(MALLORY, f"star challenge {words}")
    assert "wrong-login" == office.mail(MALLORY, "star challenge alice wrong-word bob -size=3")


@pytest.mark.parametrize("game", ["hex", "y"])
def test_an_answer_by_mail_has_commands_as_a_subject_has_them(office: MailDesk, game: str) -> None:
    """A shell has ``hex`` of others, so that what it is to read says ``pbmserv hex``."""
    said = {}
    for lines in ([f"help {game}"], [f"help {game} move"], [f"{game} challenge alice -sise=5"]):
        office.mail(ALICE, *lines)
        [(*_, said[lines[0]])] = office.letters()
    office.mail(ALICE, f"help {game}", f"help {game} move")
    [(*_, several)] = office.letters()
    examples = [example.line.split(" --")[0] for example in find_game(game).examples]

    assert all(f"\n    {line}" in said[f"help {game}"] for line in examples)
    assert f"{game} move BOARD" in said[f"help {game} move"]
    assert f"{game} move BOARD" in several
    assert [] == [words for words in (*said.values(), several) if f"pbmserv {game}" in words]


# Budgets


def test_sixty_commands_an_hour_are_one_players_wherever_they_write_from(office: MailDesk) -> None:
    with office.local.desk.store.writing() as records:
        causer = Requester(player_id=office.player("alice").id)
        for _ in range(max_letters(Purpose.COMMAND)):
            records.budgets.allow(Purpose.COMMAND, causer, office.local.clock.now())
    line = "star move 101 alice secret-alice B3"

    assert ["too-many-commands"] * 2 == [office.mail(to, line) for to in (ALICE, MALLORY)]
    assert "done" == office.mail(MALLORY, "star showas bob secret-bob 101")
    assert "done" == office.mail(ALICE, "help star")
    office.local.clock.seconds += 3600
    assert "done" == office.mail(MALLORY, line)


def test_what_is_said_to_be_wrong_is_said_once_a_day_to_a_mail_that_nobody_signed(
    office: MailDesk,
) -> None:
    for _ in range(3):
        for line in ("nonsense", "star nonsense", "star move 101 alice wrong-word B3"):
            office.mail(ALICE, line)
        office.mail(BOB, "star move 101 bob secret-bob ZZ9")

    assert ["alice", "bob", "bob", "bob"] == office.to()
    office.local.clock.seconds += DAY
    office.mail(ALICE, "nonsense")
    assert ["alice"] == office.to()


def test_ten_new_passwords_a_day_are_hashed_for_one_player_and_as_many_for_the_next(
    office: MailDesk,
) -> None:
    with office.local.desk.store.writing() as records:
        causer = Requester(player_id=office.player("alice").id)
        for _ in range(max_letters(Purpose.NEW_PASSWORD)):
            records.budgets.allow(Purpose.NEW_PASSWORD, causer, office.local.clock.now())

    assert "too-many-passwords" == office.mail(
        MALLORY, "change password alice secret-alice another-secret"
    )
    assert "done" == office.mail(MALLORY, "change password bob secret-bob another-secret")


# What is written to whom


def test_another_address_than_the_senders_waits_for_its_turn(office: MailDesk) -> None:
    office.mail(ALICE, "add alice secret-alice second@example.org", is_authenticated=True)

    assert ["alice"] == office.to()
    assert ["second@example.org"] == waiting(office)


def test_an_address_that_waits_is_asked_once_and_as_one_of_an_account_that_is_there(
    office: MailDesk,
) -> None:
    office.mail(DORA, "signup dora secret-dora")
    (welcome,) = office.letters()
    office.mail(ALICE, "add alice secret-alice second@example.org")
    office.letters()
    newcomers = [tick(office.local.desk).newcomers for _ in range(3)]
    asked = [letter for letter in office.letters() if letter[0] == "second@example.org"]

    assert 1 == sum(newcomers) == len(asked)
    assert [] == waiting(office)
    assert LetterKind.WELCOME is asked[0][1]
    assert welcome[2].replace("dora", "alice").splitlines()[:4] != asked[0][2].splitlines()[:4]


def test_an_address_that_is_proven_meanwhile_or_given_away_is_not_asked(office: MailDesk) -> None:
    for number in (1, 2):
        office.mail(ALICE, f"add alice secret-alice second{number}@example.org")
    office.letters()
    office.prove("alice", "second1@example.org")
    office.letters()
    office.local.do("change address alice secret-alice alice@example.org")
    tick(office.local.desk)

    assert not {to for to, _, _ in office.letters()} & {
        "second1@example.org",
        "second2@example.org",
    }


@pytest.mark.costly
def test_what_was_wrong_with_several_lines_is_said_ten_times_a_day(office: MailDesk) -> None:
    lines = ("star showas alice secret-alice 101", "nonsense")
    for _ in range(max_letters(Purpose.REFUSAL) + 2):
        office.mail(ALICE, *lines)

    assert max_letters(Purpose.REFUSAL) == len(office.letters())
    assert "done" == office.mail(ALICE, *lines[:1] * 2)
    assert 1 == len(office.letters())


def test_a_challenge_that_nobody_could_be_asked_about_does_not_wait(office: MailDesk) -> None:
    line = "star challenge alice bob -size=3"
    for number in (1, 2, 3):
        assert "unconfirmed" == office.mail(ALICE, line)
        confirm(office, "alice", number, "no")
    assert "challenge-waits" == office.mail(ALICE, line)
    pass_days(office.local, 1)
    assert "unconfirmed" == office.mail(ALICE, line)


def test_who_reads_one_mail_a_day_hears_at_once_of_what_begins_and_ends(office: MailDesk) -> None:
    office.local.do("digest bob secret-bob on")
    office.letters()
    board = int(office.local.json("star challenge -size=3 alice bob")["board"])
    assert "bob" in office.to()
    office.local.move(board, "alice", "C1")
    assert "bob" not in office.to()
    office.local.move(board, "bob", "C2")
    office.local.move(board, "alice", "resign")
    assert "bob" in office.to()


def test_what_is_said_is_not_sent_to_who_blocks_the_speaker_but_to_whom_they_block(
    office: MailDesk,
) -> None:
    office.local.do("star subscribe 101 carol secret-carol")
    office.local.do("block carol secret-carol alice")
    office.letters()
    office.local.do("star chat 101 alice secret-alice -text=hello")
    assert "carol" not in office.to()
    office.local.do("star chat 101 carol secret-carol -text=hello")
    assert {"alice", "bob"} <= {*office.to()}


def test_the_cells_of_a_row_are_for_whoever_is_to_move(office: MailDesk) -> None:
    assert "not-your-turn" == office.answer("bob", "cells A")
    assert "no-such-part" == office.answer("alice", "cells ZZ")
    assert [LetterKind.BOARD] != [kind for _, kind, _ in office.letters()]
    old = office.match().revision
    office.answer("alice", "B3")
    match, bob = office.match(), office.player("bob")
    stale = TokenScope(match.id, bob.id, old)
    assert "stale-token" == office.answer("bob", "cells A", proof=stale)


def test_a_password_that_has_waited_too_long_is_not_looked_at(office: MailDesk) -> None:
    now = office.local.clock.now()
    mail = MailRequest("<waiting@x>", ALICE, "t", ("star show 101",))
    with office.local.desk.store.writing() as records:
        alice = office.player("alice").id
        records.waiting_mails.add(alice, mail.key, now - MAIL_PATIENCE)
        case = MailCase(office.local.desk, mail, set(), now)
        assert seconds_to_wait(case, records, alice) == 0
        assert seconds_to_wait(case, records, office.player("bob").id) == 0
        case.now += 1
        with pytest.raises(Denied):
            seconds_to_wait(case, records, alice)


@pytest.mark.parametrize("sender", [ALICE, BOB, MALLORY])
def test_what_is_said_with_a_move_is_said_by_who_signed_wherever_they_write_from(
    office: MailDesk, sender: str
) -> None:
    line = "star move 101 alice secret-alice B3"
    assert "done" == office.mail(sender, line, comment="Your turn!")
    texts = [text for _, _, text in office.letters() if "Your turn!" in text]

    assert texts
    assert all("alice writes:" in text and "bob writes:" not in text for text in texts)


@pytest.mark.parametrize("comment", ["", "Your turn!"])
def test_only_where_something_is_said_with_a_move_a_letter_speaks_of_it(
    office: MailDesk, comment: str
) -> None:
    office.local.do("star subscribe 101 carol secret-carol")
    assert "done" == office.mail(ALICE, "star move 101 alice secret-alice B3", comment=comment)
    found = {address: text for address, _, text in office.letters()}

    assert {ALICE, BOB} <= found.keys()
    assert [bool(comment)] * len(found) == ["comment by alice" in text for text in found.values()]


@pytest.mark.parametrize(
    "line", ["star showas {} 101", "digest {} on", "star move 101 {} B3", "add {} erin@x.example"]
)
def test_who_signs_and_has_no_address_is_not_answered_where_anybody_may_read_it(
    office: MailDesk, line: str
) -> None:
    office.local.sign_up("erin")
    office.mail(MALLORY, line.format("erin secret-erin"))

    assert MALLORY not in {address for address, _, _ in office.letters()}


def test_a_letter_that_is_cut_has_no_picture_of_what_is_left_out(office: MailDesk) -> None:
    whole = board_letters(office.match(), (), [Reader(ALICE, 1)])[0]
    length = len(whole.lead) + len(whole.tail)

    assert _cut(whole, "Why.", length) == whole
    assert whole.diagram is not None
    cut = _cut(whole, "Why.", length - 1)
    assert (cut.diagram, cut.tail) == (None, "")
    assert cut.lead.endswith("\n\n[...]\n\nWhy.")
