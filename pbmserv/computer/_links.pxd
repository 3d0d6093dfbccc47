# The C types of links.py, as _kernel.pxd has those of kernel.py.

cimport cython

cdef int WORD_BITS, MAX_LINKS, MAX_TRIES, MAX_FULL, MAX_HALVES, MAX_UNITED, SCRATCH, WIN
cdef int REACHED, OPEN, HALF, FULL, ALL


@cython.final
cdef class Links:
    cdef int cells, width, middle, wanted
    cdef bint is_near
    cdef readonly int sides, ends, used, tries, found
    cdef int[::1] from_cell, beside, marks, wins, word
    cdef long long[::1] bit, sets
    cdef int[::1] stack, partner, first_of, next_of
    cdef readonly int[::1] is_joint, end_of, cell_of, fulls, halves, one, two, following, is_dead, is_full, key

    @cython.locals(link=int)
    cpdef int look(self, int[::1] stones, int side, int wanted) noexcept nogil
    @cython.locals(link=int)
    cpdef void look_near(self, int[::1] stones, int side) noexcept nogil
    @cython.locals(after=int, cell=int)
    cpdef void join(self, int one, int other) noexcept nogil
    @cython.locals(cell=int)
    cpdef void reset_joins(self) noexcept nogil
    @cython.locals(link=int)
    cpdef int must_play(self) noexcept nogil
    @cython.locals(link=int)
    cpdef int threats(self) noexcept nogil
    cpdef int winning_set(self) noexcept nogil
    cpdef bint holds(self, int number, int cell) noexcept nogil
    @cython.locals(cell=int)
    cpdef int best_key(self) noexcept nogil
    @cython.locals(cell=int)
    cpdef list cells_of(self, int number)
    @cython.locals(side=int)
    cpdef list to_edge(self, int cell)
    cpdef list between(self, int cell, int other)
    @cython.locals(link=int)
    cdef list _fulls_of(self, int one, int two)
    @cython.locals(cell=int, end=int, link=int)
    cdef void _begin(self, int[::1] stones, int side) noexcept nogil
    @cython.locals(cell=int, end=int)
    cdef void _number_ends(self, int[::1] stones, int side) noexcept nogil
    @cython.locals(end=int, number=int, at=int, other=int)
    cdef void _touch(self, int cell, int mark) noexcept nogil
    @cython.locals(end=int, count=int, at=int, other=int)
    cdef void _gather(self, int[::1] stones, int side, int cell) noexcept nogil
    @cython.locals(at=int, other=int, end=int)
    cdef void _extend(self, int link, int far, int middle) noexcept nogil
    cdef inline bint _is_useful(self, int far, int end) noexcept nogil
    @cython.locals(side=int, link=int)
    cdef void _reach_sides(self, int middle, int held, int start, int number) noexcept nogil
    @cython.locals(pair=int, count=int, link=int)
    cdef void _add_full(self, int one, int two, int number) noexcept nogil
    @cython.locals(pair=int, count=int, link=int, other=int)
    cdef void _add_half(self, int one, int two, int number) noexcept nogil
    @cython.locals(number=int)
    cdef void _combine(self, int link, int meet, int union, int count) noexcept nogil
    @cython.locals(link=int)
    cdef int _append(self, int one, int two, int number) noexcept nogil
    @cython.locals(first=int, last=int)
    cdef int _without_wider(self, int link, int number) noexcept nogil
    cdef inline bint _can_join(self, int link, int other, int far, int end) noexcept nogil
    @cython.locals(cell=int)
    cdef inline bint _has_end(self, int number, int end) noexcept nogil
    cdef inline void _add_cell(self, int number, int cell) noexcept nogil
    @cython.locals(at=int)
    cdef inline void _copy(self, int target, int number) noexcept nogil
    @cython.locals(at=int)
    cdef inline void _unite(self, int target, int one, int two) noexcept nogil
    @cython.locals(at=int)
    cdef inline void _meet(self, int target, int one, int two) noexcept nogil
    @cython.locals(at=int)
    cdef inline bint _are_apart(self, int one, int two) noexcept nogil
    @cython.locals(at=int)
    cdef inline bint _is_within(self, int one, int two) noexcept nogil
