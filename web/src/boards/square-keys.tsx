import { useState } from "preact/hooks";

interface Props {
  files: string[];
  ranks: string[];
  label: string;
  /** How a square is named; without it, by its file and rank. */
  named?: (square: string) => string;
  /** What is on a square, for screen readers. */
  says: (square: string) => string;
  onSquare: (square: string) => void;
}

const STEPS: Record<string, [number, number]> = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };

/** Whether there is a board for the keyboard; gives its square the focus that had it last. */
export function focusBoard(): boolean {
  const square = document.querySelector<SVGElement | HTMLElement>('.board-side [data-square][tabindex="0"]');
  square?.focus();
  return square !== null;
}

/** Squares for the keyboard and for screen readers, over a board that knows only the mouse. */
export function SquareKeys({ files, ranks, label, named, says, onSquare }: Props) {
  const [focus, setFocus] = useState<[number, number]>([Math.floor(files.length / 2), ranks.length - 1]);
  const step = (event: KeyboardEvent) => {
    const by = STEPS[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    const file = Math.min(files.length - 1, Math.max(0, focus[0] + by[0]));
    const rank = Math.min(ranks.length - 1, Math.max(0, focus[1] + by[1]));
    setFocus([file, rank]);
    (event.currentTarget as Element).querySelector<HTMLElement>(`[data-square="${files[file]}${ranks[rank]}"]`)?.focus();
  };
  return (
    <div class="keys" role="group" aria-label={label} style={{ gridTemplate: `repeat(${ranks.length}, 1fr) / repeat(${files.length}, 1fr)` }} onKeyDown={step}>
      {ranks.flatMap((rank, row) =>
        files.map((file, column) => (
          <button
            key={file + rank}
            type="button"
            data-square={file + rank}
            aria-label={`${named ? named(file + rank) : file + rank} ${says(file + rank)}`}
            tabindex={focus[0] === column && focus[1] === row ? 0 : -1}
            onFocus={() => setFocus([column, row])}
            onClick={() => onSquare(file + rank)}
          />
        )),
      )}
    </div>
  );
}
