"""`python -m studies go-people`, `go-kgs`, `go-games`, `go-fit`, `go-own`, `go-judge`, `go-losses`,
`go-matches`, `go-counting`, `go-score`, `go-ladders`, `go-kit` and `go-judging-kit`."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from studies.options import command_line

if TYPE_CHECKING:
    from sparring.players import PlayerConfig

RESULTS = Path("results/go-ranks")
_FOX = "5k,4k,3k,2k,1k,1d,2d,3d,4d,5d,6d,7d,8d,9d"

Ranks: TypeAlias = Annotated[str, typer.Option(help="Ranks, with commas.")]
Together: TypeAlias = Annotated[int, typer.Option(min=1, help="Games that a process plays in lockstep.")]
Processes: TypeAlias = Annotated[int, typer.Option(min=1, help="Processes.")]
RunBackend: TypeAlias = Annotated[str, typer.Option(help="Runtime of the networks.")]
Size: TypeAlias = Annotated[int, typer.Option(help="Rows and columns of the board.")]
Plies: TypeAlias = Annotated[int, typer.Option(min=1, help="Length limit of a game, in plies.")]


def go_people(
    test: Annotated[Path, typer.Option(help="SGF file of games between people of one rank.")],
    training: Annotated[Path, typer.Option(help="SGF file of the games that networks were trained on.")],
    judge: Annotated[str, typer.Option(help="KataGo network with ownership, which counts final positions.")],
    per_rank: Annotated[int, typer.Option(min=1, help="Most games of a rank in the sample.")] = 150,
    out: Annotated[
        Path, typer.Option(help="Folder of people.sgf, unseen.sgf, unseen.json and people.json.")
    ] = RESULTS,
) -> None:
    """Prepare people's games: a sample by rank with inferred komi, and the games of unseen people.

    unseen.json has the identities of the latter as they are in the file, without another komi.
    """
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
    identities = sorted(f"{game.record.identity('go'):016x}" for game in fresh)
    write_json({"test": test.name, "training": training.name, "games": identities}, out / "unseen.json")
    facts = {"komi": people.komi_facts(games, found), "games": counts}
    write_json(provenance(command_line()) | facts, out / "people.json")
    print(f"{len(sample):,} games in the sample, {len(fresh):,} of unseen people; komi: {facts['komi']}")


def go_kgs(
    records: Annotated[Path, typer.Argument(help="SGF file of KGS games.")],
    ranks: Ranks = f"10k,9k,8k,7k,6k,{_FOX}",
    per_rank: Annotated[int, typer.Option(min=1, help="Most games of a rank.")] = 150,
    out: Annotated[Path, typer.Option(help="SGF file.")] = RESULTS / "kgs.sgf",
) -> None:
    """Prepare games of KGS for `sparring measure mistakes --points --by-mover`."""
    from sparring.base.storage import atomic_write
    from sparring.go.sgf import to_sgf
    from studies.go_ranks.people import kgs_sample

    games = kgs_sample(records, ranks.split(","), per_rank)
    atomic_write(out, "".join(map(to_sgf, games)))
    print(f"{len(games):,} games")


def go_games(
    model: Annotated[list[str], typer.Option("--model", "-m", help="Policy; may be repeated.")],
    ranks: Ranks = _FOX,
    temperatures: Annotated[str, typer.Option(help="Temperatures, with commas.")] = "0.7,0.85,1",
    games: Annotated[int, typer.Option(min=1, help="Games of each player against itself.")] = 150,
    together: Together = 75,
    processes: Processes = 1,
    size: Size = 19,
    seed: Annotated[int, typer.Option(help="Seed of all moves.")] = 1,
    plies: Plies = 240,
    backend: RunBackend = "onnxruntime",
    batch: Annotated[int, typer.Option(min=1, help="Positions that a network evaluates at once.")] = 64,
    out: Annotated[Path, typer.Option(help="Folder of MODEL-TEMPERATURE.sgf.")] = RESULTS / "games",
) -> None:
    """Play games of each rank against itself, for each policy and temperature, about as long as people's."""
    from sparring.players import PlayerConfig
    from sparring.policies import policy_name
    from studies.go_ranks.games import Match, Setting, play_matches

    matches = []
    for source in model:
        for temperature in temperatures.split(","):
            for rank in ranks.split(","):
                name = f"{policy_name(source)}-T{float(temperature):g}"
                config = PlayerConfig(
                    "go", name=name, model=source, rating=rank, temperature=float(temperature)
                )
                matches.append(Match((config, config), range(games)))
    play_matches(
        matches, Setting(size, seed=seed, backend=backend, batch=batch, plies=plies), together, processes, out
    )


