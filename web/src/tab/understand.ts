// Hints, and what people of each rating play in a position: `sparring.server.understand`.
import type { GameOffer, HintView, PositionInsight } from "../api";
import type { Core, Positions, State } from "./core";
import { predictOne, ratingNumber, shownRating, StrengthPlayer, type Policies } from "./players";
import { rounded, type Policy, type Prediction, type Rating } from "./policies";
import type { Rules } from "./rules";
import { ranked, search } from "./search";
import { refuse, sentence } from "./sentences";

const HINT_NODES = 200;
const HINT_TIME = 3000;
const CANDIDATES = 8;
const COLUMNS = 11;
const BLUNDER = 0.1;
/** Positions that the strong network sees at once. */
const BATCH = 16;

const digits = (value: number, count: number) => Number(value.toFixed(count));

/** The best move by a search, and what people of a rating play. */
export async function hint(core: Core, rules: Rules, policies: Policies, state: State, rating: Rating, stopped: () => boolean): Promise<HintView> {
  const { data } = policies;
  const name = (move: number) => ({ text: state.moveText(move), name: rules.moveName(state, move) });
  const empty = { people: null, people_rating: null, people_share: null, candidates: [] };
  if (!data.networks.human) {
    const player = new StrengthPlayer(core, rules, data, 7);
    const { moves, value } = player.best(state);
    player.close();
    return { best: name(moves[0]!), best_value: value === null ? null : digits((1 + value) / 2, 4), ...empty };
  }
  const strong = await policies.policy("strong");
  const result = await search(core, rules.native, state, rules.search, (leaves) => strong.predict(leaves, null), { nodes: HINT_NODES, time: HINT_TIME, untilDecided: true, stopped });
  const best = result.moves[ranked(result)[0]!]!;
  const people = await predictOne(core, rules.native, await policies.policy("human"), state, rating);
  const order = Array.from(people.moves.keys()).sort((a, b) => people.probabilities[b]! - people.probabilities[a]! || a - b);
  const candidates = order.slice(0, CANDIDATES).map((index) => ({ ...name(people.moves[index]!), probability: digits(people.probabilities[index]!, 5) }));
  return {
    best: name(best),
    best_value: digits((1 + result.value) / 2, 4),
    people: name(people.moves[order[0]!]!),
    people_rating: rating === null ? null : shownRating(data, rating),
    people_share: candidates[0]!.probability,
    candidates,
  };
}

/** Ratings at equal distances, with the wanted one. */
function columns(policies: Policies, wanted: Rating): { ratings: Rating[]; column: number } {
  const { accepted, rating, ranks } = policies.data;
  if (accepted === null) return { ratings: [null], column: 0 };
  const [low, high] = accepted;
  const count = Math.min(COLUMNS, high - low + 1);
  const spread = Array.from({ length: count }, (_, index) => rounded(low + ((high - low) * index) / Math.max(count - 1, 1)));
  const own = Math.min(Math.max(wanted ?? rating ?? low, low), high);
  const ratings = [...new Set([...spread, own])].sort((a, b) => a - b).filter((each) => each !== 0 || !ranks);
  return { ratings, column: ratings.indexOf(own) };
}

/** What a policy predicts for states, without ratings. */
export async function inBatches(core: Core, native: string, policy: Policy, states: State[]): Promise<Prediction[]> {
  const found: Prediction[] = [];
  for (let first = 0; first < states.length; first += BATCH) {
    const batch: Positions = new core[`${native}Positions`]!();
    for (const state of states.slice(first, first + BATCH)) batch.add(state);
    found.push(...(await policy.predict(batch, null)));
    batch.delete();
  }
  return found;
}

/** An expected value of the first position beyond which a network calls it decided: it errs too much to be used. */
const DECIDED = 0.5;

/** Whether the strong network's values can be used. */
export async function valuesAreUsable(core: Core, rules: Rules, strong: Policy): Promise<boolean> {
  const start = rules.initial(core, {});
  const { value } = await predictOne(core, rules.native, strong, start, null);
  start.delete();
  return Math.abs(value) <= DECIDED;
}

/** A state without its moves, such as the last one of a game. */
export function seen(rules: Rules, offer: GameOffer, policies: Policies, state: State, before: State | null, wanted: string | number | null): PositionInsight {
  if (!policies.data.networks.human) return refuse("There is no network of people's moves for {game}.", { game: offer.title });
  const { ratings, column } = columns(policies, ratingNumber(policies.data, wanted));
  const size = offer.board === "points" ? rules.board(state, null).columns.length : 19;
  return {
    position: state.fullText(),
    board: rules.board(state, before),
    turn: state.toMove(),
    check: rules.inCheck(state),
    sides: offer.sides,
    ply: state.ply(),
    last: before === null ? null : before.moveText(state.lastMove()),
    rating_word: policies.data.ranks ? "rank" : "rating",
    ratings: ratings.map((rating) => shownRating(policies.data, rating)),
    column,
    moves: [],
    best: "",
    blunder: ratings.map(() => 0),
    score: ratings.map(() => null),
    note: size === 19 ? null : sentence("The network learned from games on 19x19 and is weaker on this board."),
    warning: null,
  };
}

/** What people of each rating and the strong network do in a state. */
export async function insight(core: Core, rules: Rules, offer: GameOffer, policies: Policies, state: State, before: State | null, wanted: string | number | null): Promise<PositionInsight> {
  if (state.reason()) return refuse("The game is over in this position.");
  const board = seen(rules, offer, policies, state, before, wanted);
  const { ratings } = columns(policies, ratingNumber(policies.data, wanted));
  const human = await policies.policy("human");
  const people: Prediction[] = [];
  for (const rating of ratings) people.push(await predictOne(core, rules.native, human, state, rating));
  const strong = await policies.policy("strong");
  const own = await predictOne(core, rules.native, strong, state, null);
  const moves = Array.from(own.moves);
  const isJudge = await valuesAreUsable(core, rules, strong);
  const after = moves.map((move) => state.play(move));
  const open = after.filter((each) => !each.reason());
  const values = await inBatches(core, rules.native, strong, open);
  const scores = after.map((each) => {
    if (each.reason()) return each.winner() < 0 ? 0.5 : Number(each.winner() === state.toMove());
    return (1 - values[open.indexOf(each)]!.value) / 2;
  });
  for (const each of after) each.delete();
  const most = Math.max(...scores);
  const losses = scores.map((score) => most - score);
  const mean = moves.map((_, index) => people.reduce((sum, each) => sum + each.probabilities[index]!, 0));
  const order = [...moves.keys()].sort((a, b) => mean[b]! - mean[a]! || a - b);
  return {
    ...board,
    moves: order.map((index) => ({
      text: state.moveText(moves[index]!),
      name: rules.moveName(state, moves[index]!),
      human: people.map((each) => digits(each.probabilities[index]!, 5)),
      strong: digits(own.probabilities[index]!, 5),
      loss: isJudge ? digits(losses[index]!, 4) : null,
    })),
    best: state.moveText(moves[isJudge ? losses.indexOf(0) : own.probabilities.indexOf(Math.max(...own.probabilities))]!),
    blunder: people.map((each) => digits(losses.reduce((sum, loss, index) => sum + (isJudge && loss > BLUNDER ? each.probabilities[index]! : 0), 0), 4)),
    score: people.map((each) => digits((1 + each.value) / 2, 4)),
  };
}
