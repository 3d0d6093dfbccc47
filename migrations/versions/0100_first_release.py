"""The tables of 1.0, as the databases of before it have them at their version 0026."""

from alembic import op

revision = "0100"
down_revision: str | None = None
branch_labels = None
depends_on = None

WORDS = {
    "sqlite": {
        "number": "INTEGER NOT NULL",
        "moment": "INTEGER",
        "real": "REAL",
        "strict": " STRICT",
        "keyed": " WITHOUT ROWID, STRICT",
        "started": "datetime(match.started_at, 'unixepoch')",
        "changed": "datetime(match.changed_at, 'unixepoch')",
        "finished": "datetime(match.finished_at, 'unixepoch')",
        "played": "datetime(move.played_at, 'unixepoch')",
    },
    "postgresql": {
        "number": "SERIAL NOT NULL",
        "moment": "BIGINT",
        "real": "DOUBLE PRECISION",
        "strict": "",
        "keyed": "",
        "started": "(to_timestamp(match.started_at) AT TIME ZONE 'UTC')",
        "changed": "(to_timestamp(match.changed_at) AT TIME ZONE 'UTC')",
        "finished": "(to_timestamp(match.finished_at) AT TIME ZONE 'UTC')",
        "played": "(to_timestamp(move.played_at) AT TIME ZONE 'UTC')",
    },
}
"""What differs between the databases: words in braces below."""

