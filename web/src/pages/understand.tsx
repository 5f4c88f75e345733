import { useEffect, useRef, useState } from "preact/hooks";
import { api, type GameOffer, type LegalMove, type PositionInsight, type ReviewView } from "../api";
import { Steps } from "../game/move-list";
import { moveName } from "../boards/move-names";
import { isPhone } from "../graphs";
import { Icon } from "../icons";
import { useKeys } from "../keys";
import { moveNumber, movesIn } from "../moves";
import { loadOffers, offers, Ready } from "../offers";
import { Paste, type Pasted } from "../paste";
import { useWheel } from "./game";
import { Insight } from "../understand/insight";
import type { Proved } from "../understand/learn";
import { Review } from "../understand/review";
import { ownRating } from "../settings";
import { known as nameOf, say, t } from "../text";

/** What is looked at: a position or a whole game. */
interface Subject {
  game: string;
  position?: string;
  record?: string;
  format?: string;
  record_index?: number;
  options?: Record<string, number>;
}

/** The position that an answer is about. */
interface Place {
  subject: Subject;
  ply: number;
  line: string[];
}

/** What people of each rating play in a position, and a review of a whole game. */
export function UnderstandPage({ game: gameId }: { game: string }) {
  useEffect(loadOffers, []);
  const [name, setName] = useState("chess");
  const [subject, setSubject] = useState<Subject>({ game: "chess" });
  const [ply, setPly] = useState(0);
  const [line, setLine] = useState<string[]>([]);
  const [insight, setInsight] = useState<(PositionInsight & { game: string; request: object; place: Place }) | null>(null);
  const [review, setReview] = useState<ReviewView | null>(null);
  const [rating, setRating] = useState<number | string | null>(null);
  const [you, setYou] = useState<number | null>(null);
  const [source, setSource] = useState("");
  const [resigned, setResigned] = useState(false);
  const [error, setError] = useState("");
  const [tab, setTab] = useState<"game" | "position">("game");
  const [asking, setAsking] = useState(false);
  const asked = useRef(0);
  const askLast = useLastOnly();
  const known = offers.value.filter((each) => each.has_human);

  const show = (next: Subject) => {
    setSubject(next);
    setName(next.game);
    setPly(0);
    setLine([]);
    setReview(null);
    setRating(next.record === undefined ? null : ownReviewer(next.game));
    setYou(null);
    setSource("");
    setResigned(false);
    setTab("game");
  };
  const reviewedAs = review?.ratings[review.moves[ply]?.player ?? 0] ?? null; // the curves begin at the rating of the review
  useEffect(() => {
    const number = ++asked.current;
    setError("");
    const { record, format, record_index, ...place } = subject;
    const wanted = record === undefined ? place : { ...place, record, ...(format ? { format } : {}), ...(record_index ? { record_index } : {}), ply };
    const request = { ...wanted, ...(line.length ? { moves: line } : {}) };
    askLast(() =>
      api.understand({ ...request, ...(reviewedAs === null ? {} : { rating: reviewedAs }) }).then(
        (found) => number === asked.current && setInsight({ ...found, game: subject.game, request, place: { subject, ply, line } }),
        (refusal: Error) => number === asked.current && setError(refusal.message),
      ),
    );
  }, [subject, ply, line, reviewedAs]);
  useEffect(() => {
    if (subject.record === undefined) return;
    let over = false;
    const look = async () => {
      let found = await api.review({ game: subject.game, record: subject.record, ...(subject.format ? { format: subject.format } : {}), ...(subject.record_index ? { record_index: subject.record_index } : {}), ...(source ? { source } : {}), ...(rating === null ? {} : { rating }) });
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
      const { game, you: side, result } = await api.game(gameId);
      const format = (await api.catalogue()).find((each) => each.name === game)!.writes[0]!;
      show({ game, record: await api.record(gameId, format), format });
      setYou(side ?? null);
      setResigned(side != null && result?.resigned === side);
      setSource(side == null ? "" : gameId);
    };
    load().catch((refusal: Error) => setError(refusal.message));
  }, [gameId]);
  const step = (to: number) => {
    setLine([]);
    setPly(Math.max(0, Math.min(review?.total ?? 0, to)));
    if (isPhone()) document.querySelector(".insight-board")?.scrollIntoView({ block: "nearest" }); // it is above the list
  };
  const ahead = shownLines(review, ply).find(({ moves }) => line.length < moves.length && line.every((move, index) => move === moves[index]!.text));
  const stepBy = (moves: number) => (line.length === 0 ? review && step(ply + moves) : moves < 0 ? setLine(line.slice(0, -1)) : ahead && setLine(ahead.moves.slice(0, line.length + 1).map((move) => move.text)));
  const wheel = useWheel(stepBy);
  useKeys((event) => {
    const does: Record<string, () => unknown> = { ArrowLeft: () => stepBy(-1), ArrowRight: () => stepBy(1), Home: () => review && step(0), End: () => review && step(review.total) };
    if (!does[event.key] || (!review && line.length === 0)) return;
    event.preventDefault();
    does[event.key]!();
  });
  if (known.length === 0) return <Ready />;
  const shown = insight?.place; // until the answer comes, the position before is on the board: its moves are not of the next one
  const isHere = shown?.subject === subject && shown.ply === ply && shown.line === line;
  const reviewed = review && known.find((each) => each.name === review.game);

  const use = (pasted: Pasted | null) => {
    if (!pasted) return;
    if (!known.some((each) => each.name === pasted.game)) return setError(t("What people play is known in {games} only.", { games: known.map((each) => nameOf(each.title)).join(", ") }));
    setAsking(false);
    const empty = pasted.position === undefined && pasted.record === undefined;
    show({ ...pasted, ...(empty ? smallBoard(known.find((each) => each.name === pasted.game)!) : {}) });
  };
  return (
    <div class="page">
      <div class="title-line">
        <h1>{t("What would people play?")}</h1>
        <div class="choices" role="radiogroup" aria-label={t("Game")}>
          {known.map((each) => (
            <label key={each.name} class="choice">
              <input type="radio" name="game" checked={each.name === name} onChange={() => (setAsking(false), show({ game: each.name, ...smallBoard(each) }))} />
              <span>{nameOf(each.title)}</span>
            </label>
          ))}
        </div>
        <button aria-expanded={asking} onClick={() => setAsking(!asking)}>
          <Icon name="search" /> {t("Paste a position or a game")}
        </button>
      </div>
      {asking && (
        <div class="ask card">
          <Paste game={name} button={t("Look")} onPasted={use} />
        </div>
      )}
      {error && (
        <p class="alert" role="alert">
          {error}
        </p>
      )}
      {(review?.warning ?? insight?.warning) && <p class="note slow">{say((review?.warning ?? insight?.warning)!, name)}</p>}
      {insight ? (
        <Insight
          key={insight.game}
          game={insight.game}
          insight={insight}
          played={isHere && line.length === 0 ? review?.moves[ply] ?? null : null}
          better={isHere && line.length === 0 ? review?.moves[ply]?.best ?? null : null}
          request={insight.request}
          wheel={wheel}
          onMove={(move) => isHere && (setTab("position"), setLine([...line, move]))}
          head={review && <Tabs tab={tab} onTab={setTab} />}
          instead={tab === "game" && review && reviewed && <Review review={review} offer={reviewed} ply={ply} rating={rating} you={you} source={source} resigned={resigned} onPly={step} onRating={setRating} />}
        >
          <div class="insight-steps">
            {review && line.length === 0 && (
              <Steps at={ply} end={review.total} onStep={step}>
                <span class="number note">
                  {review.moves[ply]
                    ? t("{number} {move} was played", { number: moveNumber(review.game, review.moves[ply]!.ply), move: moveName(review.game, review.moves[ply]!, review.moves[ply - 1]?.text) })
                    : ply >= review.total
                      ? t("Final position")
                      : t("move {number}", { number: movesIn(review.game, ply + 1) })}
                </span>
              </Steps>
            )}
            {review && review.moves[ply] && <BestLine review={review} ply={ply} line={line} onLine={setLine} />}
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

/** The person's own rating or rank as the review takes it; null if it is not known. */
function ownReviewer(game: string): number | string | null {
  const own = ownRating(game);
  return own !== null && /^\d+$/.test(own) ? Number(own) : own;
}

/** Asks one question after the other, and of those that come meanwhile the last: who steps through a game quickly would
 * ask more than the server answers a visitor at once. */
function useLastOnly(): (ask: () => Promise<unknown>) => void {
  const last = useRef<(() => Promise<unknown>) | null>(null);
  return useRef((ask: () => Promise<unknown>) => {
    const isIdle = last.current === null;
    last.current = ask;
    const go = async (question: () => Promise<unknown>): Promise<void> => {
      await question();
      if (last.current !== question) return go(last.current!);
      last.current = null;
    };
    if (isIdle) void go(ask);
  }).current;
}

/** The lines of a marked move: the best moves in its place, and the answer to it if the review has that. */
function shownLines(review: Proved | null, ply: number): { title: string; moves: LegalMove[] }[] {
  const move = review?.moves[ply];
  if (!move) return [];
  const answered = move.answer?.length ? [{ title: t("Answered by:"), moves: [{ text: move.text, name: move.name }, ...move.answer] }] : [];
  return move.line.length ? [{ title: t("Better:"), moves: move.line }, ...answered] : [];
}

/** The lines of a marked move; a tap plays them on the board. */
function BestLine({ review, ply, line, onLine }: { review: Proved; ply: number; line: string[]; onLine: (line: string[]) => void }) {
  const { ply: first } = review.moves[ply]!;
  return (
    <>
      {shownLines(review, ply).map(({ title, moves }, row) => {
        const texts = moves.map((move) => move.text);
        const before = (index: number) => (index === 0 ? review.moves[ply - 1]?.text : texts[index - 1]);
        return (
          <p key={row} class="best-line" role="group" aria-label={row === 0 ? t("The best line") : t("The answer")}>
            <span class="note">{title}</span>
            {moves.map((move, index) => {
              const here = line.length === index + 1 && line.every((text, at) => text === texts[at]);
              const number = index === 0 || moveNumber(review.game, first + index).endsWith(".");
              return (
                <button key={index} type="button" class={here ? "current" : ""} aria-current={here ? "true" : undefined} onClick={() => onLine(texts.slice(0, index + 1))}>
                  {number && `${moveNumber(review.game, first + index)} `}
                  {moveName(review.game, move, before(index))}
                </button>
              );
            })}
          </p>
        );
      })}
    </>
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

const smallBoard = (offer: GameOffer) => (offer.options.some((each) => each.name === "size") ? { options: { size: 9 } } : {});
