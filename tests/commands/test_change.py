"""What preview says of the change of score, and what score explains."""

from itertools import pairwise

import pytest

from pbmserv.engine.game import Game
from pbmserv.engine.games import game_names, shell_name
from pbmserv.engine.position import Side
from pbmserv.engine.spec import parse_game
from pbmserv.render.score_lines import change_document, change_lines
from tests.engine.sample_games import random_game, spread
from tests.local_server import LocalServer


def after_picture(text: str) -> list[str]:
    """Return the lines of the change of score."""
    return text[text.index("Change of score") :].splitlines()


def test_a_grown_chain_is_told_with_what_it_was(local: LocalServer) -> None:
    local.start("-size=4")
    local.play(101, "D1 A5")
    text = local.text("star preview 101 E1")

    assert after_picture(text) == [
        "Change of score",
        "  X: 1 -> 2 (+1)",
        "     chain +2 (touches 4 externals, minus 2); was chain +1 (touches 3",
        "         externals, minus 2)",
        "  O: 0 -> 0 (no change)",
    ]
    assert local.json("star preview 101 E1")["change"] == {"X": 1, "O": 0}


def test_joined_chains_are_told_together(local: LocalServer) -> None:
    local.start("-size=4")
    local.play(101, "D1 A6 F1 B6")
    text = after_picture(local.text("star preview 101 E1"))

    assert "  X: 2 -> 4 (+2)" in text
    told = " ".join(line.strip() for line in text)

    assert told.count("was chain +1") == 1
    assert " and chain +1 (touches 3 externals, minus 2)" in told


def test_a_move_that_changes_nothing_says_so(local: LocalServer) -> None:
    local.start("-size=6")
    local.play(101, "F6 G6")

    assert after_picture(local.text("star preview 101 F5")) == [
        "Change of score",
        "  X: 0 -> 0 (no change)",
        "  O: 0 -> 0 (no change)",
    ]


def test_what_the_other_side_loses_is_told_too(local: LocalServer) -> None:
    local.game = "starstar"
    local.start("-size=4")
    local.play(101, "A41 S41 A42")
    before = local.show(101)["score"]["points"]
    preview = local.json("starstar preview 101 S42")
    text = after_picture(local.text("starstar preview 101 S42"))

    assert before == {"X": 19, "O": 2}
    assert preview["change"] == {
        side: preview["score"]["points"][side] - before[side] for side in ("X", "O")
    }
    assert f"  X: 19 -> {preview['score']['points']['X']} ({preview['change']['X']:+d})" in text
    assert any("gone: region" in line for line in text)
    assert any("star S41 +2 (2 peries); was spark S41 +0" in line for line in text)


def test_a_corner_won_is_told_where_points_say_nothing_yet(local: LocalServer) -> None:
    text = local.text("polyy preview new -size=3 A20 C10 A21 D10 B20 D20 E21 D21")

    assert "     new: corner A20 +0 (a chain joins its sides E and A to B)" in after_picture(text)
    assert "  X: 0 -> 0 (no change)" in after_picture(text)


def test_a_preview_without_a_move_changes_nothing(local: LocalServer) -> None:
    assert local.json("y preview new -size=3")["change"] == {"X": 0, "O": 0}
    assert "Change of score" not in local.text("y preview new -size=3")


@pytest.mark.parametrize("game", [game for game in spread() if len(game.board) < 120])
def test_a_change_adds_up_and_nothing_changes_to_itself(game: Game) -> None:
    positions = [position for _, position in random_game(game, "change")]
    scores = [game.score(position) for position in positions[:: max(1, len(positions) // 6)]]
    for before, after in pairwise(scores):
        lines = change_lines(before, after)
        for side, gained in change_document(before, after).items():
            line = f"  {side}: {before.points[side]} -> {after.points[side]}"

            assert gained == after.points[side] - before.points[side]
            assert any(told.startswith(line) for told in lines)
        assert len(change_lines(after, after)) == 3
        assert max(map(len, lines)) <= 78


@pytest.mark.parametrize("name", game_names())
def test_an_explained_sheet_teaches_every_rule_once(local: LocalServer, name: str) -> None:
    game = parse_game(name)
    *_, (_, end) = random_game(game, "explain")
    stones = {side: game.board.sorted_names(end.cells_of(side)) for side in Side}
    score = game.score(game.position_of(stones))
    x, o = (" ".join(stones[side]) for side in Side)
    line = f'{name} score new --x="{x}" --o="{o}"'
    plain = local.text(line)
    explained = " ".join(local.text(f"{line} --explain").split())
    lessons = [tally.lesson for tally in score.sheet]

    assert all(lessons)
    for lesson in {*lessons, *score.lessons}:
        assert explained.count(lesson) == 1
        assert lesson not in " ".join(plain.split())
    assert explained.endswith(f"The rules in full: {shell_name(name)} help")
    assert max(map(len, local.text(f"{line} --explain").splitlines())) <= 100


def test_the_walk_says_why_peries_are_owned_lost_and_nobodys(local: LocalServer) -> None:
    """The introduction of *Star: two peries and one enclosed, a spark, a star with a quark."""
    text = local.text(
        'starstar score new -size=6 --explain --x="S51 S52 S61 S63 T61"'
        ' --o="S64 S65 T50 T51 T60 T62"'
    )

    assert "+1  region S62: 1 peri enclosed by the star through S61\n" in text
    assert "+0  spark T61: only one peri, in a region of O" in text
    assert "The region of *60 belongs to nobody: stars of both sides touch it" in text
    assert "Score if the game ended now: X: 3   O: 5   O is ahead by 2" in text


def test_all_three_scorings_lead_by_the_same_margin(local: LocalServer) -> None:
    line = 'starstar score new -size=4 -komi=2 --x="P40 P41 P42" --o="S41 S42"'
    leads = {
        local.text(f"{line} -scoring={scoring}").partition("is ahead by ")[2].splitlines()[0]
        for scoring in ("standard", "simplified", "alternative")
    }

    assert leads == {"3"}


def test_maxi_says_that_one_chain_counts_and_what_broke_the_tie(local: LocalServer) -> None:
    text = local.text('star score new -maxi --x="B10 C10 A6" --o="J2 J3"')

    assert "X: 1   O: 1   X wins the tie" in text
    assert "Only the best chain of each side counts." in text
    assert "Equal best chains: X is ahead in chain number 2, 1 to 0." in text


def test_a_resigned_board_is_not_scored_as_if_it_went_on(local: LocalServer) -> None:
    local.start("-size=4")
    local.play(101, "D1 A5")
    local.move(101, "bob", "resign")

    assert "if the game ended now" not in local.text("star show 101")
    assert "if the game ended now" not in local.text("star score 101")
    assert "Score if the game ended now: X: 1" in local.text("star score 101#1")
