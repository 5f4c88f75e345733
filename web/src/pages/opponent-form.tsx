import { useId } from "preact/hooks";
import type { GameOffer, OpponentChoice } from "../api";

export type Choice = Partial<OpponentChoice>;

/** The default opponent of a game. */
export function defaultChoice(offer: GameOffer): Choice {
  switch (offer.default_kind) {
    case "level":
      return { kind: "level", level: offer.levels!.default };
    case "human":
      return { kind: "human", ...(offer.ratings ? { rating: offer.ratings.default } : {}) };
    case "bot":
      return { kind: "bot", bot: offer.default_bot! };
    default:
      return { kind: "strength", strength: offer.default_strength };
  }
}

const STYLES: [string, number | undefined, string][] = [
  ["Most human-like", undefined, "the measured blend"],
  ["Human only", 0, "100 % human"],
  ["A little sharper", 0.25, "75 % human, 25 % strong"],
  ["Half and half", 0.5, "50 % human, 50 % strong"],
  ["Sharp", 0.75, "25 % human, 75 % strong"],
];

const KINDS: Record<string, string> = {
  level: "A level",
  human: "People of a rating",
  strength: "A search player",
  bot: "A bot",
};

/** Chooses an opponent: a dial in the game's own measure, and its style. */
export function OpponentForm(props: { offer: GameOffer; choice: Choice; onChange: (choice: Choice) => void; legend: string }) {
  const { offer, choice, onChange } = props;
  const kinds = [
    offer.levels && "level",
    offer.has_human && "human",
    offer.bots.length > 0 && "bot",
    !offer.hidden && "strength",
  ].filter((kind): kind is string => Boolean(kind));
  return (
    <fieldset>
      <legend>{props.legend}</legend>
      {kinds.length > 1 && (
        <div class="choices" role="radiogroup" aria-label="Kind of opponent">
          {kinds.map((kind) => (
            <label key={kind} class="choice">
              <input
                type="radio"
                name={`kind-${props.legend}`}
                checked={choice.kind === kind}
                onChange={() => onChange(defaultChoice({ ...offer, default_kind: kind }))}
              />
              <span>{KINDS[kind]}</span>
            </label>
          ))}
        </div>
      )}
      <Dial {...props} />
      {(choice.kind === "level" || choice.kind === "human") && (
        <label class="row">
          <span>Style</span>
          <select
            value={String(choice.style ?? "")}
            onChange={({ currentTarget: { value } }) => {
              const { style: _, ...rest } = choice;
              onChange(value === "" ? rest : { ...rest, style: Number(value) });
            }}
          >
            {STYLES.map(([title, share, about]) => (
              <option key={title} value={share ?? ""}>
                {title} ({about})
              </option>
            ))}
          </select>
        </label>
      )}
    </fieldset>
  );
}

function Dial({ offer, choice, onChange }: { offer: GameOffer; choice: Choice; onChange: (choice: Choice) => void }) {
  if (choice.kind === "level" && offer.levels) {
    const level = choice.level ?? offer.levels.default;
    return (
      <Slider
        title="Level"
        value={level}
        shown={String(level)}
        from={offer.levels.lowest}
        to={offer.levels.highest}
        step={50}
        note={measuredNote(offer, level)}
        onChange={(value) => onChange({ ...choice, level: value })}
      />
    );
  }
  if (choice.kind === "human" && offer.ratings) {
    const values = offer.ratings.values;
    const at = Math.max(0, values.findIndex((each) => String(each) === String(choice.rating)));
    return (
      <Slider
        title={offer.ratings.word === "rank" ? "Rank" : "Rating"}
        value={at}
        shown={String(values[at])}
        from={0}
        to={values.length - 1}
        step={1}
        note={`Plays in the style of people of ${values[at]}.`}
        onChange={(index) => onChange({ ...choice, rating: values[index]! })}
      />
    );
  }
  if (choice.kind === "strength") {
    return (
      <Slider
        title="Strength"
        value={choice.strength ?? offer.default_strength}
        shown={`${choice.strength} of ${offer.strengths.length}`}
        from={offer.strengths[0]!}
        to={offer.strengths.at(-1)!}
        step={1}
        note="Each step searches about three times as long."
        onChange={(strength) => onChange({ ...choice, strength })}
      />
    );
  }
  if (choice.kind === "bot") {
    return (
      <label class="row">
        <span>Bot</span>
        <select value={choice.bot ?? ""} onChange={({ currentTarget: { value } }) => onChange({ ...choice, bot: value })}>
          {offer.bots.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
    );
  }
  return <p class="note">Plays in the style of people.</p>;
}

function measuredNote(offer: GameOffer, level: number): string {
  const measured = offer.levels!.measured.filter((each) => each.measured != null);
  if (measured.length === 0) return "Not measured yet.";
  const nearest = measured.reduce((best, each) => (Math.abs(each.level - level) < Math.abs(best.level - level) ? each : best));
  const [low, high] = nearest.interval ?? [nearest.measured!, nearest.measured!];
  const where = nearest.level === level ? "Measured" : `Level ${nearest.level} was measured`;
  const family = offer.levels!.family ? ` against ${offer.levels!.family}` : "";
  return `${where} at ${Math.round(nearest.measured!)} (${Math.round(low)} to ${Math.round(high)})${family}.`;
}

export function Slider(props: {
  title: string;
  value: number;
  shown: string;
  from: number;
  to: number;
  step: number;
  note?: string;
  onChange: (value: number) => void;
}) {
  const id = useId();
  return (
    <div class="dial">
      <label for={id}>{props.title}</label>
      <output for={id}>{props.shown}</output>
      <input
        id={id}
        type="range"
        min={props.from}
        max={props.to}
        step={props.step}
        value={props.value}
        aria-valuetext={props.shown}
        onInput={({ currentTarget: { valueAsNumber } }) => props.onChange(valueAsNumber)}
      />
      {props.note && <p class="note">{props.note}</p>}
    </div>
  );
}
