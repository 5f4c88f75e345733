"""Words of the games that stand in messages as they are: names of games and of sides.

A page translates a value of a `Text`, a title or a side if it is one of these.
"""

from __future__ import annotations

from sparring.base.sentences import Sentence

WORDS = (
    Sentence("Black"),
    Sentence("Breakthrough"),
    Sentence("Chess"),
    Sentence("Expendibots"),
    Sentence("Go"),
    Sentence("Reconnaissance blind chess"),
    Sentence("Shogi"),
    Sentence("White"),
)
"""The titles and the sides of the shipped games."""
