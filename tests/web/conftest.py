"""A club in a browser: the application over a database of the test's own."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from flask import Flask

from pbmserv.desk.door import Desk, TimeAndChance
from pbmserv.site.pages import SiteOptions
from pbmserv.store.store import Store
from pbmserv.web.app import make_app
from pbmserv.web.club import Club, WebSettings
from tests.local_server import LocalServer
from tests.web.plain_browser import PlainBrowser

SETTINGS = WebSettings(takes_signups=True)


@dataclass
class Room:
    """The club's application and the server behind it; defects are kept in ``failures``."""

    local: LocalServer
    settings: WebSettings = SETTINGS
    desks: list[Desk] = field(default_factory=list)
    failures: list[Exception] = field(default_factory=list)

    def __post_init__(self) -> None:
        options = SiteOptions("1.0")
        club = Club(options, self.new_desk, self.settings, failed=self.failures.append)
        self.app: Flask = make_app(club)

    def new_desk(self) -> Desk:
        local = self.local
        desk = Desk(
            lambda: Store.open(local.url),
            TimeAndChance(now=local.clock.now, sleep=local.clock.sleep),
            passwords=local.passwords,
        )
        self.desks.append(desk)
        return desk

    def browser(self, **more: Any) -> PlainBrowser:
        return PlainBrowser(self.app, **more)

    def signed_in(self, userid: str) -> PlainBrowser:
        browser = self.browser()
        page = browser.sign_in(userid)
        assert page.status == 200, page.words
        return browser


@pytest.fixture
def room(local: LocalServer) -> Iterator[Room]:
    found = Room(local)
    yield found
    if found.failures:
        raise found.failures[0]
    for desk in found.desks:
        desk.close()
