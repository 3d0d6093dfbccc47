"""What is written in any form is read back: the same game, moves, winner and end."""

import json
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from pbmserv.engine.formats import read_games, written_formats
from pbmserv.engine.formats.own_rows import row_of
from pbmserv.engine.game import Game
from pbmserv.engine.games import game_names
from pbmserv.engine.position import Side
from pbmserv.engine.record import Record, played
from pbmserv.engine.record_text import check_result, format_record
from pbmserv.engine.score import UNPLAYED, Outcome, Reason
from pbmserv.engine.spec import parse_game
from pbmserv.errors import Refused, quoted

from .sample_games import games_with_random_options, random_game

NAMES = ("alice", "Mimhex 2", "Zo\u00eb", "a: b", "x wins as X by resignation", '"', "", " ", "\n")
CLAIMED = tuple(reason for reason in Reason if not reason.is_by_rules)
HELD: dict[str, frozenset[Reason]] = {
    "record": frozenset(Reason),
    "json": frozenset(Reason),
    "jsonl": frozenset(Reason),
    "hexworld": frozenset({Reason.RESIGNATION, Reason.FORFEIT}),
    "trmph": frozenset(),
    "sgf": frozenset({Reason.RESIGNATION, Reason.FORFEIT}),
    "lg": frozenset({Reason.RESIGNATION}),
}
"""The ends of a game that a form has a word for, other than those of the rules."""

KEPT = {"record", "json", "jsonl"}
"""The forms that keep everything."""


def random_record(game: Game, seed: object, most: int = 10_000) -> Record[str]:
    """Return a random game that the rules have ended, or somebody has, or that goes on."""
    chance = Random(repr(seed))
    moves = tuple(move for move, _ in random_game(game, seed) if move is not None)
    length = chance.choice((len(moves), chance.randint(0, len(moves))))
    first, second = chance.choice(NAMES), chance.choice(NAMES)
    record = Record(game, first, second, moves[: min(length, most)])
    record = replace(record, outcome=game.outcome(record.position))
    if record.outcome is None and chance.random() < 0.8:
        record = replace(record, outcome=_claimed(record, chance))
    try:
        check_result(record)
    except Refused:
        record = replace(record, outcome=None)
    return replace(
        record,
        started="2026-01-31T12:00:00Z" if chance.random() < 0.5 else "",
        finished="2026-02-28T23:59:59Z" if record.outcome else "",
    )


def _claimed(record: Record[str], chance: Random) -> Outcome:
    reason = chance.choice(CLAIMED)
    winner = None if reason in UNPLAYED else chance.choice((Side.X, Side.O, None))
    points = None
    if reason is Reason.AGREEMENT and winner is not None:
        score = record.game.score(record.game.start())
        if record.game.points_to_agree(score) is not None:
            points = {winner: chance.randint(0, 9), winner.other: chance.randint(-9, -1)}
    return Outcome(winner, reason, points)


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("name", game_names())
def test_a_game_comes_back_from_every_form(name: str, *, full: bool) -> None:
    games = games_with_random_options(name)
    written = dict.fromkeys(written_formats(), 0)
    for seed in range(170 if full else 40):
        record = random_record(next(games), seed)
        for form in written:
            try:
                text = written_formats()[form].write(record)  # type: ignore[misc]
            except Refused:
                continue
            written[form] += 1
            _compare(form, record, text)

    assert all(written[form] for form in {*KEPT, "sgf"})
    assert (written["hexworld"] > 0) is (name in {"hex", "y"})
    assert (written["trmph"] > 0) is (name == "hex")


def _compare(form: str, record: Record[str], text: str) -> None:
    ((found, _),) = read_games(text)
    outcome = record.outcome
    assert text.endswith("\n")
    assert (record.game, record.texts) == (found.game, found.texts), text
    if form in KEPT:
        assert record == found, text
    is_held = outcome is None or outcome.reason.is_by_rules or outcome.reason in HELD[form]
    if is_held or form != "hexworld":
        winners = [each.with_players(0, 1).winner for each in (record, found)]
        assert winners[0] == winners[1], text
    if is_held:
        assert outcome == found.outcome, text


