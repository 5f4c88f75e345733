import { useEffect, useRef, useState } from "preact/hooks";
import { api, type ReviewView } from "../api";
import { Icon } from "../icons";
import { autoDeck } from "../settings";
import { Switch } from "../settings-panel";
import { counted, t } from "../text";

/** Marks of the moves that the deck takes. */
const TAKEN = ["mistake", "blunder"];

/** Practise the mistakes of a reviewed game, or put them into the deck. */
export function Learn({ review, names, you, source }: { review: ReviewView; names: readonly string[]; you: number | null; source: string }) {
  const [side, setSide] = useState(you ?? 0);
  const [added, setAdded] = useState<string | null>(null);
  const [error, setError] = useState("");
  const kept = useRef(false);
  useEffect(() => setSide(you ?? 0), [you]);
  const mistakes = review.moves.filter((each) => each.player === side && TAKEN.includes(each.mark) && each.text !== each.best && each.line.length > 0).length;
  const keep = async (cards: boolean): Promise<string[]> => {
    setError("");
    try {
      const found = await api.keepReview(review.id, side === 0 ? 0 : 1, source, cards);
      if (cards) setAdded(found.added ? counted(found.added, "{count} move is in your deck now.", "{count} moves are in your deck now.") : t("They are in your deck."));
      return found.cards;
    } catch (refusal) {
      setError((refusal as Error).message);
      return [];
    }
  };
  useEffect(() => {
    if (!review.done || review.error || you === null || side !== you || kept.current) return;
    kept.current = true; // what the review of an own game found is kept for the progress
    void keep(autoDeck.value === "on" && mistakes > 0);
  }, [review.done, you, side]);
  if (!review.done || review.error) return null;
  const practise = async () => {
    const cards = await keep(true);
    if (cards.length) location.hash = `/train/${cards.join(",")}`;
  };
  return (
    <div class="card learn">
      <div class="title-line">
        <h2>{t("Learn from it")}</h2>
        {you === null && (
          <label class="filter">
            <span class="note">{t("Your side")}</span>{" "}
            <select value={String(side)} onChange={({ currentTarget: { value } }) => (setSide(Number(value)), setAdded(null))}>
              {names.map((name, player) => (
                <option key={player} value={String(player)}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        )}
      </div>
      {mistakes === 0 ? (
        <p class="note">{t("No move of {player} gave away 10 % or more.", { player: names[side]! })}</p>
      ) : (
        <div class="buttons">
          <button class="main" onClick={() => void practise()}>
            <Icon name="target" /> {counted(mistakes, "Find better: {count} move", "Find better: {count} moves")}
          </button>
          <button onClick={() => void keep(true)} disabled={added !== null}>
            <Icon name="deck" /> {t("Into my deck")}
          </button>
        </div>
      )}
      <Switch title={t("Put mistakes of my games into the deck by themselves")} chosen={autoDeck} />
      {added && (
        <p class="note" role="status">
          {added} <a href="#/train">{t("To the deck")}</a>
        </p>
      )}
      {error && (
        <p class="alert" role="alert">
          {error}
        </p>
      )}
    </div>
  );
}
