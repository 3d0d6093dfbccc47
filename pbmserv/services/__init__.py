"""What is done with a match or a person, whoever asks: start, find, change, all that follows."""
