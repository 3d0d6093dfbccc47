"""Mails as they leave: headers, parts, picture and links."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from email.message import EmailMessage
from html.parser import HTMLParser
from random import Random
from urllib.parse import parse_qs, quote, unquote, urlsplit

import pytest

from pbmserv.club.events import Event, EventKind
from pbmserv.club.letter import Letter, PieceKind, TokenScope
from pbmserv.club.match import Match
from pbmserv.club.play import play
from pbmserv.club.player import Seat
from pbmserv.engine.game import Game
from pbmserv.engine.spec import format_game, parse_game
from pbmserv.mail.charsets import decode_words
from pbmserv.mail.compose import (
    MailIdentity,
    compose,
    header_value,
    mailto,
)
from pbmserv.mail.inbound import read_mail
from pbmserv.mail.loop_guard import ServerAddress, reason_to_drop
from pbmserv.mail.tokens import (
    Key,
    is_for_address,
    read_bounce_token,
    read_token,
    reset_token,
    token_in,
)
from pbmserv.render.board_letters import (
    Comment,
    Reader,
    board_letters,
    chat_letters,
    letter_text,
)
from pbmserv.render.service_letters import (
    announcement_letters,
    digest_letter,
    message_letters,
    reset_letter,
    trouble_letter,
    verify_letter,
    welcome_letter,
)
from pbmserv.store.mail.outbox import OutboxItem
from tests.mail.loopback_mail_server import IDENTITY, NOW, US, composed, plain_letter, read
from tests.render.pictured_boards import EACH_GAME
from tests.render.sample_letters import TO_ALICE, TO_BOB, TO_CAROL, new_match, played

PNG = b"\x89PNG\r\n\x1a\n"


def board_letter(spec: str, moves: str, reader: Reader, comment: str = "Grüße!") -> Letter:
    match, events = played(spec, moves.split())
    return board_letters(match, events, [reader], comment=Comment("alice", comment))[0]


def part(message: EmailMessage, content_type: str) -> EmailMessage:
    found = next(part for part in message.walk() if part.get_content_type() == content_type)
    assert isinstance(found, EmailMessage)
    return found


class Page(HTMLParser):
    """What stands in a page: its tags with their attributes, and its words."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.words = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_data(self, data: str) -> None:
        self.words += data

    def all(self, name: str) -> list[dict[str, str]]:
        return [attributes for tag, attributes in self.tags if tag == name]


def page_of(message: EmailMessage) -> Page:
    return Page(part(message, "text/html").get_content())


def test_every_header_is_as_promised() -> None:
    letter = board_letter("star", "F6", TO_BOB)
    message = read(composed(letter).content)
    reply_to = message["Reply-To"]

    assert [(name, value) for name, value in message.items() if name != "Reply-To"] == [
        ("From", "Star Club <pbmserv@example.org>"),
        ("To", "bob@example.org"),
        ("Subject", "Star Board 101 bob"),
        ("Date", "Fri, 15 Jan 2027 08:00:00 +0000"),
        ("Message-ID", f"<pbmserv.5.{NOW}@example.org>"),
        ("Auto-Submitted", "auto-generated"),
        ("X-Auto-Response-Suppress", "All"),
        ("X-Loop", US),
        ("List-Unsubscribe", f"<mailto:{quote(reply_to, safe='@')}?subject=unsubscribe>"),
        ("MIME-Version", "1.0"),
        ("Content-Type", message["Content-Type"]),
    ]
    assert read_token(IDENTITY.keys, token_in(reply_to, US) or "") == TokenScope(7, 2, 1)


NAMES = {
    "Star Club": "{} via Star Club <pbmserv@example.org>",
    "Stars & Co.": '"{} via Stars & Co." <pbmserv@example.org>',
    'The "Star", <b@ob>': '"{} via The \\"Star\\", <b@ob>" <pbmserv@example.org>',
    "Клуб «Звезда» в Санкт-Петербурге на Васильевском острове": None,
    "Sterne ★": None,
}


