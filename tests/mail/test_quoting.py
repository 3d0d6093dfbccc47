# ruff: noqa: RUF001 - words of many languages and scripts
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbmserv.mail.html_text import text_from_html
from pbmserv.mail.quoting import own_text

QUOTED = "> Your turn.\n> Alice\n>\n"

ATTRIBUTIONS = [
    "On Mon, 3 Nov 2025 at 10:15, Alice <alice@example.org> wrote:",
    "On Mon, 3 Nov 2025 at 10:15, Alice with a long name\n<alice@example.org> wrote:",
    "On Mon, 3 Nov 2025 at 10:15,\nAlice with a long name <alice@example.org>\nwrote:",
    "On 03.11.2025 10:15, Alice wrote:",
    "* Alice <alice@example.org> [2025-11-03 10:15] writes:",
    "Am 03.11.2025 um 10:15 schrieb Alice:",
    "Am Montag, dem 3. November 2025 um 10:15 Uhr schrieb Alice <alice@example.org>:",
    "Alice schrieb am 03.11.2025 10:15:",
    "Le 03/11/2025 à 10:15, Alice a écrit :",
    "Le lun. 3 nov. 2025 à 10:15, Alice <alice@example.org> a\xa0écrit\xa0:",
    "El lun, 3 nov 2025 a las 10:15, Alice (<alice@example.org>) escribió:",
    "Il giorno lun 3 nov 2025 alle ore 10:15 Alice <alice@example.org> ha scritto:",
    "Em seg., 3 de nov. de 2025 às 10:15, Alice escreveu:",
    "Op ma 3 nov 2025 om 10:15 schreef Alice <alice@example.org>:",
    "Den mån 3 nov. 2025 kl 10:15 skrev Alice <alice@example.org>:",
    "man. 3. nov. 2025 kl. 10.15 skrev Alice:",
    "ma 3. marrask. 2025 klo 10.15 Alice (alice@example.org) kirjoitti:",
    "pon., 3 lis 2025 o 10:15 Alice <alice@example.org> napisał(a):",
    "W dniu 3.11.2025 o 10:15, Alice pisze:",
    "po 3. 11. 2025 v 10:15 odesílatel Alice <alice@example.org> napsal:",
    "пн, 3 нояб. 2025 г. в 10:15, Alice <alice@example.org>:",
    "3.11.2025 10:15, Alice пишет:",
    "Alice <alice@example.org> ezt írta (időpont: 2025. nov. 3., H, 10:15):",
    "Alice <alice@example.org>, 3 Kas 2025 Pzt, 10:15 tarihinde şunu yazdı:",
    "2025年11月3日(月) 10:15 Alice <alice@example.org>:",
    "Alice <alice@example.org> 于2025年11月3日周一 10:15写道：",
    "2025년 11월 3일 (월) 오전 10:15, Alice <alice@example.org>님이 작성:",
    "---- On Mon, 03 Nov 2025 10:15:00 +0000 Alice <alice@example.org> wrote ----",
    "---- On Mon, 03 Nov 2025 10:15:00 +0000 Alice with a long name\n<alice@example.org> wrote ---",
    "---- Am Mo., 03 Nov. 2025 10:15:00 +0000 Alice <alice@example.org> schrieb ----",
    "  On Mon, 3 Nov 2025 at 10:15 AM, Alice<alice@example.org> wrote:   Star Board 101",
    "  Am Mo., 3. Nov. 2025 um 10:15 schrieb Alice<alice@example.org>:   Star Board 101",
    "  Le lun., 3 nov. 2025 à 10:15, Alice<alice@example.org> a écrit :   Star Board 101",
    "Vào Th 2, 3 thg 11, 2025 vào lúc 10:15 Alice <alice@example.org> đã viết:",
    "Pada tanggal Sen, 3 Nov 2025 pukul 10.15 Alice <alice@example.org> menulis:",
    "ในวันที่ จ. 3 พ.ย. 2025 เวลา 10:15 Alice <alice@example.org> เขียนว่า:",
    "\u202bב 3 בנוב׳ 2025 ב-10:15 מאת \u202aAlice\u202c <\u202aalice@example.org\u202c>:\u202c",
    "في الاثنين، ٣ نوفمبر ٢٠٢٥ في ١٠:١٥ ص تمت كتابة ما يلي بواسطة Alice <alice@example.org>:",
    "На пн, 3.11.2025 г. в 10:15 ч. Alice <alice@example.org> написа:",
    "Dňa 3. 11. 2025 o 10:15 Alice napísal(a):",
    "Dana 3.11.2025. u 10:15, Alice je napisao/la:",
    "2025-11-03, pr, 10:15 Alice <alice@example.org> rašė:",
    "O lun, 3 nov 2025 ás 10:15, Alice (<alice@example.org>) escribiu:",
    "On Mon, 3 Nov 2025 at 10:15, Alice <alice@example.org> wrote",
    "Am 03.11.2025 um 10:15 schrieb Alice <alice@example.org>",
    "Le lun. 3 nov. 2025 à 10:15, Alice <alice@example.org> a écrit",
    "El lun, 3 nov 2025 a las 10:15, Alice <alice@example.org> escribió...",
    "Il 3 novembre 2025 10:15:00 CET, Alice <alice@example.org> ha scritto",
    "W dniu pon., 3.11.2025 o 10:15 Alice <alice@example.org> napisał(a)",
    "---- On Mon, 03 Nov 2025 10:15:00 +0000, alice@example.org wrote ----",
    "---- El lun, 03 nov 2025 10:15:00 +0000, alice@example.org escribió ----",
    "------On 11/03/2025 10:15, Alice wrote-----",
    "  On Mon, 3 Nov 2025 at 10:15,\nAlice <alice@example.org> wrote:",
    "  On Mon, Nov\n3, 2025 at 10:15 AM Alice <alice@example.org>wrote:",
    "  Den 3. nov. 2025 kl. 10.15 skrev Alice\n  <alice@example.org>:",
    "2025/11/3 Alice <alice@example.org>",
    "2025/11/3 Alice Liddell\n<alice@example.org>",
    "2025-11-03 10:15 GMT+01:00 Alice Liddell <\nalice@example.org>:",
    "03.11.2025 10:15 Ludwig van Alice <alice@example.org>",
    "On 11 Nov 2025, at 6:54 PM, Alice <alice@example.org> sent:",
    "Op 3 nov. 2025, om 10:15 heeft Alice <alice@example.org> het volgende geschreven:",
    "Quoting Alice <alice@example.org>:",
    "Zitat von Alice <alice@example.org>:",
    "Alice wrote:",
    "Alice schrieb:",
]


