"""`python -m studies shogi-games`, `-unseen`, `-judge`, `-strength`, `-own`, `-days`, `-styles`,
`-openings` and `shogi-engine-moves`."""

from __future__ import annotations

import json
import shlex
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from sparring.base.errors import UserError

Games: TypeAlias = Annotated[
    Path, typer.Argument(help="Lines of date, two players, result and USI moves, with tabs.")
]
_SCALES = (300, 600, 1200)


def shogi_games(
    games: Games,
    out: Annotated[Path, typer.Option(help="Folder of the new tables `c`, `c-train` and `c-test`.")],
    test: Annotated[int, typer.Option(min=1, help="Games between people who are held out.")] = 450,
    strengths: Annotated[
        Path | None, typer.Option(help="Strengths of `shogi-strength`, which become the ratings.")
    ] = None,
    other: Annotated[
        list[Path] | None, typer.Option(help="Other games, such as people-b.hcpe; theirs are left out.")
    ] = None,
) -> None:
    """Make tables of people's games: all, those to train on, and those of people who are held out."""
    from studies.shogi.people import read_games, shared_with, split_by_player, with_ratings, write_table

    names = ("c", "c-train", "c-test")
    if any((out / name).exists() for name in names):
        raise UserError(f"{out} has tables already; choose another folder")
    records = list(read_games(games))
    split = split_by_player(records, test)
    numbers = None if strengths is None else json.loads(strengths.read_text(encoding="utf-8"))["games"]
    others = [game for path in other or [] for game in _games_of(path)]
    for name, whole in zip(names, (records, split.train, split.test), strict=True):
        part = [game for game, shared in zip(whole, shared_with(whole, others), strict=True) if not shared]
        write_table(part if numbers is None else with_ratings(part, numbers), out / name, "people-c")
        print(f"{name}: {len(part):,} games")
    mixed = len(records) - len(split.train) - len(split.test)
    print(f"{len(split.held_out):,} people are held out; {mixed:,} games are between them and other people")


def _games_of(path: Path) -> list[Any]:
    from sparring.records.readers import reader_for
    from sparring.records.sources import open_chunks

    parsed = reader_for(path, "shogi")(open_chunks(path), 0)
    return [entry.record for entry in parsed if entry.record is not None]


def shogi_unseen(
    table: Annotated[Path, typer.Argument(help="Table `c-test` of `shogi-games`, with all its games.")],
    other: Annotated[Path, typer.Option(help="Games that the networks learned from: people-b.hcpe.")],
    report: Annotated[Path, typer.Option(help="Folder of `sparring measure matching --split all`.")] = Path(
        "results/people-shogi/unseen"
    ),
    every: Annotated[int, typer.Option(min=1, help="As it was measured.")] = 5,
) -> None:
    """Divide a report on held-out people by whether a game is also among others, from its scores."""
    from sparring.base.provenance import provenance
    from sparring.measure.reports import write_json
    from studies.options import command_line
    from studies.shogi.unseen import divided

    content = divided(table, _games_of(other), report / "scores" / "trial-0", every)
    write_json(provenance(command_line()) | content, report / "unseen.json")
    print(json.dumps(content, indent=1))


def shogi_judge(
    games: Games,
    engine: Annotated[str, typer.Option(help="Command of a USI engine.")],
    out: Annotated[Path, typer.Option(help="The journal; games in it are not judged again.")],
    nodes: Annotated[int, typer.Option(min=1, help="Nodes of a search.")] = 2000,
    skip: Annotated[int, typer.Option(min=0, help="Plies at the start that are not judged.")] = 10,
    processes: Annotated[int, typer.Option(min=1, help="Processes.")] = 1,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first games of the file.")] = None,
) -> None:
    """Have an engine judge every position of people's games: its score and its move."""
    from sparring.cli.console import ProgressBar
    from studies.shogi.judge import EngineJudge, judge_people
    from studies.shogi.people import read_games

    judge = EngineJudge(tuple(shlex.split(engine)), nodes, skip)
    with ProgressBar() as bar:
        judge_people(
            list(islice(read_games(games), limit)), judge, out, processes,
            lambda done, total: bar.on_progress("judging the games", done, total),
        )  # fmt: skip


