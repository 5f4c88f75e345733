import type { MoveCurve, PositionInsight } from "../api";
import { graphWidth } from "../graphs";
import { percent, rank, t } from "../text";

const LEFT = 42;
const TOP = 12;
const BOTTOM = 170;

/** The probability of each move as a curve over ratings. A tap on the graph chooses a rating. */
export function Curves(props: { insight: PositionInsight; moves: MoveCurve[]; column: number; onColumn: (column: number) => void }) {
  const { insight, moves, column, onColumn } = props;
  const width = graphWidth(640);
  const right = width - 70;
  const sparse = width < 500 ? 4 : 2;
  const count = insight.ratings.length;
  const highest = Math.max(0.1, ...moves.flatMap((each) => each.human));
  const x = (index: number) => LEFT + (index / (count - 1)) * (right - LEFT);
  const y = (share: number) => BOTTOM - (share / highest) * (BOTTOM - TOP);
  const labels = labelHeights(moves, y);
  return (
    <svg
      class="curves"
      viewBox={`0 0 ${width} 194`}
      role="img"
      aria-label={t("At {rating}: {moves}", { rating: rank(insight.ratings[column]!), moves: moves.map((move) => `${move.name} ${percent(move.human[column]!)}`).join(", ") })}
      onClick={(event) => {
        const box = event.currentTarget.getBoundingClientRect();
        const where = ((event.clientX - box.left) / box.width) * width;
        onColumn(Math.min(count - 1, Math.max(0, Math.round(((where - LEFT) / (right - LEFT)) * (count - 1)))));
      }}
    >
      {[0, 0.5, 1].map((share) => (
        <g key={share}>
          <line class="grid" x1={LEFT} x2={right} y1={y(share * highest)} y2={y(share * highest)} />
          <text x={LEFT - 6} y={y(share * highest) + 4} class="tick end">
            {Math.round(100 * share * highest)} %
          </text>
        </g>
      ))}
      <line class="cursor" x1={x(column)} y1={TOP - 6} x2={x(column)} y2={BOTTOM} />
      {insight.ratings.map((rating, index) => index % sparse === 0 && (
        <text key={rating} x={x(index)} y="188" class="tick middle">
          {rank(rating)}
        </text>
      ))}
      {moves.map((move, index) => (
        <g key={move.text} class={`curve c${index}`}>
          <polyline points={move.human.map((share, i) => `${x(i)},${y(share)}`).join(" ")} />
          <circle cx={x(column)} cy={y(move.human[column]!)} r="3.5" />
          <text x={right + 8} y={labels[index]! + 4}>
            {move.name}
          </text>
        </g>
      ))}
    </svg>
  );
}

/** Heights of the names at the right end, a line apart. */
function labelHeights(moves: MoveCurve[], y: (share: number) => number): number[] {
  const ends = moves.map((move, index) => ({ index, at: y(move.human.at(-1)!) })).sort((one, other) => one.at - other.at);
  for (let k = 1; k < ends.length; k++) ends[k]!.at = Math.max(ends[k]!.at, ends[k - 1]!.at + 15);
  const over = (ends.at(-1)?.at ?? 0) - BOTTOM;
  if (over > 0) {
    ends.at(-1)!.at = BOTTOM;
    for (let k = ends.length - 2; k >= 0; k--) ends[k]!.at = Math.min(ends[k]!.at, ends[k + 1]!.at - 15);
  }
  const heights = Array<number>(moves.length).fill(0);
  for (const { index, at } of ends) heights[index] = at;
  return heights;
}
