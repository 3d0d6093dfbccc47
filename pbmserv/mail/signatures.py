"""Where a mail's signature begins: a line of dashes, or what a telephone puts below by itself."""

import re

from pbmserv.mail.cleaning import NEVER_MEANT, STRAIGHT
from pbmserv.phrases import alternatives

LONGEST_MARK = 3
"""A line of more dashes is a rule between paragraphs."""

LONGEST_LINE = 120
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
    if len(line) > LONGEST_LINE:
        return False
    plain = NEVER_MEANT.sub("", line).translate(STRAIGHT).strip()
    if plain and len(plain) <= LONGEST_MARK and not plain.strip("-"):
        return True
    if UNDERSCORES.fullmatch(plain):
        return True
    return PUT_BELOW.fullmatch(plain.strip(" .*_<>[]()")) is not None
