"""The mail door: what comes in by mail, who sent it, and what goes out."""
