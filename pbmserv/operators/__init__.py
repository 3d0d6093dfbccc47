"""What operators do: accounts and boards, checks, backups, settings, mail set up and tried."""
