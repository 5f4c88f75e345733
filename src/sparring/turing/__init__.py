"""The Turing test: games of people and of programs to tell apart, their key, and the score of verdicts."""

from typing import TYPE_CHECKING

from sparring._lazy import attach

if TYPE_CHECKING:
    from sparring.turing.kit import BadTuringKit as BadTuringKit
    from sparring.turing.kit import TuringGame as TuringGame
    from sparring.turing.kit import TuringKit as TuringKit
    from sparring.turing.kit import read_kit as read_kit
    from sparring.turing.kit import shipped_kit as shipped_kit
    from sparring.turing.scores import score_verdicts as score_verdicts

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "kit": ("BadTuringKit", "TuringGame", "TuringKit", "read_kit", "shipped_kit"),
        "scores": ("score_verdicts",),
    },
)