@pytest.mark.parametrize("club", NAMES)
@pytest.mark.parametrize("others", [("bob",), ("alice", "bob")])
def test_a_letter_comes_from_the_opponent_by_way_of_the_club(
    club: str, others: tuple[str, ...]
) -> None:
    letter = board_letter("star", "F6", TO_BOB)
    posted = replace(OutboxItem(5, letter, NOW, NOW, 1), others=others)
    content = compose(posted, MailIdentity(US, IDENTITY.keys, club)).content
    line = content.partition(b"\r\n")[0].decode("ascii").removeprefix("From: ")
    name, _, address = decode_words(line).rpartition(" ")
    shown = name.strip('"').replace("\\", "") if NAMES[club] else name

    assert line == (NAMES[club] or line).format(" and ".join(others))
    assert (NAMES[club] is None) == ("=?utf-8?" in line)
    assert (shown, address) == (f"{' and '.join(others)} via {club}", f"<{US}>")


@pytest.mark.parametrize("name", ["a\r\nBcc: x@y.zz", "é\r\nBcc: x", "=?utf-8?q?=0D=0ABcc?=", "\0"])
@pytest.mark.parametrize("is_player", [True, False])
def test_no_name_becomes_another_header(name: str, *, is_player: bool) -> None:
    posted = OutboxItem(5, board_letter("star", "F6", TO_BOB), NOW, NOW, 1)
    posted = replace(posted, others=(name,)) if is_player else posted

    with pytest.raises(ValueError, match="of ours"):
        compose(posted, MailIdentity(US, IDENTITY.keys, "Star Club" if is_player else name))


def test_one_click_is_promised_where_a_page_keeps_the_promise() -> None:
    paper = MailIdentity(US, IDENTITY.keys, way_out_url="https://example.org/leave")
    posted = OutboxItem(5, board_letter("star", "F6", TO_BOB), NOW, NOW, 1)
    message = read(compose(posted, paper).content)
    by_mail, by_page = str(message["List-Unsubscribe"]).split(", ")
    page = urlsplit(by_page.strip("<>"))

    assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert by_mail.startswith("<mailto:")
    assert (page.scheme, page.netloc, page.path) == ("https", "example.org", "/leave")
    assert parse_qs(page.query) == {
        "from": ["bob@example.org"],
        "to": [message["Reply-To"]],
        "subject": ["unsubscribe"],
    }


def test_an_answer_is_marked_as_one_and_names_what_was_sent_before() -> None:
    asker = Reader("bob@example.org", 2, is_asker=True, in_reply_to="<x@example.com>")
    posted = OutboxItem(5, board_letter("star", "F6", asker), NOW, NOW, 1, thread=((2, 7), (4, 9)))
    message = read(compose(posted, IDENTITY).content)

    assert message["Auto-Submitted"] == "auto-replied"
    assert message["In-Reply-To"] == "<x@example.com>"
    assert message["References"] == (
        "<pbmserv.2.7@example.org> <pbmserv.4.9@example.org> <x@example.com>"
    )
    folded = b"<pbmserv.2.7@example.org>\r\n <pbmserv.4.9@example.org>\r\n <x@example.com>\r\n"
    assert b"\r\nReferences: " + folded in compose(posted, IDENTITY).content
    assert message["List-Unsubscribe"] is None


def test_a_thread_that_is_too_long_for_a_header_loses_its_beginning() -> None:
    address = f"pbmserv@{'.'.join(['x' * 60] * 4)}"
    thread = tuple((number, NOW) for number in range(1, 9))
    posted = OutboxItem(9, board_letter("star", "F6", TO_BOB), NOW, NOW, 1, thread)
    message = read(compose(posted, MailIdentity(address, IDENTITY.keys)).content)
    names = [f"<pbmserv.{number}.{at}@{address[8:]}>" for number, at in thread]
    kept = message["References"].split()

    assert 1 < len(kept) < 8
    assert kept == names[-len(kept) :]
    assert message["In-Reply-To"] == names[-1]


def test_a_long_message_id_stays_in_one_piece() -> None:
    long_id = f"<{'x' * 240}@{'y' * 200}>"
    asker = Reader("bob@example.org", 2, is_asker=True, in_reply_to=long_id)
    content = composed(board_letter("star", "F6", asker)).content

    assert f"\r\nIn-Reply-To: {long_id}\r\n".encode() in content
    assert max(map(len, content.split(b"\r\n"))) <= 998


def test_bounces_come_back_to_the_letter() -> None:
    mail = composed(plain_letter(), 77)

    assert read_bounce_token(IDENTITY.keys, token_in(mail.sender, US) or "") == 77
    assert len(mail.sender.rpartition("@")[0]) <= 64


