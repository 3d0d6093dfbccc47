"""Answers that are HTML alone: what is not seen is not played, and doubt is asked back."""

import pytest

from pbmserv.mail.html_text import IN_DOUBT, text_from_html
from pbmserv.mail.inbound import Envelope
from pbmserv.mail.quoting import own_text
from tests.databases import made_once
from tests.mail.server_by_mail import US, ClubByMail, Letter

ALICE = "alice@example.net"

HIDDEN = [
    '<span style="display:none">C6</span>',
    "<span style='DISPLAY : NONE ! important'>C6</span>",
    "<SPAN STYLE=display:none>C6</SPAN>",
    '<span style="&#100;isplay&colon;none">C6</span>',
    '<span style="d\\69 splay:no/**/ne">C6</span>',
    '<span style="color:red;visibility:hidden">C6</span>',
    '<i style="visibility:collapse">C6</i>',
    "<p hidden>C6</p>",
    '<p hidden="">C6</p>',
    '<p HIDDEN="until-found">C6</p>',
    '<b style="font-size:0">C6</b>',
    '<b style="font-size:0.0px">C6</b>',
    '<b style="opacity:0">C6</b>',
    '<b style="mso-hide:all">C6</b>',
    '<b style="display:none" style="display:inline">C6</b>',
    '<b STYLE="display:none" style="">C6</b>',
    '<b style="color:transparent">C6</b>',
    '<div style="max-height:0;overflow:hidden">C6</div>',
    '<div style="overflow:hidden;height:0px">C6</div>',
    '<div style="display:none"><p><b>C6</b><br>C7</p></div>',
    "<div hidden><div></div><span>C6</span></div>",
    "<noscript>C6</noscript>",
    "<textarea rows=2>C6</textarea>",
    "<select><option>C6</select>",
    "<select><option selected>C6</option></select>",
    "<datalist><option>C6</datalist>",
    "<object>C6</object>",
    "<template><p>C6</p></template>",
    "<iframe>C6</iframe>",
    "<audio>C6</audio><video>C6</video><canvas>C6</canvas>",
    "<style>C6</style>",
    "<title>C6</title>",
    '<script>"</p>C6"</script>',
    "<!-- C6 -->",
    "<!--[if mso]>C6<![endif]-->",
    "<!--[if gte mso 9]><xml>C6</xml><![endif]-->",
    "<!--><!-- C6 --!>",
    "<![CDATA[C6]]>",
    "<?xml C6 ?>",
    "</ C6>",
    '<p title="a > C6 <">',
    "<a href=mailto:x?body=C6></a>",
    '<img alt="C6">',
    '<input value="C6">',
]
"""What nobody sees, so that only what follows it is read."""

