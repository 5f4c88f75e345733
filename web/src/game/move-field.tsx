import { useState } from "preact/hooks";
import type { GameView, LegalMove } from "../api";
import { moveName, typedMove } from "../boards/move-names";
import { t } from "../text";

/** One of the moves with the shortest name: an example of how moves are typed. */
function shortest(legal: GameView["legal"]): LegalMove | undefined {
  const length = Math.min(...legal.map((move) => move.name.length));
  const short = legal.filter((move) => move.name.length === length);
  return short[Math.floor(short.length / 2)];
}

/** Moves by keyboard, as people write them. */
export function MoveField({ view, onMove, onType }: { view: GameView; onMove: (move: string) => void; onType: () => void }) {
  const [text, setText] = useState("");
  const sensing = view.phase === "sense";
  const ready = sensing || view.phase === "move";
  const first = view.moves.length === 0 && shortest(view.legal);
  const hint = sensing
    ? view.moves.length === 0
      ? t("Or type a square, such as {example}", { example: "e6" })
      : t("Or type a square")
    : first
      ? t("Or type a move, such as {example}", { example: moveName(view.game, first) })
      : t("Or type a move");
  return (
    <form
      class="move-field"
      onSubmit={(event) => {
        event.preventDefault();
        const typed = text.trim();
        if (typed && ready) onMove(sensing && !typed.startsWith("sense") ? `sense ${typed.toLowerCase()}` : typedMove(view.game, typed));
        if (ready) setText("");
      }}
    >
      <label>
        <span class="hidden-text">{sensing ? t("Square to sense") : t("Your move")}</span>
        <input
          type="text"
          value={text}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          placeholder={ready ? hint : "…"}
          aria-keyshortcuts="m"
          onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
          onInput={({ currentTarget: { value } }) => (onType(), setText(value))}
        />
      </label>
      <button disabled={!ready}>{sensing ? t("Sense") : t("Move")}</button>
    </form>
  );
}
