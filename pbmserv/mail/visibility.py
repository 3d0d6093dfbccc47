"""Visibility of the elements of an HTML mail, by name, attributes and style.

A mail is read by many programs, and no two agree on all of CSS. So there are three answers: seen,
surely hidden, and in doubt. What is struck out, or looks otherwise in another program, is in doubt.
Colours are not compared, for dark modes turn them round: white text is read as it stands.
"""

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise

Attributes = Mapping[str, str]
"""The attributes of a tag by name in lower case."""


class Visibility(IntEnum):
    """Whether a reader sees a text; of two that hold for it, the greater one."""

    SEEN = 0
    HIDDEN = 1
    DOUBTFUL = 2
    QUOTED = 3


def name_set(words: str) -> frozenset[str]:
    """Return the names that ``words`` has."""
    return frozenset(words.split())


HIDDEN_ELEMENTS = name_set(
    "applet audio canvas datalist frameset iframe noembed noframes noscript object optgroup "
    "option rp script select style template textarea title video"
)
DOUBTFUL_ELEMENTS = name_set(
    "bdo button del details dialog listing marquee math plaintext s strike svg xmp"
)

UNIT = r"(?:%|[a-z]{1,4})?"
ZERO = rf"[+-]?(?:0+(?:\.0*)?|\.0+){UNIT}"
HIDING = {
    "display": re.compile("none"),
    "visibility": re.compile("hidden|collapse"),
    "content-visibility": re.compile("hidden"),
    "mso-hide": re.compile("all"),
    "font-size": re.compile(ZERO),
    "opacity": re.compile(ZERO),
    "color": re.compile("transparent"),
}
"""Declarations that hide an element in every program."""

SIZES = frozenset({"height", "max-height", "width", "max-width", "line-height"})
FAR_AWAY = re.compile(r".*-\d{3,}.*")
ANY = re.compile(r"(?!none$|normal$|initial$|auto$|1$|100%$).+")
DOUBTS = {
    "text-decoration": re.compile(r".*line-through.*"),
    "text-decoration-line": re.compile(r".*line-through.*"),
    "text-line-through": ANY,
    "font": re.compile(rf"(?:.*\s)?{ZERO}(?:[\s/].*)?"),
    "font-size": re.compile(r"0*[0-3](?:\.\d+)?(?:px|pt)|0*\.[0-3]\d*(?:r?em)|\d(?:\.\d+)?%"),
    "opacity": re.compile(r"0*\.[0-2]\d*|\d(?:\.\d+)?%|[12]\d(?:\.\d+)?%"),
    "color": re.compile(r"#[0-9a-f]{3}0|#[0-9a-f]{6}00|(?:rgb|hsl)a?\(.*[,/]\s*(?:0*\.)?0+%?\s*\)"),
    "position": re.compile("absolute|fixed"),
    "unicode-bidi": re.compile(".*override.*"),
    **dict.fromkeys(("margin", "text-indent", "letter-spacing", "word-spacing"), FAR_AWAY),
    **{f"margin-{edge}": FAR_AWAY for edge in ("left", "right", "top", "bottom")},
    **dict.fromkeys(
        (
            *("clip", "clip-path", "content", "filter", "mask", "mask-image", "rotate", "scale"),
            *("transform", "translate", "zoom", "-webkit-text-fill-color"),
        ),
        ANY,
    ),
}
"""Declarations that hide, strike out or turn round, in some programs or in most."""

WORKED_OUT = re.compile(r"\b(?:attr|calc|clamp|env|max|min|var)\(")
WATCHED = frozenset({*HIDING, *DOUBTS, *SIZES})
ATTRIBUTES = frozenset({"class", "hidden", "id", "popover", "style"})
"""The attributes that matter."""

COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
ESCAPE = re.compile(r"\\(?:([0-9a-f]{1,6})\s?|(.))", re.IGNORECASE)
PART = re.compile(r"([.#]?)((?:[\w-]|[^\x00-\x7f])+)")
COMBINATOR = re.compile(r"[\s>+~]")
MAX_CODE = 0x10FFFF


@dataclass
class StyleSheets:
    """The effect that the style sheets of a mail may have, whatever their conditions.

    ``names`` are the tags, ``.classes`` and ``#ids`` of rules that hide something; ``"*"`` is any
    element. With ``shows`` a rule may show what an attribute hides.
    """

    names: frozenset[str] = frozenset()
    shows: bool = False


