"""Links, which are virtual connections: what one side can join whatever the other plays.

A full link joins two ends even if the opponent moves first, half a link (a semi connection) only if
its owner does; its carrier are the empty cells that this needs. Ends are the sides of the board,
the owner's chains, and the empty cells as if the owner had them. From ends that touch, longer links
are made by two rules (Anshelevich, "A hierarchical approach to computer Hex", 2002):

* and: two full links with a common end and disjoint carriers make a full link if that end is a
  chain, half a link if it is an empty cell, the key, which the owner then plays;
* or: halves between the same ends whose carriers have no cell in common make a full link.

    >>> from pbmserv.computer.game_arrays import require_arrays
    >>> from pbmserv.engine.position import Side
    >>> from pbmserv.engine.spec import parse_game
    >>> hex = parse_game("hex(size=4)")
    >>> links = Links(require_arrays(hex))
    >>> position = hex.position_of({Side.X: ["B2"], Side.O: []})
    >>> links.look(links.read(position.stones), Side.X.stone, ALL) == HALF
    True
    >>> hex.board.sorted_names(links.to_edge(hex.board.find("B2")))
    ['B1', 'C1']

The search is breadth-first and bounded (``MAX_LINKS`` and those after it): it may miss a link, but
each that it finds holds. Like the kernel it runs as it stands, or compiled with ``_links.pxd``.
Sets of cells are rows of words: of 62 bits compiled, one word for all cells in plain Python.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, MutableSequence
from functools import cache
from importlib import import_module
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast, overload

if TYPE_CHECKING:
    from pbmserv.computer.game_arrays import GameArrays

IS_COMPILED = not __file__.endswith(".py")

WORD_BITS = 62
"""Bits of a compiled word, which is a signed one of 64."""
MAX_LINKS = 30_000
"""Links in one position."""
MAX_TRIES = 200_000
"""Pairs of links tried in one position: some milliseconds' work."""
MAX_FULL = 5
"""Full links between the same two ends."""
MAX_HALVES = 10
"""Halves between the same two ends."""
MAX_UNITED = 4
"""Halves of which a full link is made."""
SCRATCH = 32
"""The number of the first link's set; those below are for trials, and set 0 is always empty."""
REACHED = 16
"""The first of the scratch sets with which a win is made of links to several sides."""
WIN = 0
"""The pair of ends that is the win itself, all sides that must be joined; also each of its ends."""

OPEN, HALF, FULL, ALL = 0, 1, 2, 3
"""The best link found for the win. As what is wanted, ALL goes on until there are no more links."""


T = TypeVar("T")
N = TypeVar("N", int, float)


def row(code: str, values: Iterable[N]) -> MutableSequence[N]:
    """Return ``values`` as a list, or compiled as an array of this type code, which C reads."""
    return array(code, values) if IS_COMPILED else list(values)


@overload
def zeros(code: Literal["i", "q"], count: int) -> MutableSequence[int]: ...
@overload
def zeros(code: Literal["d"], count: int) -> MutableSequence[float]: ...
def zeros(code: str, count: int) -> MutableSequence[Any]:
    """Return a row of ``count`` zeros."""
    zero = [0.0 if code == "d" else 0]
    return array(code, zero) * count if IS_COMPILED else zero * count


@cache
def fastest(plain: type[T]) -> type[T]:
    """Return the compiled twin of a class in plain Python, or the class if none was compiled."""
    room, _, name = plain.__module__.rpartition(".")
    try:
        module = import_module(f"{room}._{name}")
    except ImportError:
        return plain
    return cast("type[T]", getattr(module, plain.__name__))


