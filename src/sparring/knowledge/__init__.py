"""Knowledge: what a player of reconnaissance blind chess can know, and what follows from it."""

from sparring.knowledge.replay import Replayed, replay
from sparring.knowledge.senses import Senses, weigh_senses
from sparring.knowledge.tracker import Change, Contradiction, Tracker, TrackerOptions

__all__ = [
    "Change",
    "Contradiction",
    "Replayed",
    "Senses",
    "Tracker",
    "TrackerOptions",
    "replay",
    "weigh_senses",
]
