import type { BoardView } from "../api";
import { ChessBoard } from "./chess-board";
import { GridBoard } from "./grid-board";
import { offerOf } from "../offers";
import { ShogiBoard } from "./shogi-board";
import { t } from "../text";

/** A small picture of a position, of any game. */
export function Picture(props: { game: string; position: string | null; board?: BoardView | null; last?: string | null; bottom?: number; hands?: boolean }) {
  const { game, position, board, last = null, bottom = 0 } = props;
  const kind = offerOf(game)?.board;
  return (
    <div class={props.hands ? "mini with-hands" : "mini"}>
      {position && kind === "chessboard" ? (
        <ChessBoard picture fen={position} bottom={bottom} last={last} />
      ) : position && kind === "shogiboard" ? (
        <ShogiBoard picture sfen={position} bottom={bottom} last={last} />
      ) : board ? (
        <GridBoard board={board} bottom={bottom} label={t("Position")} />
      ) : null}
    </div>
  );
}
