import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbmserv.mail import inbound

from . import hostile_mails
from .costly_mails import HEAD, bombs

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
LONG_AGO = 3600
"""Seconds after which the harness itself must have failed to come back."""

GATEWAY_SAMPLE = 300
"""What is brought to a whole gateway without --full: each costs it some milliseconds."""

needs_bounds = pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux tells how much memory a process uses"
)


def run_harness(*words: str, name: str = "hostile_mails") -> str:
    done = subprocess.run(
        [sys.executable, "-m", f"tests.mail.{name}", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=LONG_AGO,
        check=False,
    )
    assert (0, "") == (done.returncode, done.stderr)
    return done.stdout


def total(report: str) -> int:
    return sum(int(line.split()[0]) for line in report.splitlines())


@needs_bounds
def test_no_bomb_takes_a_second_or_much_memory() -> None:
    report = run_harness("--bombs")

    assert len(bombs()) == total(report)
    assert "too-deep" in report


@needs_bounds
def test_generated_mails_break_no_promise(full: bool) -> None:  # noqa: FBT001 - a fixture
    count = 1_000_000 if full else 5_000
    report = run_harness("--count", str(count))

    assert count == total(report)
    assert {"read", "refused: bad-encoding", "unreadable: too-deep"} <= {
        line.split(maxsplit=1)[1] for line in report.splitlines()
    }


@needs_bounds
def test_the_mails_of_pythons_own_tests_break_no_promise() -> None:
    files = [str(file) for file in hostile_mails.pythons_own()]
    if not files:
        pytest.skip("this Python was installed without its own tests")

    assert len(files) == total(run_harness(*files))


@needs_bounds
def test_hostile_mails_do_the_gateway_no_harm(tmp_path: Path, full: bool) -> None:  # noqa: FBT001
    count = 1_000_000 if full else GATEWAY_SAMPLE
    report = run_harness(str(tmp_path), f"--count={count}", name="hostile_gateway")
    print(report)
    endings = {line.split()[1]: int(line.split()[0]) for line in report.splitlines()}
    answers = endings.pop("answers")

    assert count + len(bombs()) + len(hostile_mails.pythons_own()) == sum(endings.values())
    assert answers > 0
    assert {"dropped", "duplicate", "not-your-token", "invalid-move"} <= set(endings)


@given(st.binary(max_size=300))
def test_any_bytes_are_answered(data: bytes) -> None:
    assert hostile_mails.check(data)
    assert hostile_mails.check(HEAD + data)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(hostile_mails.NAMES), st.lists(st.sampled_from(hostile_mails.PIECES))
        )
    ),
    st.lists(st.sampled_from(hostile_mails.LINES)),
)
def test_any_headers_and_lines_are_answered(
    headers: list[tuple[bytes, list[bytes]]], lines: list[bytes]
) -> None:
    head = b"".join(name + b": " + b"".join(pieces) + b"\n" for name, pieces in headers)

    assert hostile_mails.check(head + b"\n" + b"\n".join(lines))


# The harness can fail


def stall(_text: str) -> str:
    while True:
        pass


def hoard(_text: str) -> str:
    return " " * (2 * hostile_mails.MEMORY)


def stumble(_text: str) -> str:
    raise ValueError


@needs_bounds
@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (stall, "x: more than a second"),
        (hoard, "x: a defect: MemoryError"),
        (stumble, "x: a defect: ValueError"),
    ],
)
def test_a_reader_that_breaks_a_promise_is_found_out(
    fault: object, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inbound, "cut_prefixes", fault)

    with pytest.raises(SystemExit, match=expected):
        hostile_mails.run([("x", HEAD + b"\nF6")])
