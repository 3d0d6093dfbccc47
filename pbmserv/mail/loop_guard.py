"""The loop guard: which mails are dropped in silence because no person is waiting for an answer.

Two machines that answer each other never stop. So whatever may have been sent by a machine gets
neither an answer nor an effect. The first test that says so names the reason for the log.
"""

# ruff: noqa: RUF001 - words of many languages and scripts

import re
from collections.abc import Callable
from dataclasses import dataclass

from pbmserv.club.player import is_mail_for
from pbmserv.mail.inbound import Incoming, Unreadable
from pbmserv.mail.sender import addresses_in

MAX_RECEIVED = 30
MESSAGE_ID_MARK = "pbmserv."

BULK = frozenset({"bulk", "junk", "list"})
RESPONDER_FIELDS = ("x-auto-response-suppress", "x-autoreply", "x-autorespond")
DAEMON = re.compile(
    r"mailer-?daemon|postmaster|daemon|listserv|majordomo|owner-.*|.*-(?:owner|request|bounces?)|"
    r"(?:do-?not-?reply|no-?reply)(?:[.-].*)?|(?:.*[.-])?(?:do-?not-?reply|no-?reply)|bounces?.*",
    re.IGNORECASE | re.ASCII | re.DOTALL,
)

# What mail programs and servers of the world write before the Subject that they answer.
ANSWERED = r"(?:re|aw|antw|antwort|sv|vs|vá|r|rif|odp|ynt|fwd?|wg|tr|rv|res)\s?:"
AWAY = (
    r"(?:(?:i['’]?m|i am|we are|currently|je suis|ich bin|bin|sono|estoy|estou|ik ben|jeg er|jag är"
    r"|jestem|olen|actuellement|derzeit|zur ?zeit"
    r"|momentan)\s(?:\w{1,10}\s){0,2})?(?:out of (?:the )?office|out-of-office|on (?:annual "
    r"|sick )?(?:vacation|holidays?|leave)|away|vacation|holidays?|annual leave"
    r"|not in (?:the )?office|(?:im )?urlaub\w*|(?:auf )?dienstreise|abwesen\w*|absente?|nicht da"
    r"|(?:en )?(?:vacances|congés?)|(?:de )?vacaciones|ausente|(?:de )?férias|assente|loma"
    r"|no estoy en la oficina|(?:in |på )?ferie|(?:op |met )?(?:vakantie|verlof)|afwezig\w*|lomalla"
    r"|(?:på )?semester|fravær\w*|frånvar\w*|(?:na )?urlop\w*|nieobecn\w*|dovolen\w*"
    r"|(?:в )?отпуск\w*)"
)
AUTOMATIC = re.compile(
    r"(?:auto(?:m\w*\.?)?[ -]?(?:reply|respon[sd]er?|answer|notification|antwort|abwesen|e?-?mail"
    r"|svar|rückantwort|antwoord|vastaus|odpow|odpov|válasz|odgovor|vastus|atsak|atbilde)"
    r"|(?:balasan )?otomati|(?:réponse|respuesta|resposta|risposta|odpowiedź|răspuns) auto"
    r"|автоответ|автоматич\w+ (?:отв|відп|отг)|samodejni odgovor|αυτόματη απάντηση"
    r"|out of (?:the )?office|away from (?:my|the) (?:mail|off)|on (?:vacation|holiday)\b"
    r"|(?:vacation|holiday|away) (?:responder|auto\S*|notice|notification)\b|undeliver(?:able|ed)"
    r"|non-?delivery|delivery (?:status|failure|has failed|delayed|report|incomp)"
    r"|mail delivery (?:failed|failure|system|delayed|status)|returned mail|failure notice"
    r"|could not be delivered|mail system error|warning: could not send|read receipt"
    r"|disposition notification|abwesenheit|nicht im (?:büro|haus)|unzustellbar|nicht zustellbar"
    r"|lesebestätigung|zustellung|absen(?:ce|t) du bureau|message d'absence|en congé|non remis"
    r"|non distribuable|échec de (?:la )?(?:remise|livraison)|accusé de (?:lecture|réception)"
    r"|fuera de (?:la )?oficina|no se (?:puede|pudo|ha podido) entregar|correo no entregado"
    r"|fora do escritório|ausência temporária|não (?:é possível|foi possível) entregar"
    r"|no s'ha pogut lliurar|fora de l'oficina|fuori (?:sede|ufficio)|assente|non recapitabile"
    r"|mancato recapito|afwezig|niet (?:op kantoor|aanwezig)|onbestelbaar|kan niet worden bezorgd"
    r"|frånvar|fravær|(?:det )?går inte att leverera|ikke til stede|ikke levert|kan ikke leveres"
    r"|uleverlig|poissa(?:olo)?|viestiä ei voi|toimittaminen ei|poza biurem|nieobecn|niedostarcz"
    r"|nie można dostarczyć|mimo kancelář|nedoručiteln|házon kívül|kézbesíthetetlen|nelivrabil"
    r"|ofis dışında|teslim edilemedi|вне офиса|недоставлен|не удается доставить"
    r"|не вдалося доставити|εκτός γραφ|自動応答|自動返信|不在通知|配信不能|自动(?:答复|回复)"
    r"|自動(?:回覆|答覆)|无法(?:送达|投递)|無法傳遞|자동 ?(?:회신|응답)|부재 ?중|trả lời tự động"
    r"|tự động trả lời|תשובה אוטומטית|رد تلقائي|ตอบกลับอัตโนมัติ)|(?:auto|ooo|read|not read"
    r"|delivered|delayed|recall|gelesen|ungelesen|lu|non lu|leído|lido|lida|letto|letta|gelezen"
    r"|läst|læst|lest|luettu|przeczytane|přečteno|olvasva|прочитано)\s?:"
    rf"|{AWAY}(?:(?: reply| message| response)?\s?[-:–]\s(?!\S+ \S+ (?:\d+|off|until \S+)$)"
    rf"|[^:\n]{{0,60}}?\s{ANSWERED})|(?:auto|ooo)\W{{1,2}}{ANSWERED}",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Own:
    """What is ours: the address that mail for this server goes to, without any token."""

    address: str

    def is_ours(self, address: str) -> bool:
        """Tell whether ``address`` is ours, with or without a token."""
        return is_mail_for(address, self.address)

    def message_id(self, key: str) -> str:
        """Return the Message-ID of the letter that ``key`` names."""
        return f"<{MESSAGE_ID_MARK}{key}@{self.address.rpartition('@')[2]}>"

    def wrote(self, text: str) -> bool:
        """Tell whether ``text`` is a Message-ID that :meth:`message_id` makes."""
        end = f"@{self.address.rpartition('@')[2]}>".lower()
        return text.lower().startswith(f"<{MESSAGE_ID_MARK}") and text.lower().endswith(end)


Test = Callable[[Incoming, Own], bool]


def reason_to_drop(mail: Incoming | Unreadable, own: Own) -> str | None:
    """Return why ``mail`` is dropped without a word, None when a person may have sent it.

    The reason is the code of an unreadable mail, the first of them its size, or a name of
    :data:`TESTS`; the names are permanent.
    """
    if isinstance(mail, Unreadable):
        return mail.code
    return next((name for name, says_so in TESTS if says_so(mail, own)), None)


def _is_auto_submitted(mail: Incoming, _own: Own) -> bool:
    kinds = [
        re.split(r"[\s;(]", value.strip(), maxsplit=1)[0]
        for value in mail.fields.get("auto-submitted", ())
    ]
    return any(kind.lower() != "no" for kind in kinds)


def _is_bulk(mail: Incoming, _own: Own) -> bool:
    words = " ".join(mail.fields.get("precedence", ())).lower()
    return not BULK.isdisjoint(re.split(r"[\s,;]+", words))


def _names_us(field: str) -> Test:
    return lambda mail, own: any(map(own.is_ours, addresses_in(mail.fields.get(field, ()))))


def _is_from_daemon(mail: Incoming, _own: Own) -> bool:
    names = [mail.return_path or ""]
    for value in mail.fields.get("from", ()):
        # A name beside an address is a person's to choose. A bare MAILER-DAEMON without a domain
        # is common where the mail never left the machine.
        names += addresses_in([value]) or [value]
    return any(DAEMON.fullmatch(name.partition("@")[0].partition("+")[0]) for name in names)


def _is_automatic(mail: Incoming, _own: Own) -> bool:
    # A mark is put before the Subject, or behind it.
    marks = re.findall(r"\[([^\[\]]{1,60})\]", mail.before)
    marks += re.findall(r" [\[(]([^\[\]()]{1,60})[\])]$", mail.subject)
    texts = mail.subject.lstrip("(*-<"), *(f"{mark}: " for mark in marks)
    return any(map(AUTOMATIC.match, texts))


TESTS: tuple[tuple[str, Test], ...] = (
    ("auto-submitted", _is_auto_submitted),
    ("null-return-path", lambda mail, _: mail.return_path == ""),
    ("daemon", _is_from_daemon),
    ("precedence", _is_bulk),
    ("list-header", lambda mail, _: any(name.startswith("list-") for name in mail.fields)),
    ("report", lambda mail, _: mail.media_type == "multipart/report"),
    ("x-loop", _names_us("x-loop")),
    ("own-message-id", lambda mail, own: any(map(own.wrote, mail.fields.get("message-id", ())))),
    ("own-address", _names_us("from")),
    ("responder", lambda mail, _: any(mail.fields.get(name) for name in RESPONDER_FIELDS)),
    ("automatic-subject", _is_automatic),
    ("too-many-received", lambda mail, _: len(mail.fields.get("received", ())) > MAX_RECEIVED),
)
"""Every test by the name that goes to the log, in the order in which they are asked."""