@pytest.mark.parametrize("attribution", ATTRIBUTIONS)
def test_a_quotation_goes_with_its_attribution(attribution: str) -> None:
    assert own_text(f"F6\n\nNice!\n\n{attribution}\n\n{QUOTED}", 100) == "F6\n\nNice!"
    assert own_text(f"{attribution}\n{QUOTED}\nF6\n\nNice!\n", 100) == "F6\n\nNice!"


@pytest.mark.parametrize("attribution", ATTRIBUTIONS)
def test_a_quotation_of_one_line_ends_where_the_answer_begins(attribution: str) -> None:
    assert own_text(f"{attribution}\n> Your turn.\nF6\n\nNice!\n", 100) == "F6\n\nNice!"


@pytest.mark.parametrize("attribution", ATTRIBUTIONS[:-2])
def test_a_quotation_without_marks_goes_to_the_end(attribution: str) -> None:
    assert own_text(f"F6\n\n{attribution}\n\nYour turn.\nAlice\n", 100) == "F6"


ORIGINALS = [
    "-----Original Message-----",
    "  -----Original Message----- ",
    "----- Original message -----",
    "-----Ursprüngliche Nachricht-----",
    "-------- Original-Nachricht --------",
    "-----Message d'origine-----",
    "-----Mensaje original-----",
    "-----Messaggio originale-----",
    "-----Mensagem original-----",
    "-----Oorspronkelijk bericht-----",
    "-----Ursprungligt meddelande-----",
    "-----Oprindelig meddelelse-----",
    "-----Oprindelig besked-----",
    "---------- Videresendt meddelelse ----------",
    "-------- Doorgestuurd bericht --------",
    "---------- Przekazana wiadomość ---------",
    "——— Original Message ———",
    "Anfang der weitergeleiteten Nachricht:",
    "Début du message transféré :",
    "Inizio messaggio inoltrato:",
    "-----Alkuperäinen viesti-----",
    "-----Oryginalna wiadomość-----",
    "-----Původní zpráva-----",
    "-----Исходное сообщение-----",
    "-----原始邮件-----",
    "-----元のメッセージ-----",
    "---------- Forwarded message ---------",
    "---------- Weitergeleitete Nachricht ----------",
    "Begin forwarded message:",
    "________________________________\nFrom: Alice <alice@example.org>\nSent: Monday",
    "________________________________\n\nVon: Alice <alice@example.org>\nGesendet: Montag",
    "-----\n-----Original Message-----",
    "From: Alice\nSent: Monday\nTo: Bob\nSubject: Star Board 101 bob",
    "Von: Alice\nGesendet: Montag\nAn: Bob\nBetreff: Star Board 101 bob",
    "De : Alice\nEnvoyé : lundi\nÀ : Bob\nObjet : Star Board 101 bob",
    "*From:* Alice\n*Date:* Monday\n*To:* Bob",
    " De : Alice\n Envoyé le : lundi 3 novembre 2025 10:15\n À : Bob\n Objet : Star Board",
    "\tVon: Alice\n\tGesendet: Montag, 3. November 2025",
    "De : Alice\nA : Bob\nSujet : Star Board 101 bob",
    "De: Alice <a@b.c>\nPara: Bob\nAsunto: Star Board 101 bob",
    "Od: Alice\nDo: Bob\nTemat: Star Board 101 bob",
    "Fra: Alice\nTil: Bob\nEmne: Star Board 101 bob",
    "| Från: Alice <a@b.c>\n| Till: Bob",
    "To: Bob\nFrom: Alice\nSubject: Star Board 101 bob",
    "发件人: Alice\n发送时间: 2025",
    'Gesendet: Montag, 03. November 2025 um 10:15 Uhr\nVon: "Alice" <a@b.c>\nAn: bob',
    'Sent: Monday, November 03, 2025 at 10:15 AM\nFrom: "Alice" <a@b.c>\nTo: bob',
    'Betreff: Star Board 101 bob\nDatum: 2025-11-03T10:15:00+0100\nVon: "Alice" <a@b.c>',
    "Subject: Star Board 101 bob\nFrom: a@b.c\nTo: bob\nDate: Mon, 3 Nov 2025",
]


