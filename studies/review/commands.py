"""`python -m studies review`, `review-judge` and `review-network`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from studies.options import command_line

RESULTS = Path("results/review")
Games: TypeAlias = Annotated[Path, typer.Option("--games", help="File of people's games with ratings.")]
Folder: TypeAlias = Annotated[Path, typer.Option(help="Folder of the journals; a stopped run continues.")]
Most: TypeAlias = Annotated[int, typer.Option("--most", min=1, help="Games, half of them below 1600.")]
_NODES, _MANY_NODES = 50_000, 1_000_000


def review_judge(
    games: Games,
    folder: Folder,
    most: Most = 40,
    engine: Annotated[str, typer.Option(help="Command of Stockfish.")] = "stockfish",
) -> None:
    """Judge held-out games by Stockfish: all positions with 50,000 nodes, close ones with 1,000,000.

    Judged again are the positions before and after moves that lose 7 to 25 win points with few nodes.
    """
    from sparring.records.record import Split
    from studies.review.judge import judge_positions, sample_games
    from studies.review.measure import Judge, close_plies

    folder.mkdir(parents=True, exist_ok=True)
    sample = sample_games(games, Split.TEST, most)
    command = engine.split()
    few = folder / f"test-{_NODES}.jsonl"
    for judged in judge_positions([(game, range(len(game) + 1)) for game in sample], command, _NODES, few):
        print(f"{judged.game} {judged.ply}", end="\r", flush=True)
    judge = Judge.read(few)
    close = [(game, close_plies(game, judge)) for game in sample]
    for judged in judge_positions(close, command, _MANY_NODES, folder / f"test-{_MANY_NODES}.jsonl"):
        print(f"{judged.game} {judged.ply}", end="\r", flush=True)


def review(
    games: Games,
    folder: Folder,
    most: Most = 40,
    engine: Annotated[
        str, typer.Option(help="Command of an engine that analyses in place of our own search.")
    ] = "",
    only_report: Annotated[bool, typer.Option("--only-report", help="Review no more games.")] = False,
    out: Annotated[Path, typer.Option(help="Folder of report.json.")] = RESULTS,
) -> None:
    """Review the games that `review-judge` has judged, and measure what the review finds."""
    from sparring.base.provenance import provenance
    from sparring.base.storage import read_journal
    from sparring.measure.reports import write_json
    from sparring.records.record import Split
    from studies.review.judge import sample_games
    from studies.review.measure import ReviewedGame, report, review_games

    sample = sample_games(games, Split.TEST, most)
    own, program = folder / "own.jsonl", folder / "program.jsonl"
    if not only_report:
        journal = program if engine else own
        for reviewed in review_games(sample, journal, engine.split()):
            print(f"{reviewed.game}: {len(reviewed.losses)} moves, {reviewed.seconds:.1f} s", flush=True)

    def read(path: Path) -> list[ReviewedGame]:
        return [ReviewedGame(**row) for row in read_journal(path)[1:]] if path.exists() else []

    origin: dict[str, Any] = provenance(command_line())
    few, many = folder / f"test-{_NODES}.jsonl", folder / f"test-{_MANY_NODES}.jsonl"
    out.mkdir(parents=True, exist_ok=True)
    write_json(origin | report(sample, few, many, read(own), read(program)), out / "report.json")


def review_network(
    games: Games,
    epochs: Annotated[int, typer.Option(min=1, help="Passes over the positions.")] = 9,
    out: Annotated[Path, typer.Option(help="File of the network.")] = Path("chess.npz"),
) -> None:
    """Train the value network of the search of chess lines on games with evaluations. Needs PyTorch.

    The run lies in a folder beside the file, such as chess.run, and resumes there.
    """
    from sparring.base.storage import atomic_write
    from studies.review.network import LineNetworkTask, read_examples, train

    run = out.with_suffix(".run")
    train(read_examples(games), epochs, run, print)
    atomic_write(out, (run / LineNetworkTask.output).read_bytes())
