"""Guessing holds its bars on lists that a machine makes: ``python -m tests.bench.guessing``."""

from pbmserv.commands.synonyms import rows
from tests.bench.guessing import noise, ordinary_words, typos

MAX_ROWS = 250


def test_a_name_with_one_slip_leads_to_its_command() -> None:
    found = typos(edits=4)
    tried = found.right + found.wrong + found.silent

    assert tried > 450
    assert found.right * 469 >= tried * 460


def test_few_ordinary_words_lead_anywhere() -> None:
    words = ordinary_words()
    led = noise(words)

    assert len(words) > 150
    assert {} == {place: said for place, said in led.items() if len(said) > len(words) / 6}


def test_one_file_that_a_person_can_read_has_all_that_people_say() -> None:
    assert 100 < len(rows()) <= MAX_ROWS
