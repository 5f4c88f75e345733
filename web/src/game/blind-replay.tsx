import { useEffect, useState } from "preact/hooks";
import { api, type BeliefStep, type BeliefView, type GameView } from "../api";
import { ChessBoard } from "../boards/chess-board";
import { piecesFen, squareName } from "../boards/coordinates";
import { graphWidth } from "../graphs";
import { Steps } from "./move-list";
import { counted, known, phrase, say, t } from "../text";

/** A finished game of blind chess, step by step: the truth, what each side could know, and how many boards were possible. */
export function BlindReplay({ view, at: wanted, onStep }: { view: GameView; at: number; onStep: (ply: number) => void }) {
  const [steps, setSteps] = useState<BeliefStep[]>([]);
  const [total, setTotal] = useState(0);
  const [error, setError] = useState("");
  useEffect(() => {
    let over = false;
    const load = async () => {
      let found: BeliefStep[] = [];
      for (;;) {
        const next = await api.replay(view.id, found.length);
        if (over) return;
        found = [...found, ...next.steps];
        setSteps(found);
        setTotal(next.total);
        if (next.done) return;
        await new Promise((resolve) => setTimeout(resolve, 300));
      }
    };
    load().catch((refusal: Error) => setError(refusal.message));
    return () => void (over = true);
  }, [view.id]);
  const at = Math.min(wanted, steps.length - 1);
  const step = steps[at];
  if (error) return <p class="alert">{error}</p>;
  if (!step)
    return (
      <p class="loading" role="status">
        {t("What each side could know is being computed…")}
      </p>
    );
  const bottom = view.you ?? 0;
  return (
    <section class="replay page" id="replay" aria-label={t("Replay")}>
      <div class="replay-head">
        <h2>{t("Who knew what?")}</h2>
        <p class="note" aria-live="polite">
          {stepText(view, step)}
          {steps.length < total && ` ${t("({done} of {total} steps computed)", { done: steps.length, total })}`}
        </p>
      </div>
      <div class="replay-boards">
        <figure>
          <ChessBoard picture fen={step.position} bottom={bottom} last={step.text} />
          <figcaption>
            <strong>{t("The truth")}</strong>
          </figcaption>
        </figure>
        {([0, 1] as const).map((side) => (
          <figure key={side}>
            <BeliefBoard belief={step.sides[side]} side={side} bottom={bottom} />
            <figcaption>
              {phrase("{side} ({player}):", { side: <strong>{known(view.sides[side])}</strong>, player: say(view.players[side]!.name) })} {boards(step.sides[side])}
            </figcaption>
          </figure>
        ))}
      </div>
      <div class="card replay-graph">
        <SizeGraph steps={steps} total={Math.max(total, 2)} at={at} sides={view.sides} onStep={onStep} />
        <Steps at={at} end={steps.length - 1} onStep={onStep}>
          <label class="step-slider">
            <span class="hidden-text">{t("Step")}</span>
            <input type="range" min={0} max={Math.max(1, steps.length - 1)} value={at} aria-valuetext={stepText(view, step)} onInput={({ currentTarget: { valueAsNumber } }) => onStep(valueAsNumber)} />
          </label>
        </Steps>
      </div>
    </section>
  );
}

function boards({ possible, exact }: BeliefView): string {
  if (!exact) return t("{count} or more possible boards", { count: possible });
  return counted(possible, "{count} possible board", "{count} possible boards");
}

function stepText(view: GameView, step: BeliefStep): string {
  if (step.text == null) return t("Before the first move.");
  const who = known(view.sides[step.player ?? 0]!);
  return `${step.ply}. ${who}: ${step.name}.${step.note ? ` ${say(step.note)}` : ""}`;
}

/** The likeliest piece of each square: certain ones whole, others as ghosts, fog where much is open. */
export function BeliefBoard({ belief, side, bottom }: { belief: BeliefView; side: number; bottom: number }) {
  const certain = belief.pieces.map((piece, square) => (belief.shares[square]! > 0.995 ? piece : ""));
  const guesses = belief.pieces.flatMap((piece, square) => {
    const share = belief.shares[square]!;
    return piece && share <= 0.995 && share >= 0.1 ? [{ square: squareName(square), piece, share }] : [];
  });
  const marks = new Map(guesses.map(({ square }) => [square, "unknown"]));
  return <ChessBoard key={side} picture fen={piecesFen(certain)} bottom={bottom} marks={marks} guesses={guesses} />;
}

/** The number of possible boards of both sides over the game, on a logarithmic scale. */
function SizeGraph(props: { steps: BeliefStep[]; total: number; at: number; sides: readonly string[]; onStep: (at: number) => void }) {
  const { steps, total, at, sides, onStep } = props;
  const width = graphWidth(1000) - 44;
  const top = Math.max(1, ...steps.flatMap((step) => step.sides.map((side) => Math.log10(Math.max(1, side.possible)))));
  const x = (index: number) => 34 + (index / (total - 1)) * width;
  const y = (size: number) => 124 - (Math.log10(Math.max(1, size)) / top) * 110;
  return (
    <svg
      class="size-graph"
      viewBox={`0 0 ${width + 44} 140`}
      role="img"
      aria-label={t("Number of possible boards of both sides over the game")}
      onClick={(event) => {
        const box = event.currentTarget.getBoundingClientRect();
        const where = ((event.clientX - box.left) / box.width) * (width + 44);
        onStep(Math.min(steps.length - 1, Math.max(0, Math.round(((where - 34) / width) * (total - 1)))));
      }}
    >
      {Array.from({ length: Math.floor(top) + 1 }, (_, power) => (
        <g key={power}>
          <line class="grid" x1="34" x2={width + 34} y1={y(10 ** power)} y2={y(10 ** power)} />
          <text class="tick" x="29" y={y(10 ** power) + 3.5}>
            {shortNumber(10 ** power)}
          </text>
        </g>
      ))}
      {([0, 1] as const).map((side) => (
        <polyline key={side} class={`side-${side}`} points={steps.map((step, index) => `${x(index)},${y(step.sides[side].possible)}`).join(" ")} />
      ))}
      <line class="cursor" x1={x(at)} x2={x(at)} y1="8" y2="126" />
      <text class="key side-0" x="40" y="137">
        {known(sides[0]!)}
      </text>
      <text class="key side-1" x="100" y="137">
        {known(sides[1]!)}
      </text>
    </svg>
  );
}

const shortNumber = (value: number) => (value >= 1e6 ? `${value / 1e6}M` : value >= 1e3 ? `${value / 1e3}k` : String(value));
