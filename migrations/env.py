"""Where Alembic enters: runs the migrations on the connection it is given.

A new migration is a new file ``versions/NNNN_what.py`` whose ``revision`` is its number and whose
``down_revision`` the number before; ``HEAD`` in ``pbmserv/store/files/schema.py`` names the
newest. A released file is never changed, and there is no way back but a backup: no ``downgrade``.

The connection is in a transaction, with foreign keys switched off on SQLite, so that batch mode
can rebuild a table without taking its children along; they are checked before the commit.
"""

from contextlib import suppress
from itertools import count

import sqlalchemy as sa
from alembic import context

from pbmserv.engine.score import Reason
from pbmserv.errors import Fault
from pbmserv.store.files.schema import RATED_ANEW
from pbmserv.store.store import Records
from pbmserv.store.tables import match, whole_metadata


def rate_anew(records: Records) -> None:
    """Note which games were agreed on too early to be rated, and rate all others.

    By the program's own rule, and so in tables as they are now: no migration could do it.
    """
    is_agreed = match.c.reason == Reason.AGREEMENT.value
    for match_id in records.connection.scalars(sa.select(match.c.id).where(is_agreed)).all():
        with suppress(Fault):  # a damaged board, of which admin check tells
            found = records.matches.get(match_id)
            if found is not None and found.is_agreed_early:
                own = match.update().where(match.c.id == match_id)
                records.connection.execute(own.values(is_early=1))
    records.ratings.rebuild()


made = count(1)
tell = context.config.attributes.get("tell", lambda _: None)

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=whole_metadata(),
    on_version_apply=lambda **_: tell(next(made)),
)
before = context.get_context().get_current_revision()
with context.begin_transaction():
    context.run_migrations()
if before is not None and before < RATED_ANEW:
    rate_anew(Records(context.config.attributes["connection"]))