@pytest.mark.parametrize("mark", ORIGINALS)
def test_the_original_message_goes_to_the_end(mark: str) -> None:
    kept = own_text(f"F6\n\nNice!\n\n{mark}\n\nYour turn.\nAlice\n", 100)

    assert kept == "F6\n\nNice!"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n \n\t\n",
        "> quoted\n> quoted",
        ">quoted\n>> twice",
        "-- \nAlice",
        "On 3 Nov 2025, Alice wrote:\n> x\n\n-- \nBob",
        "-----Original Message-----\nx",
    ],
)
def test_a_body_of_nothing_of_the_senders_is_empty(text: str) -> None:
    assert own_text(text, 100) == ""


@pytest.mark.parametrize(
    "text",
    [
        "--- nice ---",
        "I wrote a book:\nx",
        "a -> b\nx > y",
        "From: me\nTo: you",
        "Von: hier\nNach: dort",
        "Pros: fast\nCons: weak\nVerdict: play on",
        "A : one\nB : two\nC : three",
        "From: Alice in Wonderland\nQuote: off with her head\nThanks: me",
        "Da: yes in Russian\nNo: nein\nSi: yes",
        "De: of\nLa: the\nEl: the",
        "Score: 5:3\nMoves: 12\nTime: 10:15",
        "On 3 Nov 2025 at 10:15 I met Alice, who wrote a book",
        "I wrote to <alice@example.org> on 3 Nov 2025",
        "2025-11-03 I got a mail from <alice@example.org>",
        "On 3 Nov 2025 at 10:15 Alice wrote",
        "Am 03.11.2025 um 10:15 schrieb ich dir, dass ich gewinne",
        "---- Alice wrote ----",
        "2025-11-03 I met Alice <alice@example.org>",
        "2025/11/3 was a good day",
        "Le 3 novembre j'ai écrit",
        "Alice wrote",
        "Oprindelig besked om spillet",
        "My original message was lost",
        "—————\na frame\n—————",
        "Nice — really —\nthanks",
        "Caution: outside cells are weak",
        "I got a mail from outside today",
        "Hello! I got your mail, the outside is mine",
        "C2!\nI sent you a mail; your outside chain is weak.",
        "From here on:\nit is hard",
        "A list:\n* one\n* two",
        "----------\ntext\n----------",
        "----------\n\n----------\nFrom: me",
        "- one\n- two",
        "Sent you a present.\nGet well soon!",
        "Von meiner Seite alles Gute",
        "---- I wrote a book in 2025 ----",
        "---- On 3 Nov 2025 at 10:15 ----",
        "<alice@example.org> wrote: nothing yet",
        "At 10:15 in 2025 I had: <alice@example.org>: this",
        "Move 17:\nF6",
        "multiple:\nstar move 101 alice secret-word F6",
    ],
)
def test_what_only_resembles_a_quotation_stays(text: str) -> None:
    assert own_text(text, 100) == text


