"""Signed in once: ``me`` stands for userid and password, until the key ends."""

import os
import re
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace

import pytest
import sqlalchemy as sa

from pbmserv.cli.shell import Asker
from pbmserv.cli.shell_commands import SHELL, shell_families
from pbmserv.club.player import PlayerStatus
from pbmserv.commands.answer import Answer
from pbmserv.commands.command_table import root
from pbmserv.commands.words import split_line
from pbmserv.desk.request import Request
from pbmserv.errors import Refused
from pbmserv.services.session import Source
from pbmserv.store.files.location import parse_location
from pbmserv.store.people.signin_keys import LIFE
from pbmserv.store.store import Store
from tests.in_process_shell import Shell
from tests.local_server import DAY, LocalServer


@dataclass
class Pocket:
    """Where a test keeps a key."""

    key: str | None = None
    life: int | None = None

    def read(self) -> str | None:
        return self.key

    def keep(self, key: str) -> None:
        self.key = key

    def drop(self) -> None:
        self.key = None


@dataclass
class Terminal:
    """A shell of one user, on the server of a test, whose clock can be put forward."""

    local: LocalServer
    pocket: Pocket = field(default_factory=Pocket)

    def __post_init__(self) -> None:
        self.local.desk.tree = root(SHELL, shell_families())

    def ask(self, line: str) -> Answer:
        return self.local.desk.handle(Request(tuple(split_line(line)), keys=self.pocket))

    def code(self, line: str) -> str:
        with pytest.raises(Refused) as caught:
            self.ask(line)
        return caught.value.code

    def used_at(self) -> int:
        with self.local.desk.store.reading() as records:
            found = records.signin_keys.find(self.pocket.key or "", self.local.clock.now())
        assert found is not None
        return found.used_at - self.local.clock.seconds


@pytest.fixture
def terminal(local: LocalServer) -> Terminal:
    """Alice's shell, in which she is signed in, and a board of hers."""
    local.start()
    found = Terminal(local)
    found.ask("login alice secret-alice")
    return found


def key_files(tmp_path: Path) -> list[Path]:
    return list((tmp_path / "config").rglob("*.key"))


def test_me_stands_for_userid_and_password(playing: Shell) -> None:
    signed_in = playing.run("login alice -", stdin="secret-alice\n")
    moved = playing.run("star move 101 me D1")

    assert signed_in == (0, "You are signed in as alice: me now means you.\n", "")
    assert playing.run("whoami").out == "alice\n"
    assert moved.out.startswith("alice plays D1.")
    assert playing.json("star show 101")["moves"][-1] == "D1"


@pytest.mark.costly(stay=2)
@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("star challenge me bob", "alice plays X"),
        ("star challenge bob ME", "bob plays X"),
        ("star games me next", "101"),
        ("star show me next", "Board 101"),
        ("star showas me 101", "Board 101"),
        ("star standings me", "alice"),
        ("star standings -history=me", "rating of alice"),
        ("star history me", "No finished boards"),
        ("all show me", "101"),
        ("stats me", "No finished games"),
        ("star subscribe 101 me", "You now watch Star Board 101"),
        ("star subscribe me 101", "You now watch Star Board 101"),
        ("star unsubscribe me all", "You no longer watch"),
        ("star notify me 101", "101"),
        ("star limit me 3", "alice accepts challenges"),
        ("star seek me 1", "alice"),
        ("block me bob", "bob is blocked"),
        ("vacation me 3", "alice is on vacation"),
        ("star queue 101 me D1", "D1"),
        ("star resign 101 Me", "alice resigns"),
    ],
)
def test_me_stands_where_a_player_is_named(playing: Shell, line: str, told: str) -> None:
    playing.run("login alice secret-alice")
    done = playing.run(line)

    assert (done.code, done.err) == (0, "")
    assert told in done.out


@pytest.mark.parametrize(
    ("words", "is_said"),
    [
        ("secret-alice", False),
        ("plum-tree-7", False),
        ("secret-alice good luck", False),
        ("Congratulations!", True),
        ("hi", True),
        ('-text="plum-tree-7"', True),
        ('-text="secret-alice"', False),
    ],
)
def test_a_password_that_me_stood_for_already_is_not_said(
    playing: Shell,
    words: str,
    is_said: bool,  # noqa: FBT001
) -> None:
    playing.run("login alice secret-alice")
    done = playing.run(f"star chat 101 me {words}")

    assert done.code == 0 if is_said else done.code in (1, 2)
    assert ("password" in done.err) is not is_said
    assert len(playing.json("star chat 101 bob secret-bob")["remarks"]) == is_said


