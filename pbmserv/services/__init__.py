"""Operations on matches and players, the same for every caller: start, find, change, notify."""