@pytest.mark.parametrize("attribution", ATTRIBUTIONS)
def test_an_attribution_takes_no_line_of_the_senders_with_it(attribution: str) -> None:
    assert own_text(f"F6\n{attribution}\n{QUOTED}", 100) == "F6"


def test_an_hour_above_an_attribution_is_the_senders() -> None:
    text = f"Until 10:15!\n{ATTRIBUTIONS[3]}\n{QUOTED}"

    assert own_text(text, 100) == "Until 10:15!"


SIGNATURES = [
    "--",
    "-- ",
    "-",
    "—",
    "–",
    "---",
    "____",
    "______________",
    "—————",
    "–––––––––––",
    "──────",
    "Sent from my iPhone",
    "Sent from my Samsung Galaxy S23 Ultra.",
    "<Sent from Outlook for iOS>",
    "Sent from Yahoo Mail on Android",
    "Sent with Proton Mail secure email.",
    "Get Outlook for iOS<https://aka.ms/o0ukef>",
    "Von meinem iPhone gesendet",
    "Von meinem Samsung Galaxy Smartphone gesendet.",
    "Gesendet mit der GMX Mail App",
    "Gesendet von Mail für Windows",
    "Diese Nachricht wurde von meinem Android-Gerät mit K-9 Mail gesendet.",
    "Holen Sie sich Outlook für Android",
    "Envoyé de mon iPhone",
    "Envoyé depuis mon appareil Galaxy",
    "Envoyé à partir de Outlook pour Android",
    "Enviado desde mi iPhone",
    "Enviado do meu iPhone",
    "Enviado a partir do meu smartphone Samsung Galaxy.",
    "Inviato da iPhone",
    "Inviato dal mio dispositivo Samsung",
    "Inviato da Posta per Windows",
    "Verstuurd vanaf mijn iPhone",
    "Verzonden vanaf mijn Galaxy",
    "Verzonden met Outlook voor iOS",
    "Outlook voor iOS downloaden",
    "Skickat från min iPhone",
    "Sendt fra min iPhone",
    "Sendt fra Outlook til Android",
    "Lähetetty iPhonesta",
    "Lähetetty Galaxysta",
    "Wysłane z iPhone'a",
    "Wysłano z mojego iPhone’a",
    "Wysłane z Outlook dla systemu Android",
    "Odesláno z iPhonu",
    "Odesláno z mého telefonu",
    "iPhone-ról küldve",
    "Az iPhone-omról küldve",
    "iPhone'umdan gönderildi",
    "Отправлено с iPhone",
    "Отправлено с моего Galaxy",
    "Отправлено из мобильной Яндекс Почты",
    "Надіслано з iPhone",
    "Στάλθηκε από το iPhone μου",
    "Trimis de pe iPhone-ul meu",
    "Enviat des del meu iPhone",
    "发自我的iPhone",
    "从我的 iPhone 发送",
    "iPhoneから送信",
    "私のiPhoneから送信",
    "나의 iPhone에서 보냄",
    "Được gửi từ iPhone của tôi",
    "Dikirim dari iPhone saya",
    "Dihantar daripada iPhone saya",
    "ส่งจาก iPhone ของฉัน",
    "נשלח מה-iPhone שלי",
    "أُرسلت من الـ iPhone",
    "Poslano s mojeg iPhonea",
    "Odoslané z môjho iPhonu",
    "Изпратено от моя iPhone",
    "Послато са мог iPhone-а",
    "Saadetud minu iPhone'ist",
    "Išsiųsta iš mano „iPhone“",
    "Nosūtīts no mana iPhone",
    "मेरे iPhone से भेजा गया",
    "از iPhone من ارسال شد",
    "This email was sent from my phone, please excuse typos",
    "\u2063Gesendet mit BlueMail \u200b",
    "Get BlueMail for Android",
    "Provenance : Courrier pour Windows",
    "Virus-free.www.avast.com",
    "Yahoo Mail: Search, Organize, Conquer",
    "내 iPhone에서 보냄",
]


