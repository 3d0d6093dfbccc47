"""Random faults are the slips that people make, and the tests that reach their lines are found."""

import ast

import pytest

from .faults import chosen, faults_of
from .probes import probe_of

SLIPS = (
    ("a and b", "a or b"),
    ("a or default", "((a))"),
    ("now < end", "now <= end"),
    ("days > 3", "days > 4"),
    ("word in known", "word not in known"),
    ("rows.where(mine, open)", "rows.where(mine)"),
    ("rows.where(mine, open)", "rows"),
    ("cancel(player, game)", "cancel(player)"),
    ("cancel(player, game=game)", "cancel(player)"),
    ("move(row, column)", "move(column, row)"),
    ("address.lower()", "address"),
    ("min(one, other)", "max(one, other)"),
    ("any(found)", "all(found)"),
    ("sorted(found)", "sorted(found, reverse=True)"),
    ("turns[0]", "turns[-1]"),
    ("turns[:3]", "(turns)"),
    ("{1: one, 2: two}", "{1: one}"),
    ("Side.X if Side.O else 0", "Side.O if Side.O else 0"),
    ("kept.setdefault(key, now)", "kept[key] = now"),
    ("letters.cancel(player)", "pass"),
    ("row.state = 3", "pass"),
    ("total += 3", "total = 3"),
    ("word = strip(word)", "pass"),
    ("line.split(mark, 1)", "line.rsplit(mark, 1)"),
    ("if x:\n    return", "if False:\n    return"),
    ("while x:\n    break", "while x:\n    pass"),
    ("try:\n    f()\nexcept (A, B):\n    g()", "try:\n    f()\nexcept (A,):\n    g()"),
    (
        "def f(x: A, y: A, z: B) -> None:\n    return x",
        "def f(x: A, y: A, z: B) -> None:\n    return y",
    ),
)


@pytest.mark.parametrize(("sound", "slip"), SLIPS)
def test_a_slip_is_among_the_faults(sound: str, slip: str) -> None:
    assert slip in {fault.put_into(sound) for fault in faults_of(sound)}


@pytest.mark.parametrize(
    "text",
    [
        '"""What it does."""',
        "x: int",
        "__slots__ = ('a', 'b')",
        "import a, b",
        "gc.collect()",
        "words = line.split()",
        "def f(x: A, z: B) -> None:\n    return x",
        "class A:\n    x: Annotated[bool, Flag('x')] = False",
    ],
)
def test_what_nobody_could_notice_has_none(text: str) -> None:
    assert faults_of(text) == []


def test_a_seed_draws_the_same_faults_again_and_another_seed_others() -> None:
    texts = {"a.py": "\n".join(f"x.f({n}, y)" for n in range(50)), "b.py": "if x:\n    y()"}

    drawn = chosen(texts, 9, "seed")

    assert len({(file, fault.line) for file, fault in drawn}) == 9
    assert drawn == chosen(texts, 9, "seed")
    assert drawn != chosen(texts, 9, "another")


PARTED = '''
AT_IMPORT = 1

def first(x=2):
    """Say what it does."""
    y = x
    if (y or
            x):
        return y

    for each in x:
        z = each
        y = z
    else:
        y = 3
    return y
'''


PROBE_OF = {4: 6, 6: 6, 7: 6, 8: 6, 9: 9, 11: 11, 12: 12, 13: 12, 15: 15, 16: 16, 2: None}


@pytest.mark.parametrize(("line", "probe"), PROBE_OF.items())
def test_a_line_is_reached_where_the_probe_before_it_is(line: int, probe: int | None) -> None:
    assert probe == probe_of(ast.parse(PARTED), line)