def test_a_letter_makes_the_same_message_id_however_often() -> None:
    keys = MailIdentity(US, [Key(2, b"n" * 32), *IDENTITY.keys])
    posted = OutboxItem(5, plain_letter(), NOW, NOW, 1)
    ids = {read(compose(posted, paper).content)["Message-ID"] for paper in (IDENTITY, keys)}

    assert len(ids) == 1


def test_letters_without_an_account_have_nothing_to_answer_to() -> None:
    for letter in (plain_letter(), plain_letter(player_id=1), plain_letter(revision=1)):
        assert read(composed(letter).content)["Reply-To"] is None


def test_notices_say_how_to_be_rid_of_them() -> None:
    playing, watched = (board_letter("star", "F6", reader) for reader in (TO_BOB, TO_CAROL))
    said = Comment("alice", "Hi")
    (broadcast,) = message_letters(said, [TO_BOB], is_broadcast=True)
    (message,) = message_letters(said, [TO_BOB])
    (announcement,) = announcement_letters("Hi", [TO_BOB])
    verify = verify_letter(TO_BOB, "bob")
    match, _ = played("star", ["F6"])
    trouble = trouble_letter(TO_BOB, "alice cannot be reached", ["Her mail came back."], match)
    digest = digest_letter(TO_BOB, [])
    letters = (playing, watched, broadcast, message, announcement, verify, trouble, digest)
    links = [
        unquote(read(composed(letter).content)["List-Unsubscribe"]).rpartition("=")[2]
        for letter in letters
    ]

    assert links == [
        "unsubscribe>",
        "unsubscribe>",
        "broadcast off>",
        "block alice>",
        "broadcast off>",
        "unsubscribe>",
        "unsubscribe>",
        "digest off>",
    ]


@pytest.mark.parametrize("is_broadcast", [False, True])
def test_an_answer_to_a_players_message_goes_to_no_token_of_its_reader(
    *, is_broadcast: bool
) -> None:
    (letter,) = message_letters(Comment("alice", "Hi"), [TO_BOB], is_broadcast=is_broadcast)

    assert read(composed(letter).content)["Reply-To"] is None
    assert read(composed(board_letter("star", "F6", TO_BOB)).content)["Reply-To"] is not None


def test_what_was_asked_for_has_no_such_way_out() -> None:
    asker = replace(TO_BOB, is_asker=True)
    for letter in (welcome_letter(asker, "bob"), reset_letter(TO_BOB, "bob", "reset bob ...")):
        assert read(composed(letter).content)["List-Unsubscribe"] is None


WEB = "https://club.example.org/pbm/"
LONG = f"https://club.example.org/{'games' * 20}/"


def led_on(letter: Letter, url: str = WEB, board: str = "") -> tuple[str, list[dict[str, str]]]:
    """Return the text of the mail where the club is in a browser, and the page's links there."""
    posted = replace(OutboxItem(5, letter, NOW, NOW, 1), board=board)
    message = read(compose(posted, replace(IDENTITY, web_url=url)).content)
    links = [a for a in page_of(message).all("a") if a["href"].startswith("http")]
    return part(message, "text/plain").get_content().replace("\r", ""), links


@pytest.mark.parametrize("url", [WEB, LONG])
@pytest.mark.parametrize("reader", [TO_ALICE, TO_BOB, TO_CAROL])
def test_a_letter_about_a_board_leads_to_it_in_a_browser(url: str, reader: Reader) -> None:
    letter = board_letter("star", "F6", reader)
    text, links = led_on(letter, url, "star/101")

    assert f"\n\nOpen the board:\n{url}boards/star/101.html\n\n" in text
    assert [link["href"] for link in links] == [f"{url}boards/star/101.html"]
    (chat,) = chat_letters(new_match("hex"), Comment("alice", "Hi"), [reader])
    assert f"Open the board:\n{url}boards/hex/7.html\n" in led_on(chat, url, "hex/7")[0]


def test_without_an_address_of_the_club_no_letter_differs() -> None:
    for letter in (board_letter("star", "F6", TO_BOB), welcome_letter(TO_BOB, "bob")):
        posted = OutboxItem(5, letter, NOW, NOW, 1, board="star/101")
        message = read(compose(posted, IDENTITY).content)
        plain = part(message, "text/plain").get_content().replace("\r\n", "\n")

        assert plain == letter_text(letter)
        assert "http" not in part(message, "text/html").get_content()


