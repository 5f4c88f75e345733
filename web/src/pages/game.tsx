import { useEffect, useRef, useState } from "preact/hooks";
import { api, follow, type GameView, type HintView, type PositionView } from "../api";
import { Board } from "../boards/board";
import { Actions } from "../game/actions";
import { BlindNotes } from "../game/blind-notes";
import { BlindReplay } from "../game/blind-replay";
import { Ending, Save } from "../game/ending";
import { Hint } from "../game/hint";
import { MoveField } from "../game/move-field";
import { MoveList } from "../game/move-list";
import { PlayerStrip } from "../game/player-strip";
import { loadOffers } from "../offers";
import { known, say, t } from "../text";

/** A game in progress or finished. */
export function GamePage({ id }: { id: string }) {
  const [view, setView] = useState<GameView | null>(null);
  const [lost, setLost] = useState(false);
  const [error, setError] = useState("");
  const [hint, setHint] = useState<HintView | null>(null);
  const [past, setPast] = useState<PositionView | null>(null);
  const [flipped, setFlipped] = useState(false);
  const latest = useRef(-1);
  const see = (next: GameView) => {
    if (next.version < latest.current) return;
    latest.current = next.version;
    setView(next);
    setHint(null);
    setPast(null);
  };
  useEffect(() => {
    loadOffers();
    api.game(id).then(see, (refusal: Error) => setError(refusal.message));
    return follow(id, see, setLost);
  }, [id]);
  useEffect(() => {
    if (view) document.title = `${view.phase === "move" || view.phase === "sense" ? `${t("Your move")} · ` : ""}${known(view.title)} · Sparring`;
    return () => void (document.title = "Sparring");
  }, [view?.title, view?.phase]);
  const act = (action: Promise<GameView>) => {
    setError("");
    action.then(see, (refusal: Error) => {
      setError(refusal.message);
      api.game(id).then((now) => setView({ ...now }), () => undefined); // the board shows the true position again
    });
  };
  const step = (ply: number) => {
    if (!view || (view.game === "rbc" && view.phase !== "over" && view.you !== null)) return;
    if (ply >= view.ply) return setPast(null);
    api.position(id, Math.max(0, ply)).then(setPast, (refusal: Error) => setError(refusal.message));
  };
  const shown = past?.ply ?? view?.ply ?? 0;
  useEffect(() => {
    const keys = (event: KeyboardEvent) => {
      if (event.target instanceof HTMLInputElement || event.altKey || event.ctrlKey || event.metaKey) return;
      if (event.key === "ArrowLeft") step(shown - 1);
      if (event.key === "ArrowRight") step(shown + 1);
      if (event.key === "f") setFlipped((now) => !now);
    };
    addEventListener("keydown", keys);
    return () => removeEventListener("keydown", keys);
  });
  if (!view)
    return error ? (
      <div class="empty">
        <p role="alert">{error}</p>
        <a class="button main" href="#/">
          {t("Play a game")}
        </a>
      </div>
    ) : (
      <p class="loading" role="status">
        {t("Loading the game…")}
      </p>
    );

  const bottom = flipped ? 1 - (view.you ?? 0) : (view.you ?? 0);
  const move = (text: string) => act(api.move(id, text, view.ply));
  const playing = view.you !== null && view.phase !== "over";
  return (
    <>
      <h1 class="hidden-text">
        {t("{game}: {player} against {other}", { game: known(view.title), player: say(view.players[0].name), other: say(view.players[1].name) })}
      </h1>
      <div class={`table ${view.game}`}>
        <section class="board-side" aria-label={t("Board")}>
          <Board view={view} past={past} bottom={bottom} hint={hint} onMove={move} onDead={(point) => act(api.dead(id, [point]))} />
        </section>
        <div class="strip top">
          <PlayerStrip view={view} side={1 - bottom} />
        </div>
        <section class="panel" aria-label={t("Game")}>
          <Status view={view} lost={lost} past={past !== null} onNow={() => setPast(null)} />
          {error && (
            <p class="alert" role="alert">
              {error}
            </p>
          )}
          <Ending view={view} onError={setError} />
          {view.phase === "counting" && (
            <div class="buttons counting">
              <button class="main" onClick={() => act(api.command(id, "agree"))}>
                {t("Agree on the score")}
              </button>
              <button onClick={() => act(api.command(id, "resume"))}>{t("Play on")}</button>
            </div>
          )}
          {view.draw_offered && view.can.includes("draw") && (
            <div class="buttons counting">
              <button class="main" onClick={() => act(api.command(id, "draw"))}>
                {t("Accept the draw")}
              </button>
              <span class="note">{t("or play on.")}</span>
            </div>
          )}
          {hint && <Hint hint={hint} onClose={() => setHint(null)} />}
          <BlindNotes view={view} />
          <MoveList view={view} shown={shown} onStep={step} />
          <Actions view={view} act={act} onFlip={() => setFlipped(!flipped)} onHint={() => void api.hint(id).then(setHint, (refusal: Error) => setError(refusal.message))} />
          {playing && view.phase !== "counting" && <MoveField view={view} onMove={move} />}
          <Save view={view} onError={setError} />
        </section>
        <div class="strip bottom">
          <PlayerStrip view={view} side={bottom} />
        </div>
      </div>
      {view.game === "rbc" && view.phase === "over" && <BlindReplay view={view} at={shown} onStep={step} />}
    </>
  );
}

function Status({ view, lost, past, onNow }: { view: GameView; lost: boolean; past: boolean; onNow: () => void }) {
  const turn: Record<GameView["phase"], string> = {
    move: t("Your move."),
    sense: t("Tap a square to sense it and the eight around it."),
    thinking: view.you === null ? t("Playing…") : t("Thinking…"),
    counting: t("Both passed. Tap stones that are dead, or alive after all."),
    over: "",
  };
  const last = view.moves.at(-1);
  const played = last && last.player !== view.you && view.game !== "rbc" ? `${t("{side} plays {move}.", { side: known(view.sides[last.player]!, view.game), move: last.name })} ` : "";
  return (
    <div class="status" role="status" aria-live="polite">
      {lost && <p class="alert">{t("The connection is lost. Trying again…")}</p>}
      {!view.result && (
        <p>
          {played}
          {view.message && <strong>{say(view.message, view.game)} </strong>}
          {view.check && <strong>{t("Check.")} </strong>}
          {turn[view.phase]}
        </p>
      )}
      {view.result && <span class="hidden-text">{say(view.result.text, view.game)}</span>}
      {view.counting && <p>{say(view.counting.text, view.game)}</p>}
      {past && view.phase !== "over" && (
        <p class="note">
          {t("You look at an earlier position.")} <button class="link" onClick={onNow}>{t("Back to the game")}</button>
        </p>
      )}
    </div>
  );
}
