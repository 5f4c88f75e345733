import { useEffect, useState } from "preact/hooks";
import { api, type GameOffer, type PositionInsight, type ReviewedMove, type ReviewView } from "../api";
import { ChessBoard } from "../boards/chess-board";
import { GridBoard } from "../boards/grid-board";
import { loadOffers, offers, offersError } from "../offers";
import { Slider } from "./opponent-form";

const SHOWN = 6;
const START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/** What people of each rating play in a position, and a review of a whole game. */
export function UnderstandPage() {
  useEffect(loadOffers, []);
  const [name, setName] = useState("chess");
  const [text, setText] = useState("");
  const [insight, setInsight] = useState<PositionInsight | null>(null);
  const [review, setReview] = useState<ReviewView | null>(null);
  const [record, setRecord] = useState<string | null>(null);
  const [error, setError] = useState("");
  const [busy, setBusy] = useState(false);
  const known = offers.value.filter((each) => each.has_human);
  const look = async (wanted: object) => {
    setError("");
    setBusy(true);
    try {
      setInsight(await api.understand(wanted));
    } catch (refusal) {
      setError((refusal as Error).message);
    }
    setBusy(false);
  };
  useEffect(() => void look({ game: "chess", position: START }), []);
  if (known.length === 0) return <p role="status">{offersError.value || "Getting ready…"}</p>;
  const offer = known.find((each) => each.name === name)!;

  const submit = async (event: Event) => {
    event.preventDefault();
    const typed = text.trim();
    setReview(null);
    setRecord(null);
    if (!isRecord(offer, typed)) return look({ game: name, ...(typed ? { position: typed } : {}), ...smallBoard(offer, typed) });
    setRecord(typed);
    await look({ game: name, record: typed, ply: 0 });
    try {
      let found = await api.review({ game: name, record: typed });
      setReview(found);
      while (!found.done) {
        await new Promise((resolve) => setTimeout(resolve, 300));
        const next = await api.reviewed(found.id, found.moves.length);
        found = { ...next, moves: [...found.moves, ...next.moves] };
        setReview(found);
      }
    } catch (refusal) {
      setError((refusal as Error).message);
    }
  };
  return (
    <>
      <h1>What would people play?</h1>
      <form class="ask" onSubmit={(event) => void submit(event)}>
        <label class="row">
          <span>Game</span>
          <select value={name} onChange={({ currentTarget: { value } }) => setName(value)}>
            {known.map((each) => (
              <option key={each.name} value={each.name}>
                {each.title}
              </option>
            ))}
          </select>
        </label>
        <label class="stacked">
          <span>A position or a whole game</span>
          <textarea
            rows={3}
            value={text}
            spellcheck={false}
            placeholder={`A position as text, or a game (${offer.reads.join(", ").toUpperCase()}). Empty: the first position.`}
            onInput={({ currentTarget: { value } }) => setText(value)}
          />
        </label>
        <button class="main" disabled={busy}>
          {busy ? "Looking…" : "Look"}
        </button>
      </form>
      {error && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
      {insight && <Insight game={name} insight={insight} />}
      {review && (
        <Review
          review={review}
          onPly={(ply) => void look({ game: review.game, record: record!, ply })}
        />
      )}
    </>
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

function Insight({ game, insight }: { game: string; insight: PositionInsight }) {
  const [alpha, setAlpha] = useState(0);
  const [column, setColumn] = useState(Math.floor(insight.ratings.length / 2));
  const at = Math.min(column, insight.ratings.length - 1);
  const top = insight.moves.slice(0, SHOWN);
  const best = insight.moves.find((each) => each.text === insight.best);
  const blended = insight.moves.map((each) => Math.pow(each.human[at]! + 1e-9, 1 - alpha) * Math.pow(each.strong + 1e-9, alpha));
  const sum = blended.reduce((total, each) => total + each, 0);
  const ranked = insight.moves
    .map((move, index) => ({ move, share: blended[index]! / sum }))
    .sort((one, other) => other.share - one.share)
    .slice(0, SHOWN);
  return (
    <div class="insight">
      <div class="board-side">
        {game === "chess" ? (
          <ChessBoard fen={insight.position} bottom={insight.turn} turn={insight.turn} you={null} legal={[]} last={null} check={false} onMove={() => undefined}
            arrows={[...(best ? [{ text: best.text, brush: "green" }] : []), ...(ranked[0] ? [{ text: ranked[0].move.text, brush: "blue" }] : [])]} />
        ) : (
          <GridBoard board={insight.board} bottom={insight.turn} label="Position" active={new Set()} onSquare={() => undefined} />
        )}
        <p class="note">
          {insight.sides[insight.turn]} to move. Blue: what people of {insight.ratings[at]} play most. Green: the strong network's best move{best ? `, ${best.name}` : ""}.
        </p>
      </div>
      <div class="panel">
        {insight.ratings.length > 1 && (
          <>
            <h2>By {insight.rating_word}</h2>
            <Curves insight={insight} moves={top} column={at} />
            <Slider title={insight.rating_word === "rank" ? "Rank" : "Rating"} value={at} shown={String(insight.ratings[at])} from={0} to={insight.ratings.length - 1} step={1} onChange={setColumn} />
          </>
        )}
        <Slider title="Strong half (alpha)" value={alpha} shown={`${Math.round(100 * alpha)} %`} from={0} to={1} step={0.05} note="How much of the strong network is mixed into the choice." onChange={setAlpha} />
        <table class="moves-table">
          <caption class="hidden-text">The likeliest moves</caption>
          <thead>
            <tr>
              <th>Move</th>
              <th>Played</th>
              <th>Strong</th>
              <th>Costs</th>
            </tr>
          </thead>
          <tbody>
            {ranked.map(({ move, share }) => (
              <tr key={move.text} class={move.loss != null && move.loss > 0.1 ? "bad" : ""}>
                <td>{move.name}</td>
                <td>{percent(share)}</td>
                <td>{percent(move.strong)}</td>
                <td>{move.loss == null ? "" : move.loss < 0.005 ? "nothing" : `${Math.round(100 * move.loss)} points in 100`}</td>
              </tr>
            ))}
          </tbody>
        </table>
        <p>
          The chance of a blunder (a move that gives away more than 10 points in 100) is <strong>{percent(insight.blunder[at]!)}</strong>
          {insight.score[at] != null && <>; {insight.sides[insight.turn]} expects {percent(insight.score[at]!)} of the points</>}.
        </p>
      </div>
    </div>
  );
}

const percent = (share: number) => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;

/** The probability of each move over ratings. */
function Curves({ insight, moves, column }: { insight: PositionInsight; moves: PositionInsight["moves"]; column: number }) {
  const highest = Math.max(0.1, ...moves.flatMap((each) => each.human));
  const x = (index: number) => 8 + (index / (insight.ratings.length - 1)) * 80;
  const y = (share: number) => 44 - (share / highest) * 40;
  return (
    <svg class="curves" viewBox="0 0 112 52" role="img" aria-label={moves.map((move) => `${move.name}: ${percent(move.human[column]!)}`).join(", ")}>
      <line class="axis" x1="8" y1="44" x2="88" y2="44" />
      <line class="cursor" x1={x(column)} y1="3" x2={x(column)} y2="44" />
      {[0, 0.5, 1].map((share) => (
        <text key={share} x="7" y={y(share * highest) + 1} class="tick end">
          {Math.round(100 * share * highest)} %
        </text>
      ))}
      {insight.ratings.map((rating, index) => (
        index % 2 === 0 && (
          <text key={rating} x={x(index)} y="49" class="tick middle">
            {rating}
          </text>
        )
      ))}
      {moves.slice(0, 5).map((move, index) => (
        <g key={move.text} class={`curve c${index}`}>
          <polyline points={move.human.map((share, i) => `${x(i)},${y(share)}`).join(" ")} />
          <text x="89.5" y={labelHeight(moves, index, y)}>{move.name}</text>
        </g>
      ))}
    </svg>
  );
}

/** Heights of the names at the right end, apart by a line. */
function labelHeight(moves: PositionInsight["moves"], index: number, y: (share: number) => number): number {
  const ends = moves.slice(0, 5).map((move, i) => ({ i, at: y(move.human.at(-1)!) + 1 })).sort((one, other) => one.at - other.at);
  for (let k = 1; k < ends.length; k++) ends[k]!.at = Math.max(ends[k]!.at, ends[k - 1]!.at + 4);
  return ends.find((each) => each.i === index)!.at;
}

/** Difficulty and win chances over a game, and the moves that people miss. */
function Review({ review, onPly }: { review: ReviewView; onPly: (ply: number) => void }) {
  const moves = review.moves;
  const x = (index: number) => (review.total > 1 ? (index / (review.total - 1)) * 100 : 50);
  const missed = moves.filter((each) => each.blunder);
  return (
    <section class="review" aria-label="Review">
      <h2>
        {review.players[0] ?? "?"} {review.ratings[0] != null && `(${review.ratings[0]})`} against {review.players[1] ?? "?"} {review.ratings[1] != null && `(${review.ratings[1]})`}
      </h2>
      {!review.done && (
        <p role="status">
          Looked at {moves.length} of {review.total} moves…
        </p>
      )}
      {review.error && <p role="alert">{review.error}</p>}
      <svg class="graph" viewBox="0 0 100 40" preserveAspectRatio="none" role="img" aria-label="Expected score of the first player, and difficulty, move by move">
        <line class="axis" x1="0" y1="20" x2="100" y2="20" />
        {moves.map((move, index) => move.difficulty != null && <rect key={index} class="difficulty" x={x(index) - 0.3} width="0.6" y={40 - Math.min(40, 160 * move.difficulty)} height={Math.min(40, 160 * move.difficulty)} />)}
        <polyline class="score" points={moves.flatMap((move, index) => (move.score == null ? [] : [`${x(index)},${40 - 40 * move.score}`])).join(" ")} />
      </svg>
      <p class="note">Line: expected score of the first player between people of these ratings. Bars: what people of these ratings give away on average, a measure of difficulty.</p>
      <h3>Moves that gave much away</h3>
      {missed.length === 0 && <p>{review.done ? "None." : "None so far."}</p>}
      <ul class="missed">
        {missed.map((each) => (
          <li key={each.ply}>
            <button onClick={() => onPly(each.ply)}>{missedText(each)}</button>
          </li>
        ))}
      </ul>
    </section>
  );
}

const missedText = (move: ReviewedMove) =>
  `Move ${Math.floor(move.ply / 2) + 1}, ${move.name}: cost ${Math.round(100 * (move.loss ?? 0))} points in 100. ${move.best} was better; ${percent(move.best_likely)} of such players find it.`;