def go_own(
    table: Annotated[Path, typer.Argument(help="Rank table, as `go-fit` writes it.")],
    games: Annotated[int, typer.Option(min=1, help="Games of each player against itself.")] = 150,
    together: Together = 75,
    processes: Processes = 1,
    size: Size = 19,
    seed: Annotated[int, typer.Option(help="Seed of all moves.")] = 2,
    plies: Plies = 240,
    backend: RunBackend = "onnxruntime",
    batch: Annotated[int, typer.Option(min=1, help="Positions that a network evaluates at once.")] = 64,
    out: Annotated[Path, typer.Option(help="Folder of own.sgf.")] = RESULTS / "own",
) -> None:
    """Play games of each player of a rank table against itself."""
    from dataclasses import replace

    from studies.go_ranks.games import Match, Setting, play_matches

    players = [replace(player, name="own") for player in _players(table)]
    matches = [Match((player, player), range(games)) for player in players]
    play_matches(
        matches, Setting(size, seed=seed, backend=backend, batch=batch, plies=plies), together, processes, out
    )


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
    from sparring.base.provenance import provenance
    from sparring.measure.reports import write_json
    from studies.go_ranks.games import Match, Setting, match_scores, play_matches

    players = _players(table)
    matches = [
        Match((weak, strong), range(games))
        for distance in map(int, apart.split(","))
        for weak, strong in product(players, players)
        if _step(strong) - _step(weak) == distance
    ]
    play_matches(matches, Setting(size, seed=seed, backend=backend, batch=batch), together, processes, out)
    scores = [match_scores(out / f"{match.label}.sgf") for match in matches]
    write_json(provenance(command_line()) | {"matches": scores}, out / "matches.json")
    for entry in scores:
        low, high = entry["interval"]
        print(f"{entry['stronger']} - {entry['weaker']}: {entry['score']:.3f} ({low:.3f} to {high:.3f})")


