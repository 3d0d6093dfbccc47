"""Bytes of a mail as text: character sets, transfer encodings and encoded words."""

import binascii
import re

CODECS = {
    # Bytes above 127 under these two names are in fact Windows-1252: that is where mail programs
    # put their curly quotes and dashes.
    "us-ascii": "cp1252",
    "iso-8859-1": "cp1252",
    "ascii": "cp1252",
    "latin1": "cp1252",
    "utf8": "utf-8",
    "utf-16le": "utf-16-le",
    "utf-16be": "utf-16-be",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "cp950",
    "shift_jis": "cp932",
    "shift-jis": "cp932",
    "euc-kr": "cp949",
    "ks_c_5601-1987": "cp949",
    "macintosh": "mac-roman",
    **{name: name for name in ("utf-8", "utf-16", "koi8-r", "koi8-u", "gb18030", "tis-620")},
    **{name: name for name in ("euc-jp", "iso-2022-jp", "iso-2022-kr")},
    **{f"iso-8859-{n}": f"iso-8859-{n}" for n in (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16)},
    **{f"windows-125{n}": f"cp125{n}" for n in range(9)},
    **{f"cp125{n}": f"cp125{n}" for n in range(9)},
}
"""Python's codec for each character set that is read; Python has others that are no text."""

ENCODED_WORD = re.compile(
    r"=\?([A-Za-z0-9_.:()-]{1,40}+)(?:\*[A-Za-z0-9-]{0,20}+)?\?([BbQq])\?([^?\s]*+)\?="
)


def decode_text(data: bytes, charset: str = "") -> str:
    """Return ``data`` as text; bytes that mean nothing in ``charset`` become U+FFFD.

    Without a character set it is UTF-8 where it can be and Windows-1252 where not. Of an unknown
    one only the ASCII characters are read.
    """
    name = charset.strip().lower()
    if not name:
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            return data.decode("cp1252", "replace")
    return data.decode(CODECS.get(name, "ascii"), "replace")


def decode_transfer(data: bytes, encoding: str) -> bytes | None:
    """Return the content behind a Content-Transfer-Encoding, or None if it cannot be decoded."""
    match encoding.strip().lower():
        case "" | "7bit" | "8bit" | "binary":
            return data
        case "quoted-printable":
            return binascii.a2b_qp(data)
        case "base64":
            return _from_base64(data)
        case _:
            return None


def decode_words(text: str) -> str:
    """Return ``text`` with its encoded words (RFC 2047) read; unreadable ones stay as they are.

    Neighbours in one character set are joined before they are read, because some mail programs
    cut a character in two.
    """
    pieces: list[tuple[str, bytes | str]] = []
    here = 0
    for word in ENCODED_WORD.finditer(text):
        between = text[here : word.start()]
        charset, content = _read_word(word)
        follows_another = bool(pieces) and isinstance(pieces[-1][1], bytes)
        if between and not (follows_another and charset and between.isspace()):
            pieces.append(("", between))
        pieces.append((charset, content))
        here = word.end()
    pieces.append(("", text[here:]))
    return "".join(_joined(pieces))


def _read_word(word: re.Match[str]) -> tuple[str, bytes | str]:
    charset, encoding, content = word.groups()
    if charset.lower() not in CODECS:
        return "", word.group()
    raw = content.encode("utf-8")
    data = _from_base64(raw) if encoding in "Bb" else binascii.a2b_qp(raw, header=True)
    return ("", word.group()) if data is None else (charset.lower(), data)


def _joined(pieces: list[tuple[str, bytes | str]]) -> list[str]:
    texts: list[str] = []
    waiting: list[bytes] = []
    last = ""
    for charset, content in [*pieces, ("", "")]:
        if waiting and charset != last:
            texts.append(decode_text(b"".join(waiting), last))
            waiting.clear()
        if isinstance(content, bytes):
            waiting.append(content)
            last = charset
        else:
            texts.append(content)
    return texts


def _from_base64(data: bytes) -> bytes | None:
    try:
        return binascii.a2b_base64(data + b"==")
    except binascii.Error:
        return None
