// Sentences of the tab's own server, as those of `sparring.base.sentences`: the page translates them by their template.
import type { Text } from "../text";

type Value = string | number | Text;

const NAME = /\{(\w+)\}/g;

const shown = (value: Value | undefined): string => (value === undefined ? "" : typeof value === "object" ? value.text : String(value));

/** A text for people of a template and its values. */
export function sentence(template: string, values: Record<string, Value> = {}): Text {
  return { text: template.replace(NAME, (_, name: string) => shown(values[name])), template, values };
}

export const plain = (text: string): Text => ({ text, template: text, values: {} });

/** Sentences one after the other; empty ones are left out. */
export function joined(...sentences: Text[]): Text {
  const kept = sentences.filter((each) => each.text);
  return kept.slice(1).reduce((first, second) => sentence("{first} {second}", { first, second }), kept[0] ?? plain(""));
}

/** A request that cannot be carried out. */
export class Refusal extends Error {
  constructor(
    readonly sentence: Text,
    readonly status = 409,
  ) {
    super(sentence.text);
  }
}

export const refuse = (template: string, values: Record<string, Value> = {}, status = 422): never => {
  throw new Refusal(sentence(template, values), status);
};
