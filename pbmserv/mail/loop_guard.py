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
AUTOMATIC = re.compile(
    r"(?:auto(?:matic|mated|matical)?[ -]?(?:reply|response|answer|notification)|"
    r"out of (?:the )?office|away from (?:my|the) (?:mail|office)|on (?:vacation|holiday)|"
    r"undeliver(?:able|ed)|non-?delivery|"
    r"delivery (?:status|failure|has failed|delayed|report|incomp)|"
    r"mail delivery (?:failed|failure|system|delayed|status)|returned mail|failure notice|"
    r"could not be delivered|mail system error|warning: could not send|read receipt|"
    r"disposition notification|automatische (?:antwort|abwesenheit|e?-?mail|rückantwort)|"
    r"autom\. antwort|abwesenheit|nicht im (?:büro|haus)|unzustellbar|nicht zustellbar|"
    r"lesebestätigung|zustellung|réponse auto|absen(?:ce|t) du bureau|message d'absence|"
    r"en congé|non remis|non distribuable|échec de (?:la )?(?:remise|livraison)|"
    r"accusé de (?:lecture|réception)|respuesta auto|fuera de (?:la )?oficina|"
    r"no se (?:puede|pudo|ha podido) entregar|correo no entregado|resposta auto|"
    r"fora do escritório|ausência temporária|não (?:é possível|foi possível) entregar|"
    r"no s'ha pogut lliurar|fora de l'oficina|risposta auto|fuori (?:sede|ufficio)|"
    r"assente|non recapitabile|mancato recapito|automatisch antwoord|afwezig|"
    r"niet (?:op kantoor|aanwezig)|onbestelbaar|kan niet worden bezorgd|"
    r"auto(?:matiskt?)?[ -]?svar|frånvar|fravær|går inte att leverera|"
    r"det går inte att leverera|ikke til stede|ikke levert|kan ikke leveres|uleverlig|"
    r"automaattinen|poissa(?:olo)?|viestiä ei voi|toimittaminen ei|automatyczna odpowiedź|"
    r"odpowiedź auto|poza biurem|nieobecn|niedostarcz|nie można dostarczyć|"
    r"automatická odpově|mimo kancelář|nedoručiteln|automatikus válasz|házon kívül|"
    r"kézbesíthetetlen|răspuns automat|nelivrabil|otomatik yanıt|ofis dışında|"
    r"teslim edilemedi|автоматический ответ|автоответ|вне офиса|недоставлен|"
    r"не удается доставить|автоматична відповідь|не вдалося доставити|"
    r"автоматичен отговор|αυτόματη απάντηση|εκτός γραφείου|automatski odgovor|"
    r"samodejni odgovor|automaatvastus|automatinis atsakymas|automātiskā atbilde|自動応答|"
    r"自動返信|不在通知|配信不能|自动(?:答复|回复)|"
    r"自動(?:回覆|答覆)|无法(?:送达|投递)|無法傳遞|"
    r"자동 ?(?:회신|응답)|부재 ?중|trả lời tự động|balasan otomatis|tự động trả lời|"
    r"תשובה אוטומטית|رد تلقائي|ตอบกลับอัตโนมัติ)"
    r"|(?:auto|ooo|read|not read|delivered|delayed|recall|gelesen|"
    r"ungelesen|lu|non lu|leído|lido|lida|letto|letta|gelezen|läst|læst|lest|luettu|"
    r"przeczytane|přečteno|olvasva|прочитано)\s?:",
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
    ("automatic-subject", lambda mail, _: AUTOMATIC.match(mail.subject) is not None),
    ("too-many-received", lambda mail, _: len(mail.fields.get("received", ())) > MAX_RECEIVED),
)
"""Every test by the name that goes to the log, in the order in which they are asked."""
