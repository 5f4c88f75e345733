"""The study: fits people's behaviour to traces of their games, and measures it on unseen games."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.players.behaviour_models import ResignationModel, Situation, ThinkTimeModel
from studies.manners import judge, resignations, think_times
from studies.manners.traces import Traces

FAMILIES = {
    "ours": ("ours", "blend", "human"),
    "stockfish": ("stockfish",),
    "maia": ("maia",),
    "strong": ("strong",),
    "material": ("material",),
}
"""Programs that are alike: a judge of one is trained without its relatives."""
WARM = 2000
"""Highest level of ours that plays at a temperature near 1."""


def fit_think_time(traces: Traces) -> tuple[ThinkTimeModel, dict[str, Any]]:
    """The model, and its rank correlations on unseen games, and of another fit on unseen players.

    The model is fitted to the training split, and measured on the rest. For unseen players a tenth of the
    players is set aside with all games of theirs.
    """
    situation, spent, game = think_times.situations(traces)
    known = (traces.games["split"] == "train")[game]
    model = _fit_some(situation, spent, game, traces, known)
    aside = (
        np.array([_set_aside(name) for name in traces.games["first"]]),
        np.array([_set_aside(name) for name in traces.games["second"]]),
    )
    others = ~(aside[0] | aside[1])[game]
    mover = traces.rows["mover"][think_times.timed_moves(traces)]
    fresh = np.where(mover == 0, aside[0][game], aside[1][game])
    second = _fit_some(situation, spent, game, traces, others)
    return model, {
        name: think_times.report(each, _take(situation, which), spent[which], game[which], traces)
        for name, each, which in (("unseen games", model, ~known), ("unseen players", second, fresh))
    }


def _fit_some(
    situation: Situation, spent: NDArray[np.float64], game: NDArray[np.int64], traces: Traces, which: Any
) -> ThinkTimeModel:
    weights = balanced_weights(traces, game[which])
    return think_times.fit(_take(situation, which), spent[which], weights)


def _set_aside(name: str) -> bool:
    return zlib.crc32(name.encode()) % 10 == 0


def balanced_weights(traces: Traces, game: NDArray[np.int64]) -> NDArray[np.float64]:
    """[moves]: weights with which each common time control counts alike, up to a factor of 4."""
    control = np.char.add(
        traces.games["base"][game].astype(int).astype(str),
        traces.games["increment"][game].astype(int).astype(str),
    )
    _, place, counts = np.unique(control, return_inverse=True, return_counts=True)
    weights: NDArray[np.float64] = np.minimum(np.sqrt(counts.max() / counts[place]), 4.0)
    return weights


def fit_resignation(
    traces: Traces, *, rating: float, rating_scale: float
) -> tuple[ResignationModel, dict[str, Any]]:
    """The model of validation games, and precision and recall on test games beside the simple rule."""
    traces = traces.take(traces.games["ending"] != "unknown")
    turns = resignations.turns_of(traces)
    split = traces.games["split"][turns.side // 2]
    fitted, test = turns.take(split == "validation"), turns.take(split == "test")
    model = resignations.fit(fitted, rating=rating, rating_scale=rating_scale)
    chance = resignations.chances(model, test)
    threshold = best_threshold(fitted, resignations.chances(model, fitted))
    decided = (chance >= threshold).astype(float)
    rows: dict[str, Any] = {
        "learned, drawn": chance,
        f"learned, chance of {threshold:.2f} or more": decided,
        "rule: below 0.05 for 3 moves": resignations.rule_chances(test),
        "rule: below 0.1 for 1 move": resignations.rule_chances(test, 0.1, 1),
        "rule: below 0.02 for 3 moves": resignations.rule_chances(test, 0.02, 3),
    }
    report: dict[str, Any] = {
        "threshold": threshold,
        "area_by_turn": judge.area_with_interval(chance[~test.resigned], chance[test.resigned], 100),
        "test": {},
        "by_rating": [],
    }
    for name, each in rows.items():
        report["test"][name] = _with_intervals(test, each)
    for low, high in _bands(test.rating):
        which = (test.rating >= low) & (test.rating < high)
        part = test.take(which)
        if part.resigned.sum() < 20:
            continue
        report["by_rating"].append(
            {
                "from": low,
                "to": high,
                "people": _endings(part),
                "learned": resignations.precision_recall(part, decided[which]),
                "rule": resignations.precision_recall(part, rows["rule: below 0.05 for 3 moves"][which]),
            }
        )
    return model, report


def best_threshold(turns: resignations.Turns, chance: NDArray[np.float64]) -> float:
    """The chance from which resigning has the best F1, the harmonic mean of precision and recall."""

    def f1(threshold: float) -> float:
        found = resignations.precision_recall(turns, (chance >= threshold).astype(float))
        precision, recall = float(found["precision"]), float(found["recall"])
        return 2 * precision * recall / max(precision + recall, 1e-9)

    return max((round(0.02 * step, 2) for step in range(1, 21)), key=f1)


def fit_draws(traces: Traces) -> tuple[dict[str, float], dict[str, Any]]:
    """Constants of draw offers from the agreed draws of people, and what they are taken from."""
    traces = traces.take(traces.games["ending"] != "unknown")
    found = resignations.agreed_draws(traces)
    within, after = round(found["better_side"][1] - 0.5, 3), int(found["ply"][0])
    rows = traces.rows
    open_to = rows["played"] & (np.abs(rows["value"].astype(float) - 0.5) < within) & (rows["ply"] >= after)
    chance = found["games"] / max(int(open_to.sum()), 1)
    return {"within": within, "after": after, "chance": round(chance, 5)}, found


def judge_programs(people: Traces, programs: Mapping[str, Traces], model: ResignationModel) -> dict[str, Any]:
    """Areas under the curve of the judge for each program, as means over its levels.

    `all`: one judge for all, trained on half of the games of every program. `unseen`: trained on programs of
    other families. `own`: trained on half of the program's own games. Each judge is measured on games that it
    has not seen. The other side are people of the test split within 100 points of a level; games of players
    of the training side are left out. `features`: the area of each number of a game alone. `beyond_ours`: the
    area of one judge for all less that of ours, at the levels of both; `beyond_warm`: at those up to `WARM`.
    """
    features, kept = judge.game_features(people)
    heads = people.games[kept]
    train = heads["split"] == "validation"
    seen = {*heads["first"][train], *heads["second"][train]} - {""}
    test = ~train & ~np.isin(heads["first"], list(seen)) & ~np.isin(heads["second"], list(seen))
    level = np.nanmean([heads["first_rating"], heads["second_rating"]], axis=0)
    known = {name: _program_features(traces, model) for name, traces in programs.items()}
    halves = {name: np.arange(len(own)) % 2 == 0 for name, (own, _) in known.items()}
    together = np.concatenate([own[halves[name]] for name, (own, _) in known.items()])
    everybody = judge.train_judge(features[train], together)
    found: dict[str, Any] = {}
    for name, (own, levels) in known.items():
        others = [each for other, (each, _) in known.items() if family(other) != family(name)]
        unseen = judge.train_judge(features[train], np.concatenate(others)) if others else None
        trained = judge.train_judge(features[train], own[halves[name]])

        def area(judged: judge.Judge, which: Any, own: Any = own, levels: Any = levels) -> dict[str, Any]:
            return judge.area_by_level(
                judged.scores(features[test]), level[test], judged.scores(own[which]), levels[which]
            )

        found[name] = {
            "all": area(everybody, ~halves[name]),
            "unseen": area(unseen, np.full(len(own), True)) if unseen is not None else None,
            "own": area(trained, ~halves[name]),
            "features": judge.feature_areas(features[test], level[test], own, levels),
        }
    if "ours" in known:
        people_scores = everybody.scores(features[test])
        unseen_games = {
            name: (everybody.scores(own[~halves[name]]), levels[~halves[name]])
            for name, (own, levels) in known.items()
        }
        for name in found.keys() - {"ours"}:
            for key, highest in (("beyond_ours", np.inf), ("beyond_warm", WARM)):
                scores, levels = unseen_games[name]
                found[name][key] = judge.area_difference(
                    people_scores,
                    level[test],
                    scores[levels <= highest],
                    levels[levels <= highest],
                    *unseen_games["ours"],
                )
    return found


def _program_features(
    traces: Traces, model: ResignationModel
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Features [games, features] and levels [games] of a program's games, which end as people's do."""
    resigned = (traces.games["ending"] == "resignation").any()  # then they were ended when they were played
    ended = traces if resigned else judge.truncate_resigned(traces, model)
    features, games = judge.game_features(ended)
    return features, ended.games["first_rating"][games].astype(float)


