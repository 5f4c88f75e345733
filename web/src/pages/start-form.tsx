import { useState } from "preact/hooks";
import type { GameOffer } from "../api";
import { typedMove } from "../boards/move-names";
import { offers } from "../offers";
import { Paste, type Pasted } from "../paste";
import type { Wanted } from "../requests";
import { known, say, t } from "../text";

/** How a game begins: options of the rules, handicap, opening, a position or a saved game. */
export interface Start {
  /** Options of the rules, where they are not the usual ones. */
  options: Record<string, string | number | boolean>;
  handicap: string;
  opening: string;
  typed: string;
  /** A text that is not recognised yet, or cannot be. */
  unread: string;
  /** A position or a game to begin from. */
  pasted: Pasted | null;
}

const PEOPLE_PLIES = 8;

/** What typed moves have that are a whole record, in a format that the server recognises. */
const RECORD = /[[({;]|手合割|手数|[▲△☗☖▽▼]|^(V\d|PI|P1|[+-]\d{4})/m;

/** The moves of a list, without their numbers, signs of how good they are, and the result. */
const moveWords = (typed: string) => typed.replace(/\b\d{1,4}\.+/g, " ").split(/[\s,]+/).map((word) => word.replace(/[!?]+$/, "")).filter((word) => word && !/^(1-0|0-1|1\/2-1\/2|½-½|\*)$/.test(word));

/** What was pasted for a game that is chosen next. */
let carried: Pasted | null = null;

export function defaultStart(): Start {
  const pasted = carried;
  carried = null;
  return { options: {}, handicap: "", opening: "", typed: "", unread: "", pasted };
}

/** The options that people choose; handicaps have a choice of their own. */
const chosenOptions = (offer: GameOffer) => offer.options.filter((option) => option.name !== "handicap" && (option.choices !== null || option.name === "komi"));

/** The board on which opponents learned and levels were measured, if the game has another size. */
export function measuredBoard(offer: GameOffer, start: Start): string | null {
  const usual = offer.options.find((option) => option.name === "size")?.default;
  const size = sizeOf(offer, start);
  return size === null || size === usual ? null : `${usual}x${usual}`;
}

/** The size of the board; null where there is one only. */
function sizeOf(offer: GameOffer, start: Start): number | null {
  const size = start.options.size ?? offer.options.find((option) => option.name === "size")?.default;
  return typeof size === "number" ? size : null;
}

/** What is asked for without a choice: the page's own defaults. */
function usualOptions(offer: GameOffer): Record<string, string | number | boolean> {
  const found = chosenOptions(offer).filter((option) => option.choices !== null && option.default !== null);
  return Object.fromEntries(found.map((option) => [option.name, option.default!]));
}

/** The keys of a request for a game that begins so. */
export function startKeys(offer: GameOffer, start: Start): Partial<Wanted> {
  const handicap = offer.handicaps.find((each) => each.name === start.handicap);
  const opening = offer.openings.find((each) => each.name === start.opening);
  const { game: _, ...pasted } = start.pasted ?? { game: "" };
  const position = start.unread.trim() || handicap?.position;
  const typed = start.opening === "typed" && !start.pasted?.record ? start.typed.trim() : "";
  const isRecord = RECORD.test(typed);
  const begun = Boolean(position || start.pasted || isRecord);
  return {
    options: { ...(begun ? {} : usualOptions(offer)), ...start.options, ...handicap?.options },
    ...(start.pasted ? pasted : {}),
    ...(position && !start.pasted ? { position } : {}),
    ...(opening && !begun ? { opening: opening.moves } : {}),
    ...(start.opening === "people" && !start.pasted?.record ? { people_plies: PEOPLE_PLIES } : {}),
    ...(isRecord ? { record: typed } : typed ? { opening: moveWords(typed).map((move) => typedMove(offer.name, move)) } : {}),
  };
}

export function StartForm({ offer, start, you, measured, onChange, onGame }: { offer: GameOffer; start: Start; you: "0" | "1" | "random"; measured: string | null; onChange: (start: Start) => void; onGame: (game: string) => void }) {
  const [other, setOther] = useState<Pasted | null>(null);
  const [open, setOpen] = useState(false);
  const otherOffer = other && offers.value.find((each) => each.name === other.game);
  const set = (keys: Partial<Start>) => onChange({ ...start, ...keys });
  const handicap = offer.handicaps.find((each) => each.name === start.handicap);
  const openings = offer.openings.filter((each) => sizeOf(offer, start) === null || each.options?.size === sizeOf(offer, start));
  if (offer.hidden) return null;
  return (
    <>
      {chosenOptions(offer).map((option) => (
        <Option key={option.name} option={option} value={start.options[option.name]} onChange={(value) => set({ options: withOption(start.options, option.name, value), ...(option.name === "size" ? { opening: "" } : {}) })} />
      ))}
      {measured && <p class="note slow">{t("Levels and ranks are of {board}. On this board they are not measured, and the opponent is weaker.", { board: measured })}</p>}
      {offer.handicaps.length > 0 && (
        <label class="row">
          <span>{t("Handicap")}</span>
          <span>
            <select value={start.handicap} onChange={({ currentTarget: { value } }) => set({ handicap: value, ...(value ? { opening: "" } : {}) })}>
              <option value="">{t("none")}</option>
              {offer.handicaps.map((each) => (
                <option key={each.name} value={each.name}>
                  {say(each.title)}
                </option>
              ))}
            </select>
            {handicap && you !== "random" && <span class="note">{String(handicap.giver) === you ? t("You give it.") : t("Your opponent gives it.")}</span>}
          </span>
        </label>
      )}
      {!start.handicap && (
        <label class="row">
          <span>{t("Opening")}</span>
          <select value={start.opening} onChange={({ currentTarget: { value } }) => set({ opening: value })}>
            <option value="">{t("as you play it")}</option>
            {offer.has_human && <option value="people">{t("{count} moves as people play", { count: PEOPLE_PLIES })}</option>}
            {openings.map((each) => (
              <option key={each.name} value={each.name}>
                {say(each.title)}
              </option>
            ))}
            <option value="typed">{t("moves that you type")}</option>
          </select>
        </label>
      )}
      {start.opening === "typed" && (
        <label class="row">
          <span>{t("Moves")}</span>
          <textarea rows={2} value={start.typed} spellcheck={false} placeholder={t("Moves, with or without numbers, or a whole game")} onInput={({ currentTarget: { value } }) => set({ typed: value })} />
        </label>
      )}
      {/* A text that is not recognised, or not yet, keeps it open: it would close while one types. */}
      <details open={open || start.pasted !== null || start.unread !== ""} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>{t("Begin from a position or a saved game")}</summary>
        <Paste
          game={offer.name}
          text={start.pasted?.record ?? start.pasted?.position ?? ""}
          onPasted={(pasted, text) => (setOther(pasted && pasted.game !== offer.name ? pasted : null), set(pasted?.game === offer.name ? { pasted, unread: "" } : { pasted: null, unread: text }))}
        />
        {other && otherOffer && (
          <button type="button" onClick={() => ((carried = other), onGame(other.game))}>
            {t("Play {game}", { game: known(otherOffer.title) })}
          </button>
        )}
      </details>
    </>
  );
}

type Value = string | number | boolean;

function withOption(options: Record<string, Value>, name: string, value: Value | undefined): Record<string, Value> {
  const { [name]: _, ...others } = options;
  return value === undefined ? others : { ...others, [name]: value };
}

/** A choice of a rule option: buttons for a few, a list for many, a number for komi. */
function Option({ option, value, onChange }: { option: GameOffer["options"][number]; value: Value | undefined; onChange: (value: Value | undefined) => void }) {
  const title = say(option.title);
  if (option.choices === null)
    return (
      <label class="row">
        <span>{title}</span>
        <input
          type="number"
          step={0.5}
          min={-100}
          max={100}
          value={typeof value === "number" ? value : ""}
          placeholder={t("as the rules say")}
          onInput={({ currentTarget: { valueAsNumber } }) => onChange(Number.isNaN(valueAsNumber) ? undefined : valueAsNumber)}
        />
      </label>
    );
  const shown = value ?? option.default;
  if (option.choices.length > 3)
    return (
      <label class="row">
        <span>{title}</span>
        <select value={String(shown)} onChange={({ currentTarget }) => onChange(option.choices![currentTarget.selectedIndex]!.value)}>
          {option.choices.map((choice) => (
            <option key={String(choice.value)} value={String(choice.value)}>
              {say(choice.title)}
            </option>
          ))}
        </select>
      </label>
    );
  return (
    <div class="row">
      <span>{title}</span>
      <div class="choices" role="radiogroup" aria-label={title}>
        {option.choices.map((choice) => (
          <label key={String(choice.value)} class="choice">
            <input type="radio" name={option.name} checked={shown === choice.value} onChange={() => onChange(choice.value)} />
            <span>{say(choice.title)}</span>
          </label>
        ))}
      </div>
    </div>
  );
}
