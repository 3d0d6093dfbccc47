import pytest

from pbmserv.mail.authentication import is_authenticated, passes_dmarc, sending_net

from .sample_mails import ALICE, read

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


@pytest.mark.parametrize(
    ("value", "is_believed"),
    [
        ("dmarc=pass header.from=example.org", True),
        ("dkim=pass (2048-bit key) header.d=example.org", True),
        ("dkim=pass header.i=@example.org; spf=fail smtp.mailfrom=x@example.com", True),
        ("spf=pass smtp.mailfrom=bounces@example.org", True),
        ("spf=pass smtp.mailfrom=example.org", True),
        ("dkim=pass header.d=example.com", False),
        ("dkim=pass header.d=org", False),
        ("dkim=pass header.d=sub.example.org", False),
        ("dkim=fail header.d=example.org", False),
        ("dkim=pass header.d=example.org; dkim=fail header.d=example.org", False),
        ("dkim=pass header.d=example.org; dmarc=fail header.from=example.org", False),
        ('spf=pass smtp.mailfrom="; dkim=pass header.d=example.org; x"@example.com', False),
        ("spf=softfail smtp.mailfrom=x@example.org", False),
        ("none", False),
    ],
)
def test_signature_and_envelope_vouch_for_their_domain(value: str, *, is_believed: bool) -> None:
    results = [f"{SERVER}; {value}"]

    assert is_authenticated(results, SERVER, ALICE) == is_believed
    assert not is_authenticated(results, "other.example", ALICE)
    assert not is_authenticated([f"{SERVER}; none", *results], SERVER, ALICE)


def test_a_domain_above_may_vouch() -> None:
    results = [f"{SERVER}; dkim=pass header.d=example.org"]

    assert is_authenticated(results, SERVER, "alice@mail.example.org")


@pytest.mark.parametrize(
    ("value", "net"),
    [
        ("from a.example (a.example [192.0.2.77]) by mx.example.net (Postfix)", "192.0.2.0/24"),
        ("from [9.9.9.9] (unknown [192.0.2.77])\n\tby MX.example.net with ESMTP", "192.0.2.0/24"),
        ("from a (a [IPv6:2001:db8:1:2::3]) by mx.example.net;", "2001:db8:1::/48"),
        ("from [192.0.2.77] (helo=[9.9.9.9]) by mx.example.net with esmtp", "192.0.2.0/24"),
        ("from a (a [192.0.2.77]) by mx.example.com", ""),
        ("from a by mx.example.net (Postfix)", ""),
        ("from a (a [999.1.1.1]) by mx.example.net", ""),
        ("by mx.example.net (Postfix, from userid 0)", ""),
    ],
)
def test_the_net_is_what_our_own_topmost_line_names(value: str, net: str) -> None:
    forged = "from b (b [198.51.100.1]) by mx.example.net"

    assert sending_net([value, forged], SERVER) == net
    assert sending_net([value], "") == ""
    assert sending_net([], SERVER) == ""
