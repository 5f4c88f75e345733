// The games of a tab, in the browser's IndexedDB.
import type { StoredGame } from "./live-game";

export interface Store {
  all(): Promise<StoredGame[]>;
  put(game: StoredGame): Promise<void>;
  remove(id: string): Promise<void>;
}

const done = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error as Error);
  });

/** Opens the store; without IndexedDB, as in some private windows, games live as long as the tab. */
export async function openStore(): Promise<Store> {
  try {
    const opening = indexedDB.open("sparring", 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore("games", { keyPath: "settings.id" });
    const database = await done(opening);
    const games = (mode: IDBTransactionMode) => database.transaction("games", mode).objectStore("games");
    return {
      all: () => done(games("readonly").getAll() as IDBRequest<StoredGame[]>),
      put: async (game) => void (await done(games("readwrite").put(game))),
      remove: async (id) => void (await done(games("readwrite").delete(id))),
    };
  } catch {
    return memoryStore();
  }
}

export function memoryStore(): Store {
  const games = new Map<string, StoredGame>();
  return {
    all: () => Promise.resolve([...games.values()]),
    put: (game) => Promise.resolve(void games.set(game.settings.id, structuredClone(game))),
    remove: (id) => Promise.resolve(void games.delete(id)),
  };
}
