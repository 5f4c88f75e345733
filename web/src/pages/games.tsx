import { useEffect, useRef, useState } from "preact/hooks";
import { api, type GameSummary } from "../api";
import { Emblem } from "../boards/emblem";
import { Picture } from "../boards/picture";
import { Icon } from "../icons";
import { inline } from "../markdown";
import { loadOffers, offers } from "../offers";
import { can } from "../capabilities";
import { TabFiles } from "../tab/notes";
import { counted, known, language, say, t, word } from "../text";

/** Games that are loaded at once. */
const COUNT = 24;

const RESULTS = { "": word("all"), won: word("won"), lost: word("lost"), drawn: word("drawn"), unfinished: word("not finished") };
type Result = keyof typeof RESULTS;

/** The visitor's games, the latest first: all, or those of a game or a result. */
export function GamesPage() {
  useEffect(loadOffers, []);
  const [game, setGame] = useState("");
  const [result, setResult] = useState<Result>("");
  const [games, setGames] = useState<GameSummary[] | null>(null);
  const [more, setMore] = useState(false);
  const [error, setError] = useState("");
  const asked = useRef(0);
  const load = async (shown: GameSummary[]) => {
    const number = ++asked.current;
    setError("");
    try {
      const before = shown.at(-1)?.updated;
      const next = await api.games({ count: String(COUNT), ...(game ? { game } : {}), ...(result ? { result } : {}), ...(before === undefined ? {} : { before: String(before) }) });
      if (number !== asked.current) return;
      setGames([...shown, ...next]);
      setMore(next.length === COUNT);
    } catch (refusal) {
      if (number === asked.current) setError((refusal as Error).message);
    }
  };
  useEffect(() => void load([]), [game, result]);
  const remove = (removed: GameSummary) =>
    confirm(t("Delete this game?")) &&
    void api.remove(removed.id).then(
      () => setGames((now) => now && now.filter((each) => each.id !== removed.id)),
      (refusal: Error) => setError(refusal.message),
    );
  const filtered = game !== "" || result !== "";
  const none = games?.length === 0;
  return (
    <div class="page">
      <div class="title-line">
        <h1>{t("My games")}</h1>
        {(!none || filtered) && (
          <>
            <label class="filter">
              <span class="hidden-text">{t("Game")}</span>
              <select value={game} onChange={({ currentTarget: { value } }) => setGame(value)}>
                <option value="">{t("all games")}</option>
                {offers.value.map((each) => (
                  <option key={each.name} value={each.name}>
                    {known(each.title)}
                  </option>
                ))}
              </select>
            </label>
            <div class="choices" role="radiogroup" aria-label={t("Result")}>
              {(Object.keys(RESULTS) as Result[]).map((each) => (
                <label key={each} class="choice">
                  <input type="radio" name="result" checked={each === result} onChange={() => setResult(each)} />
                  <span>{t(RESULTS[each])}</span>
                </label>
              ))}
            </div>
          </>
        )}
      </div>
      {error && (
        <p class="alert" role="alert">
          {error}
        </p>
      )}
      {!games && !error && (
        <p class="loading" role="status">
          {t("Loading…")}
        </p>
      )}
      {none && !filtered && (
        <div class="empty">
          <p>{t("You have not played yet. Games are kept here: you can go on, look at them again, or have them reviewed.")}</p>
          <a class="button main" href="#/">
            {t("Play a game")}
          </a>
        </div>
      )}
      {none && filtered && (
        <p class="empty" role="status">
          {t("No game of yours is like that.")}
        </p>
      )}
      <ul class="game-cards">
        {games?.map((each) => <Card key={each.id} game={each} onRemove={() => remove(each)} />)}
      </ul>
      {more && (
        <p class="more">
          <button onClick={() => void load(games!)}>{t("Show more")}</button>
        </p>
      )}
      <TabFiles onRead={() => void load([])} />
      {can("archive") && games && games.length > 0 && (
        <section class="keep card" aria-label={t("Keep your games")}>
          <h2>{t("Keep your games")}</h2>
          <div class="buttons">
            {game && (
              <a class="button" href={`/api/export?game=${game}`} download>
                <Icon name="save" /> {t("All finished games of {game} in one file", { game: known(offers.value.find((each) => each.name === game)?.title ?? game) })}
              </a>
            )}
            <a class="button" href="/api/export" download>
              <Icon name="save" /> {t("All finished games (zip)")}
            </a>
            <a class="button" href="#/person">
              <Icon name="people" /> {t("Make a person of games")}
            </a>
          </div>
          <p class="note">{inline(t("All games, persons and settings of opponents are in one folder. In a terminal, `sparring backup FILE` copies it into a file, and `sparring restore FILE` brings it back, also on another machine."))}</p>
        </section>
      )}
    </div>
  );
}

/** Signs of results, beside their colours. */
const SIGNS = { won: "+", lost: "−", drawn: "=" };
const OUTCOMES = { won: word("Won"), lost: word("Lost"), drawn: word("Draw") };

function Card({ game, onRemove }: { game: GameSummary; onRemove: () => void }) {
  const yours = game.phase === "move" || game.phase === "sense";
  return (
    <li class={`card ${game.outcome ?? ""}`}>
      <a href={`#/game/${game.id}`} aria-label={t("{game} against {opponent}", { game: known(game.title), opponent: say(game.opponent) })}>
        {game.position || game.board ? (
          <Picture game={game.game} position={game.position ?? null} board={game.board ?? null} bottom={game.you ?? 0} />
        ) : (
          <span class="no-picture">
            <Emblem game={game.game} />
          </span>
        )}
      </a>
      <div class="game-facts">
        <p class="outcome-line">
          {game.outcome && (
            <span class={`outcome ${game.outcome}`}>
              <b aria-hidden="true">{SIGNS[game.outcome]}</b> {t(OUTCOMES[game.outcome])}
            </span>
          )}
          <a href={`#/game/${game.id}`}>
            <strong>{known(game.title)}</strong>
          </a>
        </p>
        <p class="note">{game.you === null ? t("watched: {opponent}", { opponent: say(game.opponent) }) : t("against {opponent}", { opponent: say(game.opponent) })}</p>
        <p class={game.result ? "note" : "open"}>{game.result ? say(game.result, game.game) : yours ? t("Your move") : t("not finished")}</p>
        <p class="note number">
          {counted(game.moves, "{count} move", "{count} moves")}
          {game.clock && ` · ${game.clock}`} · <time dateTime={new Date(1000 * game.created).toISOString()}>{when(game.updated)}</time>
        </p>
      </div>
      <button class="quiet close" aria-label={t("Delete the game of {game} against {opponent}", { game: known(game.title), opponent: say(game.opponent) })} onClick={onRemove}>
        <Icon name="remove" />
      </button>
    </li>
  );
}

function when(seconds: number): string {
  const date = new Date(1000 * seconds);
  const today = date.toDateString() === new Date().toDateString();
  return today ? date.toLocaleTimeString(language.value, { hour: "2-digit", minute: "2-digit" }) : date.toLocaleDateString(language.value, { dateStyle: "medium" });
}
