"""*Star: own the rim of a five-pointed star, with fewer stars than your opponent."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from pbmserv.engine.board import Board, Cell, groups
from pbmserv.engine.game import Example, Game, option
from pbmserv.engine.ownership import Ownership
from pbmserv.engine.polar import bridged_star
from pbmserv.engine.position import Position, Side
from pbmserv.engine.score import Score, Tally, compare, leader

STANDARD, SIMPLIFIED, ALTERNATIVE = "standard", "simplified", "alternative"


class StarGroup(NamedTuple):
    """A star: a group that holds two peries or more."""

    side: Side
    cells: tuple[Cell, ...]
    peries: tuple[Cell, ...]


class Region(NamedTuple):
    """Connected cells without a star's stone: their peries, the stars around, and the owner."""

    cells: tuple[Cell, ...]
    peries: tuple[Cell, ...]
    stars: tuple[StarGroup, ...]

    @property
    def owner(self) -> Side | None:
        """The side of all the stars around; nobody if there are both or none."""
        sides = {star.side for star in self.stars}
        return sides.pop() if len(sides) == 1 else None


class Spark(NamedTuple):
    """A group that holds a single peri, and the region that it lies in."""

    side: Side
    cells: tuple[Cell, ...]
    peri: Cell
    region: Region


class Survey(NamedTuple):
    """Everything on the board that has to do with peries; regions without one are left out."""

    stars: list[StarGroup]
    regions: list[Region]
    sparks: list[Spark]


class Account(NamedTuple):
    """The figures of one side; ``komi`` is negative for the side that gives points."""

    peries: int
    quarks: int
    stars: int
    reward: int
    komi: int

    @property
    def quark_peri(self) -> int:
        """One extra for three quarks or more."""
        return int(self.quarks >= 3)

    @property
    def standard(self) -> int:
        """Peries, quark peri and reward."""
        return self.peries + self.quark_peri + self.reward + self.komi

    @property
    def simplified(self) -> int:
        """Four less than the peries for every star, and the quark peri."""
        return self.peries - 4 * self.stars + self.quark_peri + self.komi


