import { useEffect, useState } from "preact/hooks";
import { api, type GameOffer, type GameSummary } from "../api";
import { Emblem } from "../boards/emblem";
import { shownGame } from "../help";
import { loadOffers, offers, Ready } from "../offers";
import { begin, type Wanted } from "../requests";
import { atOnce, isRatingAsked, keepRating, toMate } from "../settings";
import { Switch } from "../settings-panel";
import { chosenClock, ClockForm, NO_CLOCK, type ClockChoice } from "./clock-choice";
import { defaultChoice, firstChoice, OpponentForm, type Choice } from "./opponent-form";
import { defaultStart, measuredBoard, StartForm, startKeys, type Start } from "./start-form";
import { TabNote } from "../tab/notes";
import { counted, known, say, t } from "../text";

/** Chooses a game and an opponent, and begins. */
export function PlayPage() {
  useEffect(loadOffers, []);
  const [name, setName] = useState(localStorage.getItem("game") ?? "chess");
  if (offers.value.length === 0) return <Ready text={t("Getting ready: the networks are being read…")} />;
  const offer = offers.value.find((each) => each.name === name) ?? offers.value[0]!;
  const choose = (chosen: string) => {
    localStorage.setItem("game", chosen);
    shownGame.value = chosen;
    setName(chosen);
  };
  return (
    <div class="page play">
      <h1>{t("Who do you want to play?")}</h1>
      <div class="games" role="radiogroup" aria-label={t("Game")}>
        {offers.value.map((each) => (
          <label key={each.name} class="game-card">
            <input type="radio" name="game" checked={each === offer} onChange={() => choose(each.name)} />
            <Emblem game={each.name} />
            <span>{known(each.title)}</span>
          </label>
        ))}
      </div>
      <Setup key={offer.name} offer={offer} onGame={choose} />
      <Unfinished />
      <TabNote />
    </div>
  );
}

function Setup({ offer, onGame }: { offer: GameOffer; onGame: (game: string) => void }) {
  const [choice, setChoice] = useState<Choice>(() => remembered(offer));
  const [side, setSide] = useState<"0" | "1" | "random">("0");
  const [clock, setClock] = useState<ClockChoice>(NO_CLOCK);
  const [start, setStart] = useState<Start>(defaultStart);
  const [error, setError] = useState("");
  const [busy, setBusy] = useState(false);
  const change = (next: Start) => {
    const handicap = offer.handicaps.find((each) => each.name === next.handicap);
    if (handicap && next.handicap !== start.handicap) setSide(handicap.giver === 0 ? "1" : "0"); // the person takes it
    setStart(next);
  };
  const measured = choice.kind === "strength" ? null : measuredBoard(offer, start);
  const play = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setError("");
    const time = offer.clocks.length > 0 ? chosenClock(clock) : "";
    const you = side === "random" ? (Math.random() < 0.5 ? 0 : 1) : side === "0" ? 0 : 1;
    localStorage.setItem(`opponent-${offer.name}`, JSON.stringify(choice));
    try {
      await begin({
        game: offer.name,
        you,
        opponent: { ...choice, ...(atOnce.value === "on" && !offer.hidden ? { think_time: "none" } : {}) } as Wanted["opponent"],
        ...(toMate.value === "on" && !offer.hidden ? { resigns: false } : {}),
        ...(time ? { clock: time } : {}),
        ...startKeys(offer, start),
      });
    } catch (refusal) {
      setError((refusal as Error).message);
      setBusy(false);
    }
  };
  return (
    <form class="setup" onSubmit={(event) => void play(event)}>
      <OwnRating offer={offer} onKnown={() => setChoice(defaultChoice(offer, "level"))} />
      <OpponentForm offer={offer} choice={choice} onChange={setChoice} legend={t("Opponent")} adapts measured={measured} />
      <fieldset>
        <legend>{t("The game")}</legend>
        {offer.rules.text && (
          <details class="rules">
            <summary>{t("The rules in a minute")}</summary>
            <p>{say(offer.rules)}</p>
          </details>
        )}
        <div class="row">
          <span>{t("You play")}</span>
          <div class="choices" role="radiogroup" aria-label={t("Your side")}>
            {(["0", "1", "random"] as const).map((each) => (
              <label key={each} class="choice">
                <input type="radio" name="side" checked={side === each} onChange={() => setSide(each)} />
                <span>{each === "random" ? t("Either side") : known(offer.sides[Number(each)]!, offer.name)}</span>
              </label>
            ))}
          </div>
        </div>
        {offer.clocks.length > 0 && <ClockForm clocks={offer.clocks} clock={clock} onChange={setClock} />}
        <StartForm offer={offer} start={start} you={side} measured={measured} onChange={change} onGame={onGame} />
        {!offer.hidden && (
          <>
            <Switch title={t("The opponent answers at once")} chosen={atOnce} />
            <Switch title={t("The opponent never resigns: it plays to the end")} chosen={toMate} />
          </>
        )}
      </fieldset>
      <div class="go-button">
        {error && (
          <p class="alert" role="alert">
            {error}
          </p>
        )}
        <button class="main large" disabled={busy}>
          {busy ? t("A moment…") : t("Play")}
        </button>
      </div>
    </form>
  );
}

