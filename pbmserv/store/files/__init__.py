"""Files: where a database is, who may read it, its schema, locks, copies and backups."""
