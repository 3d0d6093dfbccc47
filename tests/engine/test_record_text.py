"""Records are read as they are written, and what contradicts the rules or itself is refused."""

from dataclasses import replace

import pytest

from pbmserv.engine.position import Side
from pbmserv.engine.record import Record, played
from pbmserv.engine.record_text import (
    MAX_RECORD,
    format_outcome,
    format_record,
    parse_outcome,
    parse_record,
    parse_records,
    read_moment,
)
from pbmserv.engine.score import Outcome, Reason
from pbmserv.engine.spec import parse_game
from pbmserv.errors import Misunderstood, Refused

X, O = Side.X, Side.O


def ended(
    outcome: Outcome | None = None, moves: str = "C1 swap D1", spec: str = "star(size=3)"
) -> Record[str]:
    record = played(parse_game(spec), moves.split(), "Alice", "bob")
    return replace(record, outcome=outcome)


OUTCOMES = (
    (None, "running"),
    (Outcome(X, Reason.RESIGNATION), "bob wins as X by resignation"),
    (Outcome(O, Reason.FORFEIT), "Alice wins as O by forfeit"),
    (Outcome(None, Reason.AGREEMENT), "draw by agreement"),
    (Outcome(O, Reason.AGREEMENT, {X: -3, O: 12}), "Alice wins as O by agreement -3-12"),
    (Outcome(None, Reason.REMOVED), "removed"),
)


@pytest.mark.parametrize(("outcome", "result"), OUTCOMES)
def test_a_result_is_read_as_it_is_written(outcome: Outcome | None, result: str) -> None:
    text = format_record(ended(outcome))
    found = parse_record(text)

    assert f"\nresult: {result}\n" in text
    assert ended(outcome) == found
    assert text == format_record(found)
    assert outcome == parse_outcome(format_outcome(outcome))


def _winner(text: str) -> Side | None:
    outcome = parse_record(text).outcome
    return outcome.winner if outcome else None


def test_the_winner_has_the_side_that_they_had_at_the_end_and_a_name_in_any_case() -> None:
    text = format_record(ended(Outcome(X, Reason.RESIGNATION)))
    for name in ("bob", "BOB", "Bob"):
        assert X is _winner(text.replace("bob wins", f"{name} wins"))
    for wrong in ("Alice wins as X", "bob wins as O", "carol wins as X"):
        with pytest.raises(Refused, match="did not have the side"):
            parse_record(text.replace("bob wins as X", wrong))


@pytest.mark.parametrize(
    ("spec", "moves", "result", "is_possible"),
    [
        ("star(size=3)", "C1 C2", "alice wins as X by agreement 9-4", True),
        ("star(size=3)", "C1 C2", "alice wins as X by agreement", False),
        ("star(size=3)", "C1 C2", "alice wins as X by agreement 4-9", False),
        ("hex(size=5)", "C1 C2", "alice wins as X by agreement", True),
        ("hex(size=5)", "C1 C2", "alice wins as X by agreement 1-0", False),
        ("star(size=3,maxi)", "C1 C2", "bob wins as O by agreement", True),
        ("star(size=3,maxi)", "C1 C2", "bob wins as O by agreement 4-9", False),
        ("star(size=3)", "C1", "declined", True),
        ("star(size=3)", "C1 C2", "declined", False),
        ("star(size=3)", "C1", "alice wins as X by resignation", False),
        ("star(size=3)", "C1 C2", "alice wins as X by resignation", True),
        ("star(size=3)", "C1 C2", "draw by resignation", False),
        ("star(size=3)", "C1 C2", "alice wins as X by two-passes", False),
        ("star(size=3)", "C1 pass pass", "alice wins as X by two-passes", True),
        ("star(size=3)", "C1 pass pass", "bob wins as O by two-passes", False),
        ("star(size=3)", "C1 pass pass", "running", False),
    ],
)
def test_a_result_is_one_to_which_the_moves_can_lead(
    spec: str,
    moves: str,
    result: str,
    is_possible: bool,  # noqa: FBT001
) -> None:
    text = format_record(played(parse_game(spec), moves.split(), "alice", "bob"))
    claimed = text.replace("result: running", f"result: {result}")
    if is_possible:
        assert moves.split() == [*parse_record(claimed).texts]
    else:
        with pytest.raises(Refused) as caught:
            parse_record(claimed)

        assert "bad-record" == caught.value.code


def test_a_line_may_have_several_moves() -> None:
    text = format_record(ended())
    start = text.index("  1.")
    joined = " ".join(text[start:].split("\n"))

    assert joined.count(".") > 1
    assert parse_record(f"{text[:start]}{joined}\n") == parse_record(text) == ended()
    for line in (joined.replace(" 2. ", " 3. "), joined.replace(" 2. ", " "), f"{joined} C3"):
        with pytest.raises(Refused):
            parse_record(f"{text[:start]}{line}\n")


WHOLE = format_record(
    replace(ended(), board="104", started="2026-01-01T00:00:00Z", computer="second")
)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        (" 2. swap", " 3. swap", "Move 2 is missing"),
        (" 3. D1", " 2. D1", "Move 3 is missing"),
        (" 1. C1", " 0. C1", "Move 1 is missing"),
        ("board: 104\n", "board: 104\nboard: 105\n", "The line board: appears twice"),
        ("  3. D1\n", "  3. D1\nboard: 105\n", "neither a heading nor a numbered move"),
        ("board: 104\n", "table: 104\n", "neither a heading nor a numbered move"),
        ("first: Alice\n", "x: Alice\n", "neither a heading nor a numbered move"),
        ("first: Alice\n", "", "The line first: is missing"),
        ("second: bob\n", "second:\n", "The line second: is missing"),
        ("result: running\n", "", "The line result: is missing"),
        ("game: star(size=3)\n", "", "The line game: is missing"),
        ("result: running", "result: alice wins", "result cannot be read"),
        ("record 2", "record 3", "first line must be"),
        ("104", "1" * MAX_RECORD, "too long"),
    ],
)
def test_what_is_no_record_is_told_why(old: str, new: str, why: str) -> None:
    assert WHOLE.count(old) == 1
    with pytest.raises(Misunderstood, match=why):
        parse_record(WHOLE.replace(old, new))