/** Below, a number is still being typed. */
const LOWEST_RATING = 100;

/** Asks once for the person's rating, where levels are on people's scale: it is the first level, and whose eyes hints and
 * reviews have. */
function OwnRating({ offer, onKnown }: { offer: GameOffer; onKnown: () => void }) {
  const [isAsked, setIsAsked] = useState(() => isRatingAsked(offer.name));
  const [typed, setTyped] = useState("");
  const numbers = offer.ratings?.values.filter((value) => typeof value === "number") ?? [];
  if (isAsked || offer.levels?.scale !== "people" || numbers.length === 0) return null;
  const isRating = Number(typed) >= LOWEST_RATING;
  const keep = (rating: number | null) => {
    const nearest = numbers.reduce((best, value) => (Math.abs(value - (rating ?? 0)) < Math.abs(best - (rating ?? 0)) ? value : best));
    keepRating(offer.name, rating === null ? "" : String(nearest));
    setIsAsked(true);
    if (rating !== null) onKnown();
  };
  return (
    <div class="own-rating" role="group" aria-label={t("Your rating")}>
      <label>
        {t("Do you have a rating ({family})?", { family: offer.levels.family })} <input type="number" min={LOWEST_RATING} step={1} value={typed} onInput={({ currentTarget: { value } }) => setTyped(value)} onKeyDown={(event) => event.key === "Enter" && (event.preventDefault(), isRating && keep(Number(typed)))} />
      </label>
      <button type="button" disabled={!isRating} onClick={() => keep(Number(typed))}>
        {t("Use it")}
      </button>
      <button type="button" class="quiet" onClick={() => keep(null)}>
        {t("I have none")}
      </button>
    </div>
  );
}

/** The opponent that was chosen last, if the catalogue still has its kind. */
function remembered(offer: GameOffer): Choice {
  try {
    const found = JSON.parse(localStorage.getItem(`opponent-${offer.name}`) ?? "null") as Choice | null;
    if (!found) return firstChoice(offer);
    const known = {
      level: offer.levels !== null && (found.adapt ? offer.adapts : found.level! >= offer.levels.lowest && found.level! <= offer.levels.highest),
      human: offer.has_human,
      person: offer.persons.some((each) => each.name === found.person),
      bot: offer.bots.some((bot) => bot.name === found.bot),
      strength: !offer.hidden,
    }[found.kind ?? "strength"];
    return known ? found : firstChoice(offer);
  } catch {
    return firstChoice(offer);
  }
}

/** Games that wait for the person's move. */
function Unfinished() {
  const [games, setGames] = useState<GameSummary[]>([]);
  useEffect(() => void api.games().then(setGames, () => undefined), []);
  const open = games.filter((each) => each.result === null && each.you !== null && each.moves > 0).slice(0, 3);
  if (open.length === 0) return null;
  return (
    <section class="unfinished" aria-label={t("Unfinished games")}>
      <h2>{t("Go on with")}</h2>
      {open.map((each) => (
        <a key={each.id} class="card" href={`#/game/${each.id}`}>
          <Emblem game={each.game} />
          <span>
            <strong>{known(each.title)}</strong>
            <span class="note">
              {counted(each.moves, "against {opponent}, {count} move", "against {opponent}, {count} moves", { opponent: say(each.opponent) })}
            </span>
          </span>
        </a>
      ))}
    </section>
  );
}