TABLES = """
CREATE TABLE player (
    id {number},
    userid TEXT NOT NULL,
    userid_key TEXT NOT NULL,
    password_hash TEXT,
    status TEXT NOT NULL,
    created_at {moment} NOT NULL,
    closed_at {moment},
    seen_at {moment},
    suspended_at {moment},
    robot TEXT,
    CONSTRAINT pk_player PRIMARY KEY (id),
    CONSTRAINT uq_player_userid_key UNIQUE (userid_key),
    CONSTRAINT ck_player_status CHECK (status IN ('active', 'closed', 'recorded'))
){strict};
CREATE INDEX ix_player_robot ON player (id) WHERE robot IS NOT NULL;
CREATE TABLE address (
    id {number},
    player_id INTEGER NOT NULL,
    position INTEGER NOT NULL,
    address TEXT NOT NULL,
    address_key TEXT NOT NULL,
    verified_at {moment},
    is_trusted INTEGER NOT NULL,
    hard_bounces INTEGER NOT NULL,
    stopped_at {moment},
    CONSTRAINT pk_address PRIMARY KEY (id),
    CONSTRAINT uq_address_player_id_address_key UNIQUE (player_id, address_key),
    CONSTRAINT ck_address_is_trusted CHECK (is_trusted IN (0, 1)),
    CONSTRAINT fk_address_player_id FOREIGN KEY (player_id) REFERENCES player (id)
){strict};
CREATE INDEX ix_address_key ON address (address_key);
CREATE TABLE match (
    id {number},
    game TEXT NOT NULL,
    number INTEGER NOT NULL,
    spec TEXT NOT NULL,
    rules_version INTEGER NOT NULL,
    first_id INTEGER NOT NULL,
    second_id INTEGER NOT NULL,
    x_id INTEGER NOT NULL,
    o_id INTEGER NOT NULL,
    status TEXT NOT NULL,
    to_move TEXT,
    next_id INTEGER,
    ply INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    is_rated INTEGER NOT NULL,
    is_imported INTEGER NOT NULL,
    winner TEXT,
    winner_id INTEGER,
    reason TEXT,
    points_x INTEGER,
    points_o INTEGER,
    started_at {moment} NOT NULL,
    changed_at {moment} NOT NULL,
    finished_at {moment},
    agreed TEXT,
    is_early INTEGER,
    is_swapped INTEGER,
    first_move TEXT,
    turns INTEGER,
    shift TEXT,
    CONSTRAINT pk_match PRIMARY KEY (id),
    CONSTRAINT uq_match_game_number UNIQUE (game, number),
    CONSTRAINT ck_match_is_rated CHECK (is_rated IN (0, 1)),
    CONSTRAINT ck_match_is_imported CHECK (is_imported IN (0, 1)),
    CONSTRAINT ck_match_status CHECK (status IN ('running', 'won', 'drawn', 'removed')),
    CONSTRAINT ck_match_to_move CHECK (to_move IN ('X', 'O')),
    CONSTRAINT ck_match_winner CHECK (winner IN ('X', 'O')),
    CONSTRAINT ck_match_running CHECK ((status = 'running') = (to_move IS NOT NULL)),
    CONSTRAINT ck_match_next CHECK ((to_move IS NULL) = (next_id IS NULL)),
    CONSTRAINT ck_match_finished CHECK ((status IN ('won', 'drawn')) = (finished_at IS NOT NULL)),
    CONSTRAINT ck_match_won CHECK ((status = 'won') = (winner IS NOT NULL)),
    CONSTRAINT ck_match_winner_id CHECK ((winner IS NULL) = (winner_id IS NULL)),
    CONSTRAINT fk_match_first_id FOREIGN KEY (first_id) REFERENCES player (id),
    CONSTRAINT fk_match_second_id FOREIGN KEY (second_id) REFERENCES player (id),
    CONSTRAINT fk_match_x_id FOREIGN KEY (x_id) REFERENCES player (id),
    CONSTRAINT fk_match_o_id FOREIGN KEY (o_id) REFERENCES player (id),
    CONSTRAINT fk_match_next_id FOREIGN KEY (next_id) REFERENCES player (id),
    CONSTRAINT fk_match_winner_id FOREIGN KEY (winner_id) REFERENCES player (id)
){strict};
CREATE INDEX ix_match_counted ON match (spec, winner, is_swapped, first_move, turns)
    WHERE finished_at IS NOT NULL;
CREATE INDEX ix_match_finished ON match (finished_at, id) WHERE finished_at IS NOT NULL;
CREATE INDEX ix_match_finished_first ON match (first_id, game, finished_at, id)
    WHERE finished_at IS NOT NULL;
CREATE INDEX ix_match_finished_game ON match (game, finished_at, id)
    WHERE finished_at IS NOT NULL;
CREATE INDEX ix_match_finished_second ON match (second_id, game, finished_at, id)
    WHERE finished_at IS NOT NULL;
CREATE INDEX ix_match_next ON match (next_id, game, number) WHERE next_id IS NOT NULL;
CREATE INDEX ix_match_running ON match (game, number) WHERE status = 'running';
CREATE INDEX ix_match_running_first ON match (first_id, game, number) WHERE status = 'running';
CREATE INDEX ix_match_running_second ON match (second_id, game, number) WHERE status = 'running';
CREATE TABLE recorded_name (
    match_id INTEGER NOT NULL,
    place INTEGER NOT NULL,
    player_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    CONSTRAINT pk_recorded_name PRIMARY KEY (match_id, place),
    CONSTRAINT fk_recorded_name_match_id FOREIGN KEY (match_id) REFERENCES match (id),
    CONSTRAINT fk_recorded_name_player_id FOREIGN KEY (player_id) REFERENCES player (id)
){keyed};
CREATE INDEX ix_recorded_name_player ON recorded_name (player_id);
CREATE TABLE move (
    match_id INTEGER NOT NULL,
    ply INTEGER NOT NULL,
    text TEXT NOT NULL,
    digest TEXT NOT NULL,
    player_id INTEGER NOT NULL,
    played_at {moment} NOT NULL,
    CONSTRAINT pk_move PRIMARY KEY (match_id, ply),
    CONSTRAINT fk_move_match_id FOREIGN KEY (match_id) REFERENCES match (id),
    CONSTRAINT fk_move_player_id FOREIGN KEY (player_id) REFERENCES player (id)
){keyed};
CREATE TABLE offer (
    match_id INTEGER NOT NULL,
    kind TEXT NOT NULL,
    player_id INTEGER NOT NULL,
    offered_at {moment} NOT NULL,
    result TEXT,
    moves TEXT,
    answerer_id INTEGER,
    CONSTRAINT pk_offer PRIMARY KEY (match_id),
    CONSTRAINT ck_offer_kind CHECK (kind IN ('draw', 'undo', 'result')),
    CONSTRAINT ck_offer_result CHECK ((kind = 'result') = (result IS NOT NULL)),
    CONSTRAINT fk_offer_match_id FOREIGN KEY (match_id) REFERENCES match (id),
    CONSTRAINT fk_offer_player_id FOREIGN KEY (player_id) REFERENCES player (id),
    CONSTRAINT fk_offer_answerer_id FOREIGN KEY (answerer_id) REFERENCES player (id)
){strict};
CREATE INDEX ix_offer_answerer ON offer (answerer_id);
CREATE TABLE submission (
    match_id INTEGER NOT NULL,
    player_id INTEGER NOT NULL,
    text TEXT NOT NULL,
    CONSTRAINT pk_submission PRIMARY KEY (match_id, player_id),
    CONSTRAINT fk_submission_match_id FOREIGN KEY (match_id) REFERENCES match (id),
    CONSTRAINT fk_submission_player_id FOREIGN KEY (player_id) REFERENCES player (id)
){keyed};
CREATE TABLE robot_turn (
    match_id INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    due_at {moment} NOT NULL,
    tries INTEGER NOT NULL,
    CONSTRAINT pk_robot_turn PRIMARY KEY (match_id),
    CONSTRAINT fk_robot_turn_match_id FOREIGN KEY (match_id) REFERENCES match (id)
){strict};
CREATE TABLE clock (
    match_id INTEGER NOT NULL,
    limits TEXT NOT NULL,
    clock TEXT NOT NULL,
    due_at {moment},
    CONSTRAINT pk_clock PRIMARY KEY (match_id),
    CONSTRAINT fk_clock_match_id FOREIGN KEY (match_id) REFERENCES match (id)
){strict};
CREATE INDEX ix_clock_due ON clock (due_at, match_id) WHERE due_at IS NOT NULL;
CREATE INDEX ix_clock_running ON clock (match_id) WHERE due_at IS NOT NULL;
CREATE TABLE absence (
    player_id INTEGER NOT NULL,
    position INTEGER NOT NULL,
    start_at {moment} NOT NULL,
    end_at {moment} NOT NULL,
    kind TEXT NOT NULL,
    CONSTRAINT pk_absence PRIMARY KEY (player_id, position),
    CONSTRAINT ck_absence_kind CHECK (kind IN ('manual', 'automatic')),
    CONSTRAINT fk_absence_player_id FOREIGN KEY (player_id) REFERENCES player (id)
){keyed};
CREATE TABLE plan (
    match_id INTEGER NOT NULL,
    player_id INTEGER NOT NULL,
    text TEXT NOT NULL,
    due INTEGER NOT NULL,
    dropped TEXT,
    CONSTRAINT pk_plan PRIMARY KEY (match_id, player_id),
    CONSTRAINT fk_plan_match_id FOREIGN KEY (match_id) REFERENCES match (id),
    CONSTRAINT fk_plan_player_id FOREIGN KEY (player_id) REFERENCES player (id)
){keyed};
CREATE TABLE rating (
    player_id INTEGER NOT NULL,
    game TEXT NOT NULL,
    value {real} NOT NULL,
    deviation {real} NOT NULL,
    volatility {real} NOT NULL,
    rated_at {moment},
    won INTEGER NOT NULL,
    lost INTEGER NOT NULL,
    drawn INTEGER NOT NULL,
    CONSTRAINT pk_rating PRIMARY KEY (player_id, game),
    CONSTRAINT fk_rating_player_id FOREIGN KEY (player_id) REFERENCES player (id)
){keyed};
CREATE INDEX ix_rating_value ON rating (game, value, player_id);
CREATE TABLE rating_change (
    id {number},
    match_id INTEGER NOT NULL,
    player_id INTEGER NOT NULL,
    game TEXT NOT NULL,
    at {moment} NOT NULL,
    before {real} NOT NULL,
    value {real} NOT NULL,
    deviation {real} NOT NULL,
    volatility {real} NOT NULL,
    CONSTRAINT pk_rating_change PRIMARY KEY (id),
    CONSTRAINT uq_rating_change_match_id_player_id UNIQUE (match_id, player_id),
    CONSTRAINT fk_rating_change_match_id FOREIGN KEY (match_id) REFERENCES match (id),
    CONSTRAINT fk_rating_change_player_id FOREIGN KEY (player_id) REFERENCES player (id)
){strict};
CREATE INDEX ix_rating_change_player ON rating_change (player_id, game, id);
CREATE TABLE moment (
    name TEXT NOT NULL,
    at {moment} NOT NULL,
    CONSTRAINT pk_moment PRIMARY KEY (name)
){keyed};
CREATE TABLE counter (
    name TEXT NOT NULL,
    value INTEGER NOT NULL,
    CONSTRAINT pk_counter PRIMARY KEY (name)
){keyed};
CREATE TABLE secret (
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    CONSTRAINT pk_secret PRIMARY KEY (name)
){keyed};
CREATE TABLE audit (
    id {number},
    at {moment} NOT NULL,
    source TEXT NOT NULL,
    player_id INTEGER,
    match_id INTEGER,
    verb TEXT NOT NULL,
    detail TEXT NOT NULL,
    outcome TEXT NOT NULL,
    key TEXT,
    CONSTRAINT pk_audit PRIMARY KEY (id),
    CONSTRAINT fk_audit_player_id FOREIGN KEY (player_id) REFERENCES player (id),
    CONSTRAINT fk_audit_match_id FOREIGN KEY (match_id) REFERENCES match (id)
){strict};
CREATE UNIQUE INDEX ix_audit_key ON audit (key) WHERE key IS NOT NULL;
CREATE INDEX ix_audit_match ON audit (match_id, id) WHERE match_id IS NOT NULL;
CREATE INDEX ix_audit_player ON audit (player_id, id) WHERE player_id IS NOT NULL;
CREATE TABLE inbox (
    id {number},
    player_id INTEGER NOT NULL,
    key TEXT NOT NULL,
    sender TEXT NOT NULL,
    received_at {moment} NOT NULL,
    door TEXT NOT NULL,
    outcome TEXT NOT NULL,
    CONSTRAINT pk_inbox PRIMARY KEY (id),
    CONSTRAINT uq_inbox_player_id_key UNIQUE (player_id, key)
){strict};
CREATE INDEX ix_inbox_received ON inbox (received_at);
CREATE TABLE outbox (
    id {number},
    kind TEXT NOT NULL,
    address TEXT NOT NULL,
    address_key TEXT NOT NULL,
    player_id INTEGER,
    match_id INTEGER,
    revision INTEGER,
    subject TEXT NOT NULL,
    lead TEXT NOT NULL,
    diagram TEXT,
    tail TEXT NOT NULL,
    is_answer INTEGER NOT NULL,
    in_reply_to TEXT,
    created_at {moment} NOT NULL,
    state TEXT NOT NULL,
    due_at {moment} NOT NULL,
    tries INTEGER NOT NULL,
    ended_at {moment},
    last_error TEXT NOT NULL,
    CONSTRAINT pk_outbox PRIMARY KEY (id),
    CONSTRAINT ck_outbox_is_answer CHECK (is_answer IN (0, 1)),
    CONSTRAINT ck_outbox_state CHECK (state IN ('waiting', 'sent', 'failed', 'dropped')),
    CONSTRAINT ck_outbox_ended CHECK ((state = 'waiting') = (ended_at IS NULL)),
    CONSTRAINT fk_outbox_player_id FOREIGN KEY (player_id) REFERENCES player (id),
    CONSTRAINT fk_outbox_match_id FOREIGN KEY (match_id) REFERENCES match (id)
){strict};
CREATE INDEX ix_outbox_due ON outbox (due_at, id) WHERE state = 'waiting';
CREATE INDEX ix_outbox_ended ON outbox (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX ix_outbox_thread ON outbox (match_id, address_key, id) WHERE match_id IS NOT NULL;
CREATE TABLE proof_request (
    address_key TEXT NOT NULL,
    address TEXT NOT NULL,
    player_id INTEGER NOT NULL,
    net TEXT NOT NULL,
    is_authenticated INTEGER NOT NULL,
    asked_at {moment} NOT NULL,
    CONSTRAINT pk_proof_request PRIMARY KEY (address_key),
    CONSTRAINT ck_proof_request_is_authenticated CHECK (is_authenticated IN (0, 1)),
    CONSTRAINT fk_proof_request_player_id FOREIGN KEY (player_id) REFERENCES player (id)
){keyed};
CREATE TABLE asked_challenge (
    player_id INTEGER NOT NULL,
    number INTEGER NOT NULL,
    lines TEXT NOT NULL,
    comment TEXT NOT NULL,
    asked_at {moment} NOT NULL,
    CONSTRAINT pk_asked_challenge PRIMARY KEY (player_id),
    CONSTRAINT fk_asked_challenge_player_id FOREIGN KEY (player_id) REFERENCES player (id)
){keyed};
CREATE TABLE ignored_mail (
    day {moment} NOT NULL,
    reason TEXT NOT NULL,
    mails INTEGER NOT NULL,
    CONSTRAINT pk_ignored_mail PRIMARY KEY (day, reason)
){keyed};
CREATE TABLE throttle (
    userid_key TEXT NOT NULL,
    sender TEXT NOT NULL,
    failures INTEGER NOT NULL,
    failed_at {moment} NOT NULL,
    wait_until {moment} NOT NULL,
    CONSTRAINT pk_throttle PRIMARY KEY (userid_key, sender)
){keyed};
CREATE TABLE budget (
    kind TEXT NOT NULL,
    holder TEXT NOT NULL,
    period INTEGER NOT NULL,
    begins_at {moment} NOT NULL,
    letters INTEGER NOT NULL,
    bytes {moment} NOT NULL,
    CONSTRAINT pk_budget PRIMARY KEY (kind, holder, period)
){keyed};
CREATE TABLE reset (
    id {number},
    player_id INTEGER NOT NULL,
    token_hash TEXT NOT NULL,
    created_at {moment} NOT NULL,
    expires_at {moment} NOT NULL,
    used_at {moment},
    CONSTRAINT pk_reset PRIMARY KEY (id),
    CONSTRAINT uq_reset_token_hash UNIQUE (token_hash),
    CONSTRAINT fk_reset_player_id FOREIGN KEY (player_id) REFERENCES player (id)
){strict};
CREATE INDEX ix_reset_player ON reset (player_id, created_at);
CREATE TABLE signin_key (
    id {number},
    player_id INTEGER NOT NULL,
    digest TEXT NOT NULL,
    created_at {moment} NOT NULL,
    used_at {moment} NOT NULL,
    ends_at {moment},
    CONSTRAINT pk_signin_key PRIMARY KEY (id),
    CONSTRAINT fk_signin_key_player_id FOREIGN KEY (player_id) REFERENCES player (id)
){strict};
CREATE INDEX ix_signin_key_player ON signin_key (player_id);
CREATE TABLE preference (
    player_id INTEGER NOT NULL,
    has_digest INTEGER NOT NULL,
    takes_broadcasts INTEGER NOT NULL,
    keeps_vacation INTEGER,
    CONSTRAINT pk_preference PRIMARY KEY (player_id),
    CONSTRAINT ck_preference_has_digest CHECK (has_digest IN (0, 1)),
    CONSTRAINT ck_preference_takes_broadcasts CHECK (takes_broadcasts IN (0, 1)),
    CONSTRAINT fk_preference_player_id FOREIGN KEY (player_id) REFERENCES player (id)
){strict};
CREATE TABLE private_player (
    player_id INTEGER NOT NULL,
    CONSTRAINT pk_private_player PRIMARY KEY (player_id),
    CONSTRAINT fk_private_player_player_id FOREIGN KEY (player_id) REFERENCES player (id)
){strict};
CREATE TABLE block (
    player_id INTEGER NOT NULL,
    blocked_id INTEGER NOT NULL,
    CONSTRAINT pk_block PRIMARY KEY (player_id, blocked_id),
    CONSTRAINT fk_block_player_id FOREIGN KEY (player_id) REFERENCES player (id),
    CONSTRAINT fk_block_blocked_id FOREIGN KEY (blocked_id) REFERENCES player (id)
){keyed};
CREATE TABLE subscription (
    match_id INTEGER NOT NULL,
    player_id INTEGER NOT NULL,
    CONSTRAINT pk_subscription PRIMARY KEY (match_id, player_id),
    CONSTRAINT fk_subscription_match_id FOREIGN KEY (match_id) REFERENCES match (id),
    CONSTRAINT fk_subscription_player_id FOREIGN KEY (player_id) REFERENCES player (id)
){keyed};
CREATE INDEX ix_subscription_player ON subscription (player_id);
CREATE TABLE chat (
    id {number},
    match_id INTEGER NOT NULL,
    player_id INTEGER NOT NULL,
    at {moment} NOT NULL,
    text TEXT NOT NULL,
    CONSTRAINT pk_chat PRIMARY KEY (id),
    CONSTRAINT fk_chat_match_id FOREIGN KEY (match_id) REFERENCES match (id),
    CONSTRAINT fk_chat_player_id FOREIGN KEY (player_id) REFERENCES player (id)
){strict};
CREATE INDEX ix_chat_match ON chat (match_id, id);
CREATE TABLE message (
    id {number},
    writer_id INTEGER NOT NULL,
    reader_id INTEGER NOT NULL,
    at {moment} NOT NULL,
    text TEXT NOT NULL,
    CONSTRAINT pk_message PRIMARY KEY (id),
    CONSTRAINT fk_message_writer_id FOREIGN KEY (writer_id) REFERENCES player (id),
    CONSTRAINT fk_message_reader_id FOREIGN KEY (reader_id) REFERENCES player (id)
){strict};
CREATE INDEX ix_message_reader ON message (reader_id, id);
CREATE INDEX ix_message_writer ON message (writer_id, id);
CREATE TABLE notice (
    id {number},
    player_id INTEGER NOT NULL,
    kind TEXT NOT NULL,
    match_id INTEGER,
    text TEXT NOT NULL,
    at {moment} NOT NULL,
    read_at {moment},
    told_at {moment},
    CONSTRAINT pk_notice PRIMARY KEY (id),
    CONSTRAINT ck_notice_kind CHECK (kind IN ('reminder', 'announcement', 'remark', 'message')),
    CONSTRAINT fk_notice_player_id FOREIGN KEY (player_id) REFERENCES player (id),
    CONSTRAINT fk_notice_match_id FOREIGN KEY (match_id) REFERENCES match (id)
){strict};
CREATE INDEX ix_notice_unread ON notice (player_id, id) WHERE read_at IS NULL;
CREATE TABLE availability (
    player_id INTEGER NOT NULL,
    game TEXT NOT NULL,
    takes_challenges INTEGER NOT NULL,
    most_boards INTEGER,
    CONSTRAINT pk_availability PRIMARY KEY (player_id, game),
    CONSTRAINT ck_availability_takes_challenges CHECK (takes_challenges IN (0, 1)),
    CONSTRAINT fk_availability_player_id FOREIGN KEY (player_id) REFERENCES player (id)
){keyed};
CREATE TABLE seek (
    id {number},
    player_id INTEGER NOT NULL,
    game TEXT NOT NULL,
    spec TEXT NOT NULL,
    limits TEXT NOT NULL,
    is_rated INTEGER NOT NULL,
    wanted INTEGER NOT NULL,
    sought_at {moment} NOT NULL,
    CONSTRAINT pk_seek PRIMARY KEY (id),
    CONSTRAINT uq_seek_player_id_spec UNIQUE (player_id, spec),
    CONSTRAINT ck_seek_is_rated CHECK (is_rated IN (0, 1)),
    CONSTRAINT ck_seek_wanted CHECK (wanted > 0),
    CONSTRAINT fk_seek_player_id FOREIGN KEY (player_id) REFERENCES player (id)
){strict};
CREATE INDEX ix_seek_game ON seek (game, id);
CREATE TABLE quiet (
    match_id INTEGER NOT NULL,
    player_id INTEGER NOT NULL,
    CONSTRAINT pk_quiet PRIMARY KEY (match_id, player_id),
    CONSTRAINT fk_quiet_match_id FOREIGN KEY (match_id) REFERENCES match (id),
    CONSTRAINT fk_quiet_player_id FOREIGN KEY (player_id) REFERENCES player (id)
){keyed};
CREATE INDEX ix_quiet_player ON quiet (player_id);
CREATE TABLE origin (
    match_id INTEGER NOT NULL,
    source_id INTEGER NOT NULL,
    ply INTEGER NOT NULL,
    CONSTRAINT pk_origin PRIMARY KEY (match_id),
    CONSTRAINT fk_origin_match_id FOREIGN KEY (match_id) REFERENCES match (id),
    CONSTRAINT fk_origin_source_id FOREIGN KEY (source_id) REFERENCES match (id)
){strict};
CREATE TABLE review (
    match_id INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    document TEXT NOT NULL,
    CONSTRAINT pk_review PRIMARY KEY (match_id),
    CONSTRAINT fk_review_match_id FOREIGN KEY (match_id) REFERENCES match (id)
){strict};
CREATE TABLE tournament (
    id {number},
    name TEXT NOT NULL,
    organiser_id INTEGER NOT NULL,
    spec TEXT NOT NULL,
    kind TEXT NOT NULL,
    limits TEXT NOT NULL,
    both_colours INTEGER NOT NULL,
    rounds INTEGER,
    pool_size INTEGER,
    status TEXT NOT NULL,
    created_at {moment} NOT NULL,
    changed_at {moment} NOT NULL,
    start_at {moment},
    CONSTRAINT pk_tournament PRIMARY KEY (id),
    CONSTRAINT ck_tournament_both_colours CHECK (both_colours IN (0, 1)),
    CONSTRAINT ck_tournament_status CHECK (status IN ('open', 'running', 'finished', 'cancelled')),
    CONSTRAINT ck_tournament_kind CHECK (kind IN ('round-robin', 'swiss')),
    CONSTRAINT fk_tournament_organiser_id FOREIGN KEY (organiser_id) REFERENCES player (id)
){strict};
CREATE INDEX ix_tournament_start ON tournament (start_at)
    WHERE status = 'open' AND start_at IS NOT NULL;
CREATE TABLE entrant (
    tournament_id INTEGER NOT NULL,
    place INTEGER NOT NULL,
    player_id INTEGER NOT NULL,
    rating INTEGER NOT NULL,
    is_withdrawn INTEGER NOT NULL,
    pool INTEGER,
    CONSTRAINT pk_entrant PRIMARY KEY (tournament_id, place),
    CONSTRAINT uq_entrant_tournament_id_player_id UNIQUE (tournament_id, player_id),
    CONSTRAINT ck_entrant_is_withdrawn CHECK (is_withdrawn IN (0, 1)),
    CONSTRAINT fk_entrant_tournament_id FOREIGN KEY (tournament_id) REFERENCES tournament (id),
    CONSTRAINT fk_entrant_player_id FOREIGN KEY (player_id) REFERENCES player (id)
){keyed};
CREATE INDEX ix_entrant_player ON entrant (player_id);
CREATE TABLE encounter (
    tournament_id INTEGER NOT NULL,
    place INTEGER NOT NULL,
    round INTEGER NOT NULL,
    pool INTEGER NOT NULL,
    x_id INTEGER NOT NULL,
    o_id INTEGER,
    half_points INTEGER,
    match_id INTEGER,
    CONSTRAINT pk_encounter PRIMARY KEY (tournament_id, place),
    CONSTRAINT uq_encounter_match_id UNIQUE (match_id),
    CONSTRAINT ck_encounter_half_points CHECK (half_points IN (0, 1, 2)),
    CONSTRAINT ck_encounter_bye CHECK ((o_id IS NULL) = (match_id IS NULL)),
    CONSTRAINT fk_encounter_tournament_id FOREIGN KEY (tournament_id) REFERENCES tournament (id),
    CONSTRAINT fk_encounter_x_id FOREIGN KEY (x_id) REFERENCES player (id),
    CONSTRAINT fk_encounter_o_id FOREIGN KEY (o_id) REFERENCES player (id),
    CONSTRAINT fk_encounter_match_id FOREIGN KEY (match_id) REFERENCES match (id)
){keyed};
CREATE VIEW boards AS
SELECT match.game AS game, match.number AS board, match.spec AS options,
    x.userid AS x, o.userid AS o, match.status AS status, mover.userid AS to_move,
    match.ply AS moves, {started} AS started, {changed} AS changed
FROM match
JOIN player AS x ON x.id = match.x_id
JOIN player AS o ON o.id = match.o_id
LEFT JOIN player AS mover ON mover.id = match.next_id
WHERE match.status <> 'removed';
CREATE VIEW moves AS
SELECT match.game AS game, match.number AS board, move.ply AS move, player.userid AS player,
    move.text AS cell, {played} AS played
FROM move
JOIN match ON match.id = move.match_id
JOIN player ON player.id = move.player_id
WHERE match.status <> 'removed';
CREATE VIEW results AS
SELECT match.game AS game, match.number AS board, x.userid AS x, o.userid AS o,
    winner.userid AS winner, match.reason AS reason, match.points_x AS points_x,
    match.points_o AS points_o,
    CASE WHEN match.is_early IS NULL THEN match.is_rated ELSE 0 END AS rated,
    {finished} AS finished
FROM match
JOIN player AS x ON x.id = match.x_id
JOIN player AS o ON o.id = match.o_id
LEFT JOIN player AS winner ON winner.id = match.winner_id
WHERE match.finished_at IS NOT NULL;
"""


def upgrade() -> None:
    """Make tables, indices and views."""
    for statement in TABLES.format(**WORDS[op.get_context().dialect.name]).strip().split(";\n"):
        op.execute(statement.rstrip(";"))
