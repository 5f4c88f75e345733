import { useState } from "preact/hooks";
import type { GameView } from "../api";
import { t } from "../text";

/** Moves by keyboard, as people write them. */
export function MoveField({ view, onMove }: { view: GameView; onMove: (move: string) => void }) {
  const [text, setText] = useState("");
  const sensing = view.phase === "sense";
  const ready = sensing || view.phase === "move";
  const example = view.legal[Math.floor(view.legal.length / 2)]?.name ?? "e4";
  return (
    <form
      class="move-field"
      onSubmit={(event) => {
        event.preventDefault();
        const typed = text.trim();
        if (typed && ready) onMove(sensing && !typed.startsWith("sense") ? `sense ${typed.toLowerCase()}` : typed);
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
          placeholder={sensing ? t("Or type a square: {example}", { example: "e6" }) : ready ? t("Or type a move: {example}", { example }) : "…"}
          onInput={({ currentTarget: { value } }) => setText(value)}
        />
      </label>
      <button disabled={!ready}>{sensing ? t("Sense") : t("Move")}</button>
    </form>
  );
}
