"""What pages are made of: templates are compiled, and some boards drawn, once in a run."""

from collections.abc import Callable
from functools import partial
from typing import Any

import jinja2
import resvg_py
from flask import Response

from pbmserv.web import club, public


def share() -> None:
    """Have every site of this process use what others compiled and drew."""
    compiled = once(jinja2.Environment.compile)
    jinja2.Environment.compile = compiled  # type: ignore[method-assign]
    resvg_py.svg_to_bytes = once(resvg_py.svg_to_bytes)
    vars(public)["respond"] = respond_with_pictures_kept


def once(make: Callable[..., Any]) -> Callable[..., Any]:
    """Return what remembers its answers, but for the site that asks."""
    known: dict[str, Any] = {}

    def remembered(*words: Any, **options: Any) -> Any:
        key = repr([[word for word in words if not isinstance(word, jinja2.Environment)], options])
        if key not in known:
            known[key] = make(*words, **options)
        return known[key]

    return remembered


def respond_with_pictures_kept(
    make: Callable[[], str | bytes], mime: str, tag: str, changed_at: int = 0
) -> Response:
    """Respond as the program does; pictures that follow from the options alone are drawn once."""
    if isinstance(make, partial) and not tag and mime != "text/html":
        make = partial(picture, make.func, club.current().options, make.keywords)
    return club.respond(make, mime, tag, changed_at)


picture = once(lambda view, _, values: view(**values))