def family(name: str) -> str:
    """The family of a program by the beginning of its name; its name if it has none."""
    return next((key for key, heads in FAMILIES.items() if name.startswith(heads)), name)


def _take(situation: Situation, which: NDArray[np.bool_]) -> Situation:
    return replace(
        situation, **{f.name: np.asarray(getattr(situation, f.name))[which] for f in fields(situation)}
    )


def _with_intervals(turns: resignations.Turns, chance: NDArray[np.float64]) -> dict[str, Any]:
    found = resignations.precision_recall(turns, chance)
    game = turns.side // 2
    games = np.unique(game)
    rng = np.random.default_rng(0)
    drawn: dict[str, list[float]] = {"precision": [], "recall": []}
    sums = resignations.sums_by_game(turns, chance)
    for _ in range(500):
        right, made, people = sums[rng.integers(len(games), size=len(games))].sum(axis=0)
        drawn["precision"].append(right / max(made, 1e-9))
        drawn["recall"].append(right / people)
    for name, values in drawn.items():
        found[f"{name}_interval"] = np.quantile(values, (0.025, 0.975)).round(4).tolist()
    return found


def _bands(rating: NDArray[np.float64]) -> list[tuple[int, int]]:
    if np.nanmedian(rating) < 100:  # ranks
        return [(-30, 1), (1, 5), (5, 7), (7, 8), (8, 12)]
    return [(0, 1200), (1200, 1400), (1400, 1600), (1600, 1800), (1800, 2000), (2000, 4000)]


def _endings(turns: resignations.Turns) -> dict[str, float]:
    """Share of the sides that resign, and the mean expected score where they do."""
    sides = len(np.unique(turns.side))
    return {
        "sides": sides,
        "resigned": float(turns.resigned.sum() / sides),
        "score": float(np.mean(turns.score[turns.resigned])),
        "lost_moves": float(np.median(turns.lost_moves[turns.resigned])),
    }
