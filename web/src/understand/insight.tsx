import { useState } from "preact/hooks";
import type { MoveCurve, PositionInsight } from "../api";
import { ChessBoard } from "../boards/chess-board";
import { GridBoard } from "../boards/grid-board";
import { ShogiBoard } from "../boards/shogi-board";
import { Slider } from "../pages/opponent-form";
import { Curves } from "./curves";
import { known, percent, rank, t } from "../text";

const CURVES = 5;
const ROWS = 7;

interface Props {
  game: string;
  insight: PositionInsight;
  onMove: (move: string) => void;
  /** Buttons under the board. */
  children?: preact.ComponentChildren;
  /** Shown above the facts of the position, or instead of them. */
  head?: preact.ComponentChildren;
  instead?: preact.ComponentChildren;
}

/** What people of each rating play in a position, what is strong, and how a mixture of both would choose. */
export function Insight({ game, insight, onMove, children, head, instead }: Props) {
  const [alpha, setAlpha] = useState(0);
  const [wanted, setColumn] = useState(Math.floor(insight.ratings.length / 2));
  const column = Math.min(wanted, insight.ratings.length - 1);
  const best = insight.moves.find((each) => each.text === insight.best);
  const ranked = mixed(insight.moves, column, alpha).slice(0, ROWS);
  const rating = insight.ratings[column]!;
  const people = insight.ratings.length > 1 ? t("people of {rating}", { rating: rank(rating) }) : t("people");
  const costs = judged(insight);
  const wide = insight.ratings.length > 1;
  return (
    <div class="insight">
      <div class="insight-board">
        <InsightBoard game={game} insight={insight} onMove={onMove} people={ranked[0]?.move.text} best={best?.text} />
        {children}
        <p class="note key-line">
          {t("{side} to move.", { side: known(insight.sides[insight.turn]!, game) })} <i class="dot blue" /> {t("{people} play it most.", { people })} <i class="dot green" />{" "}
          {best ? t("the strong network's best: {move}.", { move: best.name }) : t("the strong network's best.")} {t("Play a move to go on.")}
        </p>
      </div>
      <div class="insight-panel">
        {head}
        {instead}
        {!instead && wide && (
          <div class="card">
            <h2>{insight.rating_word === "rank" ? t("What would they play, by rank?") : t("What would they play, by rating?")}</h2>
            <Curves insight={insight} moves={insight.moves.slice(0, CURVES)} column={column} onColumn={setColumn} />
            <Slider title={insight.rating_word === "rank" ? t("Rank") : t("Rating")} value={column} shown={rank(rating)} from={0} to={insight.ratings.length - 1} step={1} onChange={setColumn} />
          </div>
        )}
        {!instead && <div class="card">
          <Facts game={game} insight={insight} column={column} people={people} />
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
                      {move.name}
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
            title={t("Strong half (alpha)")}
            value={alpha}
            shown={`${Math.round(100 * alpha)} %`}
            from={0}
            to={1}
            step={0.05}
            note={t("How the choice moves when the strong network is mixed in: people to the power 1 − alpha, times strong to the power alpha.")}
            onChange={setAlpha}
          />
        </div>}
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

function InsightBoard({ game, insight, onMove, people, best }: { game: string; insight: PositionInsight; onMove: (move: string) => void; people: string | undefined; best: string | undefined }) {
  const common = { bottom: 0, you: insight.turn, legal: insight.moves, last: insight.last ?? null };
  if (game === "chess")
    return (
      <ChessBoard
        {...common}
        fen={insight.position}
        turn={insight.turn}
        onMove={(moves) => moves[0] && onMove(moves.find((each) => each.endsWith("q")) ?? moves[0])}
        arrows={[...(best ? [{ text: best, brush: "best" }] : []), ...(people ? [{ text: people, brush: "people" }] : [])]}
      />
    );
  if (game === "shogi") return <ShogiBoard {...common} sfen={insight.position} marks={best ? [{ text: best, brush: "best" }] : []} onMove={onMove} />;
  const marks = new Map<string, string>();
  if (people) marks.set(people, "people");
  if (best) marks.set(best, "best");
  const points = new Set(insight.moves.map((each) => each.text));
  return <GridBoard board={insight.board} bottom={0} label={t("Position. Arrow keys move, Enter plays.")} marks={marks} playable={{ points, owner: insight.turn }} onSquare={(point) => points.has(point) && onMove(point)} />;
}
