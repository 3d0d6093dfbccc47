"""The server of the room by itself, before an application that says what it was asked.

``python raw_server.py WEB_URL PROXY ...`` listens at a port of its own, which it prints.
"""

import json
import socket
import sys
import time
from collections.abc import Iterable
from ipaddress import ip_network
from typing import Any

from pbmserv.web.listener import BehindProxies, serve

TOLD = (
    *(
        "REMOTE_ADDR",
        "HTTP_HOST",
        "HTTP_X_FORWARDED_FOR",
        "HTTP_X_FORWARDED_HOST",
        "HTTP_FORWARDED",
    ),
    *("HTTP_X_FORWARDED_PROTO", "SCRIPT_NAME", "PATH_INFO", "REQUEST_METHOD", "wsgi.url_scheme"),
)
LONG = b"x" * 4_000_000


def application(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    """Return what of the request an application sees, and its body's length."""
    path = environ["PATH_INFO"]
    if path == "/slow":
        time.sleep(1)
    body = json.dumps(
        [{name: environ.get(name) for name in TOLD}, len(environ["wsgi.input"].read())]
    ).encode()
    if path == "/long":
        body = LONG
    if path == "/broken":
        raise ZeroDivisionError("a secret")
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", str(len(body)))])
    return [body]


def main(url: str, *proxies: str) -> None:
    """Listen until stopped."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        sys.stdout.write(f"{listening.getsockname()[1]}\n")
        sys.stdout.flush()
        serve(BehindProxies(application, [ip_network(each) for each in proxies]), [listening], url)


if __name__ == "__main__":
    main(*sys.argv[1:])
