import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow


def test_of_several_programs_that_create_one_database_one_does(empty_url: str) -> None:
    code = (
        "import sys; from pbmserv.store.store import Store; Store.open(sys.argv[1], notice=print)"
    )
    words = [sys.executable, "-c", code, empty_url]
    makers = [subprocess.Popen(words, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    said = [maker.communicate()[0] for maker in makers]

    assert [maker.returncode for maker in makers] == [0] * 3
    assert [len(lines.splitlines()) for lines in sorted(said)] == [0, 0, 1]