def shogi_engine_moves(
    games: Games,
    judged: Annotated[Path, typer.Option(help="Journal of `shogi-judge`.")],
    out: Annotated[Path, typer.Option(help="Folder of the new table.")],
    test: Annotated[int, typer.Option(min=1, help="As in `shogi-games`; these are left out.")] = 450,
) -> None:
    """Make a table of the engine's moves in the positions of people who are not held out."""
    from sparring.base.storage import read_journal
    from studies.shogi.judge import JudgedGame, engine_games
    from studies.shogi.people import read_games, split_by_player, write_table

    train = split_by_player(list(read_games(games)), test).train
    entries = [JudgedGame(**line) for line in read_journal(judged)[1:]]
    print(f"{write_table(engine_games(train, entries), out, 'engine'):,} positions")


def shogi_strength(
    games: Games,
    judged: Annotated[Path, typer.Option(help="Journal of `shogi-judge`.")],
    out: Annotated[Path, typer.Option(help="The strengths, as JSON.")],
) -> None:
    """Estimate people's strengths from what their moves lose and from their results."""
    from sparring.base.provenance import provenance
    from sparring.base.storage import read_journal
    from sparring.measure.reports import write_json
    from studies.options import command_line
    from studies.shogi.judge import JudgedGame
    from studies.shogi.people import read_games
    from studies.shogi.strength import best_result, estimate, make_sides

    records = list(read_games(games))
    entries = [JudgedGame(**line) for line in read_journal(judged)[1:]]
    tried = [
        (scale, clip, estimate(make_sides(entries, records, scale=scale, clip=clip)))
        for scale in _SCALES
        for clip in (True, False)
    ]
    scale, clip, chosen = min(tried, key=lambda trial: best_result(trial[2]))
    for other_scale, other_clip, found in tried:
        halves = found.report["split_half"]["10"]["halves"]
        print(
            f"{other_scale} centipawns, clipped {other_clip}: log loss of results "
            f"{best_result(found):.4f}, halves of 10 games and more {halves:.3f}"
        )
    content = {"scale": scale, "clip": clip, **chosen.report, "people": chosen.people, "games": chosen.games}
    write_json(provenance(command_line()) | content, out)


def shogi_own(
    out: Annotated[Path, typer.Option(help="File of lines of games; it is continued.")],
    policy: Annotated[str, typer.Option(help="Policy.")] = "blend",
    temperatures: Annotated[str, typer.Option(help="Temperatures, with commas.")] = "0.5,1,1.5",
    nodes: Annotated[int, typer.Option(min=0, help="Nodes of a search; 0 for none.")] = 0,
    games: Annotated[int, typer.Option(min=1, help="Games of each player against itself.")] = 20,
    seed: Annotated[int, typer.Option(min=0, help="Seed of all moves.")] = 0,
) -> None:
    """Play games of our players against themselves, for `shogi-judge` and `shogi-days`."""
    from collections import Counter

    from studies.shogi.days import Setting, play_own
    from studies.shogi.people import read_games

    there = Counter(game.first for game in read_games(out)) if out.exists() else Counter()
    settings = [Setting(policy, float(text), nodes) for text in temperatures.split(",")]
    play_own(settings, games, out, played=lambda name: there[name], seed=seed)


