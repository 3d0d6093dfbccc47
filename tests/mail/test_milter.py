"""A real milter vouches for a sender: a mail signed by dkimpy, opendkim behind a real Postfix."""

from pathlib import Path

import pytest

from tests.mail import recipe_machine
from tests.mail.recipe_machine import Machine
from tests.mail.test_recipes_alone import ALICE, US, follow

pytestmark = pytest.mark.slow

OPENDKIM = """\
openssl genrsa -traditional -out {folder}/key 2048 2> /dev/null
public=$(openssl rsa -in {folder}/key -pubout -outform DER 2> /dev/null | base64 -w 0)
echo "games._domainkey.example.net v=DKIM1; k=rsa; p=$public" > {folder}/public
cat > {folder}/opendkim.conf <<'END'
Mode v
Socket inet:8891@127.0.0.1
AuthservID mx.example.org
RemoveARFrom mx.example.org
TestPublicKeys {folder}/public
Background no
END
opendkim -x {folder}/opendkim.conf > /var/log/opendkim 2>&1 &
until (: < /dev/tcp/127.0.0.1/8891); do sleep 0.1; done
postconf -e smtpd_milters=inet:127.0.0.1:8891
postfix reload
"""


def send(here: Machine, subject: str, *, is_signed: bool, headers: str = "") -> None:
    """Send a mail of alice's, signed by her domain or not."""
    import dkim

    inside = Path(f"/proc/{here.pid}/root{here.folder}")
    content = f"From: {ALICE}\r\nTo: {US}\r\nSubject: {subject}\r\n\r\nHello.\r\n".encode()
    if is_signed:
        key = (inside / "key").read_bytes()
        content = dkim.sign(content, b"games", b"example.net", key) + content
    (inside / "mail").write_bytes(headers.encode() + content)
    here.run(
        f"swaks --silent 2 --server 192.0.2.1 --from {ALICE} --to {US} --data @{here.folder}/mail"
    )


def test_a_signed_mail_needs_no_password_and_a_forged_one_is_asked_back(
    open_folder: Path,
) -> None:
    pytest.importorskip("dkim")
    python = recipe_machine.require("swaks", "smtp-sink", "opendkim", "openssl")
    forged = "Authentication-Results: mx.example.org; dkim=pass header.d=example.net\r\n"
    with recipe_machine.machine(open_folder, python) as here:
        recipe_machine.fresh_postfix(here)
        here.run("echo 'mail_authserv_id = \"mx.example.org\"' > /etc/pbmserv.toml")
        unchecked = follow(here, "postfix-lmtp")
        here.run(f"pbmserv signup alice correct-horse {ALICE}; pbmserv signup bob correct-house")
        here.run(OPENDKIM.format(folder=here.folder))
        checked = here.run("pbmserv doctor", check=False)
        send(here, "star challenge alice bob -size=3", is_signed=False, headers=forged)
        question = here.letter(ALICE, 0)["Subject"]
        send(here, "star challenge alice bob -size=3", is_signed=True)
        board = here.letter(ALICE, 1)["Subject"]

    assert "Nothing here checks senders" in unchecked
    assert "Nothing here checks senders" not in checked
    assert "mx.example.org is trusted" in checked
    assert question.startswith("Confirm challenge")
    assert board == "Star Board 101 alice"
