"""Wrong inputs are answered as the text beside this file says, and following a hint helps."""

import re
import shlex

import pytest

from pbmserv.cli.options import take_options
from pbmserv.cli.shell_commands import SHELL, shell_families
from pbmserv.commands.command_table import root
from pbmserv.commands.grammar import parse
from pbmserv.errors import PbmservError

from .wrong_inputs import answers

FEWEST = 400
SUGGESTED = re.compile(r"(?:Did you mean|:) ((?:pbmserv|star|hex) )")
LED_ASTRAY = {"no-such-command", "no-such-option", "no-such-page", "surplus-word", "bad-userid"}
"""What a suggested command must not be refused for; that words are missing is told by itself."""


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, str, int, str]]:
    return list(answers(tmp_path_factory.mktemp("club")))


def test_every_wrong_input_is_answered_as_the_text_says(
    given: list[tuple[str, str, int, str]],
) -> None:
    assert len(given) > FEWEST
    for line, expected, code, printed in given:
        assert (line, expected) == (line, printed)
        assert code, line
        assert "defect" not in printed


def test_following_a_hint_helps(given: list[tuple[str, str, int, str]]) -> None:
    followed = {
        s: code for *_, printed in given for s in suggestions(printed) for code in [refusal(s)]
    }

    assert len(followed) > FEWEST // 20
    assert {} == {line: code for line, code in followed.items() if code in LED_ASTRAY}


def suggestions(printed: str) -> list[str]:
    """Return the commands that an answer leads to."""
    message, _, hint = printed.partition("Syntax:")[0].partition("\n")
    said = " ".join([*message.partition("Did you mean")[1:], *hint.split()])
    found = [said[match.start(1) :] for match in SUGGESTED.finditer(said)]
    return [re.split(r"\?|\.(?: |$)| \.\.\.|; ", line)[0] for line in found]


def refusal(line: str) -> str:
    """Return the code of the error that the words alone meet, nothing if they are understood."""
    words = shlex.split(line.replace("USERID", "alice").replace("BOARD", "101"))
    options = take_options([word for word in words if word != "pbmserv"], lambda _: ())
    if options.help or options.version:
        return ""
    try:
        parse(root(SHELL, shell_families()), options.words)
    except PbmservError as error:
        return error.code
    return ""
