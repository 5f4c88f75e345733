// UCT with random playouts: `sparring.search.mcts` (Kocsis and Szepesvári 2006).
import type { State } from "./core";
import type { Generator } from "./random";

const EXPLORATION = 0.7;
const LONGEST = 1000;
/** Playouts between two looks whether somebody waits for something else. */
const SLICE = 50;

interface Node {
  state: State;
  toMove: number;
  untried: number[];
  children: Map<number, Node>;
  visits: number;
  total: number;
}

function node(state: State, random: Generator): Node {
  return { state, toMove: state.toMove(), untried: random.shuffle(Array.from(state.legalMoves())), children: new Map(), visits: 0, total: 0 };
}

/** The most visited move, and its value from -1 to 1. */
export async function uct(state: State, playouts: number, random: Generator, stopped: () => boolean): Promise<{ move: number; value: number }> {
  const root = node(state, random);
  const made: State[] = [];
  try {
    for (let number = 0; number < playouts; number++) {
      const path = selectLeaf(root, random, made);
      const seed = random.large();
      const { winner } = path.at(-1)!.state.playout(Number(seed >> 32n), Number(seed & 0xffffffffn), LONGEST);
      path.forEach((each, index) => {
        each.visits += 1;
        if (index > 0) each.total += winner < 0 ? 0.5 : Number(winner === path[index - 1]!.toMove);
      });
      if (number % SLICE === SLICE - 1) {
        await new Promise((resolve) => setTimeout(resolve));
        if (stopped()) break;
      }
    }
    const [move, best] = [...root.children].sort(([a, first], [b, second]) => second.visits - first.visits || a - b)[0]!;
    return { move, value: (2 * best.total) / best.visits - 1 };
  } finally {
    for (const each of made) each.delete();
  }
}

/** Children by UCB1, down to a new or a terminal node. */
function selectLeaf(root: Node, random: Generator, made: State[]): Node[] {
  const path = [root];
  for (let at = root; at.untried.length > 0 || at.children.size > 0; at = path.at(-1)!) {
    const move = at.untried.pop();
    if (move !== undefined) {
      const next = node(at.state.play(move), random);
      made.push(next.state);
      at.children.set(move, next);
      return [...path, next];
    }
    const log = Math.log(at.visits);
    let best: Node | null = null;
    let most = -Infinity;
    for (const child of at.children.values()) {
      const bound = child.total / child.visits + EXPLORATION * Math.sqrt(log / child.visits);
      if (bound > most) [best, most] = [child, bound];
    }
    path.push(best!);
  }
  return path;
}
