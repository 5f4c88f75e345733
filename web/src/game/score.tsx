import type { ScoreView } from "../api";
import { Icon } from "../icons";
import { say, t } from "../text";

/** Who is ahead in the position that is shown; the board has the points of both. */
export function Score({ game, score, onClose }: { game: string; score: ScoreView; onClose: () => void }) {
  return (
    <div class="hint score" role="status">
      <button class="quiet close" onClick={onClose} aria-label={t("Hide the score")}>
        <Icon name="remove" />
      </button>
      <p>
        <strong>{say(score.text, game)}</strong>
      </p>
      {!score.counted && (
        <p class="note">
          {say(score.note, game)} {t("A square marks a point by its likely owner: the paler, the less certain.")}
        </p>
      )}
    </div>
  );
}
