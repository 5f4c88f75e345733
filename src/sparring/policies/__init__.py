"""Policies: what moves are likely. Networks, temperature, and pools of several policies."""

from sparring.policies.curve import Curve
from sparring.policies.network_policy import NetworkPolicy
from sparring.policies.opening import fingerprint, name_of, open_policy
from sparring.policies.policy import FLOOR, Policy, log_probabilities
from sparring.policies.policy_files import BadPolicy
from sparring.policies.pool import Member, Pool
from sparring.policies.telling import beyond, known_ratings, strength_text, untold
from sparring.policies.tempered import Tempered
from sparring.policies.trait_pool import TraitPool

__all__ = [
    "FLOOR",
    "BadPolicy",
    "Curve",
    "Member",
    "NetworkPolicy",
    "Policy",
    "Pool",
    "Tempered",
    "TraitPool",
    "beyond",
    "fingerprint",
    "known_ratings",
    "log_probabilities",
    "name_of",
    "open_policy",
    "strength_text",
    "untold",
]
