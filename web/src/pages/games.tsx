import { useEffect, useState } from "preact/hooks";
import { api, type GameSummary } from "../api";
import { Emblem } from "../boards/emblem";
import { Picture } from "../boards/picture";
import { Icon } from "../icons";

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
        Loading…
      </p>
    );
  return (
    <div class="page">
      <h1>My games</h1>
      {games.length === 0 && (
        <div class="empty">
          <p>You have not played yet. Games are kept here: you can go on, look at them again, or have them reviewed.</p>
          <a class="button main" href="#/">
            Play a game
          </a>
        </div>
      )}
      <ul class="game-cards">
        {games.map((game) => (
          <li key={game.id} class="card">
            <a href={`#/game/${game.id}`} aria-label={`${game.title} against ${game.opponent}`}>
              {game.position || game.board ? <Picture game={game.game} position={game.position ?? null} board={game.board ?? null} bottom={game.you ?? 0} /> : <span class="no-picture"><Emblem game={game.game} /></span>}
            </a>
            <div class="game-facts">
              <a href={`#/game/${game.id}`}>
                <strong>{game.title}</strong>
              </a>
              <p class="note">against {game.opponent}</p>
              <p class={game.result ? "note" : "open"}>{game.result ?? (game.phase === "move" || game.phase === "sense" ? "Your move" : "not finished")}</p>
              <p class="note number">
                {game.moves} {game.moves === 1 ? "move" : "moves"} · <time>{when(game.updated)}</time>
              </p>
            </div>
            <button class="quiet close" aria-label={`Delete the game of ${game.title} against ${game.opponent}`} onClick={() => void api.remove(game.id).then(load)}>
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
  return today ? date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" }) : date.toLocaleDateString();
}
