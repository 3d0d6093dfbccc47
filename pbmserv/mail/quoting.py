"""The sender's own words: a mail without quotations, attributions and signature."""

# ruff: noqa: RUF001 - signs of many scripts

import re
from collections.abc import Sequence
from itertools import pairwise, takewhile

from pbmserv.club.written_text import TOKEN
from pbmserv.desk.polite_moves import read_move
from pbmserv.mail.cleaning import NEVER_MEANT, STRAIGHT
from pbmserv.phrases import alternatives, words

# Lines are read from the top. Taken off are
# * what signs a text by PGP, and the warning of a company's server above it ("[EXTERNAL]");
# * lines that begin with ">" (RFC 3676, section 4.5), wherever they are;
# * an attribution of one to three lines, known by date, time, address and a word for "wrote", not
#   by the mail program: "On Mon, 3 Nov 2025 at 14:00, Alice <alice@example.org> wrote:";
# * everything from a quotation without marks on: Outlook's copy of header fields, "-----Original
#   Message-----", or an attribution with no ">" below it;
# * everything from a signature on: "-- " (RFC 3676, section 4.3), "Sent from my iPhone".
# So of these four lines the first and the last stay:
#     F6
#     On Mon, 3 Nov 2025 Alice wrote:
#     > It is your turn.
#     Good luck!
# What is doubtful stays: too long a comment does less harm than a lost move.

MAX_ATTRIBUTION = 400

WORDS = re.compile(r"\w++")
# In "On Monday 3 November Alice wrote:" and the like of the mail programs of the world.
WROTE = words("wrote")
WROTE_WITHOUT_BLANKS = words("wrote without blanks")
MAX_BEHIND_WROTE = 140
# In any language date and time, a name and <alice@example.org>, perhaps a word or two, and a colon:
YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")
TIME = re.compile(r"\d[:.]\d\d")
ADDRESS = re.compile(r"<[^<>\s@]++@[^<>\s@]++>")
ADDRESS_LAST = re.compile(rf"{ADDRESS.pattern}[^:\n]{{0,40}}:\s*$")
# As Yahoo does it on telephones, with the first words of the quotation in the same line:
ADDRESS_WITHIN = re.compile(rf"{ADDRESS.pattern}(?:\s*+\w++){{0,3}}\s*+[:：]\s")
DATE = re.compile(rf"{YEAR.pattern}|{TIME.pattern}")
DATE_OR_ADDRESS = re.compile(rf"@|{DATE.pattern}")
DAY = re.compile(
    r"\b(?:\d{1,4}[-./]\d{1,2}[-./]\d{1,4}|[^\W\d_]{3,10}\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4}"
    r"|\d{1,2}\.? (?:de )?[^\W\d_]{3,10}\.?,? (?:de )?\d{4}|\d{4}年)"
)
# 2011/4/7 Alice Liddell <alice@example.org>
DATED_NAME = re.compile(
    rf"\W*(?:[^\W\d_]{{2,10}}\.?,? )?{DAY.pattern}[\s,\d:.+-]*"
    rf"(?P<name>(?:[\"']?[^\W\d_][^\s<>@]*\s+){{1,7}}){ADDRESS.pattern}[\s:：]*"
)
PARTICLES = {"van", "von", "de", "der", "den", "di", "da", "del", "la", "le", "dos", "via"}
# Where an attribution begins, also behind words of the sender's in its line.
BEGINS = re.compile(
    rf"(?<!\S){alternatives('begins')} (?=[^@<:]{{0,40}}?(?:{DAY.pattern}|{TIME.pattern}))"
)
ORIGINAL = rf"{alternatives('original')}\w*"
MESSAGE = rf"{alternatives('message')}\w*"
ORIGINAL_MESSAGE = rf"{ORIGINAL}[\s-]?{MESSAGE}|{MESSAGE}\s{ORIGINAL}|{alternatives('forwarded')}"
RULED = "--", "__", "==", "**", "——", "––"
RULES = "-_=*‒–—―─━"
MIN_RULE = 5
LONG_DASHES = re.compile(r"\s*[‒–—―─━]{2,}\s*")
FORWARD = re.compile(
    rf"(?i)\s*{alternatives('begin')}\s(?:\w{{1,3}}\s)?(?:{ORIGINAL_MESSAGE})\s?:\s*"
)
# Outlook quotes without any mark, below a copy of the header fields.
FIELD = r"[\s|*]*+%s(?:\s\w{1,4})?\s?[:：]\**\s*\S"
ANY_FIELD = re.compile(FIELD % r"[^\W\d_][\w-]{0,15}")
SENDER_FIELD = re.compile(FIELD % f"(?i:{alternatives('sender')})")
OTHER_FIELD = re.compile(FIELD % f"(?i:{alternatives('other field')})")
# What a company's server writes above a mail, and what it goes on with.
TAG = re.compile(r"\W*\[\W*(?:ext|extern\w*|estern\w*|caution)\b[^\]]{0,30}\]\W*", re.IGNORECASE)
BANNER = re.compile(
    rf"(?=.{{0,300}}{alternatives('outside')})[\W_]*(?:{alternatives('this')}\s(?:\S+\s){{0,4}}?"
    rf"|{alternatives('caution')}\b(?:\W{{0,3}}\w{{1,20}}){{0,3}}\W{{0,2}}[:!*\]-].{{0,200}}?)"
    rf"(?:sender|courriel|correo|{MESSAGE})",
    re.IGNORECASE,
)
CLICK = re.compile(rf"\b{alternatives('never')}\b.{{,60}}{alternatives('click')}", re.IGNORECASE)
MAX_LINES = 12
"""Lines of a banner, or in which three are of one letter."""
CLEAR_SIGNED = re.compile(
    r"(?m)^-----BEGIN PGP SIGNED MESSAGE-----[ \t]*\n(?:[\w-]+: .*\n){0,20}\s*"
)
# Three such lines near each other are a letter of ours (``render/board_letters.py``).
OUR_LINE = re.compile(
    r"(?m)^[^\w\n]*+(?:(?:[^\n.]{1,80}\. )?(?:It is \S{1,40} turn\.|The game is over\.)|Last turn: "
    r"|\S{1,40} (?:must move by |plays \S{1,40}(?:\.| and moves)|writes:$)|Externals: "
    r"|\d+\. [XO] \S|\*?\w{1,20} Board \d{1,9}\b[^\n]{0,60}$|X: \S{1,40} {2,}O: |You are [XO]\b"
    r"|(?:Stones|Score sheet):$|Score(?: if (?:it|the game) ended now)?: X: |Move \d{1,4}: "
    r"|[XO], \d{1,4} stones?: |To move, answer this|You may write a comment bel"
    r"|Instead of a move you can )"
)


