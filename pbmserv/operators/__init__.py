"""Commands of operators: accounts and boards, checks, backups, mail set up and tested."""
