import { useEffect, useState } from "preact/hooks";
import { api, type GameSummary } from "../api";

/** The visitor's games, the latest first. */
export function GamesPage() {
  const [games, setGames] = useState<GameSummary[] | null>(null);
  const [error, setError] = useState("");
  const load = () => void api.games().then(setGames, (refusal: Error) => setError(refusal.message));
  useEffect(load, []);
  if (error) return <p role="alert">{error}</p>;
  if (!games) return <p role="status">Loading…</p>;
  return (
    <>
      <h1>My games</h1>
      {games.length === 0 && (
        <p>
          You have not played yet. <a href="#/">Play a game</a>
        </p>
      )}
      <ul class="game-list">
        {games.map((game) => (
          <li key={game.id}>
            <a href={`#/game/${game.id}`}>
              <strong>{game.title}</strong> against {game.opponent}
            </a>
            <span>
              {game.moves} {game.moves === 1 ? "move" : "moves"}
            </span>
            <span>{game.result ?? "not finished"}</span>
            <time>{new Date(1000 * game.updated).toLocaleString()}</time>
            <button class="quiet" aria-label={`Delete the game of ${game.title} against ${game.opponent}`} onClick={() => void api.remove(game.id).then(load)}>
              Delete
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
