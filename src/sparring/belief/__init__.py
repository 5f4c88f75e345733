"""Belief states of reconnaissance blind chess: tracking of possible boards, their analysis, and synopses."""

from sparring.belief.analysis import (
    SenseStatistics,
    is_forced_win,
    sense_statistics,
    winning_request,
    winning_senses,
)
from sparring.belief.errors import Contradiction, OutOfOrder
from sparring.belief.replay import ReplayStep, replay
from sparring.belief.synopsis import PLANES, Plane, SynopsisContext, compute_synopsis, unpack_planes
from sparring.belief.tracked_sets import BeliefUpdate
from sparring.belief.tracker import Tracker
from sparring.belief.tracker_options import TrackerOptions

__all__ = [
    "PLANES",
    "BeliefUpdate",
    "Contradiction",
    "OutOfOrder",
    "Plane",
    "ReplayStep",
    "SenseStatistics",
    "SynopsisContext",
    "Tracker",
    "TrackerOptions",
    "compute_synopsis",
    "is_forced_win",
    "replay",
    "sense_statistics",
    "unpack_planes",
    "winning_request",
    "winning_senses",
]
