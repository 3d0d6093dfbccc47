"""Several threads that need the same for the first time, in processes that have just begun."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.installed_program import own_environment
from tests.local_server import LocalServer

pytestmark = pytest.mark.slow

PROGRAM = Path(__file__).with_name("first_requests.py")

AT_ONCE = """
import sys
from threading import Barrier, Thread

def look():
    gate.wait()
    try:
        {0}
    except BaseException as error:
        found.append(repr(error))

sys.setswitchinterval(1e-6)
gate, found = Barrier(16), []
threads = [Thread(target=look) for _ in range(16)]
for each in threads:
    each.start()
for each in threads:
    each.join()
print(sorted(set(found)))
"""

FIRST_HASH = 'from pbmserv.desk.passwords import Passwords; Passwords().verify("a-password", None)'
FIRST_RULES = (
    "from pbmserv.store.tables import whole_metadata; "
    "found.append(sum(len(t.constraints) + len(t.indexes) "
    "for t in whole_metadata().tables.values()))"
)


def printed(*words: str) -> str:
    line = [sys.executable, *words]
    done = subprocess.run(line, env=own_environment(), capture_output=True, text=True, check=True)
    assert "" == done.stderr
    return done.stdout


def test_sixteen_threads_hash_their_first_passwords_at_once() -> None:
    assert "[]\n" == printed("-c", AT_ONCE.format(FIRST_HASH))


def test_sixteen_threads_see_all_rules_of_the_tables() -> None:
    (count,) = json.loads(printed("-c", AT_ONCE.format(FIRST_RULES)))

    assert count > 100


def test_the_first_requests_of_sixteen_threads_load_nothing_and_all_are_done(
    tmp_path: Path,
) -> None:
    url = str(tmp_path / "games.sqlite")
    local = LocalServer(url)
    local.desk.passwords = type(local.passwords).__mro__[1]()
    local.sign_up("erased")
    local.start()
    local.desk.close()
    done, late = json.loads(printed("-P", str(PROGRAM), url))

    assert {} == {line: told for line, told in done.items() if told not in {"done", "wrong-login"}}
    assert ["change password bob wrong-secret other-secret"] == [
        line for line, told in done.items() if told == "wrong-login"
    ]
    assert [] == late
