import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { api, type LegalMove, type ReviewedMove, type ReviewView } from "../api";
import { moveName } from "../boards/move-names";
import { Icon } from "../icons";
import { moveNumber } from "../moves";
import { autoDeck } from "../settings";
import { Switch } from "../settings-panel";
import { counted, percent, phrase, say, t, type Text } from "../text";

/** What a review has besides, where its analysis can prove it: the kind of a mistake, and the answer to it. */
export type Proved = Omit<ReviewView, "moves"> & { moments?: number[]; moves: (ReviewedMove & { kind_text?: Text | null; answer?: LegalMove[] })[] };

/** The moments that mattered most, as far as the review names them. */
export function Moments({ review, onPly }: { review: Proved; onPly: (ply: number) => void }) {
  const first = review.moves[0]?.ply ?? 0;
  const moments = (review.moments ?? []).flatMap((ply) => review.moves[ply - first] ?? []);
  if (moments.length === 0) return null;
  return (
    <div class="card">
      <h2>{t("The moments that mattered")}</h2>
      <ol class="missed">
        {moments.map((each) => (
          <li key={each.ply}>
            <button onClick={() => onPly(each.ply - first)}>
              <span>
                {phrase("{number} {move} gave away {loss} of a win. {best} was better.", {
                  number: moveNumber(review.game, each.ply),
                  move: <strong>{moveName(review.game, each, review.moves[each.ply - first - 1]?.text)}</strong>,
                  loss: percent(each.loss ?? 0),
                  best: <b>{moveName(review.game, { text: each.best, name: each.best_name }, review.moves[each.ply - first - 1]?.text)}</b>,
                })}{" "}
                {each.kind_text && say(each.kind_text, review.game)}
              </span>
            </button>
          </li>
        ))}
      </ol>
    </div>
  );
}

/** Marks of the moves that the deck takes. */
const TAKEN = ["mistake", "blunder"];

/** Practise the mistakes of a reviewed game, or put them into the deck. */
export function Learn({ review, names, you, source }: { review: ReviewView; names: readonly string[]; you: number | null; source: string }) {
  const [side, setSide] = useState(you ?? 0);
  const [added, setAdded] = useState<string | null>(null);
  const [error, setError] = useState("");
  const kept = useRef(false);
  useLayoutEffect(() => setSide(you ?? 0), [you]);
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
        <p class="note">{you === side ? t("No move of yours gave away 10 % or more.") : t("No move of {player} gave away 10 % or more.", { player: names[side]! })}</p>
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
