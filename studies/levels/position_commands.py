"""The commands that compare levels with people on positions: losses, matching and likelihood."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from sparring.base.errors import UserError
from sparring.cli.arguments import whole_numbers
from studies.levels.options import RESULTS
from studies.options import command_line


def level_positions(
    records: Annotated[list[Path], typer.Option("--records", "-r", help="PGN files with ratings.")],
    classes: Annotated[
        str, typer.Option(help="Ratings of the classes.")
    ] = "800,1000,1100,1200,1400,1500,1600,1800,1900,2000,2200,2400",
    whole: Annotated[
        str, typer.Option(help="Classes of whose games all positions are taken.")
    ] = "1100,1500,1900",
    games: Annotated[int, typer.Option(min=1, help="Games of each class.")] = 60,
    each: Annotated[int, typer.Option(min=1, help="Positions of a game of the other classes.")] = 4,
    out: Annotated[Path, typer.Option(help="File of the positions.")] = RESULTS / "people.jsonl.gz",
) -> None:
    """Collect positions of people by rating from test games, for `level-scores`."""
    from studies.levels.positions import people_positions, write_game_positions

    found = list(people_positions(records, whole_numbers(classes), games, each, whole_numbers(whole)))
    write_game_positions(found, out)
    print(f"{out}: {len(found):,} positions")


def level_scores(
    people: Annotated[Path, typer.Argument(help="File by `level-positions`.")],
    own: Annotated[str, typer.Option(help="Ratings of our own games at temperature 1.")] = "1100,1500,1900",
    policy: Annotated[str, typer.Option(help="Policy of our own games.")] = "human",
    games: Annotated[int, typer.Option(min=1, help="Games of each rating.")] = 60,
    backend: Annotated[str, typer.Option(help="Runtime of the networks.")] = "onnxruntime",
    stockfish: Annotated[str, typer.Option(help="Stockfish's program.")] = "stockfish",
    nodes: Annotated[int, typer.Option(min=100, help="Nodes of each analysis.")] = 30_000,
    concurrency: Annotated[int, typer.Option(min=1, help="Processes.")] = 1,
    out: Annotated[Path, typer.Option(help="File of the positions.")] = RESULTS / "positions.jsonl.gz",
) -> None:
    """Play games of our own, and evaluate all moves of all positions with Stockfish."""
    from sparring.base.workers import LocalWorkerPool
    from sparring.players import PlayerConfig
    from sparring.policies import load_policy
    from studies.levels.positions import own_positions, read_game_positions, write_game_positions
    from studies.levels.scoring import ScoreTask, ScoreWorker

    positions = read_game_positions(people)
    if own:
        opened = load_policy(policy, "chess", backend=backend, batch=256)
        for rating in whole_numbers(own):
            config = PlayerConfig("chess", model=policy, rating=rating)
            positions += own_positions(config, opened, f"{policy}, own games", rating, games)
    print(f"{len(positions):,} positions", flush=True)
    tasks = [ScoreTask(start, tuple(positions[start : start + 50])) for start in range(0, len(positions), 50)]
    pool = LocalWorkerPool(partial(ScoreWorker, stockfish, nodes), concurrency)
    scored = {}
    with pool:
        for start, found in pool.run(iter(tasks)):
            scored[start] = found
            if len(scored) % 20 == 0:
                print(f"{50 * len(scored):,} scored", flush=True)
                write_game_positions([each for key in sorted(scored) for each in scored[key]], out)
    write_game_positions([each for key in sorted(scored) for each in scored[key]], out)


def level_losses(
    positions: Annotated[Path, typer.Argument(help="File by `level-scores`.")] = RESULTS
    / "positions.jsonl.gz",
    policy: Annotated[str, typer.Option(help="Policy that is compared with people.")] = "human",
    backend: Annotated[str, typer.Option(help="Runtime of the networks.")] = "onnxruntime",
    out: Annotated[Path, typer.Option(help="JSON file of the report.")] = RESULTS / "losses.json",
) -> None:
    """Find where a policy loses strength: expected loss beside people's by kind of position."""
    from sparring.base.provenance import provenance
    from sparring.measure.reports import write_json
    from sparring.policies import load_policy
    from studies.levels.diagnosis import diagnose, diagnosis_table
    from studies.levels.positions import read_game_positions

    opened = load_policy(policy, "chess", backend=backend, batch=256)
    rows = diagnose(opened, policy, read_game_positions(positions))
    write_json(provenance(command_line()) | {"policy": opened.name, "rows": rows}, out)
    print(diagnosis_table(rows))


