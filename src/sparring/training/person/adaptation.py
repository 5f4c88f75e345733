"""`adapt_person`: from a person's games to their file."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.base.storage import atomic_write
from sparring.games import describe
from sparring.policies.person import SUFFIX, PersonCard, PersonModel, write_person
from sparring.training.person.choices import ChoiceReader, PersonChoices, PersonGames
from sparring.training.person.fitting import PersonFit, fit_person, log_probabilities, with_repertoire
from sparring.training.person.measurement import gains, score_choices

LEAST_GAMES = 2
"""Fewer games cannot be cross-validated."""
_LEAST_FOR_CHECK = 10
_LATER = (0.2, 3, 50)
"""Share of the games that check the fit, and its bounds: the latest ones."""
_OFFSETS = (-2, -1, 1, 2)
"""Rating offsets that are tried, in groups of the rating system."""
_RATING_POSITIONS = 250
_RECENT = 20
"""Games whose median rating is the person's."""
_SHARE_FOR_READING = 0.6
"""Of the time allowed; the rest is for ratings and fits."""


@dataclass(frozen=True)
class Adaptation:
    """A person's model, and how it came about."""

    model: PersonModel
    check: dict[str, Any] | None
    """Gains on the latest games of a model of the earlier ones (`measurement.gains`); None for few games."""
    left_out: int
    """Games that the time did not allow, the earliest ones."""


OnProgress = Callable[[str, int, int], None]


def adapt_person(
    games: PersonGames,
    reader: ChoiceReader,
    *,
    minutes: float = 10.0,
    on_progress: OnProgress = lambda *_: None,
) -> Adaptation:
    """Fits rating, style, sharpness and repertoire to a person's games.

    Raises ValueError for fewer than LEAST_GAMES games.
    """
    if len(games) < LEAST_GAMES:
        raise ValueError(f"games of {games.name}: {len(games)}; at least {LEAST_GAMES} are needed")
    whole = len(games)
    games = games[whole - _affordable(games, reader, minutes) :]
    offset, rating_gain = rating_offset(games, reader, on_progress)
    choices = reader.read(
        games, offset=offset, on_progress=lambda done: on_progress("reading the games", done, len(games))
    )
    on_progress("checking on the latest games", 0, 1)
    check = check_on_latest(choices, len(games))
    on_progress("fitting", 0, 1)
    fit = fit_person(choices)
    model = make_model(games, reader, choices, fit, offset, rating_gain, _sentence(check))
    return Adaptation(model, check, whole - len(games))


