"""What the settings say of the club's pages, kept as files or alive."""

from pbmserv import __version__
from pbmserv.mail.tokens import check_base
from pbmserv.settings import find, value
from pbmserv.site.pages import SiteOptions


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
    )
