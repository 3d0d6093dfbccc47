"""A browser without script: it follows links, fills in forms, keeps cookies, and knows no more."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import urljoin, urlsplit
from xml.etree.ElementTree import Comment, Element

import html5lib
from flask import Flask

HOME = "http://localhost/"
COMMENT = str(Comment)


@dataclass(frozen=True)
class Form:
    """A form as it stands on a page, with what its fields have; a button is pressed by its text."""

    page: "Page"
    element: Element

    @property
    def fields(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for each in self.element.iter():
            name, kind = each.get("name"), each.get("type", "")
            is_off = kind in {"checkbox", "radio"} and each.get("checked") is None
            if name is None or is_off or each.tag not in {"input", "select", "textarea", "button"}:
                continue
            if each.tag == "select":
                options = list(each.iter("option"))
                chosen = [one for one in options if one.get("selected") is not None]
                value = (chosen or options)[0].get("value", "")
            else:
                value = each.get("value", "on" if kind == "checkbox" else "")
            found.setdefault(name, []).append(value)
        return found

    @property
    def words(self) -> str:
        return words_of(self.element)

    def send(self, **typed: str | list[str]) -> "Page":
        """Fill in fields and send it; ``w`` and such may have several."""
        values = self.fields | {
            name.replace("__", "-"): [value] if isinstance(value, str) else value
            for name, value in typed.items()
        }
        browser, path = self.page.browser, urljoin(self.page.url, self.element.get("action", ""))
        if self.element.get("method", "get") == "post":
            return browser.post(path, values)
        return browser.get(path.partition("?")[0], values)


@dataclass(frozen=True)
class Page:
    """What the browser shows."""

    browser: "PlainBrowser"
    url: str
    status: int
    headers: Mapping[str, str]
    data: bytes

    @cached_property
    def text(self) -> str:
        return self.data.decode()

    @cached_property
    def tree(self) -> Element:
        found: Element = html5lib.parse(self.text, namespaceHTMLElements=False)
        return found

    @property
    def path(self) -> str:
        parts = urlsplit(self.url)
        return parts.path + (f"?{parts.query}" if parts.query else "")

    @property
    def words(self) -> str:
        """What a reader sees of it."""
        return words_of(self.tree)

    @property
    def alert(self) -> str:
        """What it says that is wrong."""
        return " ".join(words_of(one) for one in self.tree.iter() if one.get("role") == "alert")

    @property
    def forms(self) -> list[Form]:
        return [Form(self, each) for each in self.tree.iter("form")]

    def form(self, words: str) -> Form:
        """Return the one form that has these words, on a button or beside it."""
        found = [each for each in self.forms if words in each.words]
        assert len(found) == 1, f"{words!r} is in {len(found)} forms of {self.path}: {self.words}"
        return found[0]

    @property
    def links(self) -> dict[str, str]:
        """The addresses by what a reader is told of each link."""
        return {
            each.get("aria-label") or words_of(each): urljoin(self.url, each.get("href", ""))
            for each in self.tree.iter()
            if str(each.tag).rpartition("}")[2] == "a" and each.get("href") is not None
        }

    def click(self, words: str) -> "Page":
        """Follow the link that is told so."""
        assert words in self.links, f"{words!r} is not among {sorted(self.links)}"
        return self.browser.get(self.links[words])

    def cells(self) -> list[str]:
        """Return the empty cells that can be chosen."""
        return [name.removesuffix(", empty") for name in self.links if name.endswith(", empty")]


def words_of(element: Element) -> str:
    return " ".join("".join(_texts(element)).split())


def _texts(element: Element) -> Iterator[str]:
    # A comment has a function for a tag.
    if str(element.tag) not in {"script", "style", "head", COMMENT}:
        yield element.text or ""
        for child in element:
            yield from _texts(child)
            yield child.tail or ""


class PlainBrowser:
    """One reader's browser, with cookies of its own; redirects are followed as browsers do."""

    def __init__(self, app: Flask, address: str = "127.0.0.1") -> None:
        self.client = app.test_client()
        self.address = address

    def get(self, path: str, query: Mapping[str, Any] | None = None) -> Page:
        return self._open("GET", path, query_string=query)

    def post(self, path: str, values: Mapping[str, Any], **headers: str) -> Page:
        return self._open("POST", path, data=values, headers=headers)

    def _open(self, method: str, path: str, **more: Any) -> Page:
        url, method_now = urljoin(HOME, path), method
        for _ in range(5):
            more.setdefault("environ_overrides", {"REMOTE_ADDR": self.address})
            answer = self.client.open(url.partition("#")[0], method=method_now, **more)
            if answer.status_code not in {302, 303, 307}:
                full = answer.request.url if method_now == "GET" else url
                return Page(self, full, answer.status_code, dict(answer.headers), answer.data)
            url, method_now, more = urljoin(url, answer.headers["Location"]), "GET", {}
        raise AssertionError(f"{path} leads round in circles")

    def sign_in(self, userid: str) -> Page:
        form = self.get("/signin").form("Password")
        return form.send(userid=userid, password=f"secret-{userid}")
