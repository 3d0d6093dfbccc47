"""The mutants: which line becomes which other one, and the tests that are to fail then.

A line is named by its words, without the blanks before it, and stands once in its file. The tests
are those of the fast tier in these files.
"""

from typing import NamedTuple


class Mutant(NamedTuple):
    """One line changed for the worse; ``file`` is named from the package's folder."""

    file: str
    line: str
    changed: str
    tests: tuple[str, ...]


MUTANTS = (
    # The engine
    Mutant(
        "engine/board.py",
        "for cell in group:  # grows while it is walked",
        "for cell in list(group):",
        ("engine/test_star.py",),
    ),
    Mutant(
        "engine/chains.py",
        "touches[theirs] |= touches[ours]",
        "touches[theirs] = touches[ours]",
        ("engine/test_y.py",),
    ),
    Mutant(
        "engine/games/star.py",
        "(point, tuple(cells)) for point, cells in touching.items() if corners == 3"
        " or len(cells) > 1",
        "(point, tuple(cells)) for point, cells in touching.items()",
        ("engine/test_star.py",),
    ),
    Mutant(
        "engine/game.py",
        "return self.is_even and position.ply == 1 and bool(position.last)",
        "return self.is_even and position.ply == 1",
        ("engine/test_contract.py",),
    ),
    Mutant(
        "engine/game.py",
        "if due > 1 and len(set(move.cells)) != len(move.cells):",
        "if due > 1 and not move.cells:",
        ("engine/test_starstar.py",),
    ),
    Mutant(
        "engine/record.py",
        "if by_rules is not None and (claimed is None or not game.may_end(position, claimed)):",
        "if by_rules is not None and claimed is None:",
        ("commands/test_records.py",),
    ),
    Mutant(
        "engine/record.py",
        "return {Side.X: self.second, Side.O: self.first}",
        "return {Side.X: self.first, Side.O: self.second}",
        ("commands/test_records.py",),
    ),
    Mutant(
        "engine/games/starweb.py",
        "if first is None and not position.ply:",
        "if first is None:",
        ("engine/test_starweb.py",),
    ),
    Mutant(
        "club/play.py",
        "if then is None or not then.is_certain:",
        "if then is not None:",
        ("commands/test_settled.py",),
    ),
    Mutant(
        "engine/record.py",
        "if int(move[1]) != len(moves) + 1:",
        "if int(move[1]) > len(moves) + 1:",
        ("commands/test_records.py",),
    ),
    Mutant(
        "engine/settle.py",
        "if (low.winner or tie_winner) is Side.X:",
        "if (high.winner or tie_winner) is Side.X:",
        ("engine/test_settle.py",),
    ),
    Mutant(
        "engine/score_tables.py",
        "extra -= sum(self.tie_points[mark] for mark in o)",
        "extra += sum(self.tie_points[mark] for mark in o)",
        ("engine/test_tables.py",),
    ),
    # The computer
    Mutant(
        "computer/kernel.py",
        "self.total[self.lead[cell]] -= self.shares[at + 2]",
        "self.total[self.lead[cell]] += self.shares[at + 2]",
        ("computer/test_search.py",),
    ),
    Mutant(
        "computer/kernel.py",
        "and not self.stones[self.bridges[at + 2]]",
        "and self.stones[self.bridges[at + 2]]",
        ("computer/test_search.py",),
    ),
    Mutant(
        "computer/task.py",
        "back = 1 if is_first else 3",
        "back = 1 if is_first else 2",
        ("computer/test_search.py",),
    ),
    Mutant(
        "computer/levels.py",
        "return Choice(SWAP, analysis) if analysis.chance < 0.5 else None",
        "return Choice(SWAP, analysis) if analysis.chance > 0.5 else None",
        ("computer/test_levels.py",),
    ),
    Mutant(
        "computer/pairs.py",
        "free -= {*pair}",
        "free -= {pair[0]}",
        ("computer/test_proof.py",),
    ),
    Mutant(
        "computer/pairs.py",
        "if self.stones[other] == ours or other in paired",
        "if other in paired",
        ("computer/test_proof.py",),
    ),
    Mutant(
        "computer/proof.py",
        "carrier |= answer.carrier",
        "carrier &= answer.carrier",
        ("computer/test_proof.py",),
    ),
    Mutant(
        "computer/proof.py",
        "if position.passes == 0:",
        "if position.passes <= 1:",
        ("computer/test_proof.py",),
    ),
    # The club
    Mutant(
        "club/play.py",
        "if number is not None and number != match.ply + 1:",
        "if number is not None and number > match.ply + 1:",
        ("desk/test_order.py",),
    ),
    Mutant(
        "club/play.py",
        "if on_move is not None and on_move.player_id != seat.player_id:",
        "if on_move is None:",
        ("desk/test_order.py",),
    ),
    Mutant(
        "club/play.py",
        "elif pending and pending.kind is OfferKind.DRAW and pending.player_id != player_id:",
        "elif pending and pending.kind is OfferKind.DRAW:",
        ("club/test_run_out.py",),
    ),
    Mutant(
        "club/match.py",
        "if positions[-1].digest() != turn.digest:",
        "if not turn.digest:",
        ("cli/test_admin.py",),
    ),
    Mutant(
        "club/match.py",
        "if ply > 1 and self.turns[1].text == SWAP.text:",
        "if len(self.turns) > 1 and self.turns[1].text == SWAP.text:",
        ("commands/test_look.py",),
    ),
    Mutant(
        "club/clock.py",
        "return self.warned is None and self.spent >= self.limit - GRACE",
        "return self.warned is None and self.spent >= self.limit",
        ("club/test_clock.py",),
    ),
    Mutant(
        "club/clock.py",
        "return now if abs(now - last_settled_at) > SLEEP else before",
        "return before",
        ("club/test_clock.py",),
    ),
    Mutant(
        "club/vacation.py",
        "return max(1, -(-(self.end - self.start) // DAY))",
        "return max(1, (self.end - self.start) // DAY)",
        ("club/test_vacation.py",),
    ),
    Mutant(
        "club/rating.py",
        "sharper = 1 / math.sqrt(1 / wider**2 + information)",
        "sharper = 1 / math.sqrt(1 / phi**2 + information)",
        ("club/test_rating.py",),
    ),
    Mutant(
        "club/pairing.py",
        "return terms > 0 or not self._is_clash(one, other)",
        "return True",
        ("club/test_pairing.py",),
    ),
    # The store
    Mutant(
        "store/connection.py",
        "if found is not None and found.meaning == meaning:",
        "if found is not None:",
        ("store/test_kept_engines.py",),
    ),
    Mutant(
        "store/connection.py",
        "if _kept is None or _has_wal(location):",
        "if _kept is None:",
        ("store/test_kept_engines.py",),
    ),
    Mutant(
        "cli/roster.py",
        "return not self.free()",
        "return False",
        ("cli/test_roster.py",),
    ),
    Mutant(
        "store/connection.py",
        'cursor.execute(f"PRAGMA query_only = {int(mode is Mode.READ)}")',
        'cursor.execute("PRAGMA query_only = 0")',
        ("store/test_faults.py", "store/test_schema.py", "store/test_matches.py"),
    ),
    Mutant(
        "store/matches.py",
        "if CHANGE.execute(self._connection, row).rowcount != 1:",
        "if CHANGE.execute(self._connection, row).rowcount > 1:",
        ("store/test_matches.py",),
    ),
    Mutant(
        "store/matches.py",
        "changed = {name: value for name, value in values.items() if value != stored[name]}",
        "changed = {name: value for name, value in values.items() if name in stored}",
        ("store/test_indices.py",),
    ),
    Mutant(
        "store/matches.py",
        "if shared < before.ply:",
        "if shared < after.ply:",
        ("desk/test_votes.py",),
    ),
    Mutant(
        "store/quotas.py",
        '"WHERE quota.used < :most RETURNING used"',
        '"WHERE quota.used <= :most RETURNING used"',
        ("store/test_limits.py",),
    ),
    Mutant(
        "store/quotas.py",
        ".where(reset.c.used_at.is_(None), reset.c.expires_at > now)",
        ".where(reset.c.used_at.is_(None))",
        ("store/test_limits.py",),
    ),
    Mutant(
        "store/outbox.py",
        ".where(outbox.c.id == posted.id, outbox.c.tries == posted.tries)",
        ".where(outbox.c.id == posted.id)",
        ("store/test_outbox.py",),
    ),
    Mutant(
        "store/inbox.py",
        "deleted = self._connection.execute(inbox.delete().where(inbox.c.received_at < before))",
        "deleted = self._connection.execute(inbox.delete())",
        ("store/test_mailbox.py",),
    ),
    # The board in the terminal
    Mutant(
        "board/play_session.py",
        'return self.asked(f"Play {move.text} as move {number}?", wish)',
        "return replace(self, wish=wish)",
        ("board/test_keys.py",),
    ),
    Mutant(
        "board/keys.py",
        "return replace(session, ply=None)",
        "return session.place()",
        ("board/test_keys.py",),
    ),
    Mutant(
        "board/arrows.py",
        "_repair(board, found)",
        "pass",
        ("board/test_arrows.py",),
    ),
    Mutant(
        "board/screen.py",
        "return min(-(-beyond // half) * half, max(0, whole - room))",
        "return 0",
        ("board/test_screen.py",),
    ),
    # The pictures and letters
    Mutant(
        "render/text.py",
        "shared = row[column - 1].role is Role.BRACKET",
        "shared = False",
        ("render/test_text.py",),
    ),
    Mutant(
        "render/text.py",
        "page[place - 1] = BAR if page[place - 1] == CLOSING else OPENING",
        "page[place - 1] = OPENING",
        ("render/test_text.py",),
    ),
    Mutant(
        "render/score_change.py",
        "return not set(before.cells).isdisjoint(after.cells)",
        "return set(before.cells) == set(after.cells)",
        ("commands/test_change.py",),
    ),
    Mutant(
        "club/written_text.py",
        'kept = ["".join(filter(str.isprintable, line)).rstrip() for line in lines]',
        "kept = [line.rstrip() for line in lines]",
        ("render/test_comments.py",),
    ),
    # The services
    Mutant(
        "services/match_start.py",
        "elif running >= available.most_boards:",
        "elif running > available.most_boards:",
        ("commands/test_people.py",),
    ),
    Mutant(
        "services/match_start.py",
        "is_rated = is_rated and deal.game.is_even and first != second",
        "is_rated = is_rated and deal.game.is_even",
        ("commands/test_standings.py",),
    ),
    Mutant(
        "services/match_changes.py",
        "elif after.is_running and (queued or (beside.has_plans and after.ply > before.ply)):",
        "elif after.is_running and queued:",
        ("commands/test_plans.py",),
    ),
    Mutant(
        "services/match_clock.py",
        "fresh = replace(stored.clock, began_at=session.now, total_warnings={})",
        "fresh = replace(stored.clock, total_warnings={})",
        ("cli/test_mending.py", "commands/test_clocks.py"),
    ),
    Mutant(
        "services/clock_settlement.py",
        "if toucher is not None and toucher.id == late and not kinds & ACTING:",
        "if toucher is not None and toucher.id == late:",
        ("commands/test_clocks.py",),
    ),
    # The commands
    Mutant(
        "commands/words.py",
        "if option.name in seen:",
        "if option.is_flag and option.name in seen:",
        ("commands/test_grammar.py",),
    ),
    Mutant(
        "commands/words.py",
        "return [word for word in words if word != DROPPED]",
        "return list(words)",
        ("commands/test_grammar.py",),
    ),
    # The door
    Mutant(
        "desk/mail_rights.py",
        "is_lasting = _takes_old_token(call) and match.is_running",
        "is_lasting = _takes_old_token(call)",
        ("mail/test_talk.py",),
    ),
    Mutant(
        "desk/mail_rights.py",
        "raise Unconfirmed(player)",
        "return",
        ("mail/test_challenge_by_mail.py",),
    ),
    Mutant(
        "desk/more_cells.py",
        "if match.revision != mail.proof.revision:",
        "if match.revision < mail.proof.revision:",
        ("mail/test_more_cells.py",),
    ),
    Mutant(
        "desk/polite_moves.py",
        "if DOUBTFUL.search(rest):",
        "if not rest.isprintable():",
        ("mail/test_polite_moves.py",),
    ),
    Mutant(
        "desk/strangers.py",
        "return mail.is_bare and _is_page(tree, first.text.split())",
        "return _is_page(tree, first.text.split())",
        ("mail/test_strangers.py",),
    ),
    Mutant(
        "store/first_requests.py",
        "return (now // 60 - int(found)) % MINUTES >= A_WHILE",
        "return True",
        ("mail/test_newcomers.py",),
    ),
    Mutant(
        "store/quotas.py",
        "if not recipient.asks_again:",
        "if True:",
        ("mail/test_newcomers.py",),
    ),
    Mutant(
        "store/proof_queue.py",
        "if largest <= crowd(newcomer) + 1:",
        "if largest <= 1:",
        ("store/test_proof_queue.py",),
    ),
    Mutant(
        "desk/identity.py",
        "if known is None or known != player.password_hash:",
        "if known is None:",
        ("desk/test_passwords.py",),
    ),
    Mutant(
        "desk/identity.py",
        "if signer is None or signer.player.login_hash not in known:",
        "if signer is None:",
        ("desk/test_passwords.py",),
    ),
    Mutant(
        "desk/door.py",
        "if not fault.is_transient:",
        "if fault.is_transient:",
        ("desk/test_retries.py",),
    ),
    # The mail
    Mutant(
        "mail/turns.py",
        "self._last |= dict.fromkeys(names, mine)",
        "self._last.update(dict.fromkeys(names[:1], mine))",
        ("mail/test_turns.py",),
    ),
    Mutant(
        "mail/turns.py",
        "board = BOARD.search(BODY.split(content[:HEAD], maxsplit=1)[0])",
        "board = BOARD.search(content[:HEAD])",
        ("mail/test_turns.py",),
    ),
    Mutant(
        "mail/tokens.py",
        "return signed[2:] if any(matches) else None",
        "return signed[2:] if matches else None",
        ("mail/test_tokens.py",),
    ),
    Mutant(
        "mail/tokens.py",
        "return raw if _format(raw) == text.lower() else None",
        "return raw",
        ("mail/test_tokens.py",),
    ),
    Mutant(
        "mail/loop_guard.py",
        'return any(kind.lower() != "no" for kind in kinds)',
        "return any(kinds)",
        ("mail/test_loop_guard.py",),
    ),
    Mutant(
        "mail/inbound.py",
        "if len(subjects) > 1:",
        "if len(subjects) > 2:",
        ("mail/test_inbound.py",),
    ),
    Mutant(
        "mail/sender.py",
        "if len(from_values) != 1:",
        "if not from_values:",
        ("mail/test_sender.py",),
    ),
    Mutant(
        "mail/authentication.py",
        "return domains == [domain]",
        "return domain in domains",
        ("mail/test_authentication.py",),
    ),
    Mutant(
        "mail/spool.py",
        "if tries < TRIES:",
        "if tries <= TRIES:",
        ("mail/test_spool.py",),
    ),
    Mutant(
        "render/letter_html.py",
        "if bytes_in_mail(whole) <= room:",
        "if whole:",
        ("mail/test_compose.py",),
    ),
    Mutant(
        "render/letter_picture.py",
        "look = side, cell in position.last, cell in self._corners",
        "look = side, False, cell in self._corners",
        ("render/test_letter_picture.py",),
    ),
    Mutant(
        "mail/compose.py",
        '("Auto-Submitted", "auto-replied" if letter.is_answer else "auto-generated"),',
        '("Auto-Submitted", "auto-generated"),',
        ("mail/test_compose.py",),
    ),
    # The shell
    Mutant(
        "cli/batch.py",
        'if line.strip() and not line.lstrip().startswith("#"):',
        "if line.strip():",
        ("cli/test_batch.py",),
    ),
    Mutant(
        "cli/check_parts.py",
        "if stored.clock.player_id != seat.player_id:",
        "if stored.clock.player_id == 0:",
        ("cli/test_check.py",),
    ),
    Mutant(
        "settings.py",
        "if not (text.isascii() and text.isdigit() and len(text) < 9"
        " and low <= int(text) <= high):",
        "if not (text.isascii() and text.isdigit() and len(text) < 9 and low <= int(text)):",
        ("test_settings.py",),
    ),
    Mutant(
        "store/matches.py",
        "if before.status is not after.status:",
        "if before.status is None:",
        ("store/test_kept_counts.py",),
    ),
    Mutant(
        "store/kept_counts.py",
        "for board, sign in ((before, -1), (after, 1)):",
        "for board, sign in ((before, 0), (after, 1)):",
        ("store/test_kept_counts.py",),
    ),
    Mutant(
        "store/matches.py",
        'return True, "", -line.changed_at, -line.id',
        'return True, "", -line.changed_at, line.id',
        ("store/test_summaries.py",),
    ),
    Mutant(
        "cli/check_parts.py",
        'columns += ["move.ply"] if last_ply != match.ply else []',
        "columns += []",
        ("cli/test_admin.py",),
    ),
    # What a process that lives on remembers
    Mutant(
        "store/store.py",
        "if self._idle:",
        "if not self._idle:",
        ("store/test_matches.py",),
    ),
    Mutant(
        "club/clock.py",
        "spendings.append(limits.total - GRACE - clock.used.get(clock.player_id, 0))",
        "spendings.append(limits.total - GRACE)",
        ("club/test_clock.py",),
    ),
    Mutant(
        "cli/batch.py",
        'ahead = LINES_AHEAD if file != "-" and Path(file).is_file() else 1',
        'ahead = LINES_AHEAD if file != "-" else 1',
        ("cli/test_batch.py",),
    ),
    Mutant(
        "store/match_rows.py",
        "if known is None or known.spec != row.spec or not history.startswith(known.history):",
        "if known is None or known.spec != row.spec:",
        ("commands/test_play.py",),
    ),
    Mutant(
        "desk/door.py",
        "is_first = errand.is_alone and not settled",
        "is_first = errand.is_alone",
        ("commands/test_clocks.py", "commands/test_deadlines.py"),
    ),
    Mutant(
        "desk/door.py",
        "if is_paused is not None and not call.verb.entry.for_operators:",
        "if is_paused is not None and call.verb.entry.for_operators:",
        ("commands/test_maintenance.py",),
    ),
    Mutant(
        "cli/thin_client.py",
        "if peer_of(link)[0] != os.getuid():",
        "if peer_of(link)[0] < 0:",
        ("cli/test_thin_client.py",),
    ),
    # The board and the pages
    Mutant(
        "board/arrows.py",
        "return best[0] if board.points[start].line % 2 else best[-1]",
        "return best[0]",
        ("board/test_arrows.py", "board/test_keys.py"),
    ),
    Mutant(
        "site/build.py",
        "self._take_up()",
        "pass",
        ("site/test_build.py",),
    ),
    Mutant(
        "site/pages.py",
        "if pages[-1] and size > room:",
        "if pages[-1] and size > A_PAGE:",
        ("site/test_sizes.py",),
    ),
    Mutant(
        "board/keys.py",
        "return after if is_same else replace(after, advice=())",
        "return after",
        ("board/test_keys.py",),
    ),
    Mutant(
        "cli/conversation.py",
        "wish = wish if self._agrees(question.text) else None",
        "pass",
        ("cli/test_play_in_lines.py",),
    ),
    Mutant(
        "site/replay.py",
        "return [] if before.stones == after.stones else sorted(after.last)",
        "return sorted(after.last)",
        ("site/test_replay.py",),
    ),
    Mutant(
        "engine/games/star.py",
        "return chains_of(self.size, self.corners, position.alone(side))",
        "return chains_of(self.size, 3, position.alone(side))",
        ("engine/test_naive.py",),
    ),
    Mutant(
        "site/feeds.py",
        "turns = list(enumerate(match.turns, 1))[: -MOST_ENTRIES - 1 : -1]",
        "turns = list(enumerate(match.turns, 1))[:-MOST_ENTRIES]",
        ("site/test_feeds.py", "site/test_build.py"),
    ),
)
