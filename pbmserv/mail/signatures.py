"""Where a mail's signature begins: a line of dashes, or what a telephone puts below by itself."""

# ruff: noqa: RUF001 - words of many languages and scripts

import re

from pbmserv.mail.cleaning import NEVER_MEANT, STRAIGHT

LONGEST_MARK = 3
"""A line of more dashes is a rule between paragraphs."""

LONGEST_LINE = 120
UNDERSCORES = re.compile(r"_{3,}")
DEVICE = (
    r"(?:(?:i\s?(?:phon|pad|pod|os)|android|samsung|galaxy|huawei|honor|xiaomi|redmi|oneplus|pixel"
    r"|motorola|nokia|blackberry|windows|outlook|yahoo|proton\s?mail|thunderbird|k-9|gmx|web\.de"
    r"|t-online|aol|gmail|bluemail|typeapp|courrier|fairmail|fairphone|spark|mail\b|mobil"
    r"|smartphone|telefon|handy|phone|yandex|яндекс|tablet|laptop|htc|sony|xperia|nexus|lg)\w*)"
)
MINE = (
    r"(?:(?:my|our|mon|ma|mi|mis|meu|minha|mio|mia|mijn|min|mitt|moje\w*|mojego|mého|mé|meul|моего"
    r"|моей|мого|моєї|το|την|τη|el|la|l|il|dal|den|meinem|meiner|unserem)\b['’]?)"
)
SENT = (
    # "Sent from my iPhone" and its like: words for it, perhaps "my", then a device or a program.
    r"(?:sent|gesendet|verschickt|envoyé|enviad[oa]|enviat|inviato|verstuurd|verzonden|skicka(?:t"
    r"|des)|sendt|wysłan[eoay]+|odesl[aá]n[oaáé]+|posl[aá](?:no|to)|odoslan[éeýáo]+|trimis(?:ă)?"
    r"|отправлено|надіслан[ое]|відправлено|изпратено|послато|στάλθηκε|εστάλη|απεστάλη|išsiųsta"
    r"|nosūtīts|được gửi|gửi|dikirim|dihantar) (?:from|via|with|using|von|mit|über|aus|de|depuis"
    r"|à partir|avec|desde|con|do|da|a partir|pelo|des|amb|dal|dall|tramite|vanaf|van|met|från|med"
    r"|fra|z|ze|za pomocą|din|cu|с|со|из|через|з|із|за|от|чрез|са|από|με|s|sa|iz|zo|iš|naudojant|no"
    r"|từ|dari|daripada)|lähetetty|elküldve|(?:diese nachricht|ce message|este mensaje"
    r"|this (?:message|e?-?mail)) (?:wurde|was|a été)|saadetud|ส่งจาก|נשלח|أُ?رسلت"
)
FETCH = (
    r"get|holen sie sich|laden sie|télécharger|téléchargez|obtenir|obtener|descargar|obter|baixar"
    r"|ottieni|scarica|download|hämta|hent|hanki|lataa|pobierz|získat|stáhnout|letöltés\w*|edinin"
    r"|скачать|завантажити|получить|отримати|λήψη|obțineți|descărcați"
)
PREFIXED = re.compile(
    rf"(?:{SENT})\b.{{0,40}}?\b(?:{MINE}\s*)?{DEVICE}.{{0,60}}|"
    rf"(?:{SENT})\s+{MINE}\s*\S+(?:\s+\S+){{0,3}}|"
    rf"(?:{FETCH})\s+(?:outlook|bluemail|yahoo mail|aol)\b.{{0,60}}|"
    r"provenance\s?: courrier.{0,40}|virus-?free\b.{0,60}|yahoo mail: search.{0,40}",
    re.IGNORECASE,
)
SUFFIXED = re.compile(
    # Languages in which the words for it come last, or are written without blanks.
    r"von (?:mein|unser)e[mnr]\b.{1,40}(?:gesendet|verschickt|versendet)|"
    rf".{{0,40}}{DEVICE}.{{0,30}}\b(?:gesendet|verschickt|küldve|gönderildi|gönderilmiştir|downloaden|"
    r"herunterladen|letöltése|edinin)\b|(?:发自|發自|傳送自|传自|寄自|来自|從我的|从我的|通过"
    r"|透過).{0,40}|.{0,40}(?:から送信|より送信|から送信されました|で送信).{0,8}"
    r"|.{0,40}(?:से भेजा गया|ارسال شد).{0,8}|"
    r".{0,40}에서\s?(?:보냄|전송|보낸\s?메일|보냈습니다).{0,4}",
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
    return any(pattern.fullmatch(plain.strip(" .*_<>[]()")) for pattern in (PREFIXED, SUFFIXED))
