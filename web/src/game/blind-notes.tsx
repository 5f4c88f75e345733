import type { GameView } from "../api";
import { formatted, phrase, say, t } from "../text";

/** What the person knows in blind chess: the number of possible boards over time, and notes. */
export function BlindNotes({ view }: { view: GameView }) {
  if (!view.hidden || view.phase === "over") return null;
  const { possible, exact, notes, sizes } = view.hidden;
  return (
    <div class="blind">
      <div class="blind-head">
        <p>
          {phrase(possible === 1 ? "{count} possible board" : "{count} possible boards", { count: <strong class="number">{formatted(possible)}</strong> })}
        </p>
        <Sparkline sizes={sizes} />
      </div>
      {!exact && <p class="note">{t("More are possible than are followed: what looks certain may not be.")}</p>}
      {notes.length > 0 && (
        <ul class="notes" aria-label={t("What you learned")} tabIndex={0}>
          {[...notes].reverse().map((note, index) => (
            <li key={notes.length - index}>{say(note)}</li>
          ))}
        </ul>
      )}
      {view.moves.length < 7 && <p class="note">{t("Dark squares are not certain. A pale piece is a guess; the larger it is, the likelier.")}</p>}
    </div>
  );
}

/** The number of possible boards after each move, on a logarithmic scale. */
function Sparkline({ sizes }: { sizes: number[] }) {
  if (sizes.length < 2) return null;
  const top = Math.log10(Math.max(10, ...sizes));
  const points = sizes.map((size, index) => `${(index / (sizes.length - 1)) * 100},${28 - (Math.log10(Math.max(1, size)) / top) * 26}`);
  return (
    <svg class="sparkline" viewBox="0 0 100 30" preserveAspectRatio="none" role="img" aria-label={t("Possible boards over the game, at most {count}", { count: Math.max(...sizes) })}>
      <polyline points={points.join(" ")} />
    </svg>
  );
}
