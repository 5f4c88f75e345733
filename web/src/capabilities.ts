// What the API of the page can do: a server everything, a tab what is in a list. Pages and parts of them ask here alone.
import { inTab } from "./tab/client";

/** Pages by their path, `review` of a game that was played, and `tab-files`: games as a file of the tab. A server has also
 * `archive`, the `deck` of mistakes, `warnings` before them, the `safer` move, and `strength`: estimates of it by the moves
 * of a game. */
const OF_TAB: readonly string[] = ["/", "/game", "/games", "/understand", "review", "tab-files"];

/** Whether the API can do something: a page by its path, or a part of one. Pages that are not listed need a server. */
export const can = (name: string): boolean => (inTab ? OF_TAB.includes(name) : name !== "tab-files");
