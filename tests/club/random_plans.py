"""Words of random plans."""

from random import Random

from pbmserv.engine.game import Game


def random_words(chance: Random, game: Game) -> list[str]:
    """Return words of a plan, its paths drawn from few moves so that they often share steps."""
    pool = [*chance.sample(game.board.names, 6), "pass", "swap"]
    line = [chance.choice(pool) for _ in range(chance.randint(0, 3))]
    answers: dict[str, str] = {}
    paths = []
    for _ in range(chance.randint(0 if line else 1, 6)):
        way, steps = "", []
        for _ in range(chance.randint(1, 4)):
            when = chance.choice(pool)
            way += when + "/"
            steps.append(f"{when}:{answers.setdefault(way, chance.choice(pool))}")
        paths.append("/".join(steps))
    return line + paths
