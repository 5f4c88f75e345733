import { useLayoutEffect, useState } from "preact/hooks";
import type { GameOffer, ReviewedMove, ReviewView } from "../api";
import { moveName } from "../boards/move-names";
import { can } from "../capabilities";
import { graphWidth } from "../graphs";
import { NumberHelp } from "../help";
import { moveNumber } from "../moves";
import { Learn, Moments, type Proved } from "./learn";
import { ReviewMoves } from "./review-moves";
import { known, percent, phrase, rank, say, t } from "../text";

interface Props {
  review: Proved;
  offer: GameOffer;
  ply: number;
  rating: number | string | null;
  /** The person's side in a game of their own. */
  you: number | null;
  /** Id of that game; empty for a pasted one. */
  source: string;
  /** Whether the person resigned in it. */
  resigned: boolean;
  onPly: (ply: number) => void;
  onRating: (rating: number | string | null) => void;
}

/** Fewer people than this find a good move where people usually miss it. */
const MISSED = 0.5;
/** Expected score from which on one is clearly ahead. */
const AHEAD = 0.6;

/** A reviewed game: estimates of both players, the graph, what people of a level miss. */
export function Review({ review, offer, ply, rating, you, source, resigned: hasResigned, onPly, onRating }: Props) {
  const [side, setSide] = useState(you ?? 0);
  useLayoutEffect(() => setSide(you ?? 0), [you]); // not after the next frame: it would take back what was chosen meanwhile
  const names = ([0, 1] as const).map((player) => review.players[player] || known(offer.sides[player]!, offer.name));
  const moves = review.moves;
  const first = moves[0]?.ply ?? 0;
  const number = (move: ReviewedMove) => moveNumber(review.game, move.ply);
  const named = (move: ReviewedMove, text: string, name: string) => moveName(review.game, { text, name }, moves[move.ply - first - 1]?.text);
  const erred = moves.filter((each) => each.blunder);
  const missed = moves.filter((each) => each.player === side && each.mark && each.expected !== each.best && each.found != null && each.found < MISSED);
  const judged = moves.some((each) => each.loss != null);
  const last = moves.at(-1)?.chance;
  const chance = last == null ? 0 : you === 1 ? 1 - last : last;
  const resigned = hasResigned && review.done && chance >= AHEAD && t("You resigned at {chance}: by the review's search you were ahead.", { chance: percent(chance) });
  const others = erred.filter((each) => !review.moments.includes(each.ply));
  return (
    <section class="review" aria-label={t("Review")}>
      <div class="levels">
        {([0, 1] as const).map((side) => (
          <Player key={side} review={review} side={side} name={names[side]!} />
        ))}
      </div>
      {!can("strength") && <p class="note">{t("A tab does not estimate how strong both players were, does not name kinds of mistakes, and has no deck of them: the installed program does.")}</p>}
      {review.levels?.some((level) => level) && <p class="note">{t("\"Played like\" is estimated from the moves alone: how likely people of each rating are to play them. What was given away is another thing, by the review's search. From one game neither is exact: see the interval.")}</p>}
      {resigned && <p class="note">{resigned}</p>}
      <Moments review={review} onPly={onPly} />
      {can("deck") && <Learn key={review.id} review={review} names={names} you={you} source={source} />}
      <ReviewMoves review={review} at={ply} onPly={onPly} />
      <div class="card">
        <div class="title-line">
          <h2>{t("Chances and difficulty")}</h2>
          {!review.done && (
            <p class="note" role="status">
              {t("Looked at {done} of {total} moves…", { done: moves.length, total: review.total })}
            </p>
          )}
        </div>
        {review.error && (
          <p class="alert" role="alert">
            {say(review.error)}
          </p>
        )}
        <Graph review={review} sides={offer.sides.map((side) => known(side, offer.name))} ply={ply} onPly={onPly} />
        <p class="note">
          {rating === null
            ? t("Line: expected score of {side} between people of these ratings.", { side: known(offer.sides[0]!, offer.name) })
            : t("Line: expected score of {side} between people of {rating}.", { side: known(offer.sides[0]!, offer.name), rating: rank(rating) })}{" "}
          {t("Bars: what such people give away here on average, a measure of difficulty. A dot: a move that gave away more than 10 %.")} <NumberHelp />
        </p>
      </div>
      {!judged && review.done && <p class="note">{t("What moves cost is not shown: the strong network of this game chooses moves, but its judgement of positions is not good enough.")}</p>}
      {judged && <div class="review-lists">
        <div class="card">
          <h2>{review.moments.length > 0 ? t("Other moves that gave much away") : t("Moves that gave much away")}</h2>
          {others.length === 0 && <p class="note">{review.done ? t("None.") : t("None so far.")}</p>}
          <ul class="missed">
            {others.map((each) => (
              <li key={each.ply}>
                <button onClick={() => onPly(each.ply - first)}>
                  <span>
                    {phrase("{number} {move} gave away {loss}. {best} was better. {share} of such players give away less than 5 % here.", { number: number(each), move: <strong>{named(each, each.text, each.name)}</strong>, loss: percent(each.loss ?? 0), best: <b>{named(each, each.best, each.best_name)}</b>, share: percent(each.found ?? each.best_likely) })} {each.kind_text && say(each.kind_text, review.game)}
                  </span>
                </button>
              </li>
            ))}
          </ul>
        </div>
        <div class="card">
          <h2>{t("Moves that people of your level miss")}</h2>
          <label class="row">
            <span>{t("Whose moves")}</span>
            <select value={String(side)} onChange={({ currentTarget: { value } }) => setSide(Number(value))}>
              {names.map((name, player) => (
                <option key={player} value={String(player)}>
                  {name}
                </option>
              ))}
            </select>
          </label>
          {offer.ratings && <RatingChoice offer={offer} rating={rating} onRating={onRating} />}
          {missed.length === 0 && <p class="note">{review.done ? t("{player} missed nothing in this game that people of this level usually miss.", { player: names[side]! }) : t("None so far.")}</p>}
          <ul class="missed">
            {missed.map((each) => (
              <li key={each.ply}>
                <button onClick={() => onPly(each.ply - first)}>
                  <span>
                    {phrase("{number} {best}: {share} find a good move; most play {expected}.", { number: number(each), best: <b>{named(each, each.best, each.best_name)}</b>, share: percent(each.found!), expected: named(each, each.expected, each.expected_name) })} {t("Played: {move}.", { move: named(each, each.text, each.name) })}
                  </span>
                </button>
              </li>
            ))}
          </ul>
        </div>
      </div>}
    </section>
  );
}

