"""Level generators: a random word in, a level that can be solved out."""
