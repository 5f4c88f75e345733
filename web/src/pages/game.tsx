import { useEffect, useRef, useState } from "preact/hooks";
import { api, follow, type GameView, type HintView, type PositionView } from "../api";
import { Board } from "../boards/board";

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
    api.game(id).then(see, (refusal: Error) => setError(refusal.message));
    return follow(id, see, setLost);
  }, [id]);
  useEffect(() => {
    if (view) document.title = `${view.title} · Sparring`;
  }, [view?.title]);
  if (!view) return <p role={error ? "alert" : "status"}>{error || "Loading the game…"}</p>;

  const act = async (action: Promise<GameView>) => {
    setError("");
    try {
      see(await action);
    } catch (refusal) {
      setError((refusal as Error).message);
      api.game(id).then((now) => setView({ ...now }), () => undefined); // the board shows the true position again
    }
  };
  const step = async (ply: number) => {
    if (ply >= view.ply) return setPast(null);
    try {
      setPast(await api.position(id, Math.max(0, ply)));
    } catch (refusal) {
      setError((refusal as Error).message);
    }
  };
  const bottom = flipped ? 1 - (view.you ?? 0) : (view.you ?? 0);
  const shown = past?.ply ?? view.ply;
  return (
    <div
      class="table"
      onKeyDown={(event) => {
        if (event.target instanceof HTMLInputElement || (event.target as Element).closest("svg")) return;
        if (event.key === "ArrowLeft") void step(shown - 1);
        if (event.key === "ArrowRight") void step(shown + 1);
      }}
    >
      <section class="board-side" aria-label="Board">
        <PlayerLine view={view} side={1 - bottom} />
        <Board view={view} past={past} bottom={bottom} hint={hint} onMove={(move) => void act(api.move(id, move, view.ply))} onDead={(point) => void act(api.dead(id, [point]))} />
        <PlayerLine view={view} side={bottom} />
      </section>
      <section class="panel" aria-label="Game">
        <Status view={view} lost={lost} />
        {error && (
          <p class="error" role="alert">
            {error}
          </p>
        )}
        {view.phase === "counting" && (
          <div class="buttons">
            <button class="main" onClick={() => void act(api.command(id, "agree"))}>
              Agree on the score
            </button>
            <button onClick={() => void act(api.command(id, "resume"))}>Play on</button>
          </div>
        )}
        <MoveField view={view} onMove={(move) => void act(api.move(id, move, view.ply))} />
        <div class="buttons">
          {view.legal.some((each) => each.text === "pass") && (
            <button onClick={() => void act(api.move(id, "pass", view.ply))}>Pass</button>
          )}
          {view.phase === "sense" && (
            <button onClick={() => void act(api.move(id, "sense none", view.ply))}>Sense nothing</button>
          )}
          {view.can.includes("hint") && (
            <button onClick={() => api.hint(id).then(setHint, (refusal: Error) => setError(refusal.message))}>Hint</button>
          )}
          {view.can.includes("undo") && <button onClick={() => void act(api.undo(id))}>Take back</button>}
          {view.can.includes("draw") && (
            <button onClick={() => void act(api.command(id, "draw"))}>
              {view.draw_offered ? "Accept the draw" : "Offer a draw"}
            </button>
          )}
          {view.can.includes("resign") && <Resign onResign={() => void act(api.command(id, "resign"))} />}
          <button onClick={() => setFlipped(!flipped)}>Flip the board</button>
        </div>
        {hint && <Hint hint={hint} />}
        <Moves view={view} shown={shown} onStep={(ply) => void step(ply)} />
        <Hidden view={view} />
        <Save view={view} onError={setError} />
        <p>
          <a href="#/">New game</a>
        </p>
      </section>
    </div>
  );
}

function PlayerLine({ view, side }: { view: GameView; side: number }) {
  const player = view.players[side]!;
  const left = useClock(view, side);
  return (
    <div class={`player ${view.turn === side ? "to-move" : ""}`}>
      <span class={`swatch side-${view.game === "go" || view.game === "shogi" ? 1 - side : side}`} aria-hidden="true" />
      <strong>{player.name}</strong>
      <span class="about">{player.about || view.sides[side]}</span>
      {left !== null && <time class={left < 20 ? "clock low" : "clock"}>{clockText(left)}</time>}
    </div>
  );
}

/** Seconds that a player has left; counts down between two views. */
function useClock(view: GameView, side: number): number | null {
  const [, tick] = useState(0);
  const seen = useRef({ view, at: performance.now() });
  if (seen.current.view !== view) seen.current = { view, at: performance.now() };
  const runs = view.clock?.running === side;
  useEffect(() => {
    if (!runs) return;
    const timer = window.setInterval(() => tick((n) => n + 1), 200);
    return () => window.clearInterval(timer);
  }, [runs]);
  if (!view.clock) return null;
  const gone = runs ? (performance.now() - seen.current.at) / 1000 : 0;
  return Math.max(0, view.clock.left[side]! - gone);
}

