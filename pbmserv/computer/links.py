"""Links: what one side can join whatever the other plays, and which empty cells that takes.

A full link between two ends holds even if the opponent moves first, half a link only if its owner
does. Ends are the sides of the board, the owner's chains, and the empty cells, as if the owner had
them. Full links that share an end, and no cell, make one that is longer: a full link across a
chain, half a link across an empty cell. Halves of which no cell is common to all make a full link.
(Anshelevich, "A hierarchical approach to computer Hex", 2002.)

Like the kernel this runs as it stands, or compiled with the C types of ``_links.pxd``. A set of
cells is a row of words, of as many bits as a C word has to spare; of all bits in plain Python. What
is found does not depend on that.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, MutableSequence
from importlib import import_module
from itertools import chain
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from pbmserv.computer.arena import Arena

IS_COMPILED = not __file__.endswith(".py")

WORD_BITS = 62

MOST_LINKS = 30_000
"""So many links are looked at in all ..."""
MOST_TRIES = 200_000
"""... and so many pairs of them: some milliseconds' work. What more would show stays unknown."""
MOST_FULL = 5
MOST_HALVES = 10
"""So many links are kept between the same two ends."""
MOST_UNITED = 4
"""A full link is made of so many halves at most."""
SCRATCH = 32
"""So many sets are kept for what is being tried; number 0 is empty, ..."""
REACHED = 16
"""... and from here on they lead to sides of the board."""
WIN = 0
"""The pair of ends that stands for all that a side must join: its number, and that of each end."""

OPEN, HALF, FULL, ALL = 0, 1, 2, 3
"""How good a link between all that a side must join is; what is beyond them asks for all links."""


def words(values: Iterable[int]) -> MutableSequence[int]:
    """Return ``values`` as what may hold words of a set."""
    return array("q", values) if IS_COMPILED else list(values)


def word_zeros(count: int) -> MutableSequence[int]:
    """Return so many empty words."""
    return array("q", [0]) * count if IS_COMPILED else [0] * count


def whole_numbers(values: Iterable[int]) -> MutableSequence[int]:
    """Return ``values`` as what this speed reads fastest: a list, or an array of C ints."""
    return array("i", values) if IS_COMPILED else list(values)


def whole_zeros(count: int) -> MutableSequence[int]:
    """Return so many zeros, for whole numbers."""
    return array("i", [0]) * count if IS_COMPILED else [0] * count


def fastest_links() -> type[Links]:
    """Return the compiled links, or those in plain Python where none were compiled."""
    try:
        module = import_module("pbmserv.computer._links")
    except ImportError:
        return Links
    return cast("type[Links]", module.Links)


