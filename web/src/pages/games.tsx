import { useEffect, useState } from "preact/hooks";
import { api, type GameSummary } from "../api";
import { Emblem } from "../boards/emblem";
import { Picture } from "../boards/picture";
import { Icon } from "../icons";
import { counted, known, language, say, t } from "../text";

/** The visitor's games, the latest first. */
export function GamesPage() {
  const [games, setGames] = useState<GameSummary[] | null>(null);
  const [error, setError] = useState("");
  const load = () => void api.games().then(setGames, (refusal: Error) => setError(refusal.message));
  useEffect(load, []);
  if (error)
    return (
      <p class="empty" role="alert">
        {error}
      </p>
    );
  if (!games)
    return (
      <p class="loading" role="status">
        {t("Loading…")}
      </p>
    );
  return (
    <div class="page">
      <h1>{t("My games")}</h1>
      {games.length === 0 && (
        <div class="empty">
          <p>{t("You have not played yet. Games are kept here: you can go on, look at them again, or have them reviewed.")}</p>
          <a class="button main" href="#/">
            {t("Play a game")}
          </a>
        </div>
      )}
      <ul class="game-cards">
        {games.map((game) => (
          <li key={game.id} class="card">
            <a href={`#/game/${game.id}`} aria-label={t("{game} against {opponent}", { game: known(game.title), opponent: say(game.opponent) })}>
              {game.position || game.board ? <Picture game={game.game} position={game.position ?? null} board={game.board ?? null} bottom={game.you ?? 0} /> : <span class="no-picture"><Emblem game={game.game} /></span>}
            </a>
            <div class="game-facts">
              <a href={`#/game/${game.id}`}>
                <strong>{known(game.title)}</strong>
              </a>
              <p class="note">{t("against {opponent}", { opponent: say(game.opponent) })}</p>
              <p class={game.result ? "note" : "open"}>{game.result ? say(game.result, game.game) : game.phase === "move" || game.phase === "sense" ? t("Your move") : t("not finished")}</p>
              <p class="note number">
                {counted(game.moves, "{count} move", "{count} moves")} · <time>{when(game.updated)}</time>
              </p>
            </div>
            <button class="quiet close" aria-label={t("Delete the game of {game} against {opponent}", { game: known(game.title), opponent: say(game.opponent) })} onClick={() => void api.remove(game.id).then(load)}>
              <Icon name="remove" />
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

function when(seconds: number): string {
  const date = new Date(1000 * seconds);
  const today = date.toDateString() === new Date().toDateString();
  return today ? date.toLocaleTimeString(language.value, { hour: "2-digit", minute: "2-digit" }) : date.toLocaleDateString(language.value);
}
