import { useLayoutEffect, useState } from "preact/hooks";
import { api, type ComparedMove, type SaferView } from "../api";
import { moveName } from "../boards/move-names";
import { percent, phrase, rank, t } from "../text";

/** Milliseconds that a position must stay before it is asked about: the answer takes the server a second. */
const PAUSE = 500;

/** The move that is best among people beside the engine's first choice, and traps. Nothing where nothing is known. */
export function Safer({ game, asked, last, onMove }: { game: string; asked: object; last: string | null; onMove: (move: string) => void }) {
  const [found, setFound] = useState<SaferView | null>(null);
  const [waiting, setWaiting] = useState(true);
  const key = JSON.stringify(asked);
  useLayoutEffect(() => {
    let over = false;
    setFound(null);
    setWaiting(true);
    const timer = setTimeout(() => {
      const answer = (view: SaferView | null) => {
        if (over) return;
        setFound(view);
        setWaiting(false);
      };
      api.safer(asked).then(answer, () => answer(null));
    }, PAUSE);
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [key]);
  if (!found && !waiting) return null;
  const named = (move: ComparedMove) => (
    <button class="link" onClick={() => onMove(move.text)}>
      {moveName(game, move, last)}
    </button>
  );
  return (
    <section class="card safer" aria-busy={waiting} aria-label={t("The safer move")}>
      <h2>{t("The safer move")}</h2>
      {!found && (
        <p class="note" role="status">
          {t("Looking…")}
        </p>
      )}
      {found && <Comparison game={game} found={found} last={last} named={named} />}
    </section>
  );
}

interface ComparisonProps {
  game: string;
  found: SaferView;
  last: string | null;
  named: (move: ComparedMove) => preact.ComponentChildren;
}

function Comparison({ game, found, last, named }: ComparisonProps) {
  const { engine, safer, mistake, traps } = found;
  const people = found.rating === "people" ? t("people") : t("people of {rating}", { rating: rank(found.rating) });
  const same = engine.text === safer.text;
  const line = (mistake?.line ?? []).map((move, index, all) => moveName(game, move, index ? all[index - 1]!.text : last));
  return (
    <>
      {same ? (
        <p>{phrase("{move} is the engine's first choice, and no other move brings {people} more.", { move: named(engine), people })}</p>
      ) : (
        <table class="moves-table">
          <thead>
            <tr>
              <th>{t("Move")}</th>
              <th class="right">{t("scores among {people}", { people })}</th>
              <th class="right">{t("with best play")}</th>
            </tr>
          </thead>
          <tbody>
            {[safer, engine].map((move) => (
              <tr key={move.text}>
                <td>
                  {named(move)} <span class="note">{move === safer ? t("safer") : t("engine's first choice")}</span>
                </td>
                <td class="right">{percent(move.people)}</td>
                <td class="right">{percent(move.best_play)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {mistake && (
        <p class="note">
          {t("Where people go wrong after the engine's move: {line} ({chance} of games; gives away {loss}).", { line: line.join(" "), chance: percent(mistake.chance), loss: percent(mistake.loss) })}
        </p>
      )}
      {traps.map((trap) => (
        <p key={trap.text}>{phrase("Trap: {share} play {move}, which gives away {loss}.", { share: percent(trap.likely), move: named(trap), loss: percent(trap.loss) })}</p>
      ))}
    </>
  );
}