DOUBTFUL = [
    "<s>C6</s>",
    "<S>C6</S>",
    "<strike>C6</strike>",
    "<del>C6</del>",
    "<del><p>C6</p></del>",
    '<span style="text-decoration:line-through">C6</span>',
    '<span style="text-decoration: underline line-through red">C6</span>',
    '<font style="TEXT-DECORATION-LINE:LINE-THROUGH">C6</font>',
    "<style>.x{text-decoration:line-through}</style><b class='y x'>C6</b>",
    "<style>@media screen{p > .x{display:none}}</style><b class=X>C6</b>",
    "<style>#q{visibility:hidden}</style><b id=q>C6</b>",
    "<style>u{font-size:0}</style><u>C6</u>",
    "<style>[data-x]{display:none}</style><u data-x>C6</u>",
    "<u>C6</u><style>u:not(.x){display:none}</style>",
    "<style>u{display:inline!important}</style><u style=display:none>C6</u>",
    "<style>u{display:inline}</style><u hidden>C6</u>",
    "<u hidden style=display:inline>C6</u>",
    '<u style="display:none;display:inline">C6</u>',
    '<div style="visibility:hidden"><u style="visibility:visible">C6</u></div>',
    '<div style="font-size:0"><u style="font-size:16px">C6</u></div>',
    '<b style="font-size:1px">C6</b>',
    '<b style="font-size:calc(0px)">C6</b>',
    '<b style="font:0/0 Arial">C6</b>',
    '<b style="color:rgba(0,0,0,0)">C6</b>',
    '<b style="color:#fff0">C6</b>',
    '<b style="opacity:.01">C6</b>',
    '<b style="position:absolute;left:-9999px">C6</b>',
    '<b style="text-indent:-999em">C6</b>',
    '<b style="clip-path:inset(100%)">C6</b>',
    '<b style="transform:scale(0)">C6</b>',
    '<b style="max-height:0">C6</b>',
    '<b style="width:0">C6</b>',
    "<bdo dir=rtl>6C</bdo>",
    '<b style="unicode-bidi:bidi-override;direction:rtl">6C</b>',
    "<button>C6</button>",
    "<details>C6</details>",
    "<svg><text>C6</text></svg>",
    "<xmp>C6</xmp>",
    "<![if !mso]>C6<![endif]>",
    "<!--[if !mso]><!-->C6<!--<![endif]-->",
    # Broken markup, which no two programs mend alike.
    "<div><s>C6</div>",
    "<b><s>C6</b></s>",
    "<div><span hidden>x</div>C6",
    "<p hidden>x<div>C6</div></p>",
    "<p><span hidden>x<p>C6</p></span>",
    "<table><tr><td><span hidden>x<td>C6</table></span>",
    "<table hidden>C6<tr><td>x</table>",
    "<table hidden><div>C6</div></table>",
    "<div hidden><table><tr><td></div>x</td></tr></table></div>",
    "<ul><li hidden>x<li>C6</ul>",
    "<h1 hidden>x<h2>C6</h2></h1>",
    "<a hidden>x<a>C6</a></a>",
    "<select>x<input>C6</select>",
    "<span hidden/>C6</span>",
    "<script><!--<script>x</script>C6",
    "<td hidden>C6</td>",
    "<table>C6<tr><td>x</table>",
    "<h1 style=display:none>x</h2>C6</h1>",
    "<form><form hidden>C6</form></form>",
    "<table><form hidden>C6</table></form>",
    "<b><p hidden>x</b>C6</p>",
    "<option><li>x</option>C6</li>",
    "<body hidden>",
]
"""What is struck out, or seen in one program and not in another."""


@pytest.fixture
@made_once
def letter(office: ClubByMail) -> Letter:
    office.join("alice", "bob")
    office.mail(ALICE, "star challenge alice secret-alice bob -size=6")
    return next(found for found in office.collect() if found.to == ALICE)


def answer(office: ClubByMail, letter: Letter, page: str) -> tuple[str, list[str]]:
    """Answer a letter by HTML alone; return what came of it, and the moves of the board."""
    head = f"From: {ALICE}\nTo: {letter.reply_to}\nSubject: Re: {letter.subject}\n"
    data = f"{head}Content-Type: text/html; charset=utf-8\n\n{page}\n".encode()
    outcome = office.receive(data, Envelope(letter.reply_to, ALICE))
    with office.desk.store.reading() as records:
        match = records.matches.find("star", 101)
    return outcome, [] if match is None else [turn.text for turn in match.turns]


@pytest.mark.parametrize("hidden", HIDDEN)
def test_what_is_not_seen_is_not_read(hidden: str) -> None:
    assert text_from_html(f"<div>{hidden} D6</div>") == "D6"


def test_of_two_attributes_of_one_name_the_first_counts() -> None:
    assert "C6" == text_from_html('<b style="color:red" style="display:none">C6</b>')
    assert "C6" == text_from_html('<b style="" STYLE="display:none">C6</b>')


@pytest.mark.parametrize("doubtful", DOUBTFUL)
def test_behind_what_is_struck_out_or_in_doubt_stands_a_mark(doubtful: str) -> None:
    text = text_from_html(f"<body>{doubtful} D6</body>") or ""

    assert IN_DOUBT in text.partition("D6")[0]


@pytest.mark.parametrize("code", ["0", "d800", "10ffff", "110000", "220000", "ffffff"])
def test_a_number_that_is_no_letter_spoils_no_mail(code: str) -> None:
    shown, hidden = (f'<b style="color:\\{code} red;display:{how}">C6</b>' for how in ("b", "none"))

    assert text_from_html(f"{shown} D6") == "C6 D6"
    assert text_from_html(f"{hidden} D6") == "D6"
    assert text_from_html(f"<style>i{{color:\\{code} red}}</style><i>D6</i>") == "D6"


