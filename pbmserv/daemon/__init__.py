"""The server that stays: commands at once, mails in and out, clocks and robots; and its client."""
