import { Chessground } from "chessground";
import type { Api } from "chessground/api";
import type { DrawShape } from "chessground/draw";
import type { Key, Role } from "chessground/types";
import "chessground/assets/chessground.base.css";
import "chessground/assets/chessground.brown.css";
import "chessground/assets/chessground.cburnett.css";
import { useLayoutEffect, useRef } from "preact/hooks";
import { chessPiece, destinations, fenPieces, fromTo } from "./coordinates";
import { SquareKeys } from "./square-keys";
import { t } from "../text";

interface Props {
  fen: string;
  bottom: number;
  turn?: number | null;
  you?: number | null;
  legal?: { text: string }[];
  last?: string | null;
  check?: boolean;
  /** Without a player: a picture of a position. */
  picture?: boolean;
  /** Called with the texts of all legal moves between two squares: several if a pawn promotes. */
  onMove?: (moves: string[]) => void;
  /** Whether the person may choose a move while the opponent thinks. */
  premoves?: boolean;
  /** Squares to mark, with a class each. */
  marks?: Map<string, string>;
  /** Moves, with a short text at their ends. */
  arrows?: { text: string; brush: string; label?: string }[];
  /** A move whose piece stands pale on its new square: it waits for confirmation. */
  placed?: string | null;
  /** Pieces that are not certain, with the share of the boards that have them. */
  guesses?: { square: string; piece: string; share: number }[];
  onSquare?: (square: string) => void;
}

const COLOURS = ["white", "black"] as const;
const FILES = [..."abcdefgh"];
const RANKS = [..."87654321"];

/** A chess board by chessground, with squares for the keyboard. */
export function ChessBoard(props: Props) {
  const element = useRef<HTMLDivElement>(null);
  const board = useRef<Api>(null);
  const now = useRef(props);
  now.current = props;
  useLayoutEffect(() => {
    board.current = Chessground(element.current!, {
      viewOnly: props.picture ?? false,
      coordinates: !props.picture,
      animation: { duration: 200 },
      highlight: { lastMove: true, check: true },
      premovable: { enabled: true, showDests: true, castle: true },
      drawable: { enabled: !props.picture, brushes: BRUSHES },
      events: { select: (square) => now.current.onSquare?.(square) },
    });
    return () => {
      board.current!.state.drawable.autoShapes = []; // chessground draws once more when it is taken away, at size 0
      board.current!.destroy();
    };
  }, []);
  useLayoutEffect(() => {
    // As soon as the board is seen: until then chessground would let any piece go anywhere.
    const legal = props.legal ?? [];
    const mine = legal.length > 0 && props.you != null;
    const last = props.last ? fromTo(props.last) : undefined;
    const same = board.current?.getFen() === props.fen.split(" ")[0]; // a new position erases the person's own arrows
    board.current?.set({
      ...(same ? {} : { fen: props.fen }),
      orientation: COLOURS[props.bottom]!,
      turnColor: COLOURS[props.turn ?? 0]!,
      lastMove: last ? [last.from as Key, last.to as Key] : [],
      check: props.check ?? false,
      highlight: { custom: (props.marks ?? new Map()) as Map<Key, string> },
      movable: {
        free: false,
        color: mine || props.premoves ? COLOURS[props.you!]! : undefined,
        dests: mine ? (destinations(legal) as Map<Key, Key[]>) : new Map(),
        showDests: true,
        events: {
          after: (from, to, { premove }) => {
            const texts = (now.current.legal ?? []).map((each) => each.text).filter((text) => text.startsWith(`${from}${to}`));
            const queen = premove && texts.find((text) => text.endsWith("q"));
            now.current.onMove?.(queen ? [queen] : texts);
          },
        },
      },
    });
    if (mine) board.current?.playPremove();
    else if (!props.premoves) board.current?.cancelPremove();
    const frame = requestAnimationFrame(() => element.current?.clientWidth && board.current?.setAutoShapes(shapesOf(now.current))); // needs the board's size
    return () => cancelAnimationFrame(frame);
  });
  if (props.picture) return <div class="square-board" ref={element} role="img" aria-label={t("Position")} />;
  const pieces = fenPieces(props.fen);
  const says = (square: string) => {
    const letter = pieces.get(square);
    if (!letter) return props.marks?.get(square)?.includes("unknown") ? t("not certain") : t("empty");
    const { color, role } = chessPiece(letter);
    return t("{side} {piece}", { side: color === "white" ? t("white") : t("black"), piece: t(role) });
  };
  return (
    <div class="board">
      <div class="square-board" ref={element} aria-hidden="true" />
      <SquareKeys
        files={props.bottom === 0 ? FILES : [...FILES].reverse()}
        ranks={props.bottom === 0 ? RANKS : [...RANKS].reverse()}
        label={t("Board. Arrow keys move, Enter chooses a piece, then its target.")}
        says={says}
        onSquare={(square) => board.current?.selectSquare(square as Key)}
      />
    </div>
  );
}

/** The moved piece on its new square. */
function placedPiece(fen: string, text: string | null | undefined): DrawShape[] {
  const move = text ? fromTo(text) : undefined;
  const letter = move && fenPieces(fen).get(move.from);
  if (!letter) return [];
  const { role, color } = chessPiece(letter);
  return [{ orig: move.to as Key, piece: { role: (move.rest ? chessPiece(move.rest[0]!).role : role) as Role, color, scale: 1 } }];
}

function shapesOf({ fen, arrows, guesses, placed }: Props): DrawShape[] {
  const drawn = (arrows ?? []).flatMap(({ text, brush, label }): DrawShape[] => {
    const move = fromTo(text);
    return move ? [{ orig: move.from as Key, dest: move.to as Key, brush, ...(label ? { label: { text: label } } : {}) }] : [];
  });
  const ghosts = (guesses ?? []).map(({ square, piece, share }): DrawShape => {
    const { role, color } = chessPiece(piece);
    return { orig: square as Key, piece: { role: role as Role, color, scale: 0.45 + 0.45 * share } };
  });
  return [...drawn, ...ghosts, ...placedPiece(fen, placed)];
}

const brush = (key: string, color: string) => ({ key, color, opacity: 0.85, lineWidth: 9 });
const BRUSHES = {
  best: brush("best", "#2a8f6c"),
  people: brush("people", "#2c6f9f"),
  pending: brush("pending", "#8a5fb0"),
  played: brush("played", "#c2562b"),
  // The person's own arrows, by the keys that are held.
  green: brush("g", "#d07f1a"),
  red: brush("r", "#b4442f"),
  blue: brush("b", "#7a5aa6"),
  yellow: brush("y", "#a08c1f"),
};
