-- The figures of the club, for probes and monitoring. Each has its name, its kind, its labels and what
-- it means, and a statement that gives a row for each combination of labels, with the value last, null
-- for never. In place of :now comes the time.

-- maintenance gauge: Whether nobody but operators changes anything.
SELECT count(*) FROM moment WHERE name = 'maintenance'

-- daemons gauge: Programs that look after the club together, each heard of in 30 minutes.
SELECT count(*) FROM moment WHERE substr(name, 1, 7) = 'daemon ' AND at > :now - 1800

-- daemon_age_seconds gauge: Time since one of these was heard of, until all have ended.
SELECT :now - at FROM moment WHERE substr(name, 1, 7) = 'daemon ' ORDER BY at DESC LIMIT 1

-- last_tick_age_seconds gauge: Time since the clocks were checked, while any runs.
SELECT :now - (SELECT at FROM moment WHERE name = 'settled')
WHERE EXISTS (SELECT 1 FROM clock WHERE due_at IS NOT NULL)

-- letter_overdue_seconds gauge: By how long the first letter is late.
SELECT coalesce(:now - min(due_at), 0) FROM outbox WHERE state = 'waiting'

-- queue_items gauge queue: Letters that wait, newcomers that do, and boards of robots.
SELECT 'outbox', count(*) FROM outbox WHERE state = 'waiting'
UNION ALL SELECT 'newcomers', count(*) FROM proof_request
UNION ALL SELECT 'robots', count(*) FROM match JOIN player ON player.id = match.next_id
WHERE player.robot IS NOT NULL AND player.suspended_at IS NULL

-- queue_oldest_seconds gauge queue: How long the first in a queue has waited.
SELECT 'outbox', coalesce(:now - min(created_at), 0) FROM outbox WHERE state = 'waiting'
UNION ALL SELECT 'newcomers', coalesce(:now - min(asked_at), 0) FROM proof_request
UNION ALL SELECT 'robots', coalesce(:now - min(match.changed_at), 0)
FROM match JOIN player ON player.id = match.next_id
WHERE player.robot IS NOT NULL AND player.suspended_at IS NULL

-- letters gauge state: Letters by what became of them.
SELECT state, count(*) FROM outbox GROUP BY state

-- letters_refused gauge: Letters that wait although the mail server will never take them.
SELECT count(*) FROM outbox
WHERE state = 'waiting' AND substr(last_error, 1, 23) = 'The mail server said: 5'

-- boards gauge game: Running boards.
SELECT game, count(*) FROM match WHERE status = 'running' GROUP BY game

-- sessions gauge: Sign-in keys of shells and browsers that are valid.
SELECT count(*) FROM signin_key
WHERE used_at > :now - 7776000 AND (ends_at IS NULL OR ends_at > :now)

-- mails_last_day gauge door code: Mails that came, by what became of them.
SELECT door, outcome, count(*) FROM inbox WHERE received_at > :now - 86400 GROUP BY door, outcome

-- errors_last_day gauge door code: Commands refused or failed, among the newest 10,000 requests.
SELECT source, outcome, count(*)
FROM (SELECT source, outcome, at FROM audit ORDER BY id DESC LIMIT 10000) AS newest
WHERE at > :now - 86400 AND outcome <> 'done' GROUP BY source, outcome

-- budget_refusals counter kind: What a budget has left unsaid or undone.
SELECT substr(name, 9), value FROM counter WHERE substr(name, 1, 8) = 'refused '
