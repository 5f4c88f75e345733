"""Descent: a value network from rules alone, by best-first minimax and the states of its trees."""
