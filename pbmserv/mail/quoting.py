"""What senders wrote themselves: a mail without quotations, attributions and signature."""

# ruff: noqa: RUF001 - words of many languages and scripts

import re
from collections.abc import Sequence

from pbmserv.club.written_text import TOKEN
from pbmserv.mail.cleaning import NEVER_MEANT
from pbmserv.mail.signatures import begins_signature

MAX_ATTRIBUTION = 400

# In "On Monday 3 November Alice wrote:" and the like of the mail programs of the world.
WROTE = frozenset(
    {
        *("wrote", "writes", "schrieb", "skrev", "schreef", "écrit", "escribió", "escreveu"),
        *("scritto", "pisze", "napisał", "napsal", "napsala", "kirjoitti", "írta", "yazdı"),
        *("написал", "написала", "пишет", "пише", "έγραψε", "scris", "escriure", "escribiu"),
        *("napísal", "napísala", "napisao", "napisal", "написа", "rašė", "rakstīja", "kirjutas"),
        *("skrifaði", "menulis", "viết", "skribis", "quoting", "zitat"),
    }
)
WROTE_WITHOUT_BLANKS = ("写道", "寫道", "書きました", "のメール", "작성")
WORDS = re.compile(r"\w++")
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
ORIGINAL_MESSAGE = re.compile(
    r"(?:original message|ursprüngliche nachricht|original-?nachricht|original-?mail|"
    r"message d'origine|message original|message transféré|mensaje original|mensaje reenviado|"
    r"messaggio originale|messaggio inoltrato|mensagem original|mensagem encaminhada|"
    r"oorspronkelijk bericht|origineel bericht|doorgestuurd bericht|ursprungligt meddelande|"
    r"originalmeddelande|oprindelig meddelelse|opprinnelig melding|alkuperäinen viesti|"
    r"oryginalna wiadomość|wiadomość oryginalna|původní zpráva|eredeti üzenet|orijinal ileti|"
    r"orijinal mesaj|mesaj original|исходное сообщение|пересылаемое сообщение|"
    r"оригінальне повідомлення|αρχικό μήνυμα|forwarded message|forwarded by|"
    r"weitergeleitete nachricht|begin forwarded message|原始邮件|原始郵件|元のメッセージ|"
    r"original mail|원본 메시지)",
    re.IGNORECASE,
)
RULES = "-_=*"
RULED = tuple(mark * 2 for mark in RULES)
SHORTEST_RULE = 5
FORWARD = re.compile(r"\s*begin forwarded message\s*:\s*$", re.IGNORECASE)
# Outlook quotes without any mark, below a copy of the header fields.
SENDER_FIELD = re.compile(
    r"\*{0,2}(?:from|von|de|da|van|från|fra|lähettäjä|od|feladó|kimden|от|від|από|发件人|寄件者"
    r"|差出人|보낸 사람)\s?:\*{0,2}\s*\S",
    re.IGNORECASE,
)
DATE_FIELD = re.compile(
    r"\*{0,2}(?:sent|date|gesendet|datum|envoyé|enviado|fecha|data|inviato|verzonden|skickat"
    r"|sendt|dato|lähetetty|päivämäärä|wysłano|odesláno|elküldve|gönderildi|дата|отправлено"
    r"|надіслано|发送时间|日期|送信日時|日付|보낸 날짜)(?: le| el)?\s?:\*{0,2}\s*\S",
    re.IGNORECASE,
)
SUBJECT_FIELD = re.compile(
    r"\*{0,2}(?:subject|betreff|objet|asunto|oggetto|assunto|onderwerp|ämne|emne|aihe|temat|předmět"
    r"|tárgy|konu|тема|θέμα|主题|件名|제목)\s?:\*{0,2}\s*\S",
    re.IGNORECASE,
)


def own_text(text: str, limit: int) -> str:
    """Return what is left of ``text`` without quotation, attribution, signature and blank ends.

    Lines marked by ``>`` are cut wherever they stand, and what is written between or below them
    stays. A quotation without marks is cut from its first line to the end, and so is a signature:
    what stands there is not meant for an opponent. Reading stops when more than ``limit``
    characters are found.
    """
    whole = text.split("\n")
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

    Its first line has a token, or our address as headers and attributions have it.
    """
    address = rf"(?:mailto:)?{re.escape(own)}"
    named = (
        rf"(?im)^[*\t ]*[^\s:]{{1,20}} ?:[*\t ]*(?:[^@\n]*[<\[])?{address}[>\]*\t ]*$"
        rf"|<{address}>[^:\n]{{0,40}}[:：][\t ]*$"
    )
    found = [match.start() for match in (re.search(TOKEN, text), re.search(named, text)) if match]
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
        whole = " ".join(lines[here : here + length])
        if not last.rstrip().endswith((":", "：")) and not _is_ruled_attribution(whole):
            continue
        if length > 1 and (not DATE_OR_ADDRESS.search(lines[here]) or DATE.search(last)):
            return 0
        is_sure = DATE_OR_ADDRESS.search(whole) or _is_quoted_next(lines, here + length)
        return length if is_sure and _says_who_wrote(whole) else 0
    return 0


def _quotes_in_line(line: str) -> bool:
    found = ADDRESS_WITHIN.search(line)
    if found is None:
        return False
    head = line[: found.end()]
    return bool(YEAR.search(head) and TIME.search(head)) and _has_word_for_wrote(head)


def _is_ruled_attribution(text: str) -> bool:
    # As Zoho does it: ---- On ... Alice <alice@example.org> wrote ----
    ruled = text.strip()
    return ruled.startswith(RULED) and ruled.endswith(RULED) and ADDRESS.search(ruled) is not None


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
    if _is_rule(line):
        # Outlook draws one above what it quotes.
        below = next((n for n in (here + 1, here + 2) if n < len(lines) and lines[n].strip()), here)
        return not _is_rule(lines[below]) and _begins_unmarked_quotation(lines, below)
    if FORWARD.match(line):
        return True
    ruled = line.strip()
    if ruled[:2] in RULED and ruled[-2:] in RULED:
        return ORIGINAL_MESSAGE.match(ruled.strip(RULES + " ")) is not None
    if not any(field.match(line) for field in (SENDER_FIELD, DATE_FIELD, SUBJECT_FIELD)):
        return False
    block = [after[:MAX_ATTRIBUTION] for after in lines[here : here + 4]]
    return all(any(map(field.match, block)) for field in (SENDER_FIELD, DATE_FIELD))


def _is_rule(line: str) -> bool:
    ruled = line.strip()
    return len(ruled) >= SHORTEST_RULE and not ruled.strip(RULES)
