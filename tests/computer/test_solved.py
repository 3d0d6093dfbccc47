"""The solved boards are held by what is not the solver: brute force, strategies, what is published.

A strategy is asked for its moves, and trusted in nothing: each answer of the other side is tried
that its own moves could not do without, and the game's own score judges the full boards.
"""

from functools import cache
from itertools import product
from random import Random

import pytest

from pbmserv.computer.hint_words import hint, hint_document
from pbmserv.computer.lesson import advise
from pbmserv.computer.level_list import HINT_LEVEL, LEVELS, Level
from pbmserv.computer.levels import choose
from pbmserv.computer.openings import (
    distinct_cells,
    representative,
    solved_boards,
    winner_after,
    winning_replies,
)
from pbmserv.engine.board import Cell
from pbmserv.engine.game import Game
from pbmserv.engine.position import SWAP, Position, Side
from pbmserv.engine.score_tables import TieRule
from pbmserv.engine.settle import fill_empty, tables_of
from pbmserv.engine.spec import parse_game
from tests.computer.exhaustive import Exhaustive, Filled, empty_cells, with_stone
from tests.generators import solved
from tests.generators.proof_search import ProofSearch
from tests.generators.solved import first_stone, page

STRONG = next(level for level in LEVELS if level.solves)
BOARDS = solved_boards()
TINY = [spec for spec in BOARDS if len(parse_game(spec).board) <= 10]
QUICK = [
    *("hex(size=3)", "hex(size=4)", "y(size=3)", "y(size=4)", "y(size=5)", "y(size=6)"),
    *("polyy(size=2)", "polyy(size=2,sides=7)", "polyy(size=3,sides=3)", "y(size=4,shape=bent)"),
]


def margins(spec: str) -> dict[Cell, int]:
    """Return X's margin after each distinct first stone."""
    index = parse_game(spec).board.index
    return {index[name]: margin for name, margin in BOARDS[spec]["margins"].items()}


class Strategy:
    """The moves by which ``side`` is to bring X's margin to ``aim``, or to keep it below."""

    def __init__(self, game: Game, side: Side, aim: int) -> None:
        self.game = game
        self.side = side
        self.aim = aim
        self.search = ProofSearch(game, aim)
        self.reaches = cache(self._reaches)
        self.checked: dict[tuple[bytes, Side], frozenset[Cell]] = {}

    def needs(self, stones: bytes, mover: Side) -> frozenset[Cell]:
        """Return the empty cells that the strategy needs; fails where it does not succeed."""
        if self.reaches(fill_empty(stones, self.side.other)) == (self.side is Side.X):
            return frozenset()
        if (stones, mover) not in self.checked:
            self.checked[stones, mover] = frozenset(self._needs(stones, mover))
        return self.checked[stones, mover]

    def _needs(self, stones: bytes, mover: Side) -> set[Cell]:
        free = empty_cells(stones)
        assert free
        if mover is self.side:
            found = self.search.solve(stones, mover)
            assert found.winner is mover
            if found.move is None:  # it wins even without a move
                return {*self.needs(stones, mover.other)}
            assert found.move in free
            after = with_stone(stones, found.move, mover)
            return {found.move} | self.needs(after, mover.other)
        # The solver's carrier only makes it harder: all other cells are given to the opponent.
        carrier = self.search.solve(stones, mover).carrier
        free = [cell for cell in free if carrier >> cell & 1]
        for cell in {*empty_cells(stones)} - {*free}:
            stones = with_stone(stones, cell, mover)
        # What is played outside the cells that answer another move is answered as if it were it.
        answers, needed = {*free}, set[Cell]()
        assert answers or self.reaches(stones) == (self.side is Side.X)
        while answers:
            used = self.needs(with_stone(stones, min(answers), mover), self.side)
            answers &= used
            needed |= used
        return needed

    def _reaches(self, full: bytes) -> bool:
        score = self.game.score(Position(full))
        points = self.game.points_to_agree(score)
        if points is None:
            return score.winner is Side.X
        return points[Side.X] - points[Side.O] >= self.aim


def hold(spec: str) -> None:
    """Check every row of a board by strategies of both sides, where a margin has two bounds."""
    game = parse_game(spec)
    tables = tables_of(game)
    is_exact = tables is not None and tables.ending is TieRule.DIFFERENCE
    kept: dict[tuple[Side, int], Strategy] = {}
    for cell, margin in margins(spec).items():
        winner = Side.X if margin > 0 else Side.O
        claims = [(Side.X, margin), (Side.O, margin + 1)] if is_exact else [(winner, 1)]
        for claim in claims:
            kept.setdefault(claim, Strategy(game, *claim)).needs(first_stone(game, cell), Side.O)


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("spec", QUICK)
def test_a_strategy_of_the_winner_holds_against_every_reply(spec: str) -> None:
    hold(spec)