def own_text(text: str, limit: int) -> str:
    """Return what is left of ``text`` without quotation, attribution, signature and blank ends.

    Lines marked by ``>`` are cut wherever they stand, and what is written between or below them
    stays. A quotation without marks is cut from its first line to the end, and so is a signature:
    what stands there is not meant for an opponent. What programs put around a text to sign it, or
    above it to warn of it, goes too. Reading stops when more than ``limit`` characters are found.
    """
    if signed := CLEAR_SIGNED.search(text):
        inside, *_ = text[signed.end() :].split("\n-----BEGIN PGP SIGNATURE", 1)
        text = text[: signed.start()] + re.sub("(?m)^- ", "", inside)
    whole = _below_banner(text.split("\n"))
    # Marks for the direction of writing stand around names and colons.
    lines = [line if line.isascii() else NEVER_MEANT.sub("", line) for line in whole]
    kept: list[str] = []
    here = size = 0
    while here < len(lines) and size <= limit:
        line = lines[here]
        if line.startswith(">"):
            here += 1
        elif begins_signature(line) or _begins_unmarked_quotation(lines, here):
            break
        elif length := _attribution(lines, here):
            kept += [said] if (said := _said_before(line)) else []
            here += length
            if not _is_quoted_next(lines, here):
                break
        else:
            kept.append(whole[here].rstrip())
            size += len(line.strip())
            here += 1
    return "\n".join(kept).strip("\n")


def before_our_mail(text: str, own: str) -> str:
    """Return what stands above a mail of ours that was quoted in an unknown way.

    Its first line has a token, or our address as headers and attributions have it, or is the first
    of three lines of a letter.
    """
    address = rf"(?:mailto:)?{re.escape(own)}"
    named = (
        rf"(?im)^[|*\t ]*+[^\s:]{{1,20}}(?: [^\s:]{{1,4}})? ?:[*\t ]*(?:[^@\n]*[<\[])?{address}"
        rf"[>\]*\t ]*$|<{address}>[^:\n]{{0,40}}[:：][\t ]*$"
    )
    found = [match.start() for match in (re.search(TOKEN, text), re.search(named, text)) if match]
    ours = [match.start() for match in OUR_LINE.finditer(text)]
    found += [a for a, c in zip(ours, ours[2:], strict=False) if text.count("\n", a, c) < MAX_LINES]
    lines = re.finditer(rf"(?im)^[^\n]*{address}[^\n]*", text)
    found += [
        line.start() for line in lines if _is_closed(line[0]) or DATED_NAME.fullmatch(line[0])
    ]
    return text[: text.rfind("\n", 0, min(found)) + 1].strip("\n") if found else text


