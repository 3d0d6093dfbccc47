"""A player's reply address is in their own letters alone, as the address to answer, and spent it
ends no game."""

from collections.abc import Iterator
from urllib.parse import quote

import pytest

from pbmserv.cli.shell_commands import SHELL, shell_families
from pbmserv.commands.command_table import root
from pbmserv.desk.request import Request
from pbmserv.mail.inbound import Envelope
from pbmserv.mail.quoting import before_our_mail
from pbmserv.store.tables import chat, message
from tests.club.test_written_tokens import FORMS, left_of
from tests.databases import made_once
from tests.local_server import text_of
from tests.mail.server_by_mail import US, ClubByMail, Letter, written

pytestmark = pytest.mark.costly(stay=1)

ALICE, BOB, CAROL = (f"{userid}@example.net" for userid in ("alice", "bob", "carol"))
CUT = "Removed from your text"


@pytest.fixture
@made_once
def club(office: ClubByMail) -> ClubByMail:
    """Return a club in which alice and bob play, and carol watches."""
    office.join("alice", "bob", "carol")
    office.mail(ALICE, "star challenge alice secret-alice bob -size=3")
    office.mail(CAROL, "star subscribe 101 carol secret-carol")
    return office


def letters_of(club: ClubByMail) -> dict[str, Letter]:
    return {letter.to: letter for letter in club.collect()}


def token_of(letter: Letter) -> str:
    return letter.reply_to.partition("+")[2].partition("@")[0]


def contents(letter: Letter) -> Iterator[str]:
    """Yield all that a mail program may show of a letter, decoded, and the mail as it is sent."""
    yield letter.sent.content.decode("ascii")
    yield from (f"{name}: {value}" for name, value in letter.message.items())
    for part in letter.message.walk():
        if part.get_content_maintype() == "text":
            yield str(part.get_content())


def holds(letter: Letter, token: str) -> bool:
    return any(left_of(token, text) for text in contents(letter))


def alices_first(club: ClubByMail) -> Letter:
    found = [letter for letter in club.collect() if letter.to == ALICE]
    return next(letter for letter in found if letter.subject == "Star Board 101 alice")


@pytest.mark.parametrize("form", FORMS)
def test_a_quotation_that_nobody_knows_passes_no_token_on(club: ClubByMail, form: str) -> None:
    mine = alices_first(club)
    token = token_of(mine)
    quoted = FORMS[form](mine.reply_to)
    text = f"C2\n\nGood luck!\nWritten in a way of its own by {quoted}\nIt is your turn."
    outcome = club.reply(mine, text)
    told = letters_of(club)

    assert outcome == "done"
    assert told.keys() == {ALICE, BOB, CAROL}
    for letter in told.values():
        assert "| Good luck!" in letter.text
        assert not holds(letter, token)
    # What is behind marks of quotation goes unseen, as it always did.
    is_told = CUT in told[ALICE].text.replace("\r\n", " ")
    assert is_told == (form != "broken within quotations")
    assert CUT not in told[BOB].text + told[CAROL].text


def test_what_is_stored_and_read_in_a_shell_has_no_token(club: ClubByMail) -> None:
    mine = alices_first(club)
    token = token_of(mine)
    text = f"Look: <mailto:{quote(mine.reply_to)}?subject=resign>"
    club.desk.tree = root(SHELL, shell_families())
    answers = [
        text_of(club.desk.handle(Request(tuple(words))))
        for words in (
            ["star", "chat", "101", "alice", "secret-alice", f"-text={text}"],
            ["star", "move", "101", "alice", "secret-alice", "C2", f"-comment={text}"],
            ["message", "alice", "secret-alice", "bob", f"-text={text}"],
            ["broadcast", "alice", "secret-alice", f"-text={text}"],
            ["admin", "announce", f"-text={text}"],
        )
    ]
    shown = [
        club.desk.handle(Request(tuple(line.split())))
        for line in (
            "star chat 101 bob secret-bob",
            "messages bob secret-bob",
            "news bob secret-bob",
            "account export bob secret-bob",
            "admin chat star 101",
            "tournament list",
        )
    ]
    with club.desk.store.reading() as records:
        kept = repr(
            [
                records.connection.exec_driver_sql(f"SELECT * FROM {table}").all()  # noqa: S608
                for table in ("chat", "message", "notice", "outbox", "audit")
            ]
        )

    assert all(CUT in answer for answer in answers[:4])
    assert "pbmserv%40example.org" in kept
    for text in (*answers, *map(text_of, shown), *(repr(a.document) for a in shown), kept):
        assert not left_of(token, text)
    assert all(not holds(letter, token) for letter in club.collect() if letter.to != ALICE)


