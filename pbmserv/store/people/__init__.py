"""People: accounts, addresses, secrets, ratings, searches for opponents, and chat."""