def test_a_move_that_cannot_be_played_is_named_by_its_number() -> None:
    with pytest.raises(Refused, match=r"Move 3 of the record cannot be played: .*stone on C1"):
        parse_record(WHOLE.replace(" 3. D1", " 3. C1"))


def test_blanks_and_empty_lines_change_nothing_and_moves_become_canonical() -> None:
    odd = WHOLE.replace("board: 104", "board:   104  ").replace(" 3. D1", "\n3.d-1  ")

    assert parse_record(WHOLE) == parse_record(f"\n\n  {odd}\n\n")
    assert ("104", "2026-01-01T00:00:00Z", "", "second") == (
        parse_record(odd).board,
        parse_record(odd).started,
        parse_record(odd).finished,
        parse_record(odd).computer,
    )


def test_the_older_form_names_sides_before_any_swap_and_the_winner_by_side() -> None:
    older = (
        WHOLE.replace("record 2", "record 1")
        .replace("first: Alice", "x: Alice")
        .replace("second: bob", "o: bob")
        .replace("computer: second\n", "")
    )
    found = parse_record(older.replace("running", "X resignation"))

    assert ("Alice", "bob") == (found.first, found.second)
    assert "bob" == found.winner
    with pytest.raises(Misunderstood):
        parse_record(older.replace("x: Alice", "first: Alice"))


def test_several_records_follow_one_another_whatever_stands_before_the_first() -> None:
    other = format_record(ended(Outcome(O, Reason.FORFEIT)))
    both = f"{WHOLE}\n{other}"

    assert [parse_record(WHOLE), parse_record(other)] == parse_records(f"\n \n{both}\n\n")
    assert [parse_record(WHOLE)] == parse_records(WHOLE)
    with pytest.raises(Misunderstood, match=r"^Record 2 of 2: "):
        parse_records(both.replace("forfeit", "magic"))
    with pytest.raises(Misunderstood, match=r"^Record 1 of 3: "):
        parse_records(f"words before it\n{both}")
    with pytest.raises(Misunderstood, match=r"^That is not a game record"):
        parse_records("")


NAMES = (
    *("Mimhex 2", "Zo\u00eb", "a: b", " x ", "x wins as O by forfeit", "draw", "running", "-"),
    *(
        "",
        " ",
        '"',
        '"x"',
        "a\\nb",
        "a\nb",
        "\u2028",
        "\x85",
        "\x1b[2J",
        "\ud800",
        "pbmserv record 2",
    ),
)


@pytest.mark.parametrize("name", NAMES)
def test_any_name_is_read_as_it_is_written_on_a_line_of_its_own(name: str) -> None:
    for winner in (X, O, None):
        reason = Reason.AGREEMENT if winner is None else Reason.RESIGNATION
        game = replace(ended(Outcome(winner, reason)), second=name)
        for record in (game, replace(game, first=name, second="Bob"), replace(game, first=name)):
            text = format_record(record)

            assert [record, record] == parse_records(text + text)
            assert len(text.splitlines()) == len(format_record(ended()).splitlines())
            assert text.isprintable() or {"\n"} == {c for c in text if not c.isprintable()}


@pytest.mark.parametrize("name", ["bob", "Zo\u00eb", "a b", "a: b", "\u00a0", "O'Neill", 'a"b'])
def test_a_name_stays_plain_where_it_can(name: str) -> None:
    text = format_record(replace(ended(Outcome(X, Reason.FORFEIT)), second=name))

    assert f"\nsecond: {name}\n" in text
    assert f"\nresult: {name} wins as X by forfeit\n" in text


@pytest.mark.parametrize("quoted", ['"', '"a', '"a"b', '"\\x"'])
def test_a_name_in_quotes_that_have_no_end_is_refused(quoted: str) -> None:
    with pytest.raises(Misunderstood, match="name in quotes"):
        parse_record(WHOLE.replace("first: Alice", f"first: {quoted}"))


def test_a_long_line_takes_no_longer_than_its_length() -> None:
    blanks = " " * 40_000
    with pytest.raises(Refused):
        parse_record(WHOLE.replace("first: Alice", f"first: a{blanks}b{blanks}\nb"))


def test_a_game_that_began_with_stones_is_no_record() -> None:
    game = parse_game("star(size=3)")
    start = game.position_of({X: ["C1"], O: ["D1"]})
    with pytest.raises(Refused, match="began with stones"):
        format_record(Record(game, "Alice", "bob", known=(start,)))
    assert format_record(ended()) == format_record(replace(ended(), known=ended().positions))


@pytest.mark.parametrize("text", ["2026-01-01", "yesterday", "2026-13-01T00:00:00Z", "0"])
def test_what_is_no_moment_is_refused(text: str) -> None:
    assert read_moment("") is None
    assert 1_767_225_600 == read_moment("2026-01-01T00:00:00Z")
    with pytest.raises(Misunderstood):
        read_moment(text)
