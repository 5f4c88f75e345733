"""Descent beside TreeStrap and the small players, at equal processor time."""
