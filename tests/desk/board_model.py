"""What should happen at a board of Star, written once more from the rules and nothing else.

Each request is answered by the code of its refusal or by "done", and the board changes with it.
"""

from dataclasses import dataclass, field
from typing import Any

from tests.engine.naive.star import score_star

CELLS = "C1 D1 B2 C2 D2 A3 B3 C3 D3 A4 B4 C4".split()  # noqa: SIM905 - the smallest board
PASSES = {"pass", "--", "-"}
OTHER = {"X": "O", "O": "X"}
DONE = "done"


@dataclass
class Board:
    """One board: ``first`` and ``second`` are its players in their seats before the first move."""

    first: str
    second: str
    maxi: bool
    moves: list[str] = field(default_factory=list)
    movers: list[str] = field(default_factory=list)
    status: str = "running"
    winner: str | None = None
    reason: str | None = None
    offer: tuple[str, str, int] | None = None
    """The kind, the maker, and how many moves an undo takes back."""
    submitted: dict[str, str] = field(default_factory=dict)
    changes: int = 0

    @property
    def players(self) -> dict[str, str]:
        pair = [self.first, self.second]
        if "swap" in self.moves:
            pair.reverse()
        return dict(zip("XO", pair, strict=True))

    @property
    def stones(self) -> dict[str, set[str]]:
        """Replay the moves: after a swap it is O's turn again, and the first stone stays X's."""
        found: dict[str, set[str]] = {"X": set(), "O": set()}
        side = "X"
        for text in self.moves:
            if text == "swap":
                side = "O"
                continue
            if text != "pass":
                found[side].add(text)
            side = OTHER[side]
        return found

    def request(self, player: str, text: str, guard: int | None) -> str:
        """Answer a move of somebody who has proved who they are."""
        refusal = self.refusal(player, guard)
        if refusal:
            return refusal
        word = text.lower()
        if word == "resign":
            return self._resign(player)
        if word == "propose":
            return self._propose(player, "draw", 0)
        if word.split() and word.split()[0] == "undo":
            return self._undo(player, word.split()[1:])
        if word in {"accept", "reject"}:
            return self._answer(player, word)
        return self.turn(player, text)

    def refusal(self, player: str, guard: int | None) -> str | None:
        if self.status != "running":
            return "game-over"
        if player not in {self.first, self.second}:
            return "not-a-player"
        is_wrong = guard is not None and guard != len(self.moves) + 1
        return "wrong-move-number" if is_wrong else None

    def refusal_of_turn(self, player: str, text: str) -> str | None:
        if self.players[self._mover()] != player:
            return "not-your-turn"
        word = text.lower()
        if word in PASSES:
            return None
        if word == "swap":
            may = len(self.moves) == 1 and self.moves[0] != "pass"
            return None if may else "swap-not-allowed"
        if text.upper() not in CELLS:
            return "invalid-move"
        taken = self.stones["X"] | self.stones["O"]
        return "occupied" if text.upper() in taken else None

    def turn(self, player: str, text: str) -> str:
        refusal = self.refusal_of_turn(player, text)
        if refusal:
            return refusal
        word = text.lower()
        self.moves.append("pass" if word in PASSES else "swap" if word == "swap" else text.upper())
        self.movers.append(player)
        self.offer = None
        self.submitted = {}
        self.changes += 1
        stones = self.stones
        if self.moves[-2:] == ["pass", "pass"]:
            self._end_by_points("two-passes")
        elif len(stones["X"]) + len(stones["O"]) == len(CELLS):
            self._end_by_points("full-board")
        return DONE

    def submit(self, player: str, text: str, guard: int | None) -> str:
        refusal = self.refusal(player, guard) or self.refusal_of_turn(player, text)
        if refusal:
            return refusal
        word = text.lower()
        kept = "pass" if word in PASSES else "swap" if word == "swap" else text.upper()
        self.submitted[player] = kept
        self.changes += 1
        return DONE

    def confirm(self, player: str) -> str:
        refusal = self.refusal(player, None)
        if refusal:
            return refusal
        if player not in self.submitted:
            return "nothing-submitted"
        return self.turn(player, self.submitted[player])

    def document(self) -> dict[str, Any]:
        """Return what show should print of the board, the score left out."""
        return {
            "players": self.players,
            "moves": self.moves,
            "ply": len(self.moves),
            "to_move": self._mover() if self.status == "running" else None,
            "stones": {side: sorted(cells) for side, cells in self.stones.items()},
            "status": self.status,
            "winner": self.winner,
            "reason": self.reason,
            "offer": None
            if not self.offer
            else {
                "kind": self.offer[0],
                "by": self.offer[1],
                "result": None,
                "moves": self.moves[-self.offer[2] :] if self.offer[2] else None,
            },
        }

    def _mover(self) -> str:
        side = "X"
        for text in self.moves:
            side = "O" if text == "swap" else OTHER[side]
        return side

    def _resign(self, player: str) -> str:
        self.changes += 1
        if len(self.moves) < 2:
            self._end("removed", None, "declined")
            return DONE
        if self.first == self.second:
            loser = self._mover()
        else:
            loser = next(side for side, name in self.players.items() if name == player)
        self._end("won", OTHER[loser], "resignation")
        return DONE

    def _undo(self, player: str, numbers: list[str]) -> str:
        count = int(numbers[0]) if numbers else 0
        if not numbers and player in self.movers:
            count = self.movers[::-1].index(player) + 1
        if not 1 <= count <= len(self.moves):
            return "nothing-to-undo"
        return self._propose(player, "undo", count)

    def _propose(self, player: str, kind: str, count: int) -> str:
        if self.offer and self.offer[0] == kind:
            return "offer-pending"
        self.offer = (kind, player, count)
        self.changes += 1
        return DONE

    def _answer(self, player: str, word: str) -> str:
        if self.offer is None:
            return "no-offer"
        kind, maker, count = self.offer
        if word == "accept" and maker == player and self.first != self.second:
            return "own-offer"
        self.changes += 1
        self.offer = None
        if word == "accept" and kind == "draw":
            self._end("drawn", None, "agreement")
        elif word == "accept":
            del self.moves[-count:], self.movers[-count:]
            self.submitted = {}
        return DONE

    def _end_by_points(self, reason: str) -> None:
        result = score_star(3, 3, self.maxi, self.stones)
        winner = None if result.winner == "draw" else result.winner
        self._end("drawn" if winner is None else "won", winner, reason)

    def _end(self, status: str, winner: str | None, reason: str) -> None:
        self.status, self.winner, self.reason = status, winner, reason
        self.offer = None
        self.submitted = {}
