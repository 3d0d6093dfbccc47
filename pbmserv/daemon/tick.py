"""``tick``: check the clocks; for cron, a timer, or any shell."""

from pbmserv.cli.printing import print_notice, print_result
from pbmserv.cli.shell import Shell
from pbmserv.cli.worker_context import require_own_process
from pbmserv.club.clock import ClockEventKind
from pbmserv.commands.declaration import command
from pbmserv.desk.robot_turns import play_due_turns
from pbmserv.desk.tick import seldom_words
from pbmserv.desk.tick import tick as settle_clocks
from pbmserv.errors import EXIT_DONE, EXIT_FAULT

WORDS = {
    ClockEventKind.REMINDED: ("reminders", "reminders"),
    ClockEventKind.WARNED: ("warnings", "warnings"),
    ClockEventKind.VACATION_TAKEN: ("vacation_days_taken", "vacation days taken"),
    ClockEventKind.RAN_OUT: ("games_out_of_time", "games lost on time"),
}
"""The key of each count in JSON, and its words."""


@command()
def tick(shell: Shell) -> int:
    """Check every clock that is due: reminders, warnings, vacation days, forfeits.

    Robots that think longer make their moves.

    Players who asked for one mail a day get it now if boards wait for them and they had none today.
    Run it once an hour, or at least once a day; if it is late, it says so. Running it more often
    does no harm. After more than two days without it, everybody is warned again before they can
    forfeit, once in a turn.
    """
    with shell.desk.store.reading() as records:
        if records.robots.has_due(shell.desk.world.now()):
            require_own_process()  # they may think for long
    report = settle_clocks(shell.desk)
    robots = play_due_turns(shell.desk)
    counts = {key: report.events[kind] for kind, (key, _) in WORDS.items()}
    document = {"due": report.due, **counts, "digests": report.digests, "robots": robots.moves}
    problems = [*report.problems, *robots.problems]
    said = ", ".join(f"{words}: {report.events[kind]}" for kind, (_, words) in WORDS.items())
    moves = f"\nMoves of robots: {robots.moves}." if robots.moves else ""
    told = f"Boards due: {report.due}; {said}.{moves}"
    print_result({**document, "problems": problems}, told, shell.options)
    if not shell.options.json:
        for problem in filter(None, (*problems, seldom_words(report.rest))):
            print_notice(problem)
    codes = {*report.exit_codes, *([EXIT_FAULT] if robots.problems else [])}
    return min(codes, default=EXIT_DONE)