def _attribution(lines: Sequence[str], here: int) -> int:
    """Return over how many lines an attribution runs that begins here; 0 where none does.

    One with a date or an address is believed as it stands, any other only above a quotation. One
    of several lines begins with a date or an address, and a last line with a date is one of its
    own: else words of the sender's would go with it. Words behind one belong to the quotation.
    """
    if _quotes_in_line(lines[here][:MAX_ATTRIBUTION]):
        return 1
    for length in (1, 2, 3):
        last = lines[here + length - 1] if here + length <= len(lines) else ""
        if not last.strip() or len(last) > MAX_ATTRIBUTION:
            return 0
        whole = " ".join(lines[here : here + length]).replace("< ", "<")
        is_closed = _is_closed(whole)
        if not is_closed and not last.rstrip().endswith((":", "：")):
            continue
        if length > 1 and not _runs_on(lines[here].rstrip(), whole.lstrip(), last):
            return 0
        is_sure = DATE_OR_ADDRESS.search(whole) or _is_quoted_next(lines, here + length)
        return length if is_closed or (is_sure and _says_who_wrote(whole)) else 0
    return 0


def _runs_on(first: str, whole: str, last: str) -> bool:
    """Tell whether lines may be one attribution, by their first, all of them, and their last."""
    if DATE_OR_ADDRESS.search(first) and not DATE.search(last):
        return True
    is_begun = BEGINS.match(whole) is not None and not first.endswith((".", "!", "?"))
    return is_begun and BEGINS.search(last) is None


def _quotes_in_line(line: str) -> bool:
    found = ADDRESS_WITHIN.search(line)
    if found is None:
        return False
    head = line[: found.end()]
    return bool(YEAR.search(head) and TIME.search(head)) and _has_word_for_wrote(head)


def _is_closed(text: str) -> bool:
    """Tell whether an attribution is whole without a colon, as between dashes or below a date."""
    is_ruled, text = text.strip().startswith(RULED), text.strip(RULES + " .…")
    if found := DATED_NAME.fullmatch(text):
        names = found["name"].replace('"', "").split()
        # They have capitals, where a script has any.
        return all(name in PARTICLES or name[0] == name[0].upper() for name in names)
    begun = BEGINS.search(text)
    if begun is None and not DAY.search(text):
        return False
    if _has_word_for_wrote(text.split()[-1]):
        return "@" in text or is_ruled
    is_dated = begun is not None and TIME.search(text) is not None
    return is_dated and text.endswith(">") and _has_word_for_wrote(text)


def _said_before(line: str) -> str:
    """Return the sender's words in the line in which an attribution begins."""
    if begins := BEGINS.search(line):
        return line[: begins.start()].rstrip(RULES + " ").strip()
    first = line.split(maxsplit=1)[0]
    return first if read_move(first) else ""


def _says_who_wrote(text: str) -> bool:
    text = text.replace("：", ":")
    if _has_word_for_wrote(text):
        return True
    return all(pattern.search(text) for pattern in (YEAR, TIME, ADDRESS_LAST))


def _has_word_for_wrote(text: str) -> bool:
    tail = text[-MAX_BEHIND_WROTE:].lower()
    return not WROTE.isdisjoint(WORDS.findall(tail)) or any(w in tail for w in WROTE_WITHOUT_BLANKS)


def _is_quoted_next(lines: Sequence[str], here: int) -> bool:
    following = next((line for line in lines[here : here + 4] if line.strip()), "")
    return following.startswith(">")


