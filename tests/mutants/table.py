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
        "engine/games/star.py",
        "(point, tuple(cells)) for point, cells in touching.items() if corners == 3"
        " or len(cells) > 1",
        "(point, tuple(cells)) for point, cells in touching.items()",
        ("engine/test_star.py",),
    ),
    Mutant(
        "engine/game.py",
        "if due > 1 and len(set(move.cells)) != len(move.cells):",
        "if due > 1 and not move.cells:",
        ("engine/test_starstar.py",),
    ),
    Mutant(
        "engine/record.py",
        "return {Side.X: self.second, Side.O: self.first}",
        "return {Side.X: self.first, Side.O: self.second}",
        ("commands/test_records.py",),
    ),
    Mutant(
        "club/play.py",
        "if then is None or not then.is_certain:",
        "if then is not None:",
        ("commands/test_settled.py",),
    ),
    Mutant(
        "engine/record_text.py",
        "if int(number) != len(moves) + 1:",
        "if int(number) > len(moves) + 1:",
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
        "self.total[self.chain[cell]] -= self.shares[at + 2]",
        "self.total[self.chain[cell]] += self.shares[at + 2]",
        ("computer/test_search.py",),
    ),
    Mutant(
        "computer/kernel.py",
        "self._append(cell, scale * self.factor[cell])",
        "self._append(cell, scale * self.factor[number])",
        ("computer/test_patterns.py",),
    ),
    Mutant(
        "computer/links.py",
        "self._add_cell(1, self.middle)",
        "self._add_cell(1, -1)",
        ("computer/test_links.py",),
    ),
    Mutant(
        "computer/links.py",
        "if self._is_within(number, 0):",
        "if not self._is_within(number, 0):",
        ("computer/test_links.py",),
    ),
    Mutant(
        "computer/search.py",
        "if thread_time() - start >= self.seconds or (self.watch and self.watch(self)):",
        "if thread_time() - start >= 2 * self.seconds + 4:",
        ("computer/test_search.py",),
    ),
    Mutant(
        "computer/levels.py",
        "return Choice(SWAP, analysis) if analysis.chance < 0.5 else None",
        "return Choice(SWAP, analysis) if analysis.chance > 0.5 else None",
        ("computer/test_levels.py",),
    ),
    Mutant(
        "computer/link_prover.py",
        "self.link_of[self.candidate_cells[more]] = self.count",
        "self.link_of[self.candidate_cells[at]] = self.count",
        ("computer/test_link_prover.py",),
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
        "club/match.py",
        "if positions[-1].digest() != turn.digest:",
        "if not turn.digest:",
        ("operators/test_admin.py",),
    ),
    Mutant(
        "engine/record.py",
        "return ply > 1 and self.moves[1].is_swap",
        "return self.ply > 1 and self.moves[1].is_swap",
        ("club/test_play.py",),
    ),
    Mutant(
        "engine/record.py",
        "return self.seats_after(number - 1)[self.positions[number - 1].to_move]",
        "return self.seats[self.positions[number - 1].to_move]",
        ("operators/test_admin.py",),
    ),
    Mutant(
        "render/view.py",
        "is_own = self.mine and not self.acceptance",
        "is_own = False",
        ("board/test_ends_and_lines.py",),
    ),
    Mutant(
        "club/play.py",
        "if not 0 < count <= most:",
        "if not 0 < count <= match.ply:",
        ("desk/test_votes.py",),
    ),
    Mutant(
        "desk/local_game.py",
        "if self.record.second == _name(level):",
        "if self.record.first == _name(level):",
        ("cli/test_play.py", "board/test_app.py"),
    ),
    Mutant(
        "club/match.py",
        "if not 0 <= count <= made:",
        "if not -1 <= count <= made:",
        ("commands/test_look.py",),
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
        "daemon/resident.py",
        "return math.inf if seconds is None else seconds - max(silent, 0.0)",
        "return math.inf if seconds is None else seconds - silent",
        ("daemon/test_keeper.py",),
    ),
    Mutant(
        "daemon/resident.py",
        "silent = time.monotonic() - max(began, *moments)",
        "silent = time.monotonic() - began",
        ("daemon/test_keeper.py",),
    ),
    Mutant(
        "mail/listener.py",
        "async with self._turns.of(conflict_keys(content, envelope, self._own.address)):",
        "async with self._turns.of(()):",
        ("mail/test_listener.py",),
    ),
    Mutant(
        "store/connection.py",
        'connection.exec_driver_sql(f"PRAGMA query_only = {int(mode is Mode.READ)}")',
        'connection.exec_driver_sql("PRAGMA query_only = 0")',
        ("store/test_faults.py", "store/test_schema.py", "store/test_matches.py"),
    ),
    Mutant(
        "store/matches/matches.py",
        "if self._connection.execute(CHANGE, row).rowcount != 1:",
        "if self._connection.execute(CHANGE, row).rowcount > 1:",
        ("store/test_matches.py",),
    ),
    Mutant(
        "store/matches/matches.py",
        "changed = {name: value for name, value in values.items() if value != stored[name]}",
        "changed = {name: value for name, value in values.items() if name in stored}",
        ("store/test_indices.py",),
    ),
    Mutant(
        "store/mail/budgets.py",
        '"OR (budget.letters < :most AND budget.bytes + :size <= :max_bytes) RETURNING letters"',
        '"OR (budget.letters <= :most AND budget.bytes + :size <= :max_bytes) RETURNING letters"',
        ("store/test_budgets.py",),
    ),
    Mutant(
        "store/people/guesses.py",
        "return is_theirs, reset.c.token_hash == _hash(token), is_unused, reset.c.expires_at > now",
        "return is_theirs, reset.c.token_hash == _hash(token), is_unused",
        ("store/test_budgets.py",),
    ),
    # The board in the terminal
    Mutant(
        "board/play_session.py",
        'return self.ask(f"Play {move.text} as move {number}?", intent)',
        "return replace(self, intent=intent)",
        ("board/test_keys.py",),
    ),
    Mutant(
        "board/actions.py",
        "return replace(session, ply=None)",
        "return session.place()",
        ("board/test_keys.py",),
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
        "render/score_lines.py",
        "return not set(before.cells).isdisjoint(after.cells)",
        "return set(before.cells) == set(after.cells)",
        ("commands/test_change.py",),
    ),
    Mutant(
        "club/written_text.py",
        'kept = [re.sub(f"{CONTROL}|[{UNSEEN}]", "", line) for line in lines]',
        "kept = lines",
        ("render/test_comments.py",),
    ),
    # The commands
    Mutant(
        "commands/words.py",
        "if option.name in options:",
        "if option.is_flag and option.name in options:",
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
        "desk/mail_desk.py",
        "raise Unconfirmed(players[row.player_id])",
        "return",
        ("mail/test_challenge_by_mail.py",),
    ),
    Mutant(
        "desk/mail_desk.py",
        "if waited > MAIL_PATIENCE:",
        "if waited > 2 * MAIL_PATIENCE:",
        ("mail/test_budgets_by_mail.py",),
    ),
    Mutant(
        "desk/mail_desk.py",
        "if case.mail.proof is None or match.revision != case.mail.proof.revision:",
        "if case.mail.proof is None or match.revision < case.mail.proof.revision:",
        ("mail/test_more_cells.py",),
    ),
    Mutant(
        "desk/polite_moves.py",
        "if DOUBTFUL.search(rest):",
        "if not rest.isprintable():",
        ("mail/test_polite_moves.py",),
    ),
    Mutant(
        "store/mail/proof_queue.py",
        "if largest <= crowd(newcomer) + 1:",
        "if largest <= 1:",
        ("store/test_proof_queue.py",),
    ),
    # The mail
    Mutant(
        "mail/listener.py",
        "self._last |= dict.fromkeys(names, mine)",
        "self._last.update(dict.fromkeys(names[:1], mine))",
        ("mail/test_turns.py",),
    ),
    Mutant(
        "mail/listener.py",
        "board = BOARD.search(BODY.split(content[:HEAD], maxsplit=1)[0])",
        "board = BOARD.search(content[:HEAD])",
        ("mail/test_turns.py",),
    ),
    Mutant(
        "mail/loop_guard.py",
        'return any(kind.lower() != "no" for kind in kinds)',
        "return any(kinds)",
        ("mail/test_loop_guard.py",),
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
        "render/letter_html.py",
        "if bytes_in_mail(full) <= room:",
        "if full:",
        ("mail/test_compose.py",),
    ),
    Mutant(
        "render/svg.py",
        "if spot.is_last and cell not in picture.marks:",
        "if cell not in picture.marks and spot.stone:",
        ("render/test_svg.py",),
    ),
    Mutant(
        "render/geometry.py",
        "if before <= 0:",
        "if before >= 0:",
        ("render/test_svg.py",),
    ),
    # The shell
    Mutant(
        "operators/check_parts.py",
        "if stored.clock.player_id != seat.player_id:",
        "if stored.clock.player_id == 0:",
        ("operators/test_check.py",),
    ),
    Mutant(
        "settings.py",
        "return int(text) if is_number and low <= int(text) <= high else None",
        "return int(text) if is_number and low <= int(text) else None",
        ("test_settings.py",),
    ),
    # What a process that lives on remembers
    Mutant(
        "store/store.py",
        "if self._idle:",
        "if not self._idle:",
        ("store/test_matches.py",),
    ),
    Mutant(
        "daemon/thin_client.py",
        "if peer_of(link)[0] != os.getuid():",
        "if peer_of(link)[0] < 0:",
        ("daemon/test_thin_client.py",),
    ),
    # The board and the pages
    Mutant(
        "site/pages.py",
        "if pages[-1] and size > room:",
        "if pages[-1] and size > A_PAGE:",
        ("site/test_sizes.py",),
    ),
    Mutant(
        "engine/games/star.py",
        "return chains_of(self.size, self.corners, position.stone_mask(side))",
        "return chains_of(self.size, 3, position.stone_mask(side))",
        ("engine/test_naive.py",),
    ),
    Mutant(
        "site/pages.py",
        "turns = list(enumerate(match.turns, 1))[: -MAX_ENTRIES - 1 : -1]",
        "turns = list(enumerate(match.turns, 1))[:-MAX_ENTRIES]",
        ("site/test_feeds.py", "site/test_freeze.py"),
    ),
    Mutant(
        "web/public.py",
        'regex = f"(?!0){NUMBER.pattern}"',
        'regex = "[0-9]+"',
        ("site/test_public.py",),
    ),
    Mutant(
        "web/freeze.py",
        'GROUND = re.compile(r"grounds/[\\w(),=+-]{1,100}\\.svg", re.ASCII)',
        "GROUND = re.compile('grounds/[^\"#]+')",
        ("site/test_freeze.py",),
    ),
    Mutant(
        "web/freeze.py",
        "self.players |= stamp.player_ids",
        "self.players |= {max(stamp.player_ids)}",
        ("site/test_freeze.py",),
    ),
    Mutant(
        "web/freeze.py",
        "if self.is_whole or last > first:",
        "if self.is_whole or last[0] > first[0]:",
        ("site/test_freeze.py",),
    ),
    Mutant(
        "store/matches/published.py",
        'match.c.status != "removed",',
        'match.c.status != "",',
        ("site/test_public.py",),
    ),
    # The door, the grammar and letters, each in one place
    Mutant(
        "desk/door.py",
        "return anonymous",
        "return partial(self._sign_as_me, request, call)",
        ("desk/test_order.py",),
    ),
    Mutant(
        "desk/mail_desk.py",
        "line.outcome = line.refusal = refusal = error",
        "line.outcome = line.refusal = error",
        ("mail/test_transcript.py", "mail/test_abuse.py", "desk/test_words.py"),
    ),
    Mutant(
        "commands/slots.py",
        "is_optional = number < len(way) and way[number].is_optional",
        "is_optional = number < len(way) and False",
        ("cli/test_completion.py",),
    ),
    Mutant(
        "commands/guess.py",
        "return other if is_sure and not line.tree.has(SHELL_ONLY) else None",
        "return other if False and is_sure else None",
        ("cli/test_gate.py",),
    ),
    Mutant(
        "commands/help.py",
        "titles = {*words} & {*topic_names()} - {*game_names()}",
        "titles = {*words} & set()",
        ("commands/test_help_pages.py", "commands/test_wrong_inputs.py", "test_manual.py"),
    ),
    Mutant(
        "render/board_letters.py",
        "if line.startswith(MARK):",
        "if not line:",
        ("render/test_letters.py",),
    ),
    Mutant(
        "render/letter_html.py",
        "if is_quoted:",
        "if not is_quoted:",
        ("mail/test_compose.py", "render/test_escaping.py"),
    ),
)
