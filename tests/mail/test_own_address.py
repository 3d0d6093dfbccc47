"""The server's own address is nobody's, at no door; what it refuses for good is told at once."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from pbmserv.cli.main import run
from pbmserv.club.player import is_mail_for
from pbmserv.mail.loop_guard import ServerAddress
from tests.databases import copy_template
from tests.mail.loopback_mail_server import mail_server
from tests.mail.server_by_mail import ClubByMail

US = "games@club.example"
OURS = [
    US,
    "GAMES@Club.Example",
    "games+x@club.example",
    "Games+ceaqaaaaaa@CLUB.example",
    "games+a+b@club.example",
    "games+@club.example",
]
OTHERS = [
    "game@club.example",
    "g.ames@club.example",
    "games%2Bx@club.example",
    "games-x@club.example",
    "games@sub.club.example",
    "games@club.example.org",
    "xgames@club.example",
    "games+club.example@other.example",
]


class Terminal:
    """A shell over a database of its own; ``mail_address`` may be set when accounts exist."""

    def __init__(self, folder: Path, template: Path, patch: pytest.MonkeyPatch, out: Any) -> None:
        self.patch, self.out = patch, out
        patch.setenv("PBMSERV_CONFIG", os.devnull)
        patch.setenv("PBMSERV_DATABASE_URL", copy_template(template, folder / "db"))
        patch.setenv("PBMSERV_MAIL_KEYS", str(folder / "mail.keys"))
        patch.setenv("PBMSERV_MAIL_ADDRESS", US)

    def run(self, line: str) -> tuple[int, str]:
        code = run([*line.split(), "--json"])
        printed = self.out.readouterr()
        return code, printed.out or printed.err

    def code(self, line: str) -> str:
        status, said = self.run(line)
        return "done" if status == 0 else str(json.loads(said)["error"]["code"])

    def fact(self, name: str) -> dict[str, str] | None:
        facts = json.loads(self.run("doctor")[1])["facts"]
        return next((fact for fact in facts if fact["name"] == name), None)


@pytest.fixture
def terminal(
    tmp_path: Path,
    sqlite_template: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Terminal:
    return Terminal(tmp_path, sqlite_template, monkeypatch, capsys)


@pytest.mark.parametrize("address", OURS)
def test_one_function_knows_our_address(address: str) -> None:
    assert is_mail_for(address, US)
    assert ServerAddress(US).is_ours(address)
    assert not is_mail_for(address, "")


@pytest.mark.parametrize(
    "address", [*OTHERS, "", "games", "@", "game\N{LATIN SMALL LETTER LONG S}@club.example"]
)
def test_no_other_address_is_ours(address: str) -> None:
    assert not is_mail_for(address, US)


@pytest.mark.costly
def test_our_address_is_nobodys_in_a_shell(terminal: Terminal) -> None:
    assert terminal.code("signup alice secret-alice alice@example.net") == "done"
    for address in OURS:
        for line in (
            f"signup bob secret-bob {address}",
            f"signup bob secret-bob bob@example.net {address}",
            f"add alice secret-alice {address}",
            f"add alice secret-alice other@example.net {address}",
            f"change address alice secret-alice {address}",
        ):
            assert terminal.code(line) == "own-address", line
    account = terminal.run("account alice secret-alice")[1]

    assert "alice@example.net" in account
    assert "club.example" not in account
    assert terminal.code(f"add alice secret-alice {' '.join(OTHERS)}") == "done"


@pytest.mark.costly
def test_who_had_our_address_before_it_was_ours_is_told_of_and_can_leave_it(
    terminal: Terminal,
) -> None:
    terminal.patch.delenv("PBMSERV_MAIL_ADDRESS")
    assert terminal.code("signup alice secret-alice games+x@CLUB.example") == "done"
    assert terminal.code("signup bob secret-bob games-x@club.example") == "done"
    terminal.patch.setenv("PBMSERV_MAIL_ADDRESS", US)
    found = terminal.fact("addresses")

    assert found is not None
    assert found["value"] == "games+x@CLUB.example of alice"
    assert "own address" in found["problem"]
    assert terminal.code("add alice secret-alice alice@example.net") == "done"
    assert terminal.code("change address alice secret-alice alice@example.net") == "done"
    assert terminal.fact("addresses") is None


def test_our_address_is_nobodys_by_mail(office: ClubByMail) -> None:
    office.desk.own_address = lambda: "pbmserv@example.org"
    office.join("alice")
    for address in ("pbmserv@example.org", "PBMserv+x@Example.ORG"):
        outcomes = [
            office.mail("alice@example.net", f"add alice secret-alice {address}"),
            office.mail("alice@example.net", f"change address alice secret-alice {address}"),
            office.mail("bob@example.net", f"signup bob secret-bob {address}"),
        ]
        assert outcomes == ["own-address"] * 3
        assert {letter.to for letter in office.collect()} <= {
            "alice@example.net",
            "bob@example.net",
        }
        office.mail(address, "signup carol secret-carol")
        assert office.log[-1].reason == "own-address"
    with office.desk.store.reading() as records:
        assert [player.userid for player in records.lists.players().rows] == ["alice"]


@pytest.mark.costly
def test_what_is_refused_for_good_is_told_by_doctor_and_letter(terminal: Terminal) -> None:
    terminal.run("signup alice secret-alice alice@example.net")
    terminal.run("signup bob secret-bob bob@example.net")
    terminal.run("star challenge alice bob")
    assert terminal.fact("permanently refused") is None
    with mail_server() as server:
        server.refuse["bob@example.net"] = "550 5.1.1 No such user"
        terminal.patch.setenv("PBMSERV_MAIL_TRANSPORT", f"smtp://127.0.0.1:{server.port}")
        terminal.patch.setenv("PBMSERV_OPERATOR_ADDRESS", "boss@example.net")
        status, said = terminal.run("mail send")
        found = terminal.fact("permanently refused")
        sent = [to for _, to, _ in server.mails]

    assert (status, json.loads(said)["failed"]) == (1, 1)
    assert sent == [["alice@example.net"], ["boss@example.net"]]
    assert found is not None
    assert found["value"] == "1"
    assert "for bob@example.net: The mail server said: 550 5.1.1 No such user" in found["problem"]
