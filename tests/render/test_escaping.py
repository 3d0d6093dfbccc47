"""Whatever people write stays words: in the text of a letter, and on its page of HTML."""

from html.parser import HTMLParser

import pytest

from pbmserv.club.letter import Diagram, Letter, LetterKind, PieceKind, join_pieces
from pbmserv.club.written_text import escape_controls
from pbmserv.engine.spec import parse_game
from pbmserv.render.board_letters import Comment, Reader, board_letters, chat_letters, letter_text
from pbmserv.render.letter_html import letter_html
from pbmserv.render.service_letters import message_letters

from .sample_letters import TO_ALICE, TO_BOB, played

MARKUP = "</title></pre><script>alert(1)</script>&lt;\"'>"
HOSTILE = f"{MARKUP}\x1b[2J\u202e"
WIDTHS = (1, 20, 70, 74, 75, 76, 77, 78, 79, 80, 100, 160, 400)


class Page(HTMLParser):
    """The tags of a page with their attributes, all its words, and those that are quoted."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, object]] = []
        self.words = self.quoted = ""
        self._depth = 0
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, attrs))
        self._depth += tag == "blockquote"

    def handle_endtag(self, tag: str) -> None:
        self.tags.append((f"/{tag}", None))
        self._depth -= tag == "blockquote"

    def handle_data(self, data: str) -> None:
        self.words += data
        self.quoted += data if self._depth else ""


def pages_with(field: str, form: str, words: str) -> tuple[Page, Page]:
    """Return the page of a letter with these words, and with harmless ones of their length."""

    def page_with(said: str) -> Page:
        texts = {"subject": "About", "lead": "Lead", "tail": "", field: form.format(said)}
        parts = texts["subject"], texts["lead"], texts["tail"]
        return Page(letter_html(Letter(LetterKind.ANSWER, "a@b.c", *parts), None, None))

    return page_with(words), page_with("x" * len(words))


@pytest.mark.parametrize("field", ["lead", "tail"])
@pytest.mark.parametrize(
    "form",
    [
        "{}",
        "bob writes:\n| {}",
        "name  games  won\n{}  12     3\nbob   1      1",
        "    {}",
        "1. X {}  2. O D4",
        "Said:\nbob must move by 2027-01-15 08:00:00 UTC.\n{}",
    ],
)
def test_words_that_are_markup_are_words_on_the_page_of_a_letter(field: str, form: str) -> None:
    hostile, harmless = pages_with(field, form, HOSTILE)

    assert harmless.tags == hostile.tags
    assert escape_controls(HOSTILE) in hostile.words


@pytest.mark.parametrize("kind", PieceKind)
@pytest.mark.parametrize("is_turn", [False, True])
def test_no_piece_above_a_board_is_markup(kind: PieceKind, is_turn: bool) -> None:  # noqa: FBT001
    game = parse_game("star(size=3)")

    def page_with(words: str) -> Page:
        lead, lengths = join_pieces(
            (each, words if each is kind else each.value)
            for each in PieceKind
            if each is kind or each is not PieceKind.TURN or is_turn
        )
        shown = {"diagram": Diagram(game, game.start()), "lengths": (lengths, ())}
        letter = Letter(LetterKind.BOARD, "a@b.c", "About", lead, **shown)  # type: ignore[arg-type]
        return Page(letter_html(letter, "cid:board", None))

    hostile, harmless = page_with(MARKUP), page_with("x" * len(MARKUP))
    is_left_out = is_turn or kind is PieceKind.TURN
    hidden = {PieceKind.COMMENT, PieceKind.AIM} if is_left_out else set()

    assert harmless.tags == hostile.tags
    assert (kind in hidden) is (MARKUP not in hostile.words.replace("\n", ""))


def test_a_subject_that_is_markup_is_the_title_of_the_page() -> None:
    hostile, harmless = pages_with("subject", "{}", MARKUP)

    assert harmless.tags == hostile.tags
    assert MARKUP in hostile.words


def letters_with(comment: Comment) -> list[Letter]:
    """Return a letter of each kind that passes somebody's words on."""
    match, events = played("star(size=3)", ["C2"])
    notes = ["A note of ours."]
    return [
        *board_letters(match, events, [TO_BOB, TO_ALICE], comment=comment, notes=notes),
        *chat_letters(match, comment, [TO_BOB]),
        *message_letters(comment, [TO_BOB, Reader("x@example.org")]),
        *message_letters(comment, [TO_BOB], is_broadcast=True),
    ]


@pytest.mark.parametrize("width", WIDTHS)
def test_every_line_of_a_comment_is_marked_however_long_it_is(width: int) -> None:
    one, several = "Q" * width, " ".join(["Q" * min(width, 9)] * (width // 9))
    for letter in letters_with(Comment("alice", f"{one}\n\n{several}\n{one[:-1]} {one}")):
        lines = letter_text(letter).split("\n")
        page = Page(letter_html(letter, None, None))

        assert [] == [line for line in lines if "Q" in line and not line.startswith("| ")]
        assert max(map(len, lines)) <= 78
        assert page.quoted.count("Q") == page.words.count("Q") == letter.lead.count("Q") > 0
