import { useEffect, useState } from "preact/hooks";
import { api, type GameOffer, type NewGame } from "../api";
import { loadOffers, offers, offersError } from "../offers";
import { defaultChoice, OpponentForm, type Choice } from "./opponent-form";

const CLOCKS: [string, [number, number, number] | null][] = [
  ["No clock", null],
  ["3 min + 2 s", [180, 2, 0]],
  ["5 min + 3 s", [300, 3, 0]],
  ["10 min", [600, 0, 0]],
  ["15 min + 10 s", [900, 10, 0]],
  ["30 min, then 30 s a move", [1800, 0, 30]],
];

/** Chooses a game and an opponent, and begins. */
export function PlayPage() {
  useEffect(loadOffers, []);
  const [name, setName] = useState(localStorage.getItem("game") ?? "chess");
  if (offers.value.length === 0)
    return <p role="status">{offersError.value || "Getting ready: the networks are being read…"}</p>;
  const offer = offers.value.find((each) => each.name === name) ?? offers.value[0]!;
  const choose = (chosen: string) => {
    localStorage.setItem("game", chosen);
    setName(chosen);
  };
  return (
    <div class="setup">
      <h1>Who do you want to play?</h1>
      <div class="games" role="radiogroup" aria-label="Game">
        {offers.value.map((each) => (
          <label key={each.name} class="game-card">
            <input type="radio" name="game" checked={each === offer} onChange={() => choose(each.name)} />
            <span class={`emblem ${each.name}`} aria-hidden="true" />
            <span>{each.title}</span>
          </label>
        ))}
      </div>
      <Setup key={offer.name} offer={offer} />
    </div>
  );
}

function Setup({ offer }: { offer: GameOffer }) {
  const [choice, setChoice] = useState<Choice>(() => defaultChoice(offer));
  const [side, setSide] = useState<"0" | "1" | "random">("0");
  const [clock, setClock] = useState(0);
  const [options, setOptions] = useState<Record<string, number>>(() => usualOptions(offer));
  const [position, setPosition] = useState("");
  const [record, setRecord] = useState<{ text: string; format: string } | null>(null);
  const [error, setError] = useState("");
  const [busy, setBusy] = useState(false);
  const begin = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setError("");
    const time = CLOCKS[clock]![1];
    const wanted: Partial<NewGame> & { game: string } = {
      game: offer.name,
      you: side === "random" ? (Math.random() < 0.5 ? 0 : 1) : side === "0" ? 0 : 1,
      opponent: choice as NewGame["opponent"],
      options,
      ...(time ? { clock: { base: time[0], increment: time[1], byoyomi: time[2] } } : {}),
      ...(position.trim() ? { position: position.trim() } : {}),
      ...(record ? { record: record.text, format: record.format } : {}),
    };
    try {
      location.hash = `/game/${(await api.begin(wanted)).id}`;
    } catch (refusal) {
      setError((refusal as Error).message);
      setBusy(false);
    }
  };
  const open = async (file: File | undefined) => {
    if (!file) return setRecord(null);
    setRecord({ text: await file.text(), format: file.name.split(".").at(-1)!.toLowerCase() });
  };
  return (
    <form onSubmit={(event) => void begin(event)}>
      {offer.rules && (
        <details>
          <summary>The rules in a minute</summary>
          <p>{offer.rules}</p>
        </details>
      )}
      <OpponentForm offer={offer} choice={choice} onChange={setChoice} legend="Opponent" />
      <fieldset>
        <legend>The game</legend>
        <div class="choices" role="radiogroup" aria-label="Your side">
          {(["0", "1", "random"] as const).map((each) => (
            <label key={each} class="choice">
              <input type="radio" name="side" checked={side === each} onChange={() => setSide(each)} />
              <span>{each === "random" ? "Either side" : offer.sides[Number(each)]}</span>
            </label>
          ))}
        </div>
        <GoOptions offer={offer} options={options} onChange={setOptions} />
        {!offer.hidden && (
          <label class="row">
            <span>Clock</span>
            <select value={clock} onChange={({ currentTarget: { value } }) => setClock(Number(value))}>
              {CLOCKS.map(([title], index) => (
                <option key={title} value={index}>
                  {title}
                </option>
              ))}
            </select>
          </label>
        )}
        {!offer.hidden && (
          <details>
            <summary>Begin from a position or a saved game</summary>
            <label class="row">
              <span>Position</span>
              <input
                type="text"
                value={position}
                spellcheck={false}
                placeholder={offer.name === "chess" ? "FEN" : offer.name === "shogi" ? "SFEN" : "Text of a position"}
                onInput={({ currentTarget: { value } }) => setPosition(value)}
              />
            </label>
            <label class="row">
              <span>Saved game</span>
              <input
                type="file"
                accept={offer.reads.map((each) => `.${each}`).join(",")}
                onChange={({ currentTarget: { files } }) => void open(files?.[0])}
              />
            </label>
          </details>
        )}
      </fieldset>
      {error && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
      <button class="main" disabled={busy}>
        {busy ? "A moment…" : "Play"}
      </button>
    </form>
  );
}

function usualOptions(offer: GameOffer): Record<string, number> {
  return offer.options.some((each) => each.name === "size") ? { size: 9 } : {};
}

/** Board size, handicap and komi, where the game has them. */
function GoOptions(props: { offer: GameOffer; options: Record<string, number>; onChange: (options: Record<string, number>) => void }) {
  const { offer, options, onChange } = props;
  if (!offer.options.some((each) => each.name === "size")) return null;
  return (
    <>
      <div class="choices" role="radiogroup" aria-label="Board">
        {[9, 13, 19].map((size) => (
          <label key={size} class="choice">
            <input type="radio" name="size" checked={options.size === size} onChange={() => onChange({ ...options, size })} />
            <span>
              {size}×{size}
            </span>
          </label>
        ))}
      </div>
      <label class="row">
        <span>Handicap</span>
        <select
          value={options.handicap ?? 0}
          onChange={({ currentTarget: { value } }) => {
            const { handicap: _, komi: __, ...rest } = options;
            onChange(Number(value) ? { ...rest, handicap: Number(value), komi: 0.5 } : rest);
          }}
        >
          <option value={0}>none</option>
          {[2, 3, 4, 5].map((stones) => (
            <option key={stones} value={stones}>
              {stones} stones
            </option>
          ))}
        </select>
      </label>
    </>
  );
}
