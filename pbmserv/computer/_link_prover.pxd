# The C types of link_prover.py, as _kernel.pxd has those of kernel.py.

cimport cython
from pbmserv.computer._links cimport Links

cdef int ALL, SCRATCH, MAX_LENGTH, MAX_CANDIDATES, CELL_COST, TAKEN


@cython.final
cdef class LinkProver:
    cdef int cells, max_mark, max_total, all_points, start, side, sum, extra, candidates, max_points
    cdef bint are_bits, is_majority, is_best_chain, needs_theirs, are_joinable, wins_ties
    cdef int[::1] from_cell, beside, less, marks, is_closed, points, tie_points
    cdef Links links
    cdef int[::1] stones, lead, total, balance, is_used, length, one, two, pair_one, pair_two
    cdef int[::1] waiting, uses, anchor
    cdef int[::1] candidate_one, candidate_two, candidate_length, candidate_cells
    cdef readonly int count
    cdef readonly int[::1] link_of

    cpdef bint is_won(self, int[::1] stones, int side, bint wins_ties, bint is_near) noexcept nogil
    @cython.locals(link=int)
    cpdef void drop_needless(self) noexcept nogil
    cpdef list used_links(self)
    @cython.locals(cell=int)
    cdef void _begin(self, int[::1] stones, int side, bint wins_ties) noexcept nogil
    @cython.locals(before=int, joined=int)
    cdef bint _wins_by_links(self, bint is_near) noexcept nogil
    @cython.locals(cell=int)
    cdef void _release(self, int count) noexcept nogil
    cdef inline bint _is_closed(self, int cell) noexcept nogil
    @cython.locals(cell=int, link=int, one=int, two=int, length=int)
    cdef void _collect(self) noexcept nogil
    @cython.locals(is_end=bint)
    cdef bint _is_usable(self, int link, int one, int two) noexcept nogil
    @cython.locals(cell=int, number=int, at=int)
    cdef void _count_uses(self) noexcept nogil
    @cython.locals(number=int, at=int, best=int, least=int, length=int, cost=int)
    cdef bint _choose(self) noexcept nogil
    @cython.locals(one=int, other=int)
    cdef bint _precedes(self, int number, int best) noexcept nogil
    @cython.locals(root=int, one=int, at=int)
    cdef bint _can_choose(self, int number) noexcept nogil
    @cython.locals(at=int, length=int, more=int)
    cdef void _add_link(self, int number) noexcept nogil
    cdef void _append(self, int one, int two, int length, int first, int second) noexcept nogil
    @cython.locals(gain=int, cell=int, root=int, other=int)
    cdef void _add_pairs(self) noexcept nogil
    @cython.locals(found=int, at=int, other=int, root=int)
    cdef int _only_chain(self, int cell) noexcept nogil
    @cython.locals(found=int, at=int, other=int, its=int)
    cdef int _gain(self, int cell, int link) noexcept nogil
    @cython.locals(changes=bint, link=int, cell=int, leading=int)
    cdef bint _wins(self) noexcept nogil
    @cython.locals(points=int)
    cdef inline void _earn(self, int mark, int sign) noexcept nogil
    @cython.locals(margin=int, extra=int, leading=int, points=int)
    cdef int _leading(self) noexcept nogil
    @cython.locals(offset=int, cell=int, is_ours=bint, at=int, other=int)
    cdef void _join(self) noexcept nogil
    @cython.locals(link=int)
    cdef inline bint _are_cut(self, int cell, int other) noexcept nogil
    @cython.locals(one=int)
    cdef bint _join_ends(self, int link) noexcept nogil
    @cython.locals(first=int, joined=bint, at=int, cell=int, offset=int, both=int)
    cdef bint _join_around(self, int one, int other) noexcept nogil
    @cython.locals(at=int, other=int)
    cdef bint _touches(self, int cell, int root) noexcept nogil
    cdef bint _join_chains(self, int one, int other) noexcept nogil
    cdef bint _unite(self, int one, int other) noexcept nogil
    cdef inline int _leader(self, int cell) noexcept nogil
    @cython.locals(link=int, one=int, other=int, gain=int, root=int)
    cdef void _add_gains(self) noexcept nogil
    @cython.locals(at=int, cell=int)
    cdef int _common_chain(self, int one, int other) noexcept nogil
