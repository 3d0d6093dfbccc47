"""The club in a browser: the pages of ``site``, alive under their addresses or kept as files."""