def _begins_unmarked_quotation(lines: Sequence[str], here: int) -> bool:
    line = lines[here]
    if len(line) > MAX_ATTRIBUTION:
        return False
    around = *lines[max(here - MAX_LINES, 0) : here], *lines[here + 1 : here + MAX_LINES]
    # Below a rule of long dashes is a signature; one that frames a paragraph comes twice.
    if FORWARD.fullmatch(line) or (LONG_DASHES.fullmatch(line) and line not in around):
        return True
    if _is_rule(line):
        # Outlook draws one above what it quotes.
        below = next((n for n in (here + 1, here + 2) if n < len(lines) and lines[n].strip()), here)
        return not _is_rule(lines[below]) and _begins_unmarked_quotation(lines, below)
    ruled = line.strip()
    if ruled.startswith(RULED) and ruled.endswith(RULED):
        return re.match(f"(?i){ORIGINAL_MESSAGE}", ruled.strip(RULES + " ")) is not None
    return ANY_FIELD.match(line) is not None and _is_header_copy(lines[here : here + 9])


def _is_header_copy(lines: Sequence[str]) -> bool:
    """Tell whether these lines begin with a sender's header field and one more, or a date."""
    near = [line[:MAX_ATTRIBUTION] for line in lines if line.strip()]
    whole = takewhile(lambda after: ANY_FIELD.match(after) or after[0].isspace(), near)
    block = [*filter(ANY_FIELD.match, whole)]
    is_header = any(map(OTHER_FIELD.match, block)) or any(map(DATE_OR_ADDRESS.search, block))
    return len(block) > 1 and is_header and any(map(SENDER_FIELD.match, block))


def _is_rule(line: str) -> bool:
    ruled = line.strip()
    return len(ruled) >= MIN_RULE and not ruled.strip(RULES)


def _below_banner(lines: list[str]) -> list[str]:
    """Return the lines below the warning that a mail is from outside, which no move goes with."""
    here, is_below = 0, False
    while True:
        start = next((n for n in range(here, len(lines)) if lines[n].strip()), here)
        block = [line[:MAX_ATTRIBUTION] for line in lines[start : start + MAX_LINES]]
        block = [*takewhile(str.strip, block)]
        if block and (tag := TAG.match(block[0])):
            here, is_below, lines[start] = start, True, lines[start][tag.end() :]
            continue
        text = " ".join(block)
        if not block or not (BANNER.match(text) or (is_below and CLICK.search(block[0]))):
            return lines[here:]
        here, is_below = start + 1, True
        here += len([*takewhile(_is_of_banner, pairwise(block))])


def _is_of_banner(lines: tuple[str, str]) -> bool:
    """Tell whether the second of two lines goes on with a banner.

    A short line below a whole sentence is the sender's, and so is a move.
    """
    above, line = lines
    is_whole = len(above) < 60 or above.rstrip().endswith((".", "!", ":", "]", "*"))
    is_short = is_whole and line.count(" ") < 3 and not CLICK.search(line)
    return read_move(line) is None and not is_short


MAX_MARK = 3
"""A line of more dashes is a rule between paragraphs."""

MAX_LINE = 120
UNDERSCORES = re.compile(r"_{3,}")
DEVICE = rf"(?:{alternatives('device')}\w*)"
MINE = rf"(?:{alternatives('mine')}\b['\u2019]?)"
# "Sent from my iPhone" and its like: words for it, perhaps "my", then a device or a program.
SENT = rf"(?:{alternatives('sent')} {alternatives('from')}|{alternatives('sent from')})"
PUT_BELOW = re.compile(
    rf"{SENT}\b.{{0,40}}?\b(?:{MINE}\s*)?{DEVICE}.{{0,60}}|"
    rf"{SENT}\s+{MINE}\s*\S+(?:\s+\S+){{0,3}}|"
    rf"{alternatives('get')}\s+(?:outlook|bluemail|yahoo mail|aol)\b.{{0,60}}|"
    # Languages in which the words for it come last.
    rf".{{0,40}}{DEVICE}.{{0,30}}\b{alternatives('sent behind')}\b|{alternatives('put below')}",
    re.IGNORECASE,
)


def begins_signature(line: str) -> bool:
    """Tell whether a line of a mail is no text of it, and neither is what stands below.

    Such are up to three dashes of any kind alone on a line, and a line of underscores. So is what
    mail programs write below a mail, "Sent from my iPhone", in the languages that are known.
    """
    if len(line) > MAX_LINE:
        return False
    plain = NEVER_MEANT.sub("", line).translate(STRAIGHT).strip()
    if plain and len(plain) <= MAX_MARK and not plain.strip("-"):
        return True
    if UNDERSCORES.fullmatch(plain):
        return True
    return PUT_BELOW.fullmatch(plain.strip(" .*_<>[]()")) is not None
