"""What pages are made of: templates are compiled, and some boards drawn, once in a run."""

from collections.abc import Callable
from typing import Any

import jinja2
import resvg_py


def share() -> None:
    """Have every site of this process use what others compiled and drew."""
    compiled = once(jinja2.Environment.compile)
    jinja2.Environment.compile = compiled  # type: ignore[method-assign]
    resvg_py.svg_to_bytes = once(resvg_py.svg_to_bytes)


def once(make: Callable[..., Any]) -> Callable[..., Any]:
    """Return what remembers its answers, but for the site that asks."""
    known: dict[str, Any] = {}

    def remembered(*words: Any, **options: Any) -> Any:
        key = repr([[word for word in words if not isinstance(word, jinja2.Environment)], options])
        if key not in known:
            known[key] = make(*words, **options)
        return known[key]

    return remembered
