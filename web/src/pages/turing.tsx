import { useEffect, useRef, useState } from "preact/hooks";
import { api, type JudgedGame, type TuringOffer, type TuringRound, type TuringScore, type TuringVerdict } from "../api";
import { Picture } from "../boards/picture";
import { Steps } from "../game/move-list";
import { isPhone } from "../graphs";
import { Icon } from "../icons";
import { phrase, say, t, word } from "../text";

type Mode = "pair" | "single";
const SPEEDS: [string, number][] = [
  [word("Slow"), 1500],
  [word("Normal"), 700],
  [word("Fast"), 250],
];
const SOURCES: Record<string, string> = { people: word("people"), sparring: "Sparring", ours: "Sparring", engine: word("an engine") };
const sourceName = (source: string) => t(SOURCES[source] ?? source);

/** Watch games and say which was played by people; a running score. */
export function TuringPage() {
  const [turing, setTuring] = useState<TuringOffer | null>(null);
  const [round, setRound] = useState<TuringRound | null>(null);
  const [answer, setAnswer] = useState<TuringVerdict | null>(null);
  const [mode, setMode] = useState<Mode>(isPhone() ? "single" : "pair");
  const [level, setLevel] = useState<number | null>(null);
  const [error, setError] = useState("");
  const asked = useRef(0);
  const refused = (refusal: Error) => setError(refusal.message);
  const next = (wanted: { mode: Mode; level: number | null } = { mode, level }) => {
    setError("");
    const number = ++asked.current;
    api.turingRound(wanted).then((found) => {
      if (number !== asked.current) return; // another kind of question was chosen meanwhile
      sessionStorage.setItem("turing", found.id);
      setAnswer(null);
      setRound(found);
    }, refused);
  };
  useEffect(() => {
    api.turing().then((found) => {
      setTuring(found);
      if (found.kits.length === 0) return;
      const open = sessionStorage.getItem("turing");
      if (open) api.turingAgain(open).then((again) => asked.current === 0 && (setRound(again), setMode(again.mode)), () => next());
      else next();
    }, refused);
  }, []);
  const say = (human: 0 | 1) => {
    api.turingAnswer(round!.id, human).then((found) => {
      sessionStorage.removeItem("turing");
      setAnswer(found);
      setTuring({ ...turing!, score: found.score });
    }, refused);
  };
  if (!turing)
    return error ? (
      <p class="empty" role="alert">
        {error}
      </p>
    ) : (
      <p class="loading" role="status">
        {t("Loading games…")}
      </p>
    );
  if (turing.kits.length === 0)
    return (
      <div class="empty">
        <h1>{t("Human or not?")}</h1>
        <p>{t("No games are installed for this. A kit is made from a checkout: `python -m studies turing` (docs/behaviour.md).")}</p>
      </div>
    );
  const levels = [...new Set(turing.kits.flatMap((each) => each.levels))].sort((one, other) => one - other);
  return (
    <div class="page turing">
      <div class="title-line">
        <h1>{mode === "pair" ? t("Which game did people play?") : t("Did people play this game?")}</h1>
        <div class="choices" role="radiogroup" aria-label={t("Kind of question")}>
          {(["pair", "single"] as const).map((each) => (
            <label key={each} class="choice">
              <input type="radio" name="mode" checked={mode === each} onChange={() => (setMode(each), next({ mode: each, level }))} />
              <span>{each === "pair" ? t("Two games") : t("One game")}</span>
            </label>
          ))}
        </div>
        <label class="level-choice">
          <span class="hidden-text">{t("Level of the players")}</span>
          <select
            value={level ?? ""}
            onChange={({ currentTarget: { value } }) => {
              const wanted = value === "" ? null : Number(value);
              setLevel(wanted);
              next({ mode, level: wanted });
            }}
          >
            <option value="">{t("Any level")}</option>
            {levels.map((each) => (
              <option key={each} value={each}>
                {t("About {level}", { level: String(each) })}
              </option>
            ))}
          </select>
        </label>
      </div>
      {error && (
        <p class="alert" role="alert">
          {error}
        </p>
      )}
      {round && <Round key={round.id} round={round} answer={answer} onSay={say} onNext={() => next()} />}
      <Score score={turing.score} />
    </div>
  );
}

