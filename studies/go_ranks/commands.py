"""`python -m studies go-people`, `go-games` and `go-matches`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from studies.options import command_line

if TYPE_CHECKING:
    from studies.go_ranks.games import Match, Setting

RESULTS = Path("results/go-ranks")
_FOX = "5k,4k,3k,2k,1k,1d,2d,3d,4d,5d,6d,7d,8d,9d"

Ranks: TypeAlias = Annotated[str, typer.Option(help="Ranks, with commas.")]
Together: TypeAlias = Annotated[int, typer.Option(min=1, help="Games that a process plays in lockstep.")]
Processes: TypeAlias = Annotated[int, typer.Option(min=1, help="Processes.")]
RunBackend: TypeAlias = Annotated[str, typer.Option(help="Runtime of the networks.")]
Size: TypeAlias = Annotated[int, typer.Option(help="Rows and columns of the board.")]


def go_people(
    test: Annotated[Path, typer.Option(help="SGF file of games between people of one rank.")],
    training: Annotated[Path, typer.Option(help="SGF file of the games that networks were trained on.")],
    judge: Annotated[str, typer.Option(help="KataGo network with ownership, which counts final positions.")],
    per_rank: Annotated[int, typer.Option(min=1, help="Most games of a rank in the sample.")] = 150,
    out: Annotated[Path, typer.Option(help="Folder of people.sgf, unseen.sgf and people.json.")] = RESULTS,
) -> None:
    """Prepare people's games: a sample by rank with inferred komi, and the games of unseen people."""
    from collections import Counter

    from sparring.base.provenance import provenance
    from sparring.base.storage import atomic_write
    from sparring.measure.reports import write_json
    from sparring.policies import load_policy
    from studies.go_ranks import people

    games = people.read_games(test)
    fresh = people.unseen(games, training)
    found = people.infer_komi(games, load_policy(judge, "go"))
    komi = {id(games[index]): points for index, (_, points) in found.items() if points == 0}

    def text(game: people.FoxGame) -> str:
        return people.corrected(game, komi.get(id(game), people.USUAL_KOMI))

    sample = people.draw_sample(games, per_rank)
    atomic_write(out / "people.sgf", "".join(map(text, sample)))
    atomic_write(out / "unseen.sgf", "".join(map(text, fresh)))
    counts = {
        name: dict(Counter(game.rank for game in chosen))
        for name, chosen in (("all", games), ("sample", sample), ("unseen", fresh))
    }
    facts = {"komi": people.komi_facts(games, found), "games": counts}
    write_json(provenance(command_line()) | facts, out / "people.json")
    print(f"{len(sample):,} games in the sample, {len(fresh):,} of unseen people; komi: {facts['komi']}")


def go_games(
    model: Annotated[list[str], typer.Option("--model", "-m", help="Policy; may be repeated.")],
    ranks: Ranks = _FOX,
    temperatures: Annotated[str, typer.Option(help="Temperatures, with commas.")] = "0.7,0.85,1",
    games: Annotated[int, typer.Option(min=1, help="Games of each player against itself.")] = 150,
    together: Together = 75,
    processes: Processes = 1,
    size: Size = 19,
    seed: Annotated[int, typer.Option(help="Seed of all moves.")] = 1,
    backend: RunBackend = "onnxruntime",
    batch: Annotated[int, typer.Option(min=1, help="Positions that a network evaluates at once.")] = 64,
    out: Annotated[Path, typer.Option(help="Folder of MODEL-TEMPERATURE.sgf.")] = RESULTS / "games",
) -> None:
    """Play games of each rank against itself, for each policy and temperature."""
    from sparring.players import PlayerConfig
    from sparring.policies import policy_name
    from studies.go_ranks.games import Match, Setting

    matches = []
    for source in model:
        for temperature in temperatures.split(","):
            for rank in ranks.split(","):
                name = f"{policy_name(source)}-T{float(temperature):g}"
                config = PlayerConfig(
                    "go", name=name, model=source, rating=rank, temperature=float(temperature)
                )
                matches.append(Match((config, config), range(games)))
    _play(matches, Setting(size, seed=seed, backend=backend, batch=batch), together, processes, out)


def go_matches(
    table: Annotated[Path, typer.Argument(help="Rank table: TOML with [[levels]], as `go-fit` writes it.")],
    apart: Annotated[str, typer.Option(help="Ranks between the players, with commas.")] = "2,6",
    games: Annotated[int, typer.Option(min=2, help="Games of a pair.")] = 200,
    together: Together = 50,
    processes: Processes = 1,
    size: Size = 19,
    seed: Annotated[int, typer.Option(help="Seed of all moves.")] = 1,
    backend: RunBackend = "onnxruntime",
    batch: Annotated[int, typer.Option(min=1, help="Positions that a network evaluates at once.")] = 64,
    out: Annotated[Path, typer.Option(help="Folder of WEAKER-STRONGER.sgf and matches.json.")] = RESULTS
    / "matches",
) -> None:
    """Play matches between ranks, and score them by area without dead stones."""
    from dataclasses import replace

    from sparring.base.provenance import provenance
    from sparring.games.ratings import rank_text
    from sparring.measure.reports import write_json
    from sparring.players.levels import read_level_table
    from studies.go_ranks.games import Match, Setting, match_scores

    rows = read_level_table(table)
    players = []
    for row in rows.levels:
        rank = rank_text(row.rating or row.level)
        config = rows.at(row.level)
        players.append(replace(config, name=rank, rating=rank, level=None))
    matches = [
        Match((weak, strong), range(games))
        for distance in map(int, apart.split(","))
        for weak, strong in zip(players, players[distance:], strict=False)
    ]
    _play(matches, Setting(size, seed=seed, backend=backend, batch=batch), together, processes, out)
    scores = [match_scores(out / f"{match.label}.sgf") for match in matches]
    write_json(provenance(command_line()) | {"matches": scores}, out / "matches.json")
    for entry in scores:
        low, high = entry["interval"]
        print(f"{entry['stronger']} - {entry['weaker']}: {entry['score']:.3f} ({low:.3f} to {high:.3f})")


def _play(matches: list[Match], setting: Setting, together: int, processes: int, out: Path) -> None:
    """Plays matches and writes the games of each label to a file."""
    from sparring.base.storage import atomic_write
    from sparring.base.workers import LocalWorkerPool
    from studies.go_ranks.games import GamesWorker, tasks

    texts: dict[str, list[str]] = {}
    played = 0
    total = sum(len(match.games) for match in matches)
    with LocalWorkerPool(partial(GamesWorker, setting), processes) as pool:
        for label, games in pool.run(tasks(matches, together)):
            texts.setdefault(label, []).extend(games)
            played += len(games)
            print(f"{played:,} of {total:,} games", flush=True)
    for label, games in texts.items():
        atomic_write(out / f"{label}.sgf", "".join(sorted(games)))
