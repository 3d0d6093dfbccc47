"""The shell's door: console commands, printing, batches, and what only an operator may do."""
