"""`python -m studies NAME [options]` runs an experiment; `--help` lists them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import typer

from sparring.cli.console import checked_command, run_app
from studies.ace.commands import (
    ace_answers,
    ace_evidence,
    ace_games,
    ace_go,
    ace_items,
    ace_null,
    ace_strength,
    ace_test,
)
from studies.ace.study import ace
from studies.ace.tuning_commands import ace_baselines, ace_cross, ace_curve, ace_gradients, ace_losses
from studies.blend.commands import blend_command
from studies.descent.commands import descent
from studies.dsmcp.commands import dsmcp
from studies.expendibots.commands import (
    accept,
    claims,
    draws,
    expendibots,
    ladder,
    opponent,
    training,
    variants,
)
from studies.go_ranks.commands import (
    go_counting,
    go_fit,
    go_games,
    go_judge,
    go_judging_kit,
    go_kgs,
    go_kit,
    go_ladders,
    go_losses,
    go_matches,
    go_own,
    go_people,
    go_score,
)
from studies.levels.commands import level_fit, level_grid, level_report, level_solve, level_table
from studies.levels.pair_commands import level_pairs, level_rate
from studies.levels.people_commands import level_compare, level_curves, level_own
from studies.levels.position_commands import (
    level_candidates,
    level_losses,
    level_positions,
    level_scores,
    level_yardstick,
)
from studies.manners.commands import (
    manners,
    manners_conversion,
    manners_games,
    manners_traces,
    turing,
    turing_score,
)
from studies.networks.commands import networks
from studies.options import one_at_a_time
from studies.pages import page
from studies.person.commands import person, person_games, person_style
from studies.problems.commands import (
    problems_features,
    problems_fit,
    problems_go_features,
    problems_go_fit,
    problems_go_views,
)
from studies.rbc.commands import (
    rbc_attacks,
    rbc_belief,
    rbc_games,
    rbc_kings,
    rbc_matches,
    rbc_points,
    rbc_ratings,
    rbc_tracking,
    rbc_variants,
)
from studies.review.commands import review, review_judge, review_network
from studies.safer.commands import safer, safer_choices, safer_engine, safer_fit, safer_leaves, safer_speed
from studies.search.commands import search_loss, search_match, search_positions, search_ratings
from studies.selfplay.commands import selfplay_curve
from studies.shogi.commands import (
    shogi_days,
    shogi_engine_moves,
    shogi_games,
    shogi_judge,
    shogi_openings,
    shogi_own,
    shogi_strength,
    shogi_styles,
    shogi_unseen,
)
from studies.small_boards.commands import small_boards_label, small_boards_train
from studies.strength.commands import strength_go, strength_moves

app = typer.Typer(
    name="studies",
    help="Experiments: data in, report out.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
_STUDIES: dict[str, Callable[..., None]] = {
    "ace": ace,
    "ace-answers": ace_answers,
    "ace-baselines": ace_baselines,
    "ace-cross": ace_cross,
    "ace-curve": ace_curve,
    "ace-evidence": ace_evidence,
    "ace-games": ace_games,
    "ace-go": ace_go,
    "ace-gradients": ace_gradients,
    "ace-items": ace_items,
    "ace-losses": ace_losses,
    "ace-null": ace_null,
    "ace-strength": ace_strength,
    "ace-test": ace_test,
    **{f"blend-{game}": blend_command(game) for game in ("chess", "go", "shogi")},
    "descent": descent,
    "dsmcp": dsmcp,
    "expendibots": expendibots,
    "ladder": ladder,
    "expendibots-accept": accept,
    "expendibots-claims": claims,
    "expendibots-draws": draws,
    "expendibots-opponent": opponent,
    "expendibots-networks": variants,
    "expendibots-training": training,
    "go-counting": go_counting,
    "go-score": go_score,
    "go-fit": go_fit,
    "go-games": go_games,
    "go-judge": go_judge,
    "go-judging-kit": go_judging_kit,
    "go-kgs": go_kgs,
    "go-kit": go_kit,
    "go-ladders": go_ladders,
    "go-losses": go_losses,
    "go-matches": go_matches,
    "go-own": go_own,
    "go-people": go_people,
    "level-candidates": level_candidates,
    "level-compare": level_compare,
    "level-curves": level_curves,
    "level-fit": level_fit,
    "level-grid": level_grid,
    "level-own": level_own,
    "level-pairs": level_pairs,
    "level-positions": level_positions,
    "level-rate": level_rate,
    "level-report": level_report,
    "level-scores": level_scores,
    "level-solve": level_solve,
    "level-table": level_table,
    "level-losses": level_losses,
    "level-yardstick": level_yardstick,
    "manners": manners,
    "manners-conversion": manners_conversion,
    "manners-games": manners_games,
    "manners-traces": manners_traces,
    "turing": turing,
    "turing-score": turing_score,
    "networks": networks,
    "page": page,
    "person": person,
    "person-games": person_games,
    "person-style": person_style,
    "problems-features": problems_features,
    "problems-fit": problems_fit,
    "problems-go-features": problems_go_features,
    "problems-go-fit": problems_go_fit,
    "problems-go-views": problems_go_views,
    "rbc-games": rbc_games,
    "rbc-matches": rbc_matches,
    "rbc-attacks": rbc_attacks,
    "rbc-kings": rbc_kings,
    "rbc-belief": rbc_belief,
    "rbc-variants": rbc_variants,
    "rbc-ratings": rbc_ratings,
    "rbc-points": rbc_points,
    "rbc-tracking": rbc_tracking,
    "safer": safer,
    "safer-choices": safer_choices,
    "safer-engine": safer_engine,
    "safer-fit": safer_fit,
    "safer-leaves": safer_leaves,
    "safer-speed": safer_speed,
    "review": review,
    "review-judge": review_judge,
    "review-network": review_network,
    "search-positions": search_positions,
    "search-loss": search_loss,
    "search-match": search_match,
    "search-ratings": search_ratings,
    "selfplay-curve": selfplay_curve,
    "shogi-games": shogi_games,
    "shogi-judge": shogi_judge,
    "shogi-days": shogi_days,
    "shogi-openings": shogi_openings,
    "shogi-own": shogi_own,
    "shogi-strength": shogi_strength,
    "shogi-styles": shogi_styles,
    "shogi-unseen": shogi_unseen,
    "shogi-engine-moves": shogi_engine_moves,
    "strength-go": strength_go,
    "small-boards-label": small_boards_label,
    "small-boards-train": small_boards_train,
    "strength-moves": strength_moves,
}
for _name, _study in _STUDIES.items():
    app.command(_name)(checked_command(one_at_a_time(_name, _study)))


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs a study. Errors that a user can make end in one line and a non-zero exit."""
    run_app(app, "studies", arguments)


if __name__ == "__main__":
    main()
