"""Search: takes a state and a budget, gives moves and what they are worth."""

from sparring.search.choice import ChoiceRule, by_visits, kl_regularised, seeing_the_end
from sparring.search.montecarlo import Visits, uct
from sparring.search.puct import Budget, Found, Judge, Puct, PuctSettings
from sparring.search.searched_policy import SearchedPolicy

__all__ = [
    "Budget",
    "ChoiceRule",
    "Found",
    "Judge",
    "Puct",
    "PuctSettings",
    "SearchedPolicy",
    "Visits",
    "by_visits",
    "kl_regularised",
    "seeing_the_end",
    "uct",
]
