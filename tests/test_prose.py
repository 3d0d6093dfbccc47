"""What people read is written as people speak: no sentence too long, no word that puzzles.

Read are the pages of the manual, README, the newest part of the changelog, the club's web pages,
and in the program every text that is a sentence, with the help of each command.
"""

import ast
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]

MAX_WORDS = 30
"""Words of a sentence; in commands, paths and code each counts for none or for one."""

LONG = "long"
BANNED = {
    "whoever": (r"who(?:so)?ever|whomever", "anyone who, or: if you"),
    "whom": (r"whom", "who, or turn the sentence"),
    "anew": (r"anew", "again"),
    "for good": (r"for good", "permanently"),
    "leaves": (
        r"(?:letters?|mails?|nothing) (?:that )?(?:leaves?|left)|leaves? (?:later|by mail)",
        "is sent",
    ),
    "stands": (r"stands?(?! for| still)|stood", "is, appears, is listed"),
    "tells": (r"tells|is told|are told", "shows, says, reports; is shown"),
    "so many": (r"so (?:many|much|long|often|large)(?! (?:that|as))", "that many, as many as"),
    "but for": (r"but for", "except"),
    "take back": (r"take[ -]?backs?|takes? (?:back|\w+ back)|taken back", "undo, undone"),
    "proven": (
        r"proven address(?:es)?|address(?:es)? (?:is|are|that is) (?:not )?proven",
        "verified",
    ),
    "remark": (r"(?<!admin )(?<!\")remarks?", "comment, chat, message"),
    "defect": (r"defects?", "internal error"),
    "proposal": (r"proposals?", "offer"),
    "seat": (r"seats?", "side"),
    "the pages": (r"the club's pages|on its pages", "the club's web site"),
    "behind": (r"behind (?:it|them|its|each|the|a) (?:name|word|line|command|option)s?", "after"),
    "begun": (r"(?:is|are|was) begun|begins? (?:it|them|itself) a(?:new|gain)", "starts, restarts"),
    "where none": (r"where (?:there )?(?:is|are) (?:none|no\b)", "without, if there is no"),
    "what counts": (r"what (?:is|was|are) (?:meant|asked|said|written)", "name the thing"),
    "beside": (r"besides", "also, in addition"),
    "contest": (r"contests?", "board, game"),
}
"""For each rule what it finds, in whole words, and what is better."""

RULES = {
    name: re.compile(rf"(?<![\w-])(?:{form})(?![\w-])", re.IGNORECASE)
    for name, (form, _) in BANNED.items()
}
ANY_RULE = re.compile("|".join(form for form, _ in BANNED.values()), re.IGNORECASE)

MADE = {"commands", "mailgames", "operators", "schema"}
"""Pages that are made of other texts, which are read themselves."""

NOT_FOR_PEOPLE = {"pbmserv/store/tables.py"}
"""Modules whose texts are for the database alone."""

SIGN = re.compile(r"[.,:;?!]|^(?:\S+ ){0,11}\S+$")
"""What a text for people has; words alone are a list if there are many."""

PLACE = "X"
"""What a text has instead of what is filled in, or of code."""


class Text(NamedTuple):
    """Some words of people, and the line of each place in them."""

    file: str
    words: str
    starts: tuple[int, ...]
    lines: tuple[int, ...]

    def line_at(self, place: int) -> int:
        return self.lines[bisect_right(self.starts, place) - 1]


class Finding(NamedTuple):
    """What breaks a rule, and where."""

    file: str
    line: int
    rule: str
    words: str

    @property
    def told(self) -> str:
        better = BANNED[self.rule][1] if self.rule in BANNED else f"at most {MAX_WORDS} words"
        return f"{self.file}:{self.line}: {self.rule}: {self.words} -> {better}"


def text_of(file: str, lines: Iterable[tuple[int, str]]) -> Text:
    """Return lines as one text."""
    words, starts, numbers = "", [], []
    for number, line in lines:
        starts.append(len(words))
        numbers.append(number)
        words += f"{line.strip()} "
    return Text(file, words, tuple(starts), tuple(numbers))


