"""The Maildir: moved on after the commit, put aside after three failures, never lost."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from pbmserv.errors import Fault, NotFound, Postponed
from pbmserv.mail.inbound import MAX_SIZE
from pbmserv.mail.spool import Shunted, Spool, cause_of

SECRET = "correct-horse"


@pytest.fixture
def spool(tmp_path: Path) -> Spool:
    opened = Spool(tmp_path / "in")
    opened.prepare()
    return opened


def deliver(spool: Spool, *names: str) -> None:
    for name in names:
        (spool.folder / "new" / name).write_bytes(f"mail {name} {SECRET}".encode())


def names(spool: Spool, part: str) -> list[str]:
    return sorted(path.name for path in (spool.folder / part).iterdir())


def work(
    spool: Spool, receive: Callable[[bytes], object], *, is_well: bool = True
) -> tuple[list[bool], list[str]]:
    errors: list[Exception] = []
    done = list(spool.work(receive, lambda: is_well, errors.append))
    return done, [type(error).__name__ for error in errors]


def spoilt(data: bytes) -> None:
    if b"bad" in data:
        raise ValueError(data.decode())


def test_a_mail_is_moved_on_when_it_was_taken_care_of(spool: Spool) -> None:
    deliver(spool, "1.a", "2.b:2,")
    taken: list[bytes] = []

    assert work(spool, taken.append) == ([True, True], [])
    assert len(taken) == 2
    assert names(spool, "new") == []
    assert names(spool, "cur") == ["1.a:2,S", "2.b:2,S"]


def test_mails_are_taken_in_the_order_they_came_and_then_of_their_names(spool: Spool) -> None:
    came = {"b": 200, "c": 100, "d": 300, "a": 200}
    deliver(spool, *came)
    (spool.folder / "new" / "folder").mkdir()
    for name, moment in came.items():
        os.utime(spool.folder / "new" / name, (1000 - moment, moment))
    taken: list[bytes] = []

    assert [path.name for path in spool.waiting()] == ["c", "a", "b", "d"]
    assert work(spool, taken.append) == ([True] * 4, [])
    assert [data.split()[1] for data in taken] == [b"c", b"a", b"b", b"d"]


def test_a_mail_that_fails_three_times_is_put_aside_and_holds_up_no_other(spool: Spool) -> None:
    deliver(spool, "1.bad", "2.good")
    rounds = [work(spool, spoilt) for _ in range(4)]
    (aside,) = spool.shunted()

    assert [done for done, _ in rounds] == [[False, True], [False], [False], []]
    assert names(spool, "cur") == ["2.good:2,S"]
    assert (aside.name, aside.size, aside.cause) == ("1.bad", 24, "internal error: ValueError")
    assert SECRET not in (spool.folder / "shunt" / "1.bad.json").read_text()


def test_mails_put_aside_are_told_oldest_first_with_what_is_known_of_each(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "in")

    assert list(spool.shunted()) == []

    spool.prepare()
    for name, moment in (("b", 200), ("c", 100), ("a", 200)):
        (spool.folder / "shunt" / name).write_bytes(b"x" * moment)
        os.utime(spool.folder / "shunt" / name, (moment, moment))
    note = spool.folder / "shunt" / "a.json"
    note.write_text('{"since": 150, "cause": "The disk is full."}')

    assert list(spool.shunted()) == [
        Shunted("c", 100, 100, ""),
        Shunted("a", 200, 150, "The disk is full."),
        Shunted("b", 200, 200, ""),
    ]
    spool.drop("a")
    assert names(spool, "shunt") == ["b", "c"]


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        (Fault("The disk is full.", code="database-full"), "The disk is full."),
        (OSError(28, "No space left", "/secret"), "The system says: No space left."),
        (OSError("secret"), "internal error: OSError"),
        (ValueError("secret"), "internal error: ValueError"),
    ],
)
def test_a_cause_has_no_word_of_the_mail(error: Exception, cause: str) -> None:
    assert cause_of(error) == cause


def test_a_mail_that_came_too_early_is_looked_at_again_when_its_time_has_come(
    spool: Spool, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0
    monkeypatch.setattr("pbmserv.mail.spool.time.monotonic", lambda: now)
    deliver(spool, "1.early", "2.good")

    def early(data: bytes) -> None:
        if b"early" in data:
            raise Postponed(60)

    assert work(spool, early) == ([True], [])
    looked: list[bytes] = []
    now += 59
    assert work(spool, looked.append) == ([], [])
    now += 1
    assert work(spool, looked.append) == ([True], [])
    assert len(looked) == 1
    assert spool.postponed == {}


def test_a_mail_put_aside_comes_back_whole(spool: Spool) -> None:
    deliver(spool, "1.bad")
    for _ in range(3):
        work(spool, spoilt)
    spool.retry("1.bad")

    assert names(spool, "shunt") == []
    assert work(spool, lambda data: data) == ([True], [])
    assert (spool.folder / "cur" / "1.bad:2,S").read_text().endswith(SECRET)


def test_a_mail_put_aside_can_be_dropped(spool: Spool) -> None:
    deliver(spool, "1.bad")
    for _ in range(3):
        work(spool, spoilt)
    spool.drop("1.bad")

    assert names(spool, "shunt") == []


def test_while_the_store_fails_all_wait_and_nothing_is_counted(spool: Spool) -> None:
    deliver(spool, "1.a", "2.b")

    def fail(_: bytes) -> None:
        raise Fault("The disk is full.", code="database-full")

    rounds = [work(spool, fail, is_well=False) for _ in range(5)]

    assert rounds == [([False], ["Fault"])] * 5
    assert names(spool, "new") == ["1.a", "2.b"]
    assert work(spool, lambda data: data) == ([True, True], [])


def test_what_somebody_else_moved_on_is_no_failure(spool: Spool) -> None:
    deliver(spool, "1.a", "2.bad,tries=1", "3.bad,tries=2", "4.d")

    def race(data: bytes) -> None:
        for path in (spool.folder / "new").iterdir():
            path.rename(spool.folder / "cur" / path.name)
        spoilt(data)

    assert work(spool, race) == ([True], [])
    for name in ("2.bad,tries=1", "3.bad,tries=2"):
        (spool.folder / "cur" / name).rename(spool.folder / "new" / name)
        assert work(spool, race) == ([], ["ValueError"])
    assert names(spool, "shunt") == []


def test_a_mail_taken_while_the_folder_is_read_hides_no_other(
    spool: Spool, monkeypatch: pytest.MonkeyPatch
) -> None:
    deliver(spool, "1.a", "2.b", "3.c")
    stat = Path.stat

    def race(path: Path, **options: bool) -> os.stat_result:
        status = stat(path, **options)
        if path.name == "2.b":
            path.unlink()
        return status

    monkeypatch.setattr(Path, "stat", race)

    assert work(spool, lambda data: data) == ([True, True], [])
    assert names(spool, "cur") == ["1.a:2,S", "3.c:2,S"]


def test_a_mail_that_has_nowhere_to_go_is_not_taken_for_somebody_elses(spool: Spool) -> None:
    deliver(spool, "1.a")
    (spool.folder / "cur").rmdir()

    with pytest.raises(FileNotFoundError):
        work(spool, lambda data: data)
    assert names(spool, "new") == ["1.a"]


def test_no_more_of_a_mail_is_read_than_shows_that_it_is_too_large(spool: Spool) -> None:
    (spool.folder / "new" / "1.big").write_bytes(b"x" * (MAX_SIZE + 5000))
    taken: list[bytes] = []
    work(spool, taken.append)

    assert [MAX_SIZE + 1] == [len(data) for data in taken]


@pytest.mark.parametrize("name", ["none", "../new/1.a", ".hidden", "1.bad.json", "a/b", ""])
def test_no_other_file_is_found(spool: Spool, name: str) -> None:
    deliver(spool, "1.a")
    with pytest.raises(NotFound):
        spool.find(name)
