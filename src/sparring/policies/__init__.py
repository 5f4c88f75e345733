"""Policies: probability distributions over moves, from networks, temperatures and pools."""

from sparring.policies.curve import Curve
from sparring.policies.feature_weighted_pool import FeatureWeightedPool
from sparring.policies.loading import fingerprint, load_policy, model_name
from sparring.policies.network_policy import NetworkPolicy
from sparring.policies.policy import MIN_PROBABILITY, Policy, log_probabilities
from sparring.policies.policy_files import BadPolicy
from sparring.policies.pool import PolicyPool, PoolMember
from sparring.policies.rating_ranges import rating_out_of_range, rating_range, rating_text, unrated
from sparring.policies.temperature import TemperedPolicy

__all__ = [
    "MIN_PROBABILITY",
    "BadPolicy",
    "Curve",
    "FeatureWeightedPool",
    "NetworkPolicy",
    "Policy",
    "PolicyPool",
    "PoolMember",
    "TemperedPolicy",
    "fingerprint",
    "load_policy",
    "log_probabilities",
    "model_name",
    "rating_out_of_range",
    "rating_range",
    "rating_text",
    "unrated",
]
