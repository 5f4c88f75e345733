import { useEffect, useRef, useState } from "preact/hooks";
import { api, type GameOffer, type PositionInsight, type ReviewView } from "../api";
import { Steps } from "../game/move-list";
import { Icon } from "../icons";
import { loadOffers, offers, Ready } from "../offers";
import { Insight } from "../understand/insight";
import { Review } from "../understand/review";
import { known as nameOf, t } from "../text";

/** What is looked at: a position or a whole game. */
interface Subject {
  game: string;
  position?: string;
  record?: string;
  format?: string;
  options?: Record<string, number>;
}

/** What people of each rating play in a position, and a review of a whole game. */
export function UnderstandPage({ game: gameId }: { game: string }) {
  useEffect(loadOffers, []);
  const [name, setName] = useState("chess");
  const [text, setText] = useState("");
  const [subject, setSubject] = useState<Subject>({ game: "chess" });
  const [ply, setPly] = useState(0);
  const [line, setLine] = useState<string[]>([]);
  const [insight, setInsight] = useState<(PositionInsight & { game: string }) | null>(null);
  const [review, setReview] = useState<ReviewView | null>(null);
  const [rating, setRating] = useState<number | string | null>(null);
  const [error, setError] = useState("");
  const [tab, setTab] = useState<"game" | "position">("game");
  const [asking, setAsking] = useState(false);
  const asked = useRef(0);
  const known = offers.value.filter((each) => each.has_human);

  const show = (next: Subject) => {
    setSubject(next);
    setName(next.game);
    setPly(0);
    setLine([]);
    setReview(null);
    setRating(null);
    setTab("game");
  };
  useEffect(() => {
    const number = ++asked.current;
    setError("");
    const { record, format, ...place } = subject;
    const wanted = record === undefined ? place : { ...place, record, ...(format ? { format } : {}), ply };
    api.understand({ ...wanted, ...(line.length ? { moves: line } : {}) }).then(
      (found) => number === asked.current && setInsight({ ...found, game: subject.game }),
      (refusal: Error) => number === asked.current && setError(refusal.message),
    );
  }, [subject, ply, line]);
  useEffect(() => {
    if (subject.record === undefined) return;
    let over = false;
    const look = async () => {
      let found = await api.review({ game: subject.game, record: subject.record, ...(subject.format ? { format: subject.format } : {}), ...(rating === null ? {} : { rating }) });
      while (!over) {
        setReview(found);
        if (found.done) return;
        await new Promise((resolve) => setTimeout(resolve, 300));
        const next = await api.reviewed(found.id, found.moves.length);
        found = { ...next, moves: [...found.moves, ...next.moves] };
      }
    };
    look().catch((refusal: Error) => setError(refusal.message));
    return () => void (over = true);
  }, [subject, rating]);
  useEffect(() => {
    if (!gameId) return;
    const load = async () => {
      const { game } = await api.game(gameId);
      const format = (await api.catalogue()).find((each) => each.name === game)!.writes[0]!;
      show({ game, record: await api.record(gameId, format), format });
    };
    load().catch((refusal: Error) => setError(refusal.message));
  }, [gameId]);
  if (known.length === 0) return <Ready />;
  const offer = known.find((each) => each.name === name)!;
  const reviewed = review && known.find((each) => each.name === review.game);

  const submit = (event: Event) => {
    event.preventDefault();
    const typed = text.trim();
    setAsking(false);
    if (isRecord(offer, typed)) show({ game: name, record: typed });
    else show({ game: name, ...(typed ? { position: typed } : {}), ...smallBoard(offer, typed) });
  };
  const step = (to: number) => {
    setLine([]);
    setPly(Math.max(0, Math.min((review?.total ?? 1) - 1, to)));
    document.querySelector(".insight-board")?.scrollIntoView({ block: "nearest" }); // on a phone it is above the list
  };
  return (
    <div class="page">
      <div class="title-line">
        <h1>{t("What would people play?")}</h1>
        <div class="choices" role="radiogroup" aria-label={t("Game")}>
          {known.map((each) => (
            <label key={each.name} class="choice">
              <input type="radio" name="game" checked={each.name === name} onChange={() => (setText(""), show({ game: each.name, ...smallBoard(each, "") }))} />
              <span>{nameOf(each.title)}</span>
            </label>
          ))}
        </div>
        <button aria-expanded={asking} onClick={() => setAsking(!asking)}>
          <Icon name="search" /> {t("Paste a position or a game")}
        </button>
      </div>
      {asking && (
        <form class="ask card" onSubmit={submit}>
          <label class="stacked">
            <span>{t("A position or a whole game")}</span>
            <textarea
              rows={4}
              value={text}
              autofocus
              spellcheck={false}
              placeholder={t("A position as text, or a game ({formats}). Empty: the first position.", { formats: offer.reads.join(", ").toUpperCase() })}
              onInput={({ currentTarget: { value } }) => setText(value)}
            />
          </label>
          <button class="main">{t("Look")}</button>
        </form>
      )}
      {error && (
        <p class="alert" role="alert">
          {error}
        </p>
      )}
      {insight ? (
        <Insight
          key={insight.game}
          game={insight.game}
          insight={insight}
          onMove={(move) => (setTab("position"), setLine([...line, move]))}
          head={review && <Tabs tab={tab} onTab={setTab} />}
          instead={tab === "game" && review && reviewed && <Review review={review} offer={reviewed} ply={ply} rating={rating} onPly={step} onRating={setRating} />}
        >
          <div class="insight-steps">
            {review && line.length === 0 && (
              <Steps at={ply} end={review.total - 1} onStep={step}>
                <span class="number note">
                  {review.moves[ply]
                    ? t("move {number}: {move} was played", { number: Math.floor(ply / 2) + 1, move: review.moves[ply]!.name })
                    : t("move {number}", { number: Math.floor(ply / 2) + 1 })}
                </span>
              </Steps>
            )}
            {line.length > 0 && (
              <div class="steps">
                <button class="quiet" onClick={() => setLine(line.slice(0, -1))}>
                  <Icon name="undo" /> {t("Take back")}
                </button>
                <button class="quiet" onClick={() => setLine([])}>
                  {subject.record ? t("Back to the game") : t("Back to the position")}
                </button>
              </div>
            )}
          </div>
        </Insight>
      ) : (
        !error && (
          <p class="loading" role="status">
            {t("Looking…")}
          </p>
        )
      )}
    </div>
  );
}

function Tabs({ tab, onTab }: { tab: "game" | "position"; onTab: (tab: "game" | "position") => void }) {
  return (
    <div class="choices" role="radiogroup" aria-label={t("What to look at")}>
      {(["game", "position"] as const).map((each) => (
        <label key={each} class="choice">
          <input type="radio" name="tab" checked={tab === each} onChange={() => onTab(each)} />
          <span>{each === "game" ? t("The game") : t("This position")}</span>
        </label>
      ))}
    </div>
  );
}

/** Whether a text is a game rather than a position. */
function isRecord(offer: GameOffer, text: string): boolean {
  if (text.startsWith("(;") || text.startsWith("[")) return true;
  if (offer.name === "chess") return /(^|\s)1\s*\./.test(text);
  return text.includes("\n");
}

const smallBoard = (offer: GameOffer, text: string) =>
  !text && offer.options.some((each) => each.name === "size") ? { options: { size: 9 } } : {};
