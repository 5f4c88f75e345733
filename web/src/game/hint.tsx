import type { HintView } from "../api";
import { moveName } from "../boards/move-names";
import { Icon } from "../icons";
import { percent, phrase, t } from "../text";

/** The likeliest moves of a player like the opponent. */
export function Hint({ game, hint, before, onClose }: { game: string; hint: HintView; before: string | undefined; onClose: () => void }) {
  return (
    <div class="hint" role="status">
      <button class="quiet close" onClick={onClose} aria-label={t("Close the hint")}>
        <Icon name="remove" />
      </button>
      <p>
        {hint.value == null
          ? phrase("A player like your opponent would most likely play {move}.", { move: <strong>{moveName(game, hint.move, before)}</strong> })
          : phrase("A player like your opponent would most likely play {move} and expects {share} of the points here.", { move: <strong>{moveName(game, hint.move, before)}</strong>, share: percent(hint.value) })}
      </p>
      <ul class="bars">
        {hint.candidates.slice(0, 5).map((each) => (
          <li key={each.text}>
            <span>{moveName(game, each, before)}</span>
            <span class="bar" style={{ "--share": each.probability }} aria-hidden="true" />
            <span>{percent(each.probability)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
