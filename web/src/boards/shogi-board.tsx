import { useLayoutEffect, useRef } from "preact/hooks";
import { Shogiground } from "shogiground";
import type { Api } from "shogiground/api";
import type { DrawShape } from "shogiground/draw";
import type { Key, Piece } from "shogiground/types";
import { fromForsyth, LETTERS, PIECE_SETS, pieceStyles, promotesTo, ROLES, roleWord, toForsyth, unpromotesTo } from "./shogi-pieces";
import { predropTargets, premoveTargets } from "./shogi-premoves";
import { inKanji, shogiSquare } from "./move-names";
import { SquareKeys } from "./square-keys";
import { setting } from "../settings";
import { t } from "../text";

interface Props {
  sfen: string;
  bottom: number;
  you?: number | null;
  legal?: { text: string }[];
  last?: string | null;
  check?: boolean;
  /** Moves to show, with a class of their squares. */
  marks?: { text: string; brush: string }[];
  /** Whether the person may choose a move while the opponent thinks. */
  premoves?: boolean;
  picture?: boolean;
  onMove?: (move: string) => void;
}

const SIDES = ["sente", "gote"] as const;
const FILES = [..."987654321"];
const RANKS = [..."abcdefghi"];

/** What is on the pieces. */
export const pieceSet = setting("shogi-pieces", PIECE_SETS);
const sheet = document.createElement("style");
pieceSet.subscribe((set) => {
  sheet.textContent = pieceStyles(set);
});
document.head.append(sheet);

/** A shogi board with both hands, by shogiground: drag or tap, drops too; squares for the keyboard. */
export function ShogiBoard(props: Props) {
  const board = useRef<HTMLDivElement>(null);
  const top = useRef<HTMLDivElement>(null);
  const below = useRef<HTMLDivElement>(null);
  const ground = useRef<Api>(null);
  const now = useRef(props);
  now.current = props;
  const ranks = inKanji.value ? "japanese" : "engine";
  const texts = () => (now.current.legal ?? []).map((each) => each.text);
  const promotesInAdvance = (from: Key, to: Key) => texts().includes(`${from}${to}+`) && ground.current?.state.pieces.get(to)?.role !== "silver";
  const play = (text: string) => texts().includes(text) && now.current.onMove?.(text);
  useLayoutEffect(() => {
    ground.current = Shogiground(
      {
        viewOnly: props.picture ?? false,
        scaleDownPieces: false,
        coordinates: { enabled: !props.picture, files: "numeric", ranks },
        animation: { duration: 200 },
        highlight: { hovered: true },
        forsyth: { fromForsyth, toForsyth },
        premovable: { enabled: true, showDests: true, generate: premoveTargets },
        predroppable: { enabled: true, showDests: true, generate: predropTargets },
        drawable: { enabled: false },
        promotion: {
          promotesTo,
          unpromotesTo,
          movePromotionDialog: (from, to) => texts().includes(`${from}${to}+`) && texts().includes(`${from}${to}`),
          forceMovePromotion: (from, to) => texts().includes(`${from}${to}+`) && !texts().includes(`${from}${to}`),
        },
        movable: { free: false, events: { after: (from, to, promotes, { premade }) => void play(`${from}${to}${promotes || (premade && promotesInAdvance(from, to)) ? "+" : ""}`) } },
        droppable: { free: false, events: { after: (piece, to) => void play(`${LETTERS[piece.role]}*${to}`) } },
      },
      { board: board.current!, hands: { top: top.current!, bottom: below.current! } },
    );
    return () => ground.current?.destroy();
  }, []);
  useLayoutEffect(() => {
    const [rows = "", turn = "b", hands = "-"] = props.sfen.split(" ");
    const mine = (props.legal ?? []).length > 0 && props.you != null;
    if (!props.picture && ground.current && ground.current.state.coordinates.ranks !== ranks) {
      ground.current.state.coordinates.enabled = false; // shogiground draws them only when they are switched on
      ground.current.set({ coordinates: { enabled: true, ranks } });
    }
    ground.current?.set({
      sfen: { board: rows, hands },
      orientation: SIDES[props.bottom]!,
      turnColor: SIDES[turn === "b" ? 0 : 1]!,
      activeColor: mine || props.premoves ? SIDES[props.you!]! : (undefined as never),
      lastDests: lastSquares(props.last),
      checks: props.check ?? false,
      movable: { dests: moveTargets(mine ? props.legal! : []) },
      droppable: { dests: dropTargets(mine ? props.legal! : [], SIDES[props.you ?? 0]!) },
      drawable: {
        squares: (props.marks ?? []).flatMap(({ text, brush }) => lastSquares(text).map((key, index, keys) => ({ key, className: index === keys.length - 1 ? `${brush} target` : brush }))),
        autoShapes: (props.marks ?? []).flatMap(({ text, brush }) => (brush === "pending" ? ghostOf(text, props.sfen) : [])),
      },
    });
    if (mine) {
      ground.current?.playPremove();
      ground.current?.playPredrop();
    } else if (!props.premoves) ground.current?.cancelMoveOrDrop();
  });
  const hand = (side: number, element: typeof top) => (
    <Hand sfen={props.sfen} side={side} element={element} legal={side === props.you ? texts() : []} onPick={(role) => ground.current?.selectPiece({ role, color: SIDES[side]! })} />
  );
  const pieces = sfenPieces(props.sfen);
  return (
    <div class="shogi">
      {hand(1 - props.bottom, top)}
      <div class="sg-frame">
        <div class="board">
          <div ref={board} role={props.picture ? "img" : undefined} aria-label={props.picture ? t("Position") : undefined} aria-hidden={!props.picture} />
          {!props.picture && (
            <SquareKeys
              files={props.bottom === 0 ? FILES : [...FILES].reverse()}
              ranks={props.bottom === 0 ? RANKS : [...RANKS].reverse()}
              label={t("Board. Arrow keys move, Enter chooses a piece, then its target.")}
              named={shogiSquare}
              says={(square) => pieces.get(square) ?? t("empty")}
              onSquare={(square) => ground.current?.selectSquare(square as Key)}
            />
          )}
        </div>
      </div>
      {hand(props.bottom, below)}
    </div>
  );
}

