"""``mail setup``: what to write into the files of a mail server, filled in for this machine."""

import getpass
import os
import sys
from pathlib import Path
from string import Template
from typing import Annotated

from pbmserv.cli.printing import print_result
from pbmserv.cli.shell import Shell
from pbmserv.commands.declaration import Word, command
from pbmserv.errors import EXIT_DONE, Misunderstood
from pbmserv.settings import config_file, database_url, default_database, find

SCRIPT = "/usr/local/lib/pbmserv-receive"
LISTEN = "127.0.0.1:8024"

PIPE = """\
#!/bin/sh
# $script, mode 0755: what is handed each mail. It exits with 0 or 75 only.
export PBMSERV_CONFIG='$config'
'$program' mail receive --recipient="$${1-$$RECIPIENT}" --sender="$${2-$$SENDER}" || exit 75
"""
"""The mail server names the addresses as words, or in the environment as Exim does."""

RECIPES = {
    "postfix": """\
# /etc/postfix/main.cf
recipient_delimiter = +
transport_maps = texthash:/etc/postfix/pbmserv
pbmserv_destination_recipient_limit = 1

# /etc/postfix/pbmserv; $local must be a user of this machine, or an alias
$address  pbmserv:

# /etc/postfix/master.cf
pbmserv unix - n n - 1 pipe
  flags=Rq user=$user null_sender=
  argv=$script $${recipient} $${sender}

$pipe
# Instead of the pipe, into a Maildir for pbmserv mail run: leave out transport_maps and
# what belongs to it, and write into the file .forward in the home folder of $local
$maildir/

# Or to pbmserv mail serve --lmtp=$listen: in /etc/postfix/pbmserv
$address  lmtp:inet:$listen
""",
    "exim": """\
# among the routers, before those of local users
pbmserv:
  driver = accept
  domains = $domain
  local_parts = $local
  local_part_suffix = +*
  local_part_suffix_optional
  transport = pbmserv

# among the transports
pbmserv:
  driver = pipe
  command = $script
  user = $user
  return_path_add
  temp_errors = 73 : 75
  return_output = false
  timeout_defer

$pipe""",
    "opensmtpd": """\
# /etc/smtpd.conf; pbmserv mail serve --lmtp=$listen must run (see: mail setup systemd)
action "pbmserv" relay host "lmtp://$listen"
match from any for rcpt-to regex "^$local_regex([+].*)?@$domain_regex$$" action "pbmserv"
""",
    "procmail": """\
# .procmailrc of the user that gets the mail for $address; pbmserv mail run does the rest.
# The mail server must deliver $local+ANYTHING@$domain to the same user.
:0
$maildir/

# The same for maildrop, in .mailfilter
to "$maildir"
""",
    "getmail": """\
# ~/.config/getmail/getmailrc, for a plain mailbox at a provider that delivers
# $local+ANYTHING@$domain to it; run getmail every minute, and pbmserv mail run beside it.
[retriever]
type = SimpleIMAPSSLRetriever
server = imap.example.org
username = $local
password_command = ("cat", "/etc/pbmserv-mailbox-password")
mailboxes = ("INBOX",)

[destination]
type = Maildir
path = $maildir/

[options]
read_all = false
delete = true
delivered_to = false
received = false
""",
    "systemd": """\
# /etc/systemd/system/pbmserv.service
[Unit]
Description=pbmserv: mails in and out
After=network.target

[Service]
User=$user
Environment=PBMSERV_CONFIG=$config
ExecStart=$program mail run
# or: ExecStart=$program mail serve --lmtp=$listen
Restart=always
RestartSec=10
UMask=0077

[Install]
WantedBy=multi-user.target

# Where mails come in by the pipe nothing runs; this settles the clocks and sends the answers:
# /etc/systemd/system/pbmserv-send.service
[Service]
Type=oneshot
User=$user
Environment=PBMSERV_CONFIG=$config
ExecStart=-$program tick
ExecStart=$program mail send
UMask=0077

# /etc/systemd/system/pbmserv-send.timer
[Timer]
OnCalendar=minutely
[Install]
WantedBy=timers.target
""",
}


def _parse_server(text: str) -> str:
    if text.lower() not in RECIPES:
        raise Misunderstood(
            "There is no recipe for that.",
            code="no-such-recipe",
            hint=f"There are recipes for {', '.join(RECIPES)}.",
            about=text,
        )
    return text.lower()


@command()
def setup(shell: Shell, server: Annotated[str, Word("|".join(RECIPES), _parse_server)]) -> int:
    """Print what to put into a mail server's files, with this machine's paths filled in.

    Nothing is written. Run it as the user who owns the database.
    """
    recipe = recipe_for(server)
    print_result({"server": server, "recipe": recipe}, recipe.removesuffix("\n"), shell.options)
    return EXIT_DONE


def recipe_for(server: str) -> str:
    """Return the recipe with the paths of this machine and our address in it."""
    address = find("mail_address") or "pbmserv@example.org"
    local, _, domain = address.rpartition("@")
    values = {
        "address": address,
        "local": local,
        "domain": domain,
        "local_regex": local.replace(".", "[.]"),
        "domain_regex": domain.replace(".", "[.]"),
        "user": _user(),
        "program": str(Path(sys.executable).with_name("pbmserv")),
        "config": str(config_file().absolute()),
        "maildir": (find("maildir") or str(default_database().with_name("Maildir"))).rstrip("/"),
        "script": SCRIPT,
        "listen": LISTEN,
    }
    pipe = Template(PIPE).substitute(values)
    settings = "".join(f"{line}\n" for line in _settings(address, values["maildir"]))
    recipe = Template(RECIPES[server]).substitute(values, pipe=pipe)
    return f"# {values['config']}, readable for {values['user']} only\n{settings}\n{recipe}"


def _settings(address: str, maildir: str) -> list[str]:
    """Return the lines of our own settings file that mail needs; secrets are left to fill in."""
    return [
        f'mail_address = "{address}"',
        'mail_out = "sendmail:/usr/sbin/sendmail"',
        f'maildir = "{maildir}"',
        "# database_url is set"
        if database_url() != str(default_database())
        else f'database_url = "{default_database()}"',
        f'mail_keys = "{find("mail_keys") or default_database().with_name("mail.keys")}"',
        f'mail_log = "{find("mail_log") or default_database().with_name("mail.log")}"',
    ]


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.getuid())
