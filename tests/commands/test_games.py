"""Every game there is, from the challenge to the record, through the door."""

import re
from collections.abc import Iterator

import pytest

from pbmserv.club.match_check import findings
from pbmserv.engine.game import Game
from pbmserv.engine.games import find_game, game_names, shell_name
from pbmserv.engine.position import Side
from pbmserv.engine.record_text import parse_record
from pbmserv.engine.spec import format_game, parse_game
from pbmserv.render.picture import draw
from pbmserv.render.text import text_picture
from tests.databases import ONE_DATABASE
from tests.engine.sample_games import random_game, values_of
from tests.local_server import LocalServer, text_of

OPTIONS = [
    ("star", "-maxi -corners=2"),
    ("starstar", "-double"),
    ("starstar", "-komi=3 -scoring=alternative"),
    ("starstar", "-handicap=2 -double -scoring=simplified"),
    ("starweb", "-notch=1"),
    ("polyy", "-sides=7"),
]
GAMES = [(name, "") for name in game_names()]
EACH = pytest.mark.parametrize(("name", "options"), [*GAMES, *OPTIONS])


def smallest(name: str) -> str:
    """Return the option for the smallest board of a game."""
    sizing = find_game(name).options()[0]
    return f"-{sizing.name}={values_of(sizing)[0]}"


def start(local: LocalServer, name: str, options: str = "") -> Game:
    """Start a smallest board between alice and bob and return its game."""
    local.game = name
    local.start(f"{smallest(name)} {options}")
    with local.desk.store.reading() as records:
        match = records.matches.find(name, 101)

    assert match is not None
    return match.game


def played_out(game: Game, seed: int) -> list[str]:
    return [move.text for move, _ in random_game(game, seed) if move is not None]


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize(
    ("name", "options"),
    [*GAMES, *(pytest.param(*option, marks=pytest.mark.slow) for option in OPTIONS)],
)
def test_a_whole_game_is_played_kept_and_checked(
    local: LocalServer, name: str, options: str
) -> None:
    game = start(local, name, options)
    moves = played_out(game, 1)
    shown = local.play(101, moves)
    end = game.replay(moves)
    outcome = game.outcome(end)
    record = local.json(f"{name} export 101")["record"]
    local.do(f"{name} import alice secret-alice", record)
    imported = local.show(102)
    with local.desk.store.reading() as records:
        match = records.matches.find(name, 101)

    assert outcome is not None
    assert match is not None
    assert shown["moves"] == moves
    assert shown["ply"] == len(moves)
    assert shown["to_move"] is None
    assert shown["winner"] == (outcome.winner.value if outcome.winner else None)
    assert shown["reason"] == outcome.reason.value
    assert shown["stones"] == {
        side.value: game.board.sorted_names(end.cells_of(side)) for side in Side
    }
    assert parse_record(record).position == end
    assert {**imported, "board": 101} == {**shown, "time": None, "ratings": None}
    assert findings(match) == []


