"""People and contests as pure values: no clock, no database, no mail enters here."""
