"""The commands of `sparring`: names, functions and summaries."""

from __future__ import annotations

from sparring.cli.lazy import Command, Group

ENGINE = Group(
    "Run a player as an engine for a GUI: UCI for chess, USI for shogi, GTP for Go.",
    {
        "uci": Command("engine:uci", "Play chess over UCI."),
        "usi": Command("engine:usi", "Play shogi over USI."),
        "gtp": Command("engine:gtp", "Play Go over GTP."),
    },
)
"""One command per protocol."""

COMMANDS: dict[str, Command | Group] = {
    "serve": Command("serve:serve", "Open the page to play on."),
    "play": Command("play:play", "Play a game in the terminal."),
    "predict": Command("predict:predict", "Predict the moves that people of a rating would play."),
    "games": Command("games:games", "List the games and their rule options."),
    "engine": ENGINE,
    "models": Group(
        "Add, list and remove networks.",
        {
            "add": Command("models:add", "Check a network file, convert it and store it."),
            "list": Command("models:list_models", "List the shipped and the added networks."),
            "info": Command("models:info", "Show the model card of a network."),
            "remove": Command("models:remove", "Remove an added network."),
        },
    ),
    "records": Group(
        "Build and read tables of games.",
        {
            "build": Command("records:build", "Parse game files and pack the games into a table."),
            "stats": Command("records:stats", "Count games and positions by rating, speed and result."),
            "export": Command("records:export", "Write games of a table in the notation of their game."),
            "list": Command("records:list_games", "List the first games of a table with their ids."),
            "verify": Command(
                "records:verify", "Compare the files of a table with the checksums in its manifest."
            ),
        },
    ),
    "measure": Group(
        "Measure policies on people's moves, and the strength of players.",
        {
            "matching": Command("measure:matching", "Measure accuracy, likelihood and calibration by group."),
            "level": Command("measure_level:level", "Estimate the rating of a player from its moves."),
            "person": Command(
                "measure_person:measure_person",
                "Measure people's models on games that they did not see.",
            ),
        },
    ),
    "report": Command("report:report", "Render a measurement's report as an HTML page."),
    "blend": Group(
        "Fit pools of policies to people's moves.",
        {"fit": Command("blend:fit_blend", "Fit pool weights to people's moves and write a policy file.")},
    ),
    "train": Group(
        "Train networks and evaluations.",
        {
            "people": Command("train:people", "Train a policy network on people's games."),
            "person": Command(
                "train_person:person",
                "Make a player that plays like one person, from their games.",
            ),
            "treestrap": Command("treestrap:treestrap", "Train a linear evaluation by search and self-play."),
            "bootstrap": Command(
                "treestrap:bootstrap", "Name the command that replaces this one.", hidden=True
            ),
            "evaluator": Command("train_evaluator:evaluator", "Train a value network by self-play."),
            "rbc": Command("train_rbc:rbc", "Train a synopsis network for reconnaissance blind chess."),
            "rbc-loop": Command(
                "train_rbc_loop:rbc_loop", "Improve the network of the blind chess planner in rounds."
            ),
        },
    ),
    "tune": Group(
        "Tune a search to people's moves.",
        {"levels": Command("tune:levels", "Tune a search to classes of players and write a level table.")},
    ),
    "arena": Group(
        "Run tournaments and rate players.",
        {
            "run": Command("arena:run", "Play a tournament, or resume it."),
            "rate": Command("arena:rate", "Compute ratings with 95 % intervals from tournament results."),
            "sprt": Command("arena:sprt", "Test whether one of two players is stronger (SPRT)."),
        },
    ),
    "calibrate": Command("calibrate:calibrate", "Measure the levels of a table against anchors, or resume."),
    "rbc": Group(
        "Track, explain and generate games of reconnaissance blind chess.",
        {
            "track": Command("rbc:track", "Show the possible boards of a recorded game, turn by turn."),
            "explain": Command("rbc_explain:explain", "Show why the planner would sense and move where."),
            "generate": Command("rbc_generate:generate", "Play games between bots in bulk."),
        },
    ),
    "tables": Group(
        "Build and probe endgame tables of Expendibots.",
        {
            "build": Command("tables:build", "Solve all endgames of up to five tokens."),
            "info": Command("tables:info", "Show the size and the results of the endgame tables."),
            "probe": Command("tables:probe", "Look up a position and each of its moves."),
        },
    ),
    "book": Group(
        "Build and inspect the opening book of Expendibots.",
        {
            "build": Command("book:build", "Build an opening book by search."),
            "info": Command("book:info", "Show how an opening book was made."),
        },
    ),
    "accept": Command("accept:accept", "Play an acceptance match between two Expendibots agents."),
    "perft": Command("perft:perft", "Count the move sequences of a given length (perft)."),
    "study": Command("study:study", "Say where the experiments are.", hidden=True),
}
