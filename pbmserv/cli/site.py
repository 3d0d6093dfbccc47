"""``site``: the club's pages, made from the database into a folder."""

from contextlib import suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Annotated

from pbmserv import __version__
from pbmserv.cli.printing import print_notice, print_result
from pbmserv.cli.progress_bar import progress_bar
from pbmserv.cli.shell import Shell
from pbmserv.club.wording import with_count
from pbmserv.commands.declaration import Flag, Word, command
from pbmserv.commands.slots import DIR, slot
from pbmserv.errors import EXIT_DONE
from pbmserv.mail.tokens import check_base
from pbmserv.settings import find, value
from pbmserv.site.pages import SiteOptions
from pbmserv.store.files.location import full_path
from pbmserv.web.app import make_app
from pbmserv.web.club import Club
from pbmserv.web.freeze import freeze

LOOPBACK = "127.0.0.1"


@command()
def site(
    shell: Shell,
    folder: Annotated[str, Word(slot(DIR))],
    *,
    chat: Annotated[bool, Flag("show the chat of boards, too")] = False,
    serve: Annotated[bool, Flag("then serve the pages on this machine, until stopped")] = False,
) -> int:
    """Make the club's web site in the folder DIR: boards, players, standings, the manual.

    Any web server can serve the folder, and a browser can open its index.html. Only what changed
    since the last run is written: run it from cron or a timer as often as you like.
    """
    app = make_app(Club(site_options(chat=chat), lambda: shell.desk))
    with progress_bar("Pages"):
        report = freeze(app, Path(folder))
    said = f"{with_count(report.written, 'file')} written, {report.deleted} deleted."
    if report == (0, 0):
        said = "The web site is up to date."
    print_result(report._asdict(), said, shell.options)
    if serve:
        _serve(full_path(Path(folder)))
    return EXIT_DONE


def site_options(*, chat: bool = False) -> SiteOptions:
    """Return the options of the settings; raises :class:`~pbmserv.errors.Fault`."""
    address = find("mail_address")
    return SiteOptions(
        version=__version__,
        chat=chat,
        url=value("site_url"),
        mail=check_base(address) if address else "",
        club=value("club_name"),
        sentence=value("club_tagline"),
        archive=value("archive_url"),
    )


def _serve(root: Path) -> None:
    """Serve the pages on this machine until the program is stopped."""
    handler = partial(SimpleHTTPRequestHandler, directory=str(root))
    with ThreadingHTTPServer((LOOPBACK, 0), handler) as server:
        print_notice(f"The web site is at http://{LOOPBACK}:{server.server_port}/ until Ctrl-C.")
        with suppress(KeyboardInterrupt):
            server.serve_forever()
