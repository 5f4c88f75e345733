// The catalogue of games, loaded once.
import { signal } from "@preact/signals";
import { api, type GameOffer, type GameTraits } from "./api";
import { t } from "./text";

export const offers = signal<GameOffer[]>([]);
const offersError = signal("");
let asked = false;

/** What the catalogue has of a game; undefined until it is loaded. */
export const offerOf = (game: string): GameOffer | undefined => offers.value.find((offer) => offer.name === game);

/** Whether a move can be chosen while the opponent thinks: the boards of chess and shogi know how pieces move. */
export const hasPremoves = ({ board, hidden }: GameTraits) => !hidden && (board === "chessboard" || board === "shogiboard");

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
