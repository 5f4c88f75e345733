import { useEffect, useRef } from "preact/hooks";
import type { ReviewView } from "../api";
import { moveName } from "../boards/move-names";
import { moveNumber } from "../moves";
import { percent, t, word } from "../text";

/** How marks are written. */
const MARKS = {
  blunder: { sign: "??", says: word("a blunder") },
  mistake: { sign: "?", says: word("a mistake") },
  doubtful: { sign: "?!", says: word("doubtful") },
};

/** The moves of a reviewed game with marks; a tap shows the position before the move, where it was chosen. */
export function ReviewMoves({ review, at, onPly }: { review: ReviewView; at: number; onPly: (ply: number) => void }) {
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    const current = list.current?.querySelector<HTMLElement>(".current");
    if (current) list.current!.scrollTop = current.offsetTop - list.current!.clientHeight / 2;
  }, [at, review.moves.length]);
  const judged = review.moves.some((move) => move.loss != null);
  return (
    <div class="card review-moves">
      <h2>{t("Moves")}</h2>
      <ol ref={list} aria-label={t("Moves")} tabIndex={0}>
        {review.moves[0]?.player === 1 && <li aria-hidden="true" />}
        {review.moves.map((move, index) => {
          const mark = move.mark && MARKS[move.mark];
          return (
            <li key={index}>
              <button class={`${index === at ? "current" : ""} ${move.mark}`} aria-current={index === at ? "true" : undefined} onClick={() => onPly(index)}>
                <span class="note number">{moveNumber(review.game, move.ply)}</span>
                {moveName(review.game, move, review.moves[index - 1]?.text)}
                {mark && (
                  <b class="mark" title={t("gave away {loss}", { loss: percent(move.loss!) })}>
                    {mark.sign}
                    <span class="hidden-text"> {t(mark.says)}</span>
                  </b>
                )}
              </button>
            </li>
          );
        })}
        {review.done && (
          <li class="final">
            <button class={at >= review.total ? "current" : ""} aria-current={at >= review.total ? "true" : undefined} onClick={() => onPly(review.total)}>
              {t("Final position")}
            </button>
          </li>
        )}
      </ol>
      {judged && <p class="note">{t("?! gave away 5 % of a win or more, ? 10 %, ?? 20 %. Moves of known openings, and moves that people often play, are marked only if they gave away much.")}</p>}
    </div>
  );
}
