"""The commands that make the parts of `python -m studies ace`."""

from __future__ import annotations

from dataclasses import asdict, replace
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any

import typer

from sparring.base.errors import UserError
from studies.ace.options import RESULTS, Backend, Batch, Records, Shard
from studies.options import command_line


def ace_games(
    tuning: Annotated[
        Path | None, typer.Argument(help="Folder of journals by `sparring tune levels`; without it, levels.")
    ] = None,
    classes: Annotated[str, typer.Option(help="Ratings of the classes.")] = "1250,1650,2150,2550",
    network: Annotated[str, typer.Option(help="Network of all tuned classes.")] = "strong",
    games: Annotated[int, typer.Option(min=2, help="Games of each pair.")] = 200,
    together: Annotated[int, typer.Option(min=1, help="Games that are played at the same time.")] = 1200,
    seed: Annotated[int, typer.Option(help="Seed of all moves.")] = 1,
    unvisited_share: Annotated[
        float | None, typer.Option(min=0, max=1, help="Share of unvisited moves, in place of the fitted one.")
    ] = None,
    backend: Backend = "onnxruntime",
    batch: Batch = 64,
    out: Annotated[Path, typer.Option(help="Games, as a journal.")] = RESULTS / "games.jsonl",
) -> None:
    """Play the round robin of the tuned classes (experiment 1), or of the shipped levels of their ratings.

    A stopped run resumes: finished games are in the journal, those in progress in `games.unfinished.jsonl`
    beside it.
    """
    from sparring import load_policy
    from sparring.base.storage import Journal
    from studies.ace.games import Pairing, play_pairings
    from studies.ace.players import class_players, level_players

    ratings = [int(word) for word in classes.split(",")]
    players = level_players(ratings) if tuning is None else class_players(tuning, ratings)
    if len(players) < 2:
        raise UserError(f"{tuning} has fewer than two tuned classes of {classes}")
    if unvisited_share is not None:
        players = {name: replace(p, unvisited_share=unvisited_share) for name, p in players.items()}
    sources = {name: p.model if tuning is None else network for name, p in players.items()}
    loaded = {
        source: load_policy(source, "chess", backend=backend, batch=batch) for source in sources.values()
    }
    policies = {name: loaded[source] for name, source in sources.items()}
    journal = Journal(out, header={"seed": seed, "players": {n: asdict(p) for n, p in players.items()}})
    played = {(frozenset((e["first"], e["second"])), e["number"]) for e in journal.entries}
    left = [
        Pairing(first, second, number)
        for number in range(games)  # all pairs advance together
        for first, second in combinations(players, 2)
        if (frozenset((first, second)), number) not in played
    ]
    checkpoint = out.with_suffix(".unfinished.jsonl")
    for begin in range(0, len(left), together):
        some = left[begin : begin + together]
        for result in play_pairings(policies, players, some, seed, checkpoint=checkpoint):
            journal.add({**asdict(result), "games_end": 0})
            print(f"{result.first} {result.result:g} {result.second}", flush=True)
    checkpoint.unlink(missing_ok=True)


def ace_null(
    first: Annotated[Path, typer.Argument(help="Folder of journals by `sparring tune levels`.")],
    second: Annotated[Path, typer.Argument(help="Another, of the same class with another --seed.")],
    rating: Annotated[int, typer.Option(help="Rating of the class.")] = 1250,
    network: Annotated[str, typer.Option(help="Network of the class.")] = "strong",
    games: Annotated[int, typer.Option(min=2, help="Games between the two.")] = 200,
    seed: Annotated[int, typer.Option(help="Seed of all moves.")] = 1,
    backend: Backend = "onnxruntime",
    batch: Batch = 64,
    out: Annotated[Path, typer.Option(help="File of the result.")] = RESULTS / "null.json",
) -> None:
    """Play one class against itself, tuned with two seeds: how much of a class is noise.

    A score whose interval leaves 0.5 out would show that the seed decides the strength.
    """
    from sparring import load_policy
    from sparring.base.provenance import provenance
    from sparring.measure.ratings import wilson_interval
    from sparring.measure.reports import write_json
    from studies.ace.curve import results_in
    from studies.ace.games import Pairing, play_pairings
    from studies.ace.players import class_name, class_players

    folders = {"first": first, "second": second}
    results = {name: [r for r in results_in(f) if r["class"] == rating] for name, f in folders.items()}
    if missing := [str(folders[name]) for name, rows in results.items() if not rows]:
        raise UserError(f"{', '.join(missing)}: no tuned class {rating}")
    players = {name: class_players(f, [rating])[class_name(rating)] for name, f in folders.items()}
    policy = load_policy(network, "chess", backend=backend, batch=batch)
    pairings = [Pairing("first", "second", number) for number in range(games)]
    played = list(play_pairings(dict.fromkeys(players, policy), players, pairings, seed))
    score = sum(r.result if r.first == "first" else 1 - r.result for r in played if r.result is not None)
    low, high = wilson_interval(score / games, games)
    keys = ("theta", "start", "held_out", "gain", "gained", "steps", "converged", "nodes", "games")
    report = {
        **provenance(command_line()),
        "class": rating,
        "seed": seed,
        "games": games,
        "draws": sum(game.result == 0.5 for game in played),
        "score_of_first": {"value": score / games, "low": low, "high": high},
        "tunings": {name: {key: rows[-1][key] for key in keys} for name, rows in results.items()},
    }
    write_json(report, out)
    print(f"{score / games:.3f} ({low:.3f} to {high:.3f}) of {games} games")


