"""How people behave at the board: think time, resignation, draws, conversion; the Turing test."""
