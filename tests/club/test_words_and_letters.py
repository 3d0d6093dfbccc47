"""Words as people write them, what is taken in and shown of them, and letters as text."""

from typing import Any

import pytest

from pbmserv.club.letter import (
    Diagram,
    Lengths,
    Letter,
    LetterKind,
    PieceKind,
    format_layout,
    is_message_id,
    join_pieces,
    parse_layout,
    split_pieces,
    unsubscribe_command,
)
from pbmserv.club.player import (
    Player,
    PlayerStatus,
    Robot,
    format_robot,
    is_mail_for,
    may_be_password,
    parse_address,
    parse_password,
    parse_robot,
    parse_userid,
)
from pbmserv.club.selectors import CHOOSING, SELECTORS
from pbmserv.club.word_forms import is_slip, nearest, slip_of, stems, straightened
from pbmserv.club.written_text import (
    Heading,
    Paragraph,
    Subheading,
    clean,
    escape_controls,
    escape_html,
    in_json,
    parse_page,
    parse_written,
    unwrap_block,
    wrap_line,
)
from pbmserv.engine.spec import parse_game
from pbmserv.errors import Misunderstood, Refused

WORDS = ("move", "moves", "swap", "resign", "Standings", "show")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("mvoe", "move"),
        ("standing", "Standings"),
        ("STANDINGS", "Standings"),
        ("swapp", "swap"),
        ("resing", "resign"),
        ("sta", "Standings"),
        ("shows", "show"),
        ("s", ""),
        ("xyzzy", ""),
        ("", ""),
    ],
)
def test_the_nearest_word_is_a_slip_or_the_only_longer_one(typed: str, meant: str) -> None:
    assert meant == nearest(typed, WORDS)


def test_of_two_that_would_do_with_the_same_letters_neither_is_nearest_by_them() -> None:
    assert "tides" == nearest("tdies", ["tides", "moves"])
    assert "abcd" == nearest("dcba", ["abcd", "efgh"])
    assert "" == nearest("dcba", ["abcd", "bacd"])


def test_a_hint_says_what_to_type_and_nothing_where_nothing_is_near() -> None:
    assert ("move", "") == (nearest("mvoe", WORDS), nearest("xyzzy", WORDS))


def test_a_slip_is_nearer_than_a_likeness() -> None:
    assert "move" == slip_of("mové", ["move"])
    assert is_slip("SWAPP", ["swap"])
    assert not is_slip("drag", ["swap"])
    assert not is_slip("swap", [])


@pytest.mark.parametrize(
    ("form", "stem"),
    [("moves", "move"), ("moving", "move"), ("moved", "move"), ("swapped", "swap")],
)
def test_forms_of_a_verb_lead_to_it(form: str, stem: str) -> None:
    assert stem in stems(form)
    assert [] == stems("move")
    assert [] == stems("as")


@pytest.mark.parametrize(
    ("odd", "plain"),
    [
        ("\u2014size=7", "-size=7"),
        ("\u2013\u2013size=7", "-size=7"),
        ("\u00abF6\u00bb", "F6"),
        ("F\u200b6", "F6"),
        ("p\u00e4ssword", "p\u00e4ssword"),
        ("\u201chello\u201d", "\u201chello\u201d"),
        ("--size=7", "--size=7"),
    ],
)
def test_signs_of_telephones_are_plain_where_a_number_is_among_them(odd: str, plain: str) -> None:
    assert [plain] == straightened([odd])


def test_a_page_is_made_of_headings_paragraphs_and_what_stands_as_it_is() -> None:
    page = parse_page("\n# One\n\n## Two\n\nflows\nalong\n\n  kept\n  so\n\n> too\n")

    assert [Heading, Subheading, Paragraph, str, str] == [type(block) for block in page]
    assert ("One", "Two", "flows\nalong", "  kept\n  so", "> too") == page
    assert ["One", "Two", "flows along", "  kept\n  so", "> too"] == [*map(unwrap_block, page)]


@pytest.mark.parametrize("control", ["\x00", "\x07", "\x1b", "\x7f", "\x9b"])
def test_no_text_is_stored_with_what_a_terminal_obeys(control: str) -> None:
    with pytest.raises(Refused) as caught:
        parse_written(f"a{control}b")

    assert "control-character" == caught.value.code
    assert "ab" == clean(f"a{control}b")
    assert "a\ufffdb" == escape_controls(f"a{control}b")
    assert "a&lt;\ufffdb" == escape_html(f"a<{control}b")
    assert f'"a\\u{ord(control):04x}"' == in_json(f'"a{control}"')


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\x0b", "\x0c", "\x85", "\u2028"])
def test_every_end_of_a_line_is_one(end: str) -> None:
    assert "a\nb" == parse_written(f"\n\na{end}b  {end}")


def test_what_nobody_sees_is_left_out_and_not_refused() -> None:
    assert "ab" == parse_written("a\u200bb\u202e")
    assert "a    b" == parse_written("a\tb")


