"""``mail shunt``: mails that failed three times, put aside for the operator."""

from collections.abc import Callable
from typing import Annotated, Any

from pbmserv.cli.printing import print_result
from pbmserv.cli.shell import Shell
from pbmserv.commands.declaration import Word, command
from pbmserv.commands.slots import NAME, slot
from pbmserv.daemon.club_services import Maildir, spool_at
from pbmserv.errors import EXIT_DONE
from pbmserv.mail.inbound import Incoming, read_mail
from pbmserv.mail.spool import Shunted, read_start
from pbmserv.operators.admin_views import documented, moment
from pbmserv.render.blocks import table_text

Name = Annotated[str, Word(slot(NAME))]
HEADS = ("name", "bytes", "since", "cause")
Names = Annotated[tuple[str, ...], Word(slot(NAME, many=True))]


@command()
def list_mails(shell: Shell, *, maildir: Maildir = None) -> int:
    """List mail put aside after failing three times."""
    mails = spool_at(maildir).shunted()
    table, documents = documented(HEADS, map(_row, mails), right=(1,), empty="No mail.")
    table = table._replace(heads=("mail", "bytes", "put aside", "cause"))
    print_result({"shunted": documents}, table_text(table), shell.options)
    return EXIT_DONE


@command()
def show(shell: Shell, name: Name, *, maildir: Maildir = None) -> int:
    """Show who sent a mail and why it failed, but not its Subject or text, which hold passwords."""
    spool = spool_at(maildir)
    path = spool.find(name)
    incoming = read_mail(read_start(path))
    row = next(_row(mail) for mail in spool.shunted() if mail.name == name)
    facts: dict[str, Any] = dict(zip(HEADS, row, strict=True))
    if isinstance(incoming, Incoming):
        facts |= {"from": incoming.sender, "message_id": incoming.message_id}
    facts |= {"digest": incoming.sha256, "file": str(path)}
    lines = [f"{key}: {value}" for key, value in facts.items() if value is not None]
    text = "\n".join([*lines, "Its Subject and text may hold a password."])
    print_result(facts, text, shell.options)
    return EXIT_DONE


@command()
def retry(shell: Shell, names: Names, *, maildir: Maildir = None) -> int:
    """Put mail back to be tried again."""
    return _each(shell, names, spool_at(maildir).retry)


@command()
def drop(shell: Shell, names: Names, *, maildir: Maildir = None) -> int:
    """Delete mail put aside."""
    return _each(shell, names, spool_at(maildir).drop)


def _each(shell: Shell, names: tuple[str, ...], act: Callable[[str], None]) -> int:
    for name in names:
        act(name)
    print_result({"mails": list(names)}, f"Done: {len(names)}.", shell.options)
    return EXIT_DONE


def _row(mail: Shunted) -> tuple[object, ...]:
    return mail.name, mail.size, moment(mail.since), mail.cause
