import { useLayoutEffect, useState } from "preact/hooks";
import type { BoardView, LegalMove, MoveCurve, PositionInsight } from "../api";
import { moveName } from "../boards/move-names";
import { can } from "../capabilities";
import { NumberHelp } from "../help";
import { ChessBoard } from "../boards/chess-board";
import { GridBoard } from "../boards/grid-board";
import { Promotion } from "../boards/promotion";
import { ShogiBoard } from "../boards/shogi-board";
import { offerOf } from "../offers";
import { Slider, weakerThanKnown } from "../pages/opponent-form";
import { Curves } from "./curves";
import { Safer } from "./safer";
import { known, percent, phrase, rank, say, t } from "../text";

const CURVES = 5;
const ROWS = 7;

interface Props {
  game: string;
  insight: PositionInsight;
  onMove: (move: string) => void;
  /** The move of the game in this position. */
  played?: LegalMove | null;
  /** Text of the best move by the review, whose search sees more than the network's one glance. */
  better?: string | null;
  /** The request for this position; with it, the safer move is shown. */
  request?: object;
  /** The board's ref, for the wheel. */
  wheel?: (element: HTMLElement | null) => void;
  /** Buttons under the board. */
  children?: preact.ComponentChildren;
  /** Shown above the facts of the position, or instead of them. */
  head?: preact.ComponentChildren;
  instead?: preact.ComponentChildren;
}

/** What people of each rating play in a position, what is strong, and how a mixture of both would choose. */
export function Insight({ game, insight, onMove, played, better, request, wheel, children, head, instead }: Props) {
  const [alpha, setAlpha] = useState(0);
  const [wanted, setWanted] = useState<number | string | null>(null);
  const asked = insight.ratings[insight.column];
  useLayoutEffect(() => setWanted(null), [asked]);
  const chosen = wanted === null ? -1 : insight.ratings.indexOf(wanted);
  const column = chosen < 0 ? insight.column : chosen;
  const setColumn = (at: number) => setWanted(insight.ratings[at]!);
  const best = insight.moves.find((each) => each.text === (better ?? insight.best));
  const ranked = mixed(insight.moves, column, alpha).slice(0, ROWS);
  const rating = insight.ratings[column]!;
  const people = insight.ratings.length > 1 ? t("people of {rating}", { rating: rank(rating) }) : t("people");
  const costs = judged(insight);
  const wide = insight.ratings.length > 1;
  const over = insight.moves.length === 0;
  const named = (move: LegalMove) => moveName(game, move, insight.last);
  const popular = ranked[0]?.move;
  const marks = shownMoves({ best: best?.text, people: popular?.text, played: played?.text });
  return (
    <div class="insight">
      <div class="insight-board">
        <div ref={wheel}>
          <InsightBoard game={game} insight={insight} onMove={onMove} marks={marks} />
        </div>
        {children}
        {insight.note && <p class="note key-line">{say(insight.note)}</p>}
        {over ? (
          <p class="note key-line">{t("The game is over in this position.")}</p>
        ) : (
          <>
            <ul class="note key-line" aria-label={t("Moves on the board")}>
              {played && <Key sign="played">{phrase("played: {move}", { move: <b>{named(played)}</b> })}</Key>}
              {popular && <Key sign="people">{phrase("{people} play most: {move}", { people, move: <b>{named(popular)}</b> })}</Key>}
              {best && <Key sign="best">{phrase(better ? "the search's best: {move}" : "the strong network's best: {move}", { move: <b>{named(best)}</b> })}</Key>}
            </ul>
            <p class="note">
              {t("{side} to move.", { side: known(insight.sides[insight.turn]!, game) })} {t("Play a move to go on.")}
            </p>
          </>
        )}
      </div>
      <div class="insight-panel">
        {head}
        {instead}
        {!instead && wide && !over && (
          <div class="card">
            <h2>{insight.rating_word === "rank" ? t("What would they play, by rank?") : t("What would they play, by rating?")}</h2>
            <Curves insight={insight} moves={insight.moves.slice(0, CURVES)} column={column} onColumn={setColumn} />
            <Slider title={insight.rating_word === "rank" ? t("Rank") : t("Rating")} value={column} shown={rank(rating)} from={0} to={insight.ratings.length - 1} step={1} note={weakerThanKnown(offerOf(game), rating)} onChange={setColumn} />
          </div>
        )}
        {!instead && !over && <div class="card">
          <Facts game={game} insight={insight} column={column} people={people} />
          <NumberHelp />
          <table class="moves-table">
            <caption class="hidden-text">{t("The likeliest moves")}</caption>
            <thead>
              <tr>
                <th>{t("Move")}</th>
                <th>{alpha === 0 ? t("People play it") : t("The mixture plays it")}</th>
                <th class="right">{t("Strong")}</th>
                {costs && <th class="right">{t("Costs")}</th>}
              </tr>
            </thead>
            <tbody>
              {ranked.map(({ move, share }) => (
                <tr key={move.text} class={move.loss != null && move.loss > 0.1 ? "bad" : ""}>
                  <td>
                    <button class="link" onClick={() => onMove(move.text)}>
                      {named(move)}
                    </button>
                  </td>
                  <td>
                    <span class="bar-cell">
                      <span class="bar" style={{ "--share": share }} aria-hidden="true" />
                      {percent(share)}
                    </span>
                  </td>
                  <td class="right">{percent(move.strong)}</td>
                  {costs && <td class="right cost">{move.loss == null ? "" : move.loss < 0.005 ? "–" : percent(move.loss)}</td>}
                </tr>
              ))}
            </tbody>
          </table>
          {!costs && <p class="note">{t("What a move costs is not shown: the strong network of this game chooses moves, but its judgement of positions is not good enough.")}</p>}
          <Slider
            title={t("Share of the strong network")}
            value={alpha}
            shown={`${Math.round(100 * alpha)} %`}
            from={0}
            to={1}
            step={0.05}
            note={t("How the choice changes when the strong network is mixed in.")}
            onChange={setAlpha}
          />
        </div>}
        {!instead && !over && request && can("safer") && judged(insight) && <Safer game={game} asked={{ ...request, ...(wide ? { rating } : {}) }} last={insight.last} onMove={onMove} />}
      </div>
    </div>
  );
}