def sheets_in(source: str) -> StyleSheets:
    """Return what the style sheets in an HTML text do."""
    names: set[str] = set()
    shows = False
    lower = source.lower()
    here = 0
    while (begin := lower.find("<style", here)) >= 0:
        here = lower.find("</style", begin)
        here = here if here >= 0 else len(lower)
        for rule in _plain_css(source[begin:here]).split("}"):
            before, _, declarations = rule.rpartition("{")
            found = _declarations(declarations)
            shows = shows or any(
                name in WATCHED and (important or name == "display") for name, _, important in found
            )
            if _sight_of(found) is not Visibility.SEEN:
                names.update(_named(before.rpartition("{")[2]))
    return StyleSheets(frozenset(names), shows)


def sight(name: str, attributes: Attributes, sheets: StyleSheets) -> Visibility:
    """Return what a reader sees of the element that a start tag begins."""
    found = [Visibility.HIDDEN if name in HIDDEN_ELEMENTS else Visibility.SEEN]
    if name in DOUBTFUL_ELEMENTS or "popover" in attributes:
        found.append(Visibility.DOUBTFUL)
    if not sheets.names and ATTRIBUTES.isdisjoint(attributes):
        return max(found)
    style = _declarations(_plain_css(attributes.get("style", "")))
    found.append(_sight_of(style))
    if "hidden" in attributes:
        shown = any(which == "display" for which, *_ in style)
        found.append(Visibility.DOUBTFUL if shown else Visibility.HIDDEN)
    own = {name, "*", f"#{attributes.get('id', '').lower()}"}
    own.update(f".{each.lower()}" for each in attributes.get("class", "").split())
    if not own.isdisjoint(sheets.names):
        found.append(Visibility.DOUBTFUL)
    most = max(found)
    hides_by_attribute = most is Visibility.HIDDEN and name not in HIDDEN_ELEMENTS
    return Visibility.DOUBTFUL if hides_by_attribute and sheets.shows else most


def resets(attributes: Attributes) -> bool:
    """Tell whether an element may be seen though what is around it is not."""
    style = attributes.get("style", "").lower()
    return any(word in style for word in ("visibility", "font", "color", "\\", "&"))


def _plain_css(text: str) -> str:
    return ESCAPE.sub(_unescaped, COMMENT.sub("", html.unescape(text))).lower()


def _unescaped(found: re.Match[str]) -> str:
    if found[1] is None:
        return found[2]
    code = int(found[1], 16)
    return chr(code) if code <= MAX_CODE else ""


Declaration = tuple[str, str, bool]
"""A property, its value, and whether it is important."""


def _declarations(text: str) -> list[Declaration]:
    found = []
    for declaration in text.split(";"):
        name, _, value = declaration.partition(":")
        before, mark, last = value.rpartition("!")
        important = bool(mark) and last.strip() == "important"
        found.append((name.strip(), (before if important else value).strip(), important))
    return found


def _sight_of(declarations: Sequence[Declaration]) -> Visibility:
    """Return what declarations do to a text; one that is said twice is in doubt."""
    said = sorted(declarations)
    twice = {one[0] for one, other in pairwise(said) if one[0] == other[0] and one[1] != other[1]}
    values = {name: value for name, value, _ in declarations}
    is_cut = any(values.get(name, "") in {"hidden", "clip"} for name in ("overflow", "overflow-y"))
    most = Visibility.SEEN
    for name, value, _ in declarations:
        here = _sight_by(name, value, is_cut=is_cut)
        if here is not Visibility.SEEN:
            most = max(most, Visibility.DOUBTFUL if name in twice else here)
    return most


def _sight_by(name: str, value: str, *, is_cut: bool) -> Visibility:
    """Return what one declaration does; ``is_cut`` if what has no room is not shown."""
    if name not in WATCHED:
        return Visibility.SEEN
    if name in HIDING and HIDING[name].fullmatch(value):
        return Visibility.HIDDEN
    if name in SIZES and re.fullmatch(ZERO, value):
        return Visibility.HIDDEN if is_cut else Visibility.DOUBTFUL
    is_doubtful = WORKED_OUT.search(value) or (name in DOUBTS and DOUBTS[name].fullmatch(value))
    return Visibility.DOUBTFUL if is_doubtful else Visibility.SEEN


def _named(selectors: str) -> set[str]:
    """Return what the last part of each selector names: at least one name that it must have."""
    found = set()
    for selector in selectors.split(","):
        compound = COMBINATOR.split(selector.strip())[-1]
        names = sorted(mark + name for mark, name in PART.findall(compound))
        found.add(names[0] if names and not set("[:*()") & set(compound) else "*")
    return found
