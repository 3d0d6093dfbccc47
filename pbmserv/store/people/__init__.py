"""People: accounts, addresses, secrets, ratings, who looks for whom and what is said."""
