import pytest

from pbmserv.mail.authentication import passes_dmarc

from .letters import ALICE, read

SERVER = "mx.example.net"
PASS = f"{SERVER}; dmarc=pass header.from=example.org"

GOOD = [
    PASS,
    f"{SERVER} 1; dmarc=pass header.from=example.org",
    "MX.Example.NET; DMARC=Pass header.from=Example.ORG",
    f"{SERVER}; spf=fail smtp.mailfrom=x@example.org; dmarc=pass (p=none) header.from=example.org",
    f"{SERVER}; dmarc=pass (a (nested \\) one)) policy.x=y header.from=example.org; dkim=none",
    f"{SERVER};\n\tdkim=pass header.d=example.org;\n\tdmarc=pass header.from=example.org",
    f'{SERVER}; spf=pass smtp.mailfrom="a; b"@example.org; dmarc=pass header.from=example.org',
    f'{SERVER}; dmarc=pass (quote " in it) header.from=example.org',
    f"{SERVER}; dmarc = pass header.from = example.org",
]


@pytest.mark.parametrize("value", GOOD)
def test_our_own_servers_word_counts(value: str) -> None:
    results = read(f"Authentication-Results: {value}").authentication_results

    assert passes_dmarc(results, SERVER, ALICE)


BAD = [
    [],
    [""],
    [";"],
    [f"{SERVER}"],
    [f"{SERVER}; none"],
    [f"{SERVER}; dmarc=fail header.from=example.org"],
    [f"{SERVER}; dmarc=pass"],
    [f"{SERVER}; dmarc=pass header.from=example.com"],
    [f"{SERVER}; dmarc=pass header.from=sub.example.org"],
    [f"{SERVER}; dmarc=pass header.from=example.org header.from=example.com"],
    [f"{SERVER}; dmarc=pass header.from=example.org; dmarc=fail header.from=example.org"],
    [f"{SERVER}; dmarc=passed header.from=example.org"],
    [f'{SERVER}; dmarc="pass" header.from=example.org'],
    [f"{SERVER}; x-dmarc=pass header.from=example.org"],
    [f"{SERVER}; spf=pass dmarc=pass header.from=example.org"],
    [f"{SERVER}; (dmarc=pass header.from=example.org)"],
    [f"{SERVER}; dmarc=pass (header.from=example.org)"],
    [f"{SERVER}; dmarc=fail (; dmarc=pass header.from=example.org"],
    [f"{SERVER}; dmarc=fail ); dmarc=pass header.from=example.org"],
    [f'{SERVER}; spf=pass smtp.mailfrom="; dmarc=pass header.from=example.org"@x'],
    [f'{SERVER}; spf=pass smtp.mailfrom="; dmarc=pass header.from=example.org'],
    [f"{SERVER}; spf=pass smtp.mailfrom=\\; dmarc=pass header.from=example.org"],
    [f"{SERVER}.example.com; dmarc=pass header.from=example.org"],
    ["mx.example.com; dmarc=pass header.from=example.org"],
    [f"({SERVER}) mx.example.com; dmarc=pass header.from=example.org"],
    [f'"{SERVER}"; dmarc=pass header.from=example.org'],
    ["; dmarc=pass header.from=example.org"],
    [f"{SERVER}; dmarc=fail header.from=example.org", PASS],
    [f"{SERVER}; none", PASS],
    [f"{SERVER}; spf=fail smtp.mailfrom=a;dmarc=pass header.from=example.org (b; dmarc=fail (x))"],
    [f'{SERVER}; spf=none smtp.helo=a;dmarc=pass header.from=example.org b="; dmarc=none c="d"'],
    [f"{SERVER}; dmarc=pass header.from=example.org ((\n\tdmarc = none) (p=none))"],
]


@pytest.mark.parametrize("values", BAD)
def test_a_forged_or_doubtful_result_counts_for_nothing(values: list[str]) -> None:
    assert not passes_dmarc(values, SERVER, ALICE)


UNREADABLE = [
    f"{SERVER}; dkim=fail header.i=a(@evil.test; dmarc=fail header.from=example.org",
    f'{SERVER}; dkim=pass header.i="x; dmarc=fail header.from=example.org',
    f"{SERVER} (x; dmarc=fail header.from=example.org",
    f"({SERVER}; dmarc=fail header.from=example.org",
    f"{SERVER}; spf=pass smtp.mailfrom=a)b@x; dmarc=fail header.from=example.org",
    f'{SERVER}; dmarc=fail reason="a\\" header.from=example.org',
    f"{SERVER}; spf=fail smtp.mailfrom=a\\; dmarc=fail header.from=example.org",
    f'"{SERVER}"; dmarc=fail header.from=example.org',
    f"; {SERVER}; dmarc=fail header.from=example.org",
    "",
]


@pytest.mark.parametrize("value", UNREADABLE)
def test_below_a_header_that_cannot_be_read_nothing_is_believed(value: str) -> None:
    assert not passes_dmarc([value, PASS], SERVER, ALICE)
    assert not passes_dmarc(["mx.example.com; dmarc=fail", value, PASS], SERVER, ALICE)


def test_results_of_forwarders_within_a_comment_hide_nothing() -> None:
    chain = f"{SERVER}; arc=pass (i=1 spf=pass dmarc=pass fromdomain=example.org); "

    assert passes_dmarc([f"{chain}dmarc=pass header.from=example.org"], SERVER, ALICE)


def test_results_of_other_servers_are_passed_over() -> None:
    assert passes_dmarc(["mx.example.com; dmarc=fail", PASS], SERVER, ALICE)


def test_without_a_sender_or_a_server_nothing_passes() -> None:
    assert not passes_dmarc([PASS], SERVER, None)
    assert not passes_dmarc([PASS.replace(SERVER, "")], "", ALICE)
