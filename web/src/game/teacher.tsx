// The teacher while playing: says that a move gives much away before it is played. Off unless it is switched on.
import { useState } from "preact/hooks";
import type { GameView, WarningView } from "../api";
import { moveName } from "../boards/move-names";
import { can } from "../capabilities";
import { WARNINGS, warnings, type Warnings } from "../settings";
import { percent, t, word } from "../text";

/** Expected score that a move must give away for a warning. */
const LEAST: Record<Warnings, number> = { off: Infinity, blunders: 0.2, mistakes: 0.1 };
const TITLES: Record<Warnings, string> = { off: word("never"), blunders: word("before a move that gives away 20 %"), mistakes: word("before a move that gives away 10 %") };

export interface Teacher {
  chosen: Warnings;
  choose: (chosen: Warnings) => void;
  on: boolean;
  warns: (told: WarningView) => boolean;
}

/** Whether the server can judge the moves of a game: those of shogi it cannot, and a tab none. */
const isJudged = ({ traits }: GameView) => can("warnings") && !traits.hidden && (traits.board === "chessboard" || traits.board === "points");

/** The person's choice. A game with a clock begins without warnings, and has a choice of its own. */
export function useWarnings(view: GameView | null): Teacher {
  const key = `warnings-${view?.id}`;
  const [, redraw] = useState(0);
  const kept = sessionStorage.getItem(key);
  const chosen = view?.clock ? (WARNINGS.find((each) => each === kept) ?? "off") : warnings.value;
  return {
    chosen,
    choose: (next) => {
      if (view?.clock) sessionStorage.setItem(key, next);
      else warnings.value = next;
      redraw((count) => count + 1);
    },
    on: chosen !== "off" && view !== null && isJudged(view),
    warns: ({ loss }) => loss != null && loss >= LEAST[chosen],
  };
}

/** "Nf6 gives away 20 %.", in points where the network counts them. */
export function gaveAway(game: string, warning: WarningView, before: string | undefined): string {
  const move = moveName(game, warning, before);
  if (warning.points != null) return t("{move} gives away {points} points.", { move, points: warning.points });
  return t("{move} gives away {loss} of a win.", { move, loss: percent(warning.loss ?? 0) });
}

/** The switch, below the board's commands. */
export function TeacherSwitch({ view, teacher }: { view: GameView; teacher: Teacher }) {
  if (!isJudged(view) || view.you === null || view.phase === "over") return null;
  return (
    <label class="row teacher">
      <span>{t("Warn me")}</span>
      <select value={teacher.chosen} onChange={({ currentTarget: { value } }) => teacher.choose(value as Warnings)}>
        {WARNINGS.map((each) => (
          <option key={each} value={each}>
            {t(TITLES[each])}
          </option>
        ))}
      </select>
    </label>
  );
}
