"""What was done is written down in its transaction: in the audit, and in letters."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pbmserv.club.letter import Letter
    from pbmserv.services.session import WriteSession


def finish(session: WriteSession) -> None:
    """Record what was done and post the letters about it."""
    record(session)
    session.records.outbox.post(letters_about(session), session.now)


def letters_about(session: WriteSession) -> Sequence[Letter]:
    """Return the letters about what was done, none where mail is not set up."""
    if not session.writes_letters():
        return ()
    # A server without mail need not load what writes letters.
    from pbmserv.services.match_letters import letters_of

    return letters_of(session)


def record(session: WriteSession) -> None:
    """Enter what was done in the audit."""
    player = session.signer
    for number, note in enumerate(session.ledger.notes):
        session.records.audit.add(
            at=session.now,
            source=session.source.value,
            player_id=player.id if player else None,
            match_id=note.match_id,
            verb=note.verb,
            detail=note.detail,
            outcome="done",
            key=None if number else session.key,
        )
    if player is not None and session.ledger.notes:
        session.records.players.saw(player, session.now)