/** Whose eyes the review has: the players' own ratings, or yours. */
function RatingChoice({ offer, rating, onRating }: { offer: GameOffer; rating: number | string | null; onRating: (rating: number | string | null) => void }) {
  const [chosen, setChosen] = useState(rating);
  return (
    <label class="row">
      <span>{offer.ratings!.word.text === "rank" ? t("Your rank") : t("Your rating")}</span>
      <select
        value={String(chosen ?? "")}
        onChange={({ currentTarget: { value } }) => {
          const found = offer.ratings!.values.find((each) => String(each) === value) ?? null;
          setChosen(found);
          onRating(found);
        }}
      >
        <option value="">{t("of the players")}</option>
        {offer.ratings!.values.map((each) => (
          <option key={each} value={String(each)}>
            {rank(each)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A player, with the estimate of their level from the moves of this game. */
function Player({ review, side, name }: { review: ReviewView; side: 0 | 1; name: string }) {
  const level = review.levels?.[side];
  const own = review.moves.filter((each) => each.player === side && each.loss != null);
  const average = own.length ? own.reduce((sum, each) => sum + each.loss!, 0) / own.length : null;
  return (
    <div class="card level-card">
      <div>
        <strong>{name}</strong>
        {average !== null && <p class="note">{t("gave away {loss} a move, by the review's search", { loss: percent(average) })}</p>}
        {review.ratings[side] != null && <p class="note">{t("reviewed as {rating}", { rating: rank(review.ratings[side]!) })}</p>}
      </div>
      {level ? (
        <p class="estimate">
          <span class="note">{t("Played like")}</span>
          <strong class="number">{rank(level.shown)}</strong>
          <span class="note number">
            {t("{low} to {high}, from {count} moves", { low: level.shown_interval[0], high: level.shown_interval[1], count: level.moves })}
          </span>
        </p>
      ) : (
        can("strength") && <p class="note">{review.done ? t("Too few moves for an estimate.") : t("Estimating…")}</p>
      )}
    </div>
  );
}

const HEIGHT = 150;

function Graph({ review, sides, ply, onPly }: { review: ReviewView; sides: readonly string[]; ply: number; onPly: (ply: number) => void }) {
  const width = graphWidth(800);
  const x = (index: number) => 30 + ((index + 0.5) / Math.max(1, review.total)) * (width - 40);
  const y = (score: number) => HEIGHT - HEIGHT * score;
  const step = (width - 40) / Math.max(1, review.total);
  const first = review.moves[0]?.ply ?? 0;
  const scored = review.moves.filter((each) => each.score != null);
  const line = scored.map((each) => `${x(each.ply - first)},${y(each.score!)}`).join(" ");
  return (
    <svg
      class="graph"
      viewBox={`0 -6 ${width} ${HEIGHT + 12}`}
      role="img"
      aria-label={t("Expected score of {side} and difficulty, move by move", { side: sides[0]! })}
      onClick={(event) => {
        const box = event.currentTarget.getBoundingClientRect();
        const where = ((event.clientX - box.left) / box.width) * width;
        onPly(Math.min(review.total - 1, Math.max(0, Math.floor((where - 30) / step))));
      }}
    >
      {[0, 0.5, 1].map((score) => (
        <g key={score}>
          <line class="grid" x1="30" x2={width - 10} y1={y(score)} y2={y(score)} />
          <text class="tick end" x="25" y={y(score) + 4}>
            {100 * score}
          </text>
        </g>
      ))}
      {review.moves.map((move) => move.difficulty != null && <rect key={move.ply} class="difficulty" x={x(move.ply - first) - step * 0.35} width={step * 0.7} y={HEIGHT - Math.min(HEIGHT, 4 * HEIGHT * move.difficulty)} height={Math.min(HEIGHT, 4 * HEIGHT * move.difficulty)} />)}
      {scored.length > 0 && <polygon class="area" points={`${x(scored[0]!.ply - first)},${HEIGHT} ${line} ${x(scored.at(-1)!.ply - first)},${HEIGHT}`} />}
      <polyline class="score" points={line} />
      {scored.filter((each) => each.blunder).map((each) => (
        <circle key={each.ply} class="blunder" cx={x(each.ply - first)} cy={y(each.score!)} r="4.5" />
      ))}
      <line class="cursor" x1={x(ply)} x2={x(ply)} y1="-4" y2={HEIGHT + 4} />
    </svg>
  );
}
