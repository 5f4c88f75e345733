import { useEffect, useId, useState } from "preact/hooks";
import { api, type GameOffer, type OpponentChoice, type StrengthView } from "../api";
import { counted, rank, say, t, word } from "../text";

export type Choice = Partial<OpponentChoice>;
type Change = { offer: GameOffer; choice: Choice; onChange: (choice: Choice) => void };

/** The opponent of a kind, with the defaults of the game. */
export function defaultChoice(offer: GameOffer, kind: string = offer.default_kind): Choice {
  switch (kind) {
    case "level":
      return { kind: "level", level: offer.levels!.default };
    case "adapt":
      return { kind: "level", adapt: true };
    case "human":
      return { kind: "human", ...(offer.ratings ? { rating: offer.ratings.default } : {}) };
    case "person":
      return { kind: "person", person: offer.persons[0]!.name };
    case "bot":
      return { kind: "bot", bot: offer.default_bot! };
    default:
      return { kind: "strength", strength: offer.default_strength };
  }
}

const STYLES: [string, number | undefined, string][] = [
  [word("As people play"), undefined, word("the blend that was fitted to people's moves")],
  [word("Human only"), 0, word("all of the human network")],
  [word("A little sharper"), 0.25, word("75 % human, 25 % strong network")],
  [word("Half and half"), 0.5, word("50 % human, 50 % strong network")],
  [word("Sharp"), 0.75, word("25 % human, 75 % strong network")],
];

const KINDS: Record<string, string> = {
  level: word("A level"),
  adapt: word("Your level"),
  human: word("People of a rating"),
  person: word("A person"),
  strength: word("A search player"),
  bot: word("A bot"),
};

/** Chooses an opponent: a dial in the game's own measure, and its style. */
export function OpponentForm(props: Change & { legend: string; adapts?: boolean; compact?: boolean }) {
  const { offer, choice, onChange } = props;
  const kinds = [
    offer.levels && "level",
    props.adapts && offer.adapts && "adapt",
    offer.has_human && "human",
    offer.persons.length > 0 && "person",
    offer.bots.length > 0 && "bot",
    !offer.hidden && "strength",
  ].filter((kind): kind is string => Boolean(kind));
  const chosen = choice.adapt ? "adapt" : (choice.kind ?? "");
  const title = (kind: string) => (kind !== "human" ? t(KINDS[kind]!) : offer.ratings?.word.text === "rank" ? t("People of a rank") : offer.ratings ? t(KINDS.human!) : t("People"));
  return (
    <fieldset>
      <legend>{props.legend}</legend>
      {kinds.length > 1 && props.compact && (
        <select aria-label={t("Kind of opponent: {legend}", { legend: props.legend })} value={chosen} onChange={({ currentTarget: { value } }) => onChange(defaultChoice(offer, value))}>
          {kinds.map((kind) => (
            <option key={kind} value={kind}>
              {title(kind)}
            </option>
          ))}
        </select>
      )}
      {kinds.length > 1 && !props.compact && (
        <div class="choices" role="radiogroup" aria-label={t("Kind of opponent")}>
          {kinds.map((kind) => (
            <label key={kind} class="choice">
              <input type="radio" name={`kind-${props.legend}`} checked={chosen === kind} onChange={() => onChange(defaultChoice(offer, kind))} />
              <span>{title(kind)}</span>
            </label>
          ))}
        </div>
      )}
      <Dial {...props} />
      {!props.compact && (choice.kind === "level" || choice.kind === "human") && <Style {...props} />}
    </fieldset>
  );
}

function Style({ choice, onChange }: Change) {
  const at = STYLES.findIndex(([, share]) => share === (choice.style ?? undefined));
  return (
    <label class="row">
      <span>{t("Style")}</span>
      <span>
        <select
          value={String(choice.style ?? "")}
          onChange={({ currentTarget: { value } }) => {
            const { style: _, ...rest } = choice;
            onChange(value === "" ? rest : { ...rest, style: Number(value) });
          }}
        >
          {STYLES.map(([title, share]) => (
            <option key={title} value={share ?? ""}>
              {t(title)}
            </option>
          ))}
        </select>
        <span class="note">{t(STYLES[Math.max(0, at)]![2])}</span>
      </span>
    </label>
  );
}

