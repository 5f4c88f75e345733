import type { GameView } from "../api";
import { clockText, useClock } from "./clock";
import { counted, known, say } from "../text";
import { captured } from "./material";

const SIGNS: Record<string, string> = { p: "♟", n: "♞", b: "♝", r: "♜", q: "♛" };

/** Name, description, captured pieces and clock of a player. */
export function PlayerStrip({ view, side }: { view: GameView; side: number }) {
  const player = view.players[side]!;
  const left = useClock(view, side);
  const material = view.game === "chess" && view.position ? captured(view.position, side) : null;
  const dark = view.game === "go" || view.game === "shogi" ? side === 0 : side === 1;
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
      {left !== null && <time class={`clock ${left < 20 ? "low" : ""} ${view.clock?.running === side ? "running" : ""}`}>{clockText(left)}</time>}
    </div>
  );
}
