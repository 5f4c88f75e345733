import type { GameView } from "../api";
import { clockText, useClock } from "./clock";
import { counted, known, say } from "../text";
import { captured } from "./material";

const SIGNS: Record<string, string> = { p: "♟", n: "♞", b: "♝", r: "♜", q: "♛" };

/** Name, description, captured pieces and clock of a player. */
export function PlayerStrip({ view, side }: { view: GameView; side: number }) {
  const player = view.players[side]!;
  const clock = useClock(view, side);
  const { board, hidden } = view.traits;
  const material = board === "chessboard" && !hidden && view.position ? captured(view.position, side) : null;
  const dark = board === "points" || board === "shogiboard" ? side === 0 : side === 1;
  return (
    <div class={`player ${view.turn === side ? "to-move" : ""}`}>
      <span class={dark ? "swatch dark" : "swatch"} aria-hidden="true" />
      <div class="who">
        <strong>{say(player.name)}</strong>
        <span class="about">
          {material && (material.roles.length > 0 || material.ahead > 0) ? (
            <span class="captured" aria-label={counted(material.roles.length, "captured: {count} piece", "captured: {count} pieces")}>
              {material.roles.map((role) => SIGNS[role]).join("")}
              {material.ahead > 0 && <b> +{material.ahead}</b>}
            </span>
          ) : (
            player.about.text ? say(player.about, view.game) : known(view.sides[side]!, view.game)
          )}
        </span>
      </div>
      {view.phase === "thinking" && view.turn === side && <span class="thinking" aria-hidden="true" />}
      {clock && (
        <time class={`clock ${clock.left < view.clock!.low ? "low" : ""} ${view.clock!.running === side ? "running" : ""}`}>
          {clockText(clock.left)}
          {clock.more && <small> {clock.more}</small>}
        </time>
      )}
    </div>
  );
}
