import type { GameOffer } from "../api";
import type { Wanted } from "../requests";
import { say, t } from "../text";

/** How a game begins: board size, handicap, opening, a position or a saved game. */
export interface Start {
  size: number | null;
  handicap: string;
  opening: string;
  typed: string;
  position: string;
  record: { text: string; format: string } | null;
}

const PEOPLE_PLIES = 8;

export function defaultStart(offer: GameOffer): Start {
  return { size: hasSize(offer) ? 9 : null, handicap: "", opening: "", typed: "", position: "", record: null };
}

const hasSize = (offer: GameOffer) => offer.options.some((each) => each.name === "size");

/** The keys of a request for a game that begins so. */
export function startKeys(offer: GameOffer, start: Start): Partial<Wanted> {
  const handicap = offer.handicaps.find((each) => each.name === start.handicap);
  const opening = offer.openings.find((each) => each.name === start.opening);
  const position = start.position.trim() || handicap?.position;
  return {
    options: { ...(start.size ? { size: start.size } : {}), ...handicap?.options },
    ...(start.record ? { record: start.record.text, format: start.record.format } : {}),
    ...(position && !start.record ? { position } : {}),
    ...(opening && !position && !start.record ? { opening: opening.moves } : {}),
    ...(start.opening === "people" && !start.record ? { people_plies: PEOPLE_PLIES } : {}),
    ...(start.opening === "typed" && start.typed.trim() && !start.record ? { opening: start.typed.trim().split(/[\s,]+/) } : {}),
  };
}

export function StartForm({ offer, start, you, onChange }: { offer: GameOffer; start: Start; you: "0" | "1" | "random"; onChange: (start: Start) => void }) {
  const set = (keys: Partial<Start>) => onChange({ ...start, ...keys });
  const open = async (file: File | undefined) =>
    set({ record: file ? { text: await file.text(), format: file.name.split(".").at(-1)!.toLowerCase() } : null });
  const handicap = offer.handicaps.find((each) => each.name === start.handicap);
  const openings = offer.openings.filter((each) => start.size === null || each.options?.size === start.size);
  if (offer.hidden) return null;
  return (
    <>
      {start.size !== null && (
        <div class="row">
          <span>{t("Board")}</span>
          <div class="choices" role="radiogroup" aria-label={t("Board")}>
            {[9, 13, 19].map((size) => (
              <label key={size} class="choice">
                <input type="radio" name="size" checked={start.size === size} onChange={() => set({ size, opening: "" })} />
                <span>
                  {size}×{size}
                </span>
              </label>
            ))}
          </div>
        </div>
      )}
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
          <input type="text" value={start.typed} spellcheck={false} placeholder={offer.name === "chess" ? "e4 c5 Nf3" : t("Moves with spaces between them")} onInput={({ currentTarget: { value } }) => set({ typed: value })} />
        </label>
      )}
      <details>
        <summary>{t("Begin from a position or a saved game")}</summary>
        <label class="row">
          <span>{t("Position")}</span>
          <input
            type="text"
            value={start.position}
            spellcheck={false}
            placeholder={offer.name === "chess" ? "FEN" : offer.name === "shogi" ? "SFEN" : t("Text of a position")}
            onInput={({ currentTarget: { value } }) => set({ position: value })}
          />
        </label>
        <label class="row">
          <span>{t("Saved game")}</span>
          <input type="file" accept={offer.reads.map((each) => `.${each}`).join(",")} onChange={({ currentTarget: { files } }) => void open(files?.[0])} />
        </label>
      </details>
    </>
  );
}