function Dial(props: Change) {
  const { offer, choice, onChange } = props;
  if (choice.adapt) return <YourLevel offer={offer} />;
  if (choice.kind === "level" && offer.levels) return <LevelDial {...props} />;
  if (choice.kind === "human" && offer.ratings) {
    const values = offer.ratings.values;
    const at = Math.max(0, values.findIndex((each) => String(each) === String(choice.rating)));
    return (
      <Slider
        title={offer.ratings.word.text === "rank" ? t("Rank") : t("Rating")}
        value={at}
        shown={rank(values[at]!)}
        from={0}
        to={values.length - 1}
        step={1}
        note={t("Plays as people of {rating} do, move by move.", { rating: rank(values[at]!) })}
        onChange={(index) => onChange({ ...choice, rating: values[index]! })}
      />
    );
  }
  if (choice.kind === "strength")
    return (
      <Slider
        title={t("Strength")}
        value={choice.strength ?? offer.default_strength}
        shown={t("{number} of {total}", { number: choice.strength ?? offer.default_strength, total: offer.strengths.length })}
        from={offer.strengths[0]!}
        to={offer.strengths.at(-1)!}
        step={1}
        note={t("Each step searches about three times as long.")}
        onChange={(strength) => onChange({ ...choice, strength })}
      />
    );
  if (choice.kind === "person") {
    const person = offer.persons.find((each) => each.name === choice.person);
    return (
      <label class="row">
        <span>{t("Person")}</span>
        <span>
          <select value={choice.person ?? ""} onChange={({ currentTarget: { value } }) => onChange({ ...choice, person: value })}>
            {offer.persons.map((each) => (
              <option key={each.name} value={each.name}>
                {each.title}
              </option>
            ))}
          </select>
          {person?.about.text && <span class="note">{say(person.about)}</span>}
        </span>
      </label>
    );
  }
  if (choice.kind === "bot")
    return (
      <label class="row">
        <span>{t("Bot")}</span>
        <select value={choice.bot ?? ""} onChange={({ currentTarget: { value } }) => onChange({ ...choice, bot: value })}>
          {offer.bots.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
    );
  return <p class="note">{t("Plays as people do, move by move.")}</p>;
}

/** The level, and what was measured at it: a band on the same scale as the dial. */
function LevelDial({ offer, choice, onChange }: Change) {
  const levels = offer.levels!;
  const level = choice.level ?? levels.default;
  const shown = (value: number) => rank(levels.names?.[String(value)] ?? Math.round(value));
  const measured = levels.measured.filter((each) => each.measured != null);
  const nearest = measured.reduce<(typeof measured)[number] | null>((best, each) => (best && Math.abs(best.level - level) <= Math.abs(each.level - level) ? best : each), null);
  const [low, high] = nearest?.interval ?? [nearest?.measured ?? 0, nearest?.measured ?? 0];
  const place = (value: number) => `${Math.min(100, Math.max(0, (100 * (value - levels.lowest)) / (levels.highest - levels.lowest)))}%`;
  const family = levels.family.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase());
  const facts = nearest && {
    level: shown(nearest.level),
    rating: shown(nearest.measured!),
    low: shown(low),
    high: shown(high),
    games: nearest.games ?? 0,
    family,
  };
  return (
    <Slider
      title={t("Level")}
      value={level}
      shown={shown(level)}
      from={levels.lowest}
      to={levels.highest}
      step={levels.step ?? 50}
      note={facts ? t(nearest!.level === level ? "Measured: {rating} ({low} to {high}) in {games} games on the scale of {family}." : "Nearest measured level, {level}: {rating} ({low} to {high}) in {games} games on the scale of {family}.", facts) : t("Not measured yet: the level is what was asked of it.")}
      onChange={(value) => onChange({ ...choice, level: value })}
    >
      {nearest && (
        <div class="measured" aria-hidden="true">
          <span class="band" style={{ left: place(low), right: `calc(100% - ${place(high)})` }} />
          <span class="mark" style={{ left: place(nearest.measured!) }} />
        </div>
      )}
    </Slider>
  );
}

/** The visitor's estimated strength: the next game is played at it. */
function YourLevel({ offer }: { offer: GameOffer }) {
  const [found, setFound] = useState<StrengthView | null>(null);
  useEffect(() => void api.adaptive(offer.name).then(setFound, () => undefined), [offer.name]);
  return (
    <div class="dial">
      <span>{t("Follows your results")}</span>
      <output>{found ? Math.round(found.rating) : "…"}</output>
      <p class="note">
        {found && found.games > 0
          ? counted(found.games, "Your strength after {count} game: {rating} ({low} to {high}).", "Your strength after {count} games: {rating} ({low} to {high}).", {
              rating: String(Math.round(found.rating)),
              low: String(Math.round(found.interval[0])),
              high: String(Math.round(found.interval[1])),
            })
          : t("Begins in the middle and moves to your level, game by game.")}
      </p>
    </div>
  );
}

export function Slider(props: {
  title: string;
  value: number;
  shown: string;
  from: number;
  to: number;
  step: number;
  note?: string;
  children?: preact.ComponentChildren;
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
      {props.children}
      {props.note && <p class="note">{props.note}</p>}
    </div>
  );
}
