"""The data of a replay leads through every position, and tells what each was worth."""

import json

import pytest

from pbmserv.engine.position import EMPTY, Side
from pbmserv.engine.score import Score
from pbmserv.engine.settle import settled
from pbmserv.site.replay import certain_since, replay_document
from tests.databases import ONE_DATABASE
from tests.site.conftest import SMALL, Club

pytestmark = ONE_DATABASE


def told(score: Score) -> list[str]:
    """Return what the lines of the sheet add up to, title by title."""
    if score.is_undecided:
        return ["Nobody has won on the board."]
    if score.feat:
        return [f"{score.winner} {score.feat}."]
    found = []
    for side in Side:
        lines = [line for line in score.sheet if line.side is side and line.points]
        titles = list(dict.fromkeys(line.title for line in lines))
        sums = [
            f"{title} {' + '.join(str(line.points) for line in lines if line.title == title)}"
            for title in titles
        ]
        found.append(f"{side} {score.points[side]}" + (f": {', '.join(sums)}" if sums else ""))
    return found


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("game", SMALL)
def test_a_replay_has_the_stones_and_the_score_of_every_position(club: Club, game: str) -> None:
    club.play_on(game, 102, 100, seed=1)
    with club.local.desk.store.reading() as records:
        match = records.matches.find(game, 102)
    assert match is not None
    assert any(turn.text == "swap" for turn in match.turns)

    document = json.loads(replay_document(match.record))
    worth = document["start"]
    stones = [EMPTY] * len(match.game.board)
    for turn, (text, side, cells, news), before, after in zip(
        match.turns,
        document["turns"],
        match.record.positions,
        match.record.positions[1:],
        strict=False,
    ):
        for cell in cells:
            stones[cell] = Side(side).stone
        if len(worth) != len(news):
            worth = news
        worth = [now or was for was, now in zip(worth, news, strict=True)]

        assert turn.text == text
        assert before.to_move.value == side
        assert list(after.stones) == stones
        assert told(match.game.score(after)) == worth


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("game", SMALL)
def test_a_game_is_settled_from_the_first_moment_at_which_its_end_is_certain(
    club: Club, game: str
) -> None:
    club.play_on(game, 102, 100, seed=1)
    with club.local.desk.store.reading() as records:
        matches = [records.matches.find(game, board) for board in (101, 102)]
    for match in matches:
        assert match is not None
        bounds = [settled(match.game, position) for position in match.record.positions]
        certain = [ply for ply, found in enumerate(bounds) if found and found.is_certain]

        assert certain_since(match) == (certain[0] if match.ply in certain else None)
