"""Who may have what done by mail, over all commands; a command that is new is for players alone."""

from collections.abc import Iterator

import pytest

from pbmserv.commands.answer import Access
from pbmserv.commands.command_table import root
from pbmserv.commands.grammar import Call, Command, Group, MailSender, ShortAnswer
from pbmserv.commands.parse import parse
from pbmserv.commands.types import Secret
from pbmserv.desk.mail_desk import MailCase, require_right
from pbmserv.desk.request import MailRequest
from pbmserv.engine.games import find_game
from pbmserv.errors import Refused
from tests.local_server import LocalServer


def verbs(family: Group, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Command]]:
    """Yield every command under its full name, those of all games under that of each."""
    for name in family.list_commands(None):
        found = family.get_command(None, name)
        if isinstance(found, Group):
            yield from verbs(found, (*path, name))
        elif isinstance(found, Command):
            yield " ".join((*path, name)), found


VERBS = dict(verbs(root()))
GAMES = {name.partition(" ")[0] for name, verb in VERBS.items() if verb.game is not None}


def in_every_game(*names: str) -> set[str]:
    return {f"{game} {name}" for game in GAMES for name in names}


def refused(local: LocalServer, *, password: bool) -> dict[str, set[str]]:
    """Return which commands of a mail from an unknown address are refused, by the code."""
    codes: dict[str, set[str]] = {}
    params = {"password": Secret("secret-word")} if password else {}
    case = MailCase(local.desk, MailRequest("key", "x@example.com", "test"), set(), 0)
    with local.desk.store.reading() as case.records:
        for name, verb in VERBS.items():
            try:
                require_right(case, Call(verb, name, params, {}, Access.CHANGE))
            except Refused as error:
                codes.setdefault(error.code, set()).add(name)
    return codes


def for_the_shell() -> set[str]:
    return in_every_game("hint", "analyse", "import")


def test_a_stranger_gets_help_signs_up_and_asks_for_another_password(local: LocalServer) -> None:
    free = {"help", "signup", "reset"} | in_every_game("help")
    barred = for_the_shell()

    assert refused(local, password=False) == {
        "unknown-sender": VERBS.keys() - free - barred,
        "shell-only": barred,
    }


def test_a_password_is_good_for_all_that_can_be_done_by_mail(local: LocalServer) -> None:
    assert refused(local, password=True) == {"shell-only": for_the_shell()}


def test_a_stranger_is_answered_help_and_signup_alone() -> None:
    answered = {name for name, verb in VERBS.items() if verb.entry.by_mail.answers_strangers}

    assert answered == {"help", "signup"} | in_every_game("help")


def test_what_needs_neither_password_nor_token_changes_nothing_of_a_players() -> None:
    unsigned = {
        name
        for name, verb in VERBS.items()
        if verb.spec.access is Access.CHANGE and verb.spec.login is None
    }
    by_address = {n for n in unsigned if VERBS[n].entry.by_mail.sender is MailSender.NAMED}

    assert by_address == in_every_game("challenge")
    assert unsigned - by_address == {"signup", "reset"}


def test_an_old_token_is_good_for_leaving_and_talking() -> None:
    lasting = {name for name, verb in VERBS.items() if verb.entry.by_mail.old_token}

    assert lasting == in_every_game("chat", "unsubscribe")


def test_these_commands_have_a_short_answer() -> None:
    short = {
        kind: {name for name, verb in VERBS.items() if verb.entry.by_mail.short_answer is kind}
        for kind in ShortAnswer
    }
    named = in_every_game("resign", "chat", "unsubscribe", "swap", "confirm", "queue")
    switched = {"digest", "broadcast", "block"}

    assert short == {
        ShortAnswer.NAMED: named,
        ShortAnswer.UNNAMED: in_every_game("move"),
        ShortAnswer.OFF: switched,
        ShortAnswer.NONE: VERBS.keys() - named - in_every_game("move") - switched,
    }


@pytest.mark.parametrize(
    "words",
    ["move F6", "queue F6 G7", "resign", "chat", "unsubscribe", "swap", "confirm"],
)
def test_a_short_answer_is_a_call_without_userid_and_password(words: str) -> None:
    call = parse(root(), ("star", *words.split()), given={"number": 101})

    assert call.params["number"] == 101
    assert not {"userid", "password"} & call.params.keys()


@pytest.mark.parametrize("words", ["resign now", "unsubscribe 102", "unsubscribe alice pw 102"])
def test_a_word_too_many_in_a_short_answer_is_refused(words: str) -> None:
    with pytest.raises(Refused) as caught:
        parse(root(), ("star", *words.split()), given={"number": 101})

    assert caught.value.code == "surplus-word"


def test_a_notice_is_switched_off_without_a_password() -> None:
    assert parse(root(), ("digest", "off"), given={}).params == {"switch": False}
    off = {"switch": "off", "text": None}
    assert parse(root(), ("broadcast", "off"), given={}).params == off


def test_a_line_is_whole_unless_a_token_must_stand_for_the_rest(local: LocalServer) -> None:
    whole = ["star move 101 alice secret-alice F6", "*Star show 101", "help", "multiple", "digest"]
    names = [name for game in GAMES for name in (game, *find_game(game).aliases)]
    whole += [f"{name} show 101" for name in names]
    short = ["F6", "resign", "digest off", "Broadcast  OFF", "", "nonsense"]

    assert [local.desk.is_whole(text) for text in whole] == [True] * len(whole)
    assert [local.desk.is_whole(text) for text in short] == [False] * len(short)