@pytest.mark.parametrize(
    "line",
    [
        "change password me another-password",
        "change address me a@example.org",
        "add me a@example.org",
        "signoff me",
        "login me",
    ],
)
def test_an_unlocked_terminal_is_no_takeover(playing: Shell, line: str) -> None:
    playing.run("login alice secret-alice")
    done = playing.run(line)

    assert (done.code, done.out) == (2, "")
    assert "This command needs the password itself; me is not enough." in done.err
    assert playing.run("star move 101 alice secret-alice D1").code == 0


def test_the_key_is_in_a_file_of_the_user_alone_and_the_database_has_a_digest(
    playing: Shell, tmp_path: Path
) -> None:
    playing.run("login alice secret-alice")
    (file,) = key_files(tmp_path)
    text = file.read_text()
    with (
        closing(Store.open(playing.url)) as store,
        store.reading() as records,
    ):
        (row,) = records.connection.execute(sa.text("SELECT * FROM signin_key")).all()

    assert f"{file.stat().st_mode:o}" == "100600"
    assert f"{file.parent.stat().st_mode:o}" == "40700"
    assert re.fullmatch(r"[0-9]+-[0-9a-f]{64}\n", text)
    assert re.fullmatch(r"[0-9a-f]{64}", row.digest)
    assert row.digest not in text


def test_every_database_has_a_key_of_its_own(playing: Shell, tmp_path: Path) -> None:
    playing.run("login alice secret-alice")
    other = f"--database={tmp_path / 'other.sqlite'}"
    playing.run(f"signup carol secret-carol {other}")

    assert playing.run(f"whoami {other}").code == 1
    assert playing.run(f"login carol secret-carol {other}").code == 0
    assert playing.run(f"whoami {other}").out == "carol\n"
    assert playing.run("whoami").out == "alice\n"
    assert len(key_files(tmp_path)) == 2


def test_a_database_has_one_key_however_it_is_named(playing: Shell, tmp_path: Path) -> None:
    files = parse_location(playing.url)
    if files.path is None:
        pytest.skip("a server's database has one name")
    playing.run("login alice secret-alice")
    (tmp_path / "link").symlink_to(files.path.parent)
    playing.monkeypatch.chdir(files.path.parent)
    name = files.path.name
    for named in (name, f"./{name}", f"sqlite:///{files.path}", str(tmp_path / "link" / name)):
        assert playing.run(f"whoami --database={named}").out == "alice\n"
    assert playing.run(f"logout --database={name}").code == 0
    assert playing.run("whoami").code == 1


def test_a_key_that_others_can_read_is_not_used(playing: Shell, tmp_path: Path) -> None:
    playing.run("login alice secret-alice")
    (file,) = key_files(tmp_path)
    file.chmod(0o644)
    done = playing.run("whoami")

    assert (done.code, done.out) == (1, "")
    assert "can be read by other users" in done.err
    assert str(file) in done.err


@pytest.mark.parametrize("what", ["no text", "a folder", "a pipe"])
def test_what_is_no_key_file_is_named_with_what_to_do(
    playing: Shell, tmp_path: Path, what: str
) -> None:
    playing.run("login alice secret-alice")
    (file,) = key_files(tmp_path)
    file.unlink()
    if what == "no text":
        file.write_bytes(b"1-\xe9\xff")
    elif what == "a folder":
        file.mkdir()
    else:
        os.mkfifo(file)
    for line in ("whoami", "star move 101 me D1", "logout"):
        done = playing.run(line)

        assert (done.code, done.out) == (1, "")
        assert f"The file with your sign-in key cannot be read: {file}." in done.err
        assert "Delete it, and sign in again with: pbmserv login USERID" in done.err
    assert playing.run("star show 101").code == 0


def test_who_signs_in_as_another_is_the_other(playing: Shell, tmp_path: Path) -> None:
    playing.run("login alice secret-alice")
    (file,) = key_files(tmp_path)
    old = file.read_text()
    playing.run("login bob secret-bob")
    new = file.read_text()
    file.write_text(old)

    assert playing.run("whoami").code == 1
    file.write_text(new)
    assert playing.run("whoami").out == "bob\n"


