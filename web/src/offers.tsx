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

/** Milliseconds after which the catalogue is asked again for times of moves that were not measured yet, twice as many
 * each time: at first the server has none. */
const PAUSE = 2000;
const TRIES = 5;

function askAgain(pause: number, tries: number): void {
  const isUntimed = offers.value.some(({ levels }) => levels?.estimates.some((step) => step.seconds === null));
  if (!isUntimed || tries === 0) return;
  setTimeout(async () => {
    offers.value = await api.catalogue().catch(() => offers.value);
    askAgain(2 * pause, tries - 1);
  }, pause);
}

export function loadOffers(): void {
  if (asked) return;
  asked = true;
  offersError.value = "";
  api.catalogue().then(
    (found) => {
      offers.value = found;
      askAgain(PAUSE, TRIES);
    },
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