def test_no_number_is_parted_from_its_name() -> None:
    lines = wrap_line("it is then move 23 of X: 4 and 61 %", 14, "  ")

    assert ["it is then", "  move 23 of", "  X: 4 and", "  61 %"] == lines
    assert [""] == wrap_line("", 10)
    assert ["abcde", "fgh"] == wrap_line("abcdefgh", 5)
    assert ["abcdefgh"] == wrap_line("abcdefgh", 5, breaks_words=False)


@pytest.mark.parametrize("local", ["a", "a.b", "a+b", "a" * 64])
def test_an_address_is_one_plain_address(local: str) -> None:
    assert f"{local}@example.org" == parse_address(f"{local}@example.org")


@pytest.mark.parametrize(
    "text",
    [
        *("", "a", "a@", "@a.org", "a@b@c.org", ".a@b.org", "a.@b.org", "a..b@c.org"),
        *("=?a@b.org", "a b@c.org", "a@-b.org", "a@b-.org", "a@b..org", "ä@b.org"),
        "a" * 65 + "@b.org",
        "a@" + ".".join(["b" * 60] * 5),
        "a@b.org\n",
    ],
)
def test_what_is_no_plain_address_is_none(text: str) -> None:
    with pytest.raises(Misunderstood) as caught:
        parse_address(text)

    assert "bad-address" == caught.value.code


@pytest.mark.parametrize("text", ["a", "1ab", "a b", "a" * 25, "älice", "alice\n", "-ab", ""])
def test_what_is_no_userid_is_none(text: str) -> None:
    with pytest.raises(Misunderstood):
        parse_userid(text)
    assert ["al", "a" * 24, "a.b-c_1"] == [*map(parse_userid, ("al", "a" * 24, "a.b-c_1"))]


@pytest.mark.parametrize(
    "text", ["", "1234567", "-1234567", "12345 78", "a" * 129, "pässword", "12345678\n"]
)
def test_what_is_no_password_is_none(text: str) -> None:
    with pytest.raises(Misunderstood):
        parse_password(text)
    assert ["a" * 8, "a" * 128] == [*map(parse_password, ("a" * 8, "a" * 128))]


def test_an_address_is_hardly_a_password() -> None:
    assert may_be_password("12345678")
    assert not may_be_password("<alice@example.org>,")
    assert not may_be_password("1234567")


def test_only_an_open_account_is_logged_into() -> None:
    player = Player(1, "alice", PlayerStatus.ACTIVE, "hash", 0)

    assert "hash" == player.login_hash
    assert player._replace(status=PlayerStatus.CLOSED).login_hash is None
    assert player._replace(status=PlayerStatus.RECORDED).login_hash is None
    assert "hash" not in repr(player)
    assert "alice" == player.name
    assert "alice (computer)" == player._replace(robot=Robot(1, ("hex",))).name


@pytest.mark.parametrize(
    "robot", [Robot(4, ("star", "y"), is_rated=True), Robot(1, ("hex",)), Robot(None, ("hex",))]
)
def test_a_robot_is_read_as_it_was_written(robot: Robot) -> None:
    assert robot == parse_robot(format_robot(robot))


def test_a_word_that_is_no_robots_makes_nothing_rated() -> None:
    assert not parse_robot("level=1 games=hex unrated").is_rated


def test_what_chooses_among_boards_is_nobodys_userid() -> None:
    assert {*SELECTORS, "new", "anyone", "none"} == CHOOSING


STAR = parse_game("star(size=3)")
SHOWN = STAR.replay(["C1", "C2"])


def letter(kind: LetterKind = LetterKind.BOARD, **changes: object) -> Letter:
    plain = {"address": "a@example.org", "subject": "Star Board 101", "lead": "Hello"}
    return Letter(kind, **{**plain, **changes})  # type: ignore[arg-type]


PIECES = [
    (PieceKind.NEWS, "New."),
    (PieceKind.TURN, "Your turn."),
    (PieceKind.AIM, "Join."),
    (PieceKind.DEED, "bob plays C1."),
    (PieceKind.STORY, "bob offers a draw."),
    (PieceKind.SAID, "bob writes:\n| New.\n|\n| Hi!"),
    (PieceKind.MOVES, "  1. X C1\n  2. O C2"),
    (PieceKind.TABLE, "    a  b\n\n  c"),
    (PieceKind.WORDS, "The rest."),
]


@pytest.mark.parametrize(
    "diagram",
    [
        None,
        Diagram(STAR, STAR.start()),
        Diagram(STAR, SHOWN, is_clickable=True),
        Diagram(STAR, SHOWN, shows_owners=True),
        Diagram(STAR, SHOWN, part="B"),
        Diagram(STAR, SHOWN, True, True, "C"),
    ],
)
@pytest.mark.parametrize("above", [(), ((PieceKind.TURN, 12), (PieceKind.SAID, 3))])
@pytest.mark.parametrize("below", [(), ((PieceKind.ANSWERS, 2),)])
def test_the_layout_of_a_letter_is_read_as_it_was_written(
    diagram: Diagram | None, above: Lengths, below: Lengths
) -> None:
    text = format_layout(letter(diagram=diagram, lengths=(above, below)))

    assert (diagram, (above, below)) == parse_layout(text or "")
    assert (text is None) is not any((diagram, above, below))
    assert "\n" not in (text or "")


