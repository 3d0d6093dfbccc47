"""Names of cells as people write them, and what to say of a name that no cell has."""

import re
from collections.abc import Collection, Iterator

LOOKALIKES = str.maketrans("АВСЕНІЈКМОРЅТХΑΒΕΗΙΚΜΝΟΡΤΥΧ", "ABCEHIJKMOPSTXABEHIKMNOPTYX")  # noqa: RUF001
"""Letters of other alphabets, and the Latin letters that they look like."""

DIGITS = str.maketrans("OIL", "011")
LETTER_FIRST = re.compile(r"([A-Z*])[ -]?0*([0-9]{1,3})[.,;]?", re.ASCII)
NUMBER_FIRST = re.compile(r"0*([0-9]{1,3})[ -]?([A-Z*])[.,;]?", re.ASCII)


def spellings(text: str) -> Iterator[str]:
    """Yield the names that ``text`` may mean, the likeliest first: ``f-6`` and ``6f.`` mean F6.

    >>> list(spellings("6f."))
    ['6F.', 'F6', 'F06']
    """
    name = text.strip(" \t\r\n").upper()
    yield name
    if found := LETTER_FIRST.fullmatch(name):
        letter, number = found.groups()
    elif found := NUMBER_FIRST.fullmatch(name):
        number, letter = found.groups()
    else:
        return
    yield f"{letter}{number}"
    yield f"{letter}{number:0>2}"


def describe_cells(names: Collection[str], text: str) -> str:
    """Return a sentence on the names of cells, for the author of ``text``, which is none."""
    # It corrects a letter of another alphabet, or a letter in place of a digit; else it names the
    # cells with the same letter, or all.
    written = text.strip().upper()
    plain = written.translate(LOOKALIKES)
    wanted = next((name for name in spellings(plain) if LETTER_FIRST.fullmatch(name)), "")
    if wanted and plain != written:
        sign, letter = next(pair for pair in zip(written, plain, strict=True) if len({*pair}) > 1)
        found = next((f"Did you mean {n}?" for n in spellings(plain) if n in names), "")
        return f"This {sign} is not the letter {letter}. {found or describe_cells(names, plain)}"
    if (found := plain[:1] + plain[1:].translate(DIGITS)) in names:
        return f"Did you mean {found}, with a {'zero' if 'O' in plain[1:] else 'one'}?"
    return _describe_letter(names, wanted) or _describe_all(names)


def _describe_letter(names: Collection[str], wanted: str) -> str:
    """Return which cells have the letter of ``wanted``, nothing unless they are a row."""
    own = _numbers(name for name in names if name[0] == wanted[:1] and name != wanted)
    if not own or own != list(range(own[0], own[-1] + 1)):
        return ""
    first, last = (_name_of(names, wanted[0], number) for number in (own[0], own[-1]))
    if first == last:
        return f"The only cell with {wanted[0]} is {first}."
    return f"The cells with {wanted[0]} are {first} to {last}."


def _describe_all(names: Collection[str]) -> str:
    letters = sorted({name[0] for name in names if not name[0].isdigit()})
    others = [name for name in names if name[0].isdigit()]
    numbers = _numbers(name for name in names if name not in others)
    middle = letters[len(letters) // 2]
    own = _numbers(name for name in names if name[0] == middle)
    sample = _name_of(names, middle, own[len(own) // 2])
    also = f", or {' or '.join(others)}" if others else ""
    return (
        f"Cells are {_letters_in_words(letters)} and a number {numbers[0]} to {numbers[-1]}{also}, "
        f"such as {sample}."
    )


def _name_of(names: Collection[str], letter: str, number: int) -> str:
    return next(name for name in spellings(f"{letter}{number}") if name in names)


def _numbers(names: Iterator[str]) -> list[int]:
    return sorted({int(name[1:]) for name in names})


def _letters_in_words(letters: list[str]) -> str:
    codes = [ord(letter) for letter in letters]
    if codes == list(range(codes[0], codes[-1] + 1)):
        return f"a letter {letters[0]} to {letters[-1]}"
    return f"one of {', '.join(letters)}"