def level_yardstick(
    positions: Annotated[Path, typer.Argument(help="File by `level-scores`.")] = RESULTS
    / "positions.jsonl.gz",
    players: Annotated[Path | None, typer.Option(help="Level table (default: the shipped one).")] = None,
    classes: Annotated[
        str, typer.Option(help="Classes of people.")
    ] = "800,1000,1200,1400,1600,1800,2000,2200,2400",
    stockfish: Annotated[
        str, typer.Option(help="Stockfish's program, to compare with; empty for none.")
    ] = "stockfish",
    draws: Annotated[int, typer.Option(min=1, help="Moves that Stockfish draws in a position.")] = 8,
    concurrency: Annotated[int, typer.Option(min=1, help="Processes of Stockfish.")] = 1,
    backend: Annotated[str, typer.Option(help="Runtime of the networks.")] = "onnxruntime",
    out: Annotated[Path, typer.Option(help="JSON file; the tables are beside it, in .md.")] = RESULTS
    / "yardstick.json",
) -> None:
    """Compare each level's player with people of its rating: loss a move, matching and likelihood."""
    from sparring.base.provenance import provenance
    from sparring.base.storage import atomic_write
    from sparring.measure.reports import write_json
    from sparring.players import read_level_table, shipped_levels
    from sparring.policies import load_policy
    from studies.levels.engine_shares import engine_shares
    from studies.levels.positions import read_game_positions
    from studies.levels.yardstick import (
        BLEND,
        class_positions,
        equivalent_ratings,
        equivalent_table,
        level_columns,
        loss_table,
        matching_table,
        yardstick_rows,
    )

    table = shipped_levels("chess", "engine") if players is None else read_level_table(players)
    assert table is not None
    scored = read_game_positions(positions)
    levels = [level for level in whole_numbers(classes) if class_positions(scored, level)]
    names = {BLEND, *(table.at(level).model for level in levels)}
    policies = {name: load_policy(name, "chess", backend=backend, batch=256) for name in names}
    found = []
    for level in levels:
        wanted = {level: [class_position.state for class_position in class_positions(scored, level)]}
        shares = engine_shares(stockfish, wanted, draws, concurrency) if stockfish else {}
        found.append(level_columns(policies, table, scored, level, shares.get(level)))
        rows = yardstick_rows(found)
        report = provenance(command_line()) | {"rows": rows, "dials": [table.keys(each) for each in levels]}
        tables = [matching_table(rows), loss_table(rows)]
        if len(found) > 1:
            report["equivalent"] = equivalent_ratings(found)
            tables.append(equivalent_table(report["equivalent"]))
        write_json(report, out)
        atomic_write(out.with_suffix(".md"), ("\n\n".join(tables) + "\n").encode())
        print(f"{level}: {len(found[-1].positions)} positions", flush=True)


def level_candidates(
    candidates: Annotated[
        list[str],
        typer.Argument(help="policy:nodes; a policy is a name, or the share of the strong network."),
    ],
    positions: Annotated[Path, typer.Option(help="File by `level-scores`.")] = RESULTS
    / "positions-levels.jsonl.gz",
    classes: Annotated[str, typer.Option(help="Classes of people.")] = "1600,1800,2000,2200,2400",
    every: Annotated[int, typer.Option(min=1, help="Every so many positions of a class.")] = 1,
    backend: Annotated[str, typer.Option(help="Runtime of the networks.")] = "onnxruntime",
    out: Annotated[Path, typer.Option(help="JSON file; the table is beside it, in .md.")] = RESULTS
    / "dials/candidates.json",
) -> None:
    """Compare candidates for the players of levels: likelihood of people's moves, and expected loss."""
    from sparring.base.provenance import provenance
    from sparring.base.storage import atomic_write
    from sparring.measure.reports import write_json
    from sparring.policies import load_policy
    from studies.levels.candidates import candidate_row, candidate_table, mixture, people_row
    from studies.levels.positions import read_game_positions
    from studies.levels.yardstick import class_positions

    parsed = [_candidate(text) for text in candidates]
    open_policy = partial(load_policy, game="chess", backend=backend, batch=64)
    human, strong = open_policy("human"), open_policy("strong")
    scored = read_game_positions(positions)
    people, rows = [], []
    for level in whole_numbers(classes):
        chosen = class_positions(scored, level)[::every]
        people.append(people_row(level, chosen))
        for name, nodes in parsed:
            share = name.replace(".", "", 1).isdigit()
            policy = mixture(human, strong, float(name)) if share else open_policy(name)
            rows.append(candidate_row(policy, level, nodes, chosen))
            write_json(provenance(command_line()) | {"people": people, "rows": rows}, out)
            atomic_write(out.with_suffix(".md"), (candidate_table(people, rows) + "\n").encode())
        print(f"{level}: {len(chosen)} positions", flush=True)


def _candidate(text: str) -> tuple[str, int]:
    """The policy and the nodes of a candidate. Raises UserError."""
    name, _, nodes = text.rpartition(":")
    if not name or not nodes.isdecimal():
        raise UserError(f"{text}: expected policy:nodes, such as level-blend:80")
    return name, int(nodes)
