// Keys of the page's own: one listener for as long as its element is there.
import { useLayoutEffect, useRef } from "preact/hooks";

const TYPED_IN = "input, select, textarea";

/** Calls back with keys that nobody types into a field and that no dialog has. The listener is registered once and calls
 * the newest closure: one that were removed and added again while an event is on its way would miss it. */
export function useKeys(onKey: (event: KeyboardEvent) => void): void {
  const newest = useRef(onKey);
  newest.current = onKey;
  useLayoutEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.target instanceof HTMLElement && event.target.matches(TYPED_IN)) return;
      if (event.altKey || event.ctrlKey || event.metaKey || document.querySelector("dialog")) return;
      newest.current(event);
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
}
