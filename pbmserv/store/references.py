"""Rows that name others that are not there, as only a damaged file has them."""

from collections import Counter
from collections.abc import Iterator

from pbmserv.store.columns import metadata
from pbmserv.store.store import Store


def broken_references(store: Store) -> Iterator[str]:
    """Yield in which tables rows name others that are not there, a sentence each."""
    # PostgreSQL lets nobody delete what is named; a SQLite file can be changed by anything.
    if store.place.path is None:
        return
    for table in metadata.sorted_tables:
        with store.reading() as records:
            rows = records.connection.exec_driver_sql(f"PRAGMA foreign_key_check({table.name})")
            missing = Counter(row.parent for row in rows)
        for parent, count in sorted(missing.items()):
            rows_name = "1 row names" if count == 1 else f"{count} rows name"
            yield f"table {table.name}: {rows_name} a {parent} that is not there"