@pytest.mark.slow
@pytest.mark.parametrize("spec", sorted(BOARDS.keys() - {*QUICK}))
def test_so_it_does_on_larger_boards(spec: str, *, full: bool) -> None:
    if not full:
        pytest.skip("takes minutes: --full")
    hold(spec)


def test_a_wrong_row_is_noticed() -> None:
    game = parse_game("hex(size=4)")
    loses = first_stone(game, game.board.index["D2"])
    with pytest.raises(AssertionError):
        Strategy(game, Side.X, 1).needs(loses, Side.O)


@pytest.mark.costly(stay=1)
@pytest.mark.parametrize("spec", TINY)
def test_brute_force_with_passes_says_the_same(spec: str) -> None:
    game = parse_game(spec)
    brute = Exhaustive(game)
    for cell in margins(spec):
        winner = winner_after(game, cell)
        assert winner
        assert brute.can_force(winner, first_stone(game, cell), Side.O), game.board.names[cell]


@pytest.mark.parametrize(
    ("size", "first", "other"),
    [
        (3, "B3 C2 B2", ""),
        (4, "", "A4 D4 D1"),
        (5, "D3 C4 D4", ""),
        (6, "D4 D5 E4", ""),
        (7, "C6 D5 E4 F3 D6 E5 F4 E6 F5 F6", ""),
    ],
)
def test_y_is_as_published(size: int, first: str, other: str) -> None:
    """Hold the winning cells, or the others, to HexWiki, "Where to swap (y)"."""
    game = parse_game(f"y(size={size})")
    names = game.board.names
    wins = {names[cell] for cell in range(len(names)) if winner_after(game, cell) is Side.X}

    assert wins == ({*first.split()} or {*names} - {*other.split()})


@pytest.mark.parametrize("size", [3, 4, 5, 6])
def test_hex_is_as_proven_for_all_sizes(size: int) -> None:
    """Hold that the first player wins, but from the acute corner and beside it (Beck, 1969)."""
    game = parse_game(f"hex(size={size})")

    assert Side.X in {winner_after(game, cell) for cell in range(len(game.board))}
    assert Side.O is winner_after(game, game.board.index["A1"])
    assert Side.O is winner_after(game, game.board.index["B1"])


def test_a_row_has_one_cell_of_those_that_look_alike_and_no_draw() -> None:
    for spec, board in BOARDS.items():
        game = parse_game(spec)

        assert [*board["margins"]] == [game.board.names[cell] for cell in distinct_cells(game)]
        assert 0 not in board["margins"].values()
        assert board["nodes"] > 0


def test_the_table_is_what_the_tool_makes() -> None:
    assert {*solved.SPECS} == BOARDS.keys()
    assert BOARDS["hex(size=4)"] == solved.compute(parse_game("hex(size=4)"))


def test_the_page_shows_the_table() -> None:
    assert solved.PAGE.read_text(encoding="utf-8") == page(), "python -m tests.generators.solved"


@pytest.mark.parametrize("spec", ["hex(size=5)", "y(size=5)", "star(size=3)"])
def test_every_level_swaps_exactly_what_wins(spec: str) -> None:
    game = parse_game(spec)
    for cell in range(len(game.board)):
        after = game.play(game.start(), game.placing((cell,)))
        swaps = choose(game, after, LEVELS[0], 1).move == SWAP

        assert swaps == (margins(spec)[representative(game, cell)] > 0)


def test_a_hint_says_that_it_is_proven() -> None:
    game = parse_game("hex(size=4)")
    wins, loses = game.replay(["C2"]), game.replay(["A1"])
    for level in LEVELS[:-2]:
        keep = advise(game, loses, level)
        document = hint_document(game, loses, keep)

        assert ["Best: swap. C2 wins with best play: this board is solved."] == hint(
            game, wins, advise(game, wins, level)
        )
        said = hint(game, loses, keep)
        assert said[0] == "Do not swap: A1 loses with best play. This board is solved."
        assert said[1] == f"Best: {document['best']}, which wins: this board is solved."
        assert [(document["best"], 1)] == [
            (each["move"], each["chance"]) for each in document["candidates"]
        ]
        assert any(each.startswith("Also winning: ") for each in document["reasons"])


def test_where_the_swapped_stone_wins_the_game_is_told_as_lost() -> None:
    game = parse_game("hex(size=4)")
    lost = game.replay(["C2", "swap"])
    told = hint(game, lost, advise(game, lost, HINT_LEVEL))

    assert ["This position is lost, whatever you play.", "  This board is solved."] == told[:2]