def shogi_days(
    judged: Annotated[Path, typer.Option(help="Journal of `shogi-judge` of people's games.")],
    own: Annotated[list[Path], typer.Option(help="Files of games of our players; may be repeated.")],
    own_judged: Annotated[
        list[Path], typer.Option(help="Journals of `shogi-judge` of those; may be repeated.")
    ],
    out: Annotated[Path, typer.Option(help="The measurements, as JSON.")] = Path(
        "results/shogi-days/days.json"
    ),
) -> None:
    """Compare what people lose a move, from their worst to their best games, with our players."""
    from sparring.base.provenance import provenance
    from sparring.base.storage import read_journal
    from sparring.measure.reports import write_json
    from studies.options import command_line
    from studies.shogi.days import by_player, days, mean_loss, side_losses
    from studies.shogi.judge import JudgedGame
    from studies.shogi.people import read_games

    journals = [read_journal(path) for path in (judged, *own_judged)]
    if any(journal[0] != journals[0][0] for journal in journals):
        raise UserError("the journals are not by one judge")
    people = side_losses([JudgedGame(**line) for line in journals[0][1:]])
    entries = [JudgedGame(**line) for journal in journals[1:] for line in journal[1:]]
    ours = by_player([game for path in own for game in read_games(path)], entries)
    content = {
        "judge": journals[0][0],
        "people": mean_loss(people),
        "days": days(people),
        "ours": {name: mean_loss(sides) for name, sides in ours.items()},
    }
    write_json(provenance(command_line()) | content, out)
    for row in content["days"]:
        print(f"{row['day']}: {row['loss']:.4f} ({row['interval'][0]:.4f} to {row['interval'][1]:.4f})")
    for name, row in content["ours"].items():
        low, high = row["interval"]
        print(f"{name}: {row['loss']:.4f} ({low:.4f} to {high:.4f}), {row['games']} games")


def shogi_styles(
    games: Games,
    model: Annotated[Path, typer.Option(help="The fitted model, as JSON.")],
    out: Annotated[Path, typer.Option(help="The measurements, as JSON.")] = Path(
        "results/shogi-styles/styles.json"
    ),
    test: Annotated[int, typer.Option(min=1, help="Games between people who are held out.")] = 450,
    policy: Annotated[str, typer.Option(help="Policy whose moves are compared.")] = "human",
) -> None:
    """Fit and measure the model of static and ranging rook."""
    from sparring.base.provenance import provenance
    from sparring.measure.reports import write_json
    from sparring.policies import load_policy
    from studies.options import command_line
    from studies.shogi import opening_style
    from studies.shogi.people import read_games, split_by_player

    records = list(read_games(games))
    split = split_by_player(records, test)
    labelled, held_out = opening_style.label(split.train), opening_style.label(split.test)
    fitted = opening_style.fit(labelled)
    write_json({"fitted_on": len(labelled), "weights": fitted.weights}, model)
    content = {
        "people": opening_style.counts(opening_style.label(records)),
        "weights": len(fitted.weights),
        "train": len(labelled),
        "test": len(held_out),
        "accuracy": opening_style.accuracy(fitted, held_out),
        "matching": opening_style.matching(fitted, held_out, load_policy(policy, "shogi")),
    }
    write_json(provenance(command_line()) | content, out)
    print(json.dumps(content["matching"], indent=1))


def shogi_openings(
    games: Annotated[int, typer.Option(min=1, help="Openings without a style and with each.")] = 40,
    seed: Annotated[int, typer.Option(min=0, help="Seed of all moves.")] = 0,
    out: Annotated[Path, typer.Option(help="The shares, as JSON.")] = Path(
        "results/shogi-styles/openings.json"
    ),
) -> None:
    """Play openings of the default level with and without a style."""
    from sparring.base.provenance import provenance
    from sparring.measure.reports import write_json
    from studies.options import command_line
    from studies.shogi.opening_style import play_openings

    rows = play_openings(games, seed)
    write_json(provenance(command_line()) | {"openings": rows}, out)
    for style, row in rows.items():
        low, high = row["interval"]
        print(f"{style}: {row['ranging']:.2f} ({low:.2f} to {high:.2f}) of {games} range")
