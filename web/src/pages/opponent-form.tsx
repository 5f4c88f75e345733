import { useEffect, useId, useState } from "preact/hooks";
import { api, type GameOffer, type OpponentChoice, type StrengthView } from "../api";
import { NumberHelp } from "../help";
import { ownRating } from "../settings";
import { counted, formatted, known, percent, rank, say, t, word } from "../text";

export type Choice = Partial<OpponentChoice>;
type Change = {
  offer: GameOffer;
  choice: Choice;
  onChange: (choice: Choice) => void;
  /** The board on which levels were measured, if it is another one than that of the game. */
  measured?: string | null;
};

/** The opponent of a kind, with the defaults of the game. */
export function defaultChoice(offer: GameOffer, kind: string = offer.default_kind): Choice {
  switch (kind) {
    case "level":
      return { kind: "level", level: ownLevel(offer) ?? offer.levels!.default };
    case "adapt":
      return { kind: "level", adapt: true };
    case "human":
      return { kind: "human", ...(offer.ratings ? { rating: offer.ratings.default } : {}) };
    case "person":
      return { kind: "person", person: offer.persons[0]!.name };
    case "bot":
      return botChoice(offer, offer.default_bot!);
    default:
      return { kind: "strength", strength: offer.default_strength };
  }
}

/** The level of the person's own rating, where levels are on people's scale and the rating is known. */
export function ownLevel({ name, levels }: GameOffer): number | null {
  const own = ownRating(name);
  if (own === null || levels?.scale !== "people") return null;
  const steps = levels.estimates.map((step) => step.level);
  if (Object.keys(levels.names).length > 0) return steps.find((level) => levels.names[String(level)] === own) ?? null;
  return steps.reduce((best, level) => (Math.abs(level - Number(own)) < Math.abs(best - Number(own)) ? level : best));
}

/** A bot with its usual time for a turn. */
function botChoice(offer: GameOffer, name: string): Choice {
  const seconds = offer.bots.find((bot) => bot.name === name)?.default_budget;
  return { kind: "bot", bot: name, ...(seconds == null ? {} : { seconds }) };
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
      {!props.compact && (choice.kind === "level" || choice.kind === "human" || choice.kind === "bot") && <NumberHelp />}
      {!props.compact && choice.kind === "human" && offer.can_make_persons === null && <a class="note make-person" href="#/person">{t("Make a person of games")}</a>}
      {!props.compact && (choice.kind === "level" || choice.kind === "human") && <OpeningStyle {...props} />}
      {!props.compact && (choice.kind === "level" || choice.kind === "human") && <Style {...props} />}
    </fieldset>
  );
}

/** The style of the opening, in games that have some. */
function OpeningStyle({ offer, choice, onChange }: Change) {
  if (offer.opening_styles.length === 0) return null;
  return (
    <label class="row">
      <span>{t("Opening style")}</span>
      <select
        value={choice.opening_style ?? ""}
        onChange={({ currentTarget: { value } }) => {
          const { opening_style: _, ...rest } = choice;
          onChange(value === "" ? rest : { ...rest, opening_style: value });
        }}
      >
        <option value="">{t("Any")}</option>
        {offer.opening_styles.map(({ value, title }) => (
          <option key={String(value)} value={String(value)}>
            {say(title)}
          </option>
        ))}
      </select>
    </label>
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
        <span class="note">{at <= 0 && choice.kind === "level" ? t("the level's own mixture of both networks") : t(STYLES[Math.max(0, at)]![2])}</span>
      </span>
    </label>
  );
}

/** A sentence if the network knows no people as weak as a rating; else nothing. */
export function weakerThanKnown(offer: GameOffer | undefined, rating: number | string): string {
  const { values = [], weakest } = offer?.ratings ?? {};
  if (weakest == null || values.indexOf(rating) >= values.indexOf(weakest)) return "";
  return t("Learned from people of {weakest} and stronger: a lower rank hardly plays weaker.", { weakest: rank(weakest) });
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
        note={
          props.measured
            ? t("Learned from games on {board}.", { board: props.measured })
            : weakerThanKnown(offer, values[at]!) || t("Plays as people of {rating} do, move by move.", { rating: rank(values[at]!) })
        }
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
      >
        <SlowNote seconds={offer.strength_seconds?.[offer.strengths.indexOf(choice.strength ?? offer.default_strength)]} />
      </Slider>
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
          <a href="#/person">{t("Make a person of games")}</a>
        </span>
      </label>
    );
  }
  if (choice.kind === "bot")
    return <BotDial {...props} />;
  return <p class="note">{t("Plays as people do, move by move.")}</p>;
}

