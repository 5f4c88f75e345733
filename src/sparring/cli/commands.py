"""The commands of `sparring`: names, functions and summaries. Games add their own."""

from __future__ import annotations

from collections.abc import Mapping

from sparring.cli.lazy import Command, Group
from sparring.games import GAMES

_GENERAL: dict[str, Command | Group] = {
    "serve": Command("sparring.cli.serve:serve", "Open the page to play on."),
    "backup": Command("sparring.cli.backup:backup", "Write your data folder to one file."),
    "restore": Command("sparring.cli.backup:restore", "Bring a data folder back from a backup."),
    "play": Command("sparring.cli.play:play", "Play a game in the terminal."),
    "predict": Command(
        "sparring.cli.predict:predict", "Predict the moves that people of a rating would play."
    ),
    "games": Command("sparring.cli.inspect:games", "List the games and their rule options."),
    "engine": Group("Run a player as an engine for a GUI: UCI for chess, USI for shogi, GTP for Go.", {}),
    "models": Group(
        "Add, list and remove networks.",
        {
            "add": Command("sparring.cli.inspect:add", "Check a network file, convert it and store it."),
            "list": Command("sparring.cli.inspect:list_models", "List the shipped and the added networks."),
            "info": Command("sparring.cli.inspect:info", "Show the model card of a network."),
            "remove": Command("sparring.cli.inspect:remove", "Remove an added network."),
        },
    ),
    "records": Group(
        "Build and read tables of games.",
        {
            "build": Command(
                "sparring.cli.records:build", "Parse game files and pack the games into a table."
            ),
            "stats": Command(
                "sparring.cli.records:stats", "Count games and positions by rating, speed and result."
            ),
            "export": Command(
                "sparring.cli.records:export", "Write games of a table in the notation of their game."
            ),
            "list": Command(
                "sparring.cli.records:list_games", "List the first games of a table with their ids."
            ),
            "verify": Command(
                "sparring.cli.records:verify",
                "Compare the files of a table with the checksums in its manifest.",
            ),
        },
    ),
    "measure": Group(
        "Measure policies on people's moves, and the strength of players.",
        {
            "matching": Command(
                "sparring.cli.measure:matching", "Measure accuracy, likelihood and calibration by group."
            ),
            "level": Command("sparring.cli.measure:level", "Estimate the rating of a player from its moves."),
            "person": Command(
                "sparring.cli.measure:measure_person",
                "Measure people's models on games that they did not see.",
            ),
        },
    ),
    "report": Command("sparring.cli.inspect:report", "Render a measurement's report as an HTML page."),
    "blend": Group(
        "Fit pools of policies to people's moves.",
        {
            "fit": Command(
                "sparring.cli.blend:fit_blend", "Fit pool weights to people's moves and write a policy file."
            )
        },
    ),
    "train": Group(
        "Train networks and evaluations.",
        {
            "people": Command("sparring.cli.train:people", "Train a policy network on people's games."),
            "student": Command(
                "sparring.cli.train:student",
                "Train a policy network on games that its teachers play.",
            ),
            "person": Command(
                "sparring.cli.train:person",
                "Make a player that plays like one person, from their games.",
            ),
            "treestrap": Command(
                "sparring.cli.train:treestrap", "Train a linear evaluation by search and self-play."
            ),
        },
    ),
    "tune": Group(
        "Tune a search to people's moves.",
        {
            "levels": Command(
                "sparring.cli.tune:levels", "Tune a search to classes of players and write a level table."
            )
        },
    ),
    "arena": Group(
        "Run tournaments and rate players.",
        {
            "run": Command("sparring.cli.arena:run", "Play a tournament, or resume it."),
            "rate": Command(
                "sparring.cli.arena:rate", "Compute ratings with 95 % intervals from tournament results."
            ),
            "sprt": Command("sparring.cli.arena:sprt", "Test whether one of two players is stronger (SPRT)."),
        },
    ),
    "calibrate": Command(
        "sparring.cli.calibrate:calibrate", "Measure the levels of a table against anchors, or resume."
    ),
    "perft": Command("sparring.cli.inspect:perft", "Count the move sequences of a given length (perft)."),
}


def _merged(
    commands: Mapping[str, Command | Group], more: Mapping[str, Command | Group]
) -> dict[str, Command | Group]:
    """Commands with further ones. A group that both have gets the commands of both."""
    merged = dict(commands)
    for name, entry in more.items():
        existing = merged.get(name)
        if isinstance(existing, Group) and isinstance(entry, Group):
            entry = Group(existing.summary, _merged(existing.commands, entry.commands))
        merged[name] = entry
    return merged


def all_commands() -> dict[str, Command | Group]:
    """The general commands and those of the games (`GameDescription.commands`)."""
    commands = _GENERAL
    for game in GAMES.values():
        if game.commands is not None:
            commands = _merged(commands, game.commands())
    return commands
