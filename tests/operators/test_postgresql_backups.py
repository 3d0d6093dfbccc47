"""The backups of PostgreSQL that `help admin` tells, word for word."""

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from tests import databases
from tests.bench.club_database import build
from tests.databases import PostgresqlServer
from tests.installed_program import PROGRAM

HELP = Path(__file__).parents[2] / "help" / "admin.txt"
USUAL = (("host", "127.0.0.1"), ("port", "5432"), ("user", "postgres"))
TOOLS = ("pg_dump", "pg_restore", "createdb", "dropdb")


@pytest.mark.slow
@pytest.mark.skipif(not all(map(shutil.which, TOOLS)), reason="there are no tools of PostgreSQL")
def test_a_dump_is_restored_and_checked_as_the_page_says(
    postgresql: PostgresqlServer | str, tmp_path: Path
) -> None:
    server = databases.require(postgresql)
    from psycopg.conninfo import conninfo_to_dict

    page = HELP.read_text(encoding="utf-8").partition("# Backups of PostgreSQL")[2]
    steps = page.partition("    pg_dump")[1:]
    lines = "".join(steps).partition("\n\n")[0]
    name = f"pbmserv_told_{os.getpid()}"
    info = conninfo_to_dict(server.connection.info.dsn)
    host, port, user = (str(info.get(key) or usual) for key, usual in USUAL)
    environ = {**os.environ, "PGHOST": host, "PGPORT": port, "PGUSER": user}
    script = lines.replace("club@localhost", f"{user}@{host}:{port}").replace(
        "pbmserv ", f"{shlex.quote(PROGRAM)} "
    )
    script = script.replace("club_drill", f"{name}_drill").replace("-d club\n", f"-d {name}\n")

    def sh(text: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            ["sh", "-ec", text],
            env=environ,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )

    try:
        assert sh(f"createdb {name}").returncode == 0
        build(f"postgresql://{user}@{host}:{port}/{name}", 60)
        done = sh(script)
        left = sh(f"dropdb {name}_drill")
    finally:
        sh(f"dropdb --force --if-exists {name}_drill; dropdb --force --if-exists {name}")

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "The tables match this version.",
        "61 boards checked, no problems.",
    ]
    assert left.returncode == 1  # it is deleted
