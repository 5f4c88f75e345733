"""Search: takes a state and a budget, gives moves and what they are worth."""

from sparring.search.montecarlo import Visits, uct

__all__ = ["Visits", "uct"]
