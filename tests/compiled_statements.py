"""What SQLAlchemy worked out of a statement: kept for the run, as each test has its own engine."""

from typing import Any

import sqlalchemy as sa


class _Shared(dict[Any, Any]):
    """Compiled statements by what they say, whichever engine of one kind of database asks."""

    def get(self, key: Any, default: Any = None) -> Any:
        return super().get(key[1:], default)

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key[1:], value)


_KEPT: dict[str, _Shared] = {}


def share() -> None:
    """Have every connection of this process use the statements that others compiled."""
    sa.event.listen(sa.Engine, "engine_connect", _use)


def _use(connection: sa.Connection) -> None:
    kept = _KEPT.setdefault(connection.dialect.name, _Shared())
    connection.execution_options(compiled_cache=kept)
