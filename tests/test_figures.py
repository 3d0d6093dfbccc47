"""The figures on our pages: each is made anew by one run, or said to be a record."""

import re

import pytest

from tests.bench.figures import FIGURES, OTHER_BENCHES, RECORDS, ROOT, Figure, paragraphs


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.words)
def test_each_figure_that_is_measured_stands_once_on_its_page(figure: Figure) -> None:
    assert figure.told > 0


def test_no_paragraph_of_decisions_has_measurements_that_nobody_answers_for() -> None:
    found = dict(paragraphs())
    answered = {
        name
        for name, text in found.items()
        if any(re.search(each.words.replace(" ", r"\s+"), text) for each in FIGURES)
    }
    measured = r"\d\s(ms|kB|microseconds|hundredths|times|milliseconds)\b|won\s\d"
    with_figures = {name for name, text in found.items() if re.search(measured, text)}

    assert with_figures <= answered | {*OTHER_BENCHES} | {*RECORDS}
    assert {*OTHER_BENCHES} | {*RECORDS} <= found.keys()
    assert not answered & {*RECORDS}


def test_each_bench_that_is_named_is_there() -> None:
    named = [
        name for text in OTHER_BENCHES.values() for name in re.findall(r"(?:^|bench\.)(\w+)", text)
    ]

    assert named
    assert all((ROOT / "tests" / "bench" / f"{name}.py").is_file() for name in named)