@pytest.mark.parametrize("kind", [welcome_letter, verify_letter])
def test_a_letter_that_asks_for_a_proof_has_a_link_that_is_one(
    kind: Callable[[Reader, str], Letter],
) -> None:
    text, links = led_on(kind(TO_BOB, "bob"), LONG)
    (url,) = (link["href"] for link in links)
    claim = read_token(IDENTITY.keys, url.removeprefix(f"{LONG}verify?t="))

    assert f"Verify this address:\n{url}\n" in text
    assert claim is not None
    assert (claim.match_id, claim.player_id) == (0, 2)
    assert is_for_address(IDENTITY.keys, claim, "BOB@example.org")
    assert not is_for_address(IDENTITY.keys, claim, "alice@example.org")


def test_a_letter_about_a_forgotten_password_has_its_token_in_a_link() -> None:
    text, links = led_on(reset_letter(TO_BOB, "bob", "reset bob ..."))
    url = f"{WEB}reset?p=2&t={reset_token(IDENTITY.keys, 5)}"

    assert f"Choose a new password:\n{url}\n" in text
    assert [link["href"] for link in links] == [url]


def test_a_daily_letter_leads_to_all_boards_and_others_lead_nowhere() -> None:
    (message,) = message_letters(Comment("alice", "Hi"), [TO_BOB])

    assert [link["href"] for link in led_on(digest_letter(TO_BOB, []))[1]] == [f"{WEB}my"]
    assert "http" not in led_on(message)[0]
    assert led_on(message)[1] == []


def test_until_when_to_move_is_bold_and_no_comment_is() -> None:
    line = "You must move by 2027-01-22 08:00 UTC, in 7 days."
    letter = board_letter("star", "F6", replace(TO_BOB, due=NOW + 7 * 86400), f"x\n{line}")
    page = part(read(composed(letter).content), "text/html").get_content().replace("\r", "")

    assert page.count(line) == 2
    assert page.count(f"<b>{line}</b>") == 1


def test_the_parts_hold_the_same_words() -> None:
    letter = board_letter("star", "F6", TO_BOB, "Grüße <b>x</b>\n.\n.dot")
    message = read(composed(letter).content)
    page = page_of(message)
    plain = part(message, "text/plain").get_content().replace("\r\n", "\n")

    assert plain == letter_text(letter)
    # Lines are broken anew, what begins a line that somebody else wrote is drawn, and what is
    # written stands there itself.
    said = page.words.split()
    told = [text for kind, text in letter.above if kind is not PieceKind.COMMENT]
    for word in " ".join([*told, letter.tail]).split():
        assert word in said or word == "|"
    assert "<b>x</b>" in page.words
    assert {"class": ""} not in page.all("b")


def test_a_page_says_first_what_matters_and_last_what_else_there_is() -> None:
    match, events = played("hex(size=5)", ["C3", "B2"])
    comment = Comment("bob", "You must move by no time.\nIt is your turn.\n1. X A1")
    letter = board_letters(match, events, [replace(TO_ALICE, due=NOW)], comment=comment)[0]
    html = part(read(composed(letter).content), "text/html").get_content()
    words = " ".join(Page(html).words.replace("\N{NO-BREAK SPACE}", " ").split())
    order = (
        "Hex Board 101 (size 5) \N{MIDDLE DOT} X: alice O: bob \N{MIDDLE DOT} Move 3",
        "bob plays B2. It is your turn.",
        "You must move by 2027-01-15 08:00 UTC. You are X, who joins top and bottom.",
        "bob writes: You must move by no time. It is your turn. 1. X A1",
        "Tap a cell, send the mail that opens",
        "A1 B1 C1 D1 E1 A2 \N{BLACK CIRCLE} C2",
        "Pass Propose a draw Ask for an undo Resign",
        "To move, answer this mail with your move as the first line, for example A1.",
        "1. X C3 2. O B2",
        "Stones: X, 1 stone: C3.",
    )
    places = [words.index(each) for each in order]

    assert places == sorted(places)
    assert "<h1" in html[: html.index("bob plays B2.")]
    assert html.index("bob writes:") < html.index("<img") < html.index("Tap a cell")
    assert html.count("To move, answer this mail") == 1
    assert "You are X, who joins top and bottom." in letter_text(letter)


