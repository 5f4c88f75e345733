import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { api, followTournament, type TournamentGame, type TournamentView } from "../api";
import { Picture } from "../boards/picture";
import { Steps } from "../game/move-list";
import { NumberHelp } from "../help";
import { Icon } from "../icons";
import { moveName } from "../boards/move-names";
import { moveNumber } from "../moves";
import { known, say, t } from "../text";

/** A tournament, live: standings whose intervals shrink, running games as small boards, results. */
export function TournamentPage({ id }: { id: string }) {
  const [view, setView] = useState<TournamentView | null>(null);
  const [error, setError] = useState("");
  const [lost, setLost] = useState(false);
  const [chosen, setChosen] = useState<TournamentGame | null>(null);
  const latest = useRef(-1);
  const see = (next: TournamentView) => {
    if (next.version < latest.current) return;
    latest.current = next.version;
    setView(next);
  };
  useEffect(() => {
    api.tournament(id).then(see, (refusal: Error) => setError(refusal.message));
    return followTournament(id, see, setLost);
  }, [id]);
  if (!view)
    return error ? (
      <div class="empty">
        <p role="alert">{error}</p>
        <a class="button main" href="#/watch/tournament">
          {t("Start a tournament")}
        </a>
      </div>
    ) : (
      <p class="loading" role="status">
        {t("Loading the tournament…")}
      </p>
    );
  const steer = (command: "stop" | "resume") => void api.steerTournament(id, command).then(see, (refusal: Error) => setError(refusal.message));
  const short = (index: number) => say(view.players[index]!.name);
  const open = (number: number) => void api.tournamentGame(id, number).then(setChosen, (refusal: Error) => setError(refusal.message));
  return (
    <div class="page">
      <div class="title-line">
        <h1>{t("{game} tournament", { game: known(view.title) })}</h1>
        <p class="note number" role="status">
          {t(!view.over ? "{done} of {total} games" : view.stopped ? "{done} of {total} games, stopped" : "{done} of {total} games, finished", { done: view.done_games, total: view.games })}
        </p>
        {!view.over && <button onClick={() => steer("stop")}>{t("Stop")}</button>}
        {view.over && view.stopped && view.done_games < view.games && <button onClick={() => steer("resume")}>{t("Go on")}</button>}
        <a class="button" href="#/watch/tournament">
          <Icon name="plus" /> {t("New tournament")}
        </a>
      </div>
      <progress class="progress" max={view.games} value={view.done_games} aria-label={t("Games played")} />
      {lost && <p class="alert">{t("The connection is lost. Trying again…")}</p>}
      {(error || view.error) && (
        <p class="alert" role="alert">
          {error || view.error}
        </p>
      )}
      <Standings view={view} />
      {view.running.length > 0 && (
        <section aria-label={t("Running games")}>
          <h2>{t("Playing now")}</h2>
          <div class="small-boards">
            {view.running.map((game) => (
              <figure key={game.number} class="card">
                <figcaption>{short(game.second)}</figcaption>
                <Picture game={view.game} position={game.position} board={game.board} last={game.last} />
                <figcaption>{short(game.first)}</figcaption>
              </figure>
            ))}
          </div>
        </section>
      )}
      {chosen && <Replay view={view} game={chosen} onClose={() => setChosen(null)} />}
      {view.finished.length > 0 && (
        <section aria-label={t("Results")}>
          <h2>{t("Results")}</h2>
          <ol class="results">
            {[...view.finished].reverse().map((game) => (
              <li key={game.number}>
                <button class="quiet" onClick={() => open(game.number)}>
                  <span class={game.score > 0.5 ? "winner" : ""}>{short(game.first)}</span>
                  <b class="number">{["0–1", "½–½", "1–0"][Math.round(2 * game.score)]}</b>
                  <span class={game.score < 0.5 ? "winner" : ""}>{short(game.second)}</span>
                  <span class="note">{say(game.text, view.game)}</span>
                </button>
              </li>
            ))}
          </ol>
        </section>
      )}
    </div>
  );
}

