import { useEffect, useRef, useState } from "preact/hooks";
import { api, type GameOffer, type JobView, type PersonName } from "../api";
import { loadOffers, offers, Ready, reloadOffers } from "../offers";
import { FileButton, fileText, useDrop } from "../paste";
import { begin } from "../requests";
import { counted, formatted, known, say, t } from "../text";

/** Names that are shown at once. */
const SHOWN = 30;
const POLL = 700;

/** Work that goes on while the page is closed. */
interface Work {
  job: string;
  game: string;
  name: string;
}

function storedWork(): Work | null {
  try {
    return JSON.parse(localStorage.getItem("person-job") ?? "null") as Work | null;
  } catch {
    return null;
  }
}

/** Makes an opponent that plays like one person, of a file of that person's games. */
export function PersonPage() {
  useEffect(loadOffers, []);
  const [work, setWork] = useState<Work | null>(storedWork);
  const keep = (next: Work | null) => {
    if (next) localStorage.setItem("person-job", JSON.stringify(next));
    else localStorage.removeItem("person-job");
    setWork(next);
  };
  if (offers.value.length === 0) return <Ready />;
  return (
    <div class="narrow">
      <h1>{t("Make a person")}</h1>
      <p>{t("An opponent that plays like somebody: you, a friend, a player of old. It learns from a file of their games, here on this machine. 30 games are a beginning, some hundreds are better.")}</p>
      {work ? <Progress key={work.job} work={work} onEnd={() => keep(null)} /> : <Form onWork={keep} />}
    </div>
  );
}

function Form({ onWork }: { onWork: (work: Work) => void }) {
  const [name, setName] = useState(localStorage.getItem("game") ?? "chess");
  const [file, setFile] = useState<{ name: string; text: string } | null>(null);
  const [names, setNames] = useState<PersonName[] | null>(null);
  const [filter, setFilter] = useState("");
  const [chosen, setChosen] = useState("");
  const [over, setOver] = useState(false);
  const [error, setError] = useState("");
  const [switched, setSwitched] = useState(false);
  const asked = useRef(0);
  const possible = offers.value.filter((each) => each.can_make_persons === null);
  const offer: GameOffer | undefined = possible.find((each) => each.name === name) ?? possible[0];
  const look = async (game: string, text: string) => {
    const number = ++asked.current;
    setError("");
    setNames(null);
    setChosen("");
    try {
      const found = await api.personNames(game, text);
      if (number !== asked.current) return;
      setNames(found);
      setChosen(found[0]?.name ?? "");
    } catch (refusal) {
      if (number === asked.current) setError((refusal as Error).message);
    }
  };
  const open = async (opened: File) => {
    if (!offer) return;
    const next = { name: opened.name, text: await fileText(opened) };
    setFile(next);
    const other = await gameOf(next.text, offer.name);
    const found = possible.find((each) => each.name === other) ?? offer;
    if (found !== offer) setName(found.name);
    setSwitched(found !== offer);
    await look(found.name, next.text);
  };
  useDrop(setOver, (dropped) => void open(dropped));
  if (!offer)
    return (
      <p class="empty" role="status">
        {say(offers.value[0]!.can_make_persons!)}
      </p>
    );
  const make = (event: Event) => {
    event.preventDefault();
    setError("");
    api.makePerson(offer.name, file!.text, chosen).then(
      ({ job }) => onWork({ job, game: offer.name, name: chosen }),
      (refusal: Error) => setError(refusal.message),
    );
  };
  const shown = (names ?? []).filter((each) => each.name.toLowerCase().includes(filter.toLowerCase()));
  const cannot = offers.value.filter((each) => each.can_make_persons !== null);
  return (
    <form class="card person-form" onSubmit={make}>
      <div class="row">
        <span>{t("Game")}</span>
        <div class="choices" role="radiogroup" aria-label={t("Game")}>
          {possible.map((each) => (
            <label key={each.name} class="choice">
              <input type="radio" name="game" checked={each === offer} onChange={() => (setName(each.name), setSwitched(false), file && void look(each.name, file.text))} />
              <span>{known(each.title)}</span>
            </label>
          ))}
        </div>
      </div>
      {cannot.length > 0 && <p class="note">{t("Not for {games}: what people play there is not known.", { games: cannot.map((each) => known(each.title)).join(", ") })}</p>}
      <div class={over ? "drop over" : "drop"}>
        <p>{file ? file.name : t("Drop a file of games here ({formats}).", { formats: offer.reads.join(", ").toUpperCase() })}</p>
        <FileButton main={!file} onFile={(opened) => void open(opened)} />
      </div>
      {switched && (
        <p class="note" role="status">
          {t("This is a file of games of {game}: it was chosen.", { game: known(offer.title) })}
        </p>
      )}
      {file && !names && !error && (
        <p class="loading" role="status">
          {t("Reading the games…")}
        </p>
      )}
      {names && (
        <>
          {names.length > SHOWN && (
            <label class="row">
              <span>{t("Search")}</span>
              <input type="text" value={filter} spellcheck={false} onInput={({ currentTarget: { value } }) => setFilter(value)} />
            </label>
          )}
          <div class="bots" role="radiogroup" aria-label={t("Who?")}>
            {shown.slice(0, SHOWN).map((each) => (
              <label key={each.name} class="bot">
                <input type="radio" name="who" aria-label={each.name} checked={each.name === chosen} onChange={() => setChosen(each.name)} />
                <strong>{each.name}</strong>
                <span class="number">{counted(each.games, "{count} game", "{count} games")}</span>
              </label>
            ))}
          </div>
          <button class="main" disabled={!chosen}>
            {t("Make a player like {name}", { name: chosen })}
          </button>
        </>
      )}
      {error && (
        <p class="alert" role="alert">
          {error}
        </p>
      )}
    </form>
  );
}