def test_the_page_of_a_letter_that_was_stored_before_is_its_words() -> None:
    letter = board_letter("star", "F6", TO_BOB)
    assert letter.diagram is not None
    old = replace(letter, lengths=((), ()))
    page = page_of(read(composed(old).content))

    for word in f"{letter.lead} {letter.tail}".split():
        assert word in page.words or word == "|"


def test_the_structure_is_what_mail_programs_expect() -> None:
    message = read(composed(board_letter("star", "F6", TO_BOB)).content)
    kinds = [part.get_content_type() for part in message.walk()]

    assert kinds == [
        "multipart/alternative",
        "text/plain",
        "multipart/related",
        "text/html",
        "image/png",
    ]


def test_the_page_loads_only_the_picture_in_the_same_mail() -> None:
    message = read(composed(board_letter("star", "F6", TO_BOB)).content)
    page = page_of(message)
    (image,) = page.all("img")
    picture = part(message, "image/png")

    assert image["src"] == f"cid:{picture['Content-ID'].strip('<>')}"
    assert picture.get_content().startswith(PNG)
    assert "width:100%" in image["style"]
    assert image["alt"].startswith("Star board, ")
    assert image["alt"].endswith("Stones: 1 of X, 0 of O, listed below.")
    urls = [value for _, a in page.tags for name, value in a.items() if name in {"src", "href"}]
    assert {url.partition(":")[0] for url in urls} == {"cid", "mailto"}
    assert "url(" not in part(message, "text/html").get_content()
    assert not {"script", "link", "iframe", "form", "object"} & {tag for tag, _ in page.tags}


def test_the_picture_follows_a_dark_screen_by_one_short_rule() -> None:
    message = read(composed(board_letter("star", "F6", TO_BOB)).content)
    style, _, body = part(message, "text/html").get_content().partition("</style>")
    light, _, dark = style.partition("@media(prefers-color-scheme:dark){")
    (rule,) = re.findall(r"\bimg\{[^}]*\}", dark)

    assert "filter:" in rule
    assert len(rule) < 200
    assert "filter" not in light + body
    assert 1 == body.count("<img ")
    assert 1 == sum(one.get_content_type() == "image/png" for one in message.walk())


def test_each_empty_cell_opens_a_mail_with_its_move() -> None:
    letter = board_letter("starstar(size=4)", "*40 S40", TO_ALICE)
    message = read(composed(letter).content)
    assert letter.diagram is not None
    position = letter.diagram.position
    names = letter.diagram.game.board.names
    empty = {name for name, stone in zip(names, position.stones, strict=True) if not stone}
    moves = []
    for link in page_of(message).all("a"):
        if link["href"].startswith("#"):
            continue
        url = urlsplit(link["href"])
        values = parse_qs(url.query)
        moves += values.pop("body")
        assert unquote(url.path) == message["Reply-To"]
        assert values == {"subject": ["Re: *Star Board 101 alice"]}
        assert "+" not in link["href"]

    assert moves[-4:] == ["pass", "propose", "undo", "resign"]
    assert sorted(moves[:-4]) == sorted(empty)


def test_the_first_of_two_stones_waits_for_the_second() -> None:
    page = page_of(read(composed(board_letter("starstar(double)", "*40", TO_BOB)).content))
    words = [
        found["body"][0] for a in page.all("a") if (found := parse_qs(urlsplit(a["href"]).query))
    ]

    assert {word[-1] for word in words if word[1:2].isdigit()} == {"+"}


def test_links_for_words_are_those_that_are_allowed() -> None:
    after_one, after_two = (
        page_of(read(composed(board_letter("star", moves, reader)).content))
        for moves, reader in (("F6", TO_BOB), ("F6 F7", TO_ALICE))
    )
    words = [
        [word for a in p.all("a") if (word := a["href"].rpartition("=")[2]).islower()]
        for p in (after_one, after_two)
    ]

    # Bob has made no move that could be undone.
    assert words == [["pass", "swap", "propose", "resign"], ["pass", "propose", "undo", "resign"]]


def test_only_the_reader_on_move_has_links() -> None:
    for reader in (TO_ALICE, TO_CAROL):
        page = page_of(read(composed(board_letter("star", "F6", reader)).content))

        assert page.all("a") == []
        assert "E5" in page.words


