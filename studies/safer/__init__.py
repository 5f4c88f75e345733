"""Safer moves: whether people who play the move of the best human expectation score more than by the engine's
move."""