def go_counting(
    games: Annotated[str, typer.Option(help="SIZE=GAMES, with commas.")] = "9=90,13=60,19=50",
    ranks: Annotated[
        str | None, typer.Option(help="Ranks of our players, with commas; without it three engine levels.")
    ] = None,
    gnugo_level: Annotated[int, typer.Option(min=1, max=10, help="Level of GNU Go.")] = 1,
    judge: Annotated[
        str | None, typer.Option(help="KataGo network with ownership: a third opinion where two differ.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of all moves.")] = 1,
    earlier: Annotated[
        Path | None, typer.Option(help="Games of an earlier version, whose last positions are counted anew.")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder of games.jsonl and counting.json.")] = Path(
        "results/go-counting"
    ),
) -> None:
    """Play games against GNU Go to the end and compare both counts; a stopped run resumes."""
    from dataclasses import asdict

    from sparring.base.provenance import provenance
    from sparring.base.storage import Journal, read_journal
    from sparring.games.ratings import rank_order
    from sparring.measure.reports import write_json
    from sparring.policies import load_policy
    from studies.go_ranks import counting

    sizes = counting.parse_games(games)
    players = counting.Players()
    if ranks is not None:
        players = counting.Players(tuple(map(rank_order, ranks.split(","))), "people")
    header = {
        "gnugo_level": gnugo_level,
        "seed": seed,
        "komi": counting.KOMI,
        "levels": list(players.levels),
    }
    journal = Journal(out / "games.jsonl", header=header)
    done = [counting.CountedGame(**entry) for entry in journal.entries]
    for game, seconds in counting.play_all(sizes, players, gnugo_level, seed, done):
        journal.add(asdict(game))
        done.append(game)
        agree = "equal" if game.ours == game.gnugo else f"ours {game.ours:+g}, GNU Go {game.gnugo:+g}"
        print(f"{game.size}x{game.size} {game.number}: {agree}, {seconds:.0f} s", flush=True)
    played = {"played": list(done), "earlier": [], "together": done}
    if earlier is not None:
        old = [counting.CountedGame(**entry) for entry in read_journal(earlier)[1:]]
        played["earlier"] = [counting.recounted(game) for game in old]
        changed = counting.summary(old)["games"]["all"]["equal_score"]
        print(f"earlier, as counted then: {changed['share']:.3f} of {len(old)}")
        played["together"] = [*done, *played["earlier"]]
        for name in counting.COUNTS:
            played[name] = [counting.recounted(game, name) for game in [*done, *old]]
    network = None if judge is None else load_policy(judge, "go")
    content = {}
    for part, some in played.items():
        if some:
            opinions = None if network is None else counting.third_opinions(some, network)
            content[part] = counting.summary(some, opinions)
    write_json(provenance(command_line()) | header | content, out / "counting.json")
    for part in ("together", *counting.COUNTS):
        for name, shares in content.get(part, {"games": {}})["games"].items():
            low, high = shares["equal_score"]["interval"]
            share = f"{shares['equal_score']['share']:.3f} ({low:.3f} to {high:.3f})"
            print(f"{part}, {name}: {share} of {shares['games']}")


def go_score(
    games: Annotated[Path, typer.Argument(help="SGF file of games between people of one rank.")],
    judge: Annotated[str, typer.Option(help="KataGo network with ownership and lead.")],
    finished: Annotated[list[Path], typer.Option(help="Games of `go-counting`; may be repeated.")],
    per_rank: Annotated[int, typer.Option(min=1, help="Most games of a rank.")] = 8,
    out: Annotated[Path, typer.Option(help="The table, as JSON.")] = Path("results/go-counting/score.json"),
) -> None:
    """Compare the estimated score with a KataGo network's lead and with the result.

    Of the finished games those with odd numbers: the worth of a move on small boards was fitted on the
    others.
    """
    from sparring.base.provenance import provenance
    from sparring.base.storage import read_journal
    from sparring.measure.reports import write_json
    from sparring.policies import load_policy
    from studies.go_ranks import counting, people, score

    network = load_policy(judge, "go")
    entries = [entry for path in finished for entry in read_journal(path)[1:]]
    done = [game for entry in entries if (game := counting.CountedGame(**entry)).number % 2]
    positions = score.of_people(people.read_games(games), per_rank, network)
    for size in (9, 13):
        positions += score.of_finished(done, size)
    rows = score.table(positions, score.judged(positions, network))
    write_json(provenance(command_line()) | {"rows": rows}, out)
    for row in rows:
        shown = {name: (row[name]["error"][0], row[name]["right_winner"][0]) for name in score.ESTIMATES}
        errors = ", ".join(f"{name} {error:.1f} ({right:.0%})" for name, (error, right) in shown.items())
        print(f"{row['size']}x{row['size']} ply {row['ply']}, {row['positions']} positions: {errors}")


