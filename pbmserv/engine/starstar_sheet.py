"""The score sheet of *Star: its lines, the rules behind them, and lists for JSON."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pbmserv.engine.board import Board, Cell
from pbmserv.engine.position import Side
from pbmserv.engine.score import MAX_NAMES, Earned, Points, Tally, compare, komi_tallies
from pbmserv.engine.starstar_survey import Account, Region, Spark, StarGroup, Survey

STANDARD, SIMPLIFIED, ALTERNATIVE = "standard", "simplified", "alternative"


@dataclass(frozen=True)
class StarstarSheet:
    """The words for one position: ``scoring`` is the one of ``scores`` that is shown first."""

    board: Board
    scoring: str
    scores: Mapping[str, Points]
    survey: Survey
    accounts: Mapping[Side, Account]
    empty: int

    def lines(self, side: Side) -> Iterator[Tally]:
        """Yield the lines of ``side``; their points add up to the score that is shown."""
        stars, regions, sparks = self.survey
        yield from (self._star_line(star) for star in stars if star.side is side)
        yield from (self._region_line(region, side) for region in regions if region.owner is side)
        yield from (self._spark_line(spark) for spark in sparks if spark.side is side)
        yield from self._balance(side, self.accounts[side], self.accounts[side.other])

    def earned(self) -> Iterator[Earned]:
        """Yield the lines of both sides that have points, without words."""
        stars, regions, _ = self.survey
        for side in Side:
            yield from ((side, *self._star(star)) for star in stars if star.side is side)
            for region in regions:
                if region.owner is side:
                    yield side, *self._region(region)
            for line in self._balance(side, self.accounts[side], self.accounts[side.other]):
                yield side, line.title, line.points

    def notes(self) -> Iterator[str]:
        """Yield the other two scores, what broke a tie, and how much of the board is open."""
        for name, points in self.scores.items():
            if name != self.scoring:
                yield f"{name.capitalize()} score: X {points[Side.X]}, O {points[Side.O]}."
        x, o = self.accounts[Side.X], self.accounts[Side.O]
        if x.standard == o.standard and x.quarks != o.quarks:
            yield f"Equal scores: {compare(x.quarks, o.quarks)} has more quarks."
        if unowned := self.survey.unowned_peries:
            yield f"{_with_number(unowned, 'peri', 'belongs', 'belong')} to nobody."
        if self.empty:
            yield f"{_with_number(self.empty, 'cell', 'is', 'are')} empty."

    def lessons(self) -> Iterator[str]:
        """Yield why some peries belong to nobody, and how the three scores are related."""
        for region in (region for region in self.survey.regions if region.owner is None):
            around = "no star touches it"
            if region.stars:
                around = f"stars of both sides touch it, {self._star_names(region.stars)}"
            first = self.board.names[region.peries[0]]
            yield f"The region of {first} belongs to nobody: {around}."
        yield (
            "All three ways of counting have the same winner and margin. Standard: peries, quark "
            "peri and reward. Simplified: peries minus four for each star, and quark peri. "
            "Alternative: your standard score minus your opponent's."
        )

    def lists(self) -> dict[str, object]:
        """Return all figures and scores, the stars, regions and sparks for JSON."""
        survey, names = self.survey, self.board.sorted_names
        corners = set(self.board.corners)
        figures = {
            key: {side: getattr(self.accounts[side], key) for side in Side}
            for key in ("peries", "quarks", "quark_peri", "stars", "reward")
        }
        return {
            **figures,
            **self.scores,
            "unowned_peries": survey.unowned_peries,
            "star_groups": {
                side: [
                    {
                        "cells": names(star.cells),
                        "peries": names(star.peries),
                        "quarks": names(corners.intersection(star.peries)),
                        "encloses": names(_enclosed(survey, star)),
                    }
                    for star in survey.stars
                    if star.side is side
                ]
                for side in Side
            },
            "regions": [
                {
                    "cells": names(region.cells),
                    "peries": names(region.peries),
                    "owner": region.owner,
                    "stars": [self._name(star) for star in region.stars],
                }
                for region in survey.regions
            ],
            "sparks": {
                side: [
                    {
                        "cells": names(spark.cells),
                        "peri": self.board.names[spark.peri],
                        "owner": spark.region.owner,
                    }
                    for spark in survey.sparks
                    if spark.side is side
                ]
                for side in Side
            },
        }

    def _star_line(self, star: StarGroup) -> Tally:
        title, count = self._star(star)
        why = self._peries_words(star.peries)
        lesson = "A group with two peries or more is a star and owns the peries under its stones."
        if self.scoring == SIMPLIFIED:
            why += ", minus 4 for the star"
        if enclosed := _enclosed(self.survey, star):
            why += f"; {len(star.peries) + len(enclosed)} peries with those it alone encloses"
        return Tally(star.side, title, count, why, star.cells, lesson)

    def _star(self, star: StarGroup) -> tuple[str, int]:
        count = len(star.peries) - (4 if self.scoring == SIMPLIFIED else 0)
        return f"star {self._name(star)}", count

    def _region_line(self, region: Region, side: Side) -> Tally:
        why = self._peries_words(region.peries, f" enclosed by {self._star_names(region.stars)}")
        lesson = (
            "Remove all stones that belong to no star; the stars divide the rest into regions. A "
            "region that only stars of one side touch belongs to that side, with all its peries "
            "and quarks, empty or under dead stones."
        )
        return Tally(side, *self._region(region), why, region.peries, lesson)

    def _region(self, region: Region) -> tuple[str, int]:
        return f"region {self.board.names[region.peries[0]]}", len(region.peries)

    def _spark_line(self, spark: Spark) -> Tally:
        owner = spark.region.owner
        whose = f"of {owner.value}" if owner else "of nobody"
        why = f"only one peri, in a region {whose}"
        lesson = (
            "A group with a single peri, a spark, is not a star: it owns nothing and is removed "
            "for scoring. Its peri belongs to the region around it."
        )
        title = f"spark {self.board.names[spark.peri]}"
        return Tally(spark.side, title, 0, why, spark.cells, lesson)

    def _balance(self, side: Side, ours: Account, theirs: Account) -> Iterator[Tally]:
        """Yield what a side earns as a whole: quark peri, reward, komi, the other's score."""
        if ours.quark_peri:
            lesson = "There are five quarks; owning three or more of them earns one extra peri."
            yield Tally(side, "quark peri", 1, _with_number(ours.quarks, "quark"), lesson=lesson)
        if self.scoring != SIMPLIFIED and ours.stars + theirs.stars:
            why = f"2 x ({theirs.stars} - {ours.stars}): {side.other.value}'s stars minus your own"
            lesson = (
                "The reward is for having fewer stars: two points for each star that your opponent "
                "has more. Joining two of your stars moves the margin by four."
            )
            yield Tally(side, "reward", ours.reward, why, lesson=lesson)
        lines = komi_tallies(self.accounts[Side.O].komi)
        yield from (line for line in lines if line.side is side)
        if self.scoring == ALTERNATIVE:
            lesson = "The alternative score is your standard score minus your opponent's."
            why = f"the standard score of {side.other.value}"
            yield Tally(side, "opponent", -theirs.standard, why, lesson=lesson)

    def _name(self, star: StarGroup) -> str:
        """Return the name of a star's first peri, by which people find the star."""
        return self.board.names[star.peries[0]]

    def _peries_words(self, peries: Sequence[Cell], how: str = "") -> str:
        """Return how many peries and quarks these are: ``2 peries, with 1 quark``."""
        quarks = len(set(self.board.corners).intersection(peries))
        words = f"{_with_number(len(peries), 'peri')}{how}"
        return f"{words}, with {_with_number(quarks, 'quark')}" if quarks else words

    def _star_names(self, stars: Sequence[StarGroup]) -> str:
        """Return stars in words: ``the star through S42``, ``the stars through S42 and A40``."""
        names = [self._name(star) for star in stars]
        if len(names) == 1:
            return f"the star through {names[0]}"
        if len(names) >= MAX_NAMES:
            return f"{len(names)} stars"
        return f"the stars through {', '.join(names[:-1])} and {names[-1]}"


def _enclosed(survey: Survey, star: StarGroup) -> list[Cell]:
    """Return the peries of the regions that ``star`` alone touches."""
    return [peri for region in survey.regions if region.stars == (star,) for peri in region.peries]


def _with_number(number: int, noun: str, one: str = "", many: str = "") -> str:
    """Return the number with its noun, and with the verb that agrees.

    >>> _with_number(2, "peri", "belongs", "belong")
    '2 peries belong'
    """
    if number == 1:
        return f"1 {noun} {one}".rstrip()
    return f"{number} {'peries' if noun == 'peri' else noun + 's'} {many}".rstrip()
