"""The rules and scoring engine: pure functions of boards, positions and moves.

Start at :class:`pbmserv.engine.game.Game`, the contract of every game, and at
:func:`pbmserv.engine.games.find_game`, which finds one by name. The engine knows no clock, no
database and no terminal, and imports nothing of pbmserv but its errors: it can be used alone, for
which ``help/library.txt`` has ten examples.

>>> from pbmserv.engine.spec import parse_game
>>> star = parse_game("star(size=3)")
>>> position = star.replay(["A3", "D3", "A4"])
>>> star.score(position).points
{<Side.X: 'X'>: 3, <Side.O: 'O'>: 1}
"""