@pytest.mark.costly(stay=3)
@pytest.mark.parametrize("spec", sorted(BOARDS))
def test_every_level_that_solves_and_every_hint_replies_with_what_wins(spec: str) -> None:
    game = parse_game(spec)
    for cell in range(len(game.board)):
        position = game.play(game.start(), game.placing((cell,)))
        replies = winning_replies(game, position)
        assert bool(replies) is (winner_after(game, cell) is Side.O)
        for level in LEVELS if replies else ():
            choice = advise(game, position, level)
            words = "\n".join(hint(game, position, choice))

            assert choice.move
            assert choice.move.cells[0] in replies
            assert "this board is solved" in words
            assert "%" not in words
            if level.solves:
                move = choose(game, position, level, cell).move
                assert move
                assert move.cells[0] in replies


def test_replies_turn_with_the_board_and_are_told_of_no_other_position() -> None:
    game = parse_game("hex(size=5)")
    names = game.board.names

    def replies(moves: str) -> set[str]:
        return {names[cell] for cell in winning_replies(game, game.replay(moves.split()))}

    assert {"B2", "D2", "C3", "B4"} == replies("A1")
    assert {"D4", "B4", "C3", "D2"} == replies("E5")
    for moves in ("", "C3", "C3 swap", "A1 E5", "pass", "pass A1", "A1 pass"):
        assert not replies(moves), moves


@pytest.mark.costly(stay=2)
@pytest.mark.parametrize("spec", [spec for spec in BOARDS if len(parse_game(spec).board) <= 12])
def test_exactly_the_replies_of_the_table_win_by_exhaustive_play(spec: str) -> None:
    hold_replies(spec)


@pytest.mark.slow
@pytest.mark.parametrize(
    "spec", [spec for spec in BOARDS if 12 < len(parse_game(spec).board) <= 20]
)
def test_so_it_is_on_boards_of_up_to_twenty_cells(spec: str, *, full: bool) -> None:
    if not full:
        pytest.skip("takes minutes: --full")
    hold_replies(spec)


def hold_replies(spec: str) -> None:
    game = parse_game(spec)
    filled = Filled(game)
    for cell in distinct_cells(game):
        position = game.play(game.start(), game.placing((cell,)))
        found = {
            reply
            for reply in empty_cells(position.stones)
            if filled.winner(with_stone(position.stones, reply, Side.O), Side.X) is Side.O
        }

        if winner_after(game, cell) is Side.O:
            assert found == {*winning_replies(game, position)}, game.board.names[cell]
        else:
            assert not found, game.board.names[cell]


@pytest.mark.costly(stay=2)
@pytest.mark.parametrize("spec", sorted(BOARDS))
def test_a_solved_board_is_won_to_its_end(spec: str, *, full: bool) -> None:
    """Play after each first stone, against the strongest level and one who plays anything."""
    game = parse_game(spec)
    for cell, level in product(distinct_cells(game), (STRONG, HINT_LEVEL, LEVELS[-1])):
        first = game.play(game.start(), game.placing((cell,)))
        for seed in range(20 if full else 1):
            for rival in (LEVELS[-1], None) if full or len(game.board) <= 28 else ():
                winner = play_on(game, first, level, rival, seed)

                assert winner is (winner_after(game, cell)), (cell, level, rival, seed)


def play_on(
    game: Game, position: Position, level: Level, rival: Level | None, seed: int
) -> Side | None:
    """Return who wins a game in which ``level`` has the turn, and ``rival`` or chance the other."""
    chance, ours = Random(seed), True
    while not game.is_over(position):
        legal = [*game.legal_moves(position)]
        placing = [move for move in legal if move.cells]
        player = level if ours else rival
        move = choose(game, position, player, seed).move if player else chance.choice(placing)
        if move is None:
            return position.to_move.other
        position, ours = game.play(position, move), not ours
    outcome = game.outcome(position)
    return outcome.winner if outcome else None


def test_a_first_stone_is_told_for_what_it_is() -> None:
    game = parse_game("y(size=5)")
    choice = choose(game, game.start(), LEVELS[0], Random(1).randrange(9))
    assert choice.move
    does = "wins" if winner_after(game, choice.move.cells[0]) is Side.X else "loses"

    told = f"Best: {choice.move.text}, after which the result is hardest to predict."
    known = f"This board is solved: with best play {choice.move.text} {does}, and no first stone"
    assert hint(game, game.start(), choice) == [
        f"{told} {known} is even. A larger board is fairer."
    ]


def test_a_larger_board_is_not_known() -> None:
    assert winner_after(parse_game("hex(size=7)"), 0) is None
