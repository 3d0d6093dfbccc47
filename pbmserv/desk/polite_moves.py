"""Moves as people write them into a mail: ``F6.``, ``(C1)``, ``F6, good luck!``.

A mail that was meant otherwise would cost a game, so nothing is guessed: a cell, pass or swap
comes first, or behind ``My move:``, and behind it stand words of courtesy alone. Whatever else may
follow, another cell or a question among it, the line is left as it is and the grammar asks back.
"""

# ruff: noqa: RUF001 - words of many languages and scripts

import re
from collections.abc import Iterable

DRESS = "\"'`*_()[]{}<>.,;:!~ "
CELL = r"(?:(?:[a-z]{1,2}|\*)[0-9]{1,3}|[a-z]\s[0-9]{1,3}|00)"
# "My move" and "move" in the languages known.
LABEL = (
    r"(?:my )?(?:next )?move|my (?:turn|play|reply|answer)|(?:mein )?(?:spiel)?zug|(?:mon )?coup"
    r"|(?:mi |la meva )?jugada|(?:mi )?movimiento|(?:a )?(?:minha )?jogada|(?:o )?(?:meu )?(?:lance"
    r"|movimento)|(?:la )?(?:mia )?mossa|(?:mijn )?zet|(?:mitt )?drag|(?:mit )?træk|(?:mitt )?trekk"
    r"|(?:minun )?siirto(?:ni)?|(?:mój )?ruch|(?:můj )?tah|(?:môj )?ťah|(?:a )?lépés(?:em)?"
    r"|mutare(?:a)?(?: mea)?|hamle(?:m)?|(?:η )?κίνησ[ηή](?: μου)?|(?:мой |моят )?ход|(?:мій )?хід"
    r"|(?:moj )?potez|(?:moja )?poteza|(?:minu )?käik|(?:mano )?ėjimas|(?:mans )?gājiens"
    r"|(?:mia )?movo|nước đi(?: của tôi)?|langkah(?: saya)?|(?:私の|次の)?手|着手|我的(?:棋|一手)"
    r"|我[走下]|(?:내|제) 수|המהלך שלי|نقلتي"
)
# "I play", with what stands before a cell.
PLAYS = (
    r"(?:(?:i|i['’]ll|i['’]m|i will|ich|je|yo|io|ik|jeg|jag|ja|eu|я|já|minä)\s)?(?:play|playing"
    r"|move|moving|choose|take|place|put|go|spiele|ziehe|setze|nehme|joue|place|juego|muevo|coloco"
    r"|pongo|gioco|muovo|metto|speel|zet|plaats|spiller|flytter|sætter|setter|trækker|spelar"
    r"|flyttar|sätter|lägger|gram|ruszam|stawiam|jogo|movo|hraji|hraju|táhnu|pelaan|siirrän|хожу"
    r"|играю|ставлю)"
)
TO = (
    r"(?:\s(?:is|ist|est|es|è|é|er|är|to|jest|je|on|at|in|nach|auf|en|à|a|sur|naar|op|til|till|på"
    r"|na|em|para|в|на))?"
)
LABELLED = re.compile(
    rf"[\s{re.escape(DRESS)}]*(?:(?:{LABEL}|{PLAYS})(?:\s#?\d{{1,3}})?{TO}[*_]*"
    r"(?:\s*[:=-]+[*_]*\s*|\s+)|#?\d{1,3}\s?[.:)]+\s*(?=[a-z*→=-])|(?:[=-]+>|[→⇒➔➡])\s*|#\s?(?=[a-z*]))+",
    re.IGNORECASE,
)
DRESSED = re.compile(
    rf"[\s{re.escape(DRESS)}]*"
    rf"(?P<move>{CELL}(?:\s?\+\s?{CELL})*(?:\s?#\s?[0-9]{{1,4}})?|pass|swap)"
    r"(?P<rest>(?:[^\w+#/]|_).*)?",
    re.IGNORECASE | re.ASCII | re.DOTALL,
)
FACES = re.compile(r"[:;=8x][-']?[)dp(]+(?!\w)|<3", re.IGNORECASE)
DOUBTFUL = re.compile(r"[?\d+/#]")
# As ~~F6~~ is, or what stands under a combining stroke.
STRUCK_OUT = re.compile(r"~~|[\u0300-\u036f\u20d0-\u20f0]")
WORDS = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")

