"""Pictures and tables of what the server knows, for text, terminals, mails and browsers."""
