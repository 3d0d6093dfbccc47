"""What is left of a player who wants to be erased: a number, and the games."""

import sqlalchemy as sa

from pbmserv.store.tables import (
    asked_challenge,
    audit,
    block,
    chat,
    inbox,
    message,
    notice,
    outbox,
    player,
    preference,
    private_player,
    proof_request,
    reset,
    signin_key,
    subscription,
    throttle,
)

OWN = (
    *(table.c.player_id for table in (asked_challenge, block, chat, inbox, notice, outbox)),
    *(table.c.player_id for table in (preference, proof_request, reset, signin_key, subscription)),
    private_player.c.player_id,
    block.c.blocked_id,
    message.c.writer_id,
    message.c.reader_id,
)
"""Whose rows with the player's number say something about them, and no game needs them."""


def erase_player(connection: sa.Connection, player_id: int, userid: str) -> str:
    """Delete what is stored about a player but their games; return what they are called now.

    Their name goes from the audit too.
    """
    for column in OWN:
        connection.execute(column.table.delete().where(column == player_id))
    key = userid.lower()
    connection.execute(throttle.delete().where(throttle.c.userid_key == key))
    words = " " + sa.func.lower(audit.c.detail) + " "
    named = sa.or_(audit.c.player_id == player_id, words.contains(f" {key} ", autoescape=True))
    connection.execute(audit.update().where(named).values(detail=""))
    name = f"erased-{player_id}"
    taken = sa.select(player.c.id).where(player.c.userid_key == sa.bindparam("name"))
    while connection.execute(taken, {"name": name}).first() is not None:
        name += "x"
    values = {"userid": name, "userid_key": name, "seen_at": None}
    connection.execute(player.update().where(player.c.id == player_id).values(**values))
    return name