/** The bots, the weakest first, each with its line and its measured rating; the time of one that has a budget. */
function BotDial({ offer, choice, onChange }: Change) {
  const group = useId();
  const chosen = offer.bots.find((bot) => bot.name === choice.bot);
  return (
    <>
      <p class="note">{t("The weakest first, by measured strength.")}</p>
      <div class="bots" role="radiogroup" aria-label={t("Bot")}>
        {offer.bots.map((bot) => (
          <label key={bot.name} class="bot">
            <input type="radio" name={group} aria-label={bot.name} checked={bot === chosen} onChange={() => onChange(botChoice(offer, bot.name))} />
            <strong>{bot.name}</strong>
            <span class="number">{whole(ratingWith(bot, bot.default_budget)?.rating)}</span>
            <span class="note">{say(bot.about)}</span>
          </label>
        ))}
      </div>
      {chosen && chosen.budgets.length > 0 && (
        <div class="row">
          <span>{t("Thinks for")}</span>
          <div class="choices" role="radiogroup" aria-label={t("Thinks for")}>
            {chosen.budgets.map((seconds) => (
              <label key={seconds} class="choice">
                <input type="radio" name={`${group}-seconds`} checked={(choice.seconds ?? chosen.default_budget) === seconds} onChange={() => onChange({ ...choice, seconds })} />
                <span>{t("{seconds} s a turn", { seconds })}</span>
              </label>
            ))}
          </div>
        </div>
      )}
      {chosen && <BotStrength offer={offer} bot={chosen} seconds={chosen.budgets.length > 0 ? choice.seconds ?? chosen.default_budget : null} />}
    </>
  );
}

type Bot = GameOffer["bots"][number];
type BotRating = Bot["ratings"][number];

const ratingWith = (bot: Bot, seconds: number | null): BotRating | undefined => bot.ratings.find((row) => row.seconds === seconds);
const intervalOf = ({ interval, rating }: BotRating) => interval ?? [rating, rating];

function overlap(one: BotRating, other: BotRating): boolean {
  const [low, high] = intervalOf(one);
  const [otherLow, otherHigh] = intervalOf(other);
  return low <= otherHigh && otherLow <= high;
}

/** The measured rating of a bot with a time budget, and what it may be as strong as. */
function BotStrength({ offer, bot, seconds }: { offer: GameOffer; bot: Bot; seconds: number | null }) {
  const chosen = ratingWith(bot, seconds);
  if (!chosen) return <p class="note">{seconds === null ? t("Its strength was not measured.") : t("With {seconds} s a turn it was not measured.", { seconds })}</p>;
  const facts = { rating: whole(chosen.rating), low: whole(chosen.interval?.[0]), high: whole(chosen.interval?.[1]), games: chosen.games, seconds: seconds ?? 0 };
  const alike = offer.bots.filter((other) => other !== bot && other.ratings.some((row) => row.seconds === other.default_budget && overlap(row, chosen))).map((other) => other.name);
  const times = bot.ratings.filter((row) => row !== chosen && overlap(row, chosen));
  return (
    <p class="note">
      {!chosen.interval
        ? t("The scale rests on it: it has {rating} by definition.", facts)
        : seconds === null
          ? t("Measured: {rating} ({low} to {high}) in {games} games between the bots.", facts)
          : t("Measured with {seconds} s a turn: {rating} ({low} to {high}) in {games} games between the bots.", facts)}
      {alike.length > 0 && ` ${t("The intervals of {bots} overlap: which of them is stronger is not certain.", { bots: [bot.name, ...alike].join(", ") })}`}
      {times.length > 0 && ` ${t("Nor is it certain that more time makes it stronger.")}`}
    </p>
  );
}

const whole = (rating: number | null | undefined) => (rating == null ? "" : String(Math.round(rating)));

/** Seconds of a move that are announced before the game. */
const SLOW = 3;

