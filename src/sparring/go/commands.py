"""The command `sparring engine katago-analysis`, with the arguments of `katago analysis`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer

from sparring.base.errors import SparringError, UserError
from sparring.cli.console import INTERRUPTED
from sparring.engines.server import StdinReader, StdoutWriter, take_stdio
from sparring.go.analysis import KATAGO_VERSION, AnalysisPolicies, AnalysisServer
from sparring.go.analysis_query import AnalysisSettings, with_settings
from sparring.policies import Policy, load_policy

_MOST_PARALLEL = 16
"""Most positions that are searched at once: each has a tree, and all share the processor."""
_PARALLEL = 4


def katago_analysis(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="[analysis]", help="KataGo's own command, which programs put first."),
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option(
            "-model",
            "--model",
            help="Network that searches, such as a KataGo file; ours without it, or if it cannot be read.",
        ),
    ] = None,
    human_model: Annotated[
        str, typer.Option("-human-model", "--human-model", help="Network of people, for humanSLProfile.")
    ] = "human",
    config: Annotated[
        Path | None, typer.Option("-config", "--config", help="KataGo's configuration file.")
    ] = None,
    override_config: Annotated[
        str,
        typer.Option(
            "-override-config", "--override-config", help="Settings over those of the file: KEY=VALUE,..."
        ),
    ] = "",
    analysis_threads: Annotated[
        int | None,
        typer.Option(
            "-analysis-threads",
            "--analysis-threads",
            min=1,
            help="Positions that are searched at once. [default: numAnalysisThreads, or 4; at most 16]",
        ),
    ] = None,
    quit_without_waiting: Annotated[
        bool,
        typer.Option(
            "-quit-without-waiting",
            "--quit-without-waiting",
            help="At the end of the input, drop what is not answered.",
        ),
    ] = False,
    threads: Annotated[
        int | None, typer.Option(min=1, help="Threads of each network. [default: one a core, at most 4]")
    ] = None,
) -> None:
    """Analyse Go over KataGo's JSON protocol.

    Programs that work with KataGo's analysis engine, such as KaTrain, start this command in its place.
    Settings without an effect here are named on standard error.
    """
    if words not in (None, [], ["analysis"]):
        if words == ["version"]:
            print(f"KataGo v{KATAGO_VERSION} (the protocol; this is Sparring {version('sparring')})")
            return
        raise UserError(f"'{' '.join(words or [])[:80]}' is not a command here: 'analysis' is")
    texts = dict(_config_entries(config)) | dict(_entries(override_config.split(",")))
    parallel = analysis_threads or _whole(texts.get("numAnalysisThreads"), _PARALLEL)
    settings, unused = with_settings(AnalysisSettings(), texts)
    unused = [name for name in unused if name not in _USED_HERE]
    if unused:
        _note(f"settings without an effect: {', '.join(unused)}")
    threads = threads or min(os.cpu_count() or 1, 4)
    lines, answers = take_stdio()
    policies = AnalysisPolicies(_search_policy(model, threads), human_model, threads)
    if not policies.has_lead:
        _note(f"{policies.search.name} predicts no score: leads are derived from win rates")
    _note("Started, ready to begin handling requests")
    send_line = StdoutWriter(answers)
    server = AnalysisServer(
        policies,
        settings,
        send_line,
        parallel=min(parallel, _MOST_PARALLEL),
        warn_unused=texts.get("warnUnusedFields", "true").lower() != "false",
    )
    try:
        server.run(StdinReader(lines), finish=not quit_without_waiting)
        send_line.close(None)
    except KeyboardInterrupt:
        os._exit(INTERRUPTED)
    os._exit(0)  # does not wait for threads that search


_USED_HERE = ("numAnalysisThreads", "warnUnusedFields")


def _search_policy(model: Path | None, threads: int) -> Policy:
    """The policy of a file; the shipped one without it, and with a note if the file cannot be read."""
    if model is not None:
        if not model.is_file() and model.exists():
            raise UserError(f"-model {model} is not a file")
        try:
            return load_policy(str(model), "go", threads=threads)
        except SparringError as error:
            if not model.exists():
                raise
            _note(f"-model cannot be used: {error}; 'strong' searches instead")
    return load_policy("strong", "go", threads=threads)


def _config_entries(path: Path | None) -> Iterator[tuple[str, str]]:
    """The settings of a configuration file of KataGo. Raises UserError."""
    if path is None:
        return iter(())
    try:
        return _entries(path.read_text(encoding="utf-8", errors="replace").splitlines())
    except OSError as error:
        raise UserError(f"-config {path}: {error.strerror}") from None


def _entries(lines: list[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        name, equals, value = line.partition("#")[0].partition("=")
        if equals and name.strip():
            yield name.strip(), value.strip().strip('"')


def _whole(text: str | None, missing: int) -> int:
    if text is None:
        return missing
    if not text.isdecimal() or int(text[:9]) < 1:
        raise UserError(f"numAnalysisThreads is a whole number from 1, not '{text[:80]}'")
    return int(text[:9])


def _note(message: str) -> None:
    print(f"sparring: {message}", file=sys.stderr, flush=True)
