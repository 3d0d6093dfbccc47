"""Where Alembic enters: runs the migrations on the connection it is given.

A new migration is a new file ``versions/NNNN_what.py`` whose ``revision`` is its number and whose
``down_revision`` the number before; ``HEAD`` in ``pbmserv/store/files/schema.py`` names the
newest. A released file is never changed, and there is no way back but a backup: no ``downgrade``.

The connection is in a transaction, with foreign keys switched off on SQLite, so that batch mode
can rebuild a table without taking its children along; they are checked before the commit.
"""

from itertools import count

from alembic import context

from pbmserv.store.tables import whole_metadata

made = count(1)
tell = context.config.attributes.get("tell", lambda _: None)

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=whole_metadata(),
    on_version_apply=lambda **_: tell(next(made)),
)
with context.begin_transaction():
    context.run_migrations()