def test_logging_out_ends_the_key_and_removes_the_file(playing: Shell, tmp_path: Path) -> None:
    playing.run("login alice secret-alice")
    (file,) = key_files(tmp_path)
    key = file.read_text()

    assert playing.run("logout") == (0, "alice is signed out.\n", "")
    assert key_files(tmp_path) == []
    file.write_text(key)
    file.chmod(0o600)
    assert playing.run("whoami").code == 1
    assert playing.run("logout").out == "You are signed out.\n"
    assert playing.run("logout").code == 1


def test_a_batch_knows_me(playing: Shell) -> None:
    playing.run("login alice secret-alice")
    done = playing.run("batch -", stdin="star move 101 me D1\nlogout\n")

    assert "alice plays D1." in done.out
    assert "line 2: refused" in done.err


def test_logging_out_everywhere_ends_every_key(terminal: Terminal) -> None:
    elsewhere = Terminal(terminal.local)
    elsewhere.ask("login alice secret-alice")
    terminal.ask("logout -everywhere")

    assert terminal.code("whoami") == "not-signed-in"
    assert elsewhere.code("whoami") == "not-signed-in"


def test_logging_out_here_leaves_other_keys(terminal: Terminal) -> None:
    elsewhere = Terminal(terminal.local)
    elsewhere.ask("login alice secret-alice")
    terminal.ask("logout")

    assert terminal.code("whoami") == "not-signed-in"
    assert elsewhere.ask("whoami").document == {"userid": "alice"}


@pytest.mark.parametrize(
    "line",
    [
        "change password alice secret-alice other-secret",
        "admin reset-password alice other-secret",
        "signoff alice secret-alice",
        "admin close alice",
        "admin merge alice bob",
    ],
)
def test_a_key_ends_with_the_password_or_the_account(terminal: Terminal, line: str) -> None:
    if "merge" in line:
        terminal.ask("star resign 101 alice secret-alice")
    terminal.ask(line)

    assert terminal.code("whoami") == "not-signed-in"
    assert terminal.code("star challenge me bob") == "not-signed-in"


@pytest.mark.parametrize("line", ["change password alice secret-alice other-secret", "reset"])
def test_no_key_of_an_old_password_is_listed_and_those_of_others_stay(
    terminal: Terminal, line: str
) -> None:
    store, now = terminal.local.desk.store, terminal.local.clock.now()
    with store.writing() as records:
        alice, bob = records.players.find("alice"), records.players.find("bob")
        assert alice
        assert bob
        records.signin_keys.add(bob, now)
        records.resets.add(alice.id, "token", now)
    terminal.ask("reset ALICE token other-secret" if line == "reset" else line)
    with store.reading() as records:
        listed = [records.signin_keys.of_player(each.id, now) for each in (alice, bob)]

    assert [len(keys) for keys in listed] == [0, 1]


@pytest.mark.parametrize("life", [None, 12 * 3600])
def test_whoever_keeps_a_key_says_for_how_long_it_may_be_used(
    terminal: Terminal, life: int | None
) -> None:
    terminal.pocket.life = life
    terminal.ask("login alice secret-alice")
    terminal.local.clock.seconds += 12 * 3600 - 1
    assert terminal.ask("whoami").document == {"userid": "alice"}
    terminal.local.clock.seconds += 1

    if life is None:
        assert terminal.ask("whoami").document == {"userid": "alice"}
    else:
        assert terminal.code("whoami") == "not-signed-in"


def test_a_key_follows_a_player_who_is_renamed(terminal: Terminal) -> None:
    terminal.ask("admin rename alice alicia")

    assert terminal.ask("whoami").document == {"userid": "alicia"}


def test_a_key_ends_after_90_days_without_use(terminal: Terminal) -> None:
    terminal.local.clock.seconds += LIFE - 1
    terminal.ask("star games me")
    terminal.local.clock.seconds += LIFE - 1
    still = terminal.ask("whoami").document
    terminal.local.clock.seconds += LIFE

    assert still == {"userid": "alice"}
    assert terminal.code("star move 101 me C1") == "not-signed-in"


def test_the_next_login_of_anybody_deletes_the_keys_that_have_ended(terminal: Terminal) -> None:
    def count() -> int:
        with terminal.local.desk.store.writing() as records:
            return records.signin_keys.forget(terminal.local.clock.now() + 2 * LIFE)

    terminal.local.clock.seconds += LIFE
    Terminal(terminal.local).ask("login bob secret-bob")

    assert count() == 1


