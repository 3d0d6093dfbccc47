"""The program of a recipe's machine: the installed one, but for pauses half as long as a game."""

import sys

from pbmserv.cli.start import pbmserv

if "serve" in sys.argv:
    from pbmserv.daemon import periodic_tasks

    periodic_tasks.PAUSE = 0.1
if "test" in sys.argv:
    from pbmserv.operators import mail_trial

    mail_trial.PAUSE = 0.1

if __name__ == "__main__":
    pbmserv()
