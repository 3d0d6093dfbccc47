"""Passwords: their hashes, equal work for every failure, and no trace of them anywhere."""

import re
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from pbmserv.desk import passwords
from pbmserv.desk.passwords import MAX_QUEUE, NOBODY, Passwords, QueuedPasswords
from pbmserv.errors import Busy
from tests.local_server import LocalServer

NOT_LET_IN = (
    "Nothing was changed.\nFor a new password, ask the operator or run: pbmserv reset USERID"
)
ARGON2 = re.compile(r"\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$")


class CountedScheme:
    """Stands in for the hashing library and counts what it is asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []

    def verify(self, word: str, stored: str) -> bool:
        self.asked.append((word, stored))
        return stored == f"hash of {word}"


@pytest.fixture
def scheme(monkeypatch: pytest.MonkeyPatch) -> CountedScheme:
    counted = CountedScheme()
    monkeypatch.setattr(passwords, "_scheme", lambda: counted)
    return counted


def test_hashes_are_as_strong_as_they_should_be() -> None:
    made = Passwords().hash("correct-horse")
    strengths = [
        tuple(map(int, found.groups())) for found in map(ARGON2.match, (made, NOBODY)) if found
    ]

    assert strengths == [(19 * 1024, 2, 1)] * 2


def test_a_real_hash_knows_its_password_and_no_other() -> None:
    real = Passwords()
    stored = real.hash("correct-horse")
    answers = [
        real.verify(word, stored) for word in ("correct-horse", "correct-horsf", "", "x" * 10_000)
    ]

    assert answers == [True, False, False, False]
    assert real.verify("correct-horse", stored)


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("word", ["", "-", "a\0bcdefgh", "\udcff" * 9, "🌟" * 9, "x" * 100_000])
def test_words_that_the_library_would_not_take_are_wrong_passwords(word: str) -> None:
    assert Passwords().verify(word, None) is False


@pytest.mark.parametrize(
    ("word", "stored"),
    [
        ("wrong-secret", "hash of right-secret"),
        ("wrong-secret", None),
        ("short", "hash of right-secret"),
        ("x" * 1000, None),
    ],
)
def test_every_failure_costs_one_check(
    scheme: CountedScheme, word: str, stored: str | None
) -> None:
    found = Passwords()
    answers = [found.verify(word, stored) for _ in range(3)]

    assert answers == [False] * 3
    assert len(scheme.asked) == 3


def test_a_success_is_remembered_for_its_hash_only(scheme: CountedScheme) -> None:
    found = Passwords()
    answers = [
        found.verify("right-secret", "hash of right-secret"),
        found.verify("right-secret", "hash of right-secret"),
        found.verify("right-secret", "hash of other-secret"),
        found.verify("other-secret", "hash of right-secret"),
    ]

    assert answers == [True, True, False, False]
    assert len(scheme.asked) == 3


def test_the_memo_holds_no_password(scheme: CountedScheme) -> None:
    found = Passwords()
    found.verify("right-secret", "hash of right-secret")

    assert len(scheme.asked) == 1
    assert "right-secret" not in repr(vars(found)).replace("hash of right-secret", "")


class HeldScheme(CountedScheme):
    """The same, which goes on only when it may, and notes its thread."""

    def __init__(self) -> None:
        super().__init__()
        self.may_go_on, self.threads = threading.Event(), set[str]()

    def verify(self, word: str, stored: str) -> bool:
        self.threads.add(threading.current_thread().name)
        assert self.may_go_on.wait(60)
        return super().verify(word, stored)

    def hash(self, word: str) -> str:
        self.verify(word, "")
        return f"hash of {word}"


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> HeldScheme:
    scheme = HeldScheme()
    monkeypatch.setattr(passwords, "_scheme", lambda: scheme)
    return scheme


def test_several_threads_have_one_more_look_at_their_passwords_and_eight_wait(
    held: HeldScheme,
) -> None:
    queued, most = QueuedPasswords(), 1 + MAX_QUEUE
    words = [f"secret-{number:02}" for number in range(most - 1)]
    with ThreadPoolExecutor(most) as pool:
        right = [pool.submit(queued.verify, word, f"hash of {word}") for word in words]
        made = pool.submit(queued.hash, "new-secret")
        while queued._places._value:
            pass
        for ask in (lambda: queued.verify("late-secret", None), lambda: queued.hash("late-secret")):
            with pytest.raises(Busy):
                ask()
        held.may_go_on.set()
        found = [each.result() for each in right]

    assert [True] * len(words) == found
    assert "hash of new-secret" == made.result()
    assert 1 == len(held.threads)
    assert threading.current_thread().name not in held.threads
    assert "late-secret" not in dict(held.asked)
    assert not queued.verify("late-secret", None)


def test_what_goes_wrong_in_the_queue_gives_its_place_free(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise ZeroDivisionError

    queued = QueuedPasswords()
    with monkeypatch.context() as patch:
        patch.setattr(passwords, "_scheme", fail)
        for _ in range(2 + MAX_QUEUE):
            with pytest.raises(ZeroDivisionError):
                queued.hash("secret-word")

    assert queued.verify("secret-word", queued.hash("secret-word"))


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize(
    ("userid", "password"),
    [
        ("alice", "wrong-secret"),
        ("nobody", "wrong-secret"),
        ("nobody", "secret-alice"),
        ("closed", "secret-closed"),
        ("known", "secret-known"),
        ("9 no userid", "wrong-secret"),
    ],
)
def test_an_unknown_userid_and_a_wrong_password_are_told_alike(
    local: LocalServer, userid: str, password: str
) -> None:
    local.sign_up("alice", "bob", "closed")
    local.start()
    local.do("signoff closed secret-closed")
    record = local.json("star export 101")["record"].replace("alice", "known")
    finished = record.replace("result: running", "result: known wins as X by resignation")
    local.do("star import bob secret-bob", finished + "\n 1. C1\n 2. C2\n")
    local.passwords.checks.clear()
    error = local.refusal(f"star move 101 '{userid}' {password} C1")

    assert (error.code, error.message, error.advice, error.about) == (
        "wrong-login",
        "The userid or the password is wrong.",
        NOT_LET_IN,
        None,
    )
    assert len(local.passwords.checks) == 1
    assert local.audit()[-1] == ("move", "wrong-login")


def test_the_syntax_is_told_where_other_words_stand_for_userid_and_password(
    local: LocalServer,
) -> None:
    local.sign_up("alice", "bob")
    local.start()
    told = f"{NOT_LET_IN}\nSyntax: star move BOARD USERID PASSWORD MOVE"

    for words in ("alice short C1", "nobody short C1", "from wrong-secret C1"):
        assert local.refusal(f"star move 101 {words}").advice.startswith(told)
    assert len(local.passwords.checks) == 3


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize(
    "line",
    [
        "add {} a@b.example",
        "change address {}",
        "change password {} another-secret",
        "signoff {}",
        "star move 101 {} C1",
        "star swap 101 {}",
        "star resign 101 {}",
        "star submit 101 {} C1",
        "star confirm 101 {}",
        "star showas {} 101",
    ],
)
def test_every_command_with_a_password_checks_it_once(local: LocalServer, line: str) -> None:
    local.start()
    local.passwords.checks.clear()
    codes = [
        local.code(line.format(login))
        for login in ("alice wrong-secret", "nobody wrong-secret", "bob secret-alice")
    ]

    assert codes == ["wrong-login"] * 3
    assert len(local.passwords.checks) == 3


def test_a_password_is_checked_once_for_many_lines(local: LocalServer) -> None:
    local.start()
    local.passwords.checks.clear()
    local.play(101, "C1 C2 B3")

    assert len(local.passwords.checks) == 2


def test_a_remembered_password_is_good_for_nobody_else_and_for_no_closed_account(
    local: LocalServer,
) -> None:
    local.start()
    local.play(101, "C1 C2")
    local.do("change password alice secret-alice another-secret")
    local.do("signoff bob secret-bob")
    lines = (
        "star move 101 alice secret-alice B3",
        "star move 101 alice secret-bob B3",
        "star move 101 bob secret-bob resign",
    )

    assert [local.code(line) for line in lines] == ["wrong-login"] * 3
    assert local.do("add alice another-secret alice@example.net").ok


def test_a_password_changed_meanwhile_lets_nobody_in(local: LocalServer) -> None:
    local.start()
    verify = local.passwords.verify

    def change_after_check(password: str, stored: str | None) -> bool:
        is_right = verify(password, stored)
        local.passwords.verify = verify  # type: ignore[method-assign]
        local.do("change password alice secret-alice another-secret")
        return is_right

    local.passwords.verify = change_after_check  # type: ignore[method-assign]
    with pytest.raises(Exception, match="userid or the password is wrong"):
        local.move(101, "alice", "C1")

    assert local.show(101)["ply"] == 0


@pytest.mark.costly
def test_guesses_in_a_shell_are_slowed_more_and_more_but_never_refused(local: LocalServer) -> None:
    pauses: list[float] = []
    local.desk.world = local.desk.world._replace(sleep=pauses.append)
    local.sign_up("alice")
    codes = {local.code(f"add alice wrong-guess{n} a@b.example") for n in range(14)}

    assert codes == {"wrong-login"}
    assert pauses == [0.25, 0.5, 1, 2, 4, 8, 8, 8, 8]
    pauses.clear()
    assert local.do("add alice secret-alice a@b.example").ok
    assert local.do("add alice secret-alice a@b.example").ok
    assert pauses == [8]


def test_guesses_of_others_hold_nobody_up_whom_this_process_knows(local: LocalServer) -> None:
    pauses: list[float] = []
    local.desk.world = local.desk.world._replace(sleep=pauses.append)
    local.start()
    local.play(101, "C1 C2")
    for _ in range(9):
        local.code("star move 101 alice wrong-guess B3")
    assert pauses
    pauses.clear()
    local.move(101, "alice", "B3")
    assert pauses == []