@pytest.mark.slow
@EACH_GAME
def test_no_letter_of_any_board_is_large(boards: list[Game], *, full: bool) -> None:
    by_size = sorted(boards, key=lambda game: len(game.board))
    for game in boards if full else by_size[-1:]:
        for match, events in moments(game):
            reader = Reader(TO_ALICE.address, match.next_seat.player_id if match.next_seat else 1)
            said = Comment("a" * 24, "word " * 200)
            (letter,) = board_letters(match, events, [reader], comment=said)
            content = composed(letter).content

            assert len(content) < (100_000 if len(game.board) > 164 else 60_000), game
            assert b"Content-Type: image/png" in content or len(game.board) > 400, game
            assert (b"body=" in content) == match.is_running, game


def moments(game: Game) -> Iterator[tuple[Match, tuple[Event, ...]]]:
    """Yield a game at its beginning, half of its cells later, and at its end."""
    match = new_match(format_game(game), Seat(1, "a" * 24), Seat(2, "b" * 24))
    events: tuple[Event, ...] = (Event(EventKind.STARTED, match.first),)
    yield match, events
    cells = list(game.board.names)
    Random(1).shuffle(cells)
    for number, cell in enumerate(cells):
        on_move = match.next_seat
        if on_move is None:
            break
        if number == len(cells) // 2:
            yield match, events
        match, events = play(match, on_move.player_id, game.parse_move(cell), NOW)
    yield match, events


def test_a_word_as_wide_as_a_line_begins_a_comment() -> None:
    letter = board_letter("star(size=4)", "C3", TO_BOB, "w" * 200)

    assert "w" * 70 in page_of(read(composed(letter).content)).words


@pytest.mark.costly
def test_a_long_comment_takes_the_place_of_links_and_then_of_the_page() -> None:
    short, long, foreign = (
        composed(board_letter("star(size=8)", "", TO_ALICE, comment)).content
        for comment in ("word " * 100, "word " * 3000, "字" * 10_000)
    )

    small = page_of(read(composed(board_letter("star(size=4)", "", TO_ALICE, "word")).content))

    assert "This mail would be too large" not in small.words
    assert page_of(read(long)).words.count("This mail would be too large") == 1
    assert 10 < len(page_of(read(long)).all("a")) < len(page_of(read(short)).all("a"))
    assert [part.get_content_type() for part in read(foreign).walk()] == ["text/plain"]
    assert max(map(len, (short, long, foreign))) < 60_000


@pytest.mark.costly
def test_links_are_where_the_last_stone_is_or_where_they_were_asked_for() -> None:
    letter = board_letter("star(size=14)", "F25", TO_BOB)
    assert letter.diagram is not None
    asked = replace(letter, diagram=replace(letter.diagram, part="3"))
    found = [
        {move[1:] for a in page_of(read(composed(each).content)).all("a") if (move := body(a))}
        for each in (letter, asked)
    ]

    assert {"25", "24", "26"} <= found[0]
    assert "3" not in found[0]
    assert {"3", "2", "4"} <= found[1]
    assert "25" not in found[1]


def body(link: dict[str, str]) -> str:
    """Return the cell that a link plays, "" for anything else."""
    words = parse_qs(urlsplit(link["href"]).query).get("body", [""])[0]
    return words if words[1:].isdigit() else ""


def test_our_own_letters_are_never_answered_by_us() -> None:
    for letter in (plain_letter(), board_letter("star", "F6", TO_BOB)):
        incoming = read_mail(composed(letter).content)

        assert reason_to_drop(incoming, ServerAddress(US)) is not None
        assert reason_to_drop(incoming, ServerAddress("pbmserv@another.example")) is not None


@pytest.mark.parametrize("text", ["a\nb", "a\rb", "a\0b", "é", "a\x0bb", "a\u2028b", "x" * 901])
def test_no_header_is_made_of_more_than_one_line(text: str) -> None:
    with pytest.raises(ValueError, match="one line"):
        header_value(text)


def test_a_ready_written_mail_is_encoded() -> None:
    assert mailto("a+b@c.d", "*10+ &?=#é") == "mailto:a%2Bb@c.d?subject=*10%2B%20%26%3F%3D%23%C3%A9"


def test_the_lines_of_a_mail_are_those_of_the_wire() -> None:
    content = composed(board_letter("starstar(double)", "*40", TO_BOB)).content

    assert not re.search(rb"[^\r]\n|\r[^\n]", content)
    assert content.isascii()
    assert parse_game("starstar(double)").title == "*Star"
