"""Strength: a player's rating from its games, or from its choices in test positions."""
