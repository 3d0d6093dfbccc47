# The C types of kernel.py, where a compiler makes _kernel of it. Functions without the GIL cannot
# touch a Python object: a name that is missing here is an error of the compiler, not a slow line.

cimport cython
from pbmserv.computer._links cimport Links

ctypedef long long state_t

cdef int FIRST_VISITS, HALF, FULL
cdef double PROVEN, CERTAIN


@cython.final
cdef class Tree:
    cdef int cells, count, counting_count, share_count, most, start, tie, reward_zero
    cdef bint has_tie_points, are_bits, is_best_chain, is_plain, has_patterns, has_replies
    cdef int[::1] earlier_from, earlier, bridge_from, bridges, counting, marks, shares
    cdef int[::1] points, tie_points, lead, total, balance
    cdef int[::1] stones, order, place, movers, answers, path
    cdef double[::1] rewards, rave_share, spread, inverse_root
    cdef int[::1] uses_from, uses, first_keys, keys, near_from, near, ring_at, zones, ring_count
    cdef int[::1] replies, weight
    cdef double[::1] ring_factors, bridge_factors, zone_factors, near_factors, factor
    cdef int last, patience, look_visits
    cdef Links links
    cdef double prior_weight
    cdef state_t state
    cdef int capacity, room, used
    cdef readonly int winner, done
    cdef readonly int[::1] cell, first, visits, rave_visits, root_wins
    cdef readonly double[::1] wins, rave_wins, worth, prior, root_margins

    cpdef int run(self, int simulations)
    cdef inline bint _goes_on(self, int simulations) noexcept nogil
    cdef inline bint _is_crowded(self) noexcept nogil
    @cython.locals(margin=int, extra=int, number=int, cell=int, root=int, mark=int, sign=int)
    cdef int _margin(self) noexcept nogil

    @cython.locals(node=int, depth=int, margin=int, number=int)
    cdef void _simulate(self) noexcept nogil
    @cython.locals(cell=int, other=int, at=int)
    cdef inline void _take(self, int number, int depth) noexcept nogil
    @cython.locals(winner=int, left=int, visits=int)
    cdef bint _expands(self, int node, int depth) noexcept nogil
    @cython.locals(child=int, number=int)
    cdef void _expand(self, int node, int depth) noexcept nogil
    @cython.locals(
        is_o=bint, number=int, cell=int, key=int, last=int, child=int, total=double, scale=double
    )
    cdef void _set_priors(self, int node, int depth) noexcept nogil
    @cython.locals(at=int, cell=int, slot=int, key=int)
    cdef inline void _weigh_near(self, int last, bint is_o) noexcept nogil
    @cython.locals(best=int, child=int, top=double)
    cdef int _best_worth(self, int node, int depth) noexcept nogil
    @cython.locals(best=int, child=int, visits=int, top=double, spread=double, bound=double)
    cdef int _best_bound(self, int node, int depth) noexcept nogil
    @cython.locals(
        number=int, mover=int, chosen=int, cell=int, other=int, at=int, last=int
    )
    cdef void _play_out(self, int depth) noexcept nogil
    @cython.locals(at=int)
    cdef inline int _mended(self, int last, int mover) noexcept nogil
    @cython.locals(left=int, extra=int, drawn=int)
    cdef inline int _drawn(self, int number, int last) noexcept nogil
    @cython.locals(total=int, start=int, at=int, cell=int, slot=int, key=int)
    cdef inline int _weigh_replies(self, int last, int mover) noexcept nogil
    @cython.locals(number=int)
    cdef inline int _reply(self, int last, int drawn) noexcept nogil
    @cython.locals(cell=int, mine=int, root=int, other=int, at=int, number=int, mark=int)
    cdef void _join(self) noexcept nogil
    cdef inline int _leader(self, int cell) noexcept nogil
    @cython.locals(number=int, cell=int, root=int, points=int, x=int, o=int, leading=int)
    cdef int _best_chain_margin(self) noexcept nogil
    @cython.locals(low=int, high=int)
    cdef int _settled(self, int depth) noexcept nogil
    @cython.locals(mover=int, found=int, meeting=int, first=int, child=int, key=int)
    cdef bint _is_decided(self, int node, int depth) noexcept nogil
    cdef inline void _judge(self, int child, double wins) noexcept nogil
    @cython.locals(number=int)
    cdef void _fill(self, int depth, int stone) noexcept nogil
    @cython.locals(child=int)
    cdef void _prove(self, int depth, int winner) noexcept nogil
    @cython.locals(number=int)
    cdef void _note_root(self, int margin) noexcept nogil
    @cython.locals(level=int, mover=int, child=int, gain=double)
    cdef void _update(self, int depth, double reward) noexcept nogil
    @cython.locals(child=int, visits=int, worth=double, own=double)
    cdef void _share(self, int first, int count, int mover, double gain) noexcept nogil
