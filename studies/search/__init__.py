"""Search: expected loss of a player's moves by the size of its search, evaluated by Stockfish."""