def ace_evidence(
    records: Records,
    players: Annotated[int, typer.Option(min=0, help="Players with many games.")] = 150,
    games: Annotated[int, typer.Option(min=1, help="Games of each of these.")] = 50,
    shard: Shard = "1/1",
    backend: Backend = "onnxruntime",
    batch: Batch = 64,
    out: Annotated[Path, typer.Option(help="File of the evidence.")] = RESULTS / "evidence.jsonl.gz",
) -> None:
    """Evaluate the moves of people's games under all ratings, for `ace-strength`."""
    from studies.ace.evidence import evidence_rows, wanted_games, write_lines

    part, parts = (int(word) for word in shard.split("/"))
    wanted = wanted_games(records, players, games)[part - 1 :: parts]
    rows: list[dict[str, Any]] = []
    every = 1000

    def report(done: int) -> None:
        if done % every == 0:
            print(f"{done} of {len(wanted)} games", flush=True)
            write_lines(rows, out)

    for row in evidence_rows(wanted, backend, batch, report):
        rows.append(row)
    write_lines(rows, out)
    print(f"{out}: {len(rows)} players' games of {len(wanted)} games")


def ace_items(
    records: Records,
    keep: Annotated[int, typer.Option(min=1, help="Positions to keep.")] = 2000,
    games: Annotated[int, typer.Option(min=1, help="Most games of the test split.")] = 5000,
    every: Annotated[int, typer.Option(min=1, help="Look at one position in so many of each game.")] = 3,
    each: Annotated[int | None, typer.Option(min=1, help="Most games of each 200 points of rating.")] = None,
    backend: Backend = "onnxruntime",
    batch: Batch = 64,
    out: Annotated[Path, typer.Option(help="File of the positions.")] = RESULTS / "items.jsonl.gz",
) -> None:
    """Find the positions of people's games whose moves differ most by rating (experiment 2)."""
    from sparring import load_policy
    from sparring.records import Split, open_records
    from studies.ace.evidence import informative_positions, spread_over_ratings, write_lines

    human = load_policy("human", "chess", backend=backend, batch=batch)
    known = [
        game
        for path in records
        for game in open_records(path)
        if game.split() is Split.TEST and None not in game.ratings and len(game) >= 20
    ]
    if each is not None:
        known = spread_over_ratings(known, each)
    write_lines(informative_positions(human, known[:games], keep, every), out)
    print(out)


def ace_answers(
    items: Annotated[Path, typer.Option(help="File of `ace-items`.")],
    positions: Annotated[Path, typer.Option(help="Folder with puzzles and graded positions.")],
    people: Annotated[
        Path | None, typer.Option(help="File of `ace-items` with people's answers, for the calibration.")
    ] = None,
    tuning: Annotated[Path | None, typer.Option(help="Folder of tuned classes.")] = None,
    maia: Annotated[Path | None, typer.Option(help="Folder with Maia's networks.")] = None,
    stockfish: Annotated[str, typer.Option(help="Stockfish's program; empty for none.")] = "",
    levels: Annotated[
        str, typer.Option(help="Levels of the shipped level table.")
    ] = "800,1200,1600,2000,2400",
    player: Annotated[list[Path] | None, typer.Option(help="A player's TOML file; repeatable.")] = None,
    references: Annotated[bool, typer.Option(help="Ask `human` and the strong network too.")] = True,
    backend: Backend = "onnxruntime",
    batch: Batch = 64,
    out: Annotated[Path, typer.Option(help="Journal of the answers.")] = RESULTS / "answers.jsonl",
) -> None:
    """Let players take the position test (experiment 2); a stopped run resumes."""
    from sparring import load_policy
    from sparring.measure.reports import write_json
    from studies.ace.answers import collect_answers, collect_curves
    from studies.ace.position_items import read_test
    from studies.ace.respondents import all_respondents

    test = read_test(items, positions)
    numbers = [int(word) for word in levels.split(",") if word]
    curves = out.with_name("curves.json")
    if people is not None and not curves.exists():
        human = load_policy("human", "chess", backend=backend, batch=batch)
        write_json(collect_curves(human, test, people), curves)
    players = all_respondents(tuning, maia, stockfish, numbers, player or (), references, backend, batch)
    collect_answers(test, players, out)


