import { signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "./icons";
import { hasPremoves, loadOffers, offers } from "./offers";
import { Dialog } from "./settings-panel";
import { known, say, t, word } from "./text";

/** The game that the page is about now. */
export const shownGame = signal(localStorage.getItem("game") ?? "chess");

/** Rules of well-known games; the server has those of the others. */
const RULES: Record<string, string> = {
  chess: word(
    "The king must not be captured: who is in check must get out of it, and who cannot is mated and loses. The rook moves straight, the bishop along diagonals, the queen as both, the king one square, the knight two squares straight and one to the side. A pawn moves one square forward, or two from where it began, and captures diagonally forward; on the far row it becomes another piece.\nCastling: the king moves two squares towards a rook, and the rook goes to the square that the king crossed. Neither may have moved before, nothing may stand between them, and the king may not be in check, nor cross or reach a square that is attacked.\nEn passant: a pawn that moved two squares can be captured by a pawn beside it in the next move only, as if it had moved one.\nStalemate, three times the same position, and 50 moves without a capture or pawn move are a draw.",
  ),
  go: word(
    "Players put stones on the points of the board in turn, Black first. Stones that touch along the lines live and die together: a group without a free point next to it is captured. A stone may not be put where its own group has no free point, and the position before may not be repeated. Who sees nothing more to gain passes; after two passes the dead stones are agreed on. A player's points are own stones and surrounded points, or prisoners and surrounded points, as the rules of the game say. White gets komi for moving second.",
  ),
  shogi: word(
    "The king must not be captured: who is mated loses. Gold moves one square, but not diagonally backwards; silver one square forward or diagonally; the knight two squares forward and one to the side; the lance straight forward; the pawn one square forward, and captures so too; rook and bishop go far. Captured pieces come into the hand and can be dropped on an empty square instead of a move. Pieces that move into, within or out of the last three rows may promote. There may not be two pawns of a side on one file, and a pawn may not be dropped to mate.",
  ),
};

/** The part of the help that is open: all of it, or what numbers mean. */
const opened = signal<"all" | "numbers" | null>(null);

/** A link to what the numbers mean. */
export const NumberHelp = () => (
  <button type="button" class="link number-help" aria-haspopup="dialog" onClick={() => (opened.value = "numbers")}>
    {t("What is this number?")}
  </button>
);

/** Opens the help: rules, keys, what the numbers mean. The key ? opens it too. */
export function HelpButton() {
  useLayoutEffect(() => {
    const key = (event: KeyboardEvent) => {
      const typing = event.target instanceof HTMLElement && event.target.matches("input[type=text], textarea, select");
      if (event.key === "?" && !typing && !document.querySelector("dialog")) opened.value = "all";
    };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  }, []);
  return (
    <>
      <button class="quiet" onClick={() => (opened.value = "all")} aria-haspopup="dialog" title={`${t("Help")} (?)`} aria-label={t("Help")}>
        <Icon name="help" />
      </button>
      {opened.value && <Help onClose={() => (opened.value = null)} />}
    </>
  );
}

function Help({ onClose }: { onClose: () => void }) {
  useEffect(loadOffers, []);
  const numbers = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (opened.value !== "numbers") return;
    numbers.current!.scrollIntoView();
    numbers.current!.focus();
  }, [offers.value.length]);
  const offer = offers.value.find((each) => each.name === shownGame.value);
  const rules = offer?.rules.text ? offer.rules : RULES[shownGame.value];
  return (
    <Dialog title={t("Help")} onClose={onClose}>
      {offer && rules && (
        <>
          <h3>{t("{game}: the rules in a minute", { game: known(offer.title) })}</h3>
          <p class="rules-text">{say(rules)}</p>
        </>
      )}
      {offer && (
        <>
          <h3>{t("How moves are typed")}</h3>
          <p>{say(offer.how_to_move)}</p>
        </>
      )}
      <h3>{t("Keys")}</h3>
      <dl class="keys-list">
        <Key name="← →" does={t("one move back, one move forward; the wheel over the board does the same")} />
        <Key name={`${t("key|Home")} ${t("key|End")}`} does={t("first position, last position")} />
        <Key name="M" does={t("to the field for a move")} />
        <Key name="B" does={t("to the board")} />
        <Key name={`↑ ↓ ← → ${t("key|Enter")}`} does={t("on the board: move to a square, choose it")} />
        <Key name="F" does={t("turn the board")} />
        {offer?.points && <Key name="E" does={t("estimate the score, and hide it")} />}
        <Key name={t("key|Esc")} does={t("cancel a choice, close a box")} />
        <Key name="?" does={t("this help")} />
      </dl>
      <p>{t("With the mouse or a finger: choose a piece, then its target, or drag it there. What more there is to choose, such as how many tokens go, or whether a stack explodes, is asked beside the board.")}</p>
      {offer && hasPremoves(offer) && <p>{t("A move chosen while the opponent thinks is played at once after its move.")}</p>}
      {offer?.board === "chessboard" && <p>{t("The right mouse button draws arrows and circles on the board; a click erases them.")}</p>}
      <h3 ref={numbers} tabIndex={-1}>
        {t("What is this number?")}
      </h3>
      {offer?.rating_scale.text && (
        <p>
          <strong>{say(offer.rating_scale)}</strong>
        </p>
      )}
      <details>
        <summary>{t("More about the numbers")}</summary>
        <p>{t("A level is a strength. In chess it is that of people who err as much, in other games that on the scale of another program. The numbers in brackets are its 95 % interval: where the true value lies in 19 of 20 cases. On the scale of a program, a player with 100 points more wins 64 of 100 points against the other.")}</p>
        <p>{t("A rating or rank of people says whose moves the opponent imitates. That is a style, not a measured strength. Each site has its own scale: 1500 on one is not 1500 on another.")}</p>
        <p>{t("What a move gives away is a share of a win: a move that gives away 10 % turns an even game, 50 of 100 points, into 40 of 100. It is a judgement of the strong network, which errs.")}</p>
        <p>{t("A puzzle rating is on the scale of Lichess's puzzles: a problem of 1500 is found by a person with the puzzle rating 1500 in half of all first tries. A problem's rating is predicted: on Lichess's own puzzles it is 190 points off on average, on positions of your games that was not measured. Yours is measured by your first tries alone.")}</p>
        <p>{t("Elo in a tournament is the distance to the average of its players, whose Elo is 0. With few games its interval is wide.")}</p>
      </details>
    </Dialog>
  );
}

function Key({ name, does }: { name: string; does: string }) {
  return (
    <div>
      <dt>
        {name.split(" ").map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
      </dt>
      <dd>{does}</dd>
    </div>
  );
}
