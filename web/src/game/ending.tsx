import { useState } from "preact/hooks";
import { api, type GameView } from "../api";
import { Icon } from "../icons";
import { offers } from "../offers";
import { can } from "../capabilities";
import { begin, cardOf, playOn, requestOf } from "../requests";
import { phrase, say, t } from "../text";

/** The result, and what to do next. */
export function Ending({ view, onError }: { view: GameView; onError: (message: string) => void }) {
  const [busy, setBusy] = useState(false);
  if (!view.result) return null;
  const wanted = requestOf(view.id);
  const card = cardOf(view.id);
  const { winner } = view.result;
  const tone = view.you === null || winner === null ? "even" : winner === view.you ? "won" : "lost";
  const again = async () => {
    setBusy(true);
    try {
      await begin({ ...wanted!, ...(wanted!.you == null ? {} : { you: wanted!.you === 0 ? 1 : 0 }) });
    } catch (refusal) {
      onError((refusal as Error).message);
      setBusy(false);
    }
  };
  const tryAgain = () => {
    setBusy(true);
    playOn(card!).catch((refusal: Error) => (onError(refusal.message), setBusy(false)));
  };
  const explains = can("review") && ["chess", "go", "shogi"].includes(view.game) && view.moves.length > 0;
  return (
    <div class={`ending ${tone}`}>
      <p class="result">{say(view.result.text, view.game)}</p>
      {view.estimate && (
        <p class="note">
          {phrase(view.estimate.games === 1 ? "Your strength is now estimated at {rating} ({low} to {high}) from {count} game." : "Your strength is now estimated at {rating} ({low} to {high}) from {count} games.", {
            rating: <strong>{Math.round(view.estimate.rating)}</strong>,
            low: Math.round(view.estimate.interval[0]),
            high: Math.round(view.estimate.interval[1]),
            count: view.estimate.games,
          })}
        </p>
      )}
      <div class="buttons">
        {card && (
          <>
            <button class="main" disabled={busy} onClick={tryAgain}>
              <Icon name="again" /> {t("The same position again")}
            </button>
            <a class="button" href="#/train">
              <Icon name="deck" /> {t("Back to my mistakes")}
            </a>
          </>
        )}
        {wanted && (
          <button class="main" disabled={busy} onClick={() => void again()}>
            <Icon name="again" /> {view.you === null ? t("Again") : t("Rematch")}
          </button>
        )}
        <a class={wanted || card ? "button" : "button main"} href={view.you === null ? "#/watch" : "#/"}>
          <Icon name="plus" /> {t("New game")}
        </a>
        {view.traits.hidden && (
          <button onClick={() => document.getElementById("replay")?.scrollIntoView({ behavior: "smooth" })}>
            <Icon name="eye" /> {t("Who knew what?")}
          </button>
        )}
        {explains && (
          <a class="button" href={`#/understand/${view.id}`}>
            <Icon name="search" /> {t("Review")}
          </a>
        )}
      </div>
    </div>
  );
}

/** Saves the game as a file. */
export function Save({ view, onError }: { view: GameView; onError: (message: string) => void }) {
  const formats = offers.value.find((each) => each.name === view.game)?.writes ?? [];
  if (view.moves.length === 0 || (view.hidden && view.phase !== "over")) return null;
  const save = async (format: string) => {
    try {
      const text = await api.record(view.id, format);
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
      link.download = `sparring-${view.game}-${view.id}.${format}`;
      link.click();
      URL.revokeObjectURL(link.href);
    } catch (refusal) {
      onError((refusal as Error).message);
    }
  };
  return (
    <div class="save">
      {formats.map((format) => (
        <button key={format} class="quiet" aria-label={t("Save as {format}", { format: format.toUpperCase() })} onClick={() => void save(format)}>
          <Icon name="save" /> {format.toUpperCase()}
        </button>
      ))}
    </div>
  );
}
