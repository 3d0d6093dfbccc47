"""Values have one text form both ways, the same ones are equal, and no clock is too wrong."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from pbmserv.engine.game import Game
from pbmserv.engine.moments import (
    MAX_MOMENT,
    MIN_MOMENT,
    Moment,
    TimedText,
    format_moment,
    parse_moment,
    parse_timed,
    utc,
    utc_date,
)
from pbmserv.engine.record import Record
from pbmserv.engine.record_text import format_record, parse_record, parse_records
from pbmserv.engine.spec import parse_game
from pbmserv.engine.swap_pieces import format_gtp_move, parse_gtp_move, with_swapped_pieces
from pbmserv.errors import InvalidMove, Misunderstood, Refused

from .sample_games import on_every_game, random_game


@pytest.mark.parametrize("zone", [-12, 0, 14])
def test_every_moment_that_is_told_has_a_year_of_four_digits_everywhere(zone: int) -> None:
    there = timezone(timedelta(hours=zone))
    for seconds in (
        MIN_MOMENT,
        MAX_MOMENT,
        MIN_MOMENT - 1,
        MAX_MOMENT + 1,
        -(10**15),
        10**15,
        0,
        1_800_000_000,
    ):
        moment = utc(seconds).astimezone(there)

        assert 1000 <= moment.year <= 9999
        assert len("2026-11-20") == len(utc_date(seconds))
        assert Moment(seconds).endswith(" UTC")
    assert utc(MAX_MOMENT - 1) < utc(MAX_MOMENT) == utc(MAX_MOMENT + 1)
    assert utc(MIN_MOMENT + 1) > utc(MIN_MOMENT) == utc(MIN_MOMENT - 1)


def test_a_moment_is_read_as_it_is_written() -> None:
    for seconds in (MIN_MOMENT, 0, 951_827_696, 1_800_000_000, MAX_MOMENT):
        assert seconds == parse_moment(format_moment(seconds))
    known = int(datetime(2026, 11, 20, 14, tzinfo=UTC).timestamp())
    assert "2026-11-20T14:00:00Z" == format_moment(known)
    assert "2026-11-20 14:00 UTC" == Moment(known)
    said = TimedText("Until ", Moment(1_800_000_000), " or ", Moment(951_827_640), ".")
    assert (said, said.pieces) == (stored := parse_timed(str(said)), stored.pieces)
    with pytest.raises(ValueError, match="does not match"):
        parse_moment("2026-11-20 14:00")


@on_every_game
def test_the_score_of_a_position_is_equal_to_itself_and_to_no_other(game: Game) -> None:
    positions = [position for _, position in random_game(game, 3)][:6]
    for position in positions:
        assert game.score(position) == game.score(position)
        assert list(game.score(position).earned) == list(game.score(position).earned)


@pytest.mark.costly(stay=1)
@on_every_game
def test_moves_of_programs_that_exchange_the_stone_are_read_as_they_are_told(game: Game) -> None:
    for seed in range(3):
        moves = [move for move, _ in random_game(game, seed) if move]
        told = [format_gtp_move(move) for move in with_swapped_pieces(game, moves)]
        heard = [parse_gtp_move(game, text) for text in told]

        assert moves == list(with_swapped_pieces(game, heard))
        assert sum(move.is_swap for move in moves) == told.count("swap-pieces")
        assert all(parse_gtp_move(game, text.upper()) for text in told)
    with pytest.raises(InvalidMove):
        parse_gtp_move(game, "nowhere")


def record_of(spec: str, first: str, second: str, texts: str) -> Record[str]:
    game = parse_game(spec)
    return Record(game, first, second, tuple(map(game.parse_move, texts.split())), None)


RECORDS = [
    record_of("star(size=3)", "alice", "bob", "C1 C2 D1 B2"),
    record_of("hex(size=3)", "carol", "dora", "B2 swap A1"),
    record_of("starstar(size=4,double)", "emil", "fritz", "S40 T40+A40"),
]


def test_several_records_are_read_one_after_the_other() -> None:
    texts = [format_record(record) for record in RECORDS]

    assert [parse_record(text) for text in texts] == parse_records("".join(texts))
    assert RECORDS[1:2] == parse_records(texts[1])
    assert list(map(parse_record, texts)) == parse_records("\n\n" + "\n \n".join(texts) + "\n")
    assert [record.texts for record in RECORDS] == [
        record.texts for record in parse_records("".join(texts))
    ]


def test_of_several_records_the_wrong_one_is_named() -> None:
    texts = [format_record(record) for record in RECORDS]
    with pytest.raises(Refused) as caught:
        parse_records(texts[0] + texts[1].replace("A1", "B2") + texts[2])
    assert caught.value.message.startswith("Record 2 of 3: ")
    with pytest.raises(Refused) as alone:
        parse_records(texts[1].replace("A1", "B2"))
    assert "Record" not in alone.value.message
    with pytest.raises(Misunderstood):
        parse_records("")
    with pytest.raises(Misunderstood):
        parse_records("something else\n" + texts[0])
