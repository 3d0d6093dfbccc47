"""What a small club is told, command by command, kept as files in ``told/``.

Below each line stands its answer in words, and behind ``=`` its document where that is short and
the first of its shape for the verb. A paragraph that is the same as the last one that began with
the same line is only that line, behind ``...``; a page of the manual is the name of its file. With
``PBMSERV_TEST_WRITE=1`` these tests write the files anew: read what has changed.
"""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby
from pathlib import Path
from textwrap import fill
from typing import Any

import pytest

from pbmserv.cli.shell_commands import SHELL, shell_families
from pbmserv.club.letter import Letter, LetterKind
from pbmserv.club.written_text import parse_page
from pbmserv.commands.command_table import ALL, CHANGE, GAME, SERVER, TOURNAMENT, root
from pbmserv.commands.help_files import read_page, topic_names
from pbmserv.commands.parse import resolve
from pbmserv.commands.words import split_line
from pbmserv.engine.moments import HOUR
from pbmserv.errors import PbmservError, quoted
from pbmserv.render.blocks import plain_text
from pbmserv.render.board_letters import letter_text
from pbmserv.store.tables import outbox
from tests.databases import copy_template
from tests.local_server import DAY, NOW, LocalServer, text_of

TOLD = Path(__file__).parent / "told"
WRITES = bool(os.environ.get("PBMSERV_TEST_WRITE"))
LONGEST_DOCUMENT = 700
A_DAY_LATER = "(a day later)"
A_CHAPTER = 3 * HOUR
LETTERS = "letters"
AUDIT = "audit"

Told = dict[str, str]

