"""The club's pages: a static site made from the database, for any web server or plain folder."""