def paragraphs(file: str, lines: Iterable[tuple[int, str]]) -> Iterator[Text]:
    """Yield paragraphs: lines without a gap between them, or one that ends a sentence's column."""
    found: list[tuple[int, str]] = []
    for number, line in lines:
        if line.strip():
            found.append((number, line))
        elif found:
            yield text_of(file, found)
            found = []
    if found:
        yield text_of(file, found)


def help_texts(path: Path) -> Iterator[Text]:
    """Yield the paragraphs of a page of the manual, and what its lists say behind each name."""
    file = str(path.relative_to(ROOT))
    column, found = 0, list[tuple[int, str]]()
    for number, line in enumerate([*path.read_text(encoding="utf-8").splitlines(), ""], start=1):
        gap = re.match(r" +(?:\S+(?: \S+)*? {2,})?(?=\S)", line)
        at = gap.end() if gap else 0
        is_next = at == column and line.strip() and not line.startswith("#")
        if found and not (is_next and (not gap or not gap[0].strip())):
            yield text_of(file, found)
            found = []
        column = at
        is_code = line.startswith("    ") and not (gap and (gap[0].strip() or at > 8))
        if line.strip() and not is_code and not line.startswith("#"):
            found.append((number, line[at:]))


def markdown_texts(path: Path, text: str, first: int = 1) -> Iterator[Text]:
    """Yield paragraphs and items of a list, without code and addresses."""
    file, found, is_code = str(path.relative_to(ROOT)), list[tuple[int, str]](), False
    for number, line in enumerate([*text.split("\n"), ""], start=first):
        if line.startswith("```"):
            is_code = not is_code
        elif is_code or line.startswith(("|", "#", "<", "    ", "![")):
            continue
        if found and (not line.strip() or line.startswith(("- ", "```"))):
            yield text_of(file, found)
            found = []
        if line.strip() and not line.startswith("```"):
            plain = re.sub(r"`[^`]*`", PLACE, line)
            found.append((number, re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", plain)))


def newest_part(path: Path) -> tuple[str, int]:
    """Return the newest part of the changelog, and the line in which it begins."""
    lines = path.read_text(encoding="utf-8").split("\n")
    heads = [n for n, line in enumerate(lines) if line.startswith("## ")]
    end = heads[1] if len(heads) > 1 else len(lines)
    return "\n".join(lines[heads[0] + 1 : end]), heads[0] + 2


def template_texts(path: Path) -> Iterator[Text]:
    """Yield what stands between the tags of a template."""
    source = re.sub(r"\{#.*?#\}", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    source = re.sub(r"\{\{.*?\}\}", PLACE, source, flags=re.DOTALL)
    source = re.sub(r"\{%.*?%\}", "\0", source, flags=re.DOTALL)
    block = r"</?(?:p|li|h\d|td|th|small|span|div|dt|dd|title|summary|ul|a|button|label)\b"
    for number, line in enumerate(source.split("\n"), start=1):
        for part in re.split(rf"\0|{block}[^>]*>", line):
            words = re.sub(r"<[^>]*>", " ", part)
            if " " in words.strip():
                yield text_of(str(path.relative_to(ROOT)), [(number, words)])


def python_texts(path: Path) -> Iterator[Text]:
    """Yield the texts of a module that are sentences or parts of them, and the help of commands."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    file = str(path.relative_to(ROOT))
    passed = {id(node) for each in ast.walk(tree) for node in _not_read(each)}
    for node in ast.walk(tree):
        if id(node) in passed:
            continue
        if isinstance(node, ast.JoinedStr):
            passed |= {id(part) for part in node.values}
            words = "".join(map(_filled_in, node.values))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            words = node.value
        else:
            continue
        if _is_sentence(words):
            yield from paragraphs(file, ((node.lineno, line) for line in words.split("\n")))


def _not_read(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the docstring below a node, unless players or operators read it as help."""
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    if not isinstance(node, kinds):
        return
    decorators = getattr(node, "decorator_list", ())
    is_command = any("command" in ast.unparse(each) for each in decorators)
    for each in node.body:
        if isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant) and not is_command:
            yield each.value


def _filled_in(part: ast.expr) -> str:
    return part.value if isinstance(part, ast.Constant) else PLACE  # type: ignore[return-value]


def _is_sentence(words: str) -> bool:
    """Tell whether a text is of words for people, and not a pattern, a statement or a tag."""
    is_code = re.search(r"[<>\\^${}|]|::|^\s*[A-Z]{4,} |[a-z]\(|\w=\w+ \w+=", words)
    return not is_code and 3 <= len(re.findall(r"\b[a-z]+\b", words)) and bool(SIGN.search(words))


def texts() -> Iterator[Text]:
    """Yield each text that is read."""
    for page in sorted((ROOT / "help").glob("*.txt")):
        if page.stem not in MADE:
            yield from help_texts(page)
    readme, log = ROOT / "README.md", ROOT / "CHANGELOG.md"
    yield from markdown_texts(readme, readme.read_text(encoding="utf-8"))
    yield from markdown_texts(log, *newest_part(log))
    for template in sorted((ROOT / "pbmserv").rglob("templates/*.html")):
        yield from template_texts(template)
    for module in sorted((ROOT / "pbmserv").rglob("*.py")):
        if str(module.relative_to(ROOT)) not in NOT_FOR_PEOPLE:
            yield from python_texts(module)


@cache
def all_texts() -> tuple[Text, ...]:
    return tuple(texts())


def findings(text: Text) -> Iterator[Finding]:
    """Yield what breaks a rule in a text."""
    for rule, form in RULES.items() if ANY_RULE.search(text.words) else ():
        for found in form.finditer(text.words):
            yield Finding(text.file, text.line_at(found.start()), rule, found[0])
    for sentence in re.finditer(r"\S.*?(?:[.?!·](?=[\s\"')]|$)|$)", text.words):
        words = re.findall(r"[^\W\d_][\w'-]*", sentence[0])
        if len(words) > MAX_WORDS:
            told = f"{len(words)} words: {' '.join(sentence[0].split()[:6])} ..."
            yield Finding(text.file, text.line_at(sentence.start()), LONG, told)


def test_what_people_read_keeps_the_rules_of_prose() -> None:
    told = [each.told for text in all_texts() for each in findings(text)]

    assert [] == told, "\n".join(["", *told])


PUT_RIGHT = [
    ("Whoever may swap should do so.", "whoever"),
    ("The board is begun anew.", "anew"),
    ("It is removed for good.", "for good"),
    ("No letter leaves this machine.", "leaves"),
    ("What stands on the board.", "stands"),
    ("The page tells you.", "tells"),
    ("Take it back by undo; takes a move back.", "take back"),
    (f"{'word ' * 31}.", LONG),
]


@pytest.mark.parametrize(("words", "rule"), PUT_RIGHT)
def test_each_rule_finds_what_breaks_it(words: str, rule: str) -> None:
    assert rule in {each.rule for each in findings(text_of("a", [(7, words)]))}


def test_a_finding_names_its_line_and_what_is_better() -> None:
    (found,) = findings(text_of("help/x.txt", [(7, "Nobody is"), (8, "removed for good.")]))

    assert found.told == "help/x.txt:8: for good: for good -> permanently"
    assert [] == list(findings(text_of("a", [(1, f"{'word ' * 30}. {'word ' * 30}.")])))


def test_texts_of_all_kinds_are_read() -> None:
    read = {text.file for text in all_texts()}

    assert {"help/play.txt", "README.md", "CHANGELOG.md", "pbmserv/club/events.py"} <= read
    assert {"pbmserv/site/templates/board.html", "pbmserv/commands/moves.py"} <= read