@pytest.mark.parametrize("form", sorted(KEPT))
def test_several_games_come_back_in_their_order(form: str) -> None:
    games = [game for name in game_names() for game in [next(games_with_random_options(name))]]
    records = [random_record(game, 7) for game in games]
    write, between = written_formats()[form].write, written_formats()[form].between
    assert write is not None
    assert records == [game.record for game in read_games(between.join(map(write, records)))]


@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_what_would_break_a_line_of_a_record_is_left_out_of_its_heading(form: str) -> None:
    write = written_formats()[form].write
    assert write is not None
    row = {"board": "1\nfirst: x", "started": "\n", "robots": ["a\nresult: x", 7, "second"]}
    text = json.dumps(json.loads(write(random_record(parse_game("hex(size=5)"), 3))) | row)
    ((found, _),) = read_games(text)

    assert ("1 first: x", "", f"a result: x {found.second}".strip()) == (
        *(found.board, found.started),
        found.computer,
    )
    assert [found] == [game.record for game in read_games(format_record(found))]


def test_robots_and_board_come_back_from_json() -> None:
    record = played(parse_game("star(size=3)"), ["C1", "swap"], "Mimhex 2", "bob")
    for computer, robots in (
        ("", []),
        ("Mimhex 2", ["first"]),
        ("Mimhex 2 bob", ["first", "second"]),
    ):
        whole = replace(record, computer=computer, board="105", known=())
        row = row_of(whole)
        ((document, _),) = read_games(format_json(whole))
        ((found, _),) = read_games(json.dumps(row))

        assert (robots, "star-105") == (row["robots"], row["id"])
        assert whole == document
        assert replace(whole, board="") == found


def test_a_row_has_what_a_record_knows_and_null_for_the_rest() -> None:
    moves = ["B4", "swap", "D10", "pass"]
    record = played(parse_game("hex(size=13)"), moves, "alice", "bob")
    row = row_of(replace(record, outcome=Outcome(Side.X, Reason.FORFEIT)))

    assert ("B4 swap D10 pass", "b4 swap-pieces j4 pass") == (row["moves"], row["moves_pieces"])
    assert ("second", "X", "forfeit") == (row["winner"], row["side"], row["reason"])
    assert {"size": 13, "noswap": False} == row["options"]
    unknown = ("id", "rated", "ratings", "started", "finished", "clock", "points", "stamps")
    assert [None] * 8 == [row[key] for key in unknown]
    assert "moves_pieces" not in row_of(played(parse_game("star(size=3)"), []))


REFUSED_JSON: tuple[tuple[dict[str, Any], str], ...] = (
    ({"game": "chess"}, "No such game"),
    ({"game": None}, "No such game"),
    ({"options": {"size": 99}}, "Invalid value for -size"),
    ({"options": {"size": True}}, "No such option of hex: size"),
    ({"options": {"sise": 5}}, "No such option of hex: sise"),
    ({"options": []}, "it has no options"),
    ({"moves": 7}, "its moves or robots are no list"),
    ({"moves": ["A1", "A1"]}, "Move 2 of the record cannot be played"),
    ({"reason": "magic"}, "its result cannot be read"),
    ({"winner": "first"}, "its result cannot be read"),
    ({"reason": "agreement", "agreed": {"X": 1}}, "its result cannot be read"),
    ({"reason": "connection"}, "but its moves do not"),
)


@pytest.mark.parametrize(("changed", "why"), REFUSED_JSON)
def test_a_document_that_cannot_be_read_is_refused_with_its_reason(
    changed: dict[str, Any], why: str
) -> None:
    record = played(parse_game("hex(size=5)"), ["A1", "B2"], "alice", "bob")
    text = format_json(replace(record, outcome=Outcome(Side.X, Reason.RESIGNATION)))
    with pytest.raises(Refused) as caught:
        read_games(json.dumps(json.loads(text) | changed))

    assert why in quoted(caught.value)


def format_json(record: Record[str]) -> str:
    """Return a game as our JSON document."""
    write = written_formats()["json"].write
    assert write is not None
    return write(record)
