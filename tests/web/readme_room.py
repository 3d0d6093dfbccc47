"""Draw the picture of the room for README: `python -m tests.web.readme_room`.

It is what Chromium shows of a board at which somebody is about to confirm a move.
"""

import io
import tempfile
import threading
from pathlib import Path

from PIL import Image
from werkzeug.serving import make_server

from pbmserv.desk.door import Desk, TimeAndChance
from pbmserv.desk.request import Request
from pbmserv.site.pages import SiteOptions
from pbmserv.store.store import Store
from pbmserv.web.app import make_app
from pbmserv.web.club import Club, WebSettings
from tests import browser
from tests.local_server import NOW, CheapPasswords
from tests.web.test_in_chromium import Silent

PICTURE = Path(__file__).parents[2] / "help" / "room.png"
MOVES = "D4 E4 D3 F3 E3 F2 C5 E5 D5 F4 G3 E6 C6 D6".split()  # noqa: SIM905
CHOSEN = "C7"
SIZE = {"width": 980, "height": 690}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        passwords, world = CheapPasswords(), TimeAndChance(now=lambda: NOW)

        def desk() -> Desk:
            url = str(Path(folder) / "club.sqlite")
            opened = lambda: Store.open(url, may_create=True)  # noqa: E731
            return Desk(opened, world, passwords=passwords)

        club = desk()
        for userid in ("alice", "bob"):
            club.handle(Request(("signup", userid, f"secret-{userid}")))
        club.handle(Request(("star", "challenge", "-size=5", "alice", "bob")))
        for turn, cell in enumerate(MOVES):
            who = ("alice", "bob")[turn % 2]
            club.handle(Request(("star", "move", "101", who, f"secret-{who}", cell)))
        club.close()
        app = make_app(Club(SiteOptions("1.0"), desk, WebSettings()))
        server = make_server("127.0.0.1", 0, app, threaded=True, request_handler=Silent)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with browser.started() as chromium:
            page = chromium.new_page(viewport=SIZE)
            root = f"http://127.0.0.1:{server.server_port}/"
            page.goto(f"{root}signin")
            page.fill("[name=userid]", "alice")
            page.fill("[name=password]", "secret-alice")
            page.click("main button")
            page.wait_for_url("**/my")
            page.goto(f"{root}boards/star/101.html?at={CHOSEN}")
            page.wait_for_selector("#replay:not([hidden])")
            picture = Image.open(io.BytesIO(page.screenshot()))
        server.shutdown()
        few = picture.convert("RGB").quantize(96, dither=Image.Dither.NONE)
        few.save(PICTURE, optimize=True)


if __name__ == "__main__":
    main()
