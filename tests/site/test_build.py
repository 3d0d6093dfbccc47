"""The pages follow the database, and nothing is written twice."""

from tests.site.conftest import SMALL, Club


def test_every_board_has_its_page_and_its_records(club: Club) -> None:
    club.build()

    for game in SMALL:
        for suffix in ("html", "txt", "json", "sgf", "atom", "png"):
            assert f"boards/{game}/101.{suffix}" in club.files()
