"""`python -m studies ace` and the commands that make its parts."""

from __future__ import annotations

from dataclasses import asdict, replace
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from sparring.cli.errors import UserError
from studies.options import command_line

RESULTS = Path("results/ace")
Records: TypeAlias = Annotated[
    list[Path], typer.Option("--records", "-r", help="Tables by `sparring records build`, or game files.")
]
Backend: TypeAlias = Annotated[str, typer.Option(help="Runtime of the networks: onnxruntime or torch.")]
Batch: TypeAlias = Annotated[int, typer.Option(min=1, help="Positions that a network evaluates at once.")]
Shard: TypeAlias = Annotated[str, typer.Option(help="Part of the games, such as 1/4 for the first quarter.")]


def ace_games(
    tuning: Annotated[Path, typer.Argument(help="Folder of journals by `sparring tune levels`.")],
    classes: Annotated[str, typer.Option(help="Classes that play.")] = "1250,1650,2150,2550",
    network: Annotated[str, typer.Option(help="Network of all classes.")] = "strong",
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
    """Play the round robin of the tuned classes (experiment 1); a stopped run resumes."""
    from sparring import load_policy
    from sparring.storage import Journal
    from studies.ace.games import Pairing, play_pairings
    from studies.ace.players import class_players

    players = class_players(tuning, [int(each) for each in classes.split(",")])
    if len(players) < 2:
        raise UserError(f"{tuning} has fewer than two tuned classes of {classes}")
    if unvisited_share is not None:
        players = {name: replace(p, unvisited_share=unvisited_share) for name, p in players.items()}
    policy = load_policy(network, "chess", backend=backend, batch=batch)
    journal = Journal(out, header={"seed": seed, "players": {n: asdict(p) for n, p in players.items()}})
    played = {(frozenset((e["first"], e["second"])), e["number"]) for e in journal.entries}
    left = [
        Pairing(first, second, number)
        for number in range(games)  # all pairs advance together
        for first, second in combinations(players, 2)
        if (frozenset((first, second)), number) not in played
    ]
    for begin in range(0, len(left), together):
        for result in play_pairings(policy, players, left[begin : begin + together], seed):
            journal.add({**asdict(result), "games_end": 0})
            print(f"{result.first} {result.result:g} {result.second}", flush=True)


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

    part, parts = (int(each) for each in shard.split("/"))
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
    from sparring.reports.report import write_json
    from studies.ace.answers import collect_answers, collect_curves
    from studies.ace.position_items import read_test
    from studies.ace.respondents import all_respondents

    test = read_test(items, positions)
    numbers = [int(each) for each in levels.split(",") if each]
    curves = out.with_name("curves.json")
    if people is not None and not curves.exists():
        human = load_policy("human", "chess", backend=backend, batch=batch)
        write_json(collect_curves(human, test, people), curves)
    players = all_respondents(tuning, maia, stockfish, numbers, player or (), references, backend, batch)
    collect_answers(test, players, out)


def ace_baselines(
    records: Records,
    classes: Annotated[str, typer.Option(help="Ratings of the classes.")] = "1250,1650,2150,2550",
    policies: Annotated[str, typer.Option(help="Policies without search.")] = "human,blend,strong",
    positions: Annotated[int, typer.Option(min=16, help="Test positions of each class.")] = 1024,
    backend: Backend = "onnxruntime",
    batch: Batch = 64,
    out: Annotated[Path, typer.Option(help="File of the numbers.")] = RESULTS / "baselines.json",
) -> None:
    """Measure policies without search on the held-out moves of the tuned classes."""
    from sparring.reports.machine import provenance
    from sparring.reports.report import write_json
    from studies.ace.baselines import baselines

    ratings = [int(each) for each in classes.split(",")]
    rows = baselines(records, ratings, policies.split(","), positions, backend=backend, batch=batch)
    write_json(provenance(command_line()) | {"rows": rows}, out)
    for row in rows:
        print(f"{row['class']} {row['policy']}: {row['nats']['value']:.4f} nats")


def ace_gradients(
    records: Records,
    tuning: Annotated[Path | None, typer.Option(help="Folder of tuned classes: their Theta too.")] = None,
    classes: Annotated[str, typer.Option(help="Ratings of the classes.")] = "1250,2150",
    network: Annotated[str, typer.Option(help="Network that searches.")] = "strong",
    nodes: Annotated[int, typer.Option(min=2, help="Nodes of each search.")] = 32,
    positions: Annotated[int, typer.Option(min=16, help="Positions of each class.")] = 1024,
    backend: Backend = "onnxruntime",
    batch: Batch = 64,
    out: Annotated[Path, typer.Option(help="File of the numbers.")] = RESULTS / "gradients.json",
) -> None:
    """Compare the gradients of Algorithm 1 at the first Theta and at the tuned one."""
    from sparring import load_policy
    from sparring.reports.machine import provenance
    from sparring.reports.report import write_json
    from sparring.tuning import Theta, class_positions
    from sparring.tuning.run import results_in
    from studies.ace.gradients import compare_gradients

    policy = load_policy(network, "chess", backend=backend, batch=batch)
    tuned = {row["class"]: Theta(**row["theta"]) for row in results_in(tuning)} if tuning is not None else {}
    rows: list[dict[str, Any]] = []
    for rating in (int(each) for each in classes.split(",")):
        data = class_positions("chess", records, rating, positions)
        for name, theta in (("first", Theta()), ("tuned", tuned.get(rating))):
            if theta is not None:
                found = compare_gradients(policy, data, theta, nodes)
                rows.append({"class": rating, "at": name, **found})
                write_json(provenance(command_line()) | {"gradients": rows}, out)
                print(f"{rating}, {name} Theta", flush=True)


def ace_curve(
    records: Records,
    tuning: Annotated[Path, typer.Option(help="Folder of tuned classes.")],
    positions: Annotated[int, typer.Option(min=16, help="Test positions of each class.")] = 1024,
    network: Annotated[str, typer.Option(help="Network that searches.")] = "strong",
    backend: Backend = "onnxruntime",
    batch: Batch = 64,
    out: Annotated[Path, typer.Option(help="File of the numbers.")] = RESULTS / "curve.json",
) -> None:
    """Measure Theta as a function of the rating on the held-out moves of the tuned classes."""
    from sparring import load_policy
    from sparring.records import Split
    from sparring.reports.machine import provenance
    from sparring.reports.report import write_json
    from sparring.tuning import class_positions
    from sparring.tuning.memo import MemoizedPolicy
    from sparring.tuning.run import results_in
    from studies.ace.curve import curve_losses

    policy = MemoizedPolicy(load_policy(network, "chess", backend=backend, batch=batch))
    rows: list[dict[str, Any]] = []
    for row in curve_losses(
        policy,
        list(results_in(tuning)),
        lambda rating: class_positions("chess", records, rating, positions, split=Split.TEST),
    ):
        rows.append(row)
        write_json(provenance(command_line()) | {"rows": rows}, out)
        losses = ", ".join(f"{name} {each['value']:.4f}" for name, each in row["loss"].items())
        print(f"{row['class']}: {losses}; by phase {-row['phase_gain']['value']:+.4f}", flush=True)


def ace_cross(
    records: Records,
    tuning: Annotated[Path, typer.Option(help="Folder of tuned classes.")],
    classes: Annotated[str, typer.Option(help="Ratings of the classes.")] = "1250,1650,2150,2550",
    positions: Annotated[int, typer.Option(min=16, help="Test positions of each class.")] = 1024,
    network: Annotated[str, typer.Option(help="Network that searches.")] = "strong",
    backend: Backend = "onnxruntime",
    batch: Batch = 64,
    out: Annotated[Path, typer.Option(help="File of the numbers.")] = RESULTS / "cross.json",
) -> None:
    """Measure the Theta of each class on the held-out moves of the others."""
    from sparring import load_policy
    from sparring.records import Split
    from sparring.reports.machine import provenance
    from sparring.reports.report import write_json
    from sparring.tuning import class_positions
    from sparring.tuning.memo import MemoizedPolicy
    from sparring.tuning.run import results_in
    from studies.ace.curve import cross_losses

    wanted = [int(each) for each in classes.split(",")]
    policy = MemoizedPolicy(load_policy(network, "chess", backend=backend, batch=batch))
    rows: list[dict[str, Any]] = []
    for row in cross_losses(
        policy,
        [each for each in results_in(tuning) if each["class"] in wanted],
        lambda rating: class_positions("chess", records, rating, positions, split=Split.TEST),
    ):
        rows.append(row)
        write_json(provenance(command_line()) | {"rows": rows}, out)
        losses = ", ".join(f"{rating} {each['value']:.4f}" for rating, each in row["loss"].items())
        print(f"{row['class']}: {losses}", flush=True)


def ace_losses(
    tuning: Annotated[Path, typer.Argument(help="Folder of journals by `sparring tune levels`.")],
    positions: Annotated[Path, typer.Option(help="Scored positions, a file by `level-scores`.")],
    every: Annotated[int, typer.Option(min=1, help="Take one position in so many.")] = 3,
    classes: Annotated[str, typer.Option(help="Classes that play.")] = "1250,1650,2150,2550",
    network: Annotated[str, typer.Option(help="Network of all classes.")] = "strong",
    backend: Backend = "onnxruntime",
    batch: Batch = 64,
    out: Annotated[Path, typer.Option(help="File of the numbers.")] = RESULTS / "losses.json",
) -> None:
    """Measure the loss a move of the tuned classes in people's positions, beside people's own."""
    from sparring import load_policy
    from sparring.reports.machine import provenance
    from sparring.reports.report import write_json
    from studies.ace.losses import class_losses
    from studies.ace.players import class_players
    from studies.levels.positions import PEOPLE, read_game_positions

    players = class_players(tuning, [int(each) for each in classes.split(",")])
    policy = load_policy(network, "chess", backend=backend, batch=batch)
    scored = [each for each in read_game_positions(positions) if each.source == PEOPLE]
    rows = class_losses(policy, players, scored[::every])
    write_json(provenance(command_line()) | {"rows": rows}, out)
    for name in ("people", *players):
        mean = rows[0]["kinds"][0][name]
        print(f"{name}: {mean['mean']:.4f} ({mean['interval'][0]:.4f} to {mean['interval'][1]:.4f})")


def ace_go(
    records: Records,
    games: Annotated[int, typer.Option(min=8, help="Games, equally many by the stronger rank.")] = 400,
    backend: Backend = "onnxruntime",
    batch: Batch = 64,
    out: Annotated[Path, typer.Option(help="Report.")] = RESULTS / "strength-go.json",
) -> None:
    """Measure whether a Go player's rank follows from its moves."""
    from sparring import load_policy
    from sparring.reports.machine import provenance
    from sparring.reports.report import write_json
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
    from sparring.reports import today
    from sparring.reports.machine import provenance
    from sparring.reports.report import write_json
    from studies.ace.strength import fit_and_measure, read_evidence

    fitted, report = fit_and_measure(read_evidence(evidence), f"{command_line()}, {today()}")
    write_json(provenance(command_line()) | report, out)
    if model is not None:
        write_json(fitted.as_json(), model)
    for key in ("unseen_games", "all_games"):
        for row in report[key]:
            print(f"{key}, {row['games']}: {row['mean_absolute_error']:.0f} of {row['players']} players")


def ace(
    positions: Annotated[Path | None, typer.Option(help="Folder with the test positions.")] = None,
    out: Annotated[Path, typer.Option(help="Folder of the study.")] = RESULTS,
) -> None:
    """Report the ACE paper's experiments from the files of the folder.

    The folder has `tuning/` (`sparring tune levels`), `games.jsonl` (`ace-games`), `games-visited.jsonl` (the
    same with `--unvisited-share 0`), `items.jsonl.gz`, `answers.jsonl` and `curves.json` (`ace-items`,
    `ace-answers`), `strength.json` (`ace-strength`), `strength-go.json` (`ace-go`), `gradients.json`
    (`ace-gradients`), `curve.json` (`ace-curve`), `cross.json` (`ace-cross`), `losses.json` (`ace-losses`)
    and `baselines*.json` (`ace-baselines`).
    Parts without files are left as they are in the report.
    """
    from sparring.reports.machine import provenance
    from sparring.reports.report import read_json, write_json
    from studies.ace import report as parts
    from studies.ace.position_items import read_test

    path = out / "ace.json"
    report: dict[str, Any] = read_json(path) if path.exists() else {}
    if (out / "tuning").is_dir():
        report["tuning"] = parts.tuning_report(out / "tuning")
    for part, name in (("round_robin", "games.jsonl"), ("round_robin_visited", "games-visited.jsonl")):
        if (out / name).exists():
            report[part] = parts.games_report(out / name)
    if positions is not None and (out / "answers.jsonl").exists():
        test = read_test(out / "items.jsonl.gz", positions)
        amsterdam = positions / "amsterdam-chess-test-responses.csv"
        report["positions"] = parts.positions_report(
            test, out / "answers.jsonl", out / "curves.json", amsterdam
        )
    if baselines := sorted(out.glob("baselines*.json")):
        report["baselines"] = {"rows": [row for each in baselines for row in read_json(each)["rows"]]}
    for name in ("strength", "strength-go", "gradients", "curve", "cross", "losses"):
        if (out / f"{name}.json").exists():
            report[name] = read_json(out / f"{name}.json")
    if not report:
        raise UserError(f"{out} has no files of this study: see `python -m studies ace --help`")
    write_json({**report, **provenance(command_line())}, path)
    for figure in parts.write_figures(report, out):
        print(figure)
