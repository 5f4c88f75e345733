"""Policies: probabilities over legal moves, from networks, temperatures and pools of several policies."""

from typing import TYPE_CHECKING

from sparring.base.lazy import attach

if TYPE_CHECKING:
    from sparring.policies.loading import fingerprint as fingerprint
    from sparring.policies.loading import load_policy as load_policy
    from sparring.policies.loading import policy_name as policy_name
    from sparring.policies.loading import rating_out_of_range as rating_out_of_range
    from sparring.policies.loading import rating_range as rating_range
    from sparring.policies.loading import unrated as unrated
    from sparring.policies.policy import MIN_PROBABILITY as MIN_PROBABILITY
    from sparring.policies.policy import Curve as Curve
    from sparring.policies.policy import NetworkPolicy as NetworkPolicy
    from sparring.policies.policy import Policy as Policy
    from sparring.policies.policy import TemperedPolicy as TemperedPolicy
    from sparring.policies.policy import log_probabilities as log_probabilities
    from sparring.policies.pool import FeatureWeightedPool as FeatureWeightedPool
    from sparring.policies.pool import PolicyPool as PolicyPool
    from sparring.policies.pool import PoolMember as PoolMember

__getattr__, __dir__, __all__ = attach(__name__)
