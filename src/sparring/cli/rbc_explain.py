"""`sparring rbc explain`: why the planner would sense and move where, in a recorded game."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from threading import Event
from typing import Annotated

import typer
from rich.table import Table

from sparring._core import RbcState
from sparring.cli.errors import UserError
from sparring.cli.interrupts import INTERRUPTED, interruptible
from sparring.cli.printing import foreign, make_console
from sparring.cli.progress import ProgressBar
from sparring.cli.rbc import PlayerColor, count_turns, final_state, has_one_game, read_record
from sparring.cli.rbc_explain_page import ReplayFacts, game_page, summary
from sparring.players.rbc import BadBotConfig, load_bot_config, make_bot
from sparring.players.rbc.explanation import ExplainedAction, explain_game
from sparring.players.rbc.planner import PlannerBot
from sparring.records import GameRecord, Termination
from sparring.storage import atomic_write


def explain(
    game: Annotated[
        Path, typer.Argument(help="A reconchess history (.json), or one history per line (.jsonl).")
    ],
    player: Annotated[
        PlayerColor | None,
        typer.Option(help="The player whose actions are explained; without it, one after the other."),
    ] = None,
    number: Annotated[int, typer.Option(min=1, help="Number of the game in a .jsonl file.")] = 1,
    bot: Annotated[str, typer.Option(help="The planner: a bot's name or TOML file.")] = "planner",
    playouts: Annotated[int, typer.Option(min=1, max=1_000_000, help="Playouts for each action.")] = 256,
    turns: Annotated[int | None, typer.Option(min=1, help="Explains the first turns only.")] = None,
    seed: Annotated[int, typer.Option(min=0, max=2**63 - 1, help="Seed of the planner.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option(
            help="HTML page with boards; by default GAME-explained.html in the current folder, with the "
            "number of the game for a .jsonl file; none with --json."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show why the planner would sense and move where.

    A recorded game is replayed. The planner chooses at each action of the player, and then receives what
    really happened. It takes seconds to minutes for a turn, by the number of possible boards; Ctrl-C ends it
    with the page so far.
    """
    record = read_record(game, number)
    final = final_state(record)
    colors = tuple(PlayerColor) if player is None else (player,)
    if not any(count_turns(final, _side(color)) for color in colors):
        raise UserError(
            f"{game}: there is no turn {'' if player is None else f'of {player.value} '}to explain"
        )
    names = _names(record)
    source = game.name if has_one_game(game) else f"game {number:,} of {game.name}"
    facts = ReplayFacts(source, names, _result(record, final, names), bot, playouts, seed)
    began, stop = time.perf_counter(), Event()
    with interruptible(stop.set), _make_planner(bot, playouts) as planner:
        found = _explain_players(final, facts, colors, planner, turns, stop)
    if as_json:
        results = {color.value: [asdict(each) for each in actions] for color, actions in found.items()}
        print(json.dumps(results if player is None else results[player.value]))
    else:
        _print(facts, found)
    if out is None and not as_json:
        stem = re.sub(r"\.jsonl?(\.\w+)?$", "", game.name)
        out = Path(f"{stem}{'' if has_one_game(game) else f'-{number}'}-explained.html")
    if out is not None:
        atomic_write(out, game_page(facts, found))
        actions = sum(map(len, found.values()))
        seconds = time.perf_counter() - began
        make_console(stderr=as_json).print(
            f"written: {foreign(str(out))} ({actions} actions in {seconds:.0f} s)", soft_wrap=True
        )
    if stop.is_set():
        raise UserError("interrupted", code=INTERRUPTED)


def _side(color: PlayerColor) -> int:
    return int(color is PlayerColor.BLACK)


def _names(record: GameRecord) -> dict[PlayerColor, str]:
    return {
        PlayerColor.WHITE: record.first or "somebody",
        PlayerColor.BLACK: record.second or "somebody",
    }


def _result(record: GameRecord, final: RbcState, names: Mapping[PlayerColor, str]) -> str:
    """The result of a game in a sentence."""
    after = f"after {count_turns(final, 0)} turns"
    if record.result is None:
        return f"The result is not known; the record ends {after}."
    if record.result == 0.5:
        return f"A draw {after}."
    winner = names[PlayerColor.WHITE if record.result == 1 else PlayerColor.BLACK]
    how = "by resignation" if final.outcome is None else "by capturing the king"
    how = "on time" if record.ending is Termination.TIME else how
    return f"{winner} won {how} {after}."


def _explain_players(
    game: RbcState,
    facts: ReplayFacts,
    colors: Sequence[PlayerColor],
    planner: PlannerBot,
    turns: int | None,
    stop: Event,
) -> dict[PlayerColor, list[ExplainedAction]]:
    """The actions of each player; those so far after `stop`."""
    found: dict[PlayerColor, list[ExplainedAction]] = {color: [] for color in colors}
    totals = {color: min(count_turns(game, _side(color)), turns or 10**9) for color in colors}
    before = 0
    with ProgressBar("explaining", lines=True) as bar:
        for color in colors:
            opponent = facts.names[PlayerColor.WHITE if _side(color) else PlayerColor.BLACK]
            for each in explain_game(game, planner, _side(color), facts.seed, opponent):
                if each.turn > totals[color]:
                    break
                found[color].append(each)
                done = before + each.turn - (each.phase == "sense")
                text = f"explaining {color.value}'s turn {each.turn}, {each.phase}"
                bar.on_progress(text, done, sum(totals.values()))
                if stop.is_set():
                    return found
            before += totals[color]
    return found


def _make_planner(name: str, playouts: int) -> PlannerBot:
    try:
        config = load_bot_config(name)
    except BadBotConfig as error:
        raise UserError(str(error)) from None
    made = make_bot(replace(config, use_clock=False, planner=replace(config.planner, playouts=playouts)))
    if not isinstance(made, PlannerBot):
        raise UserError(f"the bot '{name}' is no planner")
    return made


def _print(facts: ReplayFacts, found: Mapping[PlayerColor, Sequence[ExplainedAction]]) -> None:
    console = make_console()
    console.print(foreign(facts.result))
    for color, actions in found.items():
        if actions:
            console.print(f"[bold]{foreign(summary(facts, color, actions))}[/]")
            console.print(_table(actions))


def _table(actions: Sequence[ExplainedAction]) -> Table:
    table = Table("turn", "phase", "boards", "true board", "played", "planner", "why", box=None)
    for name in ("boards", "true board"):
        next(column for column in table.columns if column.header == name).justify = "right"
    for each in actions:
        table.add_row(
            str(each.turn) if each.phase == "sense" else "",
            each.phase,
            f"{'' if each.exact else '~'}{each.boards:,}",
            f"{each.true_share:.0%}",
            foreign(each.played),
            foreign(each.chosen),
            foreign(each.reason + _risk(each)),
        )
    return table


def _risk(each: ExplainedAction) -> str:
    """A warning if the action played risks the king."""
    loss = each.king_loss
    if loss is None or loss.action != each.played:
        return ""
    risk = next(action.king_loss for action in each.actions if action.action == each.played)
    return f"; {each.played} risks the king on {risk:.0%} of the boards"
