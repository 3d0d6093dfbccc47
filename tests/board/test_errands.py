"""BackgroundTasks: work beside the loop, whose end nobody has to wait for."""

import asyncio
import subprocess
import sys

import pytest

from pbmserv.board.app import BackgroundTasks
from pbmserv.errors import Fault

NEVER_DONE = """\
import asyncio, threading
from pbmserv.board.app import BackgroundTasks

async def leave():
    task = asyncio.ensure_future(BackgroundTasks().do(threading.Event().wait))
    await asyncio.sleep(0.1)
    task.cancel()

asyncio.run(leave())
print("left")
"""


def test_work_is_done_in_order_and_its_error_is_raised() -> None:
    async def go() -> None:
        errands, done = BackgroundTasks(), []

        def fail() -> None:
            raise Fault("The database does not answer.", code="database-down")

        first = asyncio.ensure_future(errands.do(lambda: done.append(1)))
        with pytest.raises(Fault):
            await errands.do(fail)
        await first
        assert 3 == await errands.do(lambda: 3)
        assert [1] == done

    asyncio.run(go())


@pytest.mark.slow
def test_nobody_waits_at_the_end_for_what_is_never_done() -> None:
    words = [sys.executable, "-c", NEVER_DONE]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)

    assert (0, "left\n", "") == (done.returncode, done.stdout, done.stderr)
