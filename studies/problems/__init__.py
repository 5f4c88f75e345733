"""How hard a chess problem is: the model of puzzle ratings and its measurement."""