def test_a_challenge_and_a_tournament_pass_no_token_on(club: ClubByMail) -> None:
    mine = alices_first(club)
    token = token_of(mine)
    club.mail(
        ALICE, "hex challenge alice secret-alice bob -size=5", f"Hi!\n{mine.reply_to.upper()}"
    )
    name = f"a+{token}@b.c"
    made = club.desk.handle(
        Request(("tournament", "create", "alice", "secret-alice", "star", name))
    )
    alone = Request(("tournament", "create", "alice", "secret-alice", "star", token))
    told = letters_of(club)

    assert {ALICE, BOB} <= told.keys()
    assert not any(holds(letter, token) for letter in told.values())
    assert "| Hi!" in told[BOB].text
    assert not left_of(token, text_of(made))
    with pytest.raises(Exception, match="Not a valid name"):
        club.desk.handle(alone)


def test_what_an_earlier_version_stored_is_read_without_its_token(club: ClubByMail) -> None:
    mine = alices_first(club)
    token = token_of(mine)
    with club.desk.store.writing() as records:
        old = {"match_id": 1, "player_id": 1, "at": 5, "text": f"by {mine.reply_to}, long ago"}
        records.connection.execute(chat.insert().values(**old))
        sent = {"writer_id": 1, "reader_id": 2, "at": 5, "text": f"by {mine.reply_to}"}
        records.connection.execute(message.insert().values(**sent))
    shown = [
        text_of(club.desk.handle(Request(tuple(line.split()))))
        for line in (
            "star chat 101 bob secret-bob",
            "messages bob secret-bob",
            "account export bob secret-bob",
            "star showas bob secret-bob 101",
        )
    ]

    assert f"by {US}, long ago" in shown[0]
    assert not any(left_of(token, text) for text in shown)


def test_a_mail_that_claims_to_be_ours_leaves_no_token_behind(club: ClubByMail) -> None:
    token = token_of(alices_first(club))
    data = written(f"pbmserv+{token}@example.org", "help", "", number=99, to=f"pbmserv+{token}@x.y")
    club.receive(data, Envelope(recipient=f"pbmserv+{token}@example.org", sender=ALICE))

    assert club.log[-1].reason == "own-address"
    assert not left_of(token, repr(club.log[-1]))
    with club.desk.store.reading() as records:
        kept = records.connection.exec_driver_sql("SELECT sender FROM inbox").all()
    assert not left_of(token, repr(kept))


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        (f"F6\nHello\nFrom: bob via Star Club <{US}>\nDate: now\n\nold", "F6\nHello"),
        (f"F6\n\n* Odesilatel: Star Club <{US}>\nold", "F6"),
        (f"F6\nHi!\nI dag bob via Star Club <{US}> shkroi:\nold", "F6\nHi!"),
        (f"F6\nHi!\nbob <mailto:{US}> a scris la ora 5:\nold", "F6\nHi!"),
        (f"F6\nKomu: {US.upper()}\nold", "F6"),
        (f"F6\n| From: Star Club <{US}>\nold", "F6"),
        (f"F6\nReply to: {US}\nold", "F6"),
        (f"F6\nEnvoyé à : {US}\nold", "F6"),
        (f"F6\nHi!\n[2025-11-03 10:15] Star Club {US} wrote\nold", "F6\nHi!"),
        (f"F6\n... 2025/11/3 bob via Star Club <{US}>\nold", "F6"),
        (f"F6\nI wrote to {US} on 3 Nov 2025 at 10:15", None),
        (f"F6\nOn 3 Nov 2025 at 10:15 I wrote to {US}", None),
        (f"F6\nMy address is not {US}: it is another", None),
        ("F6\nIt is your turn.\nMove 3: it was bad.\nI like it", None),
        (f"F6\nWrite to {US} if you lose this.\nBye", None),
        (f"F6\nThe club is at {US}", None),
        ("F6\nAsk alice@example.net: she knows\nTo: alice@example.net", None),
    ],
)
def test_our_address_ends_a_comment_as_headers_and_attributions_name_it(
    body: str, kept: str | None
) -> None:
    assert before_our_mail(body, US) == (body if kept is None else kept)


