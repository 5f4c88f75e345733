"""`python -m studies blend-chess`, `blend-go` and `blend-shogi`: the blend paper's experiments."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, cast

import typer
from rich.table import Table

from sparring.base.config import user_data_folder
from sparring.base.errors import UserError
from sparring.cli.arguments import named_policies
from sparring.cli.console import ProgressBar, foreign, make_console
from studies.options import Html, command_line

_PROTOCOLS = {"chess": "uci", "go": "gtp", "shogi": "usi"}
_BLUNDER_LOSS = {"chess": 200, "go": 300, "shogi": 500}
_DECIDED = {"chess": 1000, "go": 3000, "shogi": 3000}
_HUMAN = ["human"]
_C_PUCTS = (0.5, 1.0, 2.0, 5.0, 10.0)
"""The paper's."""


def blend_command(game: str) -> Callable[..., None]:
    """The command `blend-GAME`."""

    def command(
        records: Annotated[
            list[Path],
            typer.Option("--records", "-r", help="A table of `sparring records build`, or a game file."),
        ],
        strong: Annotated[str, typer.Option(help="The strong policy: a name, a network or a TOML file.")],
        human: Annotated[list[str], typer.Option(help="A human-like policy; repeatable.")] = _HUMAN,
        baseline: Annotated[
            list[str] | None, typer.Option(help="A policy to compare the first blend with; repeatable.")
        ] = None,
        training: Annotated[
            list[str] | None,
            typer.Option(help="NAME=TABLE: the table that a human-like policy learned from; repeatable."),
        ] = None,
        out: Annotated[Path, typer.Option(help="Folder of the report.")] = Path(f"results/blend-{game}"),
        cache: Annotated[
            Path | None, typer.Option(help="Folder of cached predictions and engine analyses.")
        ] = None,
        validation: Annotated[
            int | None, typer.Option(min=1, help="Maximum positions of each group to fit on.")
        ] = None,
        test: Annotated[
            int | None, typer.Option(min=1, help="Maximum positions of each group to measure on.")
        ] = None,
        every: Annotated[int, typer.Option(min=1, help="Take one position in so many of each game.")] = 1,
        group: Annotated[list[str] | None, typer.Option(help="Only this group; repeatable.")] = None,
        upper: Annotated[int, typer.Option(min=1, help="Highest groups whose mean is reported too.")] = 3,
        trials: Annotated[int, typer.Option(min=1, help="Random divisions of the games.")] = 10,
        search: Annotated[
            list[str] | None,
            typer.Option(help="A human-like policy to compare search with; repeatable."),
        ] = None,
        nodes: Annotated[int, typer.Option(min=1, help="Visits of a search.")] = 50,
        c_puct: Annotated[
            list[float] | None, typer.Option(help="A c_puct of the search; repeatable.")
        ] = None,
        engine: Annotated[
            str | None, typer.Option(help="An engine command (UCI, USI or GTP) that finds blunders.")
        ] = None,
        engine_nodes: Annotated[int, typer.Option(min=1, help="Nodes of the engine a move.")] = 20_000,
        engine_positions: Annotated[
            int, typer.Option(min=1, help="Positions that the engine analyses.")
        ] = 1000,
        blunder_loss: Annotated[
            int, typer.Option(min=1, help="The loss of a blunder: centipawns, in Go hundredths of a point.")
        ] = _BLUNDER_LOSS[game],
        threads: Annotated[int, typer.Option(min=1, help="Threads for one batch.")] = 1,
        backend: Annotated[
            str, typer.Option(help="onnxruntime, openvino, torch or torch-float32.")
        ] = "onnxruntime",
        batch: Annotated[int, typer.Option(min=1, help="Batch size of the networks.")] = 64,
        html: Html = False,
    ) -> None:
        """Measure blends of human-like policies with a strong one: accuracy, alpha, search, blunders."""
        from sparring.arena.tournament import EngineProtocol
        from sparring.measure.reports import write_report
        from sparring.players.engines import EngineConfig
        from sparring.search import SearchLimits
        from studies.blend import config, figures, report, study

        for path in records:
            if not path.exists():
                raise UserError(f"there is no table or file {path}")
        named = named_policies([*human, strong, *(baseline or ())])
        humans, strongest, others = named[: len(human)], named[len(human)], named[len(human) + 1 :]
        for name in search or ():
            if name not in {each for each, _ in humans}:
                raise UserError(f"--search {name}: there is no human-like policy of this name")
        entry = None
        if engine is not None:
            words = tuple(shlex.split(engine))
            if not words:
                raise UserError("--engine takes a command, such as stockfish")
            limits = SearchLimits(nodes=engine_nodes)
            protocol = cast(EngineProtocol, _PROTOCOLS[game])
            entry = EngineConfig(Path(words[0]).name, protocol, words, limits=limits)
        plan = config.BlendStudyConfig(
            game,
            tuple(records),
            tuple(humans),
            strongest,
            cache or user_data_folder() / "choices",
            tuple(_tables(training or ())),
            tuple(others),
            tuple(group or ()),
            validation,
            test,
            every,
            trials=trials,
            upper=upper,
            search=None
            if not search
            else config.SearchComparisonConfig(tuple(search), nodes, tuple(c_puct or _C_PUCTS)),
            backend=backend,
            batch=batch,
            engine=None
            if entry is None
            else config.EngineAnalysisConfig(entry, engine_positions, blunder_loss, _DECIDED[game]),
            threads=threads,
        )
        with ProgressBar() as bar:
            content = study.run(plan, out, bar.on_progress)
        undone = write_report(content, out, command_line(), figures.report_figures(content))
        if html:
            report.write_page(out)
        _show(content, out, undone)

    return command


