import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbmserv.errors import Misunderstood
from pbmserv.mail.cleaning import NEVER_MEANT, clean_line, clean_prose, cut_prefixes

COMMAND = "star move 101 alice secret-word F6"

SUBJECTS = [
    COMMAND,
    f"Re: {COMMAND}",
    f"re:{COMMAND}",
    f"RE[2]: {COMMAND}",
    f"Re^3: {COMMAND}",
    f"Re (4): {COMMAND}",
    f"Re : {COMMAND}",
    f"AW: {COMMAND}",
    f"SV: Antw: {COMMAND}",
    f"Fwd: FW: WG: {COMMAND}",
    f"R: I: {COMMAND}",
    f"[star] Re: [EXTERNAL] {COMMAND}",
    f"Re: [a][b]AW:[c] {COMMAND}",
    f"回复：{COMMAND}",  # noqa: RUF001 - the mark as it is written there
    f"Reminder: {COMMAND}",
    f"Re: Reminder: {COMMAND}",
    f"New {COMMAND}",
    f"Re: new {COMMAND}",
    f"  \t{COMMAND}\n ",
    COMMAND.replace(" ", "\u00a0"),
    COMMAND.replace(" ", " \r\n\t"),
    COMMAND.replace("-", "\u2013"),
    COMMAND.replace("-", "\u2011"),
    COMMAND.replace("a", "\u200ba\u00ad"),
    COMMAND.replace("F6", "\u202eF6\u202c"),
    COMMAND.replace("F6", "\uff26\uff16"),
    "\ufeff" + COMMAND + "\0\x1b\x7f",
]


@pytest.mark.parametrize("text", SUBJECTS)
def test_a_command_is_found_in_what_mail_programs_make_of_it(text: str) -> None:
    assert cut_prefixes(clean_line(text)) == COMMAND


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\u201cthe word\u201d \u2018x\u2019 \u00abf\u00bb", '"the word" \'x\' "f"'),
        ("pass \u2014", "pass -"),
        ("\u2212maxi \u2014size=7", "-maxi -size=7"),
        ("New", "New"),
        ("Newton", "Newton"),
        ("new account", "new account"),
        ("newest of all games", "newest of all games"),
        ("Re: new account", "new account"),
        ("Re: [star] new account", "new account"),
        ("reminders: a b c", "reminders: a b c"),
        ("Fwd: re move", "re move"),
        ("Re", "Re"),
        ("Re: ", ""),
        ("[tag]", ""),
        ("[open", "[open"),
        ("resign", "resign"),
        ("y: x", "y: x"),
        ("reset alice", "reset alice"),
        ("score new --x=Re:1", "score new --x=Re:1"),
        ("\u2217star", "*star"),
        ("", ""),
    ],
)
def test_a_subject_is_cleaned_and_no_more(text: str, expected: str) -> None:
    assert cut_prefixes(clean_line(text)) == expected


def test_a_subject_of_more_than_500_characters_is_refused_and_not_cut() -> None:
    longest = "x" * 500

    assert clean_line(f"  {longest}  ") == longest
    with pytest.raises(Misunderstood) as refusal:
        clean_line(longest + "x")
    assert refusal.value.code == "line-too-long"


def test_every_control_and_format_character_is_dropped() -> None:
    unwanted = {
        chr(n) for n in range(sys.maxunicode + 1) if unicodedata.category(chr(n)) in {"Cc", "Cf"}
    }
    kept = {char for char in unwanted if not char.isspace() and not NEVER_MEANT.match(char)}

    assert kept == set()


@given(st.text(max_size=100))
def test_a_clean_line_stays_as_it_is(text: str) -> None:
    try:
        line = clean_line(text)
    except Misunderstood:
        return

    assert line == clean_line(line)
    assert len(line) <= 500
    assert line.isprintable() or any(unicodedata.category(char) in {"Co", "Cn"} for char in line)


def test_prose_keeps_its_lines_and_joined_pictures() -> None:
    family = "\U0001f468\u200d\U0001f469"

    assert clean_prose(f"a\u202e\0b\n\t{family}\u00a0\ufeff\n") == f"ab\n\t{family}\u00a0\n"
