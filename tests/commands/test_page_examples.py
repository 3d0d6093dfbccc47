"""Examples of the strategy pages are read as games, and stepped through at both boards."""

import re
from dataclasses import replace

import pytest

from pbmserv.board.actions import press
from pbmserv.board.frame import Size
from pbmserv.board.hosts import ExampleHost
from pbmserv.board.menu import examples_menu, menu_screen, press_menu, start_menu, strategy_menu
from pbmserv.board.play_session import Intent, new_session
from pbmserv.board.screen import screen
from pbmserv.commands.help_files import read_page, topic_names
from pbmserv.commands.page_examples import (
    PageExample,
    example_topics,
    examples_of,
    page_title,
    read_steps,
)
from pbmserv.desk.match_reviews import review_record
from pbmserv.errors import Refused
from pbmserv.render.picture import draw
from pbmserv.render.svg import description
from pbmserv.render.text import drawn
from pbmserv.site.manual_pages import manual_names, manual_page
from pbmserv.site.pages import Names, Pages, SiteOptions, club_id
from tests.board.playing import text_of

ROOM = Size(100, 40)
MOST = 100_000
EXAMPLES = [example for topic in example_topics() for example in examples_of(topic)]
PAGES = Pages(Names(lambda _: {}), club_id(1), SiteOptions("1.0"))


def topic_of(example: PageExample) -> tuple[str, int]:
    topic, _, number = example.name.rpartition("-")
    return topic, int(number)


def test_each_session_with_stones_or_a_record_is_an_example() -> None:
    for topic in topic_names():
        if topic.startswith("strategy"):
            steps = read_steps(read_page(topic).split("\n"))
            boards = [step for step in steps if " new " in step.command or "<<" in step.command]

            assert len(boards) == len(examples_of(topic)), topic
    assert example_topics()


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_an_example_is_the_board_that_its_session_draws(example: PageExample) -> None:
    topic, _ = topic_of(example)
    (step,) = [
        step
        for step in read_steps(read_page(topic).split("\n"))
        if f"$ {step.command}".replace("\n", "\n> ")
        == "\n".join(example.before.split("\n")[: step.command.count("\n") + 1])
    ]
    boards = []
    for owners in (False, True):
        found = drawn(draw(example.record.game, example.record.position, owners=owners))
        lines = ["".join(run.text for run in row) for row in found.rows]
        for cell, mark in example.marks.items():
            column, line = found.places[cell]
            lines[line] = f"{lines[line][:column]}{mark}{lines[line][column + 1 :]}"
        boards.append("\n".join(line.rstrip() for line in lines))
    said = example.before.partition("\n")[2].split("\n")[step.command.count("\n") :]

    if example.after:
        whole = ["\n".join([*said, board, example.after]) for board in boards]
        assert step.expected in [text.lstrip("\n") for text in whole]
    else:
        assert "\n".join(said) == step.expected
        assert "<<" in step.command, "only a record may be shown without its last board"


def test_what_is_said_of_an_example_is_on_the_page_above_and_of_moves_below() -> None:
    for example in EXAMPLES:
        page = " ".join(read_page(topic_of(example)[0]).split())

        assert 0 in example.remarks
        assert all(text in page for text in example.remarks.values())
        assert all(ply <= example.record.ply for ply in example.remarks)
        for ply, text in example.remarks.items():
            assert not ply or text.startswith(f"Move {ply}")


@pytest.mark.parametrize("topic", example_topics())
def test_the_start_screen_leads_to_every_example_and_back_to_its_list(topic: str) -> None:
    menu = start_menu([], "ascii", has_server=False)
    at = next(n for n, row in enumerate(menu.rows) if row.text.startswith("Strategy"))
    pages = press_menu(replace(menu, at=at), "enter")

    assert page_title(topic) in [row.text for row in pages.rows]
    assert [row.text for row in pages.rows] == [row.text for row in strategy_menu("ascii").rows]
    at = [row.text for row in pages.rows].index(page_title(topic))
    listed = press_menu(replace(pages, at=at), "enter")
    intents = [row.intent for row in listed.rows[:-1]]
    assert [f"{topic} {n + 1}" for n in range(len(examples_of(topic)))] == [
        getattr(intent, "text", "") for intent in intents
    ]
    assert {getattr(intent, "verb", "") for intent in intents} == {"example"}
    assert examples_menu(topic, "ascii", 2).at == 1
    shown = text_of(menu_screen(listed, ROOM))
    assert all(example.heading in shown for example in examples_of(topic)[:3])