/** Pieces in hand. Shogiground draws them; buttons over them serve the keyboard. */
function Hand(props: { sfen: string; side: number; element: { current: HTMLDivElement | null }; legal: string[]; onPick: (role: string) => void }) {
  const held = heldPieces(props.sfen, props.side);
  return (
    <div class="with-hand" role="group" aria-label={t(held.length ? "{side}'s pieces in hand" : "{side}'s pieces in hand: none", { side: sideOf(props.side) })}>
      <div ref={props.element} aria-hidden="true" />
      {held.map(({ role, count }) => (
        <button
          key={role}
          type="button"
          class="hidden-text"
          aria-label={t("{count} {piece}", { count, piece: t(roleWord(role)) })}
          disabled={!props.legal.some((text) => text.startsWith(`${LETTERS[role]}*`))}
          onClick={() => props.onPick(role)}
        />
      ))}
    </div>
  );
}

const sideOf = (side: number) => (side === 0 ? t("shogi|Black") : t("shogi|White"));

/** Names of the pieces of an SFEN by square, such as "black pawn". */
function sfenPieces(sfen: string): Map<string, string> {
  const named = (token: string) => t("{side} {piece}", { side: token === token.toUpperCase() ? t("shogi|black") : t("shogi|white"), piece: t(roleWord(ROLES[token.toUpperCase()]!)) });
  return new Map([...sfenLetters(sfen)].map(([square, token]) => [square, named(token)]));
}

/** Letters of the pieces of an SFEN by square, such as +p. */
function sfenLetters(sfen: string): Map<string, string> {
  const found = new Map<string, string>();
  sfen.split(" ")[0]!.split("/").forEach((row, rank) => {
    let file = 9;
    for (const [token] of row.matchAll(/\+?[a-zA-Z]|\d/g)) {
      if (/\d/.test(token)) file -= Number(token);
      else found.set(`${file--}${RANKS[rank]}`, token);
    }
  });
  return found;
}

function heldPieces(sfen: string, side: number): { role: string; count: number }[] {
  const hands = sfen.split(" ")[2] ?? "-";
  return [...hands.matchAll(/(\d*)([a-zA-Z])/g)].flatMap(([, count, letter]) => {
    const own = (letter === letter!.toUpperCase() ? 0 : 1) === side;
    return own ? [{ role: ROLES[letter!.toUpperCase()]!, count: Number(count || 1) }] : [];
  });
}

/** A pale picture of the moved piece on its new square. */
function ghostOf(text: string, sfen: string): DrawShape[] {
  const key = text.slice(2, 4) as Key;
  const color = SIDES[sfen.split(" ")[1] === "b" ? 0 : 1]!;
  const letter = text[1] === "*" ? text[0]! : sfenLetters(sfen).get(text.slice(0, 2))?.toUpperCase();
  if (!letter) return [];
  const role = ROLES[text.endsWith("+") ? `+${letter}` : letter]!;
  return [{ orig: key, dest: key, piece: { role, color }, brush: "pending" }];
}

const lastSquares = (text?: string | null): Key[] =>
  text ? ((text[1] === "*" ? [text.slice(2, 4)] : [text.slice(0, 2), text.slice(2, 4)]) as Key[]) : [];

function moveTargets(legal: { text: string }[]): Map<Key, Key[]> {
  const found = new Map<Key, Key[]>();
  for (const { text } of legal) if (text[1] !== "*") found.set(text.slice(0, 2) as Key, [...(found.get(text.slice(0, 2) as Key) ?? []), text.slice(2, 4) as Key]);
  return found;
}

function dropTargets(legal: { text: string }[], color: Piece["color"]): Map<`${Piece["color"]} ${string}`, Key[]> {
  const found = new Map<`${Piece["color"]} ${string}`, Key[]>();
  for (const { text } of legal) {
    if (text[1] !== "*") continue;
    const name = `${color} ${ROLES[text[0]!]}` as const;
    found.set(name, [...(found.get(name) ?? []), text.slice(2, 4) as Key]);
  }
  return found;
}
