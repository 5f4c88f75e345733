import { useEffect, useState } from "preact/hooks";
import { api, type GameOffer, type NewGame } from "../api";
import { loadOffers, offers, offersError } from "../offers";
import { defaultChoice, OpponentForm, Slider, type Choice } from "./opponent-form";

/** Two players of your choice against each other. */
export function WatchPage() {
  useEffect(loadOffers, []);
  const [name, setName] = useState("chess");
  if (offers.value.length === 0) return <p role="status">{offersError.value || "Getting ready…"}</p>;
  const offer = offers.value.find((each) => each.name === name) ?? offers.value[0]!;
  return (
    <div class="setup">
      <h1>Watch two players</h1>
      <label class="row">
        <span>Game</span>
        <select value={offer.name} onChange={({ currentTarget: { value } }) => setName(value)}>
          {offers.value.map((each) => (
            <option key={each.name} value={each.name}>
              {each.title}
            </option>
          ))}
        </select>
      </label>
      <Pairing key={offer.name} offer={offer} />
    </div>
  );
}

function Pairing({ offer }: { offer: GameOffer }) {
  const [first, setFirst] = useState<Choice>(() => defaultChoice(offer));
  const [second, setSecond] = useState<Choice>(() => defaultChoice(offer));
  const [pace, setPace] = useState(1);
  const [error, setError] = useState("");
  const begin = async (event: Event) => {
    event.preventDefault();
    try {
      const wanted = {
        game: offer.name,
        you: null,
        opponent: first as NewGame["opponent"],
        second_opponent: second as NewGame["opponent"],
        pace,
        options: (offer.options.some((each) => each.name === "size") ? { size: 9 } : {}) as Record<string, number>,
      };
      location.hash = `/game/${(await api.begin(wanted)).id}`;
    } catch (refusal) {
      setError((refusal as Error).message);
    }
  };
  return (
    <form onSubmit={(event) => void begin(event)}>
      <OpponentForm offer={offer} choice={first} onChange={setFirst} legend={offer.sides[0]!} />
      <OpponentForm offer={offer} choice={second} onChange={setSecond} legend={offer.sides[1]!} />
      <Slider title="Pace" value={pace} shown={pace === 0 ? "as fast as they can" : `${pace} s a move`} from={0} to={5} step={0.5} onChange={setPace} />
      {error && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
      <button class="main">Watch</button>
    </form>
  );
}
