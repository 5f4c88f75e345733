// The catalogue of games, loaded once.
import { signal } from "@preact/signals";
import { api, type GameOffer } from "./api";
import { t } from "./text";

export const offers = signal<GameOffer[]>([]);
const offersError = signal("");
let asked = false;

export function loadOffers(): void {
  if (asked) return;
  asked = true;
  offersError.value = "";
  api.catalogue().then(
    (found) => (offers.value = found),
    (error: Error) => {
      asked = false;
      offersError.value = error.message;
    },
  );
}

/** Loads the catalogue again: a person was added. */
export function reloadOffers(): void {
  asked = false;
  loadOffers();
}

/** Shown while the catalogue is not there. */
export function Ready({ text = t("Getting ready…") }: { text?: string }) {
  if (!offersError.value)
    return (
      <p class="loading" role="status">
        {text}
      </p>
    );
  return (
    <div class="empty">
      <p role="alert">{offersError.value}</p>
      <button class="main" onClick={loadOffers}>
        {t("Try again")}
      </button>
    </div>
  );
}