/** Whether the strong network's values are good enough to say what a move costs. */
const judged = (insight: PositionInsight) => insight.moves.some((each) => each.loss != null);

function Facts({ game, insight, column, people }: { game: string; insight: PositionInsight; column: number; people: string }) {
  const score = insight.score[column];
  return (
    <dl class="facts">
      {judged(insight) && <div>
        <dt>{t("chance of a blunder")}</dt>
        <dd class={insight.blunder[column]! > 0.25 ? "warn" : ""}>{percent(insight.blunder[column]!)}</dd>
      </div>}
      {score != null && (
        <div>
          <dt>
            {t("{side} scores, among {people}", { side: known(insight.sides[insight.turn]!, game), people })}
          </dt>
          <dd>{percent(score)}</dd>
        </div>
      )}
    </dl>
  );
}

/** Moves by their share in the geometric mixture of people and strong network. */
function mixed(moves: MoveCurve[], column: number, alpha: number): { move: MoveCurve; share: number }[] {
  const weights = moves.map((each) => Math.pow(each.human[column]! + 1e-9, 1 - alpha) * Math.pow(each.strong + 1e-9, alpha));
  const sum = weights.reduce((total, each) => total + each, 0);
  return moves.map((move, index) => ({ move, share: weights[index]! / sum })).sort((one, other) => other.share - one.share);
}

/** Signs of the moves on the board, so that they differ without colours too. */
const SIGNS = { best: "■", people: "●", played: "▲" };
type Sign = keyof typeof SIGNS;

const Key = ({ sign, children }: { sign: Sign; children: preact.ComponentChildren }) => (
  <li>
    <i class={`sign ${sign}`} aria-hidden="true">
      {SIGNS[sign]}
    </i>{" "}
    <span>{children}</span>
  </li>
);

/** A move on the board, with all of its signs. */
interface Marked {
  text: string;
  signs: Sign[];
}

function shownMoves(moves: { [sign in Sign]: string | undefined }): Marked[] {
  const found = new Map<string, Sign[]>();
  for (const [sign, text] of Object.entries(moves)) if (text) found.set(text, [...(found.get(text) ?? []), sign as Sign]);
  return [...found].map(([text, signs]) => ({ text, signs }));
}

/** What a board shows of a position. */
interface ShownPosition {
  position: string;
  board: BoardView;
  turn: number;
  last?: string | null;
  check: boolean;
  moves: { text: string }[];
}

/** The board of a position on which a person moves, of any game that people's moves are known of. */
export function InsightBoard({ game, insight, onMove, marks = [], bottom = 0, pending = null }: { game: string; insight: ShownPosition; onMove: (move: string) => void; marks?: Marked[]; bottom?: number; pending?: string | null }) {
  const [choices, setChoices] = useState<string[]>([]);
  const common = { bottom, you: insight.turn, legal: insight.moves, last: insight.last ?? null, check: insight.check };
  const brushes = [...marks.map(({ text, signs }) => ({ text, brush: signs.join(" ") })), ...(pending ? [{ text: pending, brush: "pending" }] : [])];
  if (game === "chess")
    return (
      <div class="board">
        <ChessBoard
          {...common}
          fen={insight.position}
          turn={insight.turn}
          onMove={(moves) => (moves.length > 1 ? setChoices(moves) : moves[0] && onMove(moves[0]))}
          arrows={marks.map(({ text, signs }) => ({ text, brush: signs[0]!, label: signs.map((sign) => SIGNS[sign]).join("") }))}
          placed={pending}
        />
        <Promotion moves={choices} bottom={bottom} onChoose={(move) => (setChoices([]), move && onMove(move))} />
      </div>
    );
  if (game === "shogi") return <ShogiBoard {...common} sfen={insight.position} marks={brushes} onMove={onMove} />;
  const points = new Set(insight.moves.map((each) => each.text));
  return (
    <GridBoard
      board={insight.board}
      bottom={bottom}
      label={t("Position. Arrow keys move, Enter plays.")}
      marks={new Map(brushes.map(({ text, brush }) => [text, brush]))}
      playable={{ points, owner: insight.turn }}
      placed={pending}
      onSquare={(point) => points.has(point) && onMove(point)}
    />
  );
}
