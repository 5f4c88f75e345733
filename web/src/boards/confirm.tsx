import { render, type ComponentChildren } from "preact";
import { useLayoutEffect } from "preact/hooks";

/** The element beside the board in which `Confirm` shows itself. */
export const CONFIRM_PLACE = "confirm-place";
const place = () => document.getElementById(CONFIRM_PLACE);

/** A question about a move, beside the board: it covers no square. */
export function Confirm({ label, text, children }: { label: string; text: string; children: ComponentChildren }) {
  useLayoutEffect(() => {
    const box = (
      <div class="confirm" role="group" aria-label={label}>
        <span role="status">{text}</span>
        <div class="buttons">{children}</div>
      </div>
    );
    const element = place();
    if (element) render(box, element);
  });
  useLayoutEffect(() => {
    const element = place();
    return () => void (element && render(null, element));
  }, []);
  return null;
}
