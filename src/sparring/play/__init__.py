"""A game in progress, its result, who plays it, and matches. Every front end drives these."""
