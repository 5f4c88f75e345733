// Texts of the page in the person's language. Tables of translations are in languages/, by English template.
import { computed } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { setting } from "./settings";

/** A sentence of the server: complete English, and what it is made from. */
export interface Text {
  text: string;
  template: string;
  values?: { [name: string]: string | number | Text };
}
type Values = Record<string, string | number>;
type Table = Record<string, string>;

const files = import.meta.glob<Table>("./languages/*.json", { eager: true, import: "default" });
const TABLES = new Map(Object.entries(files).map(([path, table]) => [path.replace(/^.*\/|\.json$/g, ""), table]));
export const LANGUAGES = [...TABLES.keys()];

/** The language that was chosen; "browser" follows the browser. */
export const chosenLanguage = setting("language", ["browser", ...LANGUAGES]);
export const language = computed(() => {
  if (chosenLanguage.value !== "browser") return chosenLanguage.value;
  const wanted = navigator.languages.map((name) => name.split("-")[0]!);
  return wanted.find((name) => TABLES.has(name)) ?? "en";
});
language.subscribe((value) => (document.documentElement.lang = value));

/** The name of a language in itself. */
export const languageName = (code: string) => new Intl.DisplayNames([code], { type: "language" }).of(code) ?? code;

const NAME = /\{(\w+)\}/;

/** A template in the person's language. A context before a bar, as in "shogi|Black", is not shown. */
const translated = (template: string) => TABLES.get(language.value)?.[template] ?? template.replace(/^[a-z]+\|/, "");

/** A text in the person's language, with values in place of the {names}. */
export function t(template: string, values: Values = {}): string {
  return translated(template)
    .split(NAME)
    .map((part, index) => (index % 2 ? shown(values[part] ?? "") : part))
    .join("");
}

/** The same with elements as values. */
export function phrase(template: string, values: Record<string, ComponentChildren>): ComponentChildren[] {
  return translated(template)
    .split(NAME)
    .map((part, index) => (index % 2 ? values[part] : part));
}

/** A text that depends on a number, which it shows as {count}. */
export function counted(count: number, one: string, other: string, values: Values = {}): string {
  const form = new Intl.PluralRules(language.value).select(count);
  return t(form === "one" ? one : other, { count, ...values });
}

/** A text that is translated later, where it is shown. */
export const word = (template: string) => template;

const shown = (value: string | number) => (typeof value === "number" ? formatted(value) : value);

/** A number as it is written in the person's language: 1500, 12,345. */
export const formatted = (value: number) => value.toLocaleString(language.value, { useGrouping: Math.abs(value) >= 10_000 });

/** A share in percent. */
export const percent = (share: number) =>
  share.toLocaleString(language.value, { style: "percent", minimumFractionDigits: share < 0.1 ? 1 : 0, maximumFractionDigits: share < 0.1 ? 1 : 0 }).replace(/\s*%/, " %");

const WORDS = new Set([
  word("White"), word("Black"), word("You"), word("Your opponent"), word("People"), word("people"),
  word("Chess"), word("Reconnaissance blind chess"), word("Shogi"), word("Go"), word("Expendibots"), word("Breakthrough"),
  word("pawn"), word("knight"), word("bishop"), word("rook"), word("queen"), word("king"),
  word("rating"), word("rank"),
  word("a terrible day"), word("a very bad day"), word("a bad day"), word("an average day"),
  word("three-minute games of one shogi site"),
]);
const SHOGI = new Set([
  word("shogi|Black"), word("shogi|White"),
  word("shogi|pawn"), word("shogi|lance"), word("shogi|knight"), word("shogi|silver"), word("shogi|gold"), word("shogi|bishop"), word("shogi|rook"), word("shogi|king"),
  word("shogi|promoted pawn"), word("shogi|promoted lance"), word("shogi|promoted knight"), word("shogi|promoted silver"), word("shogi|promoted bishop"), word("shogi|promoted rook"),
]);

/** A word that the server gives: a side, a piece, a game, a rank. Other texts, such as names, stay as they are. */
export function known(text: string, game?: string): string {
  if (SHOGI.has(`${game}|${text}`)) return t(`${game}|${text}`);
  return WORDS.has(text) ? t(text) : rank(text);
}

/** A sentence of the server in the person's language. */
export function say(sentence: Text | string, game?: string): string {
  if (typeof sentence === "string") return known(sentence, game) === sentence ? t(sentence) : known(sentence, game);
  const values = Object.entries(sentence.values ?? {}).map(([name, value]): [string, string | number] => [
    name,
    typeof value === "object" ? say(value, game) : typeof value === "string" ? known(value, name === "shogi_piece" ? "shogi" : game) : value,
  ]);
  return t(sentence.template, Object.fromEntries(values));
}

/** A rank or rating as people write it: 8k is 8 kyu. */
export function rank(value: number | string): string {
  const found = /^(\d+)([kd])$/.exec(String(value));
  if (!found) return String(value);
  return t(found[2] === "k" ? "{number}k" : "{number}d", { number: found[1]! });
}