def rating_offset(games: PersonGames, reader: ChoiceReader, on_progress: OnProgress) -> tuple[int, float]:
    """What to add to the recorded ratings, and the gain in nats per move by cross-validation over games; 0 if
    there is none."""
    if np.isnan(games.ratings()[:, 0]).all():
        return 0, 0.0
    system = describe(games.game).ratings
    plies = sum(record.plies(games.game) for record in games.records) // 2
    every = max(1, plies // _RATING_POSITIONS)
    base = reader.read(games, every=every)
    gains = []
    for number, step in enumerate(_OFFSETS):
        on_progress("trying ratings", number, len(_OFFSETS))
        moved = reader.read(games, every=every, offset=step * system.group_width)
        gains.append((moved.logs[:, 0] - base.logs[:, 0]).astype(np.float64))
    best, gain = choose_offset(np.array(gains), base.game)
    return (0 if best is None else _OFFSETS[best] * system.group_width), gain


def choose_offset(
    gains: NDArray[np.float64], game: NDArray[np.int64], folds: int = 5
) -> tuple[int | None, float]:
    """The best of offsets with the gains [offsets, n] of positions over no offset, and its gain per position
    by cross-validation; None if no gain is above two standard errors, or none is left on games that did not
    choose."""
    _, number = np.unique(game, return_inverse=True)
    left_out = 0.0
    for fold in range(folds):
        inside = number % folds == fold
        chosen = _clearly_best(gains[:, ~inside], number[~inside])
        left_out += 0.0 if chosen is None else float(gains[chosen, inside].sum())
    best = _clearly_best(gains, number)
    return (None, 0.0) if best is None or left_out <= 0 else (best, left_out / len(game))


def _clearly_best(gains: NDArray[np.float64], game: NDArray[np.int64]) -> int | None:
    """The row of the greatest sum, if it is above two standard errors (by game)."""
    if not gains.shape[1]:
        return None
    best = int(gains.sum(axis=1).argmax())
    by_game = np.bincount(game, gains[best])
    return best if by_game.sum() > 2 * np.sqrt((by_game**2).sum()) else None


def check_on_latest(choices: PersonChoices, games: int) -> dict[str, Any] | None:
    """The gains on the latest games of what the earlier ones give; None for fewer than ten games."""
    if games < _LEAST_FOR_CHECK:
        return None
    share, least, most = _LATER
    later = min(max(round(share * games), least), most)
    early = choices.take(choices.game < games - later)
    late = choices.take(choices.game >= games - later)
    fit = fit_person(early)
    base = log_probabilities(late, np.zeros_like(fit.z))
    person = with_repertoire(late, log_probabilities(late, fit.z), fit.repertoire(early))
    return gains(score_choices(late, base, person))


def make_model(
    games: PersonGames,
    reader: ChoiceReader,
    choices: PersonChoices,
    fit: PersonFit,
    offset: int,
    rating_gain: float,
    measured: str,
) -> PersonModel:
    """The content of a person's file."""
    adapted = np.isfinite(fit.precision)
    sharpness = float(np.clip(1 + fit.z[0] * reader.sharpness, 0.05, 20))
    first, last = games.dates
    card = PersonCard(
        person=games.name,
        game=games.game,
        base=reader.base,
        games=len(games),
        positions=len(choices),
        first_date=first,
        last_date=last,
        rating=_rating(games, reader, offset),
        rating_offset=offset,
        sharpness=sharpness if adapted else 1.0,
        base_digest=reader.digests[0] if adapted else "",
        style_digest=reader.digests[1] if adapted else "",
        concentration=fit.concentration if np.isfinite(fit.concentration) else None,
        share=fit.share if np.isfinite(fit.concentration) else 1.0,
        measured=measured,
        parts={
            "rating": round(rating_gain, 5),
            "style": round(fit.style_gain, 5),
            "repertoire": round(fit.repertoire_gain, 5),
        },
        move_numbering=describe(games.game).move_numbering,
    )
    vector = fit.z[1:].astype(np.float32) if adapted else np.zeros(0, np.float32)
    return PersonModel(card, vector, fit.repertoire(choices), np.sort(games.identities))


def _rating(games: PersonGames, reader: ChoiceReader, offset: int) -> int | None:
    """The median of the recent recorded ratings, moved by the offset, within the range of the network."""
    known = games.ratings()[:, 0]
    known = known[~np.isnan(known)][-_RECENT:]
    if not len(known) or reader.codec.ratings is None:
        return None
    low, high = reader.codec.ratings
    return round(float(np.clip(np.median(known) + offset, low, high)))


def _affordable(games: PersonGames, reader: ChoiceReader, minutes: float) -> int:
    """How many games, the latest ones, can be read in the time allowed."""
    some = games[-3:]
    reader.read(some[:1])  # the first run of a session is slow
    started = time.perf_counter()
    plies = len(reader.read(some))
    speed = plies / max(time.perf_counter() - started, 1e-6)
    allowed = minutes * 60 * _SHARE_FOR_READING * speed
    sizes = np.array([record.plies(games.game) / 2 for record in games.records[::-1]])
    return max(LEAST_GAMES, int(np.searchsorted(np.cumsum(sizes), allowed)))


def _sentence(check: dict[str, Any] | None) -> str:
    if check is None:
        return ""
    nats, top = check["nats"], check["top1"]
    return (
        f"The latest {check['games']} games, with a model of the earlier ones: {nats['value']:+.4f} nats a "
        f"move ({nats['low']:+.4f} to {nats['high']:+.4f}), top-1 {check['base_top1']:.3f} "
        f"{top['value']:+.4f} ({top['low']:+.4f} to {top['high']:+.4f}); {check['positions']} positions, "
        "95 % intervals over games."
    )


def write_player(model: PersonModel, out: Path) -> None:
    """Writes the TOML file of a person's player and the `.person` file beside it. Raises OSError."""
    out.parent.mkdir(parents=True, exist_ok=True)
    file = out.with_suffix(SUFFIX)
    write_person(file, model)  # first: a player without its file would be broken
    atomic_write(out, _player_toml(model.card, file.name).encode())


def _player_toml(card: PersonCard, file: str) -> str:
    dates = f" from {card.first_date} to {card.last_date}" if card.first_date else ""
    lines = [
        f"# Plays like {card.person}: {card.games:,} games{dates}, {card.positions:,} positions.",
        *([f"# {card.measured}"] if card.measured else []),
        f"game = {json.dumps(card.game)}",
        f"name = {json.dumps(card.person)}",
        f"model = {json.dumps(file)}",
    ]
    if card.rating is not None:
        system = describe(card.game).ratings
        lines.append(
            f"rating = {card.rating if system.word == 'rating' else json.dumps(system.format(card.rating))}"
        )
    lines += ["resign_below = 0.05", "resign_after = 3", "draw_within = 0.05", "draw_offers = false"]
    return (
        "\n".join(line if line.isprintable() else line.encode("unicode_escape").decode() for line in lines)
        + "\n"
    )
