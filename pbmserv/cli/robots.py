"""``robots run``: the turns of the robots, beside or instead of the mail server's rounds."""

from typing import Annotated

from pbmserv.cli.mail_receive import stop_signal
from pbmserv.cli.printing import print_notice, print_result
from pbmserv.cli.shell import Shell
from pbmserv.commands.declaration import Flag, command
from pbmserv.desk.robot_turns import work
from pbmserv.errors import EXIT_DONE, EXIT_REFUSED, Paused

PAUSE = 1.0
"""Seconds between two looks at the boards that wait."""

ROUND = 60.0
"""Seconds after which a round ends, to see whether the program is to stop."""

Once = Flag("stop when no board waits any more")


@command()
def run(shell: Shell, *, once: Annotated[bool, Once] = False) -> int:
    """Make the moves of the robots that think for longer, until it is stopped.

    Several may run at once, on several machines too, and share the boards. What goes wrong is
    tried again later; exit code 1 with -once if anything did.
    """
    desk = shell.desk
    if once:
        done = work(desk)
        document = {"moves": done.moves, "problems": done.problems}
        print_result(document, f"Moves made: {done.moves}.", shell.options)
        for problem in done.problems:
            print_notice(f"pbmserv: {problem}")
        return EXIT_REFUSED if done.problems else EXIT_DONE
    _ = desk.store  # whatever is wrong with the database is told now
    stop = stop_signal()
    while not stop.is_set():
        try:
            for problem in work(desk, ROUND).problems:
                print_notice(f"pbmserv: {problem}")
        except Paused:
            pass  # maintenance ends some time
        stop.wait(PAUSE)
    return EXIT_DONE