COURTESY = frozenset(
    WORDS.findall(
        "a and best board bye cheers day dear enjoy for fun game games gg gl glhf good great "
        "greetings have hello hf hi kind luck many move my nice of our please pls regards sorry "
        "thank thanks the thx to turn week weekend well wishes you your yours now next over bist "
        "dran du à toi te toca tocca jouw beurt jij bent aan din tur twój ruch twoja kolej sua tua "
        "vez tu turno jouer viel glück spaß spass danke bitte gruß grüße gruss lg vg dein zug "
        "schönes spiel bonne chance merci partie cordialement amicalement salutations buena suerte "
        "gracias saludos boa sorte obrigado obrigada abraço buona fortuna grazie saluti ciao veel "
        "succes geluk bedankt groeten groetjes lycka till tack hälsningar held lykke tak takk "
        "hilsen onnea kiitos powodzenia dzięki pozdrawiam hodně štěstí díky удачи спасибо привет "
        "удачі дякую answer being delay it late long reply response slow so taking took wait "
        "apologies entschuldigung entschuldige verzeihung verspätung verzögerung späte antwort tut "
        "mir leid die für désolé désolée pardon pour le retard perdón perdona por el la retraso "
        "tardanza demora desculpe desculpa pela pelo atraso scusa scusate per il ritardo voor de "
        "vertraging reactie ursäkta förlåt för dröjsmålet förseningen undskyld beklager "
        "forsinkelsen ventetiden anteeksi viivästys viive przepraszam za opóźnienie zwłokę "
        "omlouvám se zpoždění извини извините за задержку вибач вибачте затримку"
    )
)
"""Words that say nothing about the move; each is allowed wherever it stands."""

HELLO = frozenset(
    WORDS.findall(
        "hi hello hey hiya dear greetings good howdy hallo moin servus guten liebe lieber grüezi "
        "grüß tag bonjour bonsoir salut coucou cher chère allô hola buenos buenas querido querida "
        "estimado estimada olá ola oi bom boa caro cara prezado prezada ciao salve buongiorno "
        "buonasera hoi dag beste goedemorgen hej hejsan tjena hei heisann kära kære kjære goddag "
        "moi terve hyvää cześć witaj dzień ahoj čau dobrý szia helló sziasztok bună merhaba selam "
        "γεια καλημέρα привет здравствуй здравствуйте добрый привіт вітаю добрий здравей здраво "
        "bok živjo zdravo tere labas sveiki saluton こんにちは 你好 您好 "
        "안녕하세요 שלום مرحبا chào xin halo"
    )
)
"""Words with which a greeting begins."""

GREETED = frozenset(
    WORDS.findall(
        "again all day dear everybody everyone evening friend friends afternoon morning my old "
        "there to you dich tag abend morgen freund zusammen ami amie mon à tous todos amigo días "
        "dias tardes noches dia tarde noite a tutti amico allemaal alla alle kaikki päivää dobry "
        "den σου день вечер друг chào"
    )
)
"""Words with which it may go on, besides a name."""

GREETING = re.compile(r"[^\d?@#+/<>\n]{1,60}")
MOST_NAMES = 3


def plain_move(text: str, userids: Iterable[str] = ()) -> str | None:
    """Return the cell, pass or swap that ``text`` is beyond all doubt, None for anything else.

    ``userids`` may be spoken to. ``resign`` and the vote words have no such freedom.

    >>> plain_move("F6, good luck!"), plain_move('"Pass."'), plain_move("My move: A50 + T31")
    ('F6', 'Pass', 'A50+T31')
    >>> plain_move("F6 or G7"), plain_move("I would not play F6"), plain_move("pass?")
    (None, None, None)
    """
    label = LABELLED.match(text)
    dressed = DRESSED.fullmatch(text, label.end() if label else 0)
    if dressed is None or STRUCK_OUT.search(text):
        return None
    rest = FACES.sub(" ", dressed["rest"] or "")
    if DOUBTFUL.search(rest):
        return None
    allowed = COURTESY.union(userid.casefold() for userid in userids)
    if not all(word.casefold().replace("’", "'") in allowed for word in WORDS.findall(rest)):
        return None
    return re.sub(r"\s", "", dressed["move"])


def is_greeting(text: str) -> bool:
    """Tell whether a line greets somebody, and says nothing else.

    >>> is_greeting("Hi Bob,"), is_greeting("Guten Morgen, liebe Anna!"), is_greeting("Hi, no way")
    (True, True, False)
    """
    words = WORDS.findall(text)
    if not words or not GREETING.fullmatch(text) or words[0].casefold() not in HELLO:
        return False
    others = [word for word in words[1:] if word.casefold() not in HELLO | GREETED]
    if len(others) == 1:
        return True
    # Names have capitals, where a script has any.
    return len(others) <= MOST_NAMES and all(word[0] != word[0].lower() for word in others)
