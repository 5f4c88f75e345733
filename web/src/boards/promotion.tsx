import { useKeys } from "../keys";
import { t } from "../text";
import { chessPiece, fromTo } from "./coordinates";

const ORDER = "qnrb";
const focus = (element: HTMLElement | null) => element?.focus();

/** What a pawn becomes: pieces on its file, the queen on the square itself. Escape and a click beside them cancel. */
export function Promotion({ moves, bottom, onChoose }: { moves: string[]; bottom: number; onChoose: (move: string | null) => void }) {
  useKeys((event) => void (moves.length > 0 && event.key === "Escape" && onChoose(null)));
  if (moves.length === 0) return null;
  const { to } = fromTo(moves[0]!)!;
  const white = to[1] === "8";
  const file = "abcdefgh".indexOf(to[0]!);
  const above = white === (bottom === 0);
  const sorted = [...moves].sort((one, other) => ORDER.indexOf(one.slice(-1)) - ORDER.indexOf(other.slice(-1)));
  return (
    <div class="promotion" onClick={(event) => event.target === event.currentTarget && onChoose(null)}>
      <div class="promotion-pieces" role="dialog" aria-label={t("Promote to")} style={{ left: `${12.5 * (bottom === 0 ? file : 7 - file)}%`, flexDirection: above ? "column" : "column-reverse", [above ? "top" : "bottom"]: 0 }}>
        {sorted.map((move, index) => {
          const { role } = chessPiece(move.slice(-1));
          return (
            <button key={move} ref={index === 0 ? focus : undefined} aria-label={t(role)} title={t(role)} onClick={() => onChoose(move)}>
              <span class="cg-wrap" aria-hidden="true" dangerouslySetInnerHTML={{ __html: `<piece class="${white ? "white" : "black"} ${role}"></piece>` }} />
            </button>
          );
        })}
      </div>
    </div>
  );
}
