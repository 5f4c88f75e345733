"""Ranks of Go: points that people of a rank lose a move, and the players that lose as much."""
