"""What was done is written down in its transaction: in the audit, and in letters."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pbmserv.services.session import WriteSession


def finish(session: WriteSession) -> None:
    """Record what was done and post the letters about it."""
    record(session)
    if session.writes_letters():
        # Letters are nothing that a server without mail should load.
        from pbmserv.services.match_letters import letters_of

        session.records.outbox.post(letters_of(session), session.now)


def record(session: WriteSession) -> None:
    """Enter what was done in the audit."""
    player = session.signer
    for note in session.ledger.notes:
        session.records.audit.add(
            at=session.now,
            source=session.source.value,
            player_id=player.id if player else None,
            match_id=note.match_id,
            verb=note.verb,
            detail=note.detail,
            outcome="done",
        )
    if player is not None and session.ledger.notes:
        session.records.players.saw(player, session.now)
