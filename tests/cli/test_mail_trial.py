"""What ``mail test`` finds out where a letter does not come back: whatever is there, it says on."""

from pathlib import Path

import pytest

from pbmserv.cli.mail_trial import _own_log, _recipients

LISTED = '{"queue_id": "1", "recipients": [{"address": "a@b.c", "delay_reason": "lost"}]}'


@pytest.mark.parametrize("rest", ["", '{"queue_id": "2", "rec', "postqueue: warning", "{}"])
def test_a_list_of_the_queue_that_is_cut_off_tells_what_it_tells(rest: str) -> None:
    (found,) = _recipients(f"{LISTED}\n{rest}")

    assert found == {"address": "a@b.c", "delay_reason": "lost"}


def test_an_empty_log_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "mail.log"
    log.touch()
    monkeypatch.setenv("PBMSERV_MAIL_LOG", str(log))

    assert _own_log(0).value == f"{log}: empty"
