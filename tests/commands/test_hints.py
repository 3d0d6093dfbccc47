"""What is proposed for lines that are no commands, in a shell and by mail."""

from itertools import permutations

import pytest

from pbmserv.cli.shell_commands import SHELL, shell_families
from pbmserv.commands.command_table import root
from pbmserv.commands.grammar import Group
from pbmserv.commands.parse import parse
from pbmserv.commands.words import split_line
from pbmserv.engine.games import game_names
from pbmserv.errors import PbmservError

DOORS = ("shell", "mail")
MEANT = """\
101 F6 | star move 101 me F6 | star move 101 USERID PASSWORD F6
match 101 F6 | star move 101 me F6 | star move 101 USERID PASSWORD F6
F6 on 101 | star move 101 me F6 | star move 101 USERID PASSWORD F6
please play star 101 F6 | star move 101 me F6 | star move 101 USERID PASSWORD F6
put 101 F6 for me | star move 101 me F6 | star move 101 USERID PASSWORD F6
hex F6 | hex move BOARD me F6 | hex move BOARD USERID PASSWORD F6
hex 101 | hex show 101
101 pass | star move 101 me pass | star move 101 USERID PASSWORD pass
undo 101 | star move 101 me undo | star move 101 USERID PASSWORD undo
stra move 101 me F6 | star move 101 me F6 | star move 101 USERID PASSWORD F6
hx show 101 | hex show 101
shwo 101 | star show 101
moved 101 F6 | star move 101 me F6 | star move 101 USERID PASSWORD F6
challenged bob | star challenge me bob | star challenge
alice vs bob | star challenge alice bob | star challenge USERID1 USERID2
bob against alice hex | hex challenge bob alice | hex challenge USERID1 USERID2
challenge me bob size 7 | star challenge me bob -size=7 | star challenge
hex bob | = All commands: hex -h / If you meant a player: hex games USERID
play a game with bob | star challenge me bob | star challenge
I would like to play hex with bob | hex challenge me bob | hex challenge
start game hex bob | hex challenge me bob | hex challenge
new game bob | star challenge me bob | star challenge
rematch 101 | star rematch 101 me | star rematch
again 101 | star rematch 101 me | star rematch
how do I move | pbmserv help star move
whose turn is it 101 | star show 101
when is my turn | pbmserv all show me next | pbmserv all show USERID next
what about vacation | pbmserv help vacation
what about hint | pbmserv help star hint
-hx | pbmserv hex
-ls | pbmserv list
star -ls | star games
-y | =
what are the rules of hex | pbmserv help hex
rules y | y help
how to play | pbmserv help tutorial
how to play hex | pbmserv help hex
what is my rating | star standings me | star standings
my games | pbmserv all show me | pbmserv all show
my turn | pbmserv all show me next | pbmserv all show USERID next
why did I lose 101 | pbmserv help star resign
who won 101 | star score 101
show my boards | pbmserv all show me | pbmserv all show
show me 101 | star show 101
show me hex | hex help
show rules hex | hex help
cancel challenge 101 | pbmserv help star resign
cancel my premoves 101 | star queue 101 me none | star queue 101 USERID PASSWORD none
cancel vacation my | pbmserv vacation me off | pbmserv vacation USERID PASSWORD off
change mail | pbmserv change address
forgot password | pbmserv reset
show tournament 1 | pbmserv tournament show 1
create tournament | pbmserv tournament create
tournament 1 | pbmserv tournament show 1
tournament resign | pbmserv help tournament leave
join 1 | pbmserv tournament join 1 me | pbmserv tournament join
@bob hello | pbmserv message me bob: hello | pbmserv message
tell bob hello | pbmserv message me bob: hello | pbmserv message
say 101 hi | star chat 101 me hi | star chat
chat with bob | pbmserv message me bob | pbmserv message
mail bob | = All commands: pbmserv mail -h / If you meant a player: pbmserv message
  | = This works only on the server's own command line.
give me the rules of y | y help
could you resign 101 | star resign 101 me | star resign
dear server show 101 | star show 101
please help | pbmserv help
alice next | pbmserv all show alice next | pbmserv all show USERID next
star alice next | pbmserv all show alice next | pbmserv all show USERID next
star my games | star games me | star games
star rulez | star help
star 101 F6 G7 | star move 101 me F6 | star move 101 USERID PASSWORD G7
star premove 101 F6 | star queue 101 me F6 | star queue
star takeback 101 | star move 101 me undo | star move 101 USERID PASSWORD undo
star giveup 101 | pbmserv help star resign
star print 101 | star show 101
star who | pbmserv players
export 101 | star export 101
watch 101 | star subscribe 101 me | star subscribe
who is bob | pbmserv stats bob | pbmserv stats USERID
sign in bob | pbmserv login bob | pbmserv help signin
unregister | pbmserv help signoff
away 5 | pbmserv vacation me 5 | pbmserv vacation
note 101 weak corner | = There are no private notes yet.
admin star 101 | = Write this command without admin. | pbmserv help admin
admin ban bob | pbmserv help admin suspend | pbmserv block
ban bob | pbmserv block me bob | pbmserv block
checkers with bob | = Games: ....
"""
"""A line, and what is proposed for it in a shell and, where that is not the same, by mail.

Behind ``=`` stands a whole hint.
"""


def meant_at(door: str) -> dict[str, str]:
    """Return what is proposed there for each line."""
    rows = [row.split(" | ") for row in MEANT.replace("\n  ", " ").splitlines()]
    return {line: proposals[0 if door == "shell" else -1] for line, *proposals in rows}


def tree_of(door: str) -> Group:
    return root(SHELL, shell_families()) if door == "shell" else root()


def proposed(tree: Group, line: str) -> str:
    """Return the command that is proposed for a line, else the hint in one line."""
    with pytest.raises(PbmservError) as caught:
        parse(tree, split_line(line))
    told = caught.value.advice.replace(", ".join(game_names()), "...").replace("\n", " / ")
    is_proposal = told.startswith("Did you mean ") and told.endswith("?")
    return told.removeprefix("Did you mean ")[:-1] if is_proposal else f"= {told}".rstrip()


@pytest.mark.parametrize("door", DOORS)
def test_each_line_leads_to_what_was_meant(door: str) -> None:
    tree, meant = tree_of(door), meant_at(door)

    assert meant == {line: proposed(tree, line) for line in meant}


@pytest.mark.parametrize("door", DOORS)
def test_a_line_with_a_large_first_letter_means_the_same(door: str) -> None:
    tree = tree_of(door)
    glued = {f"{game}101": f"{game} show 101" for game in ("star", "hex", "y")}
    meant = meant_at(door) | glued
    lines = {line: f"{line[0].upper()}{line[1:]}" for line in meant if line[0].islower()}

    assert {line: meant[line].lower() for line in lines} == {
        line: proposed(tree, large).lower() for line, large in lines.items()
    }


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("more", [[], ["hex"], ["me"], ["hex", "me"]], ids=" ".join)
def test_board_cell_and_game_are_the_move_in_any_order(door: str, more: list[str]) -> None:
    tree, game = tree_of(door), "hex" if "hex" in more else "star"
    who = "me" if door == "shell" else "USERID PASSWORD"
    lines = [" ".join(words) for words in permutations(["101", "f6", *more])]

    assert {f"{game} move 101 {who} F6"} == {proposed(tree, line) for line in lines}