@dataclass(frozen=True)
class StarStar(Game):
    """*Star is played on a five-pointed board; what counts is who owns its outermost ring.

    Every cell of the outer ring holds a peri, and each of the five corners a quark too. A star
    is a group (connected stones of one colour) that holds two peries or more. All other stones
    are dead: take the stars alone, and what lies between them falls into regions. A region that
    only stars of one side touch belongs to that side with all its peries and quarks, empty or
    not. A region between stars of both sides belongs to nobody yet.

    Your standard score is the number of peries you own, 1 more (the quark peri) for three
    quarks or more, and the reward: twice as many points as your opponent has stars more than
    you. So every star costs you two points and gives your opponent two, and it pays to join
    your stars. The simplified score is four less than the peries for each star; the alternative
    score is your standard score less your opponent's. All three have the same margin and the
    same winner; -scoring chooses which one is shown first. On a full board of R rings the
    standard scores add up to 5R+1. With equal scores more quarks win, else it is a draw.

    Cells are named by sector, ring and position: the sectors are * S T A R, clockwise, with A at
    the top; rings count from the middle, 10 written 0; positions count clockwise from 0 on the
    ray. S00 is the corner S of the full board and S01 the next cell on its side. Write P for the
    sector * where a shell would expand it: P60. The five cells of ring 1 all touch one another
    over the bridge in the middle, on which nobody plays.

    In Double *Star the first turn is one stone and every other turn two, joined by a plus sign:
    A50+T31; or A50+- for one stone and a pass. With -komi, O gets so many points and X gives as
    many. With -handicap, O has stones on the rays before X moves first. Neither has a swap.
    """

    name: ClassVar[str] = "starstar"
    title: ClassVar[str] = "*Star"
    source: ClassVar[str] = "Ea Ea's *Star page (2001); Wikipedia, *Star"
    aliases: ClassVar[tuple[str, ...]] = ("*star",)
    most_stones_a_turn: ClassVar[int] = 2
    examples: ClassVar[tuple[Example, ...]] = (
        Example("starstar challenge -size=6 alice bob", "*Star Board 101", "Start a board:"),
        Example("starstar preview new -size=4 T31", "[X]", "Try a move on an empty board:"),
        Example(
            'starstar score new -size=4 --x="P10 P20 P30 P40 R10 R20 R30 R40"'
            ' --o="A10 A20 A30 A40 T10 T20 T30 T40"',
            "X: 5",
            "Score a position: each side has one star of two peries, which encloses three more:",
        ),
    )

    size: int = option(10, "rings of the board", choices=(4, 6, 8, 10))
    scoring: str = option(
        STANDARD, "which score is shown first", choices=(STANDARD, SIMPLIFIED, ALTERNATIVE)
    )
    double: bool = option(False, "Double *Star: two stones a turn, after a first turn of one")
    komi: int = option(0, "points given to O and taken from X", low=-99, high=99)
    handicap: int = option(0, "stones that O has on the board at the start", low=0, high=10)

    @property
    def board(self) -> Board:
        """The star with its bridge."""
        return bridged_star(self.size)

    @property
    def is_even(self) -> bool:
        """Whether there is neither komi nor handicap."""
        return not self.komi and not self.handicap

    @property
    def full_board_sum(self) -> int | None:
        """5R+1 by standard scoring, 0 by the alternative; the number of stars varies the other."""
        return {STANDARD: 5 * self.size + 1, ALTERNATIVE: 0}.get(self.scoring)

    def opening_stones(self) -> tuple[Cell, ...]:
        """Return the cells of the handicap stones, on the rays at 0.6 and 0.3 of the way out."""
        rings = (round(0.6 * self.size), round(0.3 * self.size))
        names = [f"{sector}{ring}0" for ring in rings for sector in "SA*TR"]
        return tuple(self.board.index[name] for name in names[: self.handicap])

    def stones_due(self, position: Position) -> int:
        """Return 1, or in Double *Star 2 after the first turn, even if that one was a pass."""
        due = 2 if self.double and position.ply else 1
        return min(due, position.empty_count)

    def score(self, position: Position) -> Score:
        """Return the chosen score of both sides, with all three in the details."""
        survey = self.survey(position)
        accounts = self._accounts(survey)
        standard = {side.value: accounts[side].standard for side in Side}
        simplified = {side.value: accounts[side].simplified for side in Side}
        margin = standard["X"] - standard["O"]
        scores = {
            STANDARD: standard,
            SIMPLIFIED: simplified,
            ALTERNATIVE: {"X": margin, "O": -margin},
        }
        winner = leader(standard)
        notes = [
            f"{name.capitalize()} score: X {points['X']}, O {points['O']}."
            for name, points in scores.items()
            if name != self.scoring
        ]
        if winner == "draw":
            winner = compare(accounts[Side.X].quarks, accounts[Side.O].quarks)
            notes += [f"Equal scores: {winner} has more quarks."] if winner != "draw" else []
        unowned = sum(len(region.peries) for region in survey.regions if not region.owner)
        notes += [_counted(unowned, "peri", "belongs", "belong") + " to nobody."] if unowned else []
        empty = position.empty_count
        notes += [_counted(empty, "cell", "is", "are") + " empty."] if empty else []
        figures = {
            key: {side.value: getattr(accounts[side], key) for side in Side}
            for key in ("peries", "quarks", "quark_peri", "stars", "reward")
        }
        details = {**figures, **scores, "unowned_peries": unowned} | self._listed(survey)
        sheet = tuple(line for side in Side for line in self._sheet(survey, side, accounts))
        return Score(
            scores[self.scoring],
            winner,
            position.is_full,
            sheet,
            details,
            tuple(notes),
            tuple(self._lessons(survey)),
            margin=abs(margin),  # the same in all three, though alternative points differ by twice
        )

    def ownership(self, position: Position) -> Ownership:
        """Return who owns the cells of each region but for the stones of the owner itself."""
        stones = position.stones
        regions = self._regions(self.survey(position).stars)
        return Ownership(
            cells={
                cell: region.owner
                for region in regions
                if region.owner is not None
                for cell in region.cells
                if stones[cell] != region.owner.stone
            }
        )

    def survey(self, position: Position) -> Survey:
        """Return the stars, best first, the regions between them and the sparks in those."""
        board, stones = self.board, position.stones
        first_peri = len(board) - 5 * self.size
        stars: list[StarGroup] = []
        lone: list[tuple[Side, tuple[Cell, ...], Cell]] = []
        for side in Side:
            stone = side.stone
            for group in groups(board, [found == stone for found in stones]):
                peries = tuple(sorted(cell for cell in group if cell >= first_peri))
                if len(peries) > 1:
                    stars.append(StarGroup(side, tuple(sorted(group)), peries))
                elif peries:
                    lone.append((side, tuple(sorted(group)), peries[0]))
        stars.sort(key=lambda star: (-len(star.peries), star.cells))
        regions = [region for region in self._regions(stars) if region.peries]
        region_at = {peri: region for region in regions for peri in region.peries}
        return Survey(stars, regions, [Spark(*spark, region_at[spark[2]]) for spark in lone])

    def _regions(self, stars: Sequence[StarGroup]) -> Iterator[Region]:
        """Yield the regions: what is connected after all other stones are lifted."""
        board = self.board
        first_peri = len(board) - 5 * self.size
        star_at: list[int | None] = [None] * len(board)
        for number, star in enumerate(stars):
            for cell in star.cells:
                star_at[cell] = number
        for group in groups(board, [number is None for number in star_at]):
            peries = tuple(sorted(cell for cell in group if cell >= first_peri))
            beside = {star_at[other] for cell in group for other in board.neighbours[cell]}
            around = sorted(number for number in beside if number is not None)
            yield Region(tuple(sorted(group)), peries, tuple(stars[at] for at in around))

    def _accounts(self, survey: Survey) -> dict[Side, Account]:
        """Return the figures of both sides."""
        count = {side: sum(star.side is side for star in survey.stars) for side in Side}
        corners = set(self.board.corners)
        accounts = {}
        for side in Side:
            owned = [peri for star in survey.stars if star.side is side for peri in star.peries]
            for region in survey.regions:
                if region.owner is side:
                    owned += region.peries
            accounts[side] = Account(
                len(owned),
                len(corners.intersection(owned)),
                count[side],
                2 * (count[side.other] - count[side]),
                self.komi if side is Side.O else -self.komi,
            )
        return accounts

    def _name(self, star: StarGroup) -> str:
        """Return the name of a star's first peri, by which people find the star."""
        return self.board.names[star.peries[0]]

    def _peries_words(self, peries: Sequence[Cell], how: str = "") -> str:
        """Return how many peries and quarks these are, and which: ``1 peri: S00, with 1 quark``."""
        quarks = len(set(self.board.corners).intersection(peries))
        words = f"{_counted(len(peries), 'peri')}{how}: {' '.join(self.board.sorted_names(peries))}"
        return f"{words}, with {_counted(quarks, 'quark')}" if quarks else words

    def _star_names(self, stars: Sequence[StarGroup]) -> str:
        """Return stars in words: ``the star through S42``, ``the stars through S42 and A40``."""
        names = [self._name(star) for star in stars]
        if len(names) == 1:
            return f"the star through {names[0]}"
        return f"the stars through {', '.join(names[:-1])} and {names[-1]}"

    def _listed(self, survey: Survey) -> dict[str, object]:
        """Return the stars, regions and sparks for JSON."""
        names = self.board.sorted_names
        corners = set(self.board.corners)
        return {
            "star_groups": {
                side.value: [
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
                    "owner": region.owner.value if region.owner else None,
                    "stars": [self._name(star) for star in region.stars],
                }
                for region in survey.regions
            ],
            "sparks": {
                side.value: [
                    {
                        "cells": names(spark.cells),
                        "peri": self.board.names[spark.peri],
                        "owner": spark.region.owner.value if spark.region.owner else None,
                    }
                    for spark in survey.sparks
                    if spark.side is side
                ]
                for side in Side
            },
        }

    def _sheet(self, survey: Survey, side: Side, accounts: dict[Side, Account]) -> Iterator[Tally]:
        """Yield the lines of ``side``; their points add up to the score that is shown."""
        yield from (self._star_line(star) for star in survey.stars if star.side is side)
        yield from (
            self._region_line(region, side) for region in survey.regions if region.owner is side
        )
        yield from (self._spark_line(spark) for spark in survey.sparks if spark.side is side)
        yield from self._balance(side, accounts[side], accounts[side.other])

    def _star_line(self, star: StarGroup) -> Tally:
        count = len(star.peries)
        why = self._peries_words(star.peries)
        lesson = "A group with two peries or more is a star and owns the peries under its stones."
        if self.scoring == SIMPLIFIED:
            count -= 4
            why += ", less 4 for the star"
        return Tally(star.side, f"star {self._name(star)}", count, why, star.cells, lesson)

    def _region_line(self, region: Region, side: Side) -> Tally:
        names = self.board.sorted_names(region.peries)
        why = self._peries_words(region.peries, f" enclosed by {self._star_names(region.stars)}")
        lesson = (
            "Lift off every stone that belongs to no star, and the rest of the board falls into"
            " regions between the stars. A region that only stars of one side touch is that side's"
            " with all its peries and quarks, whether they are empty or under dead stones."
        )
        return Tally(side, f"region {names[0]}", len(names), why, region.peries, lesson)

    def _spark_line(self, spark: Spark) -> Tally:
        owner = spark.region.owner
        whose = f"of {owner.value}" if owner else "that is nobody's"
        why = f"only one peri, in a region {whose}"
        lesson = (
            "A group with a single peri is a spark: it is no star, owns nothing and is lifted off."
            " Its peri goes with the region around it."
        )
        title = f"spark {self.board.names[spark.peri]}"
        return Tally(spark.side, title, 0, why, spark.cells, lesson)

    def _lessons(self, survey: Survey) -> Iterator[str]:
        """Yield why some peries are nobody's, and how the three scores hang together."""
        for region in (region for region in survey.regions if region.owner is None):
            around = "no star touches it"
            if region.stars:
                around = f"stars of both sides touch it, {self._star_names(region.stars)}"
            first = self.board.names[region.peries[0]]
            yield f"The region of {first} belongs to nobody: {around}."
        yield (
            "Three ways to count have the same winner and margin. Standard: peries, quark peri and"
            " reward. Simplified: peries less four for each star, and quark peri. Alternative: your"
            " standard score less your opponent's."
        )

    def _balance(self, side: Side, ours: Account, theirs: Account) -> Iterator[Tally]:
        """Yield what a side earns as a whole: quark peri, reward, komi, the other's score."""
        if ours.quark_peri:
            lesson = "There are five quarks; who owns three or more gets one extra peri for them."
            yield Tally(side, "quark peri", 1, _counted(ours.quarks, "quark"), lesson=lesson)
        if self.scoring != SIMPLIFIED and ours.stars + theirs.stars:
            why = f"2 x ({theirs.stars} - {ours.stars}): stars of {side.other.value} less own stars"
            lesson = (
                "The reward is for having fewer stars: two points for each star that the opponent"
                " has more. Joining two of your stars moves the margin by four."
            )
            yield Tally(side, "reward", ours.reward, why, lesson=lesson)
        if ours.komi:
            lesson = "Komi evens out a difference in strength: O gets it and X gives it."
            yield Tally(side, "komi", ours.komi, f"-komi={self.komi}", lesson=lesson)
        if self.scoring == ALTERNATIVE:
            lesson = "By alternative scoring the opponent's standard score is taken off one's own."
            why = f"the standard score of {side.other.value}"
            yield Tally(side, "opponent", -theirs.standard, why, lesson=lesson)


def _enclosed(survey: Survey, star: StarGroup) -> list[Cell]:
    """Return the peries of the regions that ``star`` alone touches."""
    return [peri for region in survey.regions if region.stars == (star,) for peri in region.peries]


def _counted(number: int, noun: str, one: str = "", many: str = "") -> str:
    """Return the number with its noun, and with the verb that agrees.

    >>> _counted(2, "peri", "belongs", "belong")
    '2 peries belong'
    """
    if number == 1:
        return f"1 {noun} {one}".rstrip()
    return f"{number} {'peries' if noun == 'peri' else noun + 's'} {many}".rstrip()