@pytest.mark.parametrize("mark", SIGNATURES)
def test_a_signature_goes_to_the_end(mark: str) -> None:
    assert (
        own_text(f"F6\n\nNice!\n\n{mark}\nAlice Liddell\n+44 20 7946 0000\n", 100) == "F6\n\nNice!"
    )
    assert own_text(f"{mark}\n+44 20 7946 0000", 100) == ""


@pytest.mark.parametrize(
    ("line", "own"),
    [
        ("F6 On Wed, Apr 4, 2012 at 4:10 PM, Alice <alice@example.org> wrote:", "F6"),
        ("F6 On Wed, Apr 4, 2012 at 4:10 PM, Alice\n<alice@example.org> wrote:", "F6"),
        ("F6, good luck! Am 03.11.2025 um 10:15 schrieb Alice:", "F6, good luck!"),
        ("F6. Le lun. 3 nov. 2025 à 10:15, Alice <a@b.c> a écrit :", "F6."),
        ("F6 пн, 3 нояб. 2025 г. в 10:15, Alice <a@b.c>:", "F6"),
        ("pass ---- On Mon, 03 Nov 2025 10:15:00 +0000, a@b.c wrote ----", "pass"),
        ("*10 On Wed, Apr 4, 2012 at 4:10 PM, Alice<a@b.c> wrote:   Star Board", "*10"),
    ],
)
def test_what_stands_before_an_attribution_in_its_line_is_the_senders(line: str, own: str) -> None:
    assert own_text(f"{line}\n{QUOTED}", 100) == own
    assert own_text(f"{line}\nYour turn.\nAlice", 100) == own


SIGNED = "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n{}\nF6\n\n{}- -- \nBob\n{}\n"


@pytest.mark.parametrize("armour", ["", "Charset: utf-8\nComment: x: y\n"])
@pytest.mark.parametrize("below", ["", "\n> quoted"])
def test_a_text_signed_by_pgp_is_the_text(armour: str, below: str) -> None:
    end = "-----BEGIN PGP SIGNATURE-----\n\niQ=\n-----END PGP SIGNATURE-----"

    assert own_text(SIGNED.format(armour, "", end) + below, 100) == "F6"
    assert own_text(SIGNED.format(armour, "- - Hi\n", end) + below, 100) == "F6\n\n- Hi"


