"""The pages of players: one for each, and the list of all."""

import heapq
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pbmserv.club.rating import START_DEVIATION
from pbmserv.club.standing import RatingChange
from pbmserv.club.wording import with_count
from pbmserv.engine.games import SAMPLE_GAME, find_game
from pbmserv.render.curve import ratings_svg
from pbmserv.render.rating_curve import CurvePoint
from pbmserv.site.pages import YOU, Pages, game_titles
from pbmserv.store.matches.figures import PlayerFigures
from pbmserv.store.matches.published import PublicPlayer, RatingLine

BEST = 3
"""Ratings of a player in the list of all."""


def player_page(
    pages: Pages,
    player_id: int,
    *,
    figures: Mapping[str, PlayerFigures],
    histories: Mapping[str, Sequence[RatingChange]],
    **values: Any,
) -> str:
    """Return the page of a member; ``figures`` and ``histories`` are by game."""
    one = pages.names[player_id]
    all_of = [found.all for found in figures.values()]
    won, lost, drawn = (
        sum(getattr(each, what) for each in all_of) for what in ("won", "lost", "drawn")
    )
    facts = f"{with_count(won + lost + drawn, 'game')}: {won} won, {lost} lost, {drawn} drawn"
    curves = curves_of(histories)
    now = {game: f"{found[-1].after.value:.0f}" for game, found in histories.items() if found}
    line = f"{SAMPLE_GAME} challenge {YOU} {one.userid}"
    return pages.page(
        "player.html",
        one.name,
        "../",
        id=player_id,
        userid=one.userid,
        since=one.since,
        facts=facts if all_of else "no game has ended yet",
        curves=[*curves],
        picture=ratings_svg(curves) if curves else "",
        tiles=[
            (name, title, now.get(name, ""), figures.get(name)) for name, title in game_titles()
        ],
        challenge=pages.mail_link(line),
        **values,
    )


def curves_of(histories: Mapping[str, Sequence[RatingChange]]) -> dict[str, list[CurvePoint]]:
    """Return a player's ratings by the titles of games, those of most games first.

    ``at`` counts the rated games of the player, whichever they are.
    """
    changes = ([(game, change) for change in history] for game, history in histories.items())
    found: dict[str, list[CurvePoint]] = {}
    in_order = heapq.merge(*changes, key=lambda pair: pair[1].after.last_at or 0)
    for number, (game, change) in enumerate(in_order, 1):
        curve = found.setdefault(game, [])
        deviation = curve[-1].deviation if curve else START_DEVIATION
        curve.append(CurvePoint(number - 1, change.before, deviation))
        curve.append(CurvePoint(number, change.after.value, change.after.deviation))
    by_games = sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))
    return {find_game(game).title: curve for game, curve in by_games}


def player_rows(
    members: Mapping[int, PublicPlayer],
    ratings: Mapping[int, Iterable[RatingLine]],
    running: Mapping[int, int],
) -> list[tuple[int, PublicPlayer, list[tuple[str, str]], int]]:
    """Return members with their best ratings, and with how many boards of theirs go on."""
    rows = []
    for number, one in members.items():
        best = sorted(ratings.get(number, ()), key=lambda line: -line.value)[:BEST]
        shown = [(find_game(line.game).title, f"{line.value:.0f}") for line in best]
        rows.append((number, one, shown, running.get(number, 0)))
    return rows
