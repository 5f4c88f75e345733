import { useEffect, useState } from "preact/hooks";
import { api, type GameOffer, type TournamentSummary } from "../api";
import { Icon } from "../icons";
import { loadOffers, offers, Ready } from "../offers";
import { begin, type Wanted } from "../requests";
import { defaultChoice, OpponentForm, Slider, type Choice } from "./opponent-form";
import { known, say, t } from "../text";

const MOST = 8;

/** Two players of your choice against each other, or a tournament of several. */
export function WatchPage({ tournament }: { tournament: boolean }) {
  useEffect(loadOffers, []);
  const [name, setName] = useState("chess");
  const [size, setSize] = useState(tournament ? 9 : 19);
  if (offers.value.length === 0) return <Ready />;
  const games = offers.value.filter((each) => !tournament || !each.hidden);
  const offer = games.find((each) => each.name === name) ?? games[0]!;
  const options: Record<string, number> = offer.options.some((each) => each.name === "size") ? { size } : {};
  return (
    <div class="page">
      <div class="watch-head">
        <h1>{t("Watch")}</h1>
        <div class="choices" role="radiogroup" aria-label={t("What to watch")}>
          <label class="choice">
            <input type="radio" name="what" checked={!tournament} onChange={() => (location.hash = "/watch")} />
            <span>{t("Two players")}</span>
          </label>
          <label class="choice">
            <input type="radio" name="what" checked={tournament} onChange={() => (location.hash = "/watch/tournament")} />
            <span>{t("A tournament")}</span>
          </label>
        </div>
        <label class="row">
          <span>{t("Game")}</span>
          <select value={offer.name} onChange={({ currentTarget: { value } }) => setName(value)}>
            {games.map((each) => (
              <option key={each.name} value={each.name}>
                {known(each.title)}
              </option>
            ))}
          </select>
        </label>
        {options.size && (
          <label class="row">
            <span>{t("Board")}</span>
            <select value={size} onChange={({ currentTarget: { value } }) => setSize(Number(value))}>
              {[9, 13, 19].map((each) => (
                <option key={each} value={each}>
                  {each}×{each}
                </option>
              ))}
            </select>
          </label>
        )}
      </div>
      {tournament ? <Tournament key={offer.name} offer={offer} options={options} /> : <Pairing key={offer.name} offer={offer} options={options} />}
    </div>
  );
}

interface Props {
  offer: GameOffer;
  options: Record<string, number>;
}

function Pairing({ offer, options }: Props) {
  const [first, setFirst] = useState<Choice>(() => defaultChoice(offer));
  const [second, setSecond] = useState<Choice>(() => defaultChoice(offer));
  const [pace, setPace] = useState(1);
  const [error, setError] = useState("");
  const start = (event: Event) => {
    event.preventDefault();
    setError("");
    begin({ game: offer.name, you: null, opponent: first as Wanted["opponent"], second_opponent: second as Wanted["opponent"], pace, options }).catch((refusal: Error) => setError(refusal.message));
  };
  return (
    <form class="setup" onSubmit={start}>
      <OpponentForm offer={offer} choice={first} onChange={setFirst} legend={known(offer.sides[0]!, offer.name)} />
      <OpponentForm offer={offer} choice={second} onChange={setSecond} legend={known(offer.sides[1]!, offer.name)} />
      <div class="card across one">
        <Slider title={t("Pace")} value={pace} shown={pace === 0 ? t("as fast as they can") : t("{seconds} s a move", { seconds: pace })} from={0} to={5} step={0.5} onChange={setPace} />
      </div>
      <div class="go-button">
        {error && (
          <p class="alert" role="alert">
            {error}
          </p>
        )}
        <button class="main large">{t("Watch")}</button>
      </div>
    </form>
  );
}

/** Players at distances over the scale of the game. */
function entrants(offer: GameOffer): Choice[] {
  if (offer.levels) {
    const steps = offer.levels.estimates.map((step) => step.level);
    return [0.2, 0.4, 0.6, 0.8].map((share) => ({ kind: "level", level: steps[Math.round(share * (steps.length - 1))]! }));
  }
  if (offer.ratings) {
    const { values } = offer.ratings;
    return [0, 0.33, 0.67, 1].map((share) => ({ kind: "human", rating: values[Math.round(share * (values.length - 1))]! }));
  }
  return offer.strengths.slice(0, 3).map((strength) => ({ kind: "strength", strength }));
}

function Tournament({ offer, options }: Props) {
  const [players, setPlayers] = useState<Choice[]>(() => entrants(offer));
  const [games, setGames] = useState(24);
  const [pace, setPace] = useState(0.5);
  const [error, setError] = useState("");
  const [busy, setBusy] = useState(false);
  const change = (index: number, choice: Choice) => setPlayers(players.map((each, at) => (at === index ? choice : each)));
  const start = (event: Event) => {
    event.preventDefault();
    setError("");
    setBusy(true);
    api.beginTournament({ game: offer.name, players, games, pace, options }).then(
      ({ id }) => (location.hash = `/tournament/${id}`),
      (refusal: Error) => (setBusy(false), setError(refusal.message)),
    );
  };
  return (
    <>
      <form class="setup three" onSubmit={start}>
        {players.map((choice, index) => (
          <div key={index} class="entrant">
            <OpponentForm offer={offer} choice={choice} onChange={(next) => change(index, next)} legend={t("Player {number}", { number: index + 1 })} compact />
            {players.length > 2 && (
              <button type="button" class="quiet close" aria-label={t("Remove player {number}", { number: index + 1 })} onClick={() => setPlayers(players.filter((_, at) => at !== index))}>
                <Icon name="remove" />
              </button>
            )}
          </div>
        ))}
        {players.length < MOST && (
          <button type="button" class="add" onClick={() => setPlayers([...players, defaultChoice(offer)])}>
            <Icon name="plus" /> {t("Add a player")}
          </button>
        )}
        <div class="card across">
          <Slider title={t("Games")} value={games} shown={String(games)} from={players.length} to={200} step={1} onChange={setGames} />
          <Slider title={t("Pace")} value={pace} shown={pace === 0 ? t("as fast as they can") : t("{seconds} s a move", { seconds: pace })} from={0} to={3} step={0.25} onChange={setPace} />
        </div>
        <div class="go-button">
          {error && (
            <p class="alert" role="alert">
              {error}
            </p>
          )}
          <button class="main large" disabled={busy}>{busy ? t("A moment…") : t("Start the tournament")}</button>
        </div>
      </form>
      <Earlier />
    </>
  );
}

/** The visitor's tournaments. */
function Earlier() {
  const [found, setFound] = useState<TournamentSummary[]>([]);
  const load = () => void api.tournaments().then(setFound, () => undefined);
  useEffect(load, []);
  if (found.length === 0) return null;
  return (
    <section class="earlier" aria-label={t("Your tournaments")}>
      <h2>{t("Your tournaments")}</h2>
      <ul class="game-list">
        {found.map((each) => (
          <li key={each.id} class="card">
            <a href={`#/tournament/${each.id}`}>
              <strong>{known(each.title)}</strong> <span class="note">{each.players.map((name) => say(name)).join(", ")}</span>
            </a>
            <span class="note number">
              {t(each.over ? "{done} of {total} games" : "{done} of {total} games, running", { done: each.done_games, total: each.games })}
            </span>
            <button class="quiet" aria-label={t("Delete the tournament of {game}", { game: known(each.title) })} onClick={() => void api.removeTournament(each.id).then(load)}>
              <Icon name="remove" />
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