class Links:
    """The links of one side in one position after another of a game.

    End 0 is nothing; after it come the sides of the board, then chains, then empty cells. Link k
    joins the ends ``one[k]`` and ``two[k]`` by the cells of set k; ``following[k]`` is the next
    between these ends, and full links stand, each from both ends, in the rows from ``first_of``.
    """

    def __init__(self, arena: Arena) -> None:
        """Lay out what is the same for every position of a game."""
        tables = arena.tables
        size = arena.size
        x, o = tables.marks
        self.cells = size
        self.sides = len(tables.points).bit_length() - 1 if tables.are_bits else 0
        self.from_cell = whole_numbers(arena.starts)
        self.beside = whole_numbers(arena.beside)
        self.marks = whole_numbers(chain(x, o))
        total = tables.total or 0
        self.wins = whole_numbers(2 * points > total for points in tables.points)
        bits = WORD_BITS if IS_COMPILED else size
        self.width = -(-size // bits)
        self.word = whole_numbers(cell // bits for cell in range(size))
        self.bit = words(1 << cell % bits for cell in range(size))
        ends = 1 + self.sides + size
        self.end_of = whole_zeros(size)
        self.cell_of = whole_zeros(ends)
        self.is_joint = whole_zeros(ends)
        self.stack = whole_zeros(size)
        self.partner = whole_numbers(range(size))
        self.first_of = whole_zeros(ends)
        self.fulls = whole_zeros(ends * ends)
        self.halves = whole_zeros(ends * ends)
        room = SCRATCH + MOST_LINKS
        self.sets = word_zeros(room * self.width)
        self.one = whole_zeros(room)
        self.two = whole_zeros(room)
        self.following = whole_zeros(room)
        self.is_dead = whole_zeros(room)
        self.is_full = whole_zeros(room)
        self.key = whole_zeros(room)
        self.next_of = whole_zeros(2 * room)
        self.ends = 0
        self.is_near = False
        self.used = SCRATCH
        self.tries = 0
        self.middle = -1
        self.found = OPEN
        self.wanted = FULL

    def look(self, stones: MutableSequence[int], side: int, wanted: int) -> int:
        """Return the best link found between all that ``side`` must join: none, half or full.

        It is enough to find what is ``wanted``. What was found is at ``fulls[WIN]`` and
        ``halves[WIN]``.
        """
        self.is_near = False
        self._begin(stones, side)
        self.wanted = wanted
        link = SCRATCH
        while link < self.used and self.found < wanted and self.tries < MOST_TRIES:
            if self.is_full[link] and not self.is_dead[link]:
                self._extend(link, self.one[link], self.two[link])
                self._extend(link, self.two[link], self.one[link])
            link += 1
        return self.found

    def look_near(self, stones: MutableSequence[int], side: int) -> None:
        """Find only links of at most two cells between chains, and between chains and sides."""
        self.is_near = True
        self._begin(stones, side)
        self.wanted = ALL
        for link in range(SCRATCH, self.used):
            if self.is_full[link] and not self.is_dead[link] and not self.is_joint[self.two[link]]:
                self._extend(link, self.one[link], self.two[link])

    def join(self, one: int, other: int) -> None:
        """Take the chains of these two stones for one from now on."""
        after = self.partner[one]
        cell = one
        while cell != other:
            cell = self.partner[cell]
            if cell == one:
                self.partner[one] = self.partner[other]
                self.partner[other] = after
                return

    def forget_joints(self) -> None:
        """Take no chains for one that do not touch."""
        for cell in range(self.cells):
            self.partner[cell] = cell

    def must_play(self) -> int:
        """Return the number of the set of all cells that meet every half of a win."""
        link = self.halves[WIN]
        self._copy(1, link)
        while link:
            self._meet(1, 1, link)
            link = self.following[link]
        return 1

    def threats(self) -> int:
        """Return the number of the set of all cells on which any half of a win stands."""
        link = self.halves[WIN]
        self._copy(1, link)
        while link:
            self._unite(1, 1, link)
            link = self.following[link]
        return 1

    def won_by(self) -> int:
        """Return the number of the set on which what was found stands."""
        return self.fulls[WIN] if self.found == FULL else self.halves[WIN]

    def holds(self, number: int, cell: int) -> bool:
        """Tell whether ``cell`` is in this set."""
        return self.sets[number * self.width + self.word[cell]] & self.bit[cell] != 0

    def best_key(self) -> int:
        """Return the cell with which the side goes on to win by what was found, or -1.

        With a full link that is any of its cells.
        """
        if self.found == HALF:
            return self.key[self.halves[WIN]]
        for cell in range(self.cells):
            if self.holds(self.fulls[WIN], cell):
                return cell
        return -1

    def carrier(self) -> list[int]:
        """Return the cells on which what was found stands."""
        return self.cells_of(self.won_by())

    def cells_of(self, number: int) -> list[int]:
        """Return the cells of this set."""
        found = []
        for cell in range(self.cells):
            if self.holds(number, cell):
                found.append(cell)  # noqa: PERF401 - compiled, this loop counts in C
        return found

    def to_edge(self, cell: int) -> list[int]:
        """Return the fewest cells that link the chain on ``cell`` to a side, if any do."""
        found = []
        for side in range(self.sides):
            found += self._fulls_of(1 + side, self.end_of[cell])
        return min(found, key=len, default=[])

    def between(self, cell: int, other: int) -> list[int]:
        """Return the fewest cells that link the chains on these two, if any do."""
        return min(self._fulls_of(self.end_of[cell], self.end_of[other]), key=len, default=[])

    def _fulls_of(self, one: int, two: int) -> list[list[int]]:
        """Return the cells of each full link between two ends."""
        found = []
        link = self.fulls[min(one, two) * self.ends + max(one, two)]
        while link:
            found.append(self.cells_of(link))
            link = self.following[link]
        return found

    def read(self, stones: bytes) -> MutableSequence[int]:
        """Return the stones of a position as these links want them."""
        return whole_numbers([*stones])

    def _begin(self, stones: MutableSequence[int], side: int) -> None:
        """Forget the last position, and link the ends of this one that touch."""
        for link in range(SCRATCH, self.used):
            self.fulls[self.one[link] * self.ends + self.two[link]] = 0
            self.halves[self.one[link] * self.ends + self.two[link]] = 0
        self.used = SCRATCH
        self.tries = 0
        self.found = OPEN
        self._number_ends(stones, side)
        for end in range(self.ends):
            self.first_of[end] = 0
        for cell in range(self.cells):
            if self.end_of[cell]:
                self._touch(cell, self.marks[self.cells + cell if side == 2 else cell])

    def _number_ends(self, stones: MutableSequence[int], side: int) -> None:
        """Give numbers to the ends, and remember what they are."""
        self.ends = 1 + self.sides
        for end in range(self.ends):
            self.is_joint[end] = 0
            self.cell_of[end] = -1
        for cell in range(self.cells):
            self.end_of[cell] = 0
        for cell in range(self.cells):
            if stones[cell] == side and not self.end_of[cell]:
                self._gather(stones, side, cell)
        for cell in range(self.cells):
            if not stones[cell]:
                self.end_of[cell] = self.ends
                self.cell_of[self.ends] = cell
                self.is_joint[self.ends] = 0
                self.ends += 1

    def _touch(self, cell: int, mark: int) -> None:
        """Link the end at ``cell`` to all that it touches."""
        end = self.end_of[cell]
        for number in range(self.sides):
            if mark >> number & 1:
                self._add_full(end, 1 + number, 0)
        for at in range(self.from_cell[cell], self.from_cell[cell + 1]):
            other = self.beside[at]
            if other < cell and self.end_of[other] and self.end_of[other] != end:
                if (
                    self.is_near
                    and self.cell_of[end] >= 0
                    and self.cell_of[self.end_of[other]] >= 0
                ):
                    continue
                self._add_full(end, self.end_of[other], 0)

    def _gather(self, stones: MutableSequence[int], side: int, cell: int) -> None:
        """Make the chain of the stone on ``cell`` an end."""
        end = self.ends
        self.ends += 1
        self.is_joint[end] = 1
        self.cell_of[end] = -1
        self.end_of[cell] = end
        self.stack[0] = cell
        count = 1
        while count:
            count -= 1
            cell = self.stack[count]
            for at in range(self.from_cell[cell], self.from_cell[cell + 1]):
                other = self.beside[at]
                if stones[other] == side and not self.end_of[other]:
                    self.end_of[other] = end
                    self.stack[count] = other
                    count += 1
            other = self.partner[cell]
            if not self.end_of[other]:
                self.end_of[other] = end
                self.stack[count] = other
                count += 1

    def _extend(self, link: int, far: int, middle: int) -> None:
        """Put ``link`` between ``far`` and ``middle`` together with those from there on."""
        if middle <= self.sides:
            return
        self.middle = self.cell_of[middle]
        if far <= self.sides and not self.is_near:
            self._copy(REACHED, link)
            self._add_cell(REACHED, self.middle)
            self._reach_sides(middle, 1 << (far - 1), 0, REACHED)
        at = self.first_of[middle]
        while at and at >> 1 >= link:
            at = self.next_of[at]
        while at:
            other = at >> 1
            end = self.two[other] if at & 1 else self.one[other]
            at = self.next_of[at]
            if self.is_dead[other] or not self._is_worth_joining(far, end):
                continue
            self.tries += 1
            if self._can_join(link, other, far, end):
                self._unite(1, link, other)
                if self.is_joint[middle]:
                    self._add_full(far, end, 1)
                else:
                    self._add_cell(1, self.middle)
                    self._add_half(far, end, 1)
                if self.found >= self.wanted:
                    return

    def _is_worth_joining(self, far: int, end: int) -> bool:
        """Tell whether a link between these ends may be of use: of sides only all together are."""
        if end == far or (end <= self.sides and far <= self.sides):
            return False
        return not self.is_near or self.cell_of[end] < 0

    def _reach_sides(self, middle: int, held: int, start: int, number: int) -> None:
        """Look for a win by ``middle``, linked to the sides ``held`` by the cells of a set."""
        if self.wins[held]:
            if self.is_joint[middle]:
                self._add_full(WIN, WIN, number)
            else:
                self._add_half(WIN, WIN, number)
            return
        for side in range(start, self.sides):
            if held >> side & 1:
                continue
            link = self.fulls[(1 + side) * self.ends + middle]
            while link:
                self.tries += 1
                if self._are_apart(number, link):
                    self._unite(number + 1, number, link)
                    self._reach_sides(middle, held | 1 << side, side + 1, number + 1)
                    if self.found >= self.wanted:
                        return
                link = self.following[link]

    def _add_full(self, one: int, two: int, number: int) -> None:
        """Add a full link with the cells of this set, unless it is known or known better."""
        if one > two:
            one, two = two, one
        pair = one * self.ends + two
        count = 0
        link = self.fulls[pair]
        while link:
            if self._is_within(link, number):
                return
            count += 1
            link = self.following[link]
        if count >= MOST_FULL or self.used >= SCRATCH + MOST_LINKS:
            return
        self.fulls[pair] = self._without_wider(self.fulls[pair], number)
        self.halves[pair] = self._without_wider(self.halves[pair], number)
        link = self._append(one, two, number)
        self.is_full[link] = 1
        self.following[link] = self.fulls[pair]
        self.fulls[pair] = link
        if pair == WIN:
            self.found = FULL
            return
        self.next_of[2 * link] = self.first_of[two]
        self.first_of[two] = 2 * link
        self.next_of[2 * link + 1] = self.first_of[one]
        self.first_of[one] = 2 * link + 1

    def _add_half(self, one: int, two: int, number: int) -> None:
        """Add half a link with the cells of this set, and what it makes with the other halves."""
        if one > two:
            one, two = two, one
        pair = one * self.ends + two
        link = self.fulls[pair]
        while link:
            if self._is_within(link, number):
                return
            link = self.following[link]
        count = 0
        link = self.halves[pair]
        while link:
            if self._is_within(link, number):
                return
            count += 1
            link = self.following[link]
        if count >= MOST_HALVES or self.used >= SCRATCH + MOST_LINKS:
            return
        self.halves[pair] = self._without_wider(self.halves[pair], number)
        link = self._append(one, two, number)
        self.is_full[link] = 0
        self.key[link] = self.middle
        self.following[link] = self.halves[pair]
        self.halves[pair] = link
        if pair == WIN and self.found < HALF:
            self.found = HALF
        other = self.following[link]
        self._copy(3, link)
        while other:
            self._meet(3, 3, other)
            other = self.following[other]
        if self._is_none(3):
            self._combine(self.following[link], link, link, 1)

    def _combine(self, link: int, meet: int, union: int, count: int) -> None:
        """Make full links of halves from ``link`` on and ``count`` before, no cell common to all.

        ``meet`` and ``union`` are the sets of what those have in common, and in all.
        """
        number = 4 + 2 * count
        while link:
            self._meet(number, meet, link)
            if not self._is_within(meet, number):
                self._unite(number + 1, union, link)
                if self._is_none(number):
                    self._add_full(self.one[link], self.two[link], number + 1)
                elif count + 1 < MOST_UNITED:
                    self._combine(self.following[link], number, number + 1, count + 1)
            link = self.following[link]

    def _append(self, one: int, two: int, number: int) -> int:
        """Keep the set as that of a new link."""
        link = self.used
        self.used += 1
        self.one[link] = one
        self.two[link] = two
        self.is_dead[link] = 0
        self._copy(link, number)
        return link

    def _without_wider(self, link: int, number: int) -> int:
        """Take out of a row, which begins with ``link``, what needs more than the set."""
        first = 0
        last = 0
        while link:
            if self._is_within(number, link):
                self.is_dead[link] = 1
            else:
                if last:
                    self.following[last] = link
                else:
                    first = link
                last = link
            link = self.following[link]
        if last:
            self.following[last] = 0
        return first

    def _can_join(self, link: int, other: int, far: int, end: int) -> bool:
        """Tell whether two links, which lead on to ``far`` and ``end``, make a longer one."""
        return (
            self._are_apart(link, other)
            and not self._has_end(other, far)
            and not self._has_end(link, end)
        )

    def _has_end(self, number: int, end: int) -> bool:
        cell = self.cell_of[end]
        return cell >= 0 and self.holds(number, cell)

    def _add_cell(self, number: int, cell: int) -> None:
        if cell >= 0:
            self.sets[number * self.width + self.word[cell]] |= self.bit[cell]

    def _copy(self, target: int, number: int) -> None:
        for at in range(self.width):
            self.sets[target * self.width + at] = self.sets[number * self.width + at]

    def _unite(self, target: int, one: int, two: int) -> None:
        for at in range(self.width):
            self.sets[target * self.width + at] = (
                self.sets[one * self.width + at] | self.sets[two * self.width + at]
            )

    def _meet(self, target: int, one: int, two: int) -> None:
        for at in range(self.width):
            self.sets[target * self.width + at] = (
                self.sets[one * self.width + at] & self.sets[two * self.width + at]
            )

    def _are_apart(self, one: int, two: int) -> bool:
        for at in range(self.width):
            if self.sets[one * self.width + at] & self.sets[two * self.width + at]:
                return False
        return True

    def _is_within(self, one: int, two: int) -> bool:
        for at in range(self.width):
            if self.sets[one * self.width + at] & ~self.sets[two * self.width + at]:
                return False
        return True

    def _is_none(self, number: int) -> bool:
        return self._is_within(number, 0)