def _tables(texts: Sequence[str]) -> list[tuple[str, Path]]:
    """(name, table) from NAME=TABLE."""
    found = []
    for text in texts:
        name, _, table = text.partition("=")
        if not Path(table, "manifest.json").is_file():
            raise UserError(f"--training {text}: expected NAME=TABLE with the folder of a table")
        found.append((name, Path(table)))
    return found


def _show(content: dict[str, Any], out: Path, undone: str) -> None:
    console = make_console()
    table = Table("policy", "alone", f"with {content['strong']}", "gain", "highest groups", "nats", box=None)
    for name in content["humans"]:
        alone = content["policies"][name]["mean"]
        for method in ("grid", "rating"):
            blend = content["blends"][name]["methods"][method]
            table.add_row(
                f"{name}, {method}",
                f"{alone['top1']:.3f}",
                f"{blend['mean']['top1']:.3f}",
                _signed(blend["gain"]["mean"]),
                _signed(blend["gain"]["upper"]),
                f"{alone['nll']:.3f} to {blend['mean']['nll']:.3f}",
            )
    for name, entry in content.get("baselines", {}).items():
        less = entry["blend less it"]
        table.add_row(
            name,
            f"{entry['mean']['top1']:.3f}",
            "the first blend minus it:",
            _signed(less["mean"]),
            _signed(less["upper"]),
            f"{entry['mean']['nll']:.3f}",
        )
    console.print(table)
    for name, found in content.get("mechanism", {}).items():
        console.print(
            f"{name} blunders in {_share(found['policy bad'])} of positions; the blend avoids "
            f"{_share(found['avoided'])} of these, {_share(found['share of the gain'])} of the gain"
        )
    console.print(f"[dim]the report is {foreign(out / 'report.json')}[/]", soft_wrap=True)
    if undone:
        console.print(f"[yellow]{undone}[/]", soft_wrap=True)


def _share(estimate: dict[str, float | None]) -> str:
    value = estimate["value"]
    return "no share" if value is None else f"{value:.1%}"


def _signed(entry: dict[str, float]) -> str:
    return f"{entry['top1']:+.4f} [dim]±{(entry['high'] - entry['low']) / 2:.4f}[/]"