CHAPTERS = {
    "accounts": """
        signup alice secret-alice alice@example.org
        signup bob secret-bob
        signup carol secret-carol carol@example.org carol@example.net
        signup dave secret-dave
        signup robert secret-robert
        signup ALICE secret-alice
        signup eve short
        signup all secret-all
        add bob secret-bob bob@example.org BOB@example.org
        add bob wrong-secret bob@example.com
        change password dave secret-dave secret-david
        change address carol secret-carol carol@example.com
        admin robot add robot1 -level=1
        admin robot add robot7 -level=14 -games=y,star -rated=yes
        admin robot add ada -program -games=hex
        admin robot list
        admin robot show robot7
        admin robot change robot7 -level=12 -rated=no
        players
        players A
        account bob secret-bob
    """,
    "challenges": """
        star seek alice secret-alice 2 -size=3 -nagtime=2
        y seek carol secret-carol 1 -size=7 -totaltime=90
        hex limit dave secret-david 0
        star notify bob secret-bob 101
        star reject carol secret-carol
        star accept carol secret-carol
        star limit carol secret-carol 3
        star limit carol secret-carol none
        star reject dave secret-david
        list
        star challenge -size=3 alice bob
        star challenge -size=3 -rated -nagtime=2 -totaltime=60 bob alice
        star challenge -size=3 carol dave
        star challenge -size=3 alice carol
        hex challenge -size=4 bob carol
        hex challenge -size=4 bob dave
        starstar challenge -size=4 -komi=2 carol alice
        star seek alice secret-alice 0
        y seek carol secret-carol 1 -size=7 -totaltime=90
    """,
    "moves": """
        star move 101 alice secret-alice C1 -comment="First!"
        star move 101 bob secret-bob swap
        star swap 101 alice secret-alice
        star move 101 alice secret-alice C2
        star move 101 alice secret-alice C3
        star move 101 bob secret-bob undo
        star move 101 alice secret-alice reject
        star move 101 alice secret-alice propose
        star move 101 bob secret-bob D1
        star queue 101 bob secret-bob B3
        star queue 101 alice secret-alice D1:B3/any:D2
        star showas bob secret-bob 101
        star showas bob secret-bob next
        star show 101
        star show 101#2
        star show alice
        star replay 101
        star replay 101 2
        star replay 101 2 C3 D1
        star show nobody
        star show bobb
        star games resign
        star challenge alice robrt
        star standings secret-alice
        star score 101
        star preview 101 B3
        star preview new -size=3 C1 C2
        star submit 102 bob secret-bob C3
        star showas bob secret-bob 102
        star confirm 102 bob secret-bob
        star confirm 102 bob secret-bob
        (a day later)
        hex move 101 bob secret-bob B2
        hex move 101 carol secret-carol A3
        star queue 101 bob secret-bob none
        star queue 101 bob secret-bob none
        vacation bob secret-bob 3
        vacation bob secret-bob off
    """,
    "ends": """
        star move 102 alice secret-alice C2
        star move 102 bob secret-bob pass
        star move 102 alice secret-alice pass
        (a day later)
        star move 103 carol secret-carol resign
        star resign 103 alice secret-alice
        hex move 101 carol secret-carol resign
        hex resign 101 carol secret-carol
        star rematch 102 bob secret-bob
        star history
        star history bob -limit=1
        star standings
        star standings bob
        star standings -history=bob
        hex standings
        y standings
        star standings -limit=1
        star games
        star games all bob
        star games next alice
        all show alice
        all show alice next
        list
        list hex
        calendar alice secret-alice
        star export 102
        export carol secret-carol
        stats
        stats star
        stats bob
        stats carol
        stats hex
        star stats
    """,
    "talk": """
        star subscribe 101 carol secret-carol
        star subscribe 103 carol secret-carol
        star chat 101 carol secret-carol -text="A fine game."
        star chat 101 alice secret-alice thanks a lot
        star chat 101 dave secret-david -text=hm
        star chat 101 bob secret-bob -text=
        message alice secret-alice bob carol -text="Hello, both."
        message alice secret-alice bob: hi
        message alice secret-alice bob -text="A long text.{long}"
        message alice secret-alice robot1 -text=hi
        message alice secret-alice alice -text=hi
        block carol secret-carol alice
        message alice secret-alice carol -text=hi
        unblock carol secret-carol alice
        unblock carol secret-carol alice
        messages bob secret-bob
        messages carol secret-carol
        broadcast bob secret-bob off
        broadcast alice secret-alice -text="News of the club."
        broadcast bob secret-bob on
        digest carol secret-carol on
        digest carol secret-carol off
        private carol secret-carol on
        private carol secret-carol off
        star notify alice secret-alice 101
        star notify alice secret-alice all
        star notify alice secret-alice off
        star unsubscribe carol secret-carol 101
        star unsubscribe carol secret-carol 101
        news bob secret-bob
        news bob secret-bob
        account alice secret-alice
    """,
    "tournaments": """
        tournament list
        tournament create carol secret-carol star "Winter Cup" -size=3 -nagtime=2
        tournament create alice secret-alice hex "Swiss" -size=4 -kind=swiss -rounds=2
        tournament create alice secret-alice hex "" -size=4
        tournament join 1 alice secret-alice
        tournament join "winter cup" bob secret-bob
        tournament join 1 carol secret-carol
        tournament join 1 carol secret-carol
        tournament leave 1 bob secret-bob
        tournament leave 1 bob secret-bob
        tournament join 1 bob secret-bob
        tournament show 1
        tournament start 1 alice secret-alice
        tournament start 1 carol secret-carol
        tournament show 1
        tournament standings 1
        star resign 105 bob secret-bob
        star move 106 alice secret-alice C1
        tournament show 1
        tournament leave 1 alice secret-alice
        tournament show "Winter Cup"
        tournament cancel 2 alice secret-alice
        tournament show 2
        tournament join 2 bob secret-bob
        tournament list
        tournament show 3
    """,
    "agreement": """
        star challenge -size=3 bob carol -unrated
        star move 108 bob secret-bob C1#1
        star move 108 carol secret-carol C2#3
        star move 108 carol secret-carol "c 2"
        star queue 108 carol secret-carol B3:D3/any:D2
        star queue 108 carol secret-carol pass
        star move 108 bob secret-bob B3 -comment="Well?"
        star move 108 bob secret-bob propose 5-4
        star showas carol secret-carol next
        star move 108 carol secret-carol accept
        star move 108 carol secret-carol accept 6-3
        star move 108 carol secret-carol accept 5-4
        star show 108
        star export 108
        star import alice secret-alice
        star import carol secret-carol
        star show 109
        admin import-games star
        vacation alice secret-alice 3
        star show 104
        star score 109
        starstar score 101
        star preview 104 C3 -- undo
    """,
    "operators": """
        admin games
        admin games -status=won -player=bob
        admin games -status=drawn
        admin games -status=lost
        admin games -game=star -limit=2 -csv
        admin show star 102
        admin moves star 102
        admin players
        admin players -status=active -csv -limit=2
        admin player carol
        admin audit -limit=5
        admin audit -player=carol -limit=4 -offset=1
        admin chat star 101
        admin outbox -limit=9
        admin inbox
        admin suspend dave
        admin suspend dave
        admin resume dave
        admin announce -text="The club moves on Monday."
        admin maintenance on
        star move 101 alice secret-alice D3
        admin maintenance off
        admin remark remove 1
        admin undo star 102
        admin show star 102
        admin remove hex 101
        admin rename dave david
        admin merge robert bob
        admin reset-password carol other-secret
        admin close carol
        admin reopen carol
        hex challenge -size=4 bob ada
        admin robot show ada
        admin robot list
        admin robot remove robot7
        admin robot remove robot7
        admin rate
        admin forget -audit=30
        admin forget -audit=29
        admin maintenance on
        admin maintenance on
        admin maintenance
        admin maintenance off
        admin maintenance off
        admin announce -text=
        admin robot change ada -level=2
        admin robot change ada -program -games=Star,hex,star
        admin robot add both -level=3 -program
        admin robot add both -rated=maybe
        admin robot show bob
        admin reset-password ada other-secret
        admin merge ada bob
        admin reopen robot7
        admin reopen bob
        admin close david
        admin players -status=closed
        admin players -player=robot7
        admin player robot1
        admin player david
        admin player bob
        admin remark remove 99
        admin outbox -limit=2 -csv
        mail outbox drop 999
        admin outbox -status=WAITING -limit=1
        reset alice
        signoff alice secret-alice
    """,
    "help": """
        help
        help move
        -h
        tournament -h
        star -h
        star move -h
        help nonsense
        help rating
        star help move
        star nonsense
        nonsense
    """,
}