@pytest.mark.costly(stay=3)
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_an_example_is_stepped_through_with_the_words_that_belong_to_it(
    example: PageExample,
) -> None:
    session = new_session(ExampleHost(*topic_of(example)).view())
    for ply in range(example.record.ply, -1, -1):
        said = example.remarks[ply if ply in example.remarks else 0]
        seen = " ".join(text_of(screen(session, ROOM)).split())

        assert session.marks == (tuple(example.marks.items()) if ply == example.record.ply else ())
        assert ("[ goes back" in session.status) == (
            example.record.outcome is None and 0 < ply == example.record.ply
        )
        assert session.position == example.record.positions[ply]
        assert session.task == said
        assert said.split()[0] in seen
        session = press(session, "[")
    with pytest.raises(Refused):
        ExampleHost(*topic_of(example)).perform(Intent("undo"))


@pytest.mark.slow
@pytest.mark.parametrize(
    "example",
    [each for each in EXAMPLES if "<<" in each.before],
    ids=lambda example: example.name,
)
def test_the_figures_of_a_game_are_those_of_its_analysis(example: PageExample) -> None:
    review = review_record(example.record)
    turned = [turn.number for turn in review.turning_points()]
    said = 0
    for ply, text in list(example.remarks.items())[1:]:
        score = example.record.game.score(example.record.positions[ply])
        for chance in re.findall(r"chance (?:is|falls to)(?: at its best,)? (\d+) %", text):
            assert f"{review.chances[ply]:.0%}" == f"{chance}%", text
            said += 1
        for points in re.findall(r"(?:count|score) is (\d+) to (\d+)", text):
            assert [*score.points.values()] == [*map(int, points)], text
            said += 1

    assert said > 5
    assert {*turned} <= {*example.remarks}
    assert max(review.chances) == max(review.chances[ply] for ply in example.remarks)


def links(page: str) -> list[str]:
    """Return the pages of moments to which a page leads."""
    return re.findall(r'href="([a-z-]+-\d+-\d+)\.html"', page)


@pytest.mark.costly(stay=3)
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_a_page_draws_its_examples_and_leads_through_their_moves(example: PageExample) -> None:
    topic, _ = topic_of(example)
    page, record = manual_page(PAGES, topic), example.record
    picture = draw(record.game, record.position, marks=example.marks)

    assert f'<figure id="{example.name}"><svg' in page
    assert description(picture).split("\n")[0][:40] in page
    if not record.moves:
        assert f"{example.name}-0.html" not in page
        return
    assert f"{example.name}-{record.ply - 1}.html" in page
    at, seen = f"{example.name}-0", list[str]()
    while at not in seen:
        seen.append(at)
        moment = manual_page(PAGES, at)
        ply = len(seen) - 1
        assert f"{ply} / {record.ply}" in moment
        assert f'href="{topic}.html#{example.name}"' in moment
        at = next((one for one in links(moment) if one == f"{example.name}-{ply + 1}"), at)
    assert len(seen) == record.ply + 1


@pytest.mark.parametrize("topic", example_topics())
def test_a_page_of_many_boards_is_not_heavy(topic: str) -> None:
    assert len(manual_page(PAGES, topic).encode()) < MOST


def test_every_link_to_a_moment_has_its_page_and_no_other_moment_has_one() -> None:
    names = {*manual_names()}
    for topic in example_topics():
        assert {*links(manual_page(PAGES, topic))} <= names
    one = next(example for example in EXAMPLES if example.record.moves)

    assert manual_page(PAGES, f"{one.name}-{one.record.ply}")
    assert not manual_page(PAGES, f"{one.name}-{one.record.ply + 1}")
    assert not manual_page(PAGES, f"{one.name}-00")
    assert not manual_page(PAGES, f"{topic_of(one)[0]}-99-0")
    assert not manual_page(PAGES, "tutorial-1-0")
