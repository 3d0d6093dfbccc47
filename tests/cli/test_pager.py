"""Long help pages on a terminal go through a pager and keep to its width."""

from tests.cli.own_terminal import on_terminal


def shown(words: str, columns: int, lines: int) -> str:
    """Return what is shown on a terminal of this size; the pager marks what it shows."""
    pager = "sed s/^/PAGED:/"
    return on_terminal(words.split(), PAGER=pager, COLUMNS=str(columns), LINES=str(lines)).text


def test_a_long_page_goes_through_the_pager() -> None:
    assert shown("help star", columns=80, lines=24).startswith("PAGED:STAR\n")


def test_a_page_is_paged_where_it_would_not_stay_on_the_screen_with_the_next_prompt() -> None:
    count = len(shown("help star", columns=80, lines=500).splitlines())

    assert "PAGED" not in shown("help star", columns=80, lines=count + 2)
    assert "PAGED" in shown("help star", columns=80, lines=count + 1)


def test_a_page_is_printed_at_once_where_no_pager_is_wanted() -> None:
    assert shown("help star --no-pager", columns=80, lines=24).startswith("STAR\n")


def test_a_page_keeps_to_the_width_of_the_terminal() -> None:
    assert max(map(len, shown("help clocks", columns=50, lines=1000).splitlines())) <= 50
