// What the person chose on this page; kept in the browser.
import { signal, type Signal } from "@preact/signals";

const names = new Set(["game"]);

/** A setting of one of some values. The first is used until another is chosen. */
export function setting<Value extends string>(name: string, values: readonly Value[]): Signal<Value> {
  names.add(name);
  const kept = localStorage.getItem(name);
  const chosen = signal(values.find((value) => value === kept) ?? values[0]!);
  chosen.subscribe((value) => {
    if (value === values[0]) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
  });
  return chosen;
}

/** Whether the board makes sounds. */
export const sound = setting("sound", ["off", "on"]);
/** Whether a move waits until it is confirmed. */
export const confirmMoves = setting("confirm-moves", ["off", "on"]);
/** Whether the opponent answers at once, without the time that people take. */
export const atOnce = setting("at-once", ["off", "on"]);
/** Whether the opponent plays to the end. */
export const toMate = setting("to-mate", ["off", "on"]);
/** Whether the mistakes of reviewed games go into the deck by themselves. */
export const autoDeck = setting("auto-deck", ["off", "on"]);
/** Before which moves a person is warned while playing. */
export const WARNINGS = ["off", "blunders", "mistakes"] as const;
export type Warnings = (typeof WARNINGS)[number];
export const warnings = setting<Warnings>("warnings", WARNINGS);
/** Colours of the boards. */
export const boardTheme = setting("board", ["wood", "green", "blue"]);
boardTheme.subscribe((value) => (document.documentElement.dataset.board = value));

/** The person's rating or rank in a game; null if it was not given. */
export const ownRating = (game: string) => localStorage.getItem(`rating-${game}`) || null;
/** Keeps it, and what exactly was typed; without a rating, only that it was asked for. */
export function keepRating(game: string, rating: string, typed = rating): void {
  localStorage.setItem(`rating-${game}`, rating);
  localStorage.setItem(`typed-rating-${game}`, typed);
}
/** The person's rating as it was typed, for saved games. */
export const typedRating = (game: string) => localStorage.getItem(`typed-rating-${game}`) || ownRating(game);
/** The person's name in saved games; empty if it was not given. */
export const ownName = signal(localStorage.getItem("own-name") ?? "");
ownName.subscribe((value) => localStorage.setItem("own-name", value));
export const isRatingAsked = (game: string) => localStorage.getItem(`rating-${game}`) !== null;

export const theme = setting("theme", ["system", "light", "dark"]);
theme.subscribe((value) => {
  if (value === "system") document.documentElement.removeAttribute("data-theme");
  else document.documentElement.dataset.theme = value;
});

const isSetting = (name: string) => names.has(name) || /^(rating|opponent)-[a-z]+$/.test(name);

/** All settings that differ from the first ones, with the person's ratings and the opponents that were chosen last. */
export const keptSettings = (): Record<string, string> => Object.fromEntries(Object.entries(localStorage as Record<string, string>).filter(([name]) => isSetting(name)));

/** Replaces the settings by kept ones. The page shows them when it is loaded again. */
export function restoreSettings(kept: Record<string, unknown>): void {
  for (const name of Object.keys(keptSettings())) localStorage.removeItem(name);
  for (const [name, value] of Object.entries(kept)) if (isSetting(name) && typeof value === "string") localStorage.setItem(name, value);
}