const clockText = (seconds: number) =>
  seconds < 20
    ? seconds.toFixed(1)
    : `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;

function Status({ view, lost }: { view: GameView; lost: boolean }) {
  const turn: Record<GameView["phase"], string> = {
    move: "Your move.",
    sense: "Sense a square: tap it. You see the nine squares around it.",
    thinking: view.you === null ? "Playing…" : "Thinking…",
    counting: "Both passed. Tap stones that are dead, or alive after all.",
    over: "",
  };
  const last = view.moves.at(-1);
  const played = last && last.player !== view.you ? `${view.sides[last.player]} plays ${last.name}. ` : "";
  return (
    <div class="status" role="status" aria-live="polite">
      {lost && <p class="error">The connection is lost. Trying again…</p>}
      <p class={view.result ? "result" : ""}>
        {view.result ? view.result.text : `${view.game === "rbc" ? "" : played}${view.message ? `${view.message} ` : ""}${turn[view.phase]}`}
      </p>
      {view.counting && <p>{view.counting.text}</p>}
      {view.check && !view.result && <p>Check.</p>}
    </div>
  );
}

/** Moves by keyboard, as people write them. */
function MoveField({ view, onMove }: { view: GameView; onMove: (move: string) => void }) {
  const [text, setText] = useState("");
  if (view.phase !== "move" && view.phase !== "sense") return null;
  const sensing = view.phase === "sense";
  return (
    <form
      class="move-field"
      onSubmit={(event) => {
        event.preventDefault();
        const typed = text.trim();
        if (typed) onMove(sensing && !typed.startsWith("sense") ? `sense ${typed.toLowerCase()}` : typed);
        setText("");
      }}
    >
      <label>
        <span class="hidden-text">{sensing ? "Square to sense" : "Your move"}</span>
        <input
          type="text"
          value={text}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          placeholder={sensing ? "Type a square, such as e6" : `Type a move, such as ${view.legal[Math.floor(view.legal.length / 2)]?.name ?? "e4"}`}
          onInput={({ currentTarget: { value } }) => setText(value)}
        />
      </label>
      <button>{sensing ? "Sense" : "Move"}</button>
    </form>
  );
}

function Resign({ onResign }: { onResign: () => void }) {
  const [sure, setSure] = useState(false);
  return sure ? (
    <>
      <button class="danger" onClick={onResign}>
        Really resign
      </button>
      <button onClick={() => setSure(false)}>No</button>
    </>
  ) : (
    <button onClick={() => setSure(true)}>Resign</button>
  );
}

function Hint({ hint }: { hint: HintView }) {
  return (
    <div class="hint">
      <p>
        A player like your opponent would most likely play <strong>{hint.move.name}</strong>
        {hint.value != null && <>, and expects {Math.round(100 * hint.value)} % for this side</>}.
      </p>
      <ul class="bars">
        {hint.candidates.map((each) => (
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

function Moves({ view, shown, onStep }: { view: GameView; shown: number; onStep: (ply: number) => void }) {
  const end = useRef<HTMLLIElement>(null);
  useEffect(() => end.current?.scrollIntoView({ block: "nearest" }), [view.ply]);
  if (view.moves.length === 0) return null;
  const hidden = view.game === "rbc" && view.phase !== "over";
  return (
    <div>
      <ol class={view.game === "rbc" ? "moves long" : "moves"} aria-label="Moves">
        {view.moves.map((move, index) => (
          <li key={index} ref={index === view.moves.length - 1 ? end : null}>
            {hidden ? (
              <span>{move.name}</span>
            ) : (
              <button class={shown === index + 1 ? "current" : ""} onClick={() => onStep(index + 1)}>
                {move.name}
              </button>
            )}
          </li>
        ))}
      </ol>
      {!hidden && (
        <div class="buttons steps">
          <button onClick={() => onStep(0)} aria-label="First position">
            <Icon path="M2 2h2v12H2zM14 2v12L5 8z" />
          </button>
          <button onClick={() => onStep(shown - 1)} aria-label="One move back">
            <Icon path="M12 2v12L3 8z" />
          </button>
          <button onClick={() => onStep(shown + 1)} aria-label="One move forward">
            <Icon path="M4 2v12l9-6z" />
          </button>
          <button onClick={() => onStep(view.ply)} aria-label="Last position">
            <Icon path="M12 2h2v12h-2zM2 2v12l9-6z" />
          </button>
        </div>
      )}
    </div>
  );
}

const Icon = ({ path }: { path: string }) => (
  <svg viewBox="0 0 16 16" aria-hidden="true">
    <path d={path} />
  </svg>
);

function Hidden({ view }: { view: GameView }) {
  if (!view.hidden) return null;
  const { possible, exact, notes } = view.hidden;
  return (
    <div class="hidden-game">
      <p>
        {possible.toLocaleString("en")} possible {possible === 1 ? "board" : "boards"}
        {exact ? "" : " followed, of too many: what looks certain may not be"}.
      </p>
      {notes.length > 0 && (
        <ul class="notes" aria-label="What you learned">
          {notes.map((note, index) => (
            <li key={index}>{note}</li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Save({ view, onError }: { view: GameView; onError: (message: string) => void }) {
  const formats = FORMATS[view.game] ?? ["pgn"];
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
    <div class="buttons">
      {formats.map((format) => (
        <button key={format} onClick={() => void save(format)}>
          Save as {format.toUpperCase()}
        </button>
      ))}
    </div>
  );
}

const FORMATS: Record<string, string[]> = {
  chess: ["pgn"],
  shogi: ["kif", "csa"],
  go: ["sgf"],
  rbc: ["json"],
  expendibots: ["log"],
  breakthrough: ["pgn"],
};