def test_a_part_of_a_table_that_is_none_ends_nothing() -> None:
    assert text_from_html("D6<td><dd hidden></td>C6</dd>") == "D6"


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("hidden", [HIDDEN[0], HIDDEN[7], "<!--[if mso]>C6<![endif]-->"])
def test_a_move_beside_hidden_words_is_played(
    office: ClubByMail, letter: Letter, hidden: str
) -> None:
    assert answer(office, letter, f"<div>{hidden}D6</div>") == ("done", ["D6"])


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize(
    "page",
    [
        "<s>C6</s> D6",
        "<p>D6 <s>C6</s></p>",
        "<s>C6</s><br>D6",
        "<del>resign</del>",
        "<p>Hi Bob,</p><s>C6</s><p>D6</p>",
        "<p>Hi Bob,</p><p>D<s>5</s>6</p>",
    ],
)
def test_a_move_behind_struck_out_words_is_asked_back(
    office: ClubByMail, letter: Letter, page: str
) -> None:
    assert answer(office, letter, page) == ("struck-out", [])

    (told,) = office.collect()
    assert "struck out" in told.text
    assert "such as F1." in told.text


def test_struck_out_words_below_a_move_are_not_told(office: ClubByMail, letter: Letter) -> None:
    assert answer(office, letter, "D6<p>I am <s>lost</s> well.</p>") == ("done", ["D6"])

    told = next(found.text for found in office.collect() if found.to != ALICE)
    assert "| I am  well." in told


def test_struck_out_lines_are_no_commands(office: ClubByMail, letter: Letter) -> None:
    del letter
    head = f"From: {ALICE}\nTo: {US}\nSubject: multiple\nContent-Type: text/html\n\n"
    page = "<p>star move 101 alice secret-alice <s>C6</s></p><p>star show 101</p>"

    assert office.receive(f"{head}{page}".encode(), Envelope(US, ALICE)) == "struck-out"


QUOTATION = "<blockquote>&gt; It is your turn.<br>C6</blockquote>"
ANSWERS = [
    f'<div class="moz-cite-prefix">D6<br><br>Am 3.11.25 um 10:15 schrieb x:<br></div>{QUOTATION}',
    f'<div class="moz-cite-prefix">D6</div><div class="moz-cite-prefix">3.11 x:</div>{QUOTATION}',
    f'<div class="moz-cite-prefix">3.11 x:</div>{QUOTATION}<p>D6</p>',
    f'<div class="moz-cite-prefix"><p>D6</p>3.11 x:</div>{QUOTATION}',
    f'<div class="gmail_quote"><div class="gmail_attr">3.11 x:<br></div>{QUOTATION}</div>D6',
    f'<div class="gmail_quote_attribution">D6<br>3.11 x:</div>{QUOTATION}',
    f'<p id="reply-intro">3.11 x:</p>{QUOTATION}<p>D6</p>',
    '<div class="yahoo_quoted"><div style="color:#26282a">3.11 x:</div><p>C6</p></div><p>D6</p>',
    f'<div class="protonmail_quote">3.11 x:<br>{QUOTATION}</div><div>D6</div>',
    f'<div class="tutanota_quote">3.11 x:{QUOTATION}</div>D6',
    '<div name="quote"><div><b>Od:</b> x<br></div>C6</div>D6',
    '<p>D6</p><div style="border:none;border-top:solid #E1E1E1 1.0pt"><p><b>Od:</b> x</p>C6</div>',
    '<div id="appendonsend">D6</div><hr><div id="divRplyFwdMsg"><b>Od:</b> x</div><div>C6</div>',
    '<div>D6</div><div id="mail-editor-reference-message-container"><b>Od:</b> x<p>C6</p></div>',
    f'<div dir="ltr">D6</div><br><blockquote type="cite">3.11 x:{QUOTATION}</blockquote>',
]


@pytest.mark.parametrize("page", ANSWERS)
def test_an_answer_is_found_wherever_programs_put_it(page: str) -> None:
    assert own_text(text_from_html(f"<html><body>{page}</body></html>") or "", 100) == "D6"


def test_an_answer_in_what_should_say_who_wrote_is_played(
    office: ClubByMail, letter: Letter
) -> None:
    assert answer(office, letter, ANSWERS[0]) == ("done", ["D6"])
