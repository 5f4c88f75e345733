import type { HintView } from "../api";
import { moveName } from "../boards/move-names";
import { Icon } from "../icons";
import { offers } from "../offers";
import { percent, phrase, rank, t } from "../text";

/** The best move, and what people play, side by side. */
export function Hint({ game, hint, before, onRating, onClose }: { game: string; hint: HintView; before: string | undefined; onRating: (rating: string) => void; onClose: () => void }) {
  const ratings = offers.value.find((each) => each.name === game)?.ratings;
  return (
    <div class="hint" role="status">
      <button class="quiet close" onClick={onClose} aria-label={t("Close the hint")}>
        <Icon name="remove" />
      </button>
      <dl class="advice">
        <div>
          <dt>
            <i class="dot green" /> {t("The best move")}
          </dt>
          <dd>
            <strong>{moveName(game, hint.best, before)}</strong>
            {hint.best_value != null && <span class="note">{t("expects {share} of the points", { share: percent(hint.best_value) })}</span>}
          </dd>
        </div>
        {hint.people && (
          <div>
            <dt>
              <i class="dot blue" />{" "}
              {hint.people_rating == null
                ? t("People play")
                : phrase("People of {rating} play", {
                    rating: (
                      <select aria-label={ratings?.word.text === "rank" ? t("Your rank") : t("Your rating")} value={String(hint.people_rating)} onChange={({ currentTarget: { value } }) => onRating(value)}>
                        {[...new Set([...(ratings?.values ?? []), hint.people_rating].map(String))].map((value) => (
                          <option key={value} value={value}>
                            {rank(value)}
                          </option>
                        ))}
                      </select>
                    ),
                  })}
            </dt>
            <dd>
              <strong>{moveName(game, hint.people, before)}</strong>
              {hint.people_share != null && <span class="note">{t("{share} of them", { share: percent(hint.people_share) })}</span>}
            </dd>
          </div>
        )}
      </dl>
      {hint.candidates.length > 1 && (
        <ul class="bars">
          {hint.candidates.slice(0, 5).map((each) => (
            <li key={each.text}>
              <span>{moveName(game, each, before)}</span>
              <span class="bar" style={{ "--share": each.probability }} aria-hidden="true" />
              <span>{percent(each.probability)}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
