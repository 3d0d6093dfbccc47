"""Numbers of things, in words."""


def counted(number: int, what: str) -> str:
    """Return a number with its noun, in the plural where that is due: ``1 move``, ``2 moves``."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
