# ruff: noqa: RUF001 - words of many languages and scripts
import pytest
from hypothesis import given
from hypothesis import strategies as st

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
    "Alice wrote:",
    "Alice schrieb:",
]


@pytest.mark.parametrize("attribution", ATTRIBUTIONS)
def test_a_quotation_goes_with_its_attribution(attribution: str) -> None:
    assert own_text(f"F6\n\nNice!\n\n{attribution}\n\n{QUOTED}", 100) == "F6\n\nNice!"
    assert own_text(f"{attribution}\n{QUOTED}\nF6\n\nNice!\n", 100) == "F6\n\nNice!"


@pytest.mark.parametrize("attribution", ATTRIBUTIONS[:-2])
def test_a_quotation_without_marks_goes_to_the_end(attribution: str) -> None:
    assert own_text(f"F6\n\n{attribution}\n\nYour turn.\nAlice\n", 100) == "F6"


ORIGINALS = [
    "-----Original Message-----",
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
    "发件人: Alice\n发送时间: 2025",
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
    "내 iPhone에서 보냄",
]


@pytest.mark.parametrize("mark", SIGNATURES)
def test_a_signature_goes_to_the_end(mark: str) -> None:
    assert (
        own_text(f"F6\n\nNice!\n\n{mark}\nAlice Liddell\n+44 20 7946 0000\n", 100) == "F6\n\nNice!"
    )
    assert own_text(f"{mark}\n+44 20 7946 0000", 100) == ""


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