/** Characters of a file by which its game is recognised. */
const RECOGNISED = 20_000;

/** The game that a file is of, by its begin; the chosen one if it cannot be recognised. */
const gameOf = (text: string, chosen: string): Promise<string> => api.read(text.slice(0, RECOGNISED), chosen).then(({ game }) => game, () => chosen);

function Progress({ work, onEnd }: { work: Work; onEnd: () => void }) {
  const [view, setView] = useState<JobView | null>(null);
  const [error, setError] = useState("");
  useEffect(() => {
    let over = false;
    const watch = async () => {
      while (!over) {
        const next = await api.personJob(work.job);
        if (over) return;
        setView(next);
        if (next.done) return next.person ? reloadOffers() : undefined;
        await new Promise((resolve) => setTimeout(resolve, POLL));
      }
    };
    watch().catch((refusal: Error) => !over && setError(refusal.message));
    return () => void (over = true);
  }, []);
  const end = () => void api.stopPerson(work.job).catch(() => undefined).then(onEnd);
  const play = () => {
    const opponent = { kind: "person" as const, person: view!.person! };
    localStorage.setItem("game", work.game);
    localStorage.setItem(`opponent-${work.game}`, JSON.stringify(opponent));
    begin({ game: work.game, opponent: opponent as never }).then(() => localStorage.removeItem("person-job"), (refusal: Error) => setError(refusal.message));
  };
  const failed = error || (view?.error && say(view.error));
  return (
    <section class="card person-form" aria-label={t("A player like {name}", { name: work.name })}>
      <h2>{t("A player like {name}", { name: work.name })}</h2>
      {failed && (
        <p class="alert" role="alert">
          {failed}
        </p>
      )}
      {!failed && view && (
        <>
          {!view.done && <progress class="progress" max={1} value={view.share} aria-label={t("Progress")} />}
          <p role="status">
            {!view.done && <b class="number">{formatted(Math.round(100 * view.share))} % </b>}
            {say(view.message)}
          </p>
          {!view.done && <p class="note">{t("This page may be closed meanwhile. It takes some minutes, with many games about ten. If the server ends, it begins again at its next start.")}</p>}
        </>
      )}
      <div class="buttons">
        {view?.person && (
          <button class="main" onClick={play}>
            {t("Play against {name}", { name: work.name })}
          </button>
        )}
        <button onClick={end}>{view?.done || failed ? t("Make another one") : t("Cancel")}</button>
      </div>
    </section>
  );
}
