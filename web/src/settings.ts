// What the person chose on this page; kept in the browser.
import { signal, type Signal } from "@preact/signals";

/** A setting of one of some values. The first is used until another is chosen. */
export function setting<Value extends string>(name: string, values: readonly Value[]): Signal<Value> {
  const kept = localStorage.getItem(name);
  const chosen = signal(values.find((value) => value === kept) ?? values[0]!);
  chosen.subscribe((value) => {
    if (value === values[0]) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
  });
  return chosen;
}

export const theme = setting("theme", ["system", "light", "dark"]);
theme.subscribe((value) => {
  if (value === "system") document.documentElement.removeAttribute("data-theme");
  else document.documentElement.dataset.theme = value;
});