def go_ladders(
    games: Annotated[Path, typer.Argument(help="SGF file of games between people of one rank.")],
    model: Annotated[list[str], typer.Option("--model", "-m", help="Policy; may be repeated.")],
    per_rank: Annotated[int, typer.Option(min=1, help="Most games of a rank.")] = 40,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the bootstrap.")] = 0,
    out: Annotated[Path, typer.Option(help="The table, as JSON.")] = Path("results/go-ladders/ladders.json"),
) -> None:
    """Compare what people and policies of a rank play where there is a ladder."""
    from sparring.base.config import usable_threads
    from sparring.base.provenance import provenance
    from sparring.measure.reports import write_json
    from sparring.policies import load_policy, policy_name
    from studies.go_ranks import ladders, people

    sample = people.draw_sample(people.read_games(games), per_rank)
    found = list(ladders.find_ladders(sample))
    print(f"{len(found):,} positions with ladders in {len(sample):,} games", flush=True)
    shares = {
        policy_name(source): ladders.policy_shares(
            found, load_policy(source, "go", threads=usable_threads(1))
        )
        for source in model
    }
    rows = ladders.table(found, shares, seed)
    write_json(provenance(command_line()) | {"games": len(sample), "rows": rows}, out)
    for row in rows:
        values = ", ".join(f"{name} {row[name]:.3f}" for name in ("people", *shares))
        print(f"{row['kind']} {row['length']} {row['rank']}: {values} ({row['positions']:,} positions)")


def go_kit(
    games: Annotated[Path, typer.Option(help="Folder of the SGF files of Fox and KGS.")],
    nets: Annotated[Path, typer.Option(help="Folder of KataGo's g170e-b15c192.")],
    out: Annotated[Path, typer.Option(help="Folder to write.")],
    kgs_share: Annotated[
        float, typer.Option(min=0, max=1, help="Share of the KGS games of 6d and above that is kept.")
    ] = 0.3,
) -> None:
    """Write a folder that trains the network of ranks on a machine without a network."""
    from studies.go_ranks.kit import make_kit

    parts = make_kit(games, nets, out, kgs_share, lambda part: print(f"{part.name}: {part.bytes:,} bytes"))
    print(f"{sum(part.bytes for part in parts):,} bytes; there: bash {out.name}/run.sh SECONDS OUT")


def go_judging_kit(
    network: Annotated[Path, typer.Option(help="The network that knows ranks, an ONNX file.")],
    people: Annotated[Path, typer.Option(help="people.sgf of `go-people`.")],
    nets: Annotated[Path, typer.Option(help="Folder of KataGo's g170e-b15c192.")],
    out: Annotated[Path, typer.Option(help="Folder to write.")],
) -> None:
    """Write a folder that plays games of ranks and judges them on a machine without a network."""
    from studies.go_ranks.kit import make_judging_kit

    parts = make_judging_kit(
        network, people, nets, out, lambda part: print(f"{part.name}: {part.bytes:,} bytes")
    )
    print(f"{sum(part.bytes for part in parts):,} bytes; there: bash {out.name}/run.sh SECONDS OUT")


def go_judge(
    games: Annotated[list[Path], typer.Argument(help="SGF files of games between players of one rank.")],
    judge: Annotated[str, typer.Option(help="Network that predicts a lead.")],
    visits: Annotated[int, typer.Option(min=1, help="Visits of a search of a position.")] = 16,
    every: Annotated[int, typer.Option(min=1, help="One position in so many of a game.")] = 4,
    per_rank: Annotated[int, typer.Option(min=1, help="Games of a rank in a part.")] = 10,
    seconds: Annotated[float, typer.Option(help="No part is begun after this time.")] = 86400,
    backend: RunBackend = "onnxruntime",
    batch: Annotated[int, typer.Option(min=1, help="Positions that a network evaluates at once.")] = 64,
    threads: Annotated[int, typer.Option(min=1, help="Searches at the same time.")] = 1,
    out: Annotated[Path, typer.Option(help="Folder of the parts and their leads.")] = RESULTS / "judged",
) -> None:
    """Judge points lost in the parts of several files in turn; a run that ended goes on."""
    import time

    from sparring.measure import PointsConfig
    from studies.go_ranks.judging import judge_parts, write_parts

    sources = [write_parts(path, per_rank, out) for path in games]
    config = PointsConfig("go", judge, visits, backend, threads, batch)
    judge_parts(
        sources,
        config,
        every,
        time.monotonic() + seconds,
        lambda part, positions: print(f"{part.name}: {positions:,} positions", flush=True),
    )


