// Begins games, and remembers what was asked for: a rematch asks the same with the other side.
import { api, type NewGame } from "./api";
import { ownName, typedRating } from "./settings";

export type Wanted = Partial<NewGame> & { game: string };
const KEPT = 20;

function stored(): [string, Wanted][] {
  try {
    return JSON.parse(localStorage.getItem("requests") ?? "[]") as [string, Wanted][];
  } catch {
    return [];
  }
}

/** The person's name and rating for saved games, as far as they were given. */
function aboutYou({ game, you }: Wanted): Partial<NewGame> {
  if (you === null) return {};
  const [name, rating] = [ownName.value.trim(), typedRating(game)];
  return { ...(name ? { your_name: name } : {}), ...(rating ? { your_rating: /^\d+$/.test(rating) ? Number(rating) : rating } : {}) };
}

/** Begins a game and shows it. Raises Refused. */
export async function begin(wanted: Wanted): Promise<void> {
  const { id } = await api.begin({ ...wanted, ...aboutYou(wanted) });
  const { record: _, format: __, record_index: ___, ...repeatable } = wanted;
  localStorage.setItem("requests", JSON.stringify([[id, repeatable], ...stored()].slice(0, KEPT)));
  location.hash = `/game/${id}`;
}

/** Begins a game from the position of a card of the deck and shows it. Raises Refused. */
export async function playOn(card: string): Promise<void> {
  const { id } = await api.playCard(card);
  sessionStorage.setItem(`card-${id}`, card);
  location.hash = `/game/${id}`;
}

/** The card from which a game was begun; null for other games. */
export const cardOf = (id: string) => sessionStorage.getItem(`card-${id}`);

/** What a game was begun with; undefined if another browser began it. */
export const requestOf = (id: string): Wanted | undefined => stored().find(([each]) => each === id)?.[1];