def test_who_signs_in_and_out_is_audited(terminal: Terminal) -> None:
    terminal.ask("logout")
    terminal.ask("login bob secret-bob")
    terminal.ask("logout -everywhere")
    rows = terminal.ask("admin audit").document["audit"]
    noted = [
        (row["verb"], row["player"], row["detail"]) for row in rows if row["verb"].startswith("log")
    ]

    assert noted[::-1] == [
        ("login", "alice", ""),
        ("logout", None, "alice"),
        ("login", "bob", ""),
        ("logout", None, "bob everywhere"),
    ]


def test_use_is_noted_once_a_day_and_looking_writes_nothing_else(terminal: Terminal) -> None:
    terminal.local.clock.seconds += DAY - 1
    before = terminal.local.tables(but=())
    terminal.ask("star games me")
    after = terminal.local.tables(but=())
    terminal.local.clock.seconds += 1
    terminal.ask("star games me")

    assert after == before
    assert terminal.used_at() == 0


def test_looking_as_me_opens_no_writing_transaction(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: Store) -> None:
        raise AssertionError

    monkeypatch.setattr(Store, "writing", refuse)

    assert terminal.ask("whoami").document == {"userid": "alice"}
    assert terminal.ask("star showas me 101").document["board"] == 101


def test_no_password_is_hashed_for_me(terminal: Terminal) -> None:
    terminal.local.passwords.checks.clear()
    terminal.ask("star move 101 me C1")

    assert terminal.local.passwords.checks == []


def test_me_is_refused_by_mail_and_by_programs_without_a_key(terminal: Terminal) -> None:
    by_mail = Request(("star", "challenge", "me", "bob"), Source.MAIL, sender="a@example.org")
    with pytest.raises(Refused) as caught:
        terminal.local.desk.handle(by_mail)

    assert caught.value.code == "me-by-mail"
    assert terminal.local.code("star move 101 me C1") == "me-by-mail"


def test_an_operator_names_every_account_by_its_own_userid(terminal: Terminal) -> None:
    with terminal.local.desk.store.writing() as records:
        records.players.add("me", None, (), status=PlayerStatus.ACTIVE, now=0)

    assert terminal.ask("admin player me").document["userid"] == "me"
    assert terminal.ask("admin rename me someone").document == {"userid": "someone", "was": "me"}
    assert terminal.ask("whoami").document == {"userid": "alice"}


def test_nobody_signs_up_as_me(terminal: Terminal) -> None:
    for word in ("me", "ME", "login", "logout", "whoami", "gate"):
        assert terminal.code(f"signup {word} secret-words") == "userid-reserved"


SPOILT: list[Callable[[str], str]] = [
    lambda key: key[:-1],
    lambda key: f"{key[:-1]}{'0' if key[-1] != '0' else '1'}",
    lambda key: f"2{key}",
    lambda _: "",
    lambda _: "1-",
    lambda key: f"999999999{key[1:]}",
]


@pytest.mark.parametrize("spoil", SPOILT)
def test_a_key_that_is_not_whole_signs_nobody_in(
    terminal: Terminal, spoil: Callable[[str], str]
) -> None:
    assert terminal.pocket.key is not None
    terminal.pocket.key = spoil(terminal.pocket.key)

    assert terminal.code("star move 101 me C1") == "not-signed-in"


def test_a_folder_that_cannot_be_made_refuses_the_login(playing: Shell, tmp_path: Path) -> None:
    (tmp_path / "config").write_text("")
    done = playing.run("login alice secret-alice")

    assert (done.code, done.out) == (1, "")
    assert "cannot be made" in done.err or "cannot be read" in done.err
    assert playing.run("admin audit").out.count("login") == 1


def test_at_a_terminal_a_new_password_alone_is_typed_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, bool, bool]] = []

    def prompt(text: str, *, hide_input: bool, err: bool, confirmation_prompt: str | bool) -> str:
        assert err
        asked.append((text, hide_input, bool(confirmation_prompt)))
        return "typed"

    monkeypatch.setattr("click.prompt", prompt)
    monkeypatch.setattr("sys.stdin", SimpleNamespace(isatty=lambda: True))
    monkeypatch.delenv("PBMSERV_PASSWORD", raising=False)
    ask = Asker(may_read=True)

    assert [ask.userid(), ask(is_new=False), ask(is_new=True, is_left_out=True)] == ["typed"] * 3
    assert asked == [
        ("Userid", False, False),
        ("Password", True, False),
        ("New password", True, True),
    ]
