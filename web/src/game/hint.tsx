import type { HintView } from "../api";
import { Icon } from "../icons";

/** The likeliest moves of a player like the opponent. */
export function Hint({ hint, onClose }: { hint: HintView; onClose: () => void }) {
  return (
    <div class="hint" role="status">
      <button class="quiet close" onClick={onClose} aria-label="Close the hint">
        <Icon name="remove" />
      </button>
      <p>
        A player like your opponent would most likely play <strong>{hint.move.name}</strong>
        {hint.value != null && <> and expects {Math.round(100 * hint.value)} % of the points here</>}.
      </p>
      <ul class="bars">
        {hint.candidates.slice(0, 5).map((each) => (
          <li key={each.text}>
            <span>{each.name}</span>
            <span class="bar" style={{ "--share": each.probability }} aria-hidden="true" />
            <span>{Math.round(100 * each.probability)} %</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
