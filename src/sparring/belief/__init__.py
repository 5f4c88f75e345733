"""Knowledge: what a player of reconnaissance blind chess can know, and what follows from it."""

from sparring.belief.forced_wins import is_forced_win, winning_request, winning_senses
from sparring.belief.options import BeliefUpdate, Contradiction, TrackerOptions
from sparring.belief.replay import ReplayStep, replay
from sparring.belief.senses import SenseStatistics, sense_statistics
from sparring.belief.synopsis import PLANES, Plane, SynopsisContext, compute_synopsis, unpack_planes
from sparring.belief.tracker import Tracker

__all__ = [
    "PLANES",
    "BeliefUpdate",
    "Contradiction",
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