function SlowNote({ seconds }: { seconds: number | null | undefined }) {
  if (seconds == null || seconds <= SLOW) return null;
  return <p class="note slow">{t("On this machine it thinks for about {seconds} s a move.", { seconds: Math.round(seconds) })}</p>;
}

/** The level, and how strong it is: a band on the same scale as the dial. */
function LevelDial({ offer, choice, onChange, measured }: Change) {
  const levels = offer.levels!;
  const level = choice.level ?? levels.default;
  const steps = levels.estimates.map((step) => step.level);
  const named = Object.keys(levels.names).length > 0; // there is no rank 0 between 1k and 1d
  const shown = (value: number) => levelName(levels, value);
  const estimate = levels.estimates.find((each) => each.level === level);
  const [low, high] = estimate?.interval ?? [0, 0];
  const games = levels.measured.find((each) => each.level === level)?.games ?? 0;
  const place = (value: number) => `${Math.min(100, Math.max(0, (100 * (value - levels.lowest)) / (levels.highest - levels.lowest)))}%`;
  const family = levels.family.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase());
  const facts = { rating: shown(estimate?.rating ?? level), low: shown(low), high: shown(high), games, family };
  return (
    <Slider
      title={t("Level")}
      value={named ? steps.indexOf(level) : level}
      shown={shown(level)}
      from={named ? 0 : levels.lowest}
      to={named ? steps.length - 1 : levels.highest}
      step={levels.step}
      note={
        measured
          ? t("Measured on {board} only.", { board: measured })
          : levels.scale === "people"
          ? `${peopleNote(levels, level)} ${estimate?.loss ? t("The judge of these numbers is not the search of a review, which counts otherwise.") : ""}`
          : estimate?.rating == null
          ? t("Not measured yet: the level is what was asked of it.")
          : estimate.measured
            ? t("Measured: {rating} ({low} to {high}) in {games} games on the scale of {family}.", facts)
            : t("Between two measured levels: {rating} ({low} to {high}) on the scale of {family}.", facts)
      }
      onChange={(value) => onChange({ ...choice, level: named ? steps[value]! : value })}
    >
      {estimate?.rating != null && !measured && (
        <div class="measured" aria-hidden="true">
          <span class="band" style={{ left: place(low), right: `calc(100% - ${place(high)})` }} />
          <span class="mark" style={{ left: place(estimate.rating) }} />
        </div>
      )}
      <SlowNote seconds={estimate?.seconds} />
    </Slider>
  );
}

/** A level as people write it: a number, a rank, or a name in words. */
const levelName = (levels: NonNullable<GameOffer["levels"]>, level: number) => known(levels.names?.[String(level)] ?? whole(level));

/** How near a level is to people of its rating, as far as that was measured. */
function peopleNote(levels: NonNullable<GameOffer["levels"]>, level: number): string {
  const family = known(levels.family);
  const steps = levels.estimates.filter((step) => step.measured).map((step) => step.level);
  const { loss, measured } = levels.estimates.find((step) => step.level === level) ?? {};
  if (!loss) return t("Not measured: continues the trend of the levels {low} to {high}, which err as people of their rating do ({family}).", { low: levelName(levels, steps[0]!), high: levelName(levels, steps.at(-1)!), family });
  const amount = levels.unit === "points" ? (value: number) => formatted(Math.round(10 * value) / 10) : percent;
  const facts = { level: levelName(levels, level), family, loss: amount(loss.level), people: amount(loss.people), low: amount(loss.interval[0]), high: amount(loss.interval[1]) };
  if (levels.unit === "points")
    return t("Errs about as people of {level} do ({family}): measured in games against itself, it loses {loss} points a move; such people {people} ({low} to {high}).", facts);
  if (Object.keys(levels.names).length > 0)
    return t("Errs about as people do on {level} ({family}): measured in games against itself, it gives away {loss} of a win a move; on such a day people {people} ({low} to {high}).", facts);
  if (measured) return t("Errs about as people of {level} do ({family}): measured in games against itself, it gives away {loss} of a win a move; such people {people} ({low} to {high}).", facts);
  return t("Errs about as people of {level} do ({family}). It lies between two levels that were measured: by them it gives away {loss} of a win a move; such people give away {people} ({low} to {high}).", facts);
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
