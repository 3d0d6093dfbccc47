"""The rules for alarms on the page ``monitoring``, and a small evaluator of what they say.

It knows as much of Prometheus' language as the rules use, and refuses the rest.
"""

import operator
import re
from collections.abc import Mapping
from pathlib import Path

PAGE = Path(__file__).parents[2] / "help" / "monitoring.txt"
SAMPLE = re.compile(r"(\w+)(?:\{(.*)\})? (\S+)")
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
TERM = re.compile(
    r"(?P<sum>sum\()?(?P<rise>increase\()?(?P<name>\w+)(?:\{(?P<labels>[^}]*)\})?"
    r"(?:\[1h\]\))?\)? (?P<sign>==|>) (?P<bound>\d+)"
)
SIGNS = {"==": operator.eq, ">": operator.gt}

Figures = Mapping[tuple[str, frozenset[tuple[str, str]]], float]
"""Values by name and labels."""


def rules_text() -> str:
    """Return the file of rules, as the command on the page makes it."""
    _, found, rest = PAGE.read_text(encoding="utf-8").partition("\n    groups:\n")
    assert found
    return "groups:\n" + "".join(f"{line[4:]}\n" for line in rest.splitlines())


def rules() -> dict[str, str]:
    """Return the expression of each rule."""
    found = re.findall(r"- alert: (\w+)\n +expr: (.*\n(?: {6}.*\n)?)", rules_text())
    assert len(found) == rules_text().count("alert:")
    return {name: " ".join(expression.split()) for name, expression in found}


def read_figures(text: str) -> Figures:
    """Return the figures of an OpenMetrics text, whose form is looked at."""
    *lines, last = text.splitlines()
    assert last == "# EOF"
    families = re.findall(r"# TYPE (\w+) (?:gauge|counter)\n# HELP \1 \S.*\n", text)
    assert len(families) == len({*families}) == text.count("# TYPE")
    found = {}
    for line in lines:
        if line.startswith("#"):
            continue
        sample = SAMPLE.fullmatch(line)
        assert sample, line
        labels = frozenset(LABEL.findall(sample[2] or ""))
        assert (sample[1], labels) not in found
        found[sample[1], labels] = float(sample[3])
    return found


def fires(expression: str, now: Figures, before: Figures) -> bool:
    """Tell whether a rule raises an alarm; ``before`` are the figures of an hour ago."""
    return all(_holds(term, now, before) for term in expression.split(" and on() "))


def alarms(now: str, before: str | None = None) -> list[str]:
    """Return the names of the rules that raise an alarm on a text of figures."""
    figures, earlier = read_figures(now), read_figures(now if before is None else before)
    return [name for name, rule in rules().items() if fires(rule, figures, earlier)]


def _holds(term: str, now: Figures, before: Figures) -> bool:
    found = TERM.fullmatch(term)
    assert found, term
    wanted = frozenset(LABEL.findall(found["labels"] or ""))
    values = [
        value - (before.get(key, 0.0) if found["rise"] else 0.0)
        for key, value in now.items()
        if key[0] == found["name"] and wanted <= key[1]
    ]
    values = [sum(values)] if found["sum"] and values else values
    return any(SIGNS[found["sign"]](value, float(found["bound"])) for value in values)
