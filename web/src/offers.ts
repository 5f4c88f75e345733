// The catalogue of games, loaded once.
import { signal } from "@preact/signals";
import { api, type GameOffer } from "./api";

export const offers = signal<GameOffer[]>([]);
export const offersError = signal("");
let asked = false;

export function loadOffers(): void {
  if (asked) return;
  asked = true;
  api.catalogue().then(
    (found) => (offers.value = found),
    (error: Error) => {
      asked = false;
      offersError.value = error.message;
    },
  );
}
