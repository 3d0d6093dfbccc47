# The C types of kernel.py, where a compiler makes _kernel of it. Functions without the GIL cannot
# touch a Python object: a name that is missing here is an error of the compiler, not a slow line.

cimport cython
from pbmserv.computer._links cimport Links

ctypedef long long state_t

cdef int FIRST_VISITS, WIDENING, HALF, FULL
cdef double PROVEN, CERTAIN, BRIDGE_PRIOR


cdef int other_side(int key) noexcept nogil


@cython.final
cdef class Tree:
    cdef int cells, count, counting_count, share_count, max_points, start, tie, reward_zero, reach, all_points
    cdef bint is_answered, has_tie_points, are_bits, is_best_chain, is_shared_out, is_plain, has_patterns, has_replies
    cdef int[::1] beside, around, counting, marks, shares
    cdef int[::1] points, tie_points, left, pile, chain, owner, total, balance
    cdef int[::1] stones, order, place, movers, answers, path, owned
    cdef double[::1] rewards, rave_share, spread, inverse_root
    cdef int[::1] near_from, near, ring_at, zones, facing, weight, keys, first_keys
    cdef unsigned char[::1] replies, bridge_slot
    cdef double[::1] ring_factors, bridge_factors, zone_factors, near_factors, factor
    cdef int last, expand_visits, look_visits, widening, max_visits
    cdef Links links
    cdef int words
    cdef long long[::1] carrier, refuting
    cdef double prior_weight, min_share
    cdef int[::1] known
    cdef state_t state
    cdef int capacity, room, used
    cdef readonly int winner, done
    cdef readonly int[::1] cell, first, width, visits, rave_visits, root_wins
    cdef readonly double[::1] wins, rave_wins, value, prior, root_margins

    cpdef int run(self, int simulations)
    cdef inline bint _has_work(self, int simulations) noexcept nogil
    cdef inline bint _is_crowded(self) noexcept nogil
    @cython.locals(chains=int, margin=int, extra=int, number=int, sign=int)
    cdef int _margin(self) noexcept nogil

    @cython.locals(node=int, depth=int, margin=int, number=int)
    cdef void _simulate(self) noexcept nogil
    @cython.locals(cell=int, other=int)
    cdef inline void _place_next(self, int number, int depth) noexcept nogil
    @cython.locals(winner=int, left=int, visits=int)
    cdef bint _grow(self, int node, int depth) noexcept nogil
    @cython.locals(number=int)
    cdef void _expand(self, int node, int depth) noexcept nogil
    @cython.locals(child=int)
    cdef inline void _append(self, int cell, double prior) noexcept nogil
    cdef inline bint _should_widen(self, int node) noexcept nogil
    @cython.locals(first=int, old=int, child=int, at=int)
    cdef void _widen(self, int node, int depth) noexcept nogil
    @cython.locals(is_o=bint, number=int, cell=int, last=int, total=double, scale=double)
    cdef void _expand_by_priors(self, int node, int depth, double least) noexcept nogil
    @cython.locals(at=int, cell=int, slot=int, key=int)
    cdef inline void _weigh_near(self, int last, bint is_o) noexcept nogil
    @cython.locals(best=int, child=int, top=double)
    cdef int _best_value(self, int node) noexcept nogil
    @cython.locals(best=int, child=int, visits=int, top=double, spread=double, bound=double)
    cdef int _best_bound(self, int node) noexcept nogil
    @cython.locals(number=int, mover=int, chosen=int, cell=int, other=int, last=int)
    cdef void _play_out(self, int depth) noexcept nogil
    @cython.locals(at=int)
    cdef inline void _update_keys(self, int cell, int mover) noexcept nogil
    @cython.locals(key=int)
    cdef inline int _key(self, int at, bint is_o) noexcept nogil
    @cython.locals(slot=int)
    cdef inline int _bridge_reply(self, int last, int mover) noexcept nogil
    @cython.locals(left=int, extra=int, drawn=int)
    cdef inline int _draw(self, int number, int last) noexcept nogil
    @cython.locals(total=int, seen=int, slot=int, cell=int, turn=int, key=int, reply=int)
    cdef inline int _weigh_replies(self, int last, int mover) noexcept nogil
    @cython.locals(number=int, slot=int)
    cdef inline int _reply(self, int last, int drawn) noexcept nogil
    @cython.locals(cell=int, chains=int, number=int, mine=int, at=int)
    cdef int _gather_chains(self) noexcept nogil
    @cython.locals(mark=int, marks=int, count=int, at=int, other=int, is_new=bint)
    cdef inline int _gather(self, int cell, int mine, int number) noexcept nogil
    @cython.locals(number=int, points=int, x=int, o=int, leading=int)
    cdef int _best_chain_margin(self, int chains) noexcept nogil
    @cython.locals(low=int, high=int)
    cdef int _sure_winner(self, int depth) noexcept nogil
    @cython.locals(mover=int, child=int, threats=int, at=int)
    cdef void _solve_first_moves(self) noexcept nogil
    @cython.locals(stone=int, margin=int)
    cdef bint _wins_on(self, int cell, int side) noexcept nogil
    @cython.locals(child=int)
    cdef void _favour_bridge(self) noexcept nogil
    @cython.locals(mover=int, found=int, meeting=int, first=int, child=int, key=int)
    cdef bint _decide(self, int node, int depth) noexcept nogil
    cdef inline void _set_outcome(self, int child, double wins) noexcept nogil
    @cython.locals(number=int)
    cdef void _fill(self, int depth, int stone) noexcept nogil
    @cython.locals(node=int, child=int, cell=int)
    cdef void _prove(self, int depth, int winner) noexcept nogil
    @cython.locals(at=int)
    cdef void _record_carrier(self, int number) noexcept nogil
    @cython.locals(at=int)
    cdef void _record_refutations(self, int node) noexcept nogil
    @cython.locals(at=int, child=int, cell=int)
    cdef void _refute(self, int node) noexcept nogil
    @cython.locals(is_whole=bint)
    cdef inline bint _is_lost(self, int node, int depth) noexcept nogil
    @cython.locals(number=int)
    cdef void _count_root(self, int margin) noexcept nogil
    @cython.locals(level=int, mover=int, child=int, gain=double)
    cdef void _update(self, int depth, double reward) noexcept nogil
    @cython.locals(count=int, number=int, child=int, visits=int, value=double, own=double)
    cdef void _update_rave(self, int node, int mover, double gain) noexcept nogil
