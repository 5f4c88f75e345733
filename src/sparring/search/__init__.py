"""Game-tree search: PUCT, UCT, move selection, and alpha-beta with linear evaluations."""

from typing import TYPE_CHECKING

from sparring.base.lazy import attach

if TYPE_CHECKING:
    from sparring.base.clock import Clock as Clock
    from sparring.search.limits import SearchLimits as SearchLimits
    from sparring.search.lockstep import search_together as search_together
    from sparring.search.mcts import uct as uct
    from sparring.search.move_selection import MoveSelection as MoveSelection
    from sparring.search.move_selection import by_visits as by_visits
    from sparring.search.move_selection import kl_regularised as kl_regularised
    from sparring.search.move_selection import prefer_proven as prefer_proven
    from sparring.search.move_selection import regularised_policy as regularised_policy
    from sparring.search.puct import Evaluator as Evaluator
    from sparring.search.puct import Puct as Puct
    from sparring.search.puct import PuctConfig as PuctConfig
    from sparring.search.puct import SearchResult as SearchResult

__getattr__, __dir__, __all__ = attach(__name__)
