"""Even games: the handicap that two ratings ask for, and what such a game does to them."""

import json
import math
from dataclasses import replace

import pytest

from pbmserv.cli.shell_commands import SHELL, shell_families
from pbmserv.club import handicaps
from pbmserv.club.handicaps import EvenGame, Worth, even_game, strength
from pbmserv.club.rating import NO_SHIFT, SCALE, Rating, Shift, parse_shift, rate_game
from pbmserv.commands.command_table import root
from pbmserv.engine.games.hex import Hex
from pbmserv.engine.games.star import Star
from pbmserv.engine.position import Side
from pbmserv.engine.spec import format_game, parse_game
from pbmserv.errors import Misunderstood, Refused
from pbmserv.operators.admin_ratings import wrong_ratings
from tests.bench.figures import ROOT
from tests.bench.handicaps import page_row
from tests.databases import ONE_DATABASE
from tests.local_server import NOW, LocalServer

from .passing_days import letters, with_letters

SURE = [
    [variance * (row == at) for at in range(5)]
    for row, variance in enumerate((0.01, 0.001, 0.01, 0.01, 0.0))
]
VAGUE = [[0.2, *SURE[0][1:]], *SURE[1:]]
KNOWN = {
    "star(size=6)": Worth(0.6, 1.0, 0.2, 0.4, 1.0, SURE),
    "star(size=7)": Worth(0.6, 1.0, 0.2, 0.4, 1.25, VAGUE),
    "starweb(size=6,notch=2)": Worth(0.4, 0.3, 0.0, 1.0, 0.8, SURE),
    "hex(size=9)": Worth(0.8, 0.0, 0.3, 0.0, 1.0, SURE),
    "star(size=6,maxi)": Worth(0.5, 0.0, 0.3, 0.0, 1.0, SURE),
}


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the table say what no later measurement changes."""
    monkeypatch.setattr(handicaps, "table", lambda: KNOWN)


def rated(value: float, deviation: float = 60) -> Rating:
    return Rating(value, deviation, last_at=NOW)


def sign_up(local: LocalServer, deviation: float = 60, **values: float) -> None:
    """Sign players up with these ratings in every game that the tests play."""
    for userid, value in values.items():
        if userid not in local.userids():
            local.sign_up(userid)
        with local.desk.store.writing() as records:
            player = records.players.find(userid)
            assert player is not None
            for game in ("star", "hex"):
                standing = records.ratings.lock([player.id], game)[player.id]
                records.ratings.save(
                    player.id, game, replace(standing, rating=rated(value, deviation))
                )


# The handicap


def unevenness(found: EvenGame, first: Rating, second: Rating) -> float:
    """Return how far the forecast is from even, calculated in another way."""
    phi = math.hypot(first.deviation, second.deviation) / SCALE
    lead = (first.value - second.value) / SCALE / math.sqrt(1 + 3 * (phi / math.pi) ** 2)
    gain = 0.0
    if found.shift is not None:
        gain = found.shift.odds if found.is_first_x else -found.shift.odds
    assert found.forecast == pytest.approx(1 / (1 + math.exp(-lead - gain)))
    return abs(found.share * lead + gain)


@pytest.mark.parametrize("lead", [-700, -260, -90, -30, 0, 40, 130, 333, 800])
@pytest.mark.parametrize("spec", sorted(KNOWN))
def test_no_other_handicap_is_nearer_to_even(spec: str, lead: int) -> None:
    game, first, second = parse_game(spec), rated(1700 + lead / 2), rated(1700 - lead / 2)
    found = even_game(game, first, second)
    komis = [0] if KNOWN[spec].point == 0 else range(21)
    others = [found._replace(shift=NO_SHIFT)]
    for komi in komis:
        is_weak_x = komi == 0
        odds = math.log(1 / found.forecast - 1) + found.gain
        shift = KNOWN[spec].shift(komi, 1700, -abs(odds) if is_weak_x else abs(odds))
        others.append(found._replace(shift=shift, is_first_x=is_weak_x is (lead < 0)))

    def uneven(one: EvenGame) -> float:
        return abs(one.gain + math.log(found.forecast / (1 - found.forecast)) - mine)

    mine = found.gain
    assert unevenness(found, first, second) == pytest.approx(min(map(uneven, others)), abs=1e-6)
    assert found.game == game or not found.game.allows_swap


@pytest.mark.parametrize("spec", sorted(KNOWN))
@pytest.mark.parametrize("lead", [-500, -120, 55, 260])
def test_the_order_of_the_players_changes_nothing(spec: str, lead: int) -> None:
    first, second = rated(1600), rated(1600 + lead)
    found, other = (
        even_game(parse_game(spec), *pair) for pair in ((first, second), (second, first))
    )

    assert found.game == other.game
    assert found.shift == other.shift
    assert found.forecast == pytest.approx(1 - other.forecast)
    assert found.game.allows_swap or found.is_first_x is not other.is_first_x
    assert found.words("alice", "bob") == other.words("bob", "alice")


def test_the_weaker_moves_first_without_swap_or_there_is_a_swap() -> None:
    for lead, noswap in ((0, False), (40, False), (200, True), (900, True)):
        found = even_game(Hex(9), rated(1500), rated(1500 + lead))

        assert found.game == replace(Hex(9), noswap=noswap)
        assert found.is_first_x
        assert (found.shift != NO_SHIFT) is noswap


@pytest.mark.parametrize(
    ("deviation", "share"), [(110, 1.0), (110.5, 0.5), (160, 0.5), (160.5, 0.0), (350, 0.0)]
)
@pytest.mark.parametrize("turned", [False, True])
def test_an_uncertain_rating_halves_the_handicap_or_leaves_it_out(
    deviation: float, share: float, *, turned: bool
) -> None:
    pair = (rated(1500), rated(1900, deviation))
    found = even_game(Star(6), *(pair[::-1] if turned else pair))
    words = found.words(*(("bob", "alice") if turned else ("alice", "bob")))

    assert share == found.share
    assert (share == 0) is (found.game == Star(6))
    assert (share < 1) is ("uncertain" in words)
    assert ("half a handicap" in words) is (share == 0.5)
    assert ("no handicap: an ordinary game with swap" in words) is (share == 0)
    if 0 < share < 1:
        full = even_game(Star(6), rated(1500), rated(1900))
        assert abs(found.game.komi) < abs(full.game.komi)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("game", "is_alice_x", "words"),
    [
        (Star(6, komi=2), False, "alice plays O and gets komi 2"),
        (Star(6, noswap=True), True, "alice plays X, without swap"),
    ],
)
def test_the_handicap_is_told_in_words(game: Star, words: str, *, is_alice_x: bool) -> None:
    found = EvenGame(game, is_alice_x, Shift(0.5, 0.1), 1.0, -212.4, 0.489)

    assert (f"bob's rating is 212 above alice's: {words}. Forecast for bob: 51 %.") == found.words(
        "alice", "bob"
    )


def test_what_cannot_be_is_refused() -> None:
    equal = rated(1500), rated(1500)
    with pytest.raises(Refused) as unknown:
        even_game(Star(8), *equal)
    assert "no-handicap" == unknown.value.code
    for game in (Star(6, komi=1), Star(6, noswap=True), replace(Hex(9), noswap=True)):
        with pytest.raises(Misunderstood) as clash:
            even_game(game, *equal)
        assert "options-clash" == clash.value.code


def test_an_error_grows_with_komi_and_a_growth_with_strength() -> None:
    worth = KNOWN["star(size=6)"]

    assert worth.shift(0, 1800) == (0.6, 0.1)
    assert worth.shift(2, 1800).odds == pytest.approx(0.6 - 2)
    assert worth.shift(9, 1800).error > worth.shift(1, 1800).error
    assert worth.shift(1, 2300).odds < worth.shift(1, 1300).odds
    assert worth.shift(1, 2300) == worth.shift(1, 2900)
    web = KNOWN["starweb(size=6,notch=2)"]
    assert web.shift(2, 1800, 1.5).odds == pytest.approx(web.shift(2, 1800).odds - 0.2 * 1.5)
    assert strength(1800) == 0


def test_the_shipped_table_is_of_boards_that_there_are_and_the_page_shows_it() -> None:
    text = handicaps.TABLE.read_text(encoding="utf-8")
    page = (ROOT / "help" / "handicap.txt").read_text(encoding="utf-8")
    for spec, row in json.loads(text).items():
        game, worth = parse_game(spec), Worth(*row)

        assert spec == format_game(game)
        assert (worth.point > 0) is (hasattr(game, "komi") and not getattr(game, "maxi", False))
        for komi in range(-9, 10):
            assert worth.shift(komi, 1700).error > 0
        assert f"\n{page_row(spec, worth)}\n" in page


# Ratings


def test_a_shift_comes_back_from_its_text() -> None:
    for shift in (Shift(0.0, 0.0), Shift(-1.25, 0.199), Shift(12.5, 0.2)):
        assert shift == parse_shift(str(shift))
        assert shift.is_known is (shift.error < 0.2)


@pytest.mark.parametrize("winner", [Side.X, Side.O, None])
@pytest.mark.parametrize(("odds", "error"), [(0.9, 0.1), (-2.0, 0.19), (0.0, 0.15)])
def test_a_handicap_shifts_what_is_expected(winner: Side | None, odds: float, error: float) -> None:
    x, o = rated(1700, 80), rated(1500, 90)
    after, _ = rate_game(x, o, winner, NOW, Shift(odds, error))
    # Section by section as Glickman has it, with the shift besides.
    g = 1 / math.sqrt(1 + 3 * (math.hypot(o.deviation / SCALE, error) / math.pi) ** 2)
    chance = 1 / (1 + math.exp(-g * (x.value - o.value) / SCALE - odds))
    score = {Side.X: 1.0, Side.O: 0.0, None: 0.5}[winner]
    phi = 1 / math.sqrt(1 / (x.deviation / SCALE) ** 2 + g * g * chance * (1 - chance))

    assert after.value == pytest.approx(x.value + SCALE * phi**2 * g * (score - chance), abs=0.01)


def test_no_shift_rates_as_ever_and_both_sides_see_it_alike() -> None:
    x, o = rated(1700, 80), rated(1500, 90)

    assert rate_game(x, o, Side.X, NOW) == rate_game(x, o, Side.X, NOW, Shift(0.0, 0.0))
    one, other = rate_game(x, o, Side.X, NOW, Shift(0.7, 0.1))
    assert (other, one) == rate_game(o, x, Side.O, NOW, Shift(-0.7, 0.1))
    assert rate_game(x, o, Side.X, NOW, Shift(3.0, 0.1))[0].value < one.value


# Boards


@pytest.mark.parametrize("players", ["alice bob", "bob alice", "BOB Alice"])
def test_the_ratings_decide_who_plays_x(local: LocalServer, players: str) -> None:
    sign_up(local, alice=1500, bob=1800)
    said = local.do(f"star challenge -even -size=6 {players}")
    match = local.match(101)
    assert match.shift is not None

    assert said.document["handicap"] == {"odds": match.shift.odds, "error": match.shift.error}
    assert format_game(match.game) == "star(size=6,komi=2)"
    assert {"X": "bob", "O": "alice"} == said.document["players"]
    assert match.is_rated
    assert (
        "bob's rating is 300 above alice's: alice plays O and gets komi 2. Forecast for bob: 59 %."
    ) in said.blocks
    assert "This game is rated." in said.blocks
    assert local.show(101)["handicap"] == said.document["handicap"]


def test_both_are_told(local: LocalServer) -> None:
    with_letters(local, "alice", "bob")
    sign_up(local, alice=1500, bob=1800)
    local.do("star challenge -even -size=6 bob alice")
    told = "bob's rating is 300 above alice's: alice plays O and gets komi 2."

    for userid in ("alice", "bob"):
        assert told in " ".join(letters(local, userid)[-1].split())


def play_even(local: LocalServer, loser: str, options: str = "-size=6") -> int:
    board = int(local.json(f"star challenge -even {options} alice bob")["board"])
    local.play(board, "F6 F7")
    local.move(board, loser, "resign")
    return board


def ratings_of(local: LocalServer) -> dict[tuple[int, str], Rating]:
    with local.desk.store.reading() as records:
        return {key: one.rating for key, one in records.ratings.all().items()}


def test_an_even_game_is_rated_by_its_handicap_and_the_same_after_a_rebuild(
    local: LocalServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    local.sign_up("alice", "bob")
    for number in range(24):
        board = local.start(x=("alice", "bob")[number % 2], o=("bob", "alice")[number % 2])
        local.play(board, "C1 C2")
        local.move(board, "alice" if number % 4 else "bob", "resign")
    before = ratings_of(local)
    board = play_even(local, "bob")
    match, after = local.match(board), ratings_of(local)
    assert match.shift is not None
    assert match.is_rated
    x, o = (before[seat.player_id, "star"] for seat in match.seats.values())
    assert match.outcome is not None
    expected = rate_game(x, o, match.outcome.winner, NOW, match.shift)
    plain = rate_game(x, o, match.outcome.winner, NOW)

    found = tuple(after[seat.player_id, "star"] for seat in match.seats.values())
    assert expected == found
    assert plain != found
    # What a later table says changes nothing of the past.
    monkeypatch.setattr(handicaps, "table", lambda: {"star(size=6)": KNOWN["hex(size=9)"]})
    local.desk.tree = root(SHELL, shell_families())
    local.do("admin rate")
    assert after == ratings_of(local)
    assert [] == wrong_ratings(local.desk.store)


def test_a_shift_that_is_not_well_known_is_not_rated(local: LocalServer) -> None:
    sign_up(local, alice=1500, bob=1800)
    before = ratings_of(local)
    board = play_even(local, "alice", "-size=7")

    assert local.match(board).shift is not None
    assert not local.match(board).is_rated
    assert before == ratings_of(local)


@pytest.mark.parametrize("options", ["-komi=2", "-noswap"])
def test_the_same_handicap_by_hand_is_not_rated(local: LocalServer, options: str) -> None:
    sign_up(local, alice=1500, bob=1800)
    said = local.do(f"star challenge -size=6 {options} bob alice")

    assert "This game is unrated." in said.blocks
    assert local.match(101).shift is None
    assert said.document["handicap"] is None


def test_without_a_difference_it_is_an_ordinary_game(local: LocalServer) -> None:
    sign_up(local, alice=1500, bob=1520)
    said = local.do("hex challenge -even -size=9 bob alice")

    assert {"X": "bob", "O": "alice"} == said.document["players"], "as typed"
    assert said.document["handicap"] == {"odds": 0.0, "error": 0.0}
    assert not said.document["options"]["noswap"]
    assert "This game is unrated." not in said.blocks


def test_an_unrated_even_game_stays_unrated(local: LocalServer) -> None:
    sign_up(local, alice=1500, bob=1800)
    local.do("star challenge -even -unrated -size=6 alice bob")

    assert not local.match(101).is_rated


def test_a_rematch_takes_the_ratings_of_today(local: LocalServer) -> None:
    sign_up(local, alice=1500, bob=1800)
    board = play_even(local, "alice")
    sign_up(local, alice=1500, bob=2000)
    sign = local.json(f"star rematch {board} alice secret-alice")
    again = local.match(board + 1)

    assert again.shift is not None
    assert again.is_rated
    assert sign["players"] == {"X": "bob", "O": "alice"}, "the weaker one still"
    assert format_game(again.game) == "star(size=6,komi=3)"


def test_a_rematch_of_an_even_game_without_a_handicap_may_have_one(local: LocalServer) -> None:
    sign_up(local, alice=1500, bob=1520)
    board = int(local.json("hex challenge -even -size=9 alice bob")["board"])
    local.game = "hex"
    local.play(board, "F6 F7")
    local.move(board, "alice", "resign")
    assert local.match(board).game.allows_swap
    assert local.match(board).is_rated
    sign_up(local, alice=1500, bob=1900)
    local.json(f"hex rematch {board} alice secret-alice")

    assert format_game(local.match(board + 1).game) == "hex(size=9,noswap)"


def test_a_declined_even_game_changes_no_rating(local: LocalServer) -> None:
    sign_up(local, alice=1500, bob=1800)
    before = ratings_of(local)
    local.do("star challenge -even -size=6 alice bob")
    local.move(101, "alice", "resign")

    assert local.match(101).is_removed
    assert before == ratings_of(local)


@ONE_DATABASE
@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("star challenge -even -size=6 alice anyone", "mixed-words"),
        ("star challenge -even -size=6 anyone bob", "mixed-words"),
        ("star challenge -even -from=101#1 alice bob", "options-clash"),
        ("star challenge -even -size=6 -komi=1 alice bob", "options-clash"),
        ("star challenge -even -size=6 -noswap alice bob", "options-clash"),
        ("star challenge -even -size=9 alice bob", "no-handicap"),
        ("star challenge -even -size=6 alice nobody", "no-such-player"),
        ("star seek alice secret-alice 1 -even", "no-such-option"),
        ("star challenge -size=6 -maxi -komi=2 alice bob", "bad-option-value"),
    ],
)
def test_nothing_is_started_by_a_refusal(local: LocalServer, line: str, code: str) -> None:
    sign_up(local, alice=1500, bob=1800)
    assert code == local.code(line)


def test_who_is_blocked_gets_no_even_game_either(local: LocalServer) -> None:
    sign_up(local, alice=1500, bob=1800)
    local.do("block bob secret-bob alice")

    assert "blocked" == local.code("star challenge -even -size=6 alice bob")