function Standings({ view }: { view: TournamentView }) {
  const ends = view.standings.flatMap((each) => each.interval ?? []);
  const low = Math.min(-100, ...ends.map((each) => Math.max(each, -FARTHEST)));
  const high = Math.max(100, ...ends.map((each) => Math.min(each, FARTHEST)));
  const place = (elo: number) => (100 * (Math.min(high, Math.max(low, elo)) - low)) / (high - low);
  const step = [100, 200, 400].find((each) => (high - low) / each <= 6) ?? 400;
  const ticks = Array.from({ length: Math.floor(high / step) - Math.ceil(low / step) + 1 }, (_, index) => (Math.ceil(low / step) + index) * step);
  return (
    <div class="card standings">
      <table>
        <caption class="hidden-text">{t("Standings")}</caption>
        <thead>
          <tr>
            <th>{t("Player")}</th>
            <th class="right">{t("Games")}</th>
            <th class="right">+</th>
            <th class="right">=</th>
            <th class="right">−</th>
            <th class="right">{t("Points")}</th>
            <th class="right">Elo</th>
            <th class="wide">{t("95 % interval")}</th>
          </tr>
        </thead>
        <tbody>
          {view.standings.map((each) => (
            <tr key={each.player}>
              <td>
                <strong>{say(view.players[each.player]!.name)}</strong>
              </td>
              <td class="right">{each.games}</td>
              <td class="right">{each.wins}</td>
              <td class="right">{each.draws}</td>
              <td class="right">{each.losses}</td>
              <td class="right">{each.score}</td>
              <td class="right">{each.elo == null ? "" : signed(each.elo)}</td>
              <td class="wide">{each.elo != null && <Interval elo={each.elo} interval={each.interval} place={place} ticks={ticks} />}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <td colSpan={7} class="note">
              <NumberHelp />
            </td>
            <td class="wide">
              <span class="axis" aria-hidden="true">
                {ticks.map((tick) => (
                  <i key={tick} style={{ left: `${place(tick)}%` }}>
                    {tick === 0 ? "0" : signed(tick)}
                  </i>
                ))}
              </span>
              <span class="interval-text note axis-title">{t("Elo from the average of these players")}</span>
            </td>
          </tr>
        </tfoot>
      </table>
    </div>
  );
}

/** Elo beyond which the axis does not go. */
const FARTHEST = 800;

const signed = (elo: number) => (elo >= 0.5 ? `+${Math.round(elo)}` : elo <= -0.5 ? `−${Math.round(-elo)}` : "0");

function Interval({ elo, interval, place, ticks }: { elo: number; interval: [number, number] | null; place: (elo: number) => number; ticks: number[] }) {
  const [low, high] = interval ?? [-9999, 9999];
  const text = interval ? t("{low} to {high}", { low: signed(low), high: signed(high) }) : t("not known yet");
  return (
    <>
      <span class="interval" aria-hidden="true">
        {ticks.map((tick) => (
          <i key={tick} class={tick === 0 ? "zero" : "tick-line"} style={{ left: `${place(tick)}%` }} />
        ))}
        <i class="band" style={{ left: `${place(low)}%`, right: `${100 - place(high)}%` }} />
        <i class="mark" style={{ left: `${place(elo)}%` }} />
      </span>
      <span class="interval-text number">{text}</span>
    </>
  );
}

/** A finished game, move by move. */
function Replay({ view, game, onClose }: { view: TournamentView; game: TournamentGame; onClose: () => void }) {
  const [at, setAt] = useState(game.positions.length - 1);
  useLayoutEffect(() => setAt(game.positions.length - 1), [game]);
  return (
    <section class="card tournament-replay" aria-label={t("Game {number}", { number: game.number + 1 })}>
      <button class="quiet close" onClick={onClose} aria-label={t("Close the game")}>
        <Icon name="remove" />
      </button>
      <h2>
        {say(view.players[game.first]!.name)} – {say(view.players[game.second]!.name)}
      </h2>
      <p class="note">{say(game.text, view.game)}</p>
      <div class="replay-board">
          <Picture game={view.game} position={game.positions[at] ?? null} board={game.boards[at] ?? null} last={game.moves[at - 1]?.text ?? null} hands />
          <Steps at={at} end={game.positions.length - 1} onStep={(to) => setAt(Math.max(0, Math.min(game.positions.length - 1, to)))} />
      </div>
      <p class="move-text">
        {game.moves.map((move, index) => (
          <span key={index} class={index === at - 1 ? "current" : ""}>
            {!moveNumber(view.game, index).endsWith("…") && `${moveNumber(view.game, index)} `}
            {moveName(view.game, move, game.moves[index - 1]?.text)}{" "}
          </span>
        ))}
      </p>
    </section>
  );
}
