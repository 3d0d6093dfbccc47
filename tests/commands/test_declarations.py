"""Commands declare their words as their parameters, and what does not agree is refused at once."""

from __future__ import annotations

import re
from typing import Annotated

import click
import pytest

from pbmserv.club.player import Player
from pbmserv.commands.answer import Access, Answer
from pbmserv.commands.declaration import Flag, Option, Word, command, spec_of
from pbmserv.commands.grammar import Command, Entry
from pbmserv.commands.slots import BOARD, N, slot
from pbmserv.commands.types import (
    Login,
    MatchNumber,
    SignedPlayer,
    Userid,
    parse_match_number,
    parse_whole_number,
)
from pbmserv.services.session import ReadSession, WriteSession
from tests.generators.manual import every_verb

DONE = Answer((), {})
ROW = Entry("", "")


def is_positive(number: int) -> None:
    if number < 1:
        raise AssertionError(number)


@command(check=is_positive)
def well(
    session: WriteSession,
    number: MatchNumber,
    player: SignedPlayer,
    words: Annotated[tuple[int, ...], Word(slot(N, many=True), parse_whole_number)],
    *,
    far: Annotated[int | None, Option("N", "how far", parse_whole_number)] = None,
    brief: Annotated[bool, Flag("few words")] = False,
) -> Answer:
    """Do something."""
    del session, number, player, words, far, brief
    return DONE


@command()
def another_type(session: WriteSession, number: MatchNumber, passwort: int) -> Answer:
    """Have a parameter that is no word."""
    del session, number, passwort
    return DONE


@command()
def another_reader(
    session: ReadSession, number: Annotated[str, Word(slot(BOARD), parse_match_number)]
) -> Answer:
    """Call a word text that is read as a number."""
    del session, number
    return DONE


@command()
def never_left_out(
    session: ReadSession, number: Annotated[int, Word(slot(N), parse_whole_number)] = 1
) -> Answer:
    """Call a word a number that is None where it is left out."""
    del session, number
    return DONE


@command()
def another_player(session: WriteSession, player: Annotated[str, Login()]) -> Answer:
    """Call whoever signs a text."""
    del session, player
    return DONE


@command()
def no_session(number: int, userid: Userid) -> Answer:
    """Begin with a number that is no word."""
    del number, userid
    return DONE


@command(check=is_positive)
def nothing_to_check(session: ReadSession, userid: Userid) -> Answer:
    """Have a check of a number that is no parameter."""
    del session, userid
    return DONE


@command(check=is_positive)
def another_check(session: ReadSession, number: Userid) -> Answer:
    """Have a check of a number that is a text."""
    del session, number
    return DONE


@command()
def two_of_one_name(session: ReadSession, player: SignedPlayer, userid: Userid) -> Answer:
    """Have a userid beside that of whoever signs."""
    del session, player, userid
    return DONE


@pytest.mark.parametrize(
    ("function", "sentence"),
    [
        (two_of_one_name, "wrong has two words of one name."),
        (another_type, "another_type: the parameter passwort declares no word."),
        (
            another_reader,
            "another_reader: the parameter number is str, but its word is read as int.",
        ),
        (
            never_left_out,
            "never_left_out: the parameter number is int, but its word is read as int | None.",
        ),
        (
            another_player,
            "another_player: the parameter player is str, but its word is read as Player.",
        ),
        (no_session, "no_session: the parameter number declares no word."),
        (nothing_to_check, "nothing_to_check: its check looks at number, which is no parameter."),
        (another_check, "another_check: its check looks at number, which is str."),
    ],
)
def test_a_wrong_declaration_is_refused_with_a_sentence(function: object, sentence: str) -> None:
    assert callable(function)
    with pytest.raises(TypeError) as caught:
        Command("wrong", function, None, ROW)

    assert str(caught.value) == sentence


def test_words_order_options_and_access_follow_from_the_parameters() -> None:
    verb = Command("well", well, None, ROW)
    context = click.Context(verb, info_name="well")

    assert verb.syntax(context) == "well BOARD USERID PASSWORD N... [-far=N] [-brief]"
    assert (verb.spec.access, verb.spec.login) == (Access.CHANGE, "player")
    assert spec_of(well).check_names == ("number",)


def test_the_function_is_given_what_the_words_stand_for() -> None:
    verb = Command("well", well, None, ROW)
    words = ["101", "alice", "secret-alice", "3", "-4", "-far=5"]
    call = verb.understand(click.Context(verb), words)

    assert {"number": 101, "words": (3, -4), "far": 5, "brief": False} == call.values
    assert (call.params["userid"], call.match_key) == ("alice", None)


def test_an_option_that_is_left_out_has_the_value_that_click_finds_for_it() -> None:
    for verb, path in every_verb():
        alone = click.Command(path, params=[*verb.all_options], add_help_option=False)

        assert alone.make_context(path, []).params == verb.left_out([])


def test_every_command_declares_its_words_rightly() -> None:
    found = [verb for verb, _ in every_verb()]

    assert len(found) > 80
    for verb in found:
        assert spec_of(verb.function) == verb.spec
        assert {Player, Player | None} >= {p.type for p in verb.spec.parameters if p.spec.is_login}


def test_every_word_and_option_has_a_name_and_every_option_a_sentence() -> None:
    for verb, path in every_verb():
        for param in verb.params:
            shown = param.make_metavar(click.Context(verb))
            assert re.search(r"[A-Z|]|[.][.]", shown), (path, param.name)
            if isinstance(param, click.Option) and not param.hidden:
                assert param.help, (path, param.name)
                assert param.help != param.help.upper(), (path, param.name)