BANNERS = [
    "CAUTION: This email originated from outside of the organization.\nDo not click.",
    (
        "CAUTION: This email originated from outside of the organization. "
        "Do not click links or open\nattachments."
    ),
    "[EXTERNAL]",
    "[External email]\n",
    "*** EXTERNAL EMAIL ***",
    "This message was sent from outside the company. Please be careful.\n",
    "You don't often get email from alice@example.org. Learn why this is important\n",
    (
        "ACHTUNG: Diese E-Mail kommt von einem externen Absender.\n\n"
        "Klicken Sie nicht auf Links und öffnen Sie keine Anhänge.\n"
    ),
    "Diese E-Mail kommt von außerhalb der Organisation.",
    "Ce courriel provient de l'extérieur.\n\nNe cliquez pas sur les liens.\n",
    "Aviso: este correo es de un remitente externo.",
    "Attenzione: messaggio proveniente dall'esterno",
    "LET OP: Deze e-mail komt van buiten de organisatie.",
    "ADVARSEL: Denne e-mail kommer udefra.",
    "Varning: meddelandet kommer utanför organisationen.",
    "Uwaga: wiadomość spoza organizacji.\n",
    "Atenção: e-mail externo.",
]


@pytest.mark.parametrize("banner", BANNERS)
@pytest.mark.parametrize("own", ["F6", "resign", "F6, good luck!\n\nDo not open in the corner"])
def test_a_banner_above_a_mail_takes_nothing_of_it_along(banner: str, own: str) -> None:
    assert own_text(f"{banner}\n{own}", 100) == own
    assert own_text(f"\n{banner}\n\n{own}\n{ATTRIBUTIONS[0]}\n{QUOTED}", 100) == own
    assert own_text(f"{own}\n\n{own}\n{banner}", 400).startswith(f"{own}\n\n{own}")


BELOW = [
    '<div class="gmail_quote"><div class="gmail_attr">3 Alice:<br></div><blockquote>x</blockquote>',
    '<hr><div id="divRplyFwdMsg"><b>Od:</b> Alice<br><b>Poslano:</b> ponedjeljak</div><div>x</div>',
    '<div id="appendonsend"></div><hr><div id="x_divRplyFwdMsg">From: x</div>',
    '<div id="yahoo_quoted_1" class="yahoo_quoted"><div>On x, y wrote:</div><div>x</div></div>',
    '<div class="moz-cite-prefix">3.11 Alice:<br></div><blockquote type="cite">x</blockquote>',
    '<div class="moz-signature">Alice<br>+44 20</div>',
    '<div class="protonmail_signature_block">x</div><div class="protonmail_quote">On x</div>',
    '<div name="quote" style="margin:10px"><div><b>Gesendet:</b> Montag</div>x</div>',
    '<span class="gmail_signature_prefix">-- </span><br><div class="gmail_signature">+44 20</div>',
    '<div id="AppleMailSignature">+44 20</div>',
    '<div id="ms-outlook-mobile-signature">Poslano iz X</div><hr><div>x</div>',
    '<blockquote type="cite"><div>On x, z &lt;a@b.c&gt; wrote:</div>Your turn</blockquote>',
]


@pytest.mark.parametrize("below", BELOW)
def test_what_stands_below_goes_from_mails_that_are_html_alone(below: str) -> None:
    text = text_from_html(f"<div>F6</div><div><br></div><div>Nice!</div>{below}</body></html>")

    assert text is not None
    assert own_text(text, 100) == "F6\n\nNice!"


def test_answers_between_quotations_stay() -> None:
    text = "Alice wrote:\n> Good?\nVery.\n\n> And now?\n\nF6.\n-- \nBob\n"

    assert own_text(text, 100) == "Very.\n\n\nF6."


def test_reading_stops_behind_the_limit() -> None:
    assert 100 < len(own_text("word\n" * 1_000_000, 100)) < 200


@given(st.text(st.sampled_from("ab>-_ \n:1@<.")), st.integers(0, 50))
def test_nothing_is_added(text: str, limit: int) -> None:
    lines = [line.rstrip() for line in text.split("\n")]
    kept = iter(lines)

    assert all(line in kept for line in own_text(text, limit).split("\n") if line)