function Round({ round, answer, onSay, onNext }: { round: TuringRound; answer: TuringVerdict | null; onSay: (human: 0 | 1) => void; onNext: () => void }) {
  const longest = Math.max(...round.games.map((each) => each.positions.length - 1));
  const [at, setAt] = useState(0);
  const [playing, setPlaying] = useState(true);
  const [speed, setSpeed] = useState(1);
  useEffect(() => {
    if (!playing || at >= longest) return;
    const timer = window.setTimeout(() => setAt(at + 1), SPEEDS[speed]![1]);
    return () => window.clearTimeout(timer);
  }, [playing, at, speed]);
  const step = (to: number) => {
    setPlaying(false);
    setAt(Math.max(0, Math.min(longest, to)));
  };
  const pair = round.mode === "pair";
  return (
    <>
      <div class={pair ? "turing-games" : "turing-games one"}>
        {round.games.map((game, index) => (
          <figure key={index} class={answer ? `card ${answer.sources[index] === "people" ? "human" : "machine"}` : "card"}>
            <GameAt round={round} game={game} at={Math.min(at, game.positions.length - 1)} />
            <figcaption>
              {answer ? (
                <p class="verdict">
                  {phrase("Played by {player}.", { player: <strong>{sourceName(answer.sources[index]!)}</strong> })} <span class="note">{say(answer.about[index]!)}</span>
                </p>
              ) : pair ? (
                <button class="main" onClick={() => onSay(index as 0 | 1)}>
                  <Icon name="people" /> {t("People played this one")} <span class="hidden-text">({index === 0 ? t("left") : t("right")})</span>
                </button>
              ) : (
                <div class="buttons">
                  <button class="main" onClick={() => onSay(1)}>
                    <Icon name="people" /> {t("People")}
                  </button>
                  <button class="main" onClick={() => onSay(0)}>
                    {t("A computer")}
                  </button>
                </div>
              )}
            </figcaption>
          </figure>
        ))}
      </div>
      <div class="card player-bar">
        <Steps at={at} end={longest} onStep={step}>
          <button class="quiet" onClick={() => (at >= longest ? (setAt(0), setPlaying(true)) : setPlaying(!playing))} aria-label={playing ? t("Pause") : t("Play the moves")}>
            <Icon name={playing && at < longest ? "pause" : "play"} />
          </button>
        </Steps>
        <div class="choices" role="radiogroup" aria-label={t("Speed")}>
          {SPEEDS.map(([title], index) => (
            <label key={title} class="choice">
              <input type="radio" name="speed" checked={speed === index} onChange={() => setSpeed(index)} />
              <span>{t(title)}</span>
            </label>
          ))}
        </div>
        <div class="answer" role="status" aria-live="polite">
          {answer && (
            <>
              <strong class={answer.right ? "right" : "wrong"}>{answer.right ? t("Right!") : t("No.")}</strong>
              <button class="main" autofocus onClick={onNext}>
                {t("Next")}
              </button>
            </>
          )}
        </div>
      </div>
    </>
  );
}

function GameAt({ round, game, at }: { round: TuringRound; game: JudgedGame; at: number }) {
  const move = at > 0 ? game.moves[at - 1] : undefined;
  const over = at >= game.positions.length - 1;
  return (
    <>
      <p class="note about-game">
        {t("Rated about {level}", { level: String(round.level) })} <span class="number">· {t("move {number} of {total}", { number: Math.ceil(at / 2), total: Math.ceil(game.moves.length / 2) })}</span>
      </p>
      <Picture game={round.game} position={game.positions[at] ?? null} board={game.boards[at] ?? null} last={move?.text ?? null} hands />
      <p class="move-shown number" aria-live="off">
        {move ? `${Math.ceil(at / 2)}${at % 2 ? "." : "…"} ${move.name}` : t("First position")}
        {move?.seconds != null && <span class="note"> {t("after {seconds} s", { seconds: move.seconds < 10 ? Math.round(10 * move.seconds) / 10 : Math.round(move.seconds) })}</span>}
        {over && <strong> {game.result}</strong>}
      </p>
    </>
  );
}

function Score({ score }: { score: TuringScore }) {
  const share = score.answered ? Math.round((100 * score.right) / score.answered) : null;
  const sources = Object.entries(score.called_human);
  return (
    <section class="card turing-score" aria-label={t("Your score")}>
      <h2>{t("Your score")}</h2>
      {share === null ? (
        <p class="note">{t("Half of the answers are right by luck. Good judges are right more often.")}</p>
      ) : (
        <>
          <p class="big">
            {phrase("{share} right: {right} of {answered}", { share: <strong class="number">{share} %</strong>, right: score.right, answered: score.answered })}
            {score.interval && (
              <span class="note">
                {" "}
                {t("(95 % interval {low} to {high} %; luck is 50 %)", { low: Math.round(100 * score.interval[0]), high: Math.round(100 * score.interval[1]) })}
              </span>
            )}
            {score.streak > 1 && <span class="streak"> {t("{count} in a row", { count: score.streak })}</span>}
          </p>
          {sources.length > 0 && (
            <ul class="bars">
              {sources.map(([source, { called, shown }]) => (
                <li key={source}>
                  <span>{sourceName(source)}</span>
                  <span class="bar" style={{ "--share": shown ? called / shown : 0 }} aria-hidden="true" />
                  <span>
                    {called}/{shown}
                  </span>
                </li>
              ))}
            </ul>
          )}
          {sources.length > 0 && <p class="note">{t("How often you called each of them human.")}</p>}
        </>
      )}
    </section>
  );
}