def go_losses(
    judged: Annotated[Path, typer.Argument(help="Folder of judged parts, as `go-judge` writes it.")],
    judge: Annotated[str, typer.Option(help="The judge and its visits, in words.")],
    out: Annotated[Path, typer.Option(help="Folder of SOURCE/mistakes.json.")] = RESULTS / "losses",
) -> None:
    """Write the points lost by rank of each source of judged games."""
    from sparring.base.provenance import provenance
    from sparring.measure.reports import write_json
    from studies.go_ranks.judging import judged_sources

    for name, groups in judged_sources(judged):
        content = {"game": "go", "judge": judge, "unit": "points", "groups": groups}
        write_json(provenance(command_line()) | content, out / name / "mistakes.json")
        for rank, entry in groups.items():
            drift = entry["drift"]
            values = f"{drift['value']:.3f} ({drift['low']:.3f} to {drift['high']:.3f})"
            print(f"{name} {rank}: {values}, {entry['games']} games, {entry['moves']:,} moves")


def go_fit(
    people: Annotated[Path, typer.Argument(help="mistakes.json of people's games, by rank.")],
    ours: Annotated[
        list[Path],
        typer.Argument(help="Folders NAME-TTEMPERATURE or NAME-NODES-TTEMPERATURE of mistakes.json of ours."),
    ],
    ranks: Ranks = f"10k,9k,8k,7k,6k,{_FOX}",
    out: Annotated[Path, typer.Option(help="Rank table; fit.json is beside it.")] = RESULTS / "go.toml",
) -> None:
    """Solve for the temperature and nodes of each rank that lose as many points a move as people."""
    from dataclasses import asdict

    from sparring.base.provenance import provenance
    from sparring.base.storage import atomic_write
    from sparring.measure.reports import read_json, write_json
    from studies.go_ranks.fit import Loss, Setting, fit_ranks, table_text

    losses: dict[Setting, Loss] = {}
    for folder in ours:
        name, _, temperature = folder.name.rpartition("-T")
        nodes = int(last) if (last := name.rpartition("-")[2]).isdigit() else 0
        for rank, entry in read_json(folder / "mistakes.json")["groups"].items():
            losses[Setting(rank, float(temperature), nodes)] = Loss.of(entry)
    groups = {rank: Loss.of(entry) for rank, entry in read_json(people)["groups"].items()}
    fits = fit_ranks(groups, losses, ranks.split(","))
    atomic_write(out, table_text(fits, command_line()))
    write_json(provenance(command_line()) | {"ranks": [asdict(fit) for fit in fits]}, out.parent / "fit.json")
    for fit in fits:
        people_lose = "-" if fit.people is None else f"{fit.people.value:.2f}"
        search = f", {fit.nodes} nodes" if fit.nodes else ""
        losses_text = f"{fit.loss:.2f} for {fit.target:.2f} (people {people_lose})"
        print(f"{fit.rank:>3}: T {fit.temperature:.2f}{search}, {losses_text}")


def _players(table: Path) -> list[PlayerConfig]:
    """The players of a rank table, from the weakest, each with its rank as name."""
    from dataclasses import replace

    from sparring.games.ratings import rank_text
    from sparring.players.player_config import read_level_table

    rows = read_level_table(table)
    ranks = [rank_text(row.level) for row in rows.levels]
    players = [rows.at(row.level) for row in rows.levels]
    named = zip(players, ranks, strict=True)
    return [replace(player, name=rank, rating=rank, level=None) for player, rank in named]


def _step(player: PlayerConfig) -> int:
    """The player's rank as a number without a gap."""
    from studies.go_ranks.fit import rank_step

    return rank_step(str(player.rating))
