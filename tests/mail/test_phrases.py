import re
from pathlib import Path

import pytest

import pbmserv
from pbmserv.phrases import alternatives, words

PACKAGE = Path(pbmserv.__file__).parent
LINES = (PACKAGE / "phrases.txt").read_text(encoding="utf-8").splitlines()
NAMES = [line[1:-1] for line in LINES if re.fullmatch(r"\[[a-z ]+\]", line)]
ASKED = re.compile(r"(?:alternatives|words)\(['\"]([a-z ]+)['\"]\)")


def test_every_list_is_asked_for_once_by_the_program() -> None:
    texts = [file.read_text(encoding="utf-8") for file in PACKAGE.rglob("*.py")]
    asked = [n for text in texts if "from pbmserv.phrases" in text for n in ASKED.findall(text)]

    assert len(NAMES) > 20
    assert sorted(NAMES) == sorted(asked)


def test_the_lines_are_short_and_have_nothing_at_their_ends() -> None:
    assert [] == [line for line in LINES if len(line) > 100 or line != line.strip()]


@pytest.mark.parametrize("name", NAMES)
def test_a_list_matches_something_and_never_nothing(name: str) -> None:
    """One that is empty, as behind a ``|`` at the end of a line, would match any mail."""
    assert re.fullmatch(alternatives(name), "") is None


def test_a_list_goes_on_from_line_to_line() -> None:
    pattern = re.compile(alternatives("message"))
    first, *_, last = LINES[LINES.index("[message]") + 1 : LINES.index("[forwarded]") - 1]

    for word in ("message", "μήνυμα", last.partition("|")[0], first.rpartition("|")[2]):
        assert pattern.fullmatch(word)
    assert pattern.fullmatch("forwarded by") is None
    assert {"a", "затримку"} < words("courtesy")
    assert "hiya" not in words("courtesy")