@cache
def pages() -> dict[str, str]:
    """Return the name of each page of the manual by what is printed of it."""
    return {plain_text(parse_page(read_page(topic))): topic for topic in topic_names()}


def shape_of(value: Any) -> str:
    """Return keys and kinds of a document, with what is true and false; those of a list once."""
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{key}:{shape_of(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(sorted(set(map(shape_of, value)))) + "]"
    return str(value) if isinstance(value, bool) else type(value).__name__


@dataclass
class Teller:
    """What was written so far, so that nothing is written twice."""

    begun: dict[str, str] = field(default_factory=dict)
    shapes: set[tuple[str, str]] = field(default_factory=set)

    def words(self, text: str) -> str:
        """Return a text with no paragraph that is known from its first line."""
        if text in pages():
            return f"(help/{pages()[text]}.txt)"
        told = ""
        for is_known, run in groupby(text.rstrip().split("\n\n"), key=self._is_known):
            parts = list(run)
            heads = [part.split("\n", 1)[0].strip() for part in parts]
            known = fill("... " + " ... ".join(heads), 100)
            told += f"\n{known}" if is_known else "\n" + "\n\n".join(parts)
        return told.strip("\n")

    def document(self, verb: str, document: Any) -> str:
        """Return a document on a line of its own, or nothing where it is long or known."""
        text = json.dumps(document, separators=(",", ":"), default=str)
        shape = (verb, shape_of(document))
        if len(text) > LONGEST_DOCUMENT or shape in self.shapes:
            return ""
        self.shapes.add(shape)
        return f"\n= {text}"

    def _is_known(self, part: str) -> bool:
        head = part.split("\n", 1)[0]
        is_known = self.begun.get(head) == part
        self.begun[head] = part
        return is_known


def answered(local: LocalServer, line: str, known: dict[str, str], teller: Teller) -> str:
    """Return the answer to a line; a record that is printed is there to be imported."""
    try:
        answer = local.do(line, known.get("record", ""))
    except PbmservError as error:
        return f"! {error.code}: {quoted(error)} {error.advice}".rstrip()
    if "record" in answer.document:
        known["record"] = answer.document["record"]
    verb = resolve(local.desk.tree, split_line(line))[1].command_path
    return teller.words(text_of(answer)) + teller.document(verb, answer.document)


@pytest.fixture(scope="module")
def told(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    """What was answered, chapter by chapter."""
    local = LocalServer(copy_template(sqlite_template, tmp_path_factory.mktemp("told")))
    local.desk.tree = root(SHELL, shell_families())
    local.desk.writes_letters = lambda: True
    found: Told = {}
    known: dict[str, str] = {}
    teller = Teller()
    for name, lines in CHAPTERS.items():
        # A line more in a chapter changes no moment in those behind it.
        local.clock.seconds += A_CHAPTER - (local.clock.seconds - NOW) % A_CHAPTER
        text = ""
        for line in lines.replace("{long}", " It goes on." * 30).strip().split("\n"):
            local.clock.seconds += DAY if line.strip() == A_DAY_LATER else 60
            text += f"$ {line.strip()}\n"
            if line.strip() != A_DAY_LATER:
                text += f"{answered(local, line.strip(), known, teller)}\n"
        found[name] = "\n".join(part.rstrip() for part in text.split("\n"))
    found[LETTERS] = "\n".join(letters(local, Teller()))
    found[AUDIT] = "\n".join(noted(local))
    yield found
    local.desk.close()


def letters(local: LocalServer, teller: Teller) -> Iterator[str]:
    """Yield all that was written to players, without pictures, but the letter with a token.

    They are read as they were posted: of those that wait, only some would leave.
    """
    with local.desk.store.reading() as records:
        rows = records.connection.execute(outbox.select().order_by(outbox.c.id)).all()
    for row in rows:
        letter = Letter(LetterKind(row.kind), row.address, row.subject, row.lead, row.tail)
        if letter.kind is not LetterKind.RESET:
            lines = (line.rstrip() for line in letter_text(letter).split("\n"))
            words = teller.words("\n".join(lines))
            yield f"$ {letter.kind.value} to {letter.address}: {letter.subject}\n{words}"


def noted(local: LocalServer) -> Iterator[str]:
    """Yield what the operator finds noted of each line: by whom, at which board, and what of it."""
    with local.desk.store.reading() as records:
        entries = records.lists.audit().rows
    for each in reversed(entries):
        board = f"{each.game} {each.number}" if each.number else "-"
        yield f"{each.verb}: {each.outcome}, {each.userid or '-'}, {board}: {each.detail}".rstrip(
            " :"
        )


def test_every_chapter_is_told_as_it_is_kept(told: Told) -> None:
    for chapter, found in told.items():
        if chapter == AUDIT:
            continue
        kept = TOLD / f"{chapter}.txt"
        if WRITES:
            kept.write_text(found, encoding="utf-8")

        assert found == kept.read_text(encoding="utf-8"), chapter


def test_no_password_is_told(told: Told) -> None:
    answers = [
        line for text in told.values() for line in text.split("\n") if not line.startswith("$ ")
    ]

    assert [] == [line for line in answers if "secret-" in line]


NOTED = """
signup: done, -, -: alice; signup: done, -, -: bob; signup: done, -, -: carol; signup: done, -, -:
dave; signup: done, -, -: robert; signup: userid-taken, -, -; signup: userid-reserved, -, -; add:
done, bob, -: 1 addresses; add: wrong-login, -, -; change password: done, david, -; change
address: done, carol, -: 1 addresses; admin robot add: done, -, -: robot1; admin robot add: done,
-, -: robot7; admin robot add: done, -, -: ada; admin robot change: done, -, -: robot7; seek:
done, alice, -: 2; seek: done, carol, -: 1; limit: done, david, -: 0; notify: no-such-board, bob,
-; reject: done, carol, -: none; accept: done, carol, -: none; limit: done, carol, -: 3; limit:
done, carol, -: none; reject: done, david, -: none; challenge: done, -, star 101: alice bob;
challenge: done, -, star 102: bob alice; challenge: challenge-refused, -, -; challenge: done, -,
star 103: alice carol; challenge: done, -, hex 101: bob carol; challenge: challenge-refused, -, -;
challenge: done, -, starstar 101: carol alice; seek: done, alice, -: none; seek: done, carol, -:
1; move: done, alice, star 101: C1; move: done, bob, star 101: swap; swap: swap-not-allowed,
alice, star 101; move: done, alice, star 101: C2; move: not-your-turn, alice, star 101; undo:
done, bob, star 101: bob asks to undo the swap and alice's C2; reject: done, alice, star 101: the
undo; propose: done, alice, star 101: alice offers a draw; move: done, bob, star 101: D1; queue:
done, bob, star 101; queue: invalid-move, alice, star 101; challenge: no-such-player, -, -;
submit: done, bob, star 102; confirm: done, bob, star 102: C3; confirm: nothing-submitted, bob,
star 102; move: done, bob, hex 101: B2; move: done, carol, hex 101: A3; queue: done, bob, star
101; queue: done, bob, star 101; vacation: done, bob, -: 3 days; vacation: done, bob, -: off;
move: done, alice, star 102: C2; move: done, bob, star 102: pass; move: done, alice, star 102:
pass; resign: done, carol, star 103; resign: game-over, alice, star 103; resign: done, carol, hex
101; resign: game-over, carol, hex 101; rematch: done, bob, star 104: alice bob; subscribe: done,
carol, star 101; subscribe: done, carol, star 103; chat: done, carol, star 101; chat: done, alice,
star 101; chat: not-your-board, david, star 101; message: done, alice, -: 2 players; message:
done, alice, -: 1 players; message: done, alice, -: 1 players; message: robot, alice, -; message:
done, alice, -: 1 players; block: done, carol, -: alice; message: blocked, alice, -; unblock:
done, carol, -: alice; unblock: not-blocked, carol, -; broadcast: done, bob, -: off; broadcast:
done, alice, -: 6 players; broadcast: done, bob, -: on; digest: done, carol, -: on; digest: done,
carol, -: off; private: done, carol, -: on; private: done, carol, -: off; notify: done, alice, -:
1 words; notify: done, alice, -: 1 words; notify: done, alice, -: 1 words; unsubscribe: done,
carol, star 101; unsubscribe: done, carol, star 101; tournament create: done, carol, -: 1;
tournament create: done, alice, -: 2; tournament join: done, alice, -: 1; tournament join: done,
bob, -: 1; tournament join: done, carol, -: 1; join: already-entered, carol, -; tournament leave:
done, bob, -: 1 bob; leave: not-entered, bob, -; tournament join: done, bob, -: 1; start:
not-organiser, alice, -; tournament board: done, carol, star 105: 1; tournament board: done,
carol, star 106: 1; tournament board: done, carol, star 107: 1; tournament start: done, carol, -:
1; resign: done, bob, star 105; move: not-your-turn, alice, star 106; tournament leave: done,
alice, -: 1 alice; tournament cancel: done, alice, -: 2; join: tournament-over, bob, -; challenge:
done, -, star 108: bob carol; move: done, bob, star 108: C1; move: wrong-move-number, carol, star
108; move: done, carol, star 108: C2; queue: invalid-move, carol, star 108; queue: done, carol,
star 108; move: done, bob, star 108: B3; planned: done, bob, star 108: carol pass; propose: done,
bob, star 108: bob offers the result 5-4, a win for bob (X) by 1; move: result-unnamed, carol,
star 108; move: other-result, carol, star 108; accept: done, carol, star 108; import:
not-your-game, alice, -; import: done, carol, star 109; import: done, -, star 110; vacation: done,
alice, -: 3 days; admin suspend: done, -, -: dave; suspend: suspended, -, -; admin resume: done,
-, -: dave; admin announce: done, -, -: 5 players; admin maintenance: done, -, -: on; admin
maintenance: done, -, -: off; admin remark remove: done, -, -: 1 of alice; admin undo: done, -,
star 102; admin remove: done, -, hex 101; admin rename: done, -, -: dave david; admin merge: done,
-, -: robert bob; admin reset-password: done, -, -: carol; resign: done, -, star 106: signoff;
resign: done, -, starstar 101: signoff; admin close: done, -, -: carol; admin reopen: done, -, -:
carol; challenge: done, -, hex 102: bob ada; admin robot remove: done, -, -: robot7; remove:
no-such-player, -, -; admin rate: done, -, -: 0 games; admin forget: done, -, -: inbox 0, outbox
0, audit 0; admin maintenance: done, -, -: on; admin maintenance: done, -, -: off; announce:
no-text, -, -; admin robot change: done, -, -: ada; admin robot change: done, -, -: ada;
reset-password: robot, -, -; merge: robot, -, -; admin reopen: done, -, -: robot7; reopen:
not-closed, -, -; admin close: done, -, -: david; remove: no-such-remark, -, -; drop:
no-such-letter, -, -; reset asked: done, -, -: alice; resign: done, alice, star 101: signoff;
resign: done, alice, star 102: signoff; resign: done, alice, star 104: signoff; resign: done,
alice, star 107: signoff; signoff: done, alice, -
"""
"""What is noted of the lines of all chapters: verb, outcome, player, board and detail of each."""


def test_the_audit_has_what_each_line_did_by_whom_and_at_which_board(told: Told) -> None:
    assert " ".join(NOTED.split()).split("; ") == told[AUDIT].split("\n")


NOT_HERE = {"puzzle", "star settled", "star analyse", "star hint"}
"""What only a shell does, or a mail."""


def test_every_command_of_players_is_told() -> None:
    said = [line.strip() for lines in CHAPTERS.values() for line in lines.split("\n")]
    tables = {"": SERVER, "change ": CHANGE, "tournament ": TOURNAMENT, "all ": ALL, "star ": GAME}
    verbs = {f"{group}{name}" for group, table in tables.items() for name in table}
    untold = {verb for verb in verbs if not any(line.startswith(verb) for line in said)}

    assert untold == NOT_HERE
