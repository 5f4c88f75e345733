"""Sparring builds the opponent you want to play."""
