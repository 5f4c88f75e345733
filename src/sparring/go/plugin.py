"""Go for the rest of the package."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sparring.base.sentences import Sentence
from sparring.games.description import (
    EngineSupport,
    GameDescription,
    NetworkLayout,
    PeopleNetwork,
    Phases,
    PointFacts,
    RuleChoice,
    SearchDefaults,
)
from sparring.games.ratings import GO_RANKS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sparring._core import GoState
    from sparring.cli.commands import Command, Group
    from sparring.engines.options import EngineSettings
    from sparring.engines.server import SendLine, StdinReader
    from sparring.go.counting import GoCounting
    from sparring.go.game import Go
    from sparring.go.gtp_client import GtpEngine
    from sparring.measure.problems import ProblemFiles
    from sparring.networks.formats import NetworkFormats
    from sparring.players.engines import EngineConfig
    from sparring.players.game_players import GamePlayers
    from sparring.records.record import RecordFormats


def _rules() -> type[Any]:
    from sparring.go.game import Go

    return Go


def _by_rules(name: str, komi: float | None = None, **options: Any) -> Go:
    from sparring.go.game import Go

    return Go.by_rules(name, komi=komi, **options)


def _facts(rules: Go, state: GoState) -> list[str]:
    """Prisoners, komi, rules and handicap."""
    from sparring.go.game import rule_set_of

    by_black, by_white = state.prisoners
    name = rule_set_of(rules)
    facts: list[str] = [
        Sentence("Prisoners: Black {black}, White {white}.", black=by_black, white=by_white),
        Sentence("Komi {komi}.", komi=float(state.komi)),
        *([] if name is None else [Sentence("{rules} rules.", rules=_RULE_NAMES.get(name, name))]),
    ]
    if rules.handicap:
        facts.append(Sentence("{stones} handicap stones.", stones=rules.handicap))
    return facts


_OFFERED = {
    "chinese": Sentence("Chinese"),
    "japanese": Sentence("Japanese"),
    "aga": Sentence("AGA"),
    "new-zealand": Sentence("New Zealand"),
    "tromp-taylor": Sentence("Tromp-Taylor"),
}
"""Rule sets that people are offered."""
_RULE_NAMES = {**_OFFERED, "chinese-ogs": _OFFERED["chinese"]}
_RULE_CHOICES = {
    "size": RuleChoice(
        Sentence("Board"), ((9, Sentence("9x9")), (13, Sentence("13x13")), (19, Sentence("19x19"))), 19
    ),
    "rules": RuleChoice(Sentence("Rules"), tuple(_OFFERED.items()), "chinese"),
    "komi": RuleChoice(Sentence("Komi")),
    "handicap": RuleChoice(
        Sentence("Handicap stones"), tuple((stones, str(stones)) for stones in (0, *range(2, 10))), 0
    ),
}


def _records() -> RecordFormats:
    from sparring.go.sgf import GoFilter, read_sgf, to_sgf
    from sparring.records.record import RecordFormats

    return RecordFormats({"sgf": read_sgf}, to_sgf, "sgf", filter=GoFilter, everything="go-everything")


def _networks() -> NetworkFormats:
    from sparring.go import katago
    from sparring.go.katago_weights import looks_like_katago
    from sparring.networks.formats import NetworkFormats, WeightsFormat, lazy_reader

    return NetworkFormats(
        codecs={"katago": katago.KataGoCodec},
        weights=WeightsFormat("KataGo", looks_like_katago, lazy_reader("sparring.go.katago_graph")),
    )


def _players() -> GamePlayers:
    from sparring.go.counting import apply_passing_rules
    from sparring.players.game_players import GamePlayers
    from sparring.players.small_players import uct_player

    return GamePlayers(strength_player=uct_player, adjust_policy=apply_passing_rules)


def _gtp_client(config: EngineConfig) -> GtpEngine:
    from sparring.go.gtp_client import GtpEngine

    return GtpEngine(config)


def _serve_gtp(settings: EngineSettings, send_line: SendLine, reader: StdinReader) -> None:
    from sparring.go.gtp import GtpServer

    GtpServer(settings, send_line, reader).run()


def _counting() -> GoCounting:
    from sparring.go.counting import GoCounting

    return GoCounting()


def _problem_files() -> ProblemFiles:
    from sparring.go.problem_files import begins_sgf
    from sparring.go.problem_rating import level_text, rated_problems
    from sparring.measure.problems import ProblemFiles

    return ProblemFiles(begins_sgf, rated_problems, "level", level_text)


def _symmetry_labels(cells: NDArray[np.int64]) -> NDArray[np.int64]:
    """A pass stays a pass."""
    import numpy as np

    return np.append(cells, len(cells))


def _layout(history: int) -> NetworkLayout:
    """KataGo's inputs, of which planes 9 to 13 show the last moves."""
    return NetworkLayout(
        "katago", 22, 19, 19, "points", 362,
        history=(9, 14), any_board_size=True, symmetry_labels=_symmetry_labels,
        points=PointFacts("katago-global", 5, 20.0),
    )  # fmt: skip


def _advice(state: GoState) -> str:
    """Advice for a person who plays the shipped network."""
    weaker = Sentence("The network learned from games on 19x19 and is weaker on this board.")
    return "" if state.size == 19 else weaker


def _commands() -> Mapping[str, Command | Group]:
    from sparring.cli.commands import Command, Group

    engines = {
        "gtp": Command("sparring.cli.engine:gtp", "Play Go over GTP."),
        "katago-analysis": Command(
            "sparring.go.commands:katago_analysis", "Analyse Go over KataGo's JSON protocol."
        ),
    }
    return {"engine": Group("", engines)}


DESCRIPTION = GameDescription(
    name="go",
    order=4,
    load_rules=_rules,
    native="Go",
    packed_move_bytes=2,
    numbers_plies=True,
    encodings={"planes": 1, "katago": 1, "katago-global": 1},
    ratings=GO_RANKS,
    phases=Phases(50, 150),
    ply_bucket=20,
    engine=EngineSupport("gtp", byoyomi=True, client=_gtp_client, serve=_serve_gtp),
    layout=_layout,
    # Only passes end a game of Go, and when to pass is up to the passing rules.
    search=SearchDefaults(find_immediate_wins=False, repetition_draws=False, prefer_proven=False),
    people=PeopleNetwork(
        rating="5k",
        weakest="5k",
        rating_source=Sentence("Ranks are those of Fox."),
        advice=_advice,
    ),
    how_to_move=Sentence(
        "Moves: a point such as D4, or pass. After two passes the dead stones are agreed on."
    ),
    rule_sets=_by_rules,
    rule_choices=_RULE_CHOICES,
    facts=_facts,
    draws_by_agreement=False,
    board="points",
    passes=True,
    rating_scale=Sentence(
        "An opponent of a rank loses about as many points a move as people of that rank do on Fox: measured "
        "from 5k to 9d on 19x19, continued below."
    ),
    records=_records,
    networks=_networks,
    commands=_commands,
    problem_files=_problem_files,
    players=_players,
    counting=_counting,
)