@pytest.mark.parametrize("mark", ["", "    ", "| ", ": ", "» "])
@pytest.mark.parametrize("first", [0, 2])
def test_three_lines_of_a_letter_end_a_comment_and_its_writer_is_told(
    club: ClubByMail, mark: str, first: int
) -> None:
    mine = alices_first(club)
    said = [line for line in mine.text.splitlines() if line.strip()]
    quoted = "\n".join(f"{mark}{line}" for line in said[first:])
    data = written(
        ALICE, mine.subject, f"C2\n\nGood luck!\n\n{quoted}\n", number=9, to=mine.reply_to
    )
    club.receive(data, Envelope(recipient=mine.reply_to, sender=ALICE))
    told = letters_of(club)

    assert told.keys() == {ALICE, BOB, CAROL}
    for letter in told.values():
        assert "| Good luck!" in letter.text
        assert "| Move 1" not in letter.text
        assert "answer this mail with your move" not in letter.text.partition("Stones:")[0]
    assert CUT in told[ALICE].text
    assert CUT not in told[BOB].text + told[CAROL].text


@pytest.mark.parametrize("kept", [1, 2])
def test_fewer_lines_of_a_letter_stay_and_nobody_is_told(club: ClubByMail, kept: int) -> None:
    mine = alices_first(club)
    quoted = "\n".join(["It is your turn.", "Stones:"][:kept])
    data = written(ALICE, mine.subject, f"C2\n\nHi\n{quoted}\n", number=9, to=mine.reply_to)
    club.receive(data, Envelope(recipient=mine.reply_to, sender=ALICE))
    told = letters_of(club)

    assert f"| {quoted.splitlines()[-1]}" in told[BOB].text
    assert CUT not in told[ALICE].text


def older_letter(club: ClubByMail) -> Letter:
    """Return alice's letter from before her first move."""
    mine = alices_first(club)
    assert club.reply(mine, "C2") == "done"
    club.collect()
    return mine


@pytest.mark.parametrize("text", ["resign", "Resign!", "RESIGN.", "resign#2"])
def test_a_spent_token_resigns_only_after_a_question_back(club: ClubByMail, text: str) -> None:
    old = older_letter(club)
    assert club.reply(old, text) == "stale-token"
    told = letters_of(club)

    assert told.keys() == {ALICE}
    assert "You have not resigned" in told[ALICE].text
    assert "Nothing was changed" in told[ALICE].text
    assert "running" in str(club.desk.handle(Request(("star", "show", "101"))).document)

    assert club.reply(told[ALICE], "resign") == "done"
    assert "alice declines the game" in letters_of(club)[BOB].text


@pytest.mark.parametrize("where", ["Subject", "a forged sender", "twice"])
def test_a_spent_token_resigns_in_no_other_way(club: ClubByMail, where: str) -> None:
    old = older_letter(club)
    if where == "Subject":
        outcome = club.reply(old, subject="Re: Star Board 101 alice resign")
    elif where == "twice":
        club.reply(old, "resign")
        outcome = club.reply(old, "resign")
    else:  # who has only seen the token hears nothing: the question goes to alice
        outcome = club.mail(ALICE, "Star Board 101 alice", "resign", to=old.reply_to)
    told = letters_of(club)

    assert outcome == "stale-token"
    assert told.keys() == {ALICE}
    assert "running" in str(club.desk.handle(Request(("star", "show", "101"))).document)


def test_the_question_is_spent_as_soon_as_the_board_changes(club: ClubByMail) -> None:
    old = older_letter(club)
    club.reply(old, "resign")
    question = letters_of(club)[ALICE]
    club.mail(BOB, "star move 101 bob secret-bob D1")
    club.collect()

    assert club.reply(question, "resign") == "stale-token"


@pytest.mark.parametrize("text", ["chat\n\nThank you!", "unsubscribe"])
def test_a_spent_token_still_talks_and_leaves(club: ClubByMail, text: str) -> None:
    assert club.reply(older_letter(club), text) == "done"
