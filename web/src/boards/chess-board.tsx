import { Chessground } from "chessground";
import type { Api } from "chessground/api";
import type { Key } from "chessground/types";
import "chessground/assets/chessground.base.css";
import "chessground/assets/chessground.brown.css";
import "chessground/assets/chessground.cburnett.css";
import { useEffect, useRef } from "preact/hooks";
import { destinations, fromTo } from "./coordinates";

interface Props {
  fen: string;
  bottom: number;
  turn: number | null;
  you: number | null;
  legal: { text: string }[];
  last: string | null;
  check: boolean;
  /** Called with the texts of all legal moves between two squares: several if a pawn promotes. */
  onMove: (moves: string[]) => void;
  /** Squares to mark, with a class each. */
  marks?: Map<string, string>;
  arrows?: { text: string; brush: string }[];
  onSquare?: (square: string) => void;
}

const COLOURS = ["white", "black"] as const;

/** A chess board by chessground. */
export function ChessBoard(props: Props) {
  const element = useRef<HTMLDivElement>(null);
  const board = useRef<Api>(null);
  const now = useRef(props);
  now.current = props;
  useEffect(() => {
    board.current = Chessground(element.current!, {
      animation: { duration: 180 },
      highlight: { lastMove: true, check: true },
      drawable: { enabled: true, brushes: BRUSHES },
      events: { select: (square) => now.current.onSquare?.(square) },
    });
    const observer = new ResizeObserver(() => board.current?.redrawAll());
    observer.observe(element.current!);
    return () => {
      observer.disconnect();
      board.current?.destroy();
    };
  }, []);
  useEffect(() => {
    const mine = props.legal.length > 0 && props.you !== null;
    const last = props.last ? fromTo(props.last) : undefined;
    board.current?.set({
      fen: props.fen,
      orientation: COLOURS[props.bottom]!,
      turnColor: COLOURS[props.turn ?? 0]!,
      lastMove: last ? [last.from as Key, last.to as Key] : [],
      check: props.check,
      highlight: { custom: (props.marks ?? new Map()) as Map<Key, string> },
      movable: {
        free: false,
        color: mine ? COLOURS[props.you!]! : undefined,
        dests: mine ? (destinations(props.legal) as Map<Key, Key[]>) : new Map(),
        showDests: true,
        events: {
          after: (from, to) => {
            const texts = now.current.legal.map((each) => each.text);
            now.current.onMove(texts.filter((text) => text.startsWith(`${from}${to}`)));
          },
        },
      },
    });
    const shapes = (props.arrows ?? []).flatMap(({ text, brush }) => {
      const move = fromTo(text);
      return move ? [{ orig: move.from as Key, dest: move.to as Key, brush }] : [];
    });
    const frame = requestAnimationFrame(() => board.current?.setAutoShapes(shapes)); // needs the board's size
    return () => cancelAnimationFrame(frame);
  });
  return <div class="square-board" ref={element} role="img" aria-label="Board. Type moves in the field beside it." />;
}

const brush = (key: string, color: string) => ({ key, color, opacity: 0.8, lineWidth: 10 });
const BRUSHES = {
  green: brush("g", "#2a8f6c"),
  red: brush("r", "#b4442f"),
  blue: brush("b", "#2c6f9f"),
  yellow: brush("y", "#c79a2b"),
};