def test_the_pieces_of_a_text_are_known_by_what_they_say() -> None:
    text, lengths = join_pieces([*PIECES[:1], (PieceKind.COMMENT, ""), *PIECES[1:]])
    of = letter(lead=f"{text}\n\nMore.", tail="Bye.", lengths=(lengths, ((PieceKind.ANSWERS, 4),)))

    assert text.startswith("New. Your turn.\nJoin.\n\nbob plays C1.\nbob offers a draw.\n\nbob wr")
    assert text.endswith("| Hi!\n\n  1. X C1\n  2. O C2\n\n    a  b\n\n  c\n\nThe rest.")
    assert [*PIECES, (PieceKind.WORDS, "More.")] == of.above
    assert [(PieceKind.ANSWERS, "Bye.")] == of.below
    assert [*PIECES[:2], (PieceKind.AIM, "Jo")] == split_pieces("New. Your turn.\nJo", lengths)
    assert [(PieceKind.WORDS, "Hello")] == letter().above
    assert [] == letter(lead="").above


def test_chat_that_was_stored_without_its_pieces_is_somebodys_words() -> None:
    assert [(PieceKind.SAID, "Hello")] == letter(LetterKind.CHAT).above


@pytest.mark.parametrize(
    "changes",
    [
        {"subject": "a\nBcc: b@example.org"},
        {"subject": "a\r"},
        {"subject": ""},
        {"subject": " a"},
        {"subject": "a =?utf-8?q?b?="},
        {"subject": "ä"},
        {"subject": "a" * 201},
        {"in_reply_to": "<a@b>\nBcc: c@d.org"},
        {"in_reply_to": "a@b"},
        {"in_reply_to": "<=?a@b>"},
    ],
)
def test_no_letter_carries_a_header_of_its_own(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="one"):
        letter(**changes)
    with pytest.raises(Misunderstood):
        letter(address="a@example.org\nBcc: b@example.org")
    assert "<a@b>" == letter(in_reply_to="<a@b>", subject="a" * 200).in_reply_to
    assert not is_message_id("<a@b><c@d>")


def test_a_reader_is_told_how_to_get_no_more_of_what_they_did_not_ask_for() -> None:
    assert "unsubscribe" == unsubscribe_command(letter())
    assert "digest off" == unsubscribe_command(letter(LetterKind.DIGEST))
    assert "block bob" == unsubscribe_command(
        letter(LetterKind.MESSAGE, subject="Message from bob")
    )
    assert (
        unsubscribe_command(letter(LetterKind.MESSAGE, subject="Message from bob", is_answer=True))
        is None
    )
    assert unsubscribe_command(letter(LetterKind.RESET)) is None
    assert unsubscribe_command(letter(is_answer=True)) is None


def test_a_letter_is_counted_for_no_less_than_it_may_become() -> None:
    bare, known = letter(lead="x" * 4000), letter(lead="x" * 4000, player_id=1)
    long = letter(lead="x" * 5001, player_id=1)
    board = Diagram(STAR, SHOWN)

    assert 4000 + 4000 == bare.max_bytes
    assert 4000 + 7 * 4000 == known.max_bytes
    assert 4000 + 7 * 5000 == letter(lead="x" * 4999, tail="x", player_id=1).max_bytes
    assert 4000 + 5001 == long.max_bytes
    assert 4000 + 2 * 2 == letter(lead="ä").max_bytes
    assert 4000 + 4 == letter(lead="a\n\n").max_bytes - 1
    assert 30_000 + 5 == letter(diagram=board).max_bytes
    assert 60_000 == letter(diagram=Diagram(STAR, SHOWN, is_clickable=True)).max_bytes
    assert 60_000 == letter(lead="x" * 50_000, diagram=board).max_bytes
    large = parse_game("hex(size=13)")
    assert 100_000 == Diagram(large, large.start()).max_bytes


@pytest.mark.parametrize(
    ("address", "is_own"),
    [
        *(("kate@club.example", True), ("KATE+token+x@Club.Example", True)),
        *(("\N{KELVIN SIGN}ate@club.example", False), ("kate@\N{KELVIN SIGN}lub.example", False)),
        *(("kates@club.example", False), ("kate@club.example.org", False), ("kate", False)),
        *(("+kate@club.example", False), ("kate@x@club.example", False)),
    ],
)
def test_mail_is_for_us_in_any_case_of_our_own_letters_alone(address: str, is_own: bool) -> None:  # noqa: FBT001
    assert is_own is is_mail_for(address, "Kate@club.example")