class Links:
    """The links of one side in a position; :meth:`look` finds them anew for each position.

    End 0 is the win; after it come the sides of the board, then chains, then empty cells. Link k
    joins the ends ``one[k]`` and ``two[k]``, and set k is its carrier. Links between the same ends
    are a linked list: ``fulls`` and ``halves`` have the first by the number of the pair, and
    ``following[k]`` is the next. So are all full links at one end, from ``first_of`` by ``next_of``
    on: number 2k is link k seen from ``two[k]``, 2k + 1 from ``one[k]``.
    """

    def __init__(self, arrays: GameArrays) -> None:
        """Lay out what is the same for every position of a game."""
        tables = arrays.tables
        size = arrays.size
        x, o = tables.marks
        self.cells = size
        self.sides = len(tables.points).bit_length() - 1 if tables.are_bits else 0
        self.from_cell = row("i", arrays.starts)
        self.beside = row("i", arrays.beside)
        self.marks = row("i", chain(x, o))
        total = tables.total or 0
        self.wins = row("i", (2 * points > total for points in tables.points))
        bits = WORD_BITS if IS_COMPILED else size
        self.width = -(-size // bits)
        self.word = row("i", (cell // bits for cell in range(size)))
        self.bit = row("q", (1 << cell % bits for cell in range(size)))
        ends = 1 + self.sides + size
        self.end_of = zeros("i", size)
        self.cell_of = zeros("i", ends)
        self.is_joint = zeros("i", ends)
        self.stack = zeros("i", size)
        self.partner = row("i", range(size))
        self.first_of = zeros("i", ends)
        self.fulls = zeros("i", ends * ends)
        self.halves = zeros("i", ends * ends)
        room = SCRATCH + MAX_LINKS
        self.sets = zeros("q", room * self.width)
        self.one = zeros("i", room)
        self.two = zeros("i", room)
        self.following = zeros("i", room)
        self.is_dead = zeros("i", room)
        self.is_full = zeros("i", room)
        self.key = zeros("i", room)
        self.next_of = zeros("i", 2 * room)
        self.ends = 0
        self.is_near = False
        self.used = SCRATCH
        self.tries = 0
        self.middle = -1
        self.found = OPEN
        self.wanted = FULL

    def look(self, stones: MutableSequence[int], side: int, wanted: int) -> int:
        """Return the best link found for the win of ``side``: OPEN, HALF or FULL.

        The search ends once it has what is ``wanted``. The links of the win are at ``fulls[WIN]``
        and ``halves[WIN]``.
        """
        self.is_near = False
        self._begin(stones, side)
        self.wanted = wanted
        link = SCRATCH
        while link < self.used and self.found < wanted and self.tries < MAX_TRIES:
            if self.is_full[link] and not self.is_dead[link]:
                self._extend(link, self.one[link], self.two[link])
                self._extend(link, self.two[link], self.one[link])
            link += 1
        return self.found

    def look_near(self, stones: MutableSequence[int], side: int) -> None:
        """Find only links of at most two cells, between chains or from a chain to a side."""
        self.is_near = True
        self._begin(stones, side)
        self.wanted = ALL
        for link in range(SCRATCH, self.used):
            if self.is_full[link] and not self.is_dead[link] and not self.is_joint[self.two[link]]:
                self._extend(link, self.one[link], self.two[link])

    def join(self, one: int, other: int) -> None:
        """Treat the chains of these two stones as connected from now on."""
        # ``partner`` leads in a ring through the stones that were connected. An exchange joins two
        # rings, but would part one: hence the walk, which ends here if both are in the same.
        after = self.partner[one]
        cell = one
        while cell != other:
            cell = self.partner[cell]
            if cell == one:
                self.partner[one] = self.partner[other]
                self.partner[other] = after
                return

    def reset_joins(self) -> None:
        """Treat no chains as connected any more but those that touch."""
        for cell in range(self.cells):
            self.partner[cell] = cell

    def must_play(self) -> int:
        """Return the number of the must-play set: the cells that all winning halves share."""
        link = self.halves[WIN]
        self._copy(1, link)
        while link:
            self._meet(1, 1, link)
            link = self.following[link]
        return 1

    def threats(self) -> int:
        """Return the number of the set of all cells of any winning half."""
        link = self.halves[WIN]
        self._copy(1, link)
        while link:
            self._unite(1, 1, link)
            link = self.following[link]
        return 1

    def winning_set(self) -> int:
        """Return the number of the carrier of the best link found for the win."""
        return self.fulls[WIN] if self.found == FULL else self.halves[WIN]

    def holds(self, number: int, cell: int) -> bool:
        """Tell whether ``cell`` is in this set."""
        return self.sets[number * self.width + self.word[cell]] & self.bit[cell] != 0

    def best_key(self) -> int:
        """Return the cell that the side plays to win by the best link found, or -1 for none."""
        # Any cell of a full link will do: this is the first.
        if self.found == HALF:
            return self.key[self.halves[WIN]]
        for cell in range(self.cells):
            if self.holds(self.fulls[WIN], cell):
                return cell
        return -1

    def cells_of(self, number: int) -> list[int]:
        """Return the cells of this set."""
        found = []
        for cell in range(self.cells):
            if self.holds(number, cell):
                found.append(cell)  # noqa: PERF401 - compiled, this loop counts in C
        return found

    def to_edge(self, cell: int) -> list[int]:
        """Return the smallest carrier of a link from the chain on ``cell`` to a side, or []."""
        found = []
        for side in range(self.sides):
            found += self._fulls_of(1 + side, self.end_of[cell])
        return min(found, key=len, default=[])

    def between(self, cell: int, other: int) -> list[int]:
        """Return the smallest carrier of a link between the chains on two cells, or []."""
        return min(self._fulls_of(self.end_of[cell], self.end_of[other]), key=len, default=[])

    def _fulls_of(self, one: int, two: int) -> list[list[int]]:
        """Return the carrier of each full link between two ends."""
        found = []
        link = self.fulls[min(one, two) * self.ends + max(one, two)]
        while link:
            found.append(self.cells_of(link))
            link = self.following[link]
        return found

    def read(self, stones: bytes) -> MutableSequence[int]:
        """Return the stones of a position for :meth:`look`."""
        return row("i", [*stones])

    def _begin(self, stones: MutableSequence[int], side: int) -> None:
        """Forget the last position, and link the ends that touch in this one."""
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
        """Give the ends their numbers: sides, chains, empty cells."""
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
        """Link the end at ``cell`` to every side and earlier end that it touches."""
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
        """Make the chain of the stone on ``cell`` an end, with all that is connected to it."""
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
        """Apply the and-rule at ``middle`` to ``link``, from ``far``, and to each earlier one."""
        # A later one will be applied to this link when its turn comes.
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
            if self.is_dead[other] or not self._is_useful(far, end):
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

    def _is_useful(self, far: int, end: int) -> bool:
        """Tell whether a link between these ends may be needed."""
        # One between two sides is not: _reach_sides looks for all sides at once.
        if end == far or (end <= self.sides and far <= self.sides):
            return False
        return not self.is_near or self.cell_of[end] < 0

    def _reach_sides(self, middle: int, held: int, start: int, number: int) -> None:
        """Apply the and-rule at ``middle`` to links to several sides, until they win.

        It has the sides ``held`` already, by the carrier ``number``.
        """
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
        """Add a full link with this carrier, unless one within it is known."""
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
        if count >= MAX_FULL or self.used >= SCRATCH + MAX_LINKS:
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
        """Add half a link with this carrier unless one within it is known; apply the or-rule."""
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
        if count >= MAX_HALVES or self.used >= SCRATCH + MAX_LINKS:
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
        if self._is_within(3, 0):  # else no choice of halves could do without the common cell
            self._combine(self.following[link], link, link, 1)

    def _combine(self, link: int, meet: int, union: int, count: int) -> None:
        """Apply the or-rule to ``count`` halves and those from ``link`` on.

        ``meet`` and ``union`` are the sets of the cells that the halves so far share, and have.
        """
        # A half that leaves as many shared cells is left out, for it only makes the carrier larger.
        number = 4 + 2 * count
        while link:
            self._meet(number, meet, link)
            if not self._is_within(meet, number):
                self._unite(number + 1, union, link)
                if self._is_within(number, 0):
                    self._add_full(self.one[link], self.two[link], number + 1)
                elif count + 1 < MAX_UNITED:
                    self._combine(self.following[link], number, number + 1, count + 1)
            link = self.following[link]

    def _append(self, one: int, two: int, number: int) -> int:
        """Add a link whose carrier is a copy of set ``number``; return it."""
        link = self.used
        self.used += 1
        self.one[link] = one
        self.two[link] = two
        self.is_dead[link] = 0
        self._copy(link, number)
        return link

    def _without_wider(self, link: int, number: int) -> int:
        """Return a list of links, from ``link`` on, without those whose carrier has this set."""
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
        """Tell whether two links with the ends ``far`` and ``end`` are disjoint, these too."""
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
