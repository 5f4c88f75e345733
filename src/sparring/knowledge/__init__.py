"""Knowledge: what a player of reconnaissance blind chess can know, and what follows from it."""

from sparring.knowledge.changes import Change, Contradiction, TrackerOptions
from sparring.knowledge.replay import Replayed, replay
from sparring.knowledge.senses import Senses, weigh_senses
from sparring.knowledge.synopsis import PLANES, Plane, Recollection, summarise, unpack_planes
from sparring.knowledge.tracker import Tracker
from sparring.knowledge.wins import winning_request, winning_senses, wins_whatever_comes

__all__ = [
    "PLANES",
    "Change",
    "Contradiction",
    "Plane",
    "Recollection",
    "Replayed",
    "Senses",
    "Tracker",
    "TrackerOptions",
    "replay",
    "summarise",
    "unpack_planes",
    "weigh_senses",
    "winning_request",
    "winning_senses",
    "wins_whatever_comes",
]
