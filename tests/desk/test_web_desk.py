"""The door for browsers: wrong passwords are refused at once, and much is counted."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from pbmserv.cli.shell_commands import SHELL, shell_families
from pbmserv.commands.answer import Answer
from pbmserv.commands.command_table import root
from pbmserv.commands.words import split_line
from pbmserv.desk.request import Request
from pbmserv.errors import Busy, Denied, Fault, PbmservError, Refused, Throttled
from pbmserv.services.session import Source
from pbmserv.store.mail.budgets import Purpose, max_letters
from pbmserv.store.people.guesses import FREE_FAILURES_OF_WEB
from tests.databases import ONE_DATABASE
from tests.local_server import DAY, LocalServer

from .test_me import Pocket

HOUR, MINUTE = 3600, 60
HOME, AWAY = "192.0.2.0/24", "2001:db8::/64"
WRONG = "star showas alice wrong-secret 101"
RIGHT = "star showas alice secret-alice 101"


@dataclass
class Browsers:
    """Browsers of any network, each with its cookie, at a club with alice, bob and a board."""

    local: LocalServer
    cookies: dict[str, Pocket] = field(default_factory=dict)

    def ask(self, line: str, net: str = HOME, cookie: str = "", **more: Any) -> Answer:
        keys = self.cookies.setdefault(cookie, Pocket()) if cookie else Pocket()
        words = tuple(split_line(line))
        return self.local.desk.handle(Request(words, Source.WEB, keys=keys, net=net, **more))

    def error(self, line: str, net: str = HOME, cookie: str = "") -> PbmservError:
        with pytest.raises(PbmservError) as caught:
            self.ask(line, net, cookie)
        return caught.value

    def codes(self, line: str, times: int, net: str = HOME, cookie: str = "") -> list[str]:
        return [self.error(line, net, cookie).code for _ in range(times)]


def never(_seconds: float) -> None:
    raise AssertionError("A thread of the web sleeps.")


@pytest.fixture
def web(local: LocalServer, monkeypatch: pytest.MonkeyPatch) -> Browsers:
    local.desk.tree = root(SHELL, shell_families())
    local.start()
    found = Browsers(local)
    found.ask("login alice secret-alice", cookie="alice")
    monkeypatch.setattr(local.desk, "world", local.desk.world._replace(sleep=never))
    return found


def test_after_five_wrong_passwords_nothing_is_looked_at_for_a_minute(web: Browsers) -> None:
    assert ["wrong-login"] * 5 == web.codes(WRONG, 5)
    web.local.passwords.checks.clear()
    refused = web.error(WRONG)

    assert isinstance(refused, Throttled)
    assert (refused.code, refused.seconds) == ("too-many-guesses", MINUTE)
    assert "too-many-guesses" == web.error(RIGHT).code
    assert [] == web.local.passwords.checks
    web.local.clock.seconds += 20
    assert MINUTE - 20 == getattr(web.error(RIGHT), "seconds", None)
    web.local.clock.seconds += 40
    assert web.ask(RIGHT).ok
    assert "wrong-login" == web.error(WRONG).code
    assert 2 * MINUTE == getattr(web.error(RIGHT), "seconds", None)


@ONE_DATABASE
def test_a_right_password_resets_nothing(web: Browsers) -> None:
    for _ in range(5):
        assert web.ask(RIGHT).ok
        assert "wrong-login" == web.error(WRONG).code

    assert "too-many-guesses" == web.error(RIGHT).code


@ONE_DATABASE
@pytest.mark.parametrize("userid", ["ALICE", "Alice", "alice"])
def test_guesses_from_elsewhere_keep_nobody_out(web: Browsers, userid: str) -> None:
    guess = f"star showas {userid} wrong-secret 101"
    assert ["wrong-login"] * 5 == web.codes(guess, 5, AWAY)

    assert "too-many-guesses" == web.error(RIGHT, AWAY).code
    assert web.ask(RIGHT, HOME).ok
    assert web.ask("star showas bob secret-bob 101", AWAY).ok
    assert web.ask("star games me", AWAY, cookie="alice").ok
    web.local.play(101, "C1 C2")
    assert web.ask("star move 101 me B3", AWAY, cookie="alice").ok


@ONE_DATABASE
def test_whoever_guesses_for_many_players_waits_by_their_network(web: Browsers) -> None:
    names = [f"name{number}" for number in range(20)]
    told = [web.error(f"star showas {name} wrong-secret 101", AWAY).code for name in names]

    assert ["wrong-login"] * 20 == told
    assert "too-many-guesses" == web.error(RIGHT, AWAY).code
    assert "too-many-guesses" == web.error("star showas other wrong-secret 101", AWAY).code
    assert web.ask(RIGHT, HOME).ok


@ONE_DATABASE
def test_a_flood_from_everywhere_costs_nobody_more_than_a_minute(web: Browsers) -> None:
    with web.local.desk.store.writing() as records:
        for number in range(FREE_FAILURES_OF_WEB + 9):
            net = f"web 10.{number % 250}.{number // 250}.0/24"
            records.throttle.failed("alice", net, web.local.clock.now())
    refused = web.error(RIGHT)

    assert ("too-many-guesses", MINUTE) == (refused.code, getattr(refused, "seconds", None))
    assert web.ask("star games me", cookie="alice").ok
    web.local.clock.seconds += MINUTE
    assert web.ask(RIGHT).ok


@ONE_DATABASE
def test_who_is_signed_in_waits_for_their_own_slips_alone(web: Browsers) -> None:
    for number in range(20):
        web.error(f"star showas name{number} wrong-secret 101")
    web.codes(WRONG, 6)
    change = "change password alice {} another-secret"

    assert "too-many-guesses" == web.error(change.format("secret-alice")).code
    told = web.codes(change.format("wrong-secret"), 6, cookie="alice")
    assert [*["wrong-login"] * 5, "too-many-guesses"] == told
    assert "too-many-guesses" == web.error(change.format("secret-alice"), cookie="alice").code
    bob = "change password bob {} another-secret"
    assert "too-many-guesses" == web.error(bob.format("secret-bob"), cookie="alice").code
    web.local.clock.seconds += MINUTE
    assert web.ask(change.format("secret-alice"), cookie="alice").ok


@ONE_DATABASE
def test_unknown_closed_and_wrong_are_told_in_one_way_and_cost_one_check_each(
    web: Browsers,
) -> None:
    web.local.sign_up("closed")
    web.local.do("signoff closed secret-closed")
    told = []
    for number, words in enumerate(
        ("alice wrong-secret", "nobody wrong-secret", "closed secret-closed", "9-x wrong-secret")
    ):
        web.local.passwords.checks.clear()
        errors = [web.error(f"star showas {words} 101", f"10.0.{number}.0/24") for _ in range(6)]
        described = [(type(each), each.code, each.words, each.about) for each in errors]
        told.append((described, len(web.local.passwords.checks)))

    assert "pbmserv" not in told[0][0][0][2]
    assert [told[0]] * 4 == told
    assert 5 == told[0][1]


@ONE_DATABASE
def test_a_password_that_was_right_before_is_no_way_round_the_wait(web: Browsers) -> None:
    web.local.play(101, "C1 C2")
    move = "star move 101 alice secret-alice B3"
    assert web.local.passwords.remembered("secret-alice")
    web.codes(WRONG, 5)

    assert "too-many-guesses" == web.error(move).code
    assert ["C1", "C2"] == web.local.show(101)["moves"]
    web.local.clock.seconds += MINUTE
    assert web.ask(move).ok


@ONE_DATABASE
@pytest.mark.parametrize("line", [WRONG, RIGHT])
def test_nothing_is_told_of_a_password_if_others_used_up_the_tries_meanwhile(
    web: Browsers, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    verify = web.local.passwords.verify

    def slowly(password: str, stored: str | None) -> bool:
        with web.local.desk.store.writing() as records:
            for _ in range(5):
                records.throttle.failed("alice", f"web {HOME}", web.local.clock.now())
        return verify(password, stored)

    monkeypatch.setattr(web.local.passwords, "verify", slowly)

    assert "too-many-guesses" == web.error(line).code


@ONE_DATABASE
@pytest.mark.parametrize(("back", "code"), [(30, "too-many-guesses"), (DAY, "wrong-login")])
def test_a_clock_that_was_wrong_keeps_nobody_out(web: Browsers, back: int, code: str) -> None:
    web.codes(WRONG, 5)
    web.local.clock.seconds -= back

    assert code == web.error(WRONG).code


@ONE_DATABASE
def test_wrong_passwords_are_audited_and_refused_tries_are_not(web: Browsers) -> None:
    before = len(web.local.tables(but=())["audit"])
    web.codes(WRONG, 7)
    kept = web.local.audit()[before:]
    with web.local.desk.store.reading() as records:
        sources = {entry.source for entry in records.lists.audit().rows[: len(kept)]}

    assert [("showas", "wrong-login")] * 5 == kept
    assert {"web"} == sources


@ONE_DATABASE
def test_a_userid_that_nobody_has_is_kept_as_a_hash_alone(web: Browsers) -> None:
    web.error("star showas my-pass-word wrong-secret 101")

    assert "my-pass-word" not in repr(web.local.tables(but=()))
    assert "wrong-secret" not in repr(web.local.tables(but=()))


@ONE_DATABASE
@pytest.mark.parametrize("line", ["change address alice wrong-secret", WRONG])
def test_a_guess_during_maintenance_is_counted_too(web: Browsers, line: str) -> None:
    web.local.do("admin maintenance on")

    assert [*["wrong-login"] * 5, "too-many-guesses"] == web.codes(line, 6)


@ONE_DATABASE
def test_by_mail_and_in_a_shell_nobody_waits_for_guesses_by_the_web(web: Browsers) -> None:
    web.codes(WRONG, 6)
    with web.local.desk.store.reading() as records:
        throttle, now = records.throttle, web.local.clock.now()

        assert throttle.wait_until("alice", "alice@example.org") <= now
        assert 0 == throttle.pause("alice", now, is_known=True)
        assert [f"web {HOME}"] == list(throttle.waits("alice", now))


def test_moves_are_not_counted_but_talk_and_other_commands_are(web: Browsers) -> None:
    most = max_letters(Purpose.COMMAND)
    web.local.clock.seconds += HOUR  # what signing in was charged for is over
    for number in range(most):
        web.ask(f"star chat 101 me hello {number}", cookie="alice")
    refused = web.error("star chat 101 me again", cookie="alice")
    limited = web.error("star limit me 3", AWAY, cookie="alice")
    web.ask("star move 101 me C1", cookie="alice")

    assert isinstance(refused, Throttled)
    assert ("too-many-commands", HOUR) == (refused.code, refused.seconds)
    assert "too-many-commands" == limited.code
    assert ["C1"] == web.local.show(101)["moves"]
    web.ask("login bob secret-bob", cookie="bob")
    web.ask("star chat 101 me hello", cookie="bob")
    web.local.clock.seconds += HOUR
    web.ask("star chat 101 me again", cookie="alice")


@ONE_DATABASE
def test_a_command_that_is_refused_is_counted_and_leaves_no_line_once_there_are_too_many(
    web: Browsers,
) -> None:
    line, most = "star chat 101 me secret-alice is my password", max_letters(Purpose.COMMAND)
    before = len(web.local.tables(but=())["audit"])
    told = web.codes(line, most + 5, cookie="alice")
    lines = len(web.local.tables(but=())["audit"]) - before

    assert {"password-said"} == set(told[: most - 1])
    assert ["too-many-commands"] * 5 == told[-5:]
    assert most - 1 == lines


@ONE_DATABASE
@pytest.mark.parametrize(
    "line", ["star chat 999 me hello", "star chat 101 me hello", "signup alice secret-word"]
)
def test_what_strangers_are_refused_leaves_no_line(web: Browsers, line: str) -> None:
    before = web.local.tables(but=("budget",))
    web.codes(line, 3)

    assert before == web.local.tables(but=("budget",))


@ONE_DATABASE
def test_five_accounts_a_day_are_opened_from_one_network(web: Browsers) -> None:
    for number in range(5):
        web.ask(f"signup new{number} secret-word", HOME)
    taken = web.error("signup alice secret-word", AWAY)
    refused = web.error("signup new5 secret-word", HOME)

    assert "too-many-signups" == refused.code
    assert isinstance(refused, Throttled)
    assert taken.code != "too-many-signups"
    for number in range(5, 10):
        web.ask(f"signup new{number} secret-word", AWAY)
    assert "too-many-signups" == web.error("signup new10 secret-word", AWAY).code
    assert "new5" in web.local.userids()
    assert "new10" not in web.local.userids()
    web.local.do("signup new10 secret-word")
    web.local.clock.seconds += DAY
    web.ask("signup new11 secret-word", HOME)


@ONE_DATABASE
def test_fifty_accounts_a_day_are_opened_in_all(web: Browsers) -> None:
    for number in range(50):
        web.ask(f"signup new{number} secret-word", f"10.0.{number}.0/24")

    assert "too-many-signups" == web.error("signup more secret-word", "10.1.0.0/24").code
    assert 52 == len(web.local.userids())


@ONE_DATABASE
def test_no_password_is_hashed_for_an_account_too_many(
    web: Browsers, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        web.ask(f"signup new{number} secret-word")

    def hash_none(_: str) -> str:
        raise AssertionError

    monkeypatch.setattr(web.local.passwords, "hash", hash_none)

    assert "too-many-signups" == web.error("signup new5 secret-word").code


@ONE_DATABASE
def test_strangers_of_one_network_say_no_more_than_sixty_commands_an_hour(web: Browsers) -> None:
    web.local.desk.writes_letters = lambda: True
    for _ in range(60):
        web.ask("reset nobody", AWAY)

    assert "too-many-commands" == web.error("reset nobody", AWAY).code
    assert web.ask("reset nobody", HOME).ok
    assert web.ask("star games me", AWAY, cookie="alice").ok


def letters(local: LocalServer) -> list[str]:
    with local.desk.store.reading() as records:
        return sorted(records.connection.exec_driver_sql("SELECT address FROM outbox").scalars())


@ONE_DATABASE
def test_addresses_that_are_named_in_a_browser_are_asked_once_a_week(web: Browsers) -> None:
    web.local.desk.writes_letters = lambda: True
    web.ask("signup carol secret-carol c@example.org d@example.org")
    web.ask("signup erin secret-erin C@example.org", AWAY)
    with web.local.desk.store.reading() as records:
        waiting = [each.address for each in records.proof_queue.waiting(web.local.clock.now())]

    assert ["c@example.org", "d@example.org"] == letters(web.local)
    assert ["C@example.org"] == waiting


@ONE_DATABASE
def test_a_network_has_ten_addresses_asked_a_day(web: Browsers) -> None:
    web.local.desk.writes_letters = lambda: True
    for userid in ("carol", "dora"):
        named = " ".join(f"{userid}@{number}.example" for number in range(8))
        web.ask(f"signup {userid} secret-word {named}")

    assert 10 == len(letters(web.local))


@ONE_DATABASE
@pytest.mark.parametrize("line", ["star chat 101 me -", "message me bob -"])
def test_a_text_that_is_missing_is_asked_for_in_words_of_a_browser(
    web: Browsers, line: str
) -> None:
    error = web.error(line, cookie="alice")

    assert ("no-text", "Write it into the form.") == (error.code, error.hint)


@ONE_DATABASE
def test_who_is_signed_in_by_a_cookie_is_who_looks(web: Browsers) -> None:
    looked = web.ask("star show 101", cookie="alice")
    web.local.do("star chat 101 bob secret-bob hello")

    assert looked.ok
    assert web.ask("star show 101", cookie="alice").notices is None


@ONE_DATABASE
@pytest.mark.parametrize("seen", [Denied("x", code="x"), Busy()])
def test_a_password_that_nobody_could_look_at_is_not_counted(
    web: Browsers, monkeypatch: pytest.MonkeyPatch, seen: Refused | Fault
) -> None:
    def fail(_password: str, _stored: str | None) -> bool:
        raise seen

    with monkeypatch.context() as patch:
        patch.setattr(web.local.passwords, "verify", fail)
        told = web.codes(RIGHT, 9)

    assert [seen.code] * 9 == told
    assert web.ask(RIGHT).ok


@ONE_DATABASE
@pytest.mark.parametrize("ask", [lambda web: web.ask("star show 101 -svg=board.svg")])
def test_no_file_is_written(web: Browsers, ask: Callable[[Browsers], Answer]) -> None:
    with pytest.raises(Denied) as caught:
        ask(web)

    assert "shell-only" == caught.value.code