@pytest.mark.slow
@EACH
def test_every_moment_can_be_shown_scored_and_replayed(
    local: LocalServer, name: str, options: str
) -> None:
    game = start(local, name, options)
    moves = played_out(game, 2)
    local.play(101, moves)
    for ply in (0, 1, len(moves) // 2, len(moves)):
        position = game.replay(moves[:ply])
        score = local.json(f"{name} score 101#{ply}")
        back = local.json(f"{name} show 101#{ply - len(moves)}") if ply < len(moves) else {}

        assert score["points"] == game.score(position).points
        assert local.json(f"{name} replay 101 {ply}")["moves"] == moves[:ply]
        assert back.get("moves", moves[:ply]) == moves[:ply]


@pytest.mark.costly(stay=2)
@EACH
def test_a_submitted_move_is_shown_and_then_played(
    local: LocalServer, name: str, options: str
) -> None:
    game = start(local, name, options)
    first = next(iter(game.legal_moves(game.start()))).text
    shown = local.json(f"{name} submit 101 alice secret-alice {first}")

    assert shown["submitted"] == first
    assert local.show(101)["ply"] == 0

    local.do(f"{name} confirm 101 alice secret-alice")

    assert local.show(101)["moves"] == [first]


@EACH
def test_swap_is_for_even_games_only(local: LocalServer, name: str, options: str) -> None:
    game = start(local, name, options)
    local.play(101, [next(iter(game.legal_moves(game.start()))).text])
    with local.desk.store.reading() as records:
        match = records.matches.find(name, 101)

    assert match is not None
    assert match.is_rated == game.is_even
    if not game.is_even:
        assert local.code(f"{name} swap 101 bob secret-bob") == "swap-not-allowed"
        return
    after = local.json(f"{name} swap 101 bob secret-bob")

    assert after["players"] == {"X": "bob", "O": "alice"}
    assert (after["moves"][-1], after["ply"], after["to_move"]) == ("swap", 2, "O")


@ONE_DATABASE
@EACH
def test_json_has_the_keys_that_are_promised(local: LocalServer, name: str, options: str) -> None:
    game = start(local, name, options)
    shown = local.show(101)
    preview = local.json(f"{name} preview 101 pass")
    promised = {
        *("game", "options", "board", "players", "moves", "ply", "to_move", "stones"),
        *("status", "winner", "reason", "score"),
    }

    assert promised <= set(shown)
    assert promised | {"change"} <= set(preview)
    assert (preview["board"], preview["ply"]) == (None, 1)
    assert set(preview["change"]) == {"X", "O"}
    assert {"points", "winner", "full"} <= set(shown["score"])
    assert set(shown["options"]) == {option.name for option in game.options()}


@ONE_DATABASE
@pytest.mark.parametrize("name", game_names())
def test_cells_are_read_in_any_case_and_printed_in_one(local: LocalServer, name: str) -> None:
    names = find_game(name)().board.names
    cell = names[len(names) // 2]

    assert local.json(f"{name} preview new {cell.lower()}")["moves"] == [cell]
    assert local.json(f"{name.upper()} preview NEW {cell}")["moves"] == [cell]


@ONE_DATABASE
@pytest.mark.parametrize(
    ("name", "extremes"),
    [
        ("hex", "a letter A to K and a number 1 to 11, such as F6"),
        ("polyy", "a letter A to E and a number 10 to 65, or 00, such as C50"),
        ("star", "a letter A to J and a number 1 to 10, such as F6"),
        ("starstar", "one of *, A, R, S, T and a number 0 to 98, such as R62"),
        ("starweb", "a letter A to S and a number 1 to 19, such as J10"),
        ("y", "a letter A to Q and a number 1 to 17, such as I13"),
    ],
)
def test_what_is_no_cell_is_refused_with_the_extremes(
    local: LocalServer, name: str, extremes: str
) -> None:
    error = local.refusal(f"{name} preview new ZZ99")

    assert (error.code, error.exit_code) == ("invalid-move", 1)
    assert error.advice == f"Cells are {extremes}."


def wrong_values() -> Iterator[tuple[str, str, str]]:
    """Yield game, option and a value just outside of what is allowed."""
    for name in game_names():
        for option in find_game(name).options():
            if option.low is not None and option.high is not None:
                yield name, option.name, str(option.low - 1)
                yield name, option.name, str(option.high + 1)
            if option.choices:
                yield name, option.name, "1"
            yield name, option.name, "much"


@pytest.mark.costly(stay=6)
@ONE_DATABASE
@pytest.mark.parametrize(("name", "option", "value"), list(wrong_values()))
def test_an_option_out_of_range_is_not_understood(
    local: LocalServer, name: str, option: str, value: str
) -> None:
    local.sign_up("alice", "bob")
    error = local.refusal(f"{name} challenge alice bob '-{option}={value}'")

    assert (error.code, error.exit_code) == ("bad-option-value", 2)
    assert f"-{option}" in error.message + error.advice


@ONE_DATABASE
@pytest.mark.parametrize("name", game_names())
def test_the_help_page_tells_rules_options_and_examples(local: LocalServer, name: str) -> None:
    game = find_game(name)
    page = local.text(f"{name} help")

    assert local.text(f"help {name}") == page
    assert game.source in page
    goal, _, rest = page.partition("\n\nExamples\n")
    examples, _, rest = rest.partition("\n\nRules\n")
    rules, _, rest = rest.partition("\n\nChallenge options ")
    options, _, board = rest.partition("\n\nThe empty board (")
    sample, written = game(), " ".join(examples.replace("\\\n", "").split())

    for paragraph in (game.__doc__ or "").split("\n\n"):
        assert " ".join(paragraph.split()) in " ".join(f"{goal} {rules}".split())
    assert sample.ending in " ".join(rules.split())
    assert text_picture(draw(sample, sample.start())) in board
    for option in game.options():
        [row] = re.findall(rf"^  -{option.name}\b.*(?:\n {{4,}}.*)*", options, re.MULTILINE)

        assert option.help in " ".join(row.split())
    for example in game.examples:
        line = example.line.replace(name, shell_name(name), 1)
        assert f"{example.text} {line}" in written
    for alias in game.aliases:
        assert local.text(f"help '{alias}'") == page


@ONE_DATABASE
@pytest.mark.parametrize("name", game_names())
def test_the_examples_of_the_help_page_do_what_it_says(local: LocalServer, name: str) -> None:
    local.sign_up("alice", "bob")

    assert find_game(name).examples
    for example in find_game(name).examples:
        assert example.shows in local.text(example.line)


@pytest.mark.costly(stay=2)
@ONE_DATABASE
@EACH
def test_a_first_pass_tells_what_a_second_would_do(
    local: LocalServer, name: str, options: str
) -> None:
    game = start(local, name, options)
    text = text_of(local.move(101, "alice", "pass"))
    result = game.when_passed_out(game.replay(["pass", "pass"]))
    points = game.score(game.replay(["pass", "pass"])).points
    x, o = points[Side.X], points[Side.O]
    # The winner's points come first; nobody is told of those of an empty board.
    told = {"X": f"alice wins, {x} to {o}.", "O": f"bob wins, {o} to {x}."}.get(
        result.winner or "", f"a draw, {x} to {o}." if x else "a draw."
    )

    assert f"A second pass now ends the game: {told}" in text
    assert "A second pass" not in local.text(f"{name} show 101#0")
    for note in game.score(game.replay(["pass"])).notes:
        assert note in text

    assert "A second pass" not in text_of(local.move(101, "bob", "pass"))


@EACH
def test_the_spec_of_a_board_reads_back(local: LocalServer, name: str, options: str) -> None:
    game = start(local, name, options)

    assert parse_game(format_game(game)) == game