def ace_test(
    players: Annotated[list[Path], typer.Argument(help="Players' TOML files.")],
    positions: Annotated[Path, typer.Option(help="Folder with puzzles and graded positions.")],
    report: Annotated[Path, typer.Option(help="Folder of the study: positions and calibration.")] = RESULTS,
    backend: Backend = "onnxruntime",
    batch: Batch = 64,
) -> None:
    """Estimate the Elo of players by the position test (experiment 2), with intervals."""
    from sparring import load_policy
    from sparring.measure.reports import read_json
    from studies.ace.position_items import read_test
    from studies.ace.position_scores import Calibration, rating_curves, score_player
    from studies.ace.respondents import all_respondents

    test = read_test(report / "items.jsonl.gz", positions)
    line = read_json(report / "ace.json").get("positions", {}).get("calibration")
    if line is None:
        raise UserError(f"{report / 'ace.json'} has no calibration of the position test: run `ace` first")
    calibration = Calibration(line["intercept"], line["slope"])
    human = load_policy("human", "chess", backend=backend, batch=batch)
    form = rating_curves(human, [item.state for item in test.people])
    found = all_respondents(None, None, "", (), players, False, backend, batch)
    for name, (_, _, answer) in found.items():
        scores = score_player(test, form, answer(test.states), calibration)
        people, puzzles = (
            f"{each['rating']:.0f} ({each['low']:.0f} to {each['high']:.0f})"
            for each in (scores["people"], scores["puzzles"])
        )
        print(
            f"{name}: people's positions {people}, puzzles {puzzles}, grade {scores['graded']['grade']:.2f}"
        )


def ace_go(
    records: Records,
    games: Annotated[int, typer.Option(min=8, help="Games, equally many by the stronger rank.")] = 400,
    backend: Backend = "onnxruntime",
    batch: Batch = 64,
    out: Annotated[Path, typer.Option(help="Report.")] = RESULTS / "strength-go.json",
) -> None:
    """Measure whether a Go player's rank follows from its moves."""
    from sparring import load_policy
    from sparring.base.provenance import provenance
    from sparring.measure.reports import write_json
    from studies.ace.go_strength import balanced_games, measure_go

    human = load_policy("human", "go", backend=backend, batch=batch)
    found = measure_go(human, balanced_games(records, games))
    write_json(provenance(command_line()) | found, out)
    for row in found["rows"]:
        error = f"{row['mean_absolute_error']:.2f} ({row['low']:.2f} to {row['high']:.2f})"
        print(f"{row['games']} games: error {error} ranks, without games {row['without_games']:.2f}")


def ace_strength(
    evidence: Annotated[list[Path], typer.Argument(help="Files of `ace-evidence`.")],
    model: Annotated[Path | None, typer.Option(help="File of the fitted model.")] = None,
    out: Annotated[Path, typer.Option(help="Report.")] = RESULTS / "strength.json",
) -> None:
    """Fit the strength model behind `sparring measure level`, and measure its errors on other players."""
    from sparring.base.provenance import provenance, today
    from sparring.measure.reports import write_json
    from studies.ace.strength import fit_and_measure, read_evidence

    fitted, report = fit_and_measure(read_evidence(evidence), f"{command_line()}, {today()}")
    write_json(provenance(command_line()) | report, out)
    if model is not None:
        write_json(asdict(fitted), model)
    for key in ("unseen_games", "all_games"):
        for row in report[key]:
            print(f"{key}, {row['games']}: {row['mean_absolute_error']:.0f} of {row['players']} players")
