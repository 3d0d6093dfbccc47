"""*Star: own the rim of a pentagon, with fewer stars than your opponent."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from pbmserv.engine.board import Board, Cell
from pbmserv.engine.game import Example, Game, Primer, Step, komi_option, option
from pbmserv.engine.polar import bridged_star
from pbmserv.engine.position import Position, Side
from pbmserv.engine.score import Ownership, Points, Score, compare, leader
from pbmserv.engine.score_tables import Tables
from pbmserv.engine.starstar_sheet import ALTERNATIVE, SIMPLIFIED, STANDARD, StarstarSheet
from pbmserv.engine.starstar_survey import accounts_of, owned_cells, survey_of

QUARK = 64
"""The mark of a quark: more than the peries of any board."""
ALL_MARKS = range(6 * QUARK)


@dataclass(frozen=True)
class StarStar(Game):
    """*Star is played on a pentagon of rings; what counts is who owns the outermost ring.

    Every cell of the outer ring holds a peri, and each of the five corners a quark too. A star
    is a group (connected stones of one colour) that holds two peries or more. All other stones
    are dead. Without them, the stars divide the rest of the board into regions. A region that only
    stars of one side touch belongs to that side with all its peries and quarks, empty or not. A
    region between stars of both sides belongs to nobody.

    Your standard score is the number of peries you own, plus 1 (the quark peri) if you own three
    quarks or more, plus the reward. The reward is twice the number of your opponent's stars minus
    your own. So every star costs you two points and gives your opponent two, and it pays to join
    your stars.

    The simplified score is the number of peries you own, minus four for each of your stars, and 1
    more for the quark peri. The alternative score is your standard score minus your opponent's.
    All three have the same margin and the same winner; -scoring chooses which one is shown first.
    On a full board of R rings the standard scores add up to 5R+1. Scores can be equal only after
    early passes; then more quarks win; otherwise it is a draw.

    Cells are named by sector, ring and position. The sectors are * S T A R, clockwise, with A at
    the top; rings count from the middle, 10 written 0. Positions count clockwise from 0 on the
    ray. S00 is the corner S of the full board and S01 the next cell on its side. In a shell write
    P for the sector *, because a shell expands *: P60. The five cells of ring 1 all touch one
    another over the bridge in the middle, on which nobody plays.

    In Double *Star the first turn is one stone and every other turn two, joined by a plus sign:
    A50+T31; or A50+- for one stone and a pass. One cell alone is refused while two are empty, and
    only a pass of the whole turn counts towards the end.

    With -komi=7, 7 points are added to O's score and taken from X's; a negative number favours
    X. With -handicap=3, O, the weaker player, has three stones before X moves first. They lie on
    the rays: with 10 rings on S60 A60 *60 T60 R60 S30 A30 *30 T30 R30, filled in that order. They
    lie with 8 rings on the rings 5 and 2 instead of 6 and 3, with 6 on 4 and 2, with 4 on 2 and 1.
    Games with komi or handicap have no swap. They are unrated, unless challenge -even began them
    (help handicap).
    """

    name: ClassVar[str] = "starstar"
    title: ClassVar[str] = "*Star"
    gist: ClassVar[str] = "Own more of the outer ring, with as few stars as possible."
    nicknames: ClassVar[tuple[str, ...]] = ("doublestar", "dstar")
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
        Example(
            'starstar score new -size=4 -komi=1 --x="P10 P20 P30 P40 R10 R20 R30 R40"'
            ' --o="A10 A20 A30 A40 T10 T20 T30 T40"',
            "X: 4   O: 6",
            "The same with komi, which turns the tie, 5 to 5, into 4 to 6:",
        ),
    )
    primer: ClassVar[Primer] = Primer(
        4,
        "*30 *31 *41 *42 A43 A32 R30 T41 A42 A41 A31 A30 T32 A20 A21 T20 S42 R42 R21 S41 S31"
        " S30 S20 *10 A10 T21 T10 R43 R41 *40 S43 S21 S10 R20 R31 T43 T42 *21 R32 S32 R10 T31"
        " *43 *32 S40 T30 T40 *20 R40 A40",
        turns=2,
        touching=17,
        steps=(
            Step(
                40,
                "The outer ring counts",
                "Every cell of the outer ring holds a peri, and each of the five corners a quark "
                "too. A group that holds two peries or more is a star. Everything between stars "
                "of only one side, cells and stones, belongs to that side.",
            ),
            Step(
                50,
                "Each star costs two",
                "You score the peries you own, and one more for three quarks or more. The reward "
                "is added: twice the number of your opponent's stars minus your own. So join your "
                "stars, and cut theirs apart.",
            ),
        ),
        group="group",
    )

    size: int = option(10, "rings of the board", choices=(4, 6, 8, 10))
    scoring: str = option(
        STANDARD, "which score is shown first", choices=(STANDARD, SIMPLIFIED, ALTERNATIVE)
    )
    double: bool = option(False, "Double *Star: two stones a turn, after a first turn of one")
    komi: int = komi_option()
    handicap: int = option(0, "stones that O has on the board at the start", low=0, high=10)

    @cached_property
    def board(self) -> Board:
        """The pentagon with its bridge."""
        # RULES: *Star is played on a pentagon of rings;
        return bridged_star(self.size)

    @property
    def is_even(self) -> bool:
        """Whether there is neither komi nor handicap."""
        # RULES: Games with komi or handicap have no swap.
        # RULES: They are unrated, unless challenge -even began them (help handicap).
        return not self.komi and not self.handicap

    @property
    def full_board_sum(self) -> int | None:
        """5R+1 by standard scoring, 0 by the alternative; the number of stars varies the other."""
        # RULES: On a full board of R rings the standard scores add up to 5R+1.
        return {STANDARD: 5 * self.size + 1, ALTERNATIVE: 0}.get(self.scoring)

    def opening_stones(self) -> tuple[Cell, ...]:
        """Return the cells of the handicap stones, on the rays at 0.6 and 0.3 of the way out."""
        # RULES: with 10 rings on S60 A60 *60 T60 R60 S30 A30 *30 T30 R30, filled in that order.
        # RULES: with 8 rings on the rings 5 and 2 instead of 6 and 3,
        rings = (round(0.6 * self.size), round(0.3 * self.size))
        names = [f"{sector}{ring}0" for ring in rings for sector in "SA*TR"]
        # RULES: O, the weaker player, has three stones before X moves first.
        return tuple(self.board.index[name] for name in names[: self.handicap])

    def stones_due(self, position: Position) -> int:
        """Return 1, or in Double *Star 2 after the first turn, even if that one was a pass."""
        # RULES: In Double *Star the first turn is one stone and every other turn two,
        due = 2 if self.double and not self.is_first_turn(position) else 1
        return min(due, position.empty_count)

    def score(self, position: Position) -> Score:
        """Return the chosen score of both sides, with all three in the details."""
        survey = survey_of(self.board, position)
        accounts = accounts_of(self.board, survey, self.komi)
        x, o = accounts[Side.X], accounts[Side.O]
        margin = x.standard - o.standard
        scores = {
            STANDARD: {side: accounts[side].standard for side in Side},
            SIMPLIFIED: {side: accounts[side].simplified for side in Side},
            # RULES: The alternative score is your standard score minus your opponent's.
            ALTERNATIVE: {Side.X: margin, Side.O: -margin},
        }
        sheet = StarstarSheet(
            self.board, self.scoring, scores, survey, accounts, position.empty_count
        )
        return Score(
            # RULES: -scoring chooses which one is shown first.
            scores[self.scoring],
            # RULES: then more quarks win;
            # RULES: otherwise it is a draw.
            leader(scores[STANDARD]) or compare(x.quarks, o.quarks),
            position.is_full,
            sheet=lambda: tuple(line for side in Side for line in sheet.lines(side)),
            details=sheet.lists,
            notes=lambda: tuple(sheet.notes()),
            lessons=lambda: tuple(sheet.lessons()),
            margin=abs(margin),  # the same in all three, though alternative points differ by twice
            earning=sheet.earned,
        )

    def points_to_agree(self, score: Score) -> Points | None:
        """Return the standard points, also if the game shows another score."""
        standard: Points = score.details[STANDARD]
        return standard

    def tables(self) -> Tables:
        """Return peries and quarks: the peri of a spark on a full board is the opponent's."""
        first_peri = len(self.board) - 5 * self.size
        marks = [int(cell >= first_peri) for cell in range(len(self.board))]
        for corner in self.board.corners:
            marks[corner] += QUARK
        points = [mark % QUARK - 4 if mark % QUARK > 1 else -(mark % QUARK) for mark in ALL_MARKS]
        quarks = [mark // QUARK if mark % QUARK > 1 else -(mark // QUARK) for mark in ALL_MARKS]
        start = -2 * self.komi  # which changes the points of both sides
        return Tables(self.board, (marks, marks), points, tie_points=quarks, start=start)

    def ownership(self, position: Position) -> Ownership:
        """Return who owns the cells of each region but for the stones of the owner itself."""
        stones = position.stones
        owned = owned_cells(self.board, position)
        return Ownership(
            {cell: owner for cell, owner in owned.items() if stones[cell] != owner.stone}
        )
