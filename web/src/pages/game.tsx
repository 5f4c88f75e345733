import { useEffect, useRef, useState } from "preact/hooks";
import { api, follow, type GameView, type HintView, type PositionView, type ScoreView, type WarningView } from "../api";
import { Board } from "../boards/board";
import { Confirm, CONFIRM_PLACE } from "../boards/confirm";
import { squareNumber } from "../boards/coordinates";
import { focusBoard } from "../boards/square-keys";
import { moveName } from "../boards/move-names";
import { Actions } from "../game/actions";
import { BlindNotes } from "../game/blind-notes";
import { BlindReplay } from "../game/blind-replay";
import { Ending, Save } from "../game/ending";
import { shownGame } from "../help";
import { Hint } from "../game/hint";
import { MoveField } from "../game/move-field";
import { MoveList } from "../game/move-list";
import { PlayerStrip } from "../game/player-strip";
import { Score } from "../game/score";
import { gaveAway, TeacherSwitch, useWarnings } from "../game/teacher";
import { useKeys } from "../keys";
import { loadOffers } from "../offers";
import { confirmMoves, keepRating, ownRating } from "../settings";
import { play } from "../sound";
import { known, say, t } from "../text";

/** A game in progress or finished. */
export function GamePage({ id }: { id: string }) {
  const [view, setView] = useState<GameView | null>(null);
  const [lost, setLost] = useState(false);
  const [error, setError] = useState("");
  const [hint, setHint] = useState<HintView | null>(null);
  const [scoring, setScoring] = useState(false);
  const [score, setScore] = useState<ScoreView | null>(null);
  const [past, setPast] = useState<PositionView | null>(null);
  const [flipped, setFlipped] = useState(false);
  const [chosen, setChosen] = useState<string | null>(null);
  const [aimed, setAimed] = useState<string | null>(null);
  const [warning, setWarning] = useState<WarningView | null>(null);
  const [judging, setJudging] = useState(false);
  const teacher = useWarnings(view);
  const latest = useRef(-1);
  const seen = useRef<GameView | null>(null);
  const wanted = useRef<number | null>(null);
  const asked = useRef({ hint: 0, warning: 0 });
  const present = () => {
    wanted.current = null;
    setPast(null);
  };
  const unchoose = () => {
    setJudging(false);
    setChosen(null);
    setWarning(null);
    setAimed(null);
  };
  const cancel = () => {
    ++asked.current.warning; // a move that is judged meanwhile is not played
    unchoose();
  };
  const see = (next: GameView) => {
    if (next.version < latest.current) return;
    const isNew = next.version > latest.current;
    latest.current = next.version;
    hear(seen.current, next);
    seen.current = next;
    setView(next);
    if (!isNew) return; // the same by another way: what the person has chosen meanwhile stays
    ++asked.current.hint; // the answer to an older question is about another position
    setHint(null);
    if (next.you !== null) setScoring(false); // a watched game goes on by itself
    unchoose();
    present();
  };
  useEffect(() => {
    loadOffers();
    const look = () => api.game(id).then(see, (refusal: Error) => setError(refusal.message));
    void look();
    let wasLost = false;
    const setLink = (isLost: boolean) => {
      if (wasLost && !isLost) setError(""); // that the server does not answer is no longer true
      wasLost = isLost;
      setLost(isLost);
    };
    return follow(id, see, setLink, () => void look());
  }, [id]);
  useEffect(() => {
    if (view) document.title = `${view.phase === "move" || view.phase === "sense" ? `${t("Your move")} · ` : ""}${known(view.title)} · Sparring`;
    return () => void (document.title = "Sparring");
  }, [view?.title, view?.phase]);
  useEffect(() => {
    if (view) shownGame.value = view.game;
  }, [view?.game]);
  const act = (action: Promise<GameView>) => {
    setError("");
    action.then(see, (refusal: Error) => {
      setError(refusal.message);
      api.game(id).then((now) => setView({ ...now }), () => undefined); // the board shows the true position again
    });
  };
  const step = (ply: number) => {
    if (!view || (view.traits.hidden && view.phase !== "over" && view.you !== null)) return;
    if (ply >= view.ply) return present();
    const asked = Math.max(0, ply);
    wanted.current = asked;
    api.position(id, asked).then((found) => wanted.current === asked && setPast(found), (refusal: Error) => setError(refusal.message));
  };
  const shown = past?.ply ?? view?.ply ?? 0;
  useEffect(() => {
    setScore((now) => (scoring ? now : null));
    if (!scoring) return;
    let gone = false;
    const ask = () =>
      api.score(id, shown).then(
        (found) => gone || setScore(found),
        (refusal: Error) => gone || (setScoring(false), setError(refusal.message)),
      );
    const timer = setTimeout(ask, SCORE_DELAY);
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [id, scoring, shown, view?.version]);
  const stepBy = (moves: number) => step((wanted.current ?? view?.ply ?? 0) + moves);
  const wheel = useWheel(stepBy);
  useKeys((event) => {
    if (event.key === "ArrowLeft") stepBy(-1);
    if (event.key === "ArrowRight") stepBy(1);
    if (event.key === "Home") step(0);
    if (event.key === "End") present();
    if (event.key === "e" && view?.traits.points) setScoring((now) => !now);
    if (event.key === "f") setFlipped((now) => !now);
    if (event.key === "m" && focusMoveField()) event.preventDefault();
    if (event.key === "b" && focusBoard()) event.preventDefault();
    if (event.key === "Escape") cancel();
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
  /** Plays a move; one that gives away more than the person wants to be warned of stays pale until it is confirmed. */
  const submit = (text: string) => {
    if (view.phase !== "move" || !teacher.on) return move(text);
    setError("");
    setChosen(view.legal.find((each) => each.name === text)?.text ?? text); // a typed move lies on the board, too
    setJudging(true);
    const number = ++asked.current.warning;
    api.warning(id, text, view.ply).then(
      (told) => {
        if (number !== asked.current.warning || seen.current?.ply !== view.ply) return;
        setJudging(false);
        if (!teacher.warns(told)) return move(text);
        setChosen(told.text);
        setWarning(told);
      },
      (refusal: Error) => number === asked.current.warning && (cancel(), setError(refusal.message)),
    );
  };
  const choose = (text: string) => (confirmMoves.value === "on" && view.phase === "move" ? setChosen(text) : submit(text));
  const sense = (square: string) => {
    const piece = view.hidden?.known[squareNumber(square)];
    const isOwn = piece != null && piece !== "?" && (piece === piece.toUpperCase()) === (view.you === 0);
    // Who taps an own piece may want to move it; a sense cannot be taken back.
    if (aimed !== square && (isOwn || confirmMoves.value === "on")) setAimed(square);
    else move(`sense ${square}`);
  };
  const askHint = (rating: string | null) => {
    const number = ++asked.current.hint;
    api.hint(id, rating).then((found) => number === asked.current.hint && setHint(found), (refusal: Error) => number === asked.current.hint && setError(refusal.message));
  };
  const chosenMove = view.legal.find((each) => each.text === chosen);
  const before = view.moves.at(-1)?.text;
  const shownScore = score?.ply === shown ? score : null;
  const playing = view.you !== null && view.phase !== "over";
  return (
    <>
      <h1 class="hidden-text">
        {t("{game}: {player} against {other}", { game: known(view.title), player: say(view.players[0].name), other: say(view.players[1].name) })}
      </h1>
      <div class={`table ${view.game}`}>
        <section class="board-side" aria-label={t("Board")} ref={wheel}>
          <Board view={view} past={past} bottom={bottom} hint={hint} score={shownScore} chosen={chosen} aimed={aimed} onMove={choose} onSense={sense} onDead={(point) => act(api.dead(id, [point]))} />
        </section>
        <div class="confirm-place" id={CONFIRM_PLACE} />
        <div class="strip top">
          <PlayerStrip view={view} side={1 - bottom} />
        </div>
        <section class="panel" aria-label={t("Game")}>
          <Status view={view} lost={lost} past={past !== null} aimed={aimed} onNow={present} />
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
          {view.facts && view.facts.length > 0 && <p class="note game-line">{view.facts.map((fact) => say(fact, view.game)).join(" ")}</p>}
          {judging && (
            <p class="note" role="status">
              {t("Looking at your move…")}
            </p>
          )}
          {warning && (
            <Confirm label={t("Take it back?")} text={`${gaveAway(view.game, warning, before)} ${t("Take it back?")}`}>
              <button class="main" ref={focus} onClick={cancel}>
                {t("Take back")}
              </button>
              <button onClick={() => move(warning.text)}>{t("Play it")}</button>
            </Confirm>
          )}
          {chosen && !warning && !judging && confirmMoves.value === "on" && (
            <Confirm label={t("Confirm the move")} text="">
              <button class="main" ref={focus} onClick={() => submit(chosen)}>
                {t("Play {move}", { move: chosenMove ? moveName(view.game, chosenMove, before) : chosen })}
              </button>
              <button onClick={cancel}>{t("Cancel")}</button>
            </Confirm>
          )}
          {aimed && (
            <Confirm label={t("Confirm the sense")} text="">
              <button class="main" ref={focus} onClick={() => move(`sense ${aimed}`)}>
                {t("Sense around {square}", { square: aimed })}
              </button>
              <button onClick={cancel}>{t("Cancel")}</button>
            </Confirm>
          )}
          {hint && <Hint game={view.game} hint={hint} before={before} onRating={(rating) => (keepRating(view.game, rating), askHint(rating))} onClose={() => setHint(null)} />}
          {shownScore && <Score game={view.game} score={shownScore} onClose={() => setScoring(false)} />}
          <BlindNotes view={view} />
          <MoveList view={view} shown={shown} onStep={step} />
          <Actions view={view} act={act} onFlip={() => setFlipped(!flipped)} onHint={() => askHint(ownRating(view.game))} scoring={scoring} onScore={() => setScoring(!scoring)} />
          {playing && view.phase !== "counting" && <MoveField view={view} onMove={submit} onType={() => setError("")} />}
          <TeacherSwitch view={view} teacher={teacher} />
          <Save view={view} onError={setError} />
        </section>
        <div class="strip bottom">
          <PlayerStrip view={view} side={bottom} />
        </div>
      </div>
      {view.traits.hidden && view.phase === "over" && <BlindReplay view={view} at={shown} onStep={step} />}
    </>
  );
}

const focus = (element: HTMLElement | null) => element?.focus();

/** Whether there is a move field; gives it the focus. */
function focusMoveField(): boolean {
  const field = document.querySelector<HTMLElement>(".move-field input");
  field?.focus();
  return field !== null;
}

/** Sounds of what changed. */
function hear(before: GameView | null, now: GameView): void {
  if (!before) return;
  if (now.result && !before.result) play("end");
  else if (now.ply > before.ply) play(/x/.test(now.moves.at(-1)?.name ?? "") ? "capture" : "move");
}

/** Milliseconds until the score of a position is asked: who steps through many does not ask for each. */
const SCORE_DELAY = 60;
/** Pixels of the wheel for one move. */
const WHEEL_STEP = 60;

/** The wheel over an element steps through the moves. Gives the element's ref. */
export function useWheel(stepBy: (moves: number) => void): (element: HTMLElement | null) => void {
  const now = useRef(stepBy);
  now.current = stepBy;
  const turned = useRef(0);
  const roll = useRef((event: WheelEvent) => {
    if (event.ctrlKey || event.deltaY === 0) return;
    event.preventDefault();
    if (turned.current * event.deltaY < 0) turned.current = 0;
    turned.current += event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? event.deltaY : WHEEL_STEP * Math.sign(event.deltaY);
    const moves = Math.trunc(turned.current / WHEEL_STEP);
    if (moves === 0) return;
    turned.current = 0;
    now.current(Math.sign(moves));
  }).current;
  const element = useRef<HTMLElement | null>(null);
  return useRef((next: HTMLElement | null) => {
    element.current?.removeEventListener("wheel", roll);
    next?.addEventListener("wheel", roll, { passive: false });
    element.current = next;
  }).current;
}

function Status({ view, lost, past, aimed, onNow }: { view: GameView; lost: boolean; past: boolean; aimed: string | null; onNow: () => void }) {
  const turn: Record<GameView["phase"], string> = {
    move: t("Your move."),
    sense: aimed ? t("You move after the sense. Tap {square} again to sense it and the eight around it, or another square.", { square: aimed }) : t("Tap a square to sense it and the eight around it."),
    thinking: view.you === null ? t("Playing…") : t("Thinking…"),
    counting: t("Both passed. Tap stones that are dead, or alive after all."),
    over: "",
  };
  const last = view.moves.at(-1);
  const side = last && known(view.sides[last.player]!, view.game);
  const said = last && (last.text === "pass" ? t("{side} passes.", { side: side! }) : t("{side} plays {move}.", { side: side!, move: moveName(view.game, last, view.moves.at(-2)?.text) }));
  const played = said && last.player !== view.you && !view.traits.hidden ? `${said} ` : "";
  return (
    <div class="status" role="status" aria-live="polite">
      {lost && <p class="alert">{t("The connection is lost. Trying again…")}</p>}
      {!view.result && (
        <p>
          {played}
          {view.message.text && <strong>{say(view.message, view.game)} </strong>}
          {view.check && <strong>{t("Check.")} </strong>}
          {turn[view.phase]}
        </p>
      )}
      {view.result && <span class="hidden-text">{say(view.result.text, view.game)}</span>}
      {view.counting && !view.result && <p>{say(view.counting.text, view.game)}</p>}
      {past && view.phase !== "over" && (
        <p class="note">
          {t("You look at an earlier position.")} <button class="link" onClick={onNow}>{t("Back to the game")}</button>
        </p>
      )}
    </div>
  );
}
